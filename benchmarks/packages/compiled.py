"""What programs compute of the packages' functions: ``python -m benchmarks.packages.compiled``.

Of each pair the derivative is compiled at its point by each back end, and set against the eager
one there and at further points, which may take another path: *equal* within rounding, *recorded
again* (and then equal), *refused*, with the reason, or *wrong*, of which there may be none.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symtape
from benchmarks.packages.pair import Pair, pairs
from symtape.errors import Escaped, SymtapeError, Unsupported
from symtape.recording.structure import flatten
from symtape.rigorous.floats import may_return
from verify.claimants.tape import tape_derivative
from verify.model.quantity import Quantity

BACKENDS: Final = ("numpy", "llvm")
OUTCOMES: Final = ("equal", "recorded again", "refused", "wrong")

_MOVES: Final[tuple[Callable[[Any], Any], ...]] = (
    lambda x: x * 1.0625,
    lambda x: x * 0.5 + 0.125,
    lambda x: -x,
)
"""From the point of a pair to further ones."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one derivative by one back end.

    Attributes
    ----------
    name, backend, outcome : str
        `outcome` is one of ``OUTCOMES``.
    words : str
        Why it was refused, or what is wrong.
    """

    name: str
    backend: str
    outcome: str
    words: str = ""


def outcome_of(pair: Pair, backend: str) -> Outcome:
    """Compile the derivative of a pair, and compare it with the eager one."""
    eager = tape_derivative(pair.function, Quantity(pair.quantity), len(pair.at))
    compiled = symtape.jit(eager, backend=backend)
    first, *further = _points(pair)
    try:
        compiled.record_at(*first)
    except Exception as error:  # noqa: BLE001  # whatever a package raises of tensors is a refusal
        return Outcome(pair.name, backend, "refused", _reason(error))
    outcome = "equal"
    try:
        words = _difference(eager, compiled, first)
        for point in further:
            before = compiled.programs
            words = words or _difference(eager, compiled, point)
            outcome = "recorded again" if compiled.programs > before else outcome
    except _RefusedHere as refusal:
        return Outcome(pair.name, backend, "refused", f"at some points: {refusal}")
    return Outcome(pair.name, backend, "wrong" if words else outcome, words)


def _points(pair: Pair) -> Iterator[tuple[Any, ...]]:
    given = [np.asarray(x, dtype=float)[()] for x in pair.at]
    yield tuple(given)
    for move in _MOVES:
        yield tuple(move(x) for x in given)


class _RefusedHere(Exception):
    """The compiled derivative raises where the eager one has a value."""


def _difference(eager: Any, compiled: Any, point: tuple[Any, ...]) -> str:
    """What differs by more than rounding, in words."""
    try:
        wanted = [np.asarray(y) for y in flatten(eager(*point))]
    except Exception:  # noqa: BLE001  # outside of the domain of a package's function
        return ""
    try:
        found = [np.asarray(y) for y in flatten(compiled(*point))]
    except Exception as error:  # a refusal, by whatever a package raises of tensors
        raise _RefusedHere(_reason(error)) from error
    if [y.shape for y in found] != [y.shape for y in wanted]:
        return f"at {point}: shapes {found}, eager {wanted}"
    if all(np.allclose(a, b, 1e-13, 0.0, True) for a, b in zip(found, wanted, strict=True)):
        return ""
    try:
        if may_return(symtape.record(eager, *point), point, found):
            return ""
    except SymtapeError:
        pass
    return f"at {point}: {found}, eager {wanted}"


def _reason(error: Exception) -> str:
    """Why there is no program, in a few words that are the same for many."""
    if isinstance(error, Escaped):
        return f"a value leaves ({error.code})"
    if isinstance(error, Unsupported):
        return "no machine code for a row"
    if isinstance(error, SymtapeError):
        return f"{type(error).__name__}: {str(error)[:160]}"
    return f"the package raises {type(error).__name__}"


def table(found: Sequence[Outcome]) -> str:
    """Counts for each back end, and the reasons of refusals."""
    lines = [f"{'back end':9} {'pairs':>5} " + " ".join(f"{name:>14}" for name in OUTCOMES)]
    for backend in dict.fromkeys(one.backend for one in found):
        own = [one for one in found if one.backend == backend]
        counts = Counter(one.outcome for one in own)
        numbers = " ".join(f"{counts[name]:14}" for name in OUTCOMES)
        lines.append(f"{backend:9} {len(own):5} {numbers}")
        reasons = Counter(one.words for one in own if one.outcome == "refused")
        lines += [f"  {count:4} {words}" for words, count in reasons.most_common()]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Compile the derivatives one after the other, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="pairs whose name holds this")
    parser.add_argument("--every", type=int, default=1, help="one pair in so many")
    options = parser.parse_args(arguments)
    found = []
    for pair in [*pairs(options.only)][:: options.every]:
        for backend in BACKENDS:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append(outcome_of(pair, backend))
            if found[-1].outcome == "wrong":
                print(f"wrong {pair.name} by {backend} | {found[-1].words[:300]}", flush=True)
    print(table(found))


if __name__ == "__main__":
    main()
