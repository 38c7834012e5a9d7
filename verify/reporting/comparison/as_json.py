"""The machine's rendering: a case a line. Its schema is ``schema.json`` beside this file.

``python -m verify.reporting.comparison.as_json`` prints what that file must hold.
"""

from __future__ import annotations

import json
from typing import Any

from verify.reporting.as_json import json_lines
from verify.reporting.comparison.model import SCHEMA, Comparison


def render(found: Comparison) -> str:
    """The comparison as JSON text: valid, whatever floats and characters are in it."""
    data = found.to_dict()
    return "".join(json_lines(data, "rows", data["rows"]))


def schema() -> dict[str, Any]:
    """The JSON Schema of a comparison, made from the model."""
    from verify.reporting.schema import json_schema

    return json_schema(Comparison, SCHEMA)


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2))
