"""Regions as people give them: spaces, intervals, several of them, or text."""

from __future__ import annotations

import ast
import math
import re
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from verify.errors import UsageError
from verify.regions.box import box, integers, positive
from verify.regions.broadcasting import Broadcasting, broadcasting
from verify.regions.conditions import Conditional, Restricted
from verify.regions.matrices import positive_definite, symmetric
from verify.regions.region import Product, Region
from verify.regions.simplex import simplex
from verify.regions.space import Space
from verify.regions.subset import ImposedCondition, Subset, Together, product
from verify.regions.words import short

_SPACES: Final[dict[str, Callable[..., Any]]] = {
    made.__name__: made
    for made in (
        box,
        broadcasting,
        integers,
        positive,
        positive_definite,
        product,
        simplex,
        symmetric,
    )
}
_CONSTANTS: Final = {"inf": math.inf, "pi": math.pi, "e": math.e}

_PARTS: Final = ("excluding", "away_from")
"""The methods that make a part of a region without running any code of the text."""

_LONGEST: Final = 10_000
_TIMES: Final = re.compile(r"(?<=\d)×(?=\d)")
"""Between the lengths of axes, as descriptions have it."""


def parse(text: str, names: Sequence[str]) -> Region:
    """The region that `text` describes, for arguments called `names`.

    Parameters
    ----------
    text : str
        As :func:`as_region` takes it, in Python: numbers, lists, tuples, dicts, ``inf``, ``pi``
        and the spaces by name, with ``excluding`` and ``away_from``; and boxes as descriptions
        have them, ``"x in [-1, 1]^3"``. Nothing else in it is run.
    names : sequence of str

    Raises
    ------
    UsageError
        Anything else; says what was not understood.

    Examples
    --------
    >>> parse("[-60, 60]", ["x"]).describe()
    'x in [-60, 60]'
    >>> parse("box(-1, 1, shape=(3,)), positive()", ["x", "y"]).describe()
    'x in [-1, 1]^3, y > 0'
    >>> parse("x in [-1, 1]^3, y in [0, 1]^(2×3)", ["x", "y"]).describe()
    'x in [-1, 1]^3, y in [0, 1]^(2×3)'
    """
    return as_region(_read(text), names)


def _read(text: str) -> Any:
    """What `text` says, as :func:`as_region` takes it."""
    if len(text) > _LONGEST:
        raise UsageError(f"over: a text of {len(text)} characters; expected at most {_LONGEST}")
    text = _TIMES.sub(", ", text.strip())
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(
            f"over={short(text)} cannot be read ({getattr(error, 'msg', error)}); "
            "expected something like '[-60, 60]' or 'box(-1, 1, shape=(3,)), positive()'"
        ) from error
    try:
        return _value(tree, text)
    except RecursionError as error:
        raise UsageError(f"over={short(text)} is nested too deeply") from error


def _value(node: ast.expr, text: str) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as constant):
            return constant
        case ast.List(elts=items):
            return [_value(item, text) for item in items]
        case ast.Tuple(elts=items):
            values = tuple(_value(item, text) for item in items)
            by_name = values and all(isinstance(value, dict) for value in values)
            return dict(ChainMap(*values[::-1])) if by_name else values
        case ast.Compare(left=ast.Name(id=name), ops=[ast.In()], comparators=[space]):
            return {name: _value(space, text)}
        case ast.Dict(keys=keys, values=values) if all(keys):
            pairs = zip(keys, values, strict=True)
            return {_key(key, text): _value(value, text) for key, value in pairs}
        case ast.BinOp(left=ast.List() as interval, op=ast.BitXor() | ast.Pow(), right=shape):
            ends = _value(interval, text)
            if _is_interval(ends):
                return box(ends[0], ends[1], shape=_value(shape, text))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            return _apply_sign(sign, _value(operand, text), node, text)
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="np" | "math"), attr=name):
            if name in _CONSTANTS:
                return _CONSTANTS[name]
        case ast.Call(
            func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="verify"), attr=name)
        ):
            if name in _SPACES:
                return _call_constructor(_SPACES[name], node, text)
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr=name)):
            return _part(_value(inner, text), name, node, text)
    raise UsageError(
        f"over={short(text)}: {_source(node, text)} is not understood; expected numbers, lists, "
        f"tuples, inf, pi, and {', '.join(_SPACES)}"
    )


def _key(node: ast.expr | None, text: str) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name):
        return node.id
    raise UsageError(f"over={short(text)}: a dict has the names of arguments as its keys")


def _apply_sign(sign: ast.unaryop, value: Any, node: ast.expr, text: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"over={short(text)}: {_source(node, text)}; a sign is for numbers")
    return -value if isinstance(sign, ast.USub) else value


def _part(whole: Any, name: str, node: ast.Call, text: str) -> Any:
    if name == "where":
        raise UsageError(
            f"over={short(text)}: .where(...) takes code, which is not run here; write the region "
            "into the file, as @verify.case(over=...), or use .excluding(...) or .away_from(...)"
        )
    if name not in _PARTS or not isinstance(whole, Conditional):
        raise UsageError(
            f"over={short(text)}: .{name} is not understood; expected one of "
            f"{', '.join(f'.{part}(...)' for part in _PARTS)}"
        )
    return _call_constructor(getattr(whole, name), node, text)


def _call_constructor(made: Callable[..., Any], node: ast.Call, text: str) -> Any:
    given = [_value(argument, text) for argument in node.args]
    named = {word.arg: _value(word.value, text) for word in node.keywords if word.arg}
    if len(named) != len(node.keywords):
        raise UsageError(f"over={short(text)}: ** is not understood")
    try:
        return made(*given, **named)
    except TypeError as error:
        raise UsageError(f"over={short(text)}: {_source(node, text)}: {error}") from error


