"""Graphs: recorded computations, frozen."""
