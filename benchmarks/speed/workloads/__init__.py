"""All workloads, a file for each family."""

from benchmarks.speed.workload import Workload
from benchmarks.speed.workloads import arrays, loops, matrices, scalars

__all__ = ["WORKLOADS"]

WORKLOADS: dict[str, Workload] = {
    work.name: work for family in (scalars, loops, arrays, matrices) for work in family.workloads()
}
