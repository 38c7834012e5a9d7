"""The committed schema is the model's, is a schema, and describes what is written."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import verify.reporting
from verify.reporting import Report
from verify.reporting.schema import json_schema

COMMITTED = Path(verify.reporting.__file__).with_name("schema.json")


def test_the_committed_schema_is_current() -> None:
    committed = json.loads(COMMITTED.read_text(encoding="utf-8"))
    assert committed == json_schema(), "run: python -m verify.reporting.schema > schema.json"


@pytest.mark.long
def test_samples_satisfy_it(
    sample: Report, hostile: Report, empty: Report, surveyed: Report
) -> None:
    validator = jsonschema.Draft202012Validator(json_schema())
    validator.check_schema(validator.schema)
    for report in (sample, hostile, empty, surveyed):
        validator.validate(report.to_dict())


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"schema": "symtape.report/2"},
        {"seed": "x"},
        {"cases": [{}]},
        {"extra": 1},
        {"elapsed": "x"},
    ],
)
def test_others_do_not(sample: Report, change: dict[str, object]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(sample.to_dict() | change, json_schema())
