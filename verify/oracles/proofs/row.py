"""Proof of a row: of each of its rules, over its region or at shapes, in a process that can end."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.primitives.vocabulary import examples, has_rule, moving_inputs, vocabulary
from symtape.symbolic.boxes import boxes
from verify.limits.processes import call_in_processes
from verify.oracles.proofs.content import is_built_in
from verify.oracles.proofs.elementwise import chooses, prove_on_box
from verify.oracles.proofs.known import RowProof, find_proof, remember, setting_words, shape_words
from verify.oracles.proofs.programs import Attempt, outputs_of, prove_at_shape

_LONGEST: Final = 80

_ORDERS: Final = range(-4, 8)
"""Orders that a proof is tried for beside those of the examples."""

_DTYPES: Final = (np.float16, np.float32, np.float64, np.longdouble)

_Setting: TypeAlias = tuple[dict[int, Any], dict[str, Any]]
"""The inputs that are held, and the static parameters."""


@dataclass(frozen=True, slots=True)
class _TriedRule:
    """A rule that was tried: what it is called, and at which parameters and shapes."""

    label: str
    attempt: Attempt
    setting: str
    shape: str = ""


def prove_row(row: Primitive) -> RowProof:
    """Try to prove every rule of `row`.

    Examples
    --------
    >>> from symtape.primitives.trigonometric import TANH
    >>> found = prove_row(TANH)
    >>> found.proved, found.over
    (True, 'everywhere')
    """
    attempts: list[_TriedRule] = []
    with np.errstate(all="ignore"):
        for tried in _attempts(row):
            if not tried.attempt.proof.proved:
                return RowProof(
                    False,
                    _describe_proof_region(row, _shapes(attempts)),
                    reason=f"{tried.label}: {_short(tried.attempt.proof.reason)}",
                )
            attempts.append(tried)
        attempts += _further(row)
    return _all_of(row, attempts)


def _all_of(row: Primitive, attempts: Sequence[_TriedRule]) -> RowProof:
    proofs = [tried.attempt.proof for tried in attempts]
    uses = {name for tried in attempts for name in tried.attempt.uses}
    shapes = _shapes(attempts)
    return RowProof(
        bool(proofs),
        _describe_proof_region(row, shapes),
        tuple(shapes),
        tuple(dict.fromkeys(_short(words) for proof in proofs for words in proof.where)),
        tuple(dict.fromkeys(_short(words) for proof in proofs for words in proof.assuming)),
        "" if proofs else "it has no example to be proved at",
        tuple(sorted(uses)),
        tuple(dict.fromkeys(tried.setting for tried in attempts)),
    )


def _shapes(attempts: Sequence[_TriedRule]) -> list[str]:
    return list(dict.fromkeys(tried.shape for tried in attempts if tried.shape))


def is_proved_over_region(row: Primitive) -> bool:
    """Whether the rules of `row` are proved over a region, rather than at the tested shapes."""
    return chooses(row) or (row.elementwise and row.symbolic is not None)


def _describe_proof_region(row: Primitive, shapes: list[str]) -> str:
    return row.over or "everywhere" if is_proved_over_region(row) else f"shapes {', '.join(shapes)}"


def _attempts(row: Primitive) -> Iterator[_TriedRule]:
    if is_proved_over_region(row):
        for held, params in _fixed_inputs(row):
            yield from _prove_boxes(row, held, params)
        return
    for inputs, params in examples(row):
        arrays = tuple(x if np.ndim(x) == 0 else np.asarray(x) for x in inputs)
        free = moving_inputs(row, arrays)
        shape, setting = shape_words(arrays, params), setting_words(arrays, params)
        for argnum in free:
            for part in outputs_of(row, arrays, params):
                label = f"by input {argnum} at {shape}"
                attempt = prove_at_shape(row, arrays, params, free, argnum, part)
                yield _TriedRule(label, attempt, setting, shape)


def _prove_boxes(
    row: Primitive, held: dict[int, Any], params: dict[str, Any]
) -> Iterator[_TriedRule]:
    """By every input, over all of the region, with the inputs that cannot move `held`."""
    orders = {row.inputs[k]: x for k, x in held.items() if not isinstance(x, bool)}
    setting = setting_words([], {**orders, **params})
    for argnum, name in enumerate(row.inputs):
        if has_rule(row, argnum):
            for box in boxes(row.over):
                attempt = prove_on_box(row, argnum, box, held, params)
                yield _TriedRule(f"by {name}", attempt, setting)


def _further(row: Primitive) -> Iterator[_TriedRule]:
    """Parameters that no example has, as far as they can be proved."""
    if not is_proved_over_region(row):
        return
    known = _fixed_inputs(row)
    for other in _other_settings(*known[0]) if known else ():
        if other not in known:
            yield from _take_while_proved(_prove_boxes(row, *other))


def _other_settings(held: dict[int, Any], params: dict[str, Any]) -> Iterator[_Setting]:
    for k in [k for k, x in held.items() if type(x) is int]:
        for order in _ORDERS:
            yield {**held, k: order}, params
    if "dtype" in params:
        for dtype in _DTYPES:
            yield held, {**params, "dtype": np.dtype(dtype)}


def _take_while_proved(attempts: Iterator[_TriedRule]) -> list[_TriedRule]:
    """All of `attempts`, if all of them are proofs."""
    found = []
    try:
        for tried in attempts:
            if not tried.attempt.proof.proved:
                return []
            found.append(tried)
    except (ArithmeticError, TypeError, ValueError):
        # A template of an order that there is not.
        return []
    return found


def _fixed_inputs(row: Primitive) -> list[_Setting]:
    """The inputs that cannot move, at the values of the examples; truth values both ways."""
    fixed = [k for k, rule in enumerate(row.rules) if rule is None]
    found: list[_Setting] = []
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


SECONDS: Final = 60.0
"""For one row, which takes milliseconds, or one divisor of polynomials that takes minutes."""


def prove_rows(
    rows: Sequence[Primitive], seconds: float = SECONDS, again: bool = False
) -> list[RowProof]:
    """What is known of `rows`: from the package, from an earlier run, or proved now.

    Parameters
    ----------
    rows : sequence of Primitive
    seconds : float
        After which the proof of a row is given up.
    again : bool
        Whether all are proved now.
    """
    found = [None if again else find_proof(row) for row in rows]
    unknown = [row for row, proof in zip(rows, found, strict=True) if proof is None]
    fresh: dict[str, RowProof] = {}
    for row, (proof, ended) in zip(unknown, _run_proofs(unknown, seconds), strict=True):
        # What was stopped says nothing of the row, and may come to its end another time.
        remember(row, proof, lasting=ended)
        fresh[row.name] = proof
    return [proof or fresh[row.name] for row, proof in zip(rows, found, strict=True)]


def prove_new_rows() -> None:
    """Prove the rows that did not come with the package, so that programs inherit of them."""
    rows = [row for row in PRIMITIVES.values() if any(row.rules) and not is_built_in(row)]
    prove_rows(rows)


def _run_proofs(rows: Sequence[Primitive], seconds: float) -> list[tuple[RowProof, bool]]:
    """What became of each proof, and whether it came to its end."""
    if not rows:
        return []
    # Rows hold functions, which no process border lets through: a fork has them already.
    _HELD.update({row.name: row for row in rows})
    method = "fork" if sys.platform == "linux" else "spawn"
    given = [(row.name,) for row in rows]
    with warnings.catch_warnings(action="ignore"):
        # Libraries with threads warn of every fork; nothing of theirs runs in this one.
        done = dict(call_in_processes(_prove, given, 1, seconds, method=method))
    return [_proof_result(done[number], seconds) for number in range(len(rows))]


def _proof_result(proof: Future[Any], seconds: float) -> tuple[RowProof, bool]:
    try:
        found: RowProof = proof.result()
    except TimeoutError:
        return RowProof(False, reason=f"not within {seconds:g} s"), False
    except Exception as error:  # noqa: BLE001
        # What the worker raised, or why it died: the row is not proved.
        return RowProof(False, reason=f"{type(error).__name__}: {error}"), False
    return found, True


_HELD: Final[dict[str, Primitive]] = {}
"""Rows that are to be proved; where processes are not forked, workers have those of the package."""


def _prove(name: str) -> RowProof:
    if name not in _HELD:
        vocabulary()
    return prove_row(_HELD.get(name) or PRIMITIVES[name])
