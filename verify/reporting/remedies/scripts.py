"""A short script that shows a finding without symtape: the claim beside difference quotients.

It is what a maintainer can run who has never heard of symtape. It is run before it is offered, and
offered only if the quotients settle on the exact value and away from the claim.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from verify.limits.limit import limit_time
from verify.model.case import Case, argument_names
from verify.model.foreign import AdaptedCallable
from verify.model.outcome import Entry
from verify.model.quantity import Quantity
from verify.model.result import PointOutcome, Remedy, Result
from verify.model.source import Spelling, spelling_of

_STEPS: Final = ("1e-3", "1e-4", "1e-5")

_NEAR: Final = 0.05
"""The share of the claim's error that the best quotient may be off by."""

_SECONDS: Final = 20.0
"""For all calls of a script together; what takes longer is no script to hand to anybody."""

_MOST_NUMBERS: Final = 24
"""Points of more numbers make no short script."""

_OF_A_FILE: Final = re.compile(r"^from _symtape_(\w+)_[0-9a-f]+ import", re.MULTILINE)
"""What `symtape verify FILE.py` calls the module of a file; a script finds it beside itself."""

Function = Callable[..., Any]


def script(result: Result, point: PointOutcome) -> Remedy | None:
    """The script of a finding at a point, with what it prints; None where there is no short one.

    There is none for what cannot be imported by name nor made in one line, for Hessians and
    products, and for errors that difference quotients are too coarse to show.

    Examples
    --------
    >>> import verify
    >>> r = verify.gradient(np.tanh, np.cosh, at=[0.5])
    >>> print(script(r, r.worst).line)
    import numpy as np
    from numpy import cosh, tanh
    <BLANKLINE>
    x = np.float64(0.5)
    print("claimed: ", np.ravel(cosh(x))[0])
    for h in (1e-3, 1e-4, 1e-5):
        quotient = (tanh(x + h) - tanh(x - h)) / (2 * h)
        print(f"quotient: {np.ravel(quotient)[0]:.7g}")
    # claimed:  1.1276259652063807
    # quotient: 0.7864476
    # quotient: 0.7864477
    # quotient: 0.7864477
    """
    case, worst = result.case, point.worst
    if worst is None or case.quantity not in ("gradient", "jacobian") or case.claimed is None:
        return None
    if any(isinstance(it, AdaptedCallable) for it in (case.function, case.claimed)):
        return None
    x = [np.asarray(arg)[()] for arg in point.x]
    if not _is_short(x):
        return None
    limit = limit_time(_SECONDS, lambda line: _NotWritten())
    try:
        with warnings.catch_warnings(), limit:
            warnings.simplefilter("ignore")  # as where it is judged
            text = _write_script(case, x, worst)
            printed = _run_script(text)
    except _NotWritten:
        return None
    if not _shows_finding(printed, worst):
        return None
    shown = _OF_A_FILE.sub(r"from \1 import", text)
    return Remedy("reproduce", "\n".join([shown, *(f"# {line}" for line in printed)]))


class _NotWritten(Exception):
    """There is no short script."""


def _is_short(x: Sequence[Any]) -> bool:
    plain = all(arg.dtype == np.float64 for arg in x)
    return plain and sum(arg.size for arg in x) <= _MOST_NUMBERS


def _write_script(case: Case, x: Sequence[Any], worst: Entry) -> str:
    assert case.claimed is not None
    names = argument_names(case.function, len(x))
    ours, theirs = (_spell(it, names) for it in (case.function, case.claimed))
    given = [f"{name} = {_spell_number(arg)}" for name, arg in zip(names, x, strict=True)]
    before = [*_import_lines([*ours.imports, *theirs.imports]), ""]
    before += dict.fromkeys([*ours.setup, *theirs.setup, *given])
    values = _answers(before, [ours.call, theirs.call])
    moving = Quantity(case.quantity, case.wrt).moving(len(x))[worst.argument]
    outputs = len(worst.index) - x[moving].ndim
    row = _place(values[0], _call(case.function, x), worst.index[:outputs])
    claimed, answer, chosen = values[1], _call(case.claimed, x), ""
    if isinstance(answer, tuple | list):
        answer = answer[worst.argument]
        if isinstance(claimed, tuple | list):
            claimed, chosen = claimed[worst.argument], f"[{worst.argument}]"
    entry = _place(claimed, answer, worst.index)
    step = "h * unit" if x[moving].ndim else "h"

    def call_moved(sign: str) -> str:
        moved = [f"{name} {sign} {step}" if k == moving else name for k, name in enumerate(names)]
        call = _spell(case.function, moved).call
        return f"np.array({call})" if isinstance(values[0], list | tuple) else call

    return "\n".join(
        [
            *before,
            *_unit_lines(x[moving], worst.index[outputs:]),
            f'print("claimed: ", np.ravel({theirs.call}{chosen})[{entry}])',
            f"for h in ({', '.join(_STEPS)}):",
            f"    quotient = ({call_moved('+')} - {call_moved('-')}) / (2 * h)",
            f'    print(f"quotient: {{np.ravel(quotient)[{row}]:.7g}}")',
        ]
    )


