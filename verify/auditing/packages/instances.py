"""Instances of the classes of a package, of what is known of the arguments of their constructors.

Tried in turn: calls that are written down; no arguments; objects of the package that an argument is
meant for; values by kind, bounds and shape of each required argument; and what the words of errors
and the class's own declarations ask for.
"""

from __future__ import annotations

import ast
import contextlib
import enum
import functools
import inspect
import re
import textwrap
import typing
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np

from verify.auditing.packages.annotations import annotated_hints
from verify.auditing.packages.arguments import Argument, arguments_of
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.examples import example_calls
from verify.auditing.packages.hints import Hint, hints_of
from verify.auditing.packages.parts import is_for_several, kinds_of_part
from verify.auditing.packages.silence import silence
from verify.limits.limit import limit_time

_NUMBERS: Final = (1.3, 0.7, 2.1, 0.4, 1.7, 0.9)
_ROWS: Final = np.array(
    [[0.3, 1.1, -0.4], [1.2, -0.5, 0.8], [-0.7, 0.6, 1.5], [2.0, 0.9, -1.1], [0.1, -1.3, 0.5]]
)
_SHAPES: Final[tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]] = (
    ((), ()),
    ((5,), (5,)),
    ((5,), ()),
    ((5, 3), (5,)),
    ((3, 3), (3,)),
    ((3,), ()),
)
"""Of the first of the numbers, and of the others, in the order in which they are tried."""

_ASKED: Final = re.compile(
    r"(?:argument|option|parameter|keyword|attribute|setting|value for)s?:? ['\"`]?(\w+)['\"`]?"
    r"|['\"`](\w+)['\"`] (?:is|are|must|has|should)",
    re.IGNORECASE,
)
_COUNT: Final = re.compile(r"\b(\d{1,2})\b (?:columns|values|elements|entries|features|items)")
_COUNTED: Final = re.compile(
    r"^(n_|num|n[A-Z]|order|degree)|dim|size|units|channels|features|neurons|nodes|classes|filters"
)
"""Names of what is a number of things."""

_MOST: Final = 24
_SECONDS: Final = 5.0


def make_instance(kind: Any) -> Any:
    """An instance of a class.

    Raises
    ------
    NotPosed
        None could be made; says what was tried.

    Examples
    --------
    >>> class Spring:
    ...     def __init__(self, stiffness: float, ends: int):
    ...         if not isinstance(ends, int):
    ...             raise TypeError("ends")
    ...         self.stiffness = stiffness
    >>> make_instance(Spring).stiffness
    1.3
    """
    return _make(kind)[0]


def construction_of(instance: Any) -> Mapping[str, Any] | None:
    """The arguments with which :func:`make_instance` made it; None of any other object."""
    kind: Any = type(instance)
    try:
        made, given = _make(kind)
    except NotPosed:
        return None
    return given if made is instance else None


@functools.lru_cache(maxsize=256)  # classes, each with one instance
def _make(kind: Any) -> tuple[Any, Mapping[str, Any]]:
    tried: dict[str, str] = {}
    pending = list(_first_calls(kind))
    while pending and len(tried) < _MOST:
        given = pending.pop(0)
        shown = ", ".join(f"{name}={_show(value)}" for name, value in given.items())
        if shown in tried:
            continue
        try:
            with silence(), limit_time(_SECONDS, TimeoutError):
                return kind(**given), given
        except Exception as error:  # noqa: BLE001  # theirs, whatever it is
            tried[shown] = f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
            pending[:0] = _follow_error(kind, given, str(error))
    first = next(iter(tried.items()), ("nothing", "no way is known to make one"))
    several = f"{len(tried)} ways were tried, such as " if len(tried) > 1 else ""
    raise NotPosed(
        f"a {kind.__name__} cannot be made: {several}{kind.__name__}({first[0]}): {first[1]}"
    )


def _first_calls(kind: type) -> Iterator[dict[str, Any]]:
    yield from _list_written_calls(kind)
    declared = {name: _declared_value(said) for name, said in declared_options(kind).items()}
    required = _required_arguments(kind)
    if declared or not required:
        yield {**declared, **_values(kind, required, 0)}
    if parts := _parts(kind, required):
        yield from ({**_values(kind, required, k), **parts} for k in range(len(_SHAPES)))
    if required:
        yield from ({**_values(kind, required, k), **declared} for k in range(len(_SHAPES)))


def _parts(kind: type, required: Sequence[Argument]) -> dict[str, Any]:
    """Objects of the package for those of the arguments that are meant for such."""
    found: dict[str, Any] = {}
    types, said = _types_of(kind), hints_of(kind)
    for each in required:
        if each.kind in ("number", "other") and said.get(each.name, Hint()) == Hint():
            of = types.get(each.name)
            made = [*islice(_makeable(kinds_of_part(kind, each.name, of)), 2)]
            if made:
                found[each.name] = made if is_for_several(each.name, of) else made[0]
    return found


def _makeable(kinds: Sequence[type]) -> Iterator[Any]:
    """An instance of each class that can be made without further objects."""
    for each in kinds:
        if not _takes_parts(each):
            with contextlib.suppress(NotPosed):
                yield make_instance(each)


