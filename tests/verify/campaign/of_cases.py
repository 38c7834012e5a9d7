"""A campaign of cases in a temporary store, for the tests of what becomes of them."""

from __future__ import annotations

from dataclasses import replace

from verify.campaign.deciding import judge_case
from verify.campaign.executors import executor_of
from verify.campaign.store import Store
from verify.campaign.verification import verify_tasks


def run(tasks, jobs=None, judge=judge_case, store=None, **given):
    """The report, with all of its cases."""
    tasks = [replace(task, judge=judge) for task in tasks]
    with Store(store) as opened:
        report = verify_tasks(tasks, store=opened, executor=executor_of(jobs=jobs), **given)
        return replace(report, cases=tuple(report.cases))
