"""The rows together, and what can be asked of one of them."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import numpy as np

import symtape.primitives
from symtape.primitives.primitive import PRIMITIVES, Primitive


def vocabulary() -> list[Primitive]:
    """Every row that has a rule, with all modules that declare rows loaded."""
    for module in pkgutil.iter_modules(symtape.primitives.__path__):
        importlib.import_module(f"symtape.primitives.{module.name}")
    return [row for row in PRIMITIVES.values() if any(rule is not None for rule in row.rules)]


def examples(row: Primitive) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The examples of `row`, each as inputs and static parameters."""
    given = row.example if isinstance(row.example, list) else [row.example]
    return [_inputs_and_params(example) for example in given if example != ()]


def _inputs_and_params(example: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(example[0], tuple):
        inputs, *params = example
        return inputs, params[0] if params else {}
    return tuple(example), {}


def moving_inputs(row: Primitive, inputs: tuple[Any, ...]) -> tuple[int, ...]:
    """Which inputs can move: floats with a rule that does not refuse; integers are orders."""
    return tuple(
        i for i, x in enumerate(inputs) if np.asarray(x).dtype.kind == "f" and has_rule(row, i)
    )


def has_rule(row: Primitive, argnum: int) -> bool:
    """Whether a row has a rule for the derivative by one of its inputs."""
    rule = row.rule(argnum)
    return rule is not None and not rule.missing
