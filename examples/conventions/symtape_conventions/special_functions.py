"""scipy.special: derivatives that it has under names, orders and places of their own."""

from __future__ import annotations

import functools
import importlib
import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from verify import Case
from verify.auditing import Claim, Hint, Pair, Unpaired, element, pose

_MODULE: Final = "scipy.special"
_ABOVE: Final = Hint(lower=0.0)
_SHARE: Final = Hint(lower=-1.0, upper=1.0)
_DEGREES: Final = Hint(lower=0.0, upper=90.0)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A function of scipy.special and what it has for its derivative by the last argument.

    Attributes
    ----------
    function, claim : str
    of, element : int or None
        Elements of what they return.
    constants : tuple
        What stands before the argument.
    more : tuple
        What the claim takes behind it.
    base : tuple
        What the function takes behind it.
    hint : Hint
    by_radian : bool
        Whether the claim is by the angle in radians, where the function takes degrees.
    """

    function: str
    claim: str
    of: int | None = None
    element: int | None = None
    constants: tuple[float, ...] = ()
    more: tuple[Any, ...] = ()
    base: tuple[Any, ...] = ()
    hint: Hint = _ABOVE
    by_radian: bool = False


def _entries() -> Iterator[_Entry]:
    for name in ("j", "y", "i", "k"):
        for order in (0, 1, 2.5):
            yield _Entry(f"{name}v", f"{name}vp", constants=(order,))
            yield _Entry(f"{name}vp", f"{name}vp", constants=(order,), base=(1,), more=(2,))
    for kind in ("jn", "yn", "in", "kn"):
        for order in (0, 2):
            yield _Entry(f"spherical_{kind}", f"spherical_{kind}", None, None, (order,), (True,))
    for name in ("ber", "bei", "ker", "kei"):
        yield _Entry(name, f"{name}p")
    for place in (0, 2):
        yield _Entry("airy", "airy", place, place + 1, hint=Hint())
    for name in ("mathieu_cem", "mathieu_sem"):
        yield _Entry(name, name, 0, 1, (2, 0.7), hint=_DEGREES, by_radian=True)
    for name in ("pbdv", "pbvv", "pbwa"):
        yield _Entry(name, name, 0, 1, (1.5,), hint=Hint(lower=0.0, upper=4.0))
    yield _Entry("pro_ang1", "pro_ang1", 0, 1, (1, 2, 0.7), hint=_SHARE)
    yield _Entry("obl_ang1", "obl_ang1", 0, 1, (1, 2, 0.7), hint=_SHARE)
    yield _Entry("gammaln", "psi")


class SpecialFunctions:
    """Derivatives by the argument, at a few orders."""

    name = "special-functions"
    summary = (
        "scipy.special: jvp, yvp, ivp, kvp; spherical_jn(..., derivative=True); berp, airy, "
        "mathieu_cem, pbdv and others that return a value and its derivative"
    )

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Those of the table that this SciPy has."""
        if module.__name__ != _MODULE:
            return
        for place, entry in enumerate(_TABLE):
            if not (hasattr(module, entry.function) and hasattr(module, entry.claim)):
                continue
            yield Pair(
                id=f"{_MODULE}:{_called(entry)}",
                convention=self.name,
                module=_MODULE,
                function=entry.function,
                claim=_called(entry),
                settings={"entry": place},
            )

    def pose(self, pair: Pair) -> Case:
        """By the argument behind the orders and parameters."""
        entry = _TABLE[int(pair.settings["entry"])]
        module = importlib.import_module(_MODULE)
        function = _of_x(getattr(module, entry.function), entry.constants, entry.base)
        claim = _of_x(getattr(module, entry.claim), entry.constants, entry.more)
        made = Claim(
            element(function, entry.of),
            element(claim, entry.element, math.radians(1) if entry.by_radian else 1),
            by=("x",),
            hints={"x": entry.hint},
        )
        return pose(pair, made)


def _called(entry: _Entry) -> str:
    """The claim, called as in a program."""
    given = ", ".join(f"{x:g}" for x in entry.constants)
    behind = "".join(f", {x}" for x in entry.more)
    place = "" if entry.element is None else f"[{entry.element}]"
    unit = " by radian" if entry.by_radian else ""
    return f"{entry.claim}({given}{', ' if given else ''}x{behind}){place}{unit}"


def _of_x(function: Callable[..., Any], before: tuple[Any, ...], behind: tuple[Any, ...]) -> Any:
    """A function of its argument alone, under its own name and with its own source."""

    def call(x: Any) -> Any:
        return function(*before, x, *behind)

    made = functools.wraps(function)(call)
    made.__qualname__ = made.__name__  # Compiled functions have no other.
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    made.__signature__ = inspect.Signature([inspect.Parameter("x", kind)])  # type: ignore[attr-defined]
    return made


_TABLE: Final = tuple(_entries())
CONVENTION: Final = SpecialFunctions()
