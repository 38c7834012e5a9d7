"""The machine's rendering: a case a line. Its schema is ``schema.json`` beside this file.

``python -m verify.comparison.as_json`` prints what that file must hold.
"""

from __future__ import annotations

import json
from typing import Any

from verify.comparison.model import SCHEMA, Comparison


def render(found: Comparison) -> str:
    """The comparison as JSON text: valid, whatever floats and characters are in it."""
    data = found.to_dict()
    rows = ",\n".join(f"  {_compact(row)}" for row in data["rows"])
    fields = {name: f" {_compact(name)}: {_compact(value)}" for name, value in data.items()}
    fields["rows"] = f' "rows": [\n{rows}\n ]' if rows else ' "rows": []'
    return "{\n" + ",\n".join(fields.values()) + "\n}\n"


def _compact(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def schema() -> dict[str, Any]:
    """The JSON Schema of a comparison, made from the model."""
    from verify.report.schema import json_schema

    return json_schema(Comparison, SCHEMA)


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2))
