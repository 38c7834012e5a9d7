"""What SciPy has in Python, and therefore can be recorded, from which version on."""

import scipy

SINCE_1_17 = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17)
"""Rotations and radial functions are compiled alone before."""
