"""Functions of plain NumPy code, read so that what they make, convert and write is recorded.

A function is run as it stands first, and that costs nothing. Where a value leaves, its twin is run
(:mod:`symtape.reading.reader`). What was recorded then is compared by value with what NumPy
computes, since the code has met other functions than it names.

What a few ulps of the arguments cost: so much may another order of roundings cost as well.
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Final

import numpy as np

from symtape.errors import (
    ArgumentWarning,
    Escaped,
    NotOnTape,
    NotTraceable,
    SymtapeError,
    Unsupported,
)
from symtape.reading.compared import KEPT, find_sequence, note_compared, was_compared
from symtape.reading.functions import (
    asks_types,
    code_of,
    makes_indices,
    needs_reading,
    reads_inside,
)
from symtape.recording.in_place import Buffer, lift_tensors
from symtape.recording.inexact import INEXACT
from symtape.recording.nested import lower_buffers
from symtape.recording.stack import call_observed
from symtape.recording.structure import flatten, is_tree, pack
from symtape.recording.tensor import Tensor, value_of

_MOST: Final = 16
"""How much more than a few ulps of the arguments another order of roundings may cost."""


_TIMES: Final = 3
"""How often the arguments are moved: a result may be the same by chance."""


def nudge_value(x: Any, moves: np.random.Generator) -> Any:
    """The value of a tensor with every number a few ulps away; all else as it is.

    Each number goes its own way: a straight line that is scaled is a straight line still.
    """
    if not isinstance(x, Tensor):
        return x
    value = x._value
    if value.dtype.kind != "f":
        return value
    return value * (1 + np.finfo(value.dtype).eps * moves.uniform(-4, 4, value.shape))


def are_roundings(
    found: Any, computed: Any, call_nearby: Callable[[np.random.Generator], Any]
) -> bool:
    """Whether results differ by no more than those of arguments that are a few ulps apart.

    Of the residual of a fit no digit is the same in another order of the operations.
    """
    moves = np.random.default_rng(0)
    results = [found, computed, *(call_nearby(moves) for _ in range(_TIMES))]
    ours, theirs, *others = ([value_of(x) for x in flatten(result)] for result in results)
    shapes = [x.shape for x in theirs]
    if any([x.shape for x in each] != shapes for each in (ours, *others)):
        return False
    return all(
        bool(np.all(np.abs(x - y) <= _MOST * max(_distance(z, y) for z in near)))
        for x, y, *near in zip(ours, theirs, *others, strict=True)
    )


def _distance(x: Any, y: Any) -> Any:
    return np.max(np.abs(x - y), initial=0.0)


Function = Callable[..., Any]

_WORKED: Final = -512
"""How often in vain reading was where it worked once: it may fail at many points afterwards."""

_MOST_FAILED: Final = 3
"""Points at which one judge reads a function in vain."""


def readings(function: Function) -> list[Function]:
    """The function as it is read; nothing where it reads by itself, or was read in vain."""
    in_vain = reads_inside(function) or is_in_vain(function)
    return [] if in_vain else [Reading(function)]


def ways_to_run(function: Function) -> Iterator[Function]:
    """A function as it stands, if it may be run so, and as it is read; the likelier first."""
    found = readings(function)
    if not needs_reading(function) and not makes_indices(function):
        yield function
        yield from found
        return
    yield from found
    if not (found and asks_types(function)):
        yield function


@dataclass(slots=True)
class _JudgedFunctions:
    """What is known of the functions that one judge has read, and nobody else ever sees."""

    in_vain: dict[CodeType, int] = field(default_factory=dict)
    """How often reading code was in vain; far below 0 where it worked once."""


_JUDGED: Final[ContextVar[_JudgedFunctions | None]] = ContextVar(
    "what one judge has read", default=None
)


@contextlib.contextmanager
def remember_failures() -> Iterator[None]:
    """Give up, until the end, to read functions for which that was in vain at some points.

    Writes into arguments are not warned of in it: whoever judges says so in the verdict.
    """
    token = _JUDGED.set(_JudgedFunctions())
    try:
        yield
    finally:
        _JUDGED.reset(token)


def note(function: Function, worked: bool) -> None:
    """Keep whether reading a function was of use, where one judge asks for it at many points."""
    known, code = _JUDGED.get(), code_of(function)
    if known is not None and code is not None:
        failed = known.in_vain.get(code, 0)
        known.in_vain[code] = _WORKED if worked else failed + 1


def choose_error(first: Exception | None, later: Exception) -> Exception:
    """Of the errors of two ways to read a function, the one that says what stops both."""
    if first is None:
        return later
    told = isinstance(later, Escaped | NotOnTape | Unsupported)
    return later if told and isinstance(first, SymtapeError) else first


def is_in_vain(function: Function) -> bool:
    """Whether the judge who asks has read `function` in vain before."""
    known, code = _JUDGED.get(), code_of(function)
    return known is not None and code is not None and known.in_vain.get(code, 0) >= _MOST_FAILED


class Reading:
    """`function` as it is recorded, by its twin.

    Parameters
    ----------
    function : callable

    Attributes
    ----------
    own_error : Exception or None
        What the function raised, and raises of plain arrays as well.

    Examples
    --------
    >>> from symtape.recording.tensor import constant
    >>> def f(x):
    ...     y = np.zeros(2)
    ...     y[1] = x[0] ** 2
    ...     return y
    >>> Reading(f)(constant([3.0, 4.0]))
    <symtape.Tensor: shape=(2,), dtype=float64, numpy=array([0., 9.])>
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.own_error: Exception | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """What the function computes of tensors.

        Raises
        ------
        NotTraceable
            Something else comes out than NumPy computes.
        """
        errors: list[float] = []
        kept: list[Any] = []
        tokens = INEXACT.set(errors), KEPT.set(kept)
        try:
            found = self._read(arguments, keywords)
        except SymtapeError:
            raise
        except Exception as error:  # users' code
            if self._raises(arguments, keywords):
                self.own_error = error
            raise
        finally:
            INEXACT.reset(tokens[0])
            KEPT.reset(tokens[1])
        sequence = find_sequence() if not kept and _JUDGED.get() is None else None
        if sequence is not None and was_compared(self.function, sequence):
            return found
        self._compare(found, errors, arguments, keywords)
        if sequence is not None:
            note_compared(self.function, sequence)
        return found

    def _compare(
        self,
        found: Any,
        errors: list[float],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> None:
        """Refuse what is not what the function computes of plain arrays."""
        plain = map(_plain, arguments)
        named = {name: _plain(x) for name, x in keywords.items()}
        computed = call_observed(self.function, *plain, **named)
        same = same_values(found, computed, max([1e-6, *errors]))
        nearby = functools.partial(self._call_nearby, arguments, keywords)
        if not same and not are_roundings(found, computed, nearby):
            raise NotTraceable(
                f"recorded, the code takes another way than with plain arrays: it gives {found!r} "
                f"in place of {computed!r}",
                code="branch:types",
            )

    def _read(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        # It is long to load, and most functions are run as they stand.
        from symtape.reading.reader import read

        given = [_map_leaves(lift_tensors, x) for x in arguments]
        named = {name: _map_leaves(lift_tensors, x) for name, x in keywords.items()}
        found = _map_leaves(lower_buffers, read(self.function, *given, **named))
        if _JUDGED.get() is None:
            _warn_of_writes(self.function, given)
        return found

    def _call_nearby(
        self,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        moves: np.random.Generator,
    ) -> Any:
        nudge = functools.partial(nudge_value, moves=moves)
        return self.function(*(_map_leaves(nudge, x) for x in arguments), **_plain(keywords))

    def _raises(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
        try:
            self.function(*map(_plain, arguments), **_plain(keywords))
        except Exception:  # noqa: BLE001  # users' code
            return True
        return False


def _map_leaves(change: Callable[[Any], Any], x: Any) -> Any:
    """`x` with `change` made to its leaves."""
    if isinstance(x, Tensor | np.ndarray) or not is_tree(x):
        return change(x)
    return pack(x, map(change, flatten(x)))


def _plain(x: Any) -> Any:
    return _map_leaves(_plain_leaf, x)


def _plain_leaf(x: Any) -> Any:
    if not isinstance(x, Tensor):
        return x
    return x._value.copy() if isinstance(x._value, np.ndarray) else x._value


def _warn_of_writes(function: Function, given: list[Any]) -> None:
    for number, x in enumerate(given):
        if any(isinstance(leaf, Buffer) and leaf.is_written for leaf in flatten(x)):
            code = code_of(function)
            file, line = (code.co_filename, code.co_firstlineno) if code else ("<unknown>", 0)
            warnings.warn_explicit(
                f"the function writes into its argument {number}, and so changes it for its "
                "caller; here it worked on a copy. Let it take one itself, as in x = x.copy()",
                ArgumentWarning,
                file,
                line,
            )


def same_values(found: Any, computed: Any, off: float = 1e-6) -> bool:
    """Whether what was recorded is what NumPy computes, but for roundings, and `off` relatively."""
    ours, theirs = (
        [np.asarray(_plain(leaf)) for leaf in flatten(result)] for result in (found, computed)
    )
    if [x.shape for x in ours] != [x.shape for x in theirs]:
        return False
    return all(
        _are_alike(x, y, off) if y.dtype.kind in "fc" else np.array_equal(x, y)
        for x, y in zip(ours, theirs, strict=True)
    )


def _are_alike(x: Any, y: Any, off: float) -> bool:
    if np.array_equal(x, y):
        return True
    near = max(off, 64 * float(np.finfo(y.dtype).eps))
    if np.isfinite(y).all():
        allowed = near * np.abs(y)
        return bool((np.abs(x - y) <= allowed + allowed.max()).all())
    scale = np.max(np.abs(y), initial=0.0, where=np.isfinite(y))
    return np.allclose(x, y, rtol=near, atol=near * scale, equal_nan=True)
