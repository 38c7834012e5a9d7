"""Numbers that leave NumPy for bytes, and come back as other numbers: no tape follows them."""

from __future__ import annotations

import struct

import numpy as np


def left(x):
    """The number `x`, as code of another language returns it."""
    return struct.unpack("d", struct.pack("d", x))[0]


def all_left(x):
    """The numbers of an array, in its order, as code of another language returns them."""
    return [left(entry) for entry in np.ravel(x)]
