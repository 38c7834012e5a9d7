"""What was measured of one engine on one workload, and of all, as JSON too."""

from __future__ import annotations

import dataclasses
import statistics
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Figure", "Run"]


@dataclass
class Figure:
    """CPU seconds of a call in each round, of getting ready, and bytes; or why there are none.

    ``ready`` is the time from the plain function to its first derivative, with packages imported.
    ``peak`` is the most memory that Python's allocators held during a call.
    """

    seconds: list[float] = field(default_factory=list)
    ready: float | None = None
    peak: int | None = None
    note: str = ""

    @property
    def least(self) -> float | None:
        """The least time of a call, which other work on the machine disturbs least."""
        return min(self.seconds, default=None)

    @property
    def median(self) -> float | None:
        """The median time of a call."""
        return statistics.median(self.seconds) if self.seconds else None


@dataclass
class Run:
    """The machine, the versions, and a figure for each engine on each workload."""

    about: dict[str, str]
    figures: dict[str, dict[str, Figure]]

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, read: dict[str, Any]) -> Run:
        """What :meth:`to_dict` made."""
        figures = {
            work: {engine: Figure(**one) for engine, one in row.items()}
            for work, row in read["figures"].items()
        }
        return cls(read["about"], figures)
