"""Derivatives as source: what a person would have written, for people to paste and to keep.

A derivative is recorded, and its optimised Graph written in a language of arrays. What a language
has a function for is spelled in its table; what it has not is taken apart into what the row itself
is made of; and what is neither is refused, with the user's line.
"""
