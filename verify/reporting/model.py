"""The report: one model, from which every rendering is made.

Plain data (text, numbers, tuples), so that a report survives JSON unchanged.  Arrays are flat,
in C order, beside their shape; floats that matter are kept in decimal and in hexadecimal.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import platform
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import symtape
from symtape.one_line import OneLineRepr
from verify.model.change import Change
from verify.model.outcome import PointOutcome
from verify.model.result import Result
from verify.model.verdict import Verdict, gravest

SCHEMA: Final = "symtape.report/1"
"""The schema this version writes and reads."""


def rank(it: Result | PointOutcome) -> tuple[bool, float, int]:
    """A key that sorts what fails first, the most severe before all, and then by gravity."""
    severity = 0.0 if np.isnan(it.severity) else it.severity
    return not it.verdict.fails, -severity, -list(Verdict).index(it.verdict)


@dataclass(frozen=True, slots=True, repr=False)
class RowRung(OneLineRepr):
    """How strong the evidence for the rules of one operation is.

    Attributes
    ----------
    op : str
        The row's name.
    rung : str
        ``proved``, ``proved at the tested shapes``, ``certified``, or a verdict that it failed by.
    domain : str
        Where.
    reason : str
        Why it is not proved.
    """

    op: str
    rung: str
    domain: str
    reason: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class NotJudged(OneLineRepr):
    """What looks like a derivative and was not judged.

    Attributes
    ----------
    id : str
        What it is called; of a module its name.
    kind : str
        The convention that met it, or ``module``.
    reason : str
        Why not, in words.
    """

    id: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class Report(OneLineRepr):
    """What a run of the verifier found.

    Attributes
    ----------
    title : str
    suites : tuple of str
        The names of what was run.
    created : str
        ISO 8601.
    versions : dict
        Of symtape, Python and the libraries under it; also the platform.
    seed : int
    cases : tuple of Result
    elapsed : float
        Seconds of wall-clock time.
    interrupted : bool
        Whether it was stopped before the end; the cases are those that were done.
    replay : str
        The shell line that runs all of it again.
    selftest : str
        The last score of ``symtape selftest``, and whether the sources have changed since.
    rungs : tuple of RowRung
        Of the rows of the vocabulary, where the suite of them was run.
    baseline : str
        When the run was made that this one is compared with; empty for none.
    changes : tuple of Change
        What is different from that run, the gravest first.
    not_judged : tuple of NotJudged
        Of an audit: what could not be paired, bounded, posed or imported.
    """

    title: str
    suites: tuple[str, ...]
    created: str
    versions: dict[str, str]
    seed: int
    cases: tuple[Result, ...]
    elapsed: float = 0.0
    interrupted: bool = False
    replay: str = ""
    selftest: str = ""
    rungs: tuple[RowRung, ...] = ()
    baseline: str = ""
    changes: tuple[Change, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many cases have each verdict, the gravest first; zeros included."""
        found = Counter(case.verdict for case in self.cases)
        return {verdict: found[verdict] for verdict in reversed(Verdict)}

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict."""
        return gravest(case.verdict for case in self.cases)

    @property
    def cases_by_gravity(self) -> Iterator[Result]:
        """The cases: what fails first, the most severe before all, then by gravity, in order."""
        ranks = [rank(case) for case in self.cases]
        # One at a time, for a store reads each of its cases when it is asked for.
        return (self.cases[at] for at in sorted(range(len(ranks)), key=ranks.__getitem__))

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data, with its schema."""
        from verify.reporting.codec import encode  # slow to import, and words need it not

        return {"schema": SCHEMA, **encode(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Report:
        """Back from :meth:`to_dict`.

        Raises
        ------
        BadReport
            An unknown schema, a missing or unknown field, a value of another kind.
        """
        from verify.reporting.codec import decode, open_envelope

        return decode(cls, open_envelope(data, SCHEMA), "report")


def versions() -> dict[str, str]:
    """Of symtape, Python and the libraries under it; also the platform."""
    found = {"symtape": symtape.__version__, "Python": platform.python_version()}
    for name in ("numpy", "scipy", "sympy", "python-flint"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    known = (platform.system(), platform.machine(), _vendor(), _vector_extension())
    return found | {"platform": " ".join(word for word in known if word)}


def _vendor() -> str:
    """Who made the processor, where Linux tells: OpenBLAS has other kernels for each."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next((line.split()[-1] for line in lines if line.startswith("vendor_id")), "")
    return ""


def _vector_extension() -> str:
    """The processor's newest extension that NumPy computes with: last digits depend on it."""
    with contextlib.suppress(ImportError, AttributeError):
        numpy_core: Any = importlib.import_module("numpy._core._multiarray_umath")
        present = numpy_core.__cpu_features__
        return next((name for name in numpy_core.__cpu_dispatch__[::-1] if present[name]), "")
    return ""
