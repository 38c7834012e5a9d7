"""Synthetic reports: as many cases as an audit of large packages has, drawn by a seed.

They hold what real ones hold (a search, its plot, two sources, a witness where the claim fails),
so that what it costs to render, to open and to compare them is that of real ones.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from verify.model.accuracy import Accuracy
from verify.model.outcome import Enclosure, Float, Input
from verify.model.result import ClosedForm, Coverage, PointOutcome, Result, Survey
from verify.model.source import Source
from verify.model.verdict import Verdict
from verify.reporting import Report

PACKAGE: Final = "celestial"
_SHARES: Final = {
    Verdict.CORRECT: 0.9,
    Verdict.WRONG: 0.02,
    Verdict.INACCURATE: 0.03,
    Verdict.UNDECIDED: 0.04,
    Verdict.KINK: 0.01,
}
_AREAS: Final = ("optics", "orbits", "fluids", "networks", "statistics", "signals")
_NAMES: Final = ("Gauss", "Lorentz", "Moffat", "Sersic", "Planck", "Voigt", "Airy", "Kepler")
_CLAIMS: Final = ("fit_deriv", "jac", "gradient", "derivative")
_BASES: Final = ("proved; certified at 24 points to 2⁻²⁹⁷", "certified at 24 points to 2⁻²⁹⁴")
_MESSAGES: Final = {
    Verdict.WRONG: "the gradient is {exact}; the claim is {claimed}: a factor of 2 is missing.",
    Verdict.INACCURATE: "the claim loses its digits where its terms cancel.",
    Verdict.UNDECIDED: "the time budget of 60 s ran out; give more with --budget",
    Verdict.KINK: "the one-sided derivatives are -1 and 1; 0 is between them.",
}


def report(count: int = 10_000, seed: int = 0, release: str = "7.0") -> Report:
    """A report of `count` cases of a package that does not exist.

    Parameters
    ----------
    count : int
    seed : int
        What is drawn: the same cases and verdicts for the same seed.
    release : str
        The version of the package.
    """
    random = np.random.default_rng(seed)
    verdicts = random.choice(len(_SHARES), size=count, p=list(_SHARES.values()))
    drawn = zip(_ids(count), verdicts, random.integers(0, 16, size=count), strict=True)
    cases = tuple(_case(name, list(_SHARES)[which], int(kind)) for name, which, kind in drawn)
    return Report(
        title=f"{PACKAGE} {release}",
        suites=(PACKAGE,),
        created="2026-03-01T12:00:00+00:00",
        versions={"symtape": "0.1.0", "Python": "3.11.7", "numpy": "2.4.6", PACKAGE: release},
        seed=0,
        cases=cases,
        elapsed=0.8 * count,
        replay=f"symtape audit {PACKAGE}",
    )


def later(before: Report, seed: int = 1, release: str = "7.1") -> Report:
    """The same cases at a later release: one in fifty is judged otherwise, new, or gone."""
    random = np.random.default_rng(seed)
    fates = random.random(len(before.cases))
    cases = tuple(_fated(case, fate) for case, fate in zip(before.cases, fates, strict=True))
    kept = tuple(case for case in cases if case is not None)
    return replace(
        before,
        title=f"{PACKAGE} {release}",
        versions=before.versions | {PACKAGE: release},
        cases=kept,
    )


def _fated(case: Result, fate: float) -> Result | None:
    if fate < 0.004:
        return None
    if fate < 0.008:
        return replace(case, id=f"{case.id}2")
    if fate < 0.02:
        other = Verdict.CORRECT if case.fails else Verdict.WRONG
        return _case(case.id, other, int(fate * 1e6) % 16)
    return case


def _ids(count: int) -> Iterator[str]:
    for number in range(count):
        area = _AREAS[number % len(_AREAS)]
        name = _NAMES[number // 7 % len(_NAMES)]
        module = f"{PACKAGE}.{area}.m{number // 60:04d}"
        yield f"{module}:{name}{number}.{_CLAIMS[number % len(_CLAIMS)]}[p{number % 3}]"


def _case(name: str, verdict: Verdict, kind: int) -> Result:
    template = _template(verdict, kind)
    return replace(template, id=name, title=name, replay=f"symtape audit {PACKAGE} --only '{name}'")


@functools.cache
def _template(verdict: Verdict, kind: int) -> Result:
    """What cases of a kind share; memory would otherwise hold the same plots many times."""
    searched = verdict is not Verdict.UNDECIDED
    x = round(0.37 * (kind + 1), 2)
    basis = _BASES[kind % 2] if verdict is not Verdict.UNDECIDED else ""
    words = _MESSAGES.get(verdict, "").format(exact=-2 * x, claimed=-x)
    found = Coverage("x in [-40, 40], scale in [0.1, 10]", 0, 3000 + kind, 214, paths=(2, 2))
    return Result(
        id="",
        title="",
        suite=PACKAGE,
        quantity=("gradient", "jacobian", "hessian")[kind % 3],
        claimant=f"Model{kind}.fit_deriv",
        verdict=verdict,
        basis=basis,
        message=words,
        points=tuple(_points(verdict, x)) if searched else (),
        closed_forms=(ClosedForm("gradient", f"-{2 * x}*x*exp(-x**2/scale)"),),
        source=Source(f"{PACKAGE}/models.py", 10 * kind + 1, _code(kind, "evaluate")),
        claim=Source(f"{PACKAGE}/models.py", 10 * kind + 40, _code(kind, "fit_deriv")),
        seconds=0.4 + 0.1 * kind,
        coverage=found if searched else None,
        accuracy=_accuracy(kind) if searched else None,
    )


def _points(verdict: Verdict, x: float) -> Iterator[PointOutcome]:
    for number in range(4):
        fails = verdict.fails and number == 0
        yield PointOutcome(
            verdict if fails or (verdict is Verdict.KINK and number == 0) else Verdict.CORRECT,
            inputs=(Input.from_array("x", x + number), Input.from_array("scale", 0.5)),
            claimed=Float.from_number(-x),
            enclosure=Enclosure(f"-{2 * x}00000000000001", f"-{2 * x}00000000000002", 297),
            ulps=2.2e15 if fails else 0.4,
            allowed_ulps=6.0,
            relative_error=0.5 if fails else 4e-17,
            op="multiply" if fails else "",
            origin=f"{PACKAGE}/models.py:42" if fails else "",
            message="the gradient is twice what is claimed" if fails else "",
            power="excludes faults above one part in 10¹⁴",
            severity=0.5 if fails else 0.0,
        )


def _accuracy(kind: int) -> Accuracy | None:
    near = np.ldexp(1.0, -np.arange(0, 1000, 9))
    x = np.concatenate([np.linspace(-40 - kind, 40, 1200), near, -near])
    exact = 1 / np.cosh(x / (kind + 1)) ** 2
    claimed = 1 - np.tanh(x / (kind + 1)) ** 2
    ulps = np.abs(claimed - exact) / np.spacing(exact)
    scale = 0.1 + np.abs(np.sin(np.arange(len(x))))
    return Accuracy.from_survey(
        Survey(("x", "scale"), np.stack([x, scale], 1), ulps, claimed, exact)
    )


def _code(kind: int, name: str) -> str:
    lines = [f"def {name}(x, amplitude, x_0, scale):", f'    """Model {kind}, as published."""']
    lines += [f"    t{n} = np.exp(-((x - x_0) ** 2) / (2 * scale**2)) + {n}" for n in range(8)]
    return "\n".join([*lines, "    return amplitude * (t0 + t1 + t2 + t3 - t4 * t5)", ""])
