"""What is to be reached: ratios in one run, since figures of another machine say little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from benchmarks.speed.figures import Figure, Run
from benchmarks.speed.workload import Workload
from benchmarks.speed.workloads import WORKLOADS

__all__ = ["GOALS", "Goal"]

WORDS = {"least": "the time of a call", "ready": "the time to be ready", "peak": "the memory"}


@dataclass(frozen=True)
class Goal:
    """An engine takes at most ``factor`` times what another takes, on the rows of a kind."""

    ours: str
    theirs: str
    factor: float
    kind: Literal["all", "overhead", "scalar"] = "all"
    of: Literal["least", "ready", "peak"] = "least"

    def __str__(self) -> str:
        rows = "" if self.kind == "all" else f", {self.kind} rows"
        return f"{self.ours} at most {self.factor:.2g} × {WORDS[self.of]} of {self.theirs}{rows}"

    def ratio(self, work: Workload, row: dict[str, Figure]) -> float | None:
        """Ours over theirs, where both are had and the workload is of the kind."""
        if self.kind != "all" and not getattr(work, self.kind):
            return None
        ours, theirs = (
            getattr(row.get(name, Figure()), self.of) for name in (self.ours, self.theirs)
        )
        return ours / theirs if ours is not None and theirs else None

    def judged(self, run: Run) -> tuple[dict[str, float], dict[str, float]]:
        """The ratios of the rows that reach it, and of those that miss it."""
        found = {name: self.ratio(WORKLOADS[name], row) for name, row in run.figures.items()}
        known = {name: ratio for name, ratio in found.items() if ratio is not None}
        reached = {name: ratio for name, ratio in known.items() if ratio <= self.factor}
        return reached, {name: known[name] for name in known if name not in reached}


GOALS = (
    Goal("eager", "autograd", 1 / 5, "overhead"),
    Goal("eager", "torch", 1 / 3, "overhead"),
    Goal("eager", "torch", 1.0),
    Goal("eager", "torch.func", 1.0),
    Goal("auto", "jax.jit", 1.0),
    Goal("auto", "jax.jit", 1.5),
    Goal("auto", "jax.jit", 1.0, "all", "ready"),
    Goal("auto", "CasADi gcc", 2.0, "scalar"),
    Goal("auto", "CasADi gcc", 0.1, "scalar", "ready"),
    Goal("auto", "eager", 1.0, "all", "peak"),
)
