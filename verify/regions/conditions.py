"""Conditions: which points of a region a derivative is promised at, in code and in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from symtape.one_line import clip_line
from symtape.recording.structure import concatenate_entries
from verify.errors import UsageError
from verify.files.places import place_of_function, relative
from verify.regions.words import short


@dataclass(frozen=True)
class Condition:
    """What holds at the points that are left.

    Attributes
    ----------
    words : str
        For people.
    source : str
        The call that adds it, in Python.
    holds : callable
        Of the arguments; what it returns is True, or False, in every entry.
    kinks : bool
        Whether points without a classical derivative are left out besides, which only a judge
        can tell.
    """

    words: str
    source: str
    holds: Callable[..., Any]
    kinks: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether its source says all of it, without a predicate of the user's."""
        return self.holds in EXCLUDED.values() or getattr(self.holds, "func", None) is _differs

    def is_met(self, *args: Any) -> bool:
        """Whether it holds.

        Raises
        ------
        UsageError
            The predicate raised, or returned something else than truth values.
        """
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(self.holds(*args))
        except UsageError:
            raise
        except Exception as error:  # users' code, raised again in words
            shown = ", ".join(short(arg) for arg in args)
            raise UsageError(
                f"over: the condition {self.words!r} raised {type(error).__name__}: {error} at "
                f"{shown}; expected a function of the argument that returns True or False"
            ) from error
        if found.dtype != np.bool_:
            raise UsageError(
                f"over: the condition {self.words!r} returned {short(found.tolist())}; expected "
                "True or False: a comparison, such as lambda x: x[0] != x[1]"
            )
        return bool(np.all(found))


def _no_zeros(*args: Any) -> bool:
    return all(np.all(np.asarray(x) != 0) for x in args)


def _no_ties(*args: Any) -> bool:
    numbers = concatenate_entries(args)
    return len(np.unique(numbers)) == len(numbers)


def _any_point(*args: Any) -> bool:
    return True


EXCLUDED: Final = {"ties": _no_ties, "zeros": _no_zeros, "kinks": _any_point}
"""What can be left out by name, with what then holds of the arguments."""


class Conditional:
    """What can be restricted by conditions: a space, or several together."""

    def restrict(self, condition: Condition) -> Restricted:
        """The part of it where the condition, of all arguments, holds."""
        return Restricted(self, (condition,))

    def where(self, predicate: Callable[..., Any], words: str = "") -> Restricted:
        """The part where a predicate holds.

        Parameters
        ----------
        predicate : callable
            Of the argument, or of all arguments of a product: True where the derivative is
            promised. Of an array of truth values all must be true.
        words : str
            What it says, for the report. By default the predicate's name, or where it is written.

        Examples
        --------
        >>> import verify
        >>> apart = verify.box(-1, 1, shape=(2,)).where(lambda x: x[0] != x[1], "entries apart")
        >>> apart.contains(np.array([0.5, 0.5])), apart.describe("x")
        (False, 'x in [-1, 1]^2 (entries apart)')
        """
        if not callable(predicate):
            raise UsageError(
                f"where({short(predicate)}); expected a function of the argument that returns True "
                "or False, such as lambda x: x[0] != x[1]"
            )
        if not isinstance(words, str):
            raise UsageError(f"where(..., {short(words)}); expected words that say what holds")
        words = words or _name(predicate)
        source = f".where({getattr(predicate, '__name__', '...')}, {words!r})"
        return self.restrict(Condition(words, source, predicate))

    def excluding(self, *names: str) -> Restricted:
        """The part without points of some kind.

        Parameters
        ----------
        *names : {"ties", "zeros", "kinks"}
            Points with two equal numbers; with a number that is 0; without a classical
            derivative, as the recorded function has it: these are searched, and count as outside.

        Examples
        --------
        >>> import verify
        >>> verify.box(-1, 1, shape=(2,)).excluding("ties", "zeros").describe("x")
        'x in [-1, 1]^2 (no ties; no zeros)'
        """
        unknown = [name for name in names if not isinstance(name, str) or name not in EXCLUDED]
        if unknown or not names:
            raise UsageError(
                f"excluding({', '.join(map(short, names))}); expected one or several of "
                f"{', '.join(map(repr, EXCLUDED))}"
            )
        first, *others = names
        condition = Condition(
            f"no {first}", f".excluding({first!r})", EXCLUDED[first], kinks=first == "kinks"
        )
        part = self.restrict(condition)
        return part.excluding(*others) if others else part

    def away_from(self, what: Any, by: float = 0.0) -> Restricted:
        """The part away from a value, or from where a function is 0.

        Parameters
        ----------
        what : number, array or callable
            A value: the argument as a whole differs from it, in one entry at least, by more than
            `by`. A callable of the argument: none of the numbers that it returns is within `by` of
            0.
        by : float
            From 0.

        Examples
        --------
        >>> import verify
        >>> off_the_origin = verify.box(-1, 1, shape=(2,)).away_from(0.0, by=0.1)
        >>> [off_the_origin.contains(np.array(x)) for x in ([0.0, 0.5], [0.01, 0.0])]
        [True, False]
        >>> verify.box(0, 9).away_from(np.cos).describe("x")
        'x in [0, 9] (away from cos = 0)'
        """
        amount = _amount(by)
        more = f" by {amount:g}" if amount else ""
        written = f", by={by!r}" if amount else ""
        if callable(what):
            name = _name(what)
            source = f".away_from({getattr(what, '__name__', '...')}{written})"
            words = f"away from {name} = 0{more}"
            return self.restrict(Condition(words, source, partial(_far, what, amount)))
        value = _value(what)
        shown = short(value.tolist())
        words, source = f"away from {shown}{more}", f".away_from({value.tolist()!r}{written})"
        return self.restrict(Condition(words, source, partial(_differs, value, amount)))


