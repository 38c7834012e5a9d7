"""All workloads, a file for each family."""

from benchmarks.speed.workload import Workload
from benchmarks.speed.workloads import (
    arrays,
    as_written,
    calls,
    fields,
    loops,
    matrices,
    models,
    recursions,
    scalars,
    simulations,
)

__all__ = ["WORKLOADS"]

WORKLOADS: dict[str, Workload] = {
    work.name: work
    for family in (
        *(scalars, loops, arrays, matrices, fields, calls),
        *(simulations, recursions, models, as_written),
    )
    for work in family.workloads()
}
