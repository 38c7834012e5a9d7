"""All workloads, a file for each family."""

from benchmarks.speed.workload import Workload
from benchmarks.speed.workloads import (
    arrays,
    calls,
    drafts,
    fields,
    loops,
    matrices,
    scalars,
    simulations,
)

__all__ = ["WORKLOADS"]

WORKLOADS: dict[str, Workload] = {
    work.name: work
    for family in (scalars, loops, arrays, matrices, fields, calls, simulations, drafts)
    for work in family.workloads()
}
