"""Writes proofs over regions as certificates, for :mod:`verify.certificates.checker` to replay."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from symtape.recording.structure import flatten, separate_entries
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.template import STOP
from symtape.symbolic.trees import Tree, is_rational
from verify.certificates.checker import FORMAT, Rejected, check, digest
from verify.claimants.claim import Claim, claim_of
from verify.model.case import Case
from verify.model.quantity import Quantity
from verify.oracles.over_region import path as paths
from verify.oracles.over_region.constants import number_meant
from verify.oracles.over_region.part import Part, RegionProof
from verify.oracles.over_region.proof import prove_over
from verify.oracles.over_region.recordings import boxes_of, find_ends
from verify.regions import Region

_FUNCTIONS: Final = frozenset(("exp", "log", "sin", "cos", "asin", "atan", "erf"))
_CONSTANT: Final = ("zeros_like", "ones_like")
"""What has the same value whatever it is given."""

_HALF: Final = Fraction(1, 2)
_SHARE: Final = 0.381966

_STRIP: Final = 2.0**-30
"""So much of the width of a part is left out beside a cut."""


class NotWritten(Exception):
    """A proof for which certificates have no words."""


def write_certificate(case: Case, folder: Path) -> str:
    """Prove a case over its region and write the certificate of that.

    Parameters
    ----------
    case : Case
    folder : Path
        Where a file is named by the id of the case; an older one is removed.

    Returns
    -------
    str
        Why there is none; empty if there is one, which the checker has accepted.
    """
    file = folder / (re.sub(r"[^\w.-]+", "-", case.id) + ".json")
    file.unlink(missing_ok=True)
    if case.over is None:
        return "it has no region"
    claim = claim_of(case)
    proof = prove_over(claim, case.over, where_defined=False)
    if proof is None:
        return "it is not proved"
    try:
        made = certify(case.id, claim, case.over, proof)
        check(made)
    except NotWritten as error:
        return str(error)
    except Rejected as error:
        return f"the checker cannot follow it: {error}"
    except SymtapeError:
        return "its pieces are too many for one program"
    file.write_text(json.dumps(made) + "\n", encoding="utf-8")
    return ""


def certify(case: str, claim: Claim, region: Region, proof: RegionProof) -> dict[str, Any]:
    """The certificate of what is proved of a claim, JSON.

    Raises
    ------
    NotWritten
        It is enclosed only, or is proved where the function is defined and not on all of a part,
        or takes choices or operations that no certificate holds.
    """
    if proof.conditions:
        raise NotWritten("it is proved where the function is defined, which no certificate says")
    spaces = boxes_of(region)
    lower, upper = (np.concatenate(ends) for ends in zip(*map(find_ends, spaces), strict=True))
    by_path: dict[int, list[Part]] = {}
    for part in proof.parts:
        if not part.bits and np.all((part.lower < upper) & (part.upper > lower)):
            by_path.setdefault(id(part.path), []).append(part)
    if not by_path:
        raise NotWritten("it is enclosed, not proved")
    sizes = [int(np.prod(space.shape)) for space in spaces]
    ends = np.cumsum([0, *sizes]).tolist()
    count, quantity = len(spaces), claim.quantity

    def numbers(arguments: Iterable[int]) -> list[int]:
        return [k for at in arguments for k in range(ends[at], ends[at + 1])]

    if quantity.columns(count) != quantity.rows(count):
        raise NotWritten("it is a block of a Hessian beside the diagonal")
    certificate = {
        "format": FORMAT,
        "claim": {
            "case": case,
            "quantity": quantity.name,
            "by": numbers(quantity.rows(count)),
            "directions": numbers(quantity.direction_places(count)),
            "function": _identify(claim.function),
            "claimed": _identify(claim.derivative),
        },
        "region": _write_box(lower, upper),
        "parts": [_write_part(claim, spaces, parts) for parts in by_path.values()],
    }
    return {**certificate, "digest": digest(certificate)}


def _identify(function: Any) -> dict[str, Any]:
    """A name of a function, and a hash of its source where it has one."""
    function = inspect.unwrap(function)
    try:
        source = hashlib.sha256(inspect.getsource(function).encode()).hexdigest()
    except (OSError, TypeError):
        source = None
    return {"name": getattr(function, "__qualname__", type(function).__name__), "sha256": source}


def _write_box(lower: Any, upper: Any) -> list[list[str]]:
    return [list(map(_write_number, pair)) for pair in zip(lower, upper, strict=True)]


def _write_number(value: Any) -> str:
    if not np.isfinite(float(value)):
        raise NotWritten("it is not finite where it was called")
    return str(Fraction(float(value)))


def _write_inside(part: Part) -> list[list[str]]:
    """The box of a part without strips where it was cut, for its conditions turn there."""
    below, above = part.faces.cut * _STRIP * (part.upper - part.lower)
    return _write_box(part.lower + below, part.upper - above)


def _write_part(claim: Claim, spaces: Sequence[Any], parts: Sequence[Part]) -> dict[str, Any]:
    first, count, quantity = parts[0], len(spaces), claim.quantity
    shares = (_SHARE + np.arange(first.lower.size) * _SHARE) % 1  # on no diagonal
    x = _arrays(first.lower + (first.upper - first.lower) * shares, spaces)
    path = first.path
    if path is None or not path.in_pieces:
        path = paths.Path(*first.programs, x, quantity, in_pieces=True)
    rows = _Rows(path.shadows[0].program, first.rounded)
    function, claimed = (shadow.outputs for shadow in path.shadows)
    made = {
        "boxes": list(map(_write_inside, parts)),
        "function": [rows.add_statement(at) for at in _join(function)],
        "claimed": [
            rows.add_statement(at) for at in _order_entries(claimed, quantity, count, function)
        ],
        "defined": [
            rows.add_statement(at) for shadow in path.shadows for at in _multiplied_by_zero(shadow)
        ],
        "conditions": [pair for shadow in path.shadows for pair in _conditions(shadow, rows)],
        "call": _write_call(claim, x, function),
    }
    return {**made, "program": rows.rows}


def _arrays(numbers: Any, spaces: Sequence[Any]) -> tuple[Any, ...]:
    entries = separate_entries(numbers, [space.shape for space in spaces])
    return tuple(np.asarray(e, dtype=s.dtype)[()] for e, s in zip(entries, spaces, strict=True))


def _join(parts: Sequence[Any]) -> list[Any]:
    return [entry for part in parts for entry in np.ravel(part).tolist()]


def _order_entries(
    parts: Sequence[Any], quantity: Quantity, count: int, outputs: Sequence[Any]
) -> list[Any]:
    """The entries of a claim, those of a matrix row by row."""
    if quantity.name == "jacobian":
        size = np.size(outputs[0])
        return _join([np.hstack([np.reshape(part, (size, -1)) for part in parts])])
    if quantity.name == "hessian":
        across = len(quantity.columns(count))
        lines = [parts[k : k + across] for k in range(0, len(parts), across)]
        sizes = [round(np.size(line[k]) ** 0.5) for k, line in enumerate(lines)]
        return _join(
            [
                np.hstack([np.reshape(part, (size, -1)) for part in line])
                for size, line in zip(sizes, lines, strict=True)
            ]
        )
    return _join(parts)


def _conditions(shadow: Shadow, rows: _Rows) -> list[list[int]]:
    """The rows that Python has asked, and what they are."""
    graph, varying = shadow.graph, set(shadow.graph.inputs)
    chosen = {selection.node for selection in shadow.selections}
    for at, node in enumerate(graph.nodes):
        if varying.isdisjoint(node.inputs):
            continue
        varying.add(at)
        is_held = at in shadow.held and node.row.name not in _CONSTANT
        if is_held or (at in chosen and node.row.decision):
            raise NotWritten(f"it chooses by {node.row.name}")
    asked = [(shadow.ids[step.node], step.outcome) for step in graph.path]
    return [
        [rows.add_statement(int(np.ravel(ids)[0])), int(value)]
        for ids, value in asked
        if ids is not None
    ]


def _multiplied_by_zero(shadow: Shadow) -> list[int]:
    """The statements on which no output depends, and which are to be defined all the same."""
    needed = set(shadow.program.list_needed(_join(shadow.outputs)))
    statements = _join([ids for ids in shadow.ids if ids is not None])
    return [at for at in dict.fromkeys(statements) if at not in needed]


def _write_call(claim: Claim, x: Sequence[Any], outputs: Sequence[Any]) -> list[list[str]]:
    """A point of a part, and what function and claim return there."""
    given = np.concatenate([np.ravel(each) for each in x])
    value, returned = flatten(claim.value(*x)), flatten(claim.derivative(*x))
    claimed = _order_entries(returned, claim.quantity, len(x), outputs)
    return [list(map(_write_number, each)) for each in (given, _join(value), claimed)]


class _Rows:
    """The rows of a certificate, of the statements of a program.

    Parameters
    ----------
    program : Program
    rounded : bool
        Whether constants stand for numbers that they may have been rounded from.
    """

    def __init__(self, program: Program, rounded: bool) -> None:
        self.rows: list[list[Any]] = []
        self._program, self._rounded = program, rounded
        self._known: dict[tuple[Any, ...], int] = {}
        self._statements: dict[int, int] = {}
        self._inputs = {at: k for k, at in enumerate(program.inputs)}

    def add_statement(self, statement: int) -> int:
        """The row of a statement.

        Raises
        ------
        NotWritten
        """
        for at in self._program.list_needed([statement]):
            if at not in self._statements:
                self._statements[at] = self._write(at)
        return self._statements[statement]

    def _place(self, *row: Any) -> int:
        if row not in self._known:
            self._known[row] = len(self.rows)
            self.rows.append(list(row))
        return self._known[row]

    def _write(self, at: int) -> int:
        if at in self._inputs:
            return self._place("input", self._inputs[at])
        template = self._program.templates[at]
        if template is STOP:
            raise NotWritten("a gradient is stopped")
        if template is None:
            return self._write_tree(self._program.constants[at], [])
        return self._write_tree(
            template.tree, [self._statements[a] for a in self._program.arguments[at]]
        )

    def _write_tree(self, tree: Tree, given: Sequence[int]) -> int:
        if is_rational(tree):
            meant = number_meant(Fraction(tree)) if self._rounded else tree
            if meant == tree:
                return self._place("number", str(tree))
            return self._place("rounded", self._write_exact(meant, given), str(tree))
        return self._write_exact(tree, given)

    def _write_exact(self, tree: Tree, given: Sequence[int]) -> int:
        if is_rational(tree):
            return self._place("number", str(tree))
        if tree == "pi":
            return self._place("pi")
        if tree == "E":
            return self._place("exp", self._place("number", "1"))
        if isinstance(tree, str) and tree[0] == "a" and tree[1:].isdigit():
            return given[int(tree[1:])]
        if not isinstance(tree, tuple):
            raise NotWritten(f"{tree} is no number")
        return self._write_function(tree[0], tree[1:], given)

    def _write_function(self, name: str, parts: Sequence[Tree], given: Sequence[int]) -> int:
        if name == "Pow" and is_rational(parts[1]):
            meant = number_meant(Fraction(parts[1])) if self._rounded else parts[1]
            if meant == parts[1]:
                return self._place("power", self._write_tree(parts[0], given), str(meant))
        rows = [self._write_tree(part, given) for part in parts]
        if name in ("Add", "Mul"):
            total = rows[0]
            for row in rows[1:]:
                total = self._place(name.lower(), total, row)
            return total
        if name == "Heaviside" and parts[1] in (0, 1):
            return self._place("step", rows[0], int(parts[1]))
        if name == "loggamma":
            return self._place("loggamma", rows[0], 0)
        if name == "polygamma" and type(parts[0]) is int:
            return self._place("loggamma", rows[1], parts[0] + 1)
        if name in _FUNCTIONS and len(rows) == 1:
            return self._place(name, rows[0])
        if name in _DEFINED:
            return self._write_exact(_DEFINED[name], rows)
        raise NotWritten(f"it takes {name}")


def _add(*parts: Tree) -> Tree:
    return ("Add", *parts)


def _multiply(*parts: Tree) -> Tree:
    return ("Mul", *parts)


def _power(base: Tree, exponent: Tree) -> Tree:
    return ("Pow", base, exponent)


_EXP, _BACK = ("exp", "a0"), ("exp", _multiply(-1, "a0"))
_TWICE: Final = _power(_add(("exp", _multiply(2, "a0")), 1), -1)
_QUOTIENT: Final = _multiply(_add(1, "a0"), _power(_add(1, _multiply(-1, "a0")), -1))

_DEFINED: Final[dict[str, Tree]] = {
    "Pow": ("exp", _multiply("a1", ("log", "a0"))),
    "tan": _multiply(("sin", "a0"), _power(("cos", "a0"), -1)),
    "sinh": _multiply(_HALF, _add(_EXP, _multiply(-1, _BACK))),
    "cosh": _multiply(_HALF, _add(_EXP, _BACK)),
    "tanh": _add(1, _multiply(-2, _TWICE)),
    "acos": _add(_multiply(_HALF, "pi"), _multiply(-1, ("asin", "a0"))),
    "asinh": ("log", _add("a0", _power(_add(1, _power("a0", 2)), _HALF))),
    "acosh": ("log", _add("a0", _power(_add(_power("a0", 2), -1), _HALF))),
    "atanh": _multiply(_HALF, ("log", _QUOTIENT)),
    "erfc": _add(1, _multiply(-1, ("erf", "a0"))),
}
"""Functions as formulas in others."""
