"""One run of a user's function on a tape of its own: arguments lifted, results lowered."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any, Final, NoReturn

import numpy as np

from symtape.errors import Escaped, NotOnTape, NotTraceable
from symtape.one_line import clip_line
from symtape.primitives.arithmetic import POSITIVE
from symtape.primitives.primitive import Primitive, check_width
from symtape.recording.complex_numbers import CONJUGATE, Convention
from symtape.recording.edges import ones_of
from symtape.recording.for_programs import UnmadeOutput
from symtape.recording.misfits import check_function, quote
from symtape.recording.refusals import KEPT, STATE, TEXT, refusal, warn_of_equality
from symtape.recording.solvers import ITERATION, is_deciding
from symtape.recording.stack import ELSEWHERE, FINISHED, STACK, call_observed
from symtape.recording.structure import Tree, flatten, is_number, is_tree, pack
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, apply, check_plain, tensor_of

Key = int | str
"""A position of an argument, or its name where it is given by keyword."""

Argnums = Key | Sequence[Key]

_FLOATING: Final = frozenset("efd")
_PLAIN_LEAVES: Final = frozenset((np.ndarray, np.float64, float))
_FIRST: Final = list(range(32))
"""The commonest positions: those of the first arguments, in their order."""

_EQUALITIES: Final = frozenset(("==", "!="))
_NUMBERS: Final = (Tensor, np.ndarray, np.generic, int, float, complex)


LEAVING: Final[ContextVar[bool]] = ContextVar("values may leave", default=False)
"""Whether values may leave, since it is known that none of them comes back."""


class RunTape(GradientTape):
    """Refuses that a value leaves, for a transform's user sees no None in the result."""

    __slots__ = ("_escaped", "_may_leave", "_met", "found_equal", "wrote")

    def __init__(self, persistent: bool, sources: Sequence[Tensor]) -> None:
        super().__init__(persistent, watch_accessed_variables=False)
        self._ids.update([source._id for source in sources])
        self._first = sources[0]._id if sources else -math.inf
        self._met: set[int] | None = None
        self._escaped: list[Any] = []
        self._may_leave = LEAVING.get()
        self.wrote: Escaped | None = None
        self.found_equal = False

    def escape(self, tensor: Tensor, how: str) -> None:
        """Refuse that a value leaves, which may come back."""
        if how == STATE or tensor.dtype.kind not in "fc" or self._may_leave:
            return
        if self.traces(tensor):
            self._refuse(how)

    def write(self, tensor: Tensor) -> None:
        """Keep that a value was written as text, which may be read again."""
        if self.wrote is None and self.traces(tensor):
            self.wrote = refusal(TEXT)

    def steer(self, tensor: Tensor, outcome: bool) -> None:
        """Refuse that iterations of a solver are followed."""
        if is_deciding() and not self._may_leave:
            self._refuse(ITERATION)

    def meet_cut(self, primitive: Primitive, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep that what depends on a source was found equal to what does not."""
        if not primitive.compares:
            return
        one, other = inputs
        is_first = self.traces(one)
        if is_first != self.traces(other):
            followed = one if is_first else other
            if not self.found_equal:
                self.found_equal = is_found_equal(primitive, output._value, followed._value)
            equal = _equal_entries(primitive, output._value)
            if equal is not False and np.any(equal):
                warn_of_equality()

    def meet_unwatched(self, tensor: Tensor) -> None:
        """Refuse what a call that is over computed of its own arguments."""
        met = self._met = self._met or set()
        if (
            tensor._id in met
            or tensor._id in self._ids
            or tensor.dtype.kind not in "fc"
            or not FINISHED.has_traced(tensor)
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
        """What was refused."""
        return self._escaped


class Run:
    """One run of `function` on a tape of its own.

    Parameters
    ----------
    function : callable
        The user's.
    args, kwargs
        What it is called with; those of `argnums` as tensors the tape watches.
    argnums : int, str, or sequence of them
        By which arguments to differentiate: positions, or names.
    has_aux : bool
        The function returns a pair, whose second part is not differentiated.
    several : bool
        The function may return nested outputs.
    lasting : bool
        Its tensors are of use after it, so that they are not refused in later runs.
    kind : type of RunTape
        Of the tape.

    Attributes
    ----------
    output : Tensor
        What the function returned, if that is a single one.
    outputs : list of Tensor
        The leaves of what it returned.
    sources : list of Tensor
        The leaves of the arguments to differentiate by.
    within : list of Tree or None
        The structure of each of these arguments; None of one that is a leaf itself.
    returned : Tree or None
        The structure of `outputs`, where the function returned no single one.
    """

    __slots__ = (
        "args",
        "aux",
        "kwargs",
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
        kind: type[RunTape] = RunTape,
    ) -> None:
        self.plain = not _has_tensor(args) and not (kwargs and _has_tensor(kwargs.values()))
        self.args, self.kwargs = list(args), kwargs
        self.sources: list[Tensor] = []
        self.within: list[Tree | None] = []
        if type(argnums) is int and 0 <= argnums < len(args):
            self.args[argnums] = self._lift_argument(args[argnums], argnums)
        else:
            self._lift_all(function, argnums)
        self.tape = tape = kind(False, self.sources)
        try:
            output = self._record_call(function, tape)
        finally:
            if tape._on_stack:  # an interrupt came before the other end of it
                tape._pop()
        if tape._escaped:
            raise tape._escaped[0]
        if type(output) is Tensor and output._id < tape._first:
            tape.meet_unwatched(output)
        if not lasting and self.sources:
            FINISHED.add_span(self.sources[0]._id)
        self.aux: Any = None
        if has_aux:
            output, self.aux = self._split_aux(function, output)
        self.returned: Tree | None = None
        if several and not _is_plain_float(output) and is_tree(output):
            self._take_outputs(function, output)
        else:
            self.output = output if _is_plain_float(output) else _to_output(function, output)
            self.outputs = [self.output]

    def _take_outputs(self, function: Callable[..., Any], output: Any) -> None:
        leaves = flatten(output)
        numbers = [leaf for leaf in leaves if isinstance(leaf, _NUMBERS)]
        if leaves and not numbers:
            _to_output(function, output)
        self.returned = Tree(output, [isinstance(leaf, _NUMBERS) for leaf in leaves])
        self.outputs = [_to_output(function, leaf) for leaf in numbers]
        # Each of them is asked.
        self.tape._persistent = True

    def pack_results(self, results: list[Any]) -> Any:
        """One result for each output, in the structure of what the function returned."""
        return results[0] if self.returned is None else self.returned.fill(iter(results))

    def lowered_outputs(self) -> Any:
        """What the function returned, as the caller shall have it, in arrays of his own."""
        parts = [self.lower_result(output) for output in self.outputs]
        parts = [part.copy() if type(part) is np.ndarray else part for part in parts]
        return parts[0] if self.returned is None else self.returned.replace_numbers(iter(parts))

    def cotangents(self, given: Any) -> list[Any]:
        """One part of `given` for each output, of a structure like that of the outputs."""
        return [given] if self.returned is None else self.returned.take_parts(given)

    def _lift_all(self, function: Callable[..., Any], argnums: Argnums) -> None:
        keys, defaults = positions(function, argnums, self.args, self.kwargs)
        if defaults:
            self.kwargs = self.kwargs | defaults
        for key in keys:
            given: Any = self.args if type(key) is int else self.kwargs
            given[key] = self._lift_argument(given[key], key)

    def _lift_argument(self, arg: Any, key: Key) -> Any:
        if type(arg) in _PLAIN_LEAVES or not is_tree(arg):
            source = _source(arg, key)
            self.sources.append(source)
            self.within.append(None)
            return source
        leaves = flatten(arg)
        moves = find_moving_leaves(arg, leaves, key)
        parts = [
            _source(float(leaf) if isinstance(leaf, int) else leaf, key) if moving else leaf
            for leaf, moving in zip(leaves, moves, strict=True)
        ]
        self.sources += [part for part, moving in zip(parts, moves, strict=True) if moving]
        self.within.append(Tree(arg, moves))
        return pack(arg, iter(parts))

    def _record_call(self, function: Callable[..., Any], tape: RunTape) -> Any:
        """What a function returns while the tape records it."""
        try:
            tape._push()
            return call_observed(function, *self.args, **self.kwargs)
        except Exception as error:  # users' code
            if self.sources:
                FINISHED.add_span(self.sources[0]._id)
            # NumPy says of it that it is no number.
            if tape._escaped and not isinstance(error, Escaped):
                raise tape._escaped[0] from error
            if tape.wrote and isinstance(error, ValueError) and "symtape." in str(error):
                raise tape.wrote from error
            raise
        finally:
            tape._pop()

    def _split_aux(self, function: Callable[..., Any], output: Any) -> tuple[Any, Any]:
        if not (isinstance(output, tuple) and len(output) == 2):
            raise NotTraceable(
                f"has_aux=True, but {_name(function)} returned {type(output).__name__}; expected "
                "a pair (output, aux)"
            )
        output, aux = output
        leaves = [self.lower_result(x) if isinstance(x, Tensor) else x for x in flatten(aux)]
        return output, pack(aux, iter(leaves))

    def gradient(self, convention: Convention = CONJUGATE) -> list[Any]:
        """One reverse sweep from the output; a gradient by each source."""
        return self.tape.pull_back(self.output, ones_of(self.output), self.sources, convention)

    def lower_result(self, result: Any) -> Any:
        """`result` as the caller shall have it: plain, unless someone outside follows it."""
        if not isinstance(result, Tensor):
            if not self.plain:
                return result if type(result) is UnmadeOutput else tensor_of(result)
            # An array without axes comes out of some rules; NumPy itself gives numbers.
            return result if type(result) is not np.ndarray or result.ndim else result[()]
        if self.plain and not (len(ELSEWHERE) and STACK.traces(result)):
            return result._value
        return result

    def lower(self, results: list[Any], argnums: Argnums) -> Any:
        """One result for each source, in the structure of the arguments."""
        results = [self.lower_result(result) for result in results]
        if type(results[0] if results else None) is not np.float64:
            results = self._copy_shared(results)
        alone = type(argnums) is int or type(argnums) is str
        if alone and self.within[0] is None:
            return results[0]
        leaves = iter(results)
        packed = [next(leaves) if tree is None else tree.fill(leaves) for tree in self.within]
        return packed[0] if alone else tuple(packed)

    def _copy_shared(self, results: list[Any]) -> list[Any]:
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


def is_found_equal(comparison: Primitive, answer: Any, followed: Any) -> bool:
    """Whether what is followed was found to be what is not, as in ``x == self.last_x``."""
    equal = _equal_entries(comparison, answer)
    if equal is not False and np.all(equal):
        return True
    if not isinstance(followed, np.ndarray):
        return not followed
    # Most arrays begin with another number than 0, which spares a look at the rest.
    return not (followed.size and followed.item(0)) and not followed.any()


def _equal_entries(comparison: Primitive, answer: Any) -> Any:
    """Where a comparison found its two sides equal; False of one that asks for order."""
    sign = comparison.decision
    return sign in _EQUALITIES and answer == (sign == "==")


def _root(array: Any) -> int:
    while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
        array = array.base
    return id(array)


def checked_argnums(argnums: Any, function: Any) -> Argnums:
    """`argnums` as a position or a name, or a tuple of them, of what is a function.

    Raises
    ------
    TypeError
        It is neither, or there is no function.
    """
    check_function(function)
    try:
        if isinstance(argnums, list | tuple):
            return tuple(map(_key, argnums))
        return _key(argnums)
    except TypeError:
        raise TypeError(
            f"argnums={argnums!r}; expected an int, or a tuple of ints: positions of arguments; "
            "or the names of parameters"
        ) from None


def _key(given: Any) -> Key:
    if isinstance(given, str) and given.isidentifier():
        return str(given)
    return int(operator.index(given))


def positions(
    function: Callable[..., Any], argnums: Argnums, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[list[Key], dict[str, Any]]:
    """Where the arguments are that `argnums` means: positions, and names of keywords.

    With the defaults of those that are named and not given.
    """
    alone = type(argnums) is int or type(argnums) is str
    wanted: Any = (argnums,) if alone else argnums
    if not alone and wanted and list(wanted) == _FIRST[: len(wanted)] and len(wanted) <= len(args):
        return list(wanted), {}
    found: list[Key] = []
    defaults: dict[str, Any] = {}
    for key in wanted:
        if type(key) is str:
            key = _place_of(function, key, args, kwargs, defaults)
        elif not -len(args) <= key < len(args):
            raise TypeError(
                f"argnums={argnums!r}, but {_name(function)} was called with {len(args)} "
                "positional arguments; arguments to differentiate by are given by position, or "
                "named, as in argnums='x'"
            )
        found.append(key if type(key) is str else key % len(args))
    if len(found) > 1 and len(set(found)) < len(found):
        raise ValueError(f"argnums={argnums!r} names an argument twice; name each once")
    return found, defaults


def _place_of(
    function: Callable[..., Any],
    name: str,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    defaults: dict[str, Any],
) -> Key:
    if name in kwargs:
        return name
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        parameters = {}  # type: ignore[assignment]
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    by_position = [p.name for p in parameters.values() if p.kind in positional]
    if name in by_position[: len(args)]:
        return by_position.index(name)
    if name in parameters and parameters[name].default is not inspect.Parameter.empty:
        defaults[name] = parameters[name].default
        return name
    raise TypeError(
        f"argnums={name!r}, but {_name(function)} was given no argument of that name; "
        f"its parameters are {', '.join(parameters) or 'not known'}"
    )


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _has_tensor(args: Iterable[Any]) -> bool:
    for arg in args:
        if type(arg) in _PLAIN_LEAVES:
            continue
        if isinstance(arg, Tensor):
            return True
        if any(isinstance(leaf, Tensor) for leaf in flatten(arg)):
            return True
    return False


def is_number_list(arg: Any) -> bool:
    """Whether `arg` is a list or tuple of plain numbers, floats among them, and of such lists.

    Examples
    --------
    >>> is_number_list([1.0, 2]), is_number_list([1, 2]), is_number_list([np.ones(2)])
    (True, False, False)
    """
    return type(arg) in (list, tuple) and _is_of_numbers(arg) and any(map(is_number, flatten(arg)))


def _is_of_numbers(x: Any) -> bool:
    if type(x) in (list, tuple):
        return all(map(_is_of_numbers, x))
    return isinstance(x, float | int | np.number) and not isinstance(x, bool)


def find_moving_leaves(arg: Any, leaves: list[Any], key: Key) -> list[bool]:
    """Which leaves of an argument are differentiated by; of a list of numbers whole ones, too.

    Raises
    ------
    NotOnTape
        None of them is a number.
    """
    if is_number_list(arg):
        return [True] * len(leaves)
    found = [is_number(leaf) for leaf in leaves]
    if leaves and not any(found):
        try:
            array = np.asarray(arg)
        except ValueError:
            array = np.asarray(None)
        _check_floating(array, key)
    return found


def _source(arg: Any, position: Key) -> Tensor:
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
        check_plain(arg, f"argument {position}: ")
        value = np.asarray(arg)
    if value.dtype.char not in _FLOATING:
        _check_floating(value, position)
    return tensor_of(value)


def _check_floating(value: Any, position: Key) -> None:
    check_width(value.dtype, f"argument {position}: ")
    if value.dtype.kind not in "fc":
        text = quote(value.tolist()) if value.dtype.kind in "OSU" else str(value)[:60]
        raise NotOnTape(
            f"argument {position} has dtype {value.dtype}: {text}; derivatives are "
            "taken by floating-point inputs, pass 3.0 rather than 3, or x.astype(float)",
            code="dtype:argument",
        )


def _is_plain_float(output: Any) -> bool:
    return type(output) is Tensor and output._value.dtype.kind == "f"


def _to_output(function: Callable[..., Any], output: Any) -> Tensor:
    """What a function returned, as a tensor of floats; plain and whole numbers are constants."""
    value = output._value if isinstance(output, Tensor) else output
    if isinstance(value, np.ndarray | np.generic | float | int | complex):
        array = np.asarray(value)
        if array.dtype.kind in "fc":
            return output._read() if isinstance(output, Tensor) else tensor_of(array)
        if array.dtype.kind in "iu":
            return tensor_of(array.astype(np.float64))
    hint = "; is a 'return' missing?" if output is None else ""
    if isinstance(output, list | tuple):
        hint = "; join several outputs with np.stack or np.concatenate"
    if getattr(value, "dtype", type(value)) in (bool, np.bool_):
        hint = "; a truth value has no derivative, return it beside the output, by has_aux=True"
    raise NotTraceable(
        f"{_name(function)} returned {clip_line(repr(output))} ({type(output).__name__}); "
        f"expected a number or an array of them{hint}",
        code="return",
    )
