"""The JSON Schema of a report, made from the model.

``python -m verify.reporting.schema`` prints what ``schema.json`` beside this file must hold.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import types
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from verify.model.outcome import json_name
from verify.reporting.codec import NON_FINITE, TAG
from verify.reporting.model import SCHEMA, Report

_SCALARS: Final[dict[Any, dict[str, Any]]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"$ref": "#/$defs/float"},
    type(None): {"type": "null"},
}


def json_schema(root_class: Any = Report, title: str = SCHEMA) -> dict[str, Any]:
    """The schema of a dataclass that is written as JSON, as data; of a report by default."""
    definitions: dict[str, Any] = {
        "float": {
            "description": "A number; the floats that JSON lacks are strings.",
            "anyOf": [{"type": "number"}, {"enum": list(NON_FINITE)}],
        }
    }
    root = _object(root_class, definitions)
    root["properties"] = {"schema": {"const": title}, **root["properties"]}
    root["required"] = ["schema", *root["required"]]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def _object(cls: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    fields = [field for field in dataclasses.fields(cls) if json_name(field)]
    hints = get_type_hints(cls)
    return {
        "description": cls.__doc__.splitlines()[0],
        "type": "object",
        "properties": {
            json_name(field): _describe_type(hints[field.name], definitions) for field in fields
        },
        "required": [json_name(field) for field in fields if _is_required(field)],
        "additionalProperties": False,
    }


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING or field.name == TAG


def _describe_type(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        name = kind.__name__
        if name not in definitions:
            definitions[name] = _object(kind, definitions)
        return {"$ref": f"#/$defs/{name}"}
    if isinstance(kind, enum.EnumType):
        members: list[enum.Enum] = list(kind)
        return {"enum": [member.value for member in members]}
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is types.UnionType:
        return {"anyOf": [_describe_type(argument, definitions) for argument in arguments]}
    if origin is tuple and arguments[-1] is Ellipsis:
        return {"type": "array", "items": _describe_type(arguments[0], definitions)}
    if origin is tuple:
        items = [_describe_type(argument, definitions) for argument in arguments]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _describe_type(arguments[1], definitions)}
    return _SCALARS[kind]


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=2))
