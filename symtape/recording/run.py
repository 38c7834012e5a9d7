"""One run of a user's function on a tape of its own: arguments lifted, results lowered."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Final, NoReturn

import numpy as np

from symtape.errors import Escaped, NotOnTape, NotTraceable
from symtape.primitives.arithmetic import POSITIVE
from symtape.primitives.shape import EXTENDED, is_extended
from symtape.recording.finished import FINISHED
from symtape.recording.gradient_arguments import ones_of
from symtape.recording.refusals import KEPT, STATE, TEXT, refusal
from symtape.recording.stack import ELSEWHERE, STACK
from symtape.recording.structure import flatten, pack
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, apply, check_plain, tensor_of

Argnums = int | Sequence[int]

_FLOATING: Final = frozenset("efd")
_PLAIN_LEAVES: Final = frozenset((np.ndarray, np.float64, float))


LEAVING: Final[ContextVar[bool]] = ContextVar("values may leave", default=False)
"""Whether values may leave, since it is known that none of them comes back."""


class _Tape(GradientTape):
    """Refuses that a value leaves, for a transform's user sees no None in the result."""

    __slots__ = ("_escaped", "_met", "branches", "wrote")

    def __init__(self, persistent: bool, sources: Sequence[Tensor]) -> None:
        super().__init__(persistent, watch_accessed_variables=False)
        self._ids.update([source._id for source in sources])
        self._first = sources[0]._id if sources else -math.inf
        self._met: set[int] | None = None
        self._escaped: list[Any] = []
        self.wrote = False
        self.branches = 0

    def escape(self, tensor: Tensor, how: str) -> None:
        if how == STATE or tensor.dtype.kind not in "fc" or LEAVING.get():
            return
        if self.traces(tensor):
            self._refuse(how)

    def write(self, tensor: Tensor) -> None:
        """Keep that a value was written as text, which may be read again."""
        self.wrote = self.wrote or self.traces(tensor)

    def steer(self, tensor: Tensor, outcome: bool) -> None:
        """Keep which branch was taken, as a sum over all of them."""
        self.branches = hash((self.branches, outcome))

    def meet_unwatched(self, tensor: Tensor) -> None:
        """Refuse what a call that is over computed of its own arguments."""
        met = self._met = self._met or set()
        if (
            tensor._id in met
            or tensor._id in self._ids
            or tensor.dtype.kind not in "fc"
            or not FINISHED.traced(tensor)
        ):
            return
        if any(recorder.traces(tensor) for recorder in STACK.recorders if recorder is not self):
            met.add(tensor._id)
            return
        self._refuse(KEPT)

    def _refuse(self, how: str) -> NoReturn:
        error = refusal(how)
        # The function may catch it, and go on with another value.
        self._escaped.append(error)
        raise error

    def escaped(self) -> list[Any]:
        return self._escaped


class Run:
    """One run of `function` on a tape of its own.

    Parameters
    ----------
    function : callable
        The user's.
    args, kwargs
        What it is called with; those of `argnums` as tensors the tape watches.
    argnums : int or sequence of int
        By which positional arguments to differentiate.
    has_aux : bool
        The function returns a pair, whose second part is not differentiated.
    several : bool
        The function may return nested outputs.
    lasting : bool
        Its tensors are of use after it, so that they are not refused in later runs.

    Attributes
    ----------
    output : Tensor
        What the function returned; the first of `outputs`.
    sources : list of Tensor
        The leaves of the arguments to differentiate by.
    """

    __slots__ = (
        "args",
        "aux",
        "output",
        "outputs",
        "plain",
        "returned",
        "sources",
        "tape",
        "within",
    )

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        argnums: Argnums,
        has_aux: bool = False,
        several: bool = False,
        lasting: bool = False,
    ) -> None:
        self.plain = not _has_tensor(args)
        self.args = list(args)
        self.sources: list[Tensor] = []
        self.within: list[Any] = []
        for position in _positions(function, argnums, len(args)):
            self._lift(position)
        self.tape = tape = _Tape(several, self.sources)
        with tape:
            try:
                output = function(*self.args, **kwargs)
            except Exception as error:
                if self.sources:
                    FINISHED.add_span(self.sources[0]._id)
                # NumPy says of it that it is no number.
                if tape._escaped and not isinstance(error, Escaped):
                    raise tape._escaped[0] from error
                if tape.wrote and isinstance(error, ValueError) and "symtape." in str(error):
                    raise refusal(TEXT) from error
                raise
            if tape._escaped:
                raise tape._escaped[0]
            if type(output) is Tensor and output._id < tape._first:
                tape.meet_unwatched(output)
        if not lasting and self.sources:
            FINISHED.add_span(self.sources[0]._id)
        self.aux: Any = None
        if has_aux:
            output, self.aux = self._split_aux(function, output)
        self.returned = output
        if several:
            self.outputs = [_as_output(function, leaf) for leaf in flatten(output)]
        else:
            self.output = output if _is_plain_float(output) else _as_output(function, output)

    def _lift(self, position: int) -> None:
        arg = self.args[position]
        if type(arg) in _PLAIN_LEAVES or _is_leaf(arg):
            source = _source(arg, position)
            self.sources.append(source)
            self.within.append(None)
            self.args[position] = source
        else:
            leaves = [_source(leaf, position) for leaf in flatten(arg)]
            self.sources.extend(leaves)
            self.within.append(arg)
            self.args[position] = pack(arg, iter(leaves))

    def _split_aux(self, function: Callable[..., Any], output: Any) -> tuple[Any, Any]:
        if not (isinstance(output, tuple) and len(output) == 2):
            raise NotTraceable(
                f"has_aux=True, but {_name(function)} returned {type(output).__name__}; expected "
                "a pair (output, aux)"
            )
        output, aux = output
        leaves = [self.lowered(x) if isinstance(x, Tensor) else x for x in flatten(aux)]
        return output, pack(aux, iter(leaves))

    def gradient(self) -> list[Any]:
        """One reverse sweep from the output; a cotangent for each source."""
        return self.tape.pull_back(self.output, ones_of(self.output), self.sources)

    def lowered(self, result: Any) -> Any:
        """`result` as the caller shall have it: plain, unless someone outside follows it."""
        if not isinstance(result, Tensor):
            if not self.plain:
                return tensor_of(result)
            # An array without axes comes out of some rules; NumPy itself gives numbers.
            return result if type(result) is not np.ndarray or result.ndim else result[()]
        if self.plain and not (len(ELSEWHERE) and STACK.traces(result)):
            return result._value
        return result

    def lower(self, results: list[Any], argnums: Argnums) -> Any:
        """One result for each source, in the structure of the arguments."""
        results = [self.lowered(result) for result in results]
        if type(results[0] if results else None) is not np.float64:
            results = self._owned(results)
        if type(argnums) is int and self.within[0] is None:
            return results[0]
        leaves = iter(results)
        packed = [next(leaves) if s is None else pack(s, leaves) for s in self.within]
        return packed[0] if isinstance(argnums, int) else tuple(packed)

    def _owned(self, results: list[Any]) -> list[Any]:
        """Plain results as arrays that the caller may write into without changing another."""
        if len(results) == 1 and type(results[0]) is np.ndarray and results[0].base is None:
            return results if results[0] is not self.sources[0]._value else [results[0].copy()]
        taken = {_root(source._value) for source in self.sources}
        owned = []
        for result in results:
            if type(result) is np.ndarray:
                if not result.flags.writeable or _root(result) in taken:
                    result = result.copy()
                taken.add(_root(result))
            owned.append(result)
        return owned