def _spell(function: Function, arguments: Sequence[str]) -> Spelling:
    """A call of a function, if a script can import it.

    Raises
    ------
    _NotWritten
    """
    spelled = spelling_of(function, len(arguments))
    if spelled is None:
        raise _NotWritten
    return spelled.give(arguments)


def _answers(before: Sequence[str], calls: Sequence[str]) -> list[Any]:
    """What calls give as they are written.

    Raises
    ------
    _NotWritten
        They cannot be carried out.
    """
    known: dict[str, Any] = {}
    try:
        with np.errstate(all="ignore"):
            exec(compile("\n".join(before), "<script>", "exec"), known)
            return [eval(call, known) for call in calls]
    except Exception as error:  # users' code
        raise _NotWritten from error


def _place(written: Any, shown: Any, index: tuple[int, ...]) -> int:
    """Where in an answer, as it is written, an entry of what was judged stands.

    What was judged may be a part of it, or in another order.

    Raises
    ------
    _NotWritten
        It is not there.
    """
    numbers, judged = np.ravel(written), np.asarray(shown)
    place = _flat_index(judged.shape, index)
    if numbers.tobytes() == judged.tobytes():
        return place
    (found,) = np.nonzero(numbers == np.ravel(judged)[place])
    if not found.size:
        raise _NotWritten
    return int(found[0])


def _call(function: Function, x: Sequence[Any]) -> Any:
    """What a function answers.

    Raises
    ------
    _NotWritten
        It raised an error.
    """
    try:
        with np.errstate(all="ignore"):
            return function(*[np.array(arg)[()] for arg in x])  # which may write into them
    except Exception as error:  # users' code
        raise _NotWritten from error


def _flat_index(shape: tuple[int, ...], index: tuple[int, ...]) -> int:
    try:
        return int(np.ravel_multi_index(index, shape)) if index else 0
    except ValueError as error:
        raise _NotWritten from error


def _import_lines(imports: Sequence[tuple[str, str]]) -> list[str]:
    by_module: dict[str, list[str]] = {}
    for module, name in imports:
        by_module.setdefault(module, []).append(name)
    lines = [
        f"from {it} import {', '.join(sorted({*names}))}" for it, names in sorted(by_module.items())
    ]
    return ["import numpy as np", *lines]


def _spell_number(arg: Any) -> str:
    return repr(arg) if arg.ndim == 0 else f"np.array({arg.tolist()})"


def _unit_lines(arg: Any, index: tuple[int, ...]) -> list[str]:
    if not arg.ndim:
        return []
    unit = np.zeros(arg.shape)
    unit[index] = 1.0
    return [f"unit = np.array({unit.tolist()})"]


def _run_script(text: str) -> list[str]:
    """What the script prints; nothing if it fails."""
    printed: list[str] = []
    given = {"print": lambda *words: printed.append(" ".join(map(str, words)))}
    try:
        with np.errstate(all="ignore"):
            exec(compile(text, "<script>", "exec"), given)
    except Exception:  # noqa: BLE001  # users' code, outside of its domain
        return []
    return printed


def _shows_finding(printed: Sequence[str], worst: Entry) -> bool:
    if len(printed) != 1 + len(_STEPS):
        return False
    claimed, *quotients = (float(line.rpartition(" ")[2]) for line in printed)
    exact = (float(worst.lower) + float(worst.upper)) / 2
    error = abs(claimed - exact)
    settled = min(abs(quotient - exact) for quotient in quotients[1:])
    return claimed == worst.claimed and bool(settled <= _NEAR * error)
