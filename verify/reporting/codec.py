"""Reports and audits as plain JSON data and back: cattrs by the annotations, and told to be strict.

Floats that JSON cannot say are the strings ``"nan"``, ``"inf"`` and ``"-inf"``.
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from cattrs import BaseValidationError, Converter, ForbiddenExtraKeysError, transform_error
from cattrs.gen import (
    make_dict_structure_fn,
    make_dict_unstructure_fn,
    make_mapping_structure_fn,
    override,
)

from verify.model.outcome import json_name
from verify.reporting.generated import BadReport

T = TypeVar("T")
_Reader: TypeAlias = Callable[[Any, Any], Any]

_LARGEST: Final = sys.float_info.max

TAG: Final = "kind"
"""The field that tells objects apart which may stand in one place."""

_LACKS: Final = "lacks "

NON_FINITE: Final = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
"""The strings that stand for the floats that JSON lacks."""


def encode(value: Any) -> Any:
    """The fields of `value` as dicts, lists, strings, finite numbers, booleans and None.

    Examples
    --------
    >>> from verify.model.figures import Series
    >>> encode(Series("s", (1.5,), (float("inf"),)))
    {'name': 's', 'x': [1.5], 'y': ['inf']}
    """
    return _CONVERTER.unstructure(value)


def decode(kind: type[T], data: Any, place: str) -> T:
    """A `kind` from plain `data`; `place` is where it stands, for messages.

    Raises
    ------
    BadReport
        Where `data` is anything else.
    """
    try:
        return _CONVERTER.structure(data, kind)
    except (BaseValidationError, ValueError) as error:
        words, _, where = transform_error(error, place, _words)[0].rpartition(" @ ")
        if words.startswith(_LACKS):
            raise BadReport(f"{where.rpartition('.')[0]} {words}") from error
        raise BadReport(f"{where}: {words}") from error


def open_envelope(data: Any, schema: str) -> dict[str, Any]:
    """The fields of `data` without ``schema``, which must be `schema`."""
    if not isinstance(data, Mapping):
        raise BadReport(f"a report is a JSON object, got {_format_data(data)}")
    if "schema" not in data:
        raise BadReport(f"this is not a report: it lacks 'schema' (expected {schema!r})")
    if _is_newer(data["schema"], schema):
        raise BadReport(
            f"schema is {_format_data(data['schema'])}, but this version reads {schema!r}: a newer "
            "symtape wrote it; read it with that one, or run it again with this one"
        )
    if data["schema"] != schema:
        raise BadReport(
            f"schema is {_format_data(data['schema'])}, but this version reads {schema!r}; "
            "render the report with the version of symtape that wrote it, or run it again"
        )
    return {key: value for key, value in data.items() if key != "schema"}


def _is_newer(found: Any, known: str) -> bool:
    """Whether it is a later number of the same schema."""
    (name, _, number), (ours, _, our_number) = str(found).partition("/"), known.partition("/")
    return name == ours and number.isdecimal() and int(number) > int(our_number)


def _words(error: BaseException, _: Any) -> str:
    if isinstance(error, ForbiddenExtraKeysError):
        name = min(error.extra_fields)
        return f"unknown field {name!r}{_similar(name, _fields(error.cl))}"
    return f"{_LACKS}{error}" if isinstance(error, KeyError) else str(error)


def _fields(kind: Any) -> list[str]:
    return [name for one in dataclasses.fields(kind) if (name := json_name(one))]


def _similar(name: str, names: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, names, n=1)
    return f" (did you mean {close[0]!r}?)" if close else f"; known are {', '.join(names)}"


def _format_data(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 60 else text[:57] + "..."


def _exactly(kind: type, words: str) -> _Reader:
    def read(data: Any, _: Any) -> Any:
        if type(data) is not kind:
            raise ValueError(f"expected {words}, got {_format_data(data)}")
        return data

    return read


def _number(data: Any, _: Any) -> float:
    if isinstance(data, int | float) and not isinstance(data, bool):
        return float(data) if abs(data) <= _LARGEST else math.inf * (1 if data > 0 else -1)
    if isinstance(data, str) and data in NON_FINITE:
        return NON_FINITE[data]
    allowed = ", ".join(map(repr, NON_FINITE))
    raise ValueError(f"expected a number (or {allowed}), got {_format_data(data)}")


def _encode_float(value: float) -> float | str:
    return float(value) if math.isfinite(value) else str(float(value))


def _choice(kind: Any, _: Converter) -> _Reader:
    named = isinstance(kind, enum.EnumType)
    choices = {it.value: it for it in kind} if named else {it: it for it in get_args(kind)}

    def read(data: Any, _: Any) -> Any:
        if not isinstance(data, str) or data not in choices:
            raise ValueError(f"expected one of {', '.join(choices)}; got {_format_data(data)}")
        return choices[data]

    return read


def _items(kind: Any, converter: Converter) -> _Reader:
    """Of a tuple, whose items are all of one kind."""
    item, *more = get_args(kind)
    count = None if more == [...] else 1 + len(more)
    listed: Any = list[item]  # type: ignore[valid-type]
    items, some = converter.get_structure_hook(listed), _exactly(list, "a list")

    def read(data: Any, _: Any) -> tuple[Any, ...]:
        if count not in (None, len(some(data, list))):
            raise ValueError(f"expected {count} items, got {len(data)}")
        return tuple(items(data, listed))

    return read


def _object(kind: Any, converter: Converter) -> _Reader:
    if get_origin(kind) is dict:
        whole, read = _exactly(dict, "an object"), make_mapping_structure_fn(kind, converter)
    else:
        whole = _exactly(dict, f"an object ({kind.__name__})")
        read = make_dict_structure_fn(
            kind, converter, _cattrs_forbid_extra_keys=True, **_names(kind)
        )
    return lambda data, _: read(whole(data, dict), kind)


def _written_fields(kind: Any, converter: Converter) -> Callable[[Any], dict[str, Any]]:
    return make_dict_unstructure_fn(kind, converter, **_names(kind))


def _names(kind: Any) -> dict[str, Any]:
    called = {one.name: json_name(one) for one in dataclasses.fields(kind)}
    return {name: override(rename=it, omit=not it) for name, it in called.items() if it != name}


def _make_union_reader(kind: Any, converter: Converter) -> _Reader:
    kinds = {get_args(get_type_hints(one)[TAG])[0]: one for one in get_args(kind)}

    def read(data: Any, _: Any) -> Any:
        if not isinstance(data, dict) or TAG not in data:
            raise ValueError(f"expected an object with a {TAG!r}, got {_format_data(data)}")
        if (tag := data[TAG]) not in kinds:
            raise ValueError(f"{TAG}: expected one of {', '.join(kinds)}; got {_format_data(tag)}")
        return converter.structure(data, kinds[tag])

    return read


def _strict() -> Converter:
    converter = Converter(unstruct_collection_overrides={tuple: list})
    converter.register_unstructure_hook(float, _encode_float)
    converter.register_structure_hook(float, _number)
    converter.register_unstructure_hook_factory(dataclasses.is_dataclass, _written_fields)
    for kind, words in ((int, "a whole number"), (str, "text"), (bool, "true or false")):
        converter.register_structure_hook(kind, _exactly(kind, words))
    for applies, factory in _FACTORIES:
        converter.register_structure_hook_factory(applies, factory)
    return converter


_FACTORIES: Final[tuple[tuple[Callable[[Any], bool], Callable[[Any, Converter], _Reader]], ...]] = (
    (lambda kind: isinstance(kind, enum.EnumType) or get_origin(kind) is Literal, _choice),
    (
        lambda kind: get_origin(kind) is UnionType and NoneType not in get_args(kind),
        _make_union_reader,
    ),
    (lambda kind: get_origin(kind) is dict or dataclasses.is_dataclass(kind), _object),
    (lambda kind: get_origin(kind) is tuple, _items),
)

_CONVERTER: Final = _strict()
