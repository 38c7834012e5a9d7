"""Judging: the verdict on a claim, point by point, from all that the floors below know.

Its rooms, from the ground up: what rounding explains, what holds at kinks, what went wrong, where
to look, and what samples say where nothing can be recorded.
"""
