"""Rules as units of work of a campaign, and which of them an audit of a library asks for."""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Final

import numpy as np
from scipy import linalg

from verify.auditing.answers import write_answer
from verify.auditing.libraries.claimants import CLAIMANTS, claimant
from verify.auditing.libraries.formats import FORMATS
from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.libraries.reproducing import reproduce
from verify.auditing.libraries.spelling import compile_formula, function_of
from verify.auditing.libraries.work import plan_of, undecided_case
from verify.auditing.packages.pair import Unpaired
from verify.auditing.rules.domains import Domain, Part, domain_of
from verify.auditing.rules.linear_algebra import ARRAY_FUNCTIONS, SIZES
from verify.auditing.rules.ruling import judge_rule
from verify.auditing.run import Plan
from verify.campaign.addresses import address
from verify.claimants.claim import claim_of
from verify.errors import UsageError
from verify.model.case import Case
from verify.model.result import PointOutcome, Remedy, Result
from verify.model.verdict import Verdict

LIBRARIES: Final = ("jax", "torch", "autograd")
_SUFFIX: Final = " rule"
_ORACLES: Final = ("python-flint", "sympy")
_MODULES: Final = {"jsl": "jax.scipy.linalg", "asl": "autograd.scipy.linalg"}
"""Of linear algebra alone."""


@dataclass(frozen=True, slots=True)
class Proving:
    """The rule of one function of a library, to be proved or refuted.

    Attributes
    ----------
    library, function : str
    size : int
        Of the matrices and vectors; 0 of a function of numbers.

    Examples
    --------
    >>> det = Proving("jax", "det", 3)
    >>> det.id, det.spelling
    ('jax:det-3 rule', 'jnp.linalg.det(a)')
    """

    library: str
    function: str
    size: int = 0

    @property
    def id(self) -> str:
        """The case's."""
        size = f"-{self.size}" if self.size else ""
        return f"{self.library}:{self.function}{size}{_SUFFIX}"

    @property
    def spelling(self) -> str:
        """The function in the words of the library; empty if it has none."""
        table: Mapping[str, Any] = ARRAY_FUNCTIONS if self.size else FUNCTIONS
        return str(table[self.function].spell_for(self.library))

    @property
    def key(self) -> str:
        """Its content address, by the row and the library's version."""
        return address("rule", (*astuple(self), self.spelling), packages=self.packages)

    @property
    def packages(self) -> tuple[str, ...]:
        """The distributions whose versions matter."""
        return (*CLAIMANTS[self.library].packages, *_ORACLES)

    @property
    def replay(self) -> str:
        """The shell line that judges it again."""
        return f"symtape audit {self.library} --rules --only {self.function}"

    def run(self, seconds: float) -> str:
        """The case, or why there is none; whoever runs it sees to the seconds."""
        start = time.perf_counter()
        case, domain = pose_rule(self)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                assert case.claimed is not None
                case.claimed(*case.at[0])
            except Exception as error:  # noqa: BLE001  # of the library, which may lack it
                words = " ".join(str(error).split())[:160]
                reason = f"not available: {type(error).__name__}: {words}"
                return write_answer(Unpaired(self.id, self.library, reason))
            ruling = judge_rule(claim_of(case), domain)
        proved = "proved" if ruling.verdict is Verdict.CORRECT else ""
        found = replace(
            self._undecided(ruling.message),
            verdict=ruling.verdict,
            basis="refuted in exact arithmetic" if ruling.witness else proved,
            seconds=time.perf_counter() - start,
        )
        if ruling.witness is not None:
            found = self._add_witness(found, replace(ruling.witness, message=ruling.message))
        return write_answer(found)

    def _add_witness(self, found: Result, witness: PointOutcome) -> Result:
        """A result with the point that refutes the rule, and a program without symtape for it."""
        if self.size:
            return replace(found, points=(witness,))
        _, program, printed = reproduce(
            claimant(self.library),
            self.spelling,
            (witness.argument,),
            FORMATS["float64"],
            [witness],
        )
        script = Remedy("reproduce", f"{program}\n# prints {printed}")
        return replace(found, points=(witness,), remedies=(script,))

    def describe_end(self, words: str) -> str:
        """The undecided case of a proof that came to no end."""
        return write_answer(self._undecided(words))

    def _undecided(self, words: str) -> Result:
        title = f"{self.spelling}{f' for n = {self.size}' if self.size else ''}"
        return undecided_case(self, title, "vjp" if self.size else "gradient", words)


