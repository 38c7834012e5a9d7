"""Derivatives as programs: simplified and run, printed in array notation, written as source.

Each room starts from a frozen graph; none is asked for a verdict.
"""
