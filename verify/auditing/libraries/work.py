"""Measurements as units of work of a campaign, and which of them an audit of a library asks for."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Final

from symtape.version import __version__
from verify.auditing.answers import write_answer
from verify.auditing.libraries.claimants import CLAIMANTS, Claimant, claimant
from verify.auditing.libraries.formats import HALVES
from verify.auditing.libraries.functions import FUNCTIONS, Function
from verify.auditing.libraries.measuring import case_id, measure, quantity_of
from verify.auditing.libraries.spelling import compile_formula
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.pair import Unpaired
from verify.auditing.run import Plan
from verify.campaign.addresses import address, versions_of
from verify.campaign.work import Work
from verify.errors import UsageError
from verify.model.case import Case
from verify.model.result import Result
from verify.model.verdict import Verdict

POINTS: Final = 3000

SECONDS: Final = 120.0
"""For one measurement: libraries compile."""

_ORACLES: Final = ("python-flint", "mpmath", "sympy")


@dataclass(frozen=True, slots=True)
class Measuring:
    """One derivative of one function of a library in one format, to be measured.

    Attributes
    ----------
    library, function : str
    wrt : tuple of int
        By which arguments, in turn.
    format : str
    points, seed : int
    """

    library: str
    function: str
    wrt: tuple[int, ...]
    format: str
    points: int = POINTS
    seed: int = 0

    @property
    def id(self) -> str:
        """The case's."""
        return case_id(self.library, self._row, self.wrt, self.format)

    @property
    def _row(self) -> Function:
        return FUNCTIONS[self.function]

    @property
    def key(self) -> str:
        """Its content address, by the row, the options and the library's version."""
        return address("measurement", astuple(self), packages=self.packages)

    @property
    def packages(self) -> tuple[str, ...]:
        """The distributions whose versions matter."""
        return (*CLAIMANTS[self.library].packages, *_ORACLES)

    @property
    def replay(self) -> str:
        """The shell line that measures it again."""
        words = f"symtape audit {self.library} --only {self.function} --dtype {self.format}"
        points = f" --points {self.points}" if self.points != POINTS else ""
        return f"{words} --order {len(self.wrt)}{points} --seed {self.seed}"

    def run(self, seconds: float) -> str:
        """The case, or why there is none; whoever runs it sees to the seconds."""
        start = time.perf_counter()
        library = claimant(self.library)
        try:
            found = measure(library, self._row, self.wrt, self.format, self.points, self.seed)
        except NotPosed as error:
            return write_answer(Unpaired(self.id, self.library, str(error)))
        taken = time.perf_counter() - start
        return write_answer(replace(found, replay=self.replay, seconds=taken))

    def describe_end(self, words: str) -> str:
        """The undecided case of a measurement that came to no answer."""
        title = self._row.spell_for(self.library)
        return write_answer(undecided_case(self, title, quantity_of(self.wrt), words))


def undecided_case(work: Any, title: str, quantity: str, words: str) -> Result:
    """Of a unit of work on a library, by its id, library and replay."""
    return Result(
        id=work.id,
        title=title,
        suite=work.library,
        quantity=quantity,
        claimant=work.library,
        verdict=Verdict.UNDECIDED,
        message=words,
        replay=work.replay,
    )


def plan_of(library: Claimant, title: str, works: Iterable[Work]) -> Plan:
    """The works on a library, with its versions."""
    versions = versions_of(library.packages) | {"symtape": __version__}
    kept = {each: versions[each] for each in library.packages}
    name = library.name
    return Plan(f"{title} {name} {versions[name]}", name, tuple(works), versions=kept)


def pose_row(name: str) -> Case:
    """The function and the derivative that a case of an audit is of, without a claim.

    Examples
    --------
    >>> pose_row("jax:hypot ∂/∂y float32").wrt
    (1,)
    """
    function, derivative, _ = name.partition(":")[2].split(" ")
    row = FUNCTIONS[function]
    every = [*row.derivatives(1), *row.derivatives(2)]
    wrt: Any = next(it for it in every if row.derivative_name(it) == derivative)
    return Case(
        id=name,
        title=row.formula,
        function=compile_formula(row.formula, row.arguments),
        at=(),
        quantity=quantity_of(wrt),
        suite=name.partition(":")[0],
        wrt=wrt if len(wrt) == 1 else (wrt[:1], wrt[1:]),
    )


def plan_measurements(
    name: str,
    formats: Sequence[str] = (),
    orders: Sequence[int] = (1, 2),
    only: Sequence[str] = (),
    points: int = POINTS,
    seed: int = 0,
) -> Plan:
    """The measurements of an audit: the most asked for first, for an interrupted run keeps them.

    Parameters
    ----------
    name : str
        One of :data:`verify.auditing.libraries.claimants.CLAIMANTS`.
    formats : sequence of str
        All that it has by default; of those in half precision first derivatives only.
    orders : sequence of int
        1, 2 or both.
    only : sequence of str
        Functions with one of these in their name.
    points, seed : int

    Raises
    ------
    UsageError
        The library is not installed, has not one of the formats, or no function of that name.

    Examples
    --------
    >>> [it.id for it in plan_measurements("symtape", ["float64"], [1], ["tanh"]).works]
    ['symtape:tanh d/dx float64', 'symtape:arctanh d/dx float64']
    """
    library = claimant(name)
    for form in formats:
        if form not in library.formats:
            raise UsageError(
                f"{name} has no {form} to audit; its formats are {', '.join(library.formats)}"
            )
    own = [row for row in FUNCTIONS.values() if row.is_own(name)]
    for text in only:
        if not any(text in row.name for row in own):
            names = ", ".join(row.name for row in own)
            raise UsageError(f"no function of {name} has {text!r} in its name; it has {names}")
    works = (
        Measuring(name, row.name, wrt, form, points, seed)
        for order in orders
        for form in formats or library.formats
        # Of halves second derivatives are measured only if they are asked for.
        if formats or order == 1 or form not in HALVES
        for row in own
        if not only or any(text in row.name for text in only)
        for wrt in row.derivatives(order)
    )
    return plan_of(library, "Accuracy of the derivatives of", works)