def pose_case(name: str) -> Case:
    """The function that a rule is of, by the name of its case."""
    library, _, words = name.removesuffix(_SUFFIX).partition(":")
    function, _, size = words.partition("-")
    return pose_rule(Proving(library, function, int(size or 0)))[0]


def pose_rule(work: Proving) -> tuple[Case, Domain]:
    """The function of a rule in NumPy, the derivative by the library, and where to compare them."""
    library = claimant(work.library)
    names = dict(library._names)  # type: ignore[attr-defined]
    if not work.size:
        row = FUNCTIONS[work.function]
        formula = compile_formula(row.formula, row.arguments)
        theirs = function_of(work.spelling, row.arguments, names)
        domain = domain_of(row)
        return pose(work.library, formula, theirs, domain, "gradient"), domain
    array = ARRAY_FUNCTIONS[work.function]
    for name, module in _MODULES.items():
        if name in work.spelling:
            names[name] = importlib.import_module(module)
    formula = function_of(array.formula, array.arguments, {"np": np, "linalg": linalg})
    theirs = function_of(work.spelling, array.arguments, names)
    domain = add_cotangents(formula, array.points(work.size))
    return pose(work.library, formula, theirs, domain, "vjp"), domain


def add_cotangents(formula: Callable[..., Any], points: Sequence[tuple[Any, ...]]) -> Domain:
    """A domain without bounds, whose points have a cotangent behind the arguments."""
    random = np.random.default_rng(0)
    whole = [
        (*point, np.asarray(random.integers(1, 16, np.shape(formula(*point))) / 4)[()])
        for point in points
    ]
    return Domain(Part({}, whole), [Part({}, whole)])


def pose(
    library: str,
    formula: Callable[..., Any],
    theirs: Callable[..., Any],
    domain: Domain,
    quantity: str,
) -> Case:
    """That a library's derivative of its function `theirs` is that of `formula`."""
    adapter = importlib.import_module(f"verify.adapters.{library}")
    [claimed, *_] = adapter.derivatives(theirs, quantity).values()
    return Case(
        id=library,
        title=library,
        function=formula,
        at=(domain.whole.points[0],),
        quantity=quantity,
        claimed=claimed,
        suite=library,
        directions=int(quantity == "vjp"),
    )


def plan_rules(name: str, only: Sequence[str] = ()) -> Plan:
    """The rules of a library: functions of numbers first, then matrices of each size.

    Parameters
    ----------
    name : str
        One of :data:`LIBRARIES`.
    only : sequence of str
        Functions with one of these in their name.

    Raises
    ------
    UsageError
        The library is not installed, or has no function of that name.
    """
    if name not in LIBRARIES:
        raise UsageError(
            f"--rules is for {', '.join(LIBRARIES)}; `symtape ops` shows symtape's own"
        )
    library = claimant(name)
    every = [Proving(name, row) for row in FUNCTIONS]
    every += [Proving(name, row, size) for row in ARRAY_FUNCTIONS for size in SIZES]
    every = [work for work in every if work.spelling]
    for text in only:
        if not any(text in work.function for work in every):
            raise UsageError(f"no function of {name} has {text!r} in its name")
    works = [it for it in every if not only or any(text in it.function for text in only)]
    return plan_of(library, "Rules of", works)
