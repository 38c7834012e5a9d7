"""Dataclasses to plain JSON data and back, driven by their annotations.

Floats that JSON cannot say are the strings ``"nan"``, ``"inf"`` and ``"-inf"``.
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
import functools
import math
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from verify.report.errors import BadReport

__all__ = ["NON_FINITE", "decode", "encode", "field_types", "open_envelope"]

T = TypeVar("T")

_LARGEST: Final = sys.float_info.max

NON_FINITE: Final = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
"""The strings that stand for the floats that JSON lacks."""


def encode(value: Any) -> Any:
    """`value` as dicts, lists, strings, finite numbers, booleans and None.

    Examples
    --------
    >>> encode((1.5, float("inf"), "x"))
    [1.5, 'inf', 'x']
    """
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return {field.name: encode(getattr(value, field.name)) for field in fields}
    raise TypeError(
        f"a report holds plain data; got {type(value).__name__} {value!r}: "
        "convert it to float, str or a tuple of these"
    )


def open_envelope(data: Any, schema: str) -> dict[str, Any]:
    """The fields of `data` without ``schema``, which must be `schema`."""
    if not isinstance(data, Mapping):
        raise BadReport(f"a report is a JSON object, got {_shown(data)}")
    if "schema" not in data:
        raise BadReport(f"this is no report: it lacks 'schema' (expected {schema!r})")
    if data["schema"] != schema:
        raise BadReport(
            f"schema is {_shown(data['schema'])}, but this version reads {schema!r}; "
            "render the report with the version of symtape that wrote it, or run it again"
        )
    return {key: value for key, value in data.items() if key != "schema"}


@functools.cache  # of the classes of a report
def field_types(cls: type) -> dict[str, Any]:
    """The resolved annotations of a dataclass."""
    return get_type_hints(cls)


def decode(kind: type[T], data: Any, place: str) -> T:
    """A `kind` from plain `data`; `place` is where it stands, for messages.

    Raises
    ------
    BadReport
        Where `data` is anything else.
    """
    return _decode(kind, data, place)  # type: ignore[no-any-return]


def _decode(kind: Any, data: Any, place: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return _decode_fields(kind, data, place)
    if isinstance(kind, enum.EnumType):
        return _decode_choice(_members(kind), data, place)
    origin = get_origin(kind)
    if origin is Literal:
        return _decode_choice({choice: choice for choice in get_args(kind)}, data, place)
    if origin is types.UnionType:
        return _decode_union(get_args(kind), data, place)
    if origin is tuple:
        return _decode_tuple(get_args(kind), data, place)
    if origin is dict:
        return _decode_mapping(get_args(kind), data, place)
    return _SCALARS[kind](data, place)


def _members(kind: Any) -> dict[str, Any]:
    return {member.value: member for member in kind}


def _decode_fields(kind: Any, data: Any, place: str) -> Any:
    if not isinstance(data, Mapping):
        raise BadReport(f"{place}: expected an object ({kind.__name__}), got {_shown(data)}")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name in data:
        if name not in fields:
            raise BadReport(f"{place}: unknown field {name!r}{_similar(name, fields)}")
    hints = field_types(kind)
    given = {}
    for name, field in fields.items():
        if name in data:
            value = _decode(hints[name], data[name], f"{place}.{name}")
            if field.init:
                given[name] = value
        elif field.default is dataclasses.MISSING:
            raise BadReport(f"{place} lacks {name!r}")
    try:
        return kind(**given)
    except ValueError as error:
        raise BadReport(f"{place}: {error}") from error


def _decode_union(kinds: tuple[Any, ...], data: Any, place: str) -> Any:
    if data is None and type(None) in kinds:
        return None
    kinds = tuple(kind for kind in kinds if kind is not type(None))
    if len(kinds) == 1:
        return _decode(kinds[0], data, place)
    tagged = {get_args(field_types(kind)["kind"])[0]: kind for kind in kinds}
    if not isinstance(data, Mapping) or "kind" not in data:
        raise BadReport(f"{place}: expected an object with a 'kind', got {_shown(data)}")
    return _decode(_decode_choice(tagged, data["kind"], f"{place}.kind"), data, place)


def _decode_tuple(kinds: tuple[Any, ...], data: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(data, list | tuple):
        raise BadReport(f"{place}: expected a list, got {_shown(data)}")
    if kinds[-1] is Ellipsis:
        kinds = (kinds[0],) * len(data)
    if len(kinds) != len(data):
        raise BadReport(f"{place}: expected {len(kinds)} items, got {len(data)}")
    return tuple(
        _decode(kind, item, f"{place}[{at}]")
        for at, (kind, item) in enumerate(zip(kinds, data, strict=True))
    )


def _decode_mapping(kinds: tuple[Any, ...], data: Any, place: str) -> dict[str, Any]:
    if not isinstance(data, Mapping):
        raise BadReport(f"{place}: expected an object, got {_shown(data)}")
    return {key: _decode(kinds[1], item, f"{place}[{key!r}]") for key, item in data.items()}


def _decode_choice(choices: Mapping[str, Any], data: Any, place: str) -> Any:
    if not isinstance(data, str) or data not in choices:
        allowed = ", ".join(choices)
        raise BadReport(f"{place}: expected one of {allowed}; got {_shown(data)}")
    return choices[data]


def _decode_float(data: Any, place: str) -> float:
    if isinstance(data, int | float) and not isinstance(data, bool):
        return float(data) if abs(data) <= _LARGEST else math.inf * (1 if data > 0 else -1)
    if isinstance(data, str) and data in NON_FINITE:
        return NON_FINITE[data]
    allowed = ", ".join(map(repr, NON_FINITE))
    raise BadReport(f"{place}: expected a number (or {allowed}), got {_shown(data)}")


def _exactly(kind: type, words: str) -> Callable[[Any, str], Any]:
    def check(data: Any, place: str) -> Any:
        if type(data) is not kind:
            raise BadReport(f"{place}: expected {words}, got {_shown(data)}")
        return data

    return check


_SCALARS: Final[Mapping[type, Callable[[Any, str], Any]]] = {
    float: _decode_float,
    int: _exactly(int, "a whole number"),
    str: _exactly(str, "text"),
    bool: _exactly(bool, "true or false"),
}


def _similar(name: Any, names: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(str(name), names, n=1)
    return f" (did you mean {close[0]!r}?)" if close else f"; known are {', '.join(names)}"


def _shown(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 60 else text[:57] + "..."
