"""Candidates: what of a module or of a class can be called with numbers alone."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import ModuleType
from typing import Any, Final

import numpy as np

from verify.auditing.packages.arguments import Argument, arguments_of
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.held import fix_arguments, name_after, name_arguments, positional
from verify.auditing.packages.hints import Hint
from verify.auditing.packages.instances import make_instance
from verify.auditing.packages.members import classes_of, functions_of, member
from verify.auditing.packages.names import does_something, is_data
from verify.auditing.packages.owner_hints import owner_hints
from verify.auditing.packages.posing import merge_hints
from verify.model.source import Spelling, spelling_of

_CHANGES: Final = re.compile(
    r"_*(add|append|clear|close|copy|delete|download|dump|exit|export|fetch|generate|import|"
    r"install|load|main|open|pop|quit|random|read|register|remove|reset|resize|run|sample|save|"
    r"setup|show|sleep|start|stop|update|validate|write)(_|$)|_*fit(_(?!deriv|grad|jac|hess)|$)|rvs|"
    r"__(?!call__)"
)
"""Names of what changes something, or says nothing of its arguments."""

_LABELS: Final = Hint(lower=0.0, upper=1.0)
"""What losses compare with, which are made for nothing else."""

_MOST_OBJECTS: Final = 40
"""Instances in a module."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that takes numbers.

    Attributes
    ----------
    name : str
        Qualified, within its module.
    function : callable
        Bound to an instance, if it is a method.
    arguments : tuple of Argument
    owner : object
        That instance; None of a function.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Argument, ...]
    owner: Any = None

    @property
    def varied(self) -> tuple[str, ...]:
        """Its numbers without default; where there are none, those with one."""
        return _varied(self.arguments)

    @property
    def held(self) -> tuple[Argument, ...]:
        """Its whole numbers, flags and words without default."""
        return tuple(each for each in self.arguments if each.required and each.kind != "number")


@dataclass(frozen=True, slots=True)
class Family:
    """What is set against each other: the functions of a module, or the methods of a class.

    Attributes
    ----------
    owner : str
        The class; empty of a module.
    candidates : tuple of Candidate
    reason : str
        Why there is no instance of the class, if there is none.
    names : tuple of str
        Of all methods of the class.
    """

    owner: str
    candidates: tuple[Candidate, ...]
    reason: str = ""
    names: tuple[str, ...] = ()


def families_of(module: ModuleType) -> Iterator[Family]:
    """The families of a module.

    Examples
    --------
    >>> import statistics
    >>> first = next(families_of(statistics))
    >>> first.owner, "fmean" in [each.name for each in first.candidates]
    ('', True)
    """
    yield Family("", tuple(_candidates(functions_of(module))))
    for name, value in islice(objects_of(module), _MOST_OBJECTS):
        own = tuple(methods_of(type(value)))
        bound = ((f"{name}.{each}", getattr(value, each, None)) for each in own)
        yield Family(name, tuple(_candidates(bound, value)), names=own)
    for kind in classes_of(module):
        if inspect.isabstract(kind) or issubclass(kind, BaseException):
            continue
        if getattr(kind, "_is_protocol", False):
            continue
        methods = list(methods_of(kind))
        if len(methods) < 2 and "__call__" not in methods:
            continue
        names = tuple(methods)
        try:
            owner, reason = make_instance(kind), ""
        except NotPosed as error:
            owner, reason = kind, str(error)
            methods = [name for name in methods if _is_static(kind, name)]
        bound = ((f"{kind.__qualname__}.{name}", getattr(owner, name, None)) for name in methods)
        found = tuple(_candidates(bound, None if reason else owner))
        yield Family(kind.__qualname__, found, reason, names)


def candidate_of(module: str, name: str) -> Candidate:
    """The candidate of a qualified name, made anew.

    Raises
    ------
    NotPosed
        There is none, or no instance of its class can be made.
    """
    above, _, last = name.rpartition(".")
    found = member(module, name)
    owner = None
    if above:
        owner = member(module, above)
        if inspect.isclass(owner) and not _is_static(owner, last):
            owner = make_instance(owner)
            found = getattr(owner, last)
    return Candidate(name, found, tuple(arguments_of(found)), owner)


