"""Setup: what a process needs to know before it runs tasks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from verify.campaign.limits import Limits

_WARM: Final = ("verify.judging.judge",)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a process needs to know before it runs tasks.

    Attributes
    ----------
    limits : Limits
    imports : tuple of str
        Modules to import beforehand, so that no task pays for it.
    idle : float
        Seconds after which a process that nobody asks ends.
    folder : str
        Where the working folders of its tasks are made.
    """

    limits: Limits = field(default_factory=Limits)
    imports: tuple[str, ...] = _WARM
    idle: float = 60.0
    folder: str = ""
