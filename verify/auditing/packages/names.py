"""Names: what a function whose name says that it is a derivative would be the derivative of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_LEIBNIZ: Final = re.compile(
    r"^(?P<head>(?:\w*?_)??)d(?P<n>\d?)_?(?P<f>[A-Za-z]\w*?)_d_?(?P<by>[A-Za-z]\w*?)(?P<m>\d?)"
    r"(?P<tail>(?:_[A-Za-z]\w*)?)$"
)
_BEHIND: Final = re.compile(
    r"^(?P<f>\w*[A-Za-z0-9])(?:_(?P<word>derivative|deriv|der|fprime|prime|gradient|grad|jacobian|"
    r"jac|hessian|hess)|(?P<close>prime|deriv))(?P<n>\d?)(?P<tail>(?:_[A-Za-z]\w*)?)$"
)
_BEFORE: Final = re.compile(
    r"^_?(?P<word>derivative_of|derivative|deriv|der|grad|gradient|jac|jacobian|hess|hessian|d)"
    r"(?P<n>\d?)_(?P<f>[A-Za-z]\w*)$"
)
_SHORT: Final = re.compile(r"^d(?P<f>[a-z])$")
_QUANTITIES: Final = {"hess": "hessian", "hessian": "hessian"}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a name may mean.

    Attributes
    ----------
    function : str
        The name of the function that it would be the derivative of.
    by : tuple of str
        The arguments that it would be by; empty where the name does not say.
    quantity : str
        "hessian", or empty.
    """

    function: str
    by: tuple[str, ...] = ()
    quantity: str = ""


_DOES: Final = re.compile(
    r"_*(approx|check|compute|estimate|num|numerical|plot|print|warn|wrap|test|is|has|get|set|make|"
    r"build|construct|default|define)(_|$)"
)


def does_something(name: str) -> bool:
    """Whether a name says what a function does, such as to check or to approximate derivatives.

    Examples
    --------
    >>> does_something("check_grad"), does_something("rosen_der")
    (True, False)
    """
    return _DOES.match(name) is not None


def readings(name: str) -> Iterator[Reading]:
    """What the name of a function may mean, the likeliest first.

    Examples
    --------
    >>> [each.function for each in readings("d2Antoine_dT2")]
    ['dAntoine_dT']
    >>> next(readings("iapws97_dG_dpi_region1"))
    Reading(function='iapws97_G_region1', by=('pi',), quantity='')
    >>> [each.function for each in readings("rosen_hess")]
    ['rosen', 'rosen_der', 'rosen_grad']
    >>> list(readings("sine"))
    []
    """
    yield from _leibniz(name)
    yield from _read_suffix(name)
    if found := _BEFORE.match(name):
        word, order = found["word"], int(found["n"] or 1)
        if order == 1:
            yield Reading(found["f"], (), _QUANTITIES.get(word, ""))
        elif order > 1:
            yield Reading(f"{word}{'' if order == 2 else order - 1}_{found['f']}")
    if found := _SHORT.match(name):
        yield Reading(found["f"])


def _leibniz(name: str) -> Iterator[Reading]:
    """``dX_dT``, ``d2X_dT2``, ``d_r_dx``."""
    found = _LEIBNIZ.match(name)
    if found is None:
        return
    head, f, by, tail = found["head"], found["f"], found["by"], found["tail"]
    order, times = int(found["n"] or 1), int(found["m"] or 1)
    if order != times:
        return
    if order == 1:
        if len(by) == 2 and by[0] in "xyz" and by[1] in "xyz":  # d_r_dxy: twice, from d_r_dx.
            below = name.removesuffix(by + tail) + by[0] + tail
            yield Reading(below, (by[1],))
            return
        yield Reading(f"{head}{f}{tail}", (by,))
        return
    below = "" if order == 2 else str(order - 1)
    joint = "_" if name[len(head) :].startswith(f"d{order}_") else ""
    yield Reading(f"{head}d{below}{joint}{f}_d{by}{below}{tail}", (by,))


def _read_suffix(name: str) -> Iterator[Reading]:
    """``f_der``, ``f_prime``, ``fprime2``, ``f_hess``."""
    found = _BEHIND.match(name)
    if found is None:
        return
    f, word, tail = found["f"], found["word"] or found["close"], found["tail"]
    order = int(found["n"] or 1)
    if order < 1:
        return
    if order > 1:
        below = "" if order == 2 else str(order - 1)
        stem = name[: max(found.end("word"), found.end("close"))]
        yield Reading(f"{stem}{below}{tail}")
        return
    quantity = _QUANTITIES.get(word, "")
    yield Reading(f"{f}{tail}", (), quantity)
    if quantity:
        yield from (Reading(f"{f}_{first}{tail}") for first in ("der", "grad"))