def _source(node: ast.expr, text: str) -> str:
    return short(ast.get_source_segment(text, node) or "it").strip("'\"")


def as_region(over: Any, names: Sequence[str]) -> Region:
    """The region that `over` describes, for arguments called `names`.

    Parameters
    ----------
    over : ``[lower, upper]``, Space, text, tuple of these, dict of these by name, or Region
        Text is as :func:`parse` takes it. A tuple has one an argument, a dict has every
        argument's name. :func:`verify.broadcasting` and :func:`verify.product` are for all
        arguments. Any of the spaces may be restricted, by ``where`` and its like.
    names : sequence of str

    Raises
    ------
    UsageError
        Anything else; names the argument, shows the value and says what is expected.

    Examples
    --------
    >>> as_region([-60, 60], ["x"]).describe()
    'x in [-60, 60]'
    >>> as_region({"y": [0, 1], "x": box(-1, 1, shape=2)}, ["x", "y"]).describe()
    'x in [-1, 1]^2, y in [0, 1]'
    """
    if isinstance(over, str):
        return parse(over, names)
    if isinstance(over, Region):
        _check_count(over, len(over.arguments), names)
        return over
    if isinstance(over, Restricted) and isinstance(over.inner, Broadcasting | Together):
        every = tuple(range(len(names)))
        imposed = [ImposedCondition(condition, every) for condition in over.conditions]
        return Subset(as_region(over.inner, names), imposed)
    if isinstance(over, Broadcasting):
        _check_count(over, len(over.spaces), names)
        return Product(over.spaces, names, over.joint)
    if isinstance(over, Together):
        over = over.spaces
    if isinstance(over, Mapping):
        specs = _specs_by_name(over, names)
    else:
        specs = list(over) if isinstance(over, tuple) else [over]
        _check_tuple(over, names)
        _check_count(over, len(specs), names)
    return _product(specs, names)


def arity(over: Any) -> int:
    """For how many arguments `over` is.

    Examples
    --------
    >>> arity([0, 1]), arity((box(0, 1), [2, 3])), arity(box(0, 1).excluding("zeros"))
    (1, 2, 1)
    """
    if isinstance(over, str):
        return arity(_read(over))
    if isinstance(over, Restricted):
        return arity(over.inner)
    if isinstance(over, Region):
        return len(over.arguments)
    if isinstance(over, Broadcasting | Together):
        return len(over.spaces)
    return len(over) if isinstance(over, tuple | Mapping) else 1


def _product(specs: Sequence[Any], names: Sequence[str]) -> Region:
    """Each argument in a space of its own, with the conditions on each."""
    spaces, imposed = [], []
    for at, (spec, name) in enumerate(zip(specs, names, strict=True)):
        spec = _read(spec) if isinstance(spec, str) else spec
        spaces.append(_space(spec.inner if isinstance(spec, Restricted) else spec, name))
        if isinstance(spec, Restricted):
            said = name if len(names) > 1 else ""
            imposed += [ImposedCondition(condition, (at,), said) for condition in spec.conditions]
    base = Product(spaces, names)
    return Subset(base, imposed) if imposed else base


def _specs_by_name(over: Mapping[Any, Any], names: Sequence[str]) -> list[Any]:
    unknown = [repr(name) for name in over if name not in names]
    if unknown:
        raise UsageError(
            f"over has an entry for {', '.join(unknown)}, but the arguments are {_join(names)}"
        )
    missing = [name for name in names if name not in over]
    if missing:
        raise UsageError(
            f"over={short(over)} has no region for {_join(missing)}; give every argument one, "
            "such as [-1, 1]"
        )
    return [over[name] for name in names]


def _check_tuple(over: Any, names: Sequence[str]) -> None:
    if isinstance(over, tuple) and len(over) == 2 and all(map(_is_number, over)):
        raise UsageError(
            f"over={over!r}: a tuple has one region for each of {_join(names)}; an interval is "
            f"a list, over={list(over)!r}"
        )


def _check_count(over: Any, count: int, names: Sequence[str]) -> None:
    if count != len(names):
        raise UsageError(
            f"over={short(over)} is for {count} argument{'s' * (count != 1)}, but there "
            f"{'is' if len(names) == 1 else 'are'} {len(names)}, {_join(names)}; give a tuple "
            "with one region an argument, or a dict by name"
        )


def _space(spec: Any, name: str) -> Space:
    if isinstance(spec, Space):
        return spec
    if _is_interval(spec):
        return _interval(spec, name)
    if isinstance(spec, Broadcasting | Region | Together):
        hint = "give it alone; it is for all arguments together"
    elif isinstance(spec, list):
        hint = "an interval is [lower, upper], two numbers; for arrays: box(lower, upper)"
    else:
        hint = "expected [lower, upper], or a space such as box(-1, 1, shape=(3,))"
    raise UsageError(f"over, for the argument {name}: {short(spec)}; {hint}")


def _interval(spec: list[Any], name: str) -> Space:
    low, high = spec
    shown = f"over, for the argument {name}: [{low!r}, {high!r}]"
    if np.isnan(low) or np.isnan(high):
        raise UsageError(f"{shown} has a nan as its end; expected two numbers")
    if low > high:
        raise UsageError(f"{shown} is empty; expected the lower end first, [{high!r}, {low!r}]")
    try:
        return box(low, high)
    except UsageError as error:
        raise UsageError(f"{shown}: {error}") from error


def _is_interval(spec: Any) -> bool:
    return isinstance(spec, list) and len(spec) == 2 and all(map(_is_number, spec))


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float | np.integer | np.floating) and not isinstance(x, bool)


def _join(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "none"