def objects_of(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The instances that a module makes of its own classes."""
    for name, value in sorted(vars(module).items()):
        if type(value).__module__ == module.__name__ and not isinstance(value, enum.Enum):
            yield name, value


def callables_of(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions of a module, and the methods of its objects and of its other classes."""
    yield from functions_of(module)
    objects = dict(objects_of(module))
    made = {type(value) for value in objects.values()}
    others = {kind.__qualname__: kind for kind in classes_of(module) if kind not in made}
    for owner, value in (objects | others).items():
        kind = value if isinstance(value, type) else type(value)
        if not inspect.isabstract(kind):
            # A method that passes the flag on is behind the one that has the derivative.
            names = [name for name in methods_of(kind) if not name.startswith("__")]
            for name in (*names, "__call__"):
                if callable(getattr(value, name, None)):
                    yield f"{owner}.{name}", getattr(value, name)


def methods_of(kind: type) -> Iterator[str]:
    """The names of the methods of a class that its own package has written."""
    for name in dir(kind):
        found = inspect.getattr_static(kind, name, None)
        plain = found.__func__ if isinstance(found, staticmethod | classmethod) else found
        if not inspect.isroutine(plain) or getattr(plain, "__isabstractmethod__", False):
            continue
        home = str(getattr(plain, "__module__", None) or "builtins")
        if home.partition(".")[0] == kind.__module__.partition(".")[0]:
            yield name


def _is_static(kind: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(kind, name, None), staticmethod | classmethod)


def _candidates(named: Iterator[tuple[str, Any]], owner: Any = None) -> Iterator[Candidate]:
    for name, function in named:
        last = name.rpartition(".")[2]
        if function is None or does_something(last) or _CHANGES.match(last):
            continue
        if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
            continue
        try:
            arguments = tuple(arguments_of(function))
        except NotPosed:
            continue
        unknown = any(each.kind == "other" and each.required for each in arguments)
        if not unknown and _varied(arguments):
            yield Candidate(name, function, arguments, owner)


def _varied(arguments: Sequence[Argument]) -> tuple[str, ...]:
    numbers = [each for each in arguments if each.kind == "number"]
    return tuple(each.name for each in [each for each in numbers if each.required] or numbers)


def hints_for(candidate: Candidate) -> dict[str, Hint]:
    """What types, docstring and the object itself say of the arguments of a candidate."""
    own = {} if candidate.owner is None else owner_hints(candidate.owner, candidate.varied)
    told = merge_hints(candidate.function)
    names = candidate.varied
    told |= {
        name: _LABELS.and_also(told.get(name, Hint())) for name in names if is_data(name, names)
    }
    return {name: own.get(name, Hint()).and_also(told.get(name, Hint())) for name in own | told}


def fit(
    claim: Candidate, names: Sequence[str], constants: Mapping[str, Any]
) -> Iterator[Callable[..., Any]]:
    """`claim` as a function of the arguments called `names`, in the ways that its own ones allow.

    By their names, or by their places where there are as many. Where it takes one more number, a
    vector that multiplies the derivative, that is one.

    Examples
    --------
    >>> def slope(a, x):
    ...     return 2 * a * x
    >>> made = Candidate("slope", slope, tuple(arguments_of(slope)))
    >>> [each(3.0, 5.0) for each in fit(made, ["x", "a"], {})]
    [30.0]
    >>> def root(x, k):  # where the function says that its k is no whole number
    ...     return x**k
    >>> made = Candidate("root", root, tuple(arguments_of(root)))
    >>> [each(4.0, 0.5) for each in fit(made, ["x", "k"], {})]
    [2.0]
    """
    needed = [each.name for each in claim.arguments if each.required]
    known = {each.name for each in claim.arguments}
    given = {**constants}
    whole = {each.name: each.choices[0] for each in claim.held}
    if set(needed) <= {*names, *given, *whole}:
        taken = [name for name in names if name in known]
        held = {name: value for name, value in given.items() if name in known}
        if taken:
            kept = {name: value for name, value in whole.items() if name not in taken}
            yield _select(claim.function, names, taken, {**kept, **held})
            return
    free = [name for name in needed if name not in whole and name not in given]
    held = {**whole, **{name: value for name, value in given.items() if name in known}}
    if len(free) == len(names):
        yield name_arguments(fix_arguments(claim.function, free, held), names)
    elif len(free) == len(names) + 1:
        yield name_arguments(_multiplied_by_one(fix_arguments(claim.function, free, held)), names)


def _select(
    function: Callable[..., Any],
    names: Sequence[str],
    taken: Sequence[str],
    held: Mapping[str, Any],
) -> Callable[..., Any]:
    inner = fix_arguments(function, taken, held)
    if list(taken) == list(names):
        return inner
    places = [list(names).index(name) for name in taken]

    def call(*arguments: Any) -> Any:
        return inner(*(arguments[place] for place in places))

    made = name_after(inner, call)
    made.spelled = lambda: _give(inner, [f"{{{place}}}" for place in places])  # type: ignore[attr-defined]
    return name_arguments(made, names)


def _multiplied_by_one(inner: Callable[..., Any]) -> Callable[..., Any]:
    """What takes a vector behind the arguments, along which it is the derivative, along ones."""

    def call(*arguments: Any) -> Any:
        return inner(*arguments, np.ones(np.shape(arguments[0]))[()])

    texts = [f"{{{k}}}" for k in range(len(positional(inner)) - 1)]
    made = name_after(inner, call)
    made.spelled = lambda: _give(inner, [*texts, "np.ones_like({0})"])  # type: ignore[attr-defined]
    return made


def _give(inner: Callable[..., Any], arguments: Sequence[str]) -> Spelling | None:
    """How a call of a function is written of arguments that are written so."""
    spelled = spelling_of(inner, len(arguments))
    return None if spelled is None else spelled.give(arguments)
