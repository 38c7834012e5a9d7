"""A stopwatch that a busy machine does not run ahead of."""

from __future__ import annotations

import time
from typing import Final

_OF_WAITING: Final = 0.1
"""How much a second counts in which this process did not compute: it waited, or others did."""


class Stopwatch:
    """Seconds that the process computed since it was started."""

    def __init__(self) -> None:
        self._computed, self._passed = time.process_time(), time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds of the processor, or a tenth of those on the wall where these are more."""
        computed = time.process_time() - self._computed
        return max(computed, _OF_WAITING * (time.monotonic() - self._passed))
