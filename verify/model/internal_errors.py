"""Errors of symtape's own: exceptions raised by its code and not by the code that it verifies.

Whose an exception is, the frames tell that it passed through on its way out. Where a function or
a claim was being run, one of its frames is among them, or one that was called in its place; an
error inside the oracles has frames of symtape and of the libraries that it computes with, and no
others.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from symtape.errors import SymtapeError
from verify.files import places
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict

_OURS: Final = ("symtape", "verify")

_SUITES: Final = "verify.suites"
"""Functions that are verified, though they come with the verifier."""

_COMPUTING: Final = frozenset({"flint", "mpmath", "numpy", "scipy", "sympy"})
"""Libraries that symtape computes with."""

_CALLING: Final = (
    "symtape.graph.freeze",
    "verify.adapters",
    "verify.claimants.claim",
    "verify.claimants.determinism",
)
"""Where functions and claims are called: these may be functions of such a library."""


def is_internal(error: BaseException) -> bool:
    """Whether an exception that was caught here is symtape's own fault, in no words of its own.

    Examples
    --------
    >>> is_internal(ZeroDivisionError()), is_internal(SymtapeError("in words"))
    (True, False)
    """
    return not isinstance(error, SymtapeError) and not any(it.verified for it in _frames(error))


def is_of_a_reading(error: BaseException) -> bool:
    """Whether it came of what a user's operation says of itself, and not of running anything."""
    return not any(it.calling for it in _frames(error))


def raised_inside(error: BaseException) -> str:
    """The line of symtape's that raised, itself or in a library that it called; empty if none."""
    known = [it for it in _frames(error) if it.ours or it.verified]
    return known[-1].place if known and known[-1].ours else ""


def describe_error(error: BaseException) -> str:
    """What is said of an error inside symtape."""
    where = raised_inside(error)
    words = " ".join(str(error).split())
    what = f"{type(error).__name__}{f' in {where}' if where else ''}{f': {words}' if words else ''}"
    return f"an error inside symtape ({what}); this is not a fault of the function or of the claim"


def outcome_of(x: tuple[Any, ...], error: BaseException) -> PointOutcome:
    """A point that an error inside symtape keeps from a verdict."""
    return PointOutcome.from_judgement(
        x, Verdict.UNDECIDED, describe_error(error), traceback=format_traceback(error)
    )


def format_traceback(error: BaseException) -> str:
    """The traceback, in which files are seen from here."""
    return places.relativise_text("".join(traceback.format_exception(error))).rstrip()


@dataclass(frozen=True, slots=True)
class _Frame:
    """A frame that an error passed through.

    Attributes
    ----------
    place : str
        ``file:line``.
    ours, verified : bool
        Whether it is of symtape, or of the code that is verified; neither of a library.
    calling : bool
        Whether it is where functions and claims are called.
    """

    place: str
    ours: bool
    verified: bool
    calling: bool


def _frames(error: BaseException) -> Iterator[_Frame]:
    """The frames that an error passed through, the outermost first."""
    at, caller = error.__traceback__, ""
    while at is not None:
        module = str(at.tb_frame.f_globals.get("__name__") or "")
        ours = _is_in(module, _OURS) and not _is_in(module, (_SUITES,))
        place = places.relative(f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}")
        verified = not ours and _is_verified(module, caller)
        yield _Frame(place, ours, verified, _is_in(module, _CALLING))
        at, caller = at.tb_next, module


def _is_verified(module: str, caller: str) -> bool:
    root = module.partition(".")[0]
    if not root or root in sys.stdlib_module_names:
        return False
    return root not in _COMPUTING or _is_in(caller, _CALLING)


def _is_in(module: str, rooms: tuple[str, ...]) -> bool:
    return any(module == room or module.startswith(f"{room}.") for room in rooms)
