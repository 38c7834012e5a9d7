"""The names of NumPy and SciPy that are differentiated, and what each has: ``symtape ops``."""

from __future__ import annotations

import csv
import importlib
import io
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import FUNCTIONS, UFUNCS, Primitive
from symtape.primitives.protocol import WRITERS, ArrayStandIn
from symtape.primitives.ufunc_methods import METHODS
from symtape.primitives.vocabulary import has_rule, vocabulary
from symtape.reading.arrays import MAKERS
from symtape.reading.distributions import RECORDED
from symtape.reading.scipy_names import RECORDED_FUNCTIONS, names_of_scipy
from symtape.recording.tensor import Tensor
from verify.oracles.proofs.known import find_proof

_MODULES: Final = (
    ("np", "numpy"),
    ("np.linalg", "numpy.linalg"),
    ("np.fft", "numpy.fft"),
    ("scipy.special", "scipy.special"),
    ("scipy.special", "scipy.special._ufuncs"),
)
"""Modules whose functions tell a tensor that they are called."""

_OPERATORS: Final = (
    *("__getitem__", "__setitem__", "__matmul__", "__pow__", "__abs__", "__neg__", "__rtruediv__"),
)

YES: Final = "yes"
NO: Final = "no"
OF_ROWS: Final = "as its ops"
"""Of a composition, which has what the operations have that it is recorded as."""


_MARK: Final = "·"


@dataclass(frozen=True)
class Name:
    """What is had of a name."""

    name: str
    kind: str
    first: str
    second: str
    forward: str
    complex: str
    closed_form: str
    ball: str
    proof: str


def names() -> list[Name]:
    """Every name, in alphabetical order.

    Examples
    --------
    >>> {each.name: each.kind for each in names()}["np.sin"]
    'row'
    """
    vocabulary()
    found: dict[str, Name] = {}
    for each in (*_iterate_module_names(), *map(_composition, _iterate_compositions())):
        found.setdefault(each.name, each)
    for name in _iterate_recorded_names():
        found.setdefault(name, _composition(name, "SciPy's code"))
    return sorted(found.values(), key=lambda each: each.name)


def _iterate_module_names() -> Iterator[Name]:
    for shown, module in _MODULES:
        for name, value in vars(importlib.import_module(module)).items():
            if name.startswith("_") or not callable(value) or isinstance(value, type):
                continue
            row = UFUNCS.get(value) if isinstance(value, np.ufunc) else None
            meant: Any = row or FUNCTIONS.get(value)
            if isinstance(meant, Primitive):
                yield _describe_row(f"{shown}.{name}", meant)
            elif meant is not None:
                yield _composition(f"{shown}.{name}")


def _iterate_compositions() -> Iterator[str]:
    """Names that are met otherwise while code is recorded, and those of arrays."""
    yield from (f"np.{made}" for made in MAKERS)
    yield from (f"np.{writer.__name__}" for writer in WRITERS)
    yield from (f"{module}.{name}" for module, name in names_of_scipy())
    for name in (*dir(ArrayStandIn), *dir(Tensor)):
        if (not name.startswith("_") and hasattr(np.ndarray, name)) or name in _OPERATORS:
            yield f"ndarray.{name}"
    for ufunc, row in UFUNCS.items():
        if ufunc.nin == 2 and _first(row) == YES:
            yield from (f"ufunc.{ufunc.__name__}.{method}" for method in (*METHODS, "outer"))


def _iterate_recorded_names() -> Iterator[str]:
    """Names of which SciPy's own code is recorded."""
    yield from RECORDED_FUNCTIONS
    for distribution, methods in RECORDED.items():
        for method in methods:
            yield ".".join(filter(None, ("scipy.stats", distribution, method)))


def _first(row: Primitive) -> str:
    if row.cuts:
        return "no: constant by steps"
    moving = [has_rule(row, k) for k in range(len(row.inputs))]
    if all(moving) or row.variadic:
        return YES
    of = ", ".join(name for name, moves in zip(row.inputs, moving, strict=True) if moves)
    return f"by {of}" if of else NO


def _second(row: Primitive) -> str:
    """As the first, unless a rule is by a row that has none."""
    for rule in row.rules:
        if rule is None or rule.missing:
            continue
        named = (rule.function.__globals__.get(name) for name in rule.function.__code__.co_names)
        if any(isinstance(of, Primitive) and not of.cuts and _first(of) == NO for of in named):
            return NO
    return _first(row)


def _describe_row(name: str, row: Primitive) -> Name:
    first, proof = _first(row), find_proof(row)
    of_complex = getattr(row, "complex", None)
    return Name(
        name=name,
        kind="row",
        first=first,
        second=_second(row),
        forward=first,
        complex=YES if of_complex else NO,
        closed_form=YES if row.symbolic or row.elements or row.select else NO,
        ball=YES if row.ball or row.elements or row.select else NO,
        proof=proof.rung if proof else "certified" if any(row.rules) else "",
    )


def _composition(name: str, kind: str = "composition") -> Name:
    return Name(name, kind, *(OF_ROWS for _ in fields(Name)[2:]))


def format_csv(found: list[Name]) -> str:
    """A table with a line of headings."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(each.name for each in fields(Name))
    table.writerows(asdict(each).values() for each in found)
    return written.getvalue()


def format_json(found: list[Name]) -> str:
    """A list of objects."""
    return json.dumps([asdict(each) for each in found], indent=1)


def format_table(found: list[Name]) -> Any:
    """A table for the terminal."""
    from rich.table import Table

    title = f"{len(found)} names; {_MARK} as the operations that it is recorded as"
    table = Table(box=None, pad_edge=False, title=title, title_justify="left")
    for column in fields(Name):
        table.add_column(column.name.replace("_", " "), no_wrap=True)
    for each in found:
        table.add_row(*(_MARK if it == OF_ROWS else it for it in asdict(each).values()))
    return table