def _takes_parts(kind: type) -> bool:
    """Whether a constructor needs objects in its turn, so that there might be no end."""
    types, needed = _types_of(kind), [each.name for each in _required_arguments(kind)]
    return any(kinds_of_part(kind, name, types.get(name)) for name in needed)


def _required_arguments(kind: type) -> list[Argument]:
    try:
        return [each for each in arguments_of(kind) if each.required]
    except NotPosed:
        return []


def _list_written_calls(kind: type) -> Iterator[dict[str, Any]]:
    """The calls of a class that are written down, by the names of the arguments."""
    for call in example_calls(kind):
        named = {name: value for name, value in call.items() if name not in ("args", "kwargs")}
        yield {**named, **call.get("kwargs", {})}


def _types_of(kind: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(kind.__init__) | typing.get_type_hints(kind)  # type: ignore[misc]
    except Exception:  # noqa: BLE001  # names that exist for type checkers alone
        return {}


def _values(kind: type, required: Sequence[Argument], turn: int) -> dict[str, Any]:
    typed = annotated_hints(kind.__init__) | annotated_hints(kind)  # type: ignore[misc]
    said = hints_of(kind)
    types = _types_of(kind)
    made: dict[str, Any] = {}
    place = 0
    for each in required:
        hint = typed.get(each.name, Hint()).and_also(said.get(each.name, Hint()))
        choice = _choice(types.get(each.name))
        if choice is not None:
            made[each.name] = choice
        elif each.kind in ("flag", "word"):
            made[each.name] = each.choices[0]
        elif each.kind == "whole" or (hint == Hint() and _COUNTED.search(each.name)):
            made[each.name] = 3
        else:
            shape = hint.shape if hint.shape is not None else _SHAPES[turn][min(place, 1)]
            made[each.name] = _number(hint, shape, place)
            place += 1
    return made


def _choice(said: Any) -> Any:
    """The first of the values that a type lists; None where there is no list."""
    if typing.get_origin(said) is typing.Literal:
        return typing.get_args(said)[0]
    if isinstance(said, type) and issubclass(said, enum.Enum):
        return next(iter(said))
    return None


def _number(hint: Hint, shape: tuple[int, ...], place: int) -> Any:
    if not shape:
        value = _NUMBERS[place % len(_NUMBERS)]
        if hint.is_bounded:
            return hint.lower + (hint.upper - hint.lower) * (0.3 + 0.1 * place % 0.4)
        if hint.near is not None:
            return hint.near
        return hint.lower + value if hint.lower > -np.inf else min(value, hint.upper)
    rows = np.resize(_ROWS, shape) if len(shape) > 1 else np.cumsum(np.abs(np.resize(_ROWS, shape)))
    return np.ascontiguousarray(rows if place == 0 else np.resize(_ROWS[::-1], shape))


def _follow_error(kind: type, given: Mapping[str, Any], words: str) -> Iterator[dict[str, Any]]:
    """Calls that the words of an error ask for."""
    declared = declared_options(kind)
    for found in _ASKED.finditer(words):
        name = found[1] or found[2]
        if name in given or not name.isidentifier() or name in ("self", "must", "is"):
            continue
        usual = 3 if _COUNTED.search(name) else 1.3
        yield {**given, name: _declared_value(declared[name]) if name in declared else usual}
    if "integer" in words:
        yield {name: 3 if isinstance(value, float) else value for name, value in given.items()}
    if (size := _COUNT.search(words)) is not None:
        count = int(size[1])
        for name, value in given.items():
            if isinstance(value, np.ndarray) and value.ndim and value.shape[-1] != count:
                yield {**given, name: np.resize(_ROWS, (*value.shape[:-1], count))}


def declared_options(kind: type) -> dict[str, dict[str, Any]]:
    """What a class declares in its source of options that are required: ``options.declare(...)``.

    Read, and not run: the name, and what is written out of types, bounds and values.
    """
    found: dict[str, dict[str, Any]] = {}
    for each in reversed(kind.__mro__[:-1]):
        found |= _declared_by(each)
    return found


@functools.lru_cache(maxsize=256)  # classes, of which many have one base
def _declared_by(kind: type) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    try:
        source = inspect.getsource(kind)
        tree = ast.parse(textwrap.dedent(source if "options.declare" in source else ""))
    except (OSError, TypeError, SyntaxError):
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("options.declare"):
            said = {str(word.arg): ast.unparse(word.value) for word in node.keywords}
            if node.args and isinstance(node.args[0], ast.Constant) and "default" not in said:
                found.setdefault(str(node.args[0].value), said)
    return found


def _declared_value(said: Mapping[str, str]) -> Any:
    """A value of a declared option, within what is declared of it."""
    known: dict[str, Any] = {}
    for key in ("values", "lower", "upper"):
        try:
            known[key] = ast.literal_eval(said.get(key, "None"))
        except ValueError:
            known[key] = None
    if known["values"]:
        return next(iter(known["values"]))
    if said.get("types") == "bool":
        return False
    lower, upper = known["lower"], known["upper"]
    if said.get("types") == "int":
        return min(max(3, lower or 0), upper or 3)
    if lower is not None and upper is not None:
        return (lower + upper) / 2
    return lower + 1.3 if lower is not None else min(1.3, upper or 1.3)


def _show(value: Any) -> str:
    return " ".join(repr(value).split())[:40]
