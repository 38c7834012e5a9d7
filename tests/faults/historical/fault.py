"""What a historical fault is: a derivative that a library once computed, beside the right one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Fault"]


@dataclass(frozen=True)
class Fault:
    """One entry of the tables.

    Attributes
    ----------
    name : str
    source : str
        The public issue or pull request that tells of it.
    what : str
        What was wrong, in one sentence.
    function : callable
        Plain NumPy code.
    wrong, right : callable
        The derivative as it was computed, redone by hand in NumPy, and as it should be.
    over : region
        As verify's ``over=`` takes it; nothing else is told to the search.
    at : tuple of points
        Where the wrong one is known to be wrong.
    quantity : str
    long : bool
        Whether searching takes long enough to leave it to campaigns.
    """

    name: str
    source: str
    what: str
    function: Callable[..., Any]
    wrong: Callable[..., Any]
    right: Callable[..., Any]
    over: Any
    at: tuple[Any, ...]
    quantity: str = "gradient"
    long: bool = False
