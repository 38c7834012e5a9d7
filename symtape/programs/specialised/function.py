"""``symtape.compile`` and ``symtape.jit``: a function that runs as programs, made when needed."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final, Generic, ParamSpec, TypeVar, overload

from symtape.graph.fidelity import ERRORS_OF_REPLAYS
from symtape.primitives.primitive import is_stand_in
from symtape.programs.compiled.program import BACKENDS, Program
from symtape.programs.specialised.arguments import (
    ReturnedStructure,
    plain_key,
    taken_apart,
    to_contiguous,
    without_values,
)
from symtape.programs.specialised.likeness import Likeness
from symtape.programs.specialised.reads import Reads
from symtape.programs.specialised.recording import Call, GoesOn, record_stable
from symtape.recording.inside import call_inside
from symtape.recording.misfits import check_function
from symtape.recording.stack import STACK
from symtape.recording.structure import flatten
from symtape.transforms import gradients


@dataclass(frozen=True, slots=True)
class Remaker:
    """A derivative as the transform, and what it was given.

    Examples
    --------
    >>> import symtape, math
    >>> made = remaker(symtape.grad(abs))
    >>> made.transform, made.function, made.remake()(2.0)
    ('grad', <built-in function abs>, np.float64(1.0))
    """

    transform: str
    function: Any
    options: tuple[tuple[str, Any], ...]

    def remake(self) -> Callable[..., Any]:
        """The derivative."""
        function = self.function
        inner = function.remake() if isinstance(function, Remaker) else function
        made: Callable[..., Any] = getattr(gradients, self.transform)(inner, **dict(self.options))
        return made


def remaker(function: Any) -> Any:
    """What makes a derivative again; any other function as it is."""
    if not isinstance(function, FunctionType):
        return function
    if function.__globals__.get("__name__") != gradients.__name__:
        return function
    name = function.__code__.co_qualname.partition(".")[0]
    known = inspect.signature(getattr(gradients, name)).parameters
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    options = tuple(
        (key, cell.cell_contents) for key, cell in cells if key in known and key != "function"
    )
    return Remaker(name, remaker(function.__wrapped__), options)  # type: ignore[attr-defined]


def is_global(value: Any) -> bool:
    """Whether `value` is what its module has under its name, as of a decorated function."""
    found: Any = sys.modules.get(value.__module__)
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value


P = ParamSpec("P")
Y = TypeVar("Y")

MOST_PROGRAMS: Final = 64
"""Programs that a function keeps, if nothing else is said."""

_MOST_IN_VAIN: Final = 8
"""Programs in a row, each for a path or integers of its own, after which it is not worth making
another until one of them is met again.
"""

BACKEND: Final = "auto"
"""What makes code, if nothing else is said."""

_Made = tuple[Program, ReturnedStructure, Reads]
_Entered = tuple[Callable[..., Any], Callable[[Any], Any], Callable[[], bool]]


class CompiledFunction(Generic[P, Y]):
    """A function that runs as a program for the shapes, dtypes and path of its arguments.

    Made by :func:`compile` and :func:`jit`. What it returns are arrays of its own, which no later
    call changes. Of tensors it is recorded like the function, by the operations of its programs.

    Parameters
    ----------
    function : callable
        Plain NumPy code, or a derivative made by one of the transforms.
    programs : int
        How many are kept; of more, the oldest is dropped.
    backend : str, optional
        As in :func:`jit`.
    """

    def __init__(
        self,
        function: Callable[P, Y],
        programs: int = MOST_PROGRAMS,
        backend: str | None = None,
    ) -> None:
        function = function.remake() if isinstance(function, Remaker) else function
        check_function(function)
        if isinstance(programs, bool) or not isinstance(programs, int) or programs < 1:
            raise ValueError(f"programs={programs!r}: expected a number of programs to keep, 1 up")
        backend = BACKEND if backend is None else backend
        if backend not in ("auto", *BACKENDS):
            known = ", ".join(map(repr, ("auto", *BACKENDS)))
            raise ValueError(f"backend={backend!r}: expected one of {known}")
        functools.update_wrapper(self, function)
        self._function, self._most, self._backend = function, programs, backend
        self._made: OrderedDict[Hashable, list[_Made]] = OrderedDict()
        self._latest: _Entered | None = None
        self._in_vain: dict[Hashable, int] = {}
        self._recent: tuple[Likeness, Hashable] | None = None
        self._lock = threading.RLock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Y:
        """What the function returns.

        Raises
        ------
        Escaped
            A value leaves the computation; names the call and its line.
        TypeError
            There is no array or number of floats among the arguments.
        """
        latest = self._latest
        if latest is not None and not kwargs and not STACK.recorders:
            entry, of, same = latest
            if same():
                outputs = entry(*args)
                if outputs is not None:
                    return of(outputs)  # type: ignore[no-any-return]
        return self._dispatch(args, kwargs)

    def _dispatch(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Y:
        """As :meth:`__call__`, of any arguments."""
        if STACK.recorders:
            return self._call_recorded(args, kwargs)
        plain: Hashable = None if kwargs else plain_key(args)
        if plain is not None:
            key, given = plain, [to_contiguous(x) for x in args]
        else:
            found = self._take_apart(args, kwargs)
            if found is None:
                return self._call_recorded(args, kwargs)
            key, given = found
        failed: Exception | None = None
        for made in self._each_valid(key):
            program, returned, _ = made
            try:
                outputs = program.run(*given)
            except ERRORS_OF_REPLAYS as error:
                failed = error
                continue
            if outputs is not None:
                if plain is not None:
                    self._enter_at(made)
                self._put_first(key, made)
                if self._in_vain:
                    self._in_vain.pop(key, None)
                    self._in_vain.pop(without_values(key), None)
                return returned.fill(outputs)  # type: ignore[no-any-return]
        if failed is not None:
            return self._call_original(args, kwargs, failed)
        in_vain = (self._in_vain.get(each, 0) for each in (key, without_values(key)))
        if max(in_vain) >= _MOST_IN_VAIN:
            return self._function(*args, **kwargs)
        try:
            program, returned, _ = self._specialise(key, args, kwargs)
        except GoesOn:
            if not self._made.get(key):
                raise
            # Machine code leaves its program where NumPy's would have raised the error.
            return self._function(*args, **kwargs)
        outputs = program.run(*given)
        if outputs is None and program.run.backend != "numpy":
            # A decision depends on how its values are rounded: NumPy rounds as the recording did.
            program, returned, _ = self._specialise(key, args, kwargs, "numpy")
            outputs = program.run(*given)
        if outputs is None:
            # What it decides differs from one call to the next, as that of random numbers.
            raise RuntimeError(
                f"{self._name} does not take the path that it took a moment ago with the same "
                "arguments; what it decides by is to be an argument of it"
            )
        return returned.fill(outputs)  # type: ignore[no-any-return]

    def _take_apart(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Hashable, list[Any]] | None:
        """The key of arguments, and their numbers as programs take them; None with tensors."""
        if self._recent is not None:
            likeness, key = self._recent
            given = likeness.take_numbers(args, kwargs)
            if given is not None:
                return key, given
        if any(map(is_stand_in, flatten((args, kwargs)))):
            return None
        key, numbers = taken_apart(args, kwargs)
        self._recent = Likeness(args, kwargs), key
        return key, [to_contiguous(x) for x in numbers]

    def _call_original(self, args: Any, kwargs: Any, error: Exception) -> Y:
        """What the function returns itself, where its program failed: it may catch that."""
        try:
            return self._function(*args, **kwargs)
        except Exception:  # noqa: BLE001  # of users' code, whose line the other error names too
            raise error from None

    def _enter_at(self, made: _Made) -> None:
        """Let the next call begin with a program that looks at its arguments itself.

        Those that it takes are arrays and numbers, each an argument: others have another key.
        """
        program, returned, reads = made
        entry = getattr(program.run, "entry", None)
        if entry is not None:
            self._latest = entry, returned.fill, reads.is_unchanged

    def _put_first(self, key: Hashable, made: _Made) -> None:
        """Let the next call try first the program that held: close arguments take one path."""
        if next(iter(self._made.get(key, ())), made) is made:
            return
        with self._lock:
            kept = self._made.get(key, [])
            others = [one for one in kept if one is not made]
            if len(others) < len(kept):
                self._made[key] = [made, *others]

    def _each_valid(self, key: Hashable) -> Iterator[_Made]:
        """Programs for arguments of a kind, of which all is as it was that the function read.

        Each is looked at when its turn comes: the first one is the one that holds as a rule.
        """
        for made in self._made.get(key, ()):
            if made[2].is_unchanged():
                yield made
                continue
            with self._lock:
                self._made[key] = [one for one in self._made.get(key, ()) if one is not made]
                self._latest = None

    def _call_recorded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Y:
        """Of tensors: a program's own operations, so that what is recorded is what it computes.

        The function itself, where there is no program, or where it reads tensors from around it.
        """
        leaves = flatten((args, kwargs))
        if any(map(is_stand_in, leaves)) and self._made:
            key, numbers = taken_apart(args, kwargs, of_tensors=True)
            for program, returned, reads in self._each_valid(key):
                if reads.holds_tensors:
                    continue
                try:
                    outputs = program.replay(*numbers)
                except ERRORS_OF_REPLAYS:
                    continue
                if outputs is not None:
                    return returned.fill(outputs)  # type: ignore[no-any-return]
        return call_inside(self._function, *args, **kwargs)  # type: ignore[no-any-return]

    def _specialise(
        self,
        key: Hashable,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        backend: str | None = None,
    ) -> _Made:
        call = Call(self._function, self._name, args, kwargs)
        program, found = record_stable(call, backend or self._backend)
        made = program, found.returned, found.reads
        with self._lock:
            if not found.reads.is_unchanged():
                return made  # another thread has changed something: for this call alone
            # A new list: other threads may be reading the old one.
            others = [*self._each_valid(key)]
            kind = key if others else without_values(key)
            if others or kind != key:
                self._in_vain[kind] = self._in_vain.get(kind, 0) + 1
            self._made[key] = [made, *others]
            self._made.move_to_end(key)
            while self.programs > self._most:
                oldest = next(iter(self._made))
                if len(self._made[oldest]) > 1:
                    self._made[oldest] = self._made[oldest][:-1]
                else:
                    del self._made[oldest]
                    self._in_vain.pop(oldest, None)
        return made

    def record_at(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Make the program for some arguments, if there is none, without a call to wait for it."""
        key = (None if kwargs else plain_key(args)) or taken_apart(args, kwargs)[0]
        if key not in self._made:
            self._specialise(key, args, kwargs)

    def clear(self) -> None:
        """Drop all programs."""
        with self._lock:
            self._made = OrderedDict()
            self._in_vain = {}
            self._latest = None

    @property
    def programs(self) -> int:
        """How many programs there are now."""
        return sum(map(len, list(self._made.values())))

    @property
    def sources(self) -> list[str]:
        """The source of each program."""
        return [made.run.source for kept in list(self._made.values()) for made, _, _ in kept]

    @property
    def _name(self) -> str:
        return str(getattr(self._function, "__name__", type(self._function).__name__))

    def __repr__(self) -> str:
        count = self.programs
        return f"<compiled {self._name}: {count} program{'' if count == 1 else 's'}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        # Programs are code of this process; another one records its own.
        if is_global(self):
            return str(vars(self)["__qualname__"])
        return CompiledFunction, (remaker(self._function), self._most, self._backend)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As of a function: a method of an object is compiled for that object."""
        return self if instance is None else functools.partial(self, instance)


def compile(function: Callable[P, Y], *args: P.args, **kwargs: P.kwargs) -> CompiledFunction[P, Y]:  # noqa: A001
    """`function` as a program for arguments like `args`, recorded and optimised now.

    Arguments of other shapes or dtypes, or that take another path, are recorded when they come.

    Parameters
    ----------
    function : callable
        Plain NumPy code, or a derivative: ``symtape.grad(f)``.
    *args, **kwargs
        Arguments as it takes them. Arrays and numbers of floats may be others at each call, also
        those in trees; for all else, such as an integer, there is a program for each value.

    Returns
    -------
    CompiledFunction
        A function of the same arguments.

    Raises
    ------
    Escaped
        A value leaves the computation, so that no program is the function; names the line.
    NotTraceable
        The function does more than to compute: it reads a clock, a file or chance, prints, writes
        into its arguments, or changes at each call what it reads; names the line.
    BudgetSpent
        It takes more operations than a program may have.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> x = np.array([1.0, 2.0])
    >>> gradient = symtape.compile(symtape.grad(lambda x: np.sum(x**3)), x)
    >>> gradient(x), gradient
    (array([ 3., 12.]), <compiled <lambda>: 1 program>)
    """
    made = CompiledFunction(function)
    if args or kwargs:
        made.record_at(*args, **kwargs)
    return made


@overload
def jit(
    function: Callable[P, Y], *, programs: int = ..., backend: str | None = ...
) -> CompiledFunction[P, Y]: ...
@overload
def jit(
    function: None = None, *, programs: int = ..., backend: str | None = ...
) -> Callable[[Callable[P, Y]], CompiledFunction[P, Y]]: ...
def jit(function: Any = None, *, programs: int = MOST_PROGRAMS, backend: str | None = None) -> Any:
    """Run a function as programs, each recorded when arguments like its own first come.

    Parameters
    ----------
    function : callable, optional
        As in :func:`compile`; without it, a decorator.
    programs : int
        How many are kept.
    backend : {"auto", "numpy", "fused", "llvm"}, optional
        ``"numpy"`` is generated NumPy code, which gives every bit of what the function gives on
        contiguous arrays; ``"fused"`` has loops of machine code in it, by the extra ``llvm``, which
        give the same bits and warn of nothing; ``"llvm"`` is machine code, which agrees within
        rounding. By default, where the extra is installed, machine code for programs of few
        numbers that compare nothing which it may round otherwise, and ``"fused"`` for all others;
        else NumPy.

    Notes
    -----
    A program sees the numbers in arguments: an array counts as contiguous and as none of the
    others, a float of Python or an array without axes as a number of NumPy's. A function that
    asks for more (``x is y``, ``x.strides``, ``type(x)``) is refused where it shows at the call
    that is recorded.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> @symtape.jit
    ... def f(x):
    ...     return x * x if x > 0 else x * 0.5
    >>> float(f(-1.0)), float(f(0.0)), f
    (-0.5, 0.0, <compiled f: 1 program>)
    >>> f(3.0), f
    (np.float64(9.0), <compiled f: 2 programs>)
    """
    if function is None:
        return functools.partial(jit, programs=programs, backend=backend)
    return CompiledFunction(function, programs, backend)
