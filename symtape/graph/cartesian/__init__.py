"""Graphs of complex numbers as graphs of their real and imaginary parts, which every engine reads.

A complex operation is written down once, as plain NumPy code on pairs of real arrays. Its exact
derivative, closed form, enclosure, kinks and proof are then those of real operations.
"""
