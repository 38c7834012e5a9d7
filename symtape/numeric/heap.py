"""Memory that one sweep frees, kept by the process for the next."""

from __future__ import annotations

from typing import Final

import numpy as np

_LARGEST: Final = 2**23 - 2**16
"""Bytes of a block; larger ones come from the system as before, as zeros that cost nothing."""


def keep_freed_memory() -> None:
    """Let the C library keep what is freed, up to 16 MB, rather than give it back to the system.

    That of Linux gives back the end of its heap when more is free there than twice the largest
    block that was ever freed (mallopt(3), ``M_TRIM_THRESHOLD``), and a gradient that needs it again
    pays for every page: a third of the time of a network of 200,000 weights. So such a block is
    taken and freed here, as any program does that works with large arrays; nothing is written into
    it, so that it costs some microseconds and no memory. Elsewhere it does nothing.
    """
    np.empty(_LARGEST, np.uint8)