def _root(array: Any) -> int:
    while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
        array = array.base
    return id(array)


def checked_argnums(argnums: Any) -> Argnums:
    """`argnums` as an int or a tuple of ints.

    Raises
    ------
    TypeError
        It is neither.
    """
    try:
        if isinstance(argnums, list | tuple):
            return tuple(operator.index(position) for position in argnums)
        return operator.index(argnums)
    except TypeError:
        raise TypeError(
            f"argnums={argnums!r}; expected an int, or a tuple of ints: positions of arguments"
        ) from None


def _positions(function: Callable[..., Any], argnums: Argnums, count: int) -> Sequence[int]:
    if type(argnums) is int and 0 <= argnums < count:
        return (argnums,)
    wanted = (argnums,) if isinstance(argnums, int) else argnums
    for position in wanted:
        if not -count <= position < count:
            raise TypeError(
                f"argnums={argnums!r}, but {_name(function)} was called with {count} positional "
                "arguments; arguments to differentiate by must be given by position"
            )
    positions = [position % count for position in wanted]
    if len(positions) > 1 and len(set(positions)) < len(positions):
        raise ValueError(f"argnums={argnums!r} names an argument twice; name each once")
    return positions


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _has_tensor(args: Any) -> bool:
    for arg in args:
        if type(arg) in _PLAIN_LEAVES:
            continue
        if isinstance(arg, Tensor):
            return True
        if isinstance(arg, list | tuple | dict) and _has_tensor(flatten(arg)):
            return True
    return False


def _is_leaf(arg: Any) -> bool:
    if isinstance(arg, Tensor | np.ndarray | np.generic | float | int | complex):
        return True
    if isinstance(arg, list | tuple):
        return not any(isinstance(leaf, Tensor | np.ndarray) for leaf in flatten(arg)) and not any(
            isinstance(item, dict) for item in arg
        )
    return not isinstance(arg, dict)


def _source(arg: Any, position: int) -> Tensor:
    if isinstance(arg, Tensor):
        # An identity of its own: f(x, x) has to tell its arguments apart.
        own: Tensor = apply(POSITIVE, (arg,), {})
        _check_floating(own._value, position)
        return own
    if type(arg) is np.float64:
        return tensor_of(arg)
    if type(arg) is np.ndarray:
        value = arg
    else:
        check_plain(arg)
        value = np.asarray(arg)
    if value.dtype.char not in _FLOATING:
        _check_floating(value, position)
    return tensor_of(value)


def _check_floating(value: Any, position: int) -> None:
    if is_extended(value.dtype):
        words = f"argument {position}: {EXTENDED.format(value.dtype)}"
        raise NotOnTape(words, code="dtype:longdouble")
    if value.dtype.kind != "f":
        raise NotOnTape(
            f"argument {position} has dtype {value.dtype}: {str(value)[:60]}; derivatives are "
            "taken by real floating-point inputs, pass 3.0 rather than 3, or x.astype(float)",
            code="dtype:argument",
        )


def _is_plain_float(output: Any) -> bool:
    return type(output) is Tensor and output._value.dtype.kind == "f"


def _as_output(function: Callable[..., Any], output: Any) -> Tensor:
    """What a function returned, as a tensor of floats; plain and whole numbers are constants."""
    value = output._value if isinstance(output, Tensor) else output
    if isinstance(value, np.ndarray | np.generic | float | int):
        array = np.asarray(value)
        if array.dtype.kind == "f":
            return output._read() if isinstance(output, Tensor) else tensor_of(array)
        if array.dtype.kind in "biu":
            return tensor_of(array.astype(np.float64))
    hint = "; is a 'return' missing?" if output is None else ""
    if isinstance(output, list | tuple):
        hint = "; join several outputs with np.stack or np.concatenate"
    raise NotTraceable(
        f"{_name(function)} returned {output!r} ({type(output).__name__}); "
        f"expected a real number or an array of them{hint}",
        code="return",
    )
