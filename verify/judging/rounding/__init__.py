"""Rounding: what honest floats may return, and how far a rule is off without them.

May import oracles and what is below.
"""
