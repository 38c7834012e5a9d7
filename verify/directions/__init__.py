"""Directions: what a product of derivatives is taken along, beside the arguments of a function."""
