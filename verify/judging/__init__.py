"""Judging: the verdict on a claim, point by point, from all that the floors below know.

May import search, sampled evidence, diagnosis, kinks, rounding, oracles and what is below.
"""
