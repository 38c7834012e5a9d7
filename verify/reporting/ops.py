"""What the vocabulary knows of an op, as its row says it: ``symtape ops``."""

from __future__ import annotations

import difflib
import os
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any, Final

import numpy as np
import sympy as sp

import symtape
from symtape.primitives.domain import Domain
from symtape.primitives.primitive import PRIMITIVES, Primitive, name_of
from symtape.primitives.row_parts import DECISIONS, STRUCTURES, TIES
from symtape.primitives.vocabulary import has_rule, vocabulary
from verify.errors import UsageError
from verify.oracles.proofs.known import find_proof
from verify.suites.primitives import cases

_READINGS: Final = {
    "evaluate": "on floats",
    "elements": "on any numbers",
    "select": "of choices",
    "ball": "in balls and jets",
    "rational": "on fractions",
    "normal": "in the prover",
    "slopes": "of errors",
    "batch": "of batches",
}

_LONGEST: Final = 160
"""Characters of what is said of a field; conditions of proofs may be as long as they like."""

_PACKAGE: Final = Path(symtape.__file__).parent.parent


def ops(names: Sequence[str] = ()) -> list[str]:
    """One text for each op that is named; without names the names of all, in a single one.

    Raises
    ------
    UsageError
        There is no op of a name.

    Examples
    --------
    >>> print(ops(["sqrt"])[0])
    sqrt(x)
      source            DLMF 4.2.26
      in SymPy          sqrt(x)
      on floats         numpy.sqrt
      in balls and jets sqrt
      ...
    """
    vocabulary()
    for name in names:
        if name not in PRIMITIVES:
            near = difflib.get_close_matches(name, PRIMITIVES, n=3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UsageError(f"there is no op {name!r}{hint} (symtape ops lists all of them)")
    if not names:
        return [" ".join(sorted(PRIMITIVES))]
    return [describe_row(PRIMITIVES[name]) for name in names]


def describe_row(row: Primitive) -> str:
    """All that a row says, a line for each of its fields.

    Examples
    --------
    >>> "0 at 0" in describe_row(PRIMITIVES["absolute"])
    True
    """
    variadic = "*" if row.variadic else ""
    lines = [f"{row.name}({variadic}{', '.join(row.inputs)})"]
    told = (
        (label, textwrap.shorten(words, _LONGEST, placeholder=" …"))
        for label, words in _iterate_facts(row)
    )
    lines += [f"  {label:<17} {words}" for label, words in told if words]
    return "\n".join(lines)


def _iterate_facts(row: Primitive) -> Iterator[tuple[str, str]]:
    yield "source", row.source
    yield "in SymPy", _template(row)
    for field, label in _READINGS.items():
        yield label, _place(getattr(row, field))
    yield "acts", "on each element" if row.elementwise else "on whole arrays"
    yield "domain", _domain(row)
    yield "kinks", f"found by {_place(row.kinks)}" if row.kinks else "nowhere"
    yield "at a kink", row.convention
    yield "pieces there", _place(row.pieces)
    yield "series there", "in fractional powers of the distance" if row.puiseux else ""
    yield "ties", TIES.get(row.ties, "")
    yield "in Python", row.operator
    yield "decision", DECISIONS.get(row.decision, "")
    yield "on booleans", DECISIONS.get(row.of_truths, "") and row.of_truths
    yield from _rounding(row)
    yield from _derivatives(row)


def _domain(row: Primitive) -> str:
    if isinstance(row.domain, Domain):
        return row.domain.words
    return f"tested by {_place(row.domain)}" if row.domain else "everywhere"


def _template(row: Primitive) -> str:
    """What the row means in SymPy; where it is written, if it takes more than symbols."""
    if row.symbolic is None:
        return ""
    symbols = [sp.Symbol(name, real=True) for name in row.inputs]
    try:
        return str(row.symbolic(sp, *symbols))
    except TypeError:
        return _place(row.symbolic)


def _rounding(row: Primitive) -> Iterator[tuple[str, str]]:
    if callable(row.rounding):
        yield "rounding", f"counted by {_place(row.rounding)}"
    else:
        yield "rounding", "none" if row.rounding == (0, 0) else _constants(row.rounding)
    yield "rounding in XLA", "" if row.xla is None else _constants(row.xla)
    yield "structure", STRUCTURES[row.structure] if row.structure else ""
    if row.backward is not None:
        said = ((each.name, getattr(row.backward, each.name)) for each in fields(row.backward))
        told = [name for name, value in said if value and name != "size"]
        yield "backward error", ", ".join(["exact for a matrix nearby", *told])


def _derivatives(row: Primitive) -> Iterator[tuple[str, str]]:
    if row.stops:
        yield "derivative", "held constant"
    elif row.cuts:
        yield "derivative", "None: not differentiable"
    for k, name in enumerate(row.inputs):
        rule = row.rule(k)
        if rule is not None:
            yield f"rule by {name}", _place(rule.function) if has_rule(row, k) else "missing"
    proof = find_proof(row)
    if proof is not None:
        words = f"{proof.rung}, {proof.domain}" if proof.proved else f"{proof.rung}: {proof.reason}"
        yield "proof", words
    elif any(row.rules):
        yield "proof", "certified: it was added or changed since rows were proved last"
    if not row.cuts and not row.missing:
        claims = [case.id for case in cases() if case.title.split("(")[0].split("[")[0] == row.name]
        yield "claimants", f"symtape's tape, in {', '.join(claims)}" if claims else ""


def _constants(pair: tuple[float, float]) -> str:
    inside, outside = (f"{k:g}" for k in pair)
    return f"f(x (1 ± {inside} u)) (1 ± {outside} u)"


def _place(function: Callable[..., Any] | bool | None) -> str:
    """Where a reading is written; of a library's function its name."""
    if function is None or function is False:
        return ""
    if function is True:
        return "as on floats"
    if isinstance(function, np.ufunc):
        return (
            f"numpy.{function.__name__}"
            if hasattr(np, function.__name__)
            else _name_function(function)
        )
    if isinstance(function, partial):
        return _place(function.func)
    if not isinstance(function, FunctionType) or function.__module__.startswith("numpy"):
        return _name_function(function)
    if (name := name_of(function)) is not None:
        return name
    code = function.__code__
    file = os.path.relpath(code.co_filename, _PACKAGE)
    return f"{file if not file.startswith('..') else code.co_filename}:{code.co_firstlineno}"


def _name_function(function: Any) -> str:
    module = getattr(function, "__module__", None) or "scipy.special"
    return f"{module.removeprefix('_')}.{function.__name__}"
