"""Proof of a row: of each of its rules, over its region or at the shapes of its examples."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import Primitive
from symtape.symbolic.boxes import boxes
from symtape.symbolic.normal_form import Proof
from verify.proofs.arrays import prove_at_shape
from verify.proofs.elementwise import prove_on_box
from verify.proofs.programs import Attempt, outputs_of
from verify.proofs.standing import RowProof, shape_words
from verify.suites.primitives import examples, has_rule, moving_inputs

__all__ = ["over_region", "prove_row"]

_LONGEST: Final = 80


def prove_row(row: Primitive) -> RowProof:
    """Try to prove every rule of `row`.

    Examples
    --------
    >>> from symtape.primitives.trigonometric import TANH
    >>> found = prove_row(TANH)
    >>> found.proved, found.over
    (True, 'everywhere')
    """
    started = time.perf_counter()
    proofs: list[Proof] = []
    shapes: list[str] = []
    uses: set[str] = set()
    with np.errstate(all="ignore"):
        for label, attempt, shape in _attempts(row):
            proof = attempt.proof
            uses |= attempt.uses
            if shape and shape not in shapes:
                shapes.append(shape)
            if not proof.proved:
                return RowProof(
                    False,
                    _over(row, shapes),
                    reason=f"{label}: {_short(proof.reason)}",
                    seconds=time.perf_counter() - started,
                )
            proofs.append(proof)
    return RowProof(
        bool(proofs),
        _over(row, shapes),
        tuple(shapes),
        tuple(dict.fromkeys(_short(words) for proof in proofs for words in proof.where)),
        tuple(dict.fromkeys(_short(words) for proof in proofs for words in proof.assuming)),
        "" if proofs else "it has no example to be proved at",
        time.perf_counter() - started,
        tuple(sorted(uses)),
    )


def over_region(row: Primitive) -> bool:
    """Whether the rules of `row` are proved over a region, rather than at the tested shapes."""
    chooses = row.symbolic is None and row.name in ("maximum", "minimum", "fmax", "fmin", "where")
    return row.elementwise and (row.symbolic is not None or chooses)


def _over(row: Primitive, shapes: list[str]) -> str:
    return row.over or "everywhere" if over_region(row) else f"shapes {', '.join(shapes)}"


def _attempts(row: Primitive) -> Iterator[tuple[str, Attempt, str]]:
    if over_region(row):
        for argnum, name in enumerate(row.inputs):
            if has_rule(row, argnum):
                for attempt in _over_boxes(row, argnum):
                    yield f"by {name}", attempt, ""
        return
    for inputs, params in examples(row):
        arrays = tuple(x if np.ndim(x) == 0 else np.asarray(x) for x in inputs)
        free = moving_inputs(row, arrays)
        shape = shape_words(arrays, params)
        for argnum in free:
            for part in outputs_of(row, arrays, params):
                label = f"by input {argnum} at {shape}"
                yield label, prove_at_shape(row, arrays, params, free, argnum, part), shape


def _over_boxes(row: Primitive, argnum: int) -> Iterator[Attempt]:
    for held, params in _held(row):
        for box in boxes(row.over):
            yield prove_on_box(row, argnum, box, held, params)


def _held(row: Primitive) -> list[tuple[dict[int, Any], dict[str, Any]]]:
    """The inputs that cannot move, at the values of the examples; truth values both ways."""
    fixed = [k for k, rule in enumerate(row.rules) if rule is None]
    found: list[tuple[dict[int, Any], dict[str, Any]]] = []
    for inputs, params in examples(row):
        held: dict[int, Any] = {}
        for k in fixed:
            value = np.asarray(inputs[k])
            if value.dtype.kind != "f":
                held[k] = value.ravel()[0].item()
        if any(isinstance(value, bool) for value in held.values()):
            found += [(dict.fromkeys(held, side), params) for side in (True, False)]
        elif (held, params) not in found:
            found.append((held, params))
    return found


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
