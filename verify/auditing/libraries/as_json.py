"""Audits as JSON, and its schema."""

from __future__ import annotations

import json
from typing import Any

from verify.auditing.libraries.entries import SCHEMA, Audit
from verify.reporting.codec import decode, encode, open_envelope
from verify.reporting.schema import json_schema


def audit_schema() -> dict[str, Any]:
    """The JSON Schema of an audit."""
    return json_schema(Audit, SCHEMA)


def written(audit: Audit) -> str:
    """The audit as JSON.

    Examples
    --------
    >>> read(written(Audit("jax", {}, "", 0, 0, 0.0, ()))).claimant
    'jax'
    """
    return json.dumps({"schema": SCHEMA, **encode(audit)}, separators=(",", ":")) + "\n"


def read(text: str) -> Audit:
    """The audit that :func:`written` wrote."""
    return decode(Audit, open_envelope(json.loads(text), SCHEMA), "audit")


if __name__ == "__main__":
    print(json.dumps(audit_schema(), indent=2))
