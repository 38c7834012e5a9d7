"""The words for a value that left a computation: by which call, at which line, what to write."""

from __future__ import annotations

import linecache
import math
import os
import warnings
from types import FrameType
from typing import Any, Final

import numpy as np

from symtape.errors import BranchWarning, Escaped, EscapeWarning
from symtape.recording.calling import find_called
from symtape.recording.origin import Origin, users_frame
from symtape.recording.solvers import ITERATION

KEPT: Final = "a tensor kept from an earlier call"
"""How a value left that comes back in a later recording."""

CACHE: Final = "a cache"
"""How a value comes back that an earlier call computed of plain numbers."""

_PRINTED: Final = " (what is only printed can be formatted as it is, f'{x:.3f}')"
STATE: Final = "Variable.assign()"
"""How a value leaves into a state, which cuts a derivative on purpose, as in TensorFlow."""

TEXT: Final = "text"
"""How a value leaves that is written, and read again."""

_CODES: Final = {
    KEPT: "kept",
    CACHE: "cache",
    STATE: "state",
    "a list of tensors": "list",
    "pickling": "pickle",
    ITERATION: "solver",
}

_warned: Final[dict[Any, Any]] = {}
"""What Python itself keeps of warnings that were shown: a line of code and its words, once each."""

_CONSTANT: Final = "if it is meant as a constant, take symtape.stop_gradient(x) first"

_IN_NUMPY: Final = {
    "fabs": "abs",
    "fsum": "sum",
    "dist": "linalg.norm",
    "gamma": "",
    "pow": "power",
}
_IN_SCIPY: Final = {"lgamma": "gammaln", "gamma": "gamma", "erf": "erf", "erfc": "erfc"}


_LIBRARIES: Final = (
    f"{os.sep}site-packages{os.sep}",
    f"{os.sep}dist-packages{os.sep}",
    os.path.dirname(os.__file__) + os.sep,
)


def refusal(how: str) -> Escaped:
    """The error of a value that leaves by `how`, just now.

    Parameters
    ----------
    how : str
        As a recording keeps it: ``"float()"``.
    """
    inner = users_frame()
    outer = users_frame(_LIBRARIES) or inner
    name, function = ("", None) if outer is None else find_called(outer)
    spelled = how if how in (KEPT, TEXT) or not name else f"{name}()"
    where = _place(outer)
    if inner is not outer:
        where += f" ({how}{_place(inner)})"
    return Escaped(
        f"a value that is differentiated left the computation by {spelled}{where}, and its part "
        f"of the derivative would be lost; {remedy(how, function)}{_missing_source(outer)}",
        _CONSTANT,
        code_of(how),
    )


def _missing_source(frame: FrameType | None) -> str:
    """What to do where a function cannot be read, for nobody knows its source."""
    if frame is None or linecache.getlines(frame.f_code.co_filename):
        return ""
    name = frame.f_code.co_name
    return f", or write {name} into a file, or into a notebook: here it has no source to be read by"


def code_of(how: str) -> str:
    """The way in which a value left, for programs to read.

    Examples
    --------
    >>> code_of("np.asarray()"), code_of(KEPT)
    ('escape:asarray', 'escape:kept')
    """
    return f"escape:{_CODES.get(how) or how.rpartition('.')[2].removesuffix('()')}"


def warn_of(how: str, place: Origin | None) -> None:
    """Warn that a gradient that is None may be so because a value left."""
    file, line = (place.file, place.line) if place else ("<unknown>", 0)
    warnings.warn_explicit(
        f"a gradient is None, and a value left the tape by {how} here: what is computed from it "
        f"counts as constant; if it was to be followed, {remedy(how)}",
        EscapeWarning,
        file,
        line,
        registry=_warned,
    )


def warn_of_equality() -> None:
    """Warn that code of a library took the branch for values that are equal, just now."""
    inner, outer = users_frame(), users_frame(_LIBRARIES)
    if inner is None or outer is None or inner is outer:
        return
    if find_called(inner)[1] in (np.isclose, np.allclose):
        return
    warnings.warn_explicit(
        f"two values are equal here{_place(inner)}, where a library may compute otherwise: the "
        "derivative is that of this branch, and the function may have another; compare with one "
        "a little beside the point",
        BranchWarning,
        outer.f_code.co_filename,
        outer.f_lineno,
        registry=_warned,
    )


def _place(frame: FrameType | None) -> str:
    if frame is None:
        return ""
    return f", at {frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"


def remedy(how: str, function: Any = None) -> str:
    """What to write instead of a conversion, which `function` made, so that it is recorded."""
    if how == TEXT:
        return "compute with the value itself"
    if how == KEPT:
        return "compute it anew in each call"
    if how == CACHE:
        return (
            "clear it before (cache_clear(), or the attribute or dict that keeps), or "
            "differentiate what it is wrapped around, which computes anew in each call"
        )
    if how == ITERATION:
        return (
            "ask minimize, least_squares or root for the solution, from there, whose derivative "
            "is that of the solution"
        )
    if how == "pickling":
        return "compute in this process, or in its threads"
    name = getattr(function, "__name__", "")
    if function is getattr(math, name, None) and name:
        return f"write {_name_counterpart(name)}, which is recorded"
    if function in (np.array, np.asarray):
        return "write np.stack, which is recorded"
    module = str(getattr(function, "__module__", None) or "").partition(".")[0]
    if module == "scipy":
        return "write it with functions of np or symtape.scipy, which are recorded"
    return "compute with np.* functions on the value itself, which are recorded" + (
        _PRINTED if how in ("float()", ".item()") else ""
    )


def _name_counterpart(name: str) -> str:
    """What records in place of a function of the module ``math``."""
    counterpart = _IN_NUMPY.get(name, name)
    if counterpart and hasattr(np, counterpart.partition(".")[0]):
        return f"np.{counterpart}"
    return f"scipy.special.{_IN_SCIPY[name]}" if name in _IN_SCIPY else "it with np.* functions"
