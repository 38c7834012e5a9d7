"""Regions written as text: literals and the names of spaces, nothing else."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from verify.errors import UsageError
from verify.regions.box import box, integers, positive
from verify.regions.broadcasting import broadcasting
from verify.regions.conditions import Conditional
from verify.regions.matrices import positive_definite, symmetric
from verify.regions.product import product
from verify.regions.region import Region
from verify.regions.simplex import simplex
from verify.regions.specs import as_region
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


def parse(text: str, names: Sequence[str]) -> Region:
    """The region that `text` describes, for arguments called `names`.

    Parameters
    ----------
    text : str
        As :func:`as_region` takes it, in Python: numbers, lists, tuples, dicts, ``inf``, ``pi``
        and the spaces by name, with ``excluding`` and ``away_from``. Nothing else in it is run.
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
    """
    if len(text) > _LONGEST:
        raise UsageError(f"over: a text of {len(text)} characters; expected at most {_LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(
            f"over={short(text)} cannot be read ({getattr(error, 'msg', error)}); "
            "expected something like '[-60, 60]' or 'box(-1, 1, shape=(3,)), positive()'"
        ) from error
    try:
        return as_region(_value(tree, text), names)
    except RecursionError as error:
        raise UsageError(f"over={short(text)} is nested too deeply") from error


def _value(node: ast.expr, text: str) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as constant):
            return constant
        case ast.List(elts=items):
            return [_value(item, text) for item in items]
        case ast.Tuple(elts=items):
            return tuple(_value(item, text) for item in items)
        case ast.Dict(keys=keys, values=values) if all(keys):
            pairs = zip(keys, values, strict=True)
            return {_key(key, text): _value(value, text) for key, value in pairs}
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
    return short(ast.get_source_segment(text.strip(), node) or "it").strip("'\"")
