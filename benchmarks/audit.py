"""Cost of an audit of float64 first derivatives: ``python benchmarks/audit.py [jax]``.

The goal for JAX is less than 5 minutes on two cores, exact values at 3,000 points for each of some
70 derivatives and the second opinion by mpmath included.
"""

from __future__ import annotations

import sys

from verify.auditing.libraries.work import SECONDS, plan_measurements
from verify.auditing.run import judge
from verify.campaign.executors import executor_of
from verify.campaign.store import Store
from verify.errors import UsageError


def main() -> None:
    """Audit a library, and say how long it took."""
    name = sys.argv[1] if len(sys.argv) > 1 else "symtape"
    try:
        plan = plan_measurements(name, ["float64"], [1])
    except UsageError as error:
        print(error)
        return
    with Store() as store:
        where = {"store": store, "executor": executor_of(), "seconds": SECONDS}
        report = judge(plan, seed=0, replay="", **where)
    points = sum(case.coverage.judged for case in report.cases if case.coverage)
    print(f"{name}: {len(report.cases)} derivatives at {points:,} points in {report.elapsed:.0f} s")


if __name__ == "__main__":
    main()
