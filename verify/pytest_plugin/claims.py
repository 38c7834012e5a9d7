"""What assertions found during one test, as properties and as plain data to be sent."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from verify.pytest_plugin import options

if TYPE_CHECKING:
    from verify.model.result import Result

_NONE: Final = "none"
_MOST_POINTS: Final = 100
"""Of a claim that are reported, where many were given one by one."""


class Claim(NamedTuple):
    """One claim that was judged.

    Attributes
    ----------
    properties : list of (str, str)
        For JUnit XML and its like.
    sent : dict
        What the counts and the reports are made of: plain data, which goes from a worker process
        to the one that reports.
    """

    properties: list[tuple[str, str]]
    sent: dict[str, Any]


class Claims:
    """Those that were judged while a test runs; a :class:`verify.options.defaults.Observer`."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._results: list[Result] = []
        self._count = 0

    def observe(self, result: Result) -> None:
        """Take note of a verdict.

        Claims that are judged at a point now and a point then, as under Hypothesis, are one
        claim; its verdict is the gravest, and of equals the last.
        """
        for at, earlier in enumerate(self._results):
            if _is_same_claim(earlier, result):
                self._results[at] = _join_results(earlier, result)
                return
        self._results.append(result)

    def replay(self, seed: int | None) -> str:
        """The shell line that runs the test again."""
        file, _, name = self._item.nodeid.partition("::")
        config = self._item.config
        seen = os.path.relpath(config.rootpath / file, config.invocation_params.dir)
        line = f"pytest {shlex.quote(f'{seen}::{name}')}"
        return line if seed is None else f"{line} --symtape-seed={seed}"

    def take(self) -> list[Claim]:
        """The claims since this was asked last."""
        results, self._results = self._results, []
        return [self._claim(result) for result in results]

    def _claim(self, result: Result) -> Claim:
        self._count += 1
        evidence = _evidence(result)
        sent = {
            "verdict": result.verdict.value,
            "rung": evidence.rung.value if evidence else "",
            "points": evidence.points if evidence else 0,
            "seed": None if result.coverage is None else result.coverage.seed,
            "noted": _is_noted(result),
        }
        if options.folder(self._item.config) is not None:
            sent["case"] = self._report_case(result)
        return Claim(list(_properties(result)), sent)

    def _report_case(self, result: Result) -> Any:
        """The case as a report has it, named after the test."""
        from verify.reporting.codec import encode
        from verify.reporting.reported import prepare_report

        name = self._item.nodeid
        seed = None if result.coverage is None else result.coverage.seed
        number = f"#{self._count}" if self._count > 1 else ""
        few = replace(result, points=result.points[:_MOST_POINTS])
        case = replace(prepare_report(few), id=f"{name}{number}", replay=self.replay(seed))
        return encode(replace(case, suite=name.partition("::")[0]))


def _properties(result: Result) -> Iterator[tuple[str, str]]:
    from verify.reporting.wording import input_line

    worst = result.worst
    yield "symtape_verdict", result.verdict.value
    yield "symtape_evidence", str(_evidence(result) or _NONE)
    yield "symtape_claimant", result.claimant
    inputs = worst.inputs if worst is not None else ()
    yield "symtape_witness", "; ".join(input_line(each) for each in inputs) or _NONE
    yield "symtape_seed", _NONE if result.coverage is None else str(result.coverage.seed)
    if _is_noted(result):
        from verify.reporting.explain import note_lines

        yield "symtape_notes", "; ".join(note_lines(result))


def _is_noted(result: Result) -> bool:
    """Whether a claim that does not fail has notes."""
    return bool(result.notes) and not result.verdict.fails


def _evidence(result: Result) -> Any:
    """The evidence, of what has some."""
    from verify.model.verdict import Verdict

    none = result.verdict in (Verdict.OUTSIDE, Verdict.UNDECIDED) and result.sampled is None
    return None if none else result.evidence


def _is_same_claim(one: Result, other: Result) -> bool:
    """Whether both judge the same claim at points that were given."""
    return one.coverage is other.coverage is None and _identity(one) == _identity(other)


def _identity(result: Result) -> tuple[Any, ...]:
    from verify.files.places import place_of_function
    from verify.model.case import name_function

    function = result.case.function
    return (
        name_function(function),
        place_of_function(function),
        result.case.quantity,
        result.claimant,
    )


def _join_results(earlier: Result, later: Result) -> Result:
    """The graver of both, with the points of the other after its own."""
    from verify.model.verdict import gravest

    if later.verdict is gravest([earlier.verdict, later.verdict]):
        earlier, later = later, earlier
    return replace(
        earlier,
        points=(*earlier.points, *later.points),
        seconds=earlier.seconds + later.seconds,
    )