class Restricted(Conditional):
    """The part of `inner` where some conditions hold; made by `where` and its like.

    Attributes
    ----------
    inner : Space, or several together
    conditions : tuple of Condition
    """

    def __init__(self, inner: Any, conditions: tuple[Condition, ...]) -> None:
        self.inner, self.conditions = inner, conditions

    def __repr__(self) -> str:
        return clip_line(f"{self.inner!r}{''.join(one.source for one in self.conditions)}", ")")

    def restrict(self, condition: Condition) -> Restricted:
        """The part of it where one more condition holds."""
        return Restricted(self.inner, (*self.conditions, condition))

    def contains(self, value: Any) -> bool:
        """Whether a value of one argument is of the space, and all conditions hold."""
        return bool(self.inner.contains(value)) and all(c.is_met(value) for c in self.conditions)

    def describe(self, name: str) -> str:
        """A few words for people."""
        return f"{self.inner.describe(name)} ({'; '.join(c.words for c in self.conditions)})"


def _name(function: Callable[..., Any]) -> str:
    name = str(getattr(function, "__name__", type(function).__name__))
    place = relative(place_of_function(function))
    return f"the condition at {place}" if name == "<lambda>" and place else name


def _amount(by: Any) -> float:
    number = isinstance(by, int | float | np.number) and not isinstance(by, bool)
    if not number or not 0 <= by < np.inf:
        raise UsageError(f"by={by!r}; expected a distance, a number from 0")
    return float(by)


def _value(what: Any) -> np.ndarray:
    try:
        value = np.asarray(what, dtype=np.float64)
    except (TypeError, ValueError):
        value = np.array(np.nan)
    if isinstance(what, str) or not np.isfinite(value).all():
        raise UsageError(
            f"away_from({short(what)}); expected a finite number or an array of them, or a function"
            " of the argument that is 0 at what is to be left out"
        )
    return value


def _differs(value: np.ndarray, by: float, *args: Any) -> bool:
    gaps = [np.abs(np.asarray(x, dtype=np.float64) - value) for x in args]
    return any(bool(np.any(gap > by)) for gap in gaps) or not any(gap.size for gap in gaps)


def _far(function: Callable[..., Any], by: float, *args: Any) -> Any:
    values = function(*args)
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise UsageError(
            f"away_from: the function returned {short(values)}; expected numbers that are 0 at "
            "what is to be left out; a condition that is True or False goes to .where(...)"
        )
    return np.abs(array) > by
