"""All workloads, a file for each family."""

from benchmarks.speed.workload import Workload
from benchmarks.speed.workloads import arrays, fields, loops, matrices, scalars

__all__ = ["WORKLOADS"]

WORKLOADS: dict[str, Workload] = {
    work.name: work
    for family in (scalars, loops, arrays, matrices, fields)
    for work in family.workloads()
}
