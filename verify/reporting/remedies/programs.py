"""The tape's own program of the derivative, as NumPy source in place of a claim that fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

import symtape
from symtape.process.budget import Budget
from symtape.programs.emitted.derivative import QUANTITIES
from symtape.programs.emitted.source import source
from verify.files import places
from verify.model.case import Case, argument_names, name_function
from verify.model.result import PointOutcome, Remedy, Result
from verify.model.verdict import Verdict

_OPERATIONS: Final = 300
"""A function of more is not written: people read none of it, and it would take long."""

_ELEMENTS: Final = 5_000
"""Numbers in all of its steps, likewise."""

_LINES: Final = 40
"""Of source that a report shows; of more it tells the command that prints it."""

_NUMBERS: Final = 8
"""A point of more is not written into a command."""


def program(result: Result, witness: PointOutcome) -> Remedy | None:
    """The source of the derivative, if it passes where the claim failed.

    It is recorded at the witness, and judged there as the claim was.

    Returns
    -------
    Remedy or None
        The command that prints it, where it is long; None where there is none, or it fails too.

    Examples
    --------
    >>> import numpy as np, verify
    >>> r = verify.gradient(np.sin, np.sin, at=[0.5])
    >>> print(program(r, r.witness).line)
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def grad_sin(x):
        \"\"\"The gradient of sin.\"\"\"
        x = np.asarray(x, dtype=float)
        if x.shape != ():
            raise ValueError("expected x of shape ()")
        return np.cos(x)
    """
    case = result.case
    if case.quantity not in QUANTITIES or case.quantity == "hvp":
        return None
    if not (witness.bits or witness.kink or witness.misbehaviour):
        # Its recording may not be the function, and no program stands on that.
        return None
    try:
        graph = symtape.record(case.function, *witness.x, budget=_OPERATIONS)
        if graph.elements > _ELEMENTS:
            return None
        text = _write_program(case, witness)
        made = _define_function(text)
    except Exception:  # noqa: BLE001
        # Of what cannot be recorded, or written, there is no program.
        return None
    if not passes(result, made, [witness]):
        return None
    if text.count("\n") > _LINES:
        line = _command(case, witness)
        return Remedy("replace", line) if line else None
    return Remedy("replace", text.rstrip())


def _write_program(case: Case, witness: PointOutcome) -> str:
    names = argument_names(case.function, len(witness.x))
    name = name_function(case.function)
    by = [names[k] for k in _places(case, len(names))]
    name = name if name.isidentifier() else "f"
    return source(case.function, witness.x, names, name, "numpy", case.quantity, by)


def _places(case: Case, count: int) -> tuple[int, ...]:
    """The arguments that are differentiated by; of a Hessian they are given twice."""
    if case.wrt is None:
        return tuple(range(count))
    found: Any = case.wrt[0] if case.quantity == "hessian" else case.wrt
    return tuple(found) if isinstance(found, tuple) else (found,)


def _define_function(text: str) -> Callable[..., Any]:
    """The function that the source defines."""
    space: dict[str, Any] = {}
    exec(compile(text, "<program>", "exec"), space)
    (made,) = [one for one in space.values() if inspect.isfunction(one)]
    return made


def _command(case: Case, witness: PointOutcome) -> str:
    """The command that prints the source; empty for a function that no command can name."""
    name = str(getattr(case.function, "__qualname__", ""))
    file = places.place_of_function(case.function).rpartition(":")[0]
    if not (file and name.isidentifier()):
        return ""
    few = sum(np.size(x) for x in witness.x) <= _NUMBERS
    at = ", ".join(str(np.asarray(x).tolist()) for x in witness.x) if few else "POINT"
    what = f" --what {case.quantity}" if case.quantity == "hessian" else ""
    by = argument_names(case.function, len(witness.x))
    wrt = "" if case.wrt is None else "".join(f" --wrt {by[k]}" for k in _places(case, len(by)))
    return f"symtape derive {file}:{name} --at '{at}'{what}{wrt} --code numpy"


_BUDGET: Final = Budget(statements=200_000)


def passes(result: Result, claimed: Any, failing: Sequence[PointOutcome]) -> bool:
    """Whether `claimed`, in place of the claim, passes at points where it failed."""
    from verify.judging.judge import verify_case

    at = tuple(point.x for point in failing)
    case = replace(result.case, claimed=claimed, at=at, over=None, modes={})
    try:
        # A kink at which it is not known what may be claimed is no finding.
        return verify_case(case, _BUDGET).verdict in (Verdict.CORRECT, Verdict.KINK)
    except Exception:  # noqa: BLE001
        # Code that was made may do anything; then it is no remedy.
        return False
