"""What the verifier says of many cases, as texts without times: a program, to be run again.

``python -m tests.verify.verdict_texts`` reads the arguments of `texts` as JSON from the standard
input, and writes what that returns. A busy machine is one whose clocks run ahead.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

from symtape.deriving import derive
from symtape.primitives.primitive import PRIMITIVES
from symtape.process.budget import Budget
from tests.faults import test_claims, test_rules
from tests.faults.test_historical import FAULTS
from tests.verify.campaign.of_cases import run
from verify.campaign.load import Target
from verify.campaign.tasks import plan
from verify.judging.judge import verify_case
from verify.judging.sampled.judging import judge_by_samples
from verify.limits.limit import DEFAULT_BUDGET
from verify.model.case import Case, region_of
from verify.reporting.codec import encode
from verify.reporting.explain import explanation
from verify.reporting.reported import prepare_report
from verify.suites import SUITES

__all__ = ["CASES", "texts"]

ENDLESS = Budget(statements=DEFAULT_BUDGET.statements)
"""No seconds: what is stopped all the same was stopped by another clock than the last one."""

SLOW_CALLS = 3
"""As of a function that compiles or downloads before it answers."""


def at_a_point(function, claim):
    return Case(
        id="claim",
        title="claim",
        function=function,
        at=((test_claims.POINT,),),
        quantity="jacobian",
        claimed=claim,
    )


def in_its_region(fault, claim):
    return Case(
        id=fault.name,
        title=fault.name,
        function=fault.function,
        at=(),
        quantity=fault.quantity,
        claimed=claim,
        over=region_of(fault.function, fault.over),
    )


def verdict(case, effort, seconds):
    return prepare_report(verify_case(slowed(case, seconds), ENDLESS, effort))


def sampled(case, effort, seconds):
    return prepare_report(judge_by_samples(slowed(case, seconds), ENDLESS))


def of_planted(fault, effort, seconds):
    name, vjp = test_rules.WRONG[fault]
    row = PRIMITIVES[name]
    with mock.patch.multiple(row, rules=row._rules(vjp), cuts=False):
        case = SUITE_TASKS[test_rules.cases_of(name)[0]].find()
        return verdict(case, effort, seconds)


SUITE_TASKS = {task.case: task for name in SUITES for task in plan([Target(name)])}
SIDES = [(fault, side) for fault in FAULTS if not fault.long for side in ("wrong", "right")]
CLAIMS = test_claims.HONEST | {name: claim for name, (claim, _) in test_claims.LIES.items()}

CASES = {
    **{
        name: lambda effort, seconds, task=task: verdict(task.find(), effort, seconds)
        for name, task in SUITE_TASKS.items()
    },
    **{
        f"{fault.name}, {side}": functools.partial(
            verdict, in_its_region(fault, getattr(fault, side))
        )
        for fault, side in SIDES
    },
    **{
        f"samples of {fault.name}, {side}": functools.partial(
            sampled, in_its_region(fault, getattr(fault, side))
        )
        for fault, side in SIDES
    },
    **{
        f"claim: {name}": functools.partial(verdict, at_a_point(test_claims.layer, claim))
        for name, claim in CLAIMS.items()
    },
    **{f"rule: {name}": functools.partial(of_planted, name) for name in test_rules.WRONG},
}


def slowed(case, seconds):
    """The case, with a function and a claim of which the first calls take `seconds`."""
    claimed = None if case.claimed is None else slow(case.claimed, seconds)
    return replace(case, function=slow(case.function, seconds), claimed=claimed)


def slow(function, seconds):
    calls = itertools.count()

    @functools.wraps(function)
    def waiting(*args, **kwargs):
        if seconds and next(calls) < SLOW_CALLS:
            time.sleep(seconds)
        return function(*args, **kwargs)

    return waiting


@contextmanager
def clocks(factor):
    """All clocks run so many times as fast, as on a machine that is so much slower."""
    names = ("monotonic", "perf_counter", "process_time")
    now = {name: getattr(time, name) for name in names}
    fast = {name: lambda clock=clock: factor * clock() for name, clock in now.items()}
    with mock.patch.multiple(time, **fast):
        yield


def load_printers():
    """Import what writes formulas: a machine so slow that this takes a minute is not tested."""
    formula = derive(lambda x: x, 1.0).gradient
    formula.latex(), formula.mathml()


def said(case):
    """Everything that a report says of a case, but how long it took."""
    case = replace(case, seconds=0.0)
    return f"{explanation(case)}\n{json.dumps(encode(case), indent=1)}\n"


def judge_quickly(case, budget, seed):
    """A judge of campaigns."""
    return verdict(case, 0.05, 0.0)


def texts(names, effort=0.05, clock=1.0, seconds=0.0, jobs=None):
    """The text of each of the cases, in the order of `names`.

    Parameters
    ----------
    names : sequence of str
        Of `CASES`; of the suites alone if there are `jobs`.
    effort : float
        Of a search.
    clock : float
        By how much clocks run ahead.
    seconds : float
        That the first calls of functions and claims take.
    jobs : int, optional
        Worker processes of a campaign; 0 for a campaign in this one.
    """
    if jobs is not None:
        tasks = [SUITE_TASKS[name] for name in names]
        cases = run(tasks, jobs=jobs, judge=judge_quickly).cases
        return {case.id: said(replace(case, replay="")) for case in cases}
    found = {}
    load_printers()
    with clocks(clock):
        for name in names:
            # Nothing is known of earlier searches.
            with (
                tempfile.TemporaryDirectory() as home,
                mock.patch.dict(os.environ, {"SYMTAPE_HOME": home}),
            ):
                found[name] = said(CASES[name](effort, seconds))
    return found


if __name__ == "__main__":
    # By its name, under which worker processes find what they are given.
    from tests.verify import verdict_texts

    json.dump(verdict_texts.texts(**json.load(sys.stdin)), sys.stdout)
