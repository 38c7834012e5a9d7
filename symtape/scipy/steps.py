"""Steps of Runge and Kutta through the times that a solver of SciPy's has accepted, recorded.

The times are held: that the control of the step size moves them is no part of a derivative. Of
the explicit methods the steps are those that SciPy takes, number for number. Of the implicit ones
they are those of Radau IIA of order 5, whose stages are refined by Newton's method as roots are
(:mod:`symtape.scipy.solutions`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.integrate import DOP853, RK23, RK45

from symtape.errors import Unsupported
from symtape.primitives.linear_algebra import SOLVE
from symtape.recording.nested import join_nested
from symtape.recording.stack import Recorder
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, tensor_of
from symtape.scipy.captured import Function, record_alone
from symtape.scipy.solutions import Held, held_at

EXPLICIT: Final[dict[str, Any]] = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853}

_ROOT: Final = np.sqrt(6)
_NODES: Final = np.array([(4 - _ROOT) / 10, (4 + _ROOT) / 10, 1.0])
_POWERS: Final = np.array([0, 1, 2])[:, None]
_WEIGHTS: Final = np.linalg.solve(_NODES**_POWERS, _NODES ** (_POWERS + 1) / (_POWERS + 1)).T
"""Of Radau IIA: collocation at its nodes."""

_REFINED: Final = 12
_STEPS: Final = 2


@dataclass(slots=True)
class Step:
    """One step: what is needed to interpolate in it."""

    method: Any
    function: Function
    start: Any
    end: Any
    size: Any
    before: Any
    after: Any
    slopes: list[Any]
    _more: Any = None

    def interpolate(self, t: Any) -> Any:
        """The solution at `t`, as SciPy interpolates it."""
        # That the time lies in this step is a decision.
        bool((t - self.start) * np.sign(_value(self.size)) >= 0)
        bool((t - self.end) * np.sign(_value(self.size)) <= 0)
        x = (t - self.start) / self.size
        if self.method is DOP853:
            return self._interpolate_dop853(x)
        powers = join_nested([x ** (k + 1) for k in range(self.method.P.shape[1])])
        return self.before + self.size * ((self.method.P @ powers) @ np.stack(self.slopes))

    def _interpolate_dop853(self, x: Any) -> Any:
        if self._more is None:
            slopes = list(self.slopes)
            for row, node in zip(DOP853.A_EXTRA, DOP853.C_EXTRA, strict=True):
                by = (row[: len(slopes)] @ np.stack(slopes)) * self.size
                slopes.append(self.function(self.start + node * self.size, self.before + by))
            off = self.after - self.before
            first, last = self.slopes[0], self.slopes[-1]
            rest = self.size * (DOP853.D @ np.stack(slopes))
            self._more = [
                off,
                self.size * first - off,
                2 * off - self.size * (last + first),
                *(rest[k] for k in range(DOP853.D.shape[0])),
            ]
        y: Any = 0.0
        for number, part in enumerate(reversed(self._more)):
            y = (y + part) * (x if number % 2 == 0 else 1 - x)
        return y + self.before


def explicit(method: Any, function: Function, times: Sequence[Any], y: Any) -> list[Step]:
    """The steps of an explicit method through `times`, from `y`."""
    steps = []
    slope = function(times[0], y)
    for start, end in itertools.pairwise(times):
        size = end - start
        slopes = [slope]
        for row, node in zip(method.A[1:], method.C[1:], strict=True):
            by = (row[: len(slopes)] @ np.stack(slopes)) * size
            slopes.append(function(start + node * size, y + by))
        after = y + size * (method.B @ np.stack(slopes))
        slope = function(end, after)
        slopes.append(slope)
        steps.append(Step(method, function, start, end, size, y, after, slopes))
        y = after
    return steps


def implicit(
    function: Function, times: Sequence[Any], y: Any, around: Sequence[Tensor], guess: Function
) -> list[Any]:
    """The solution at `times`, by Radau IIA from `y`.

    Parameters
    ----------
    function : callable ``(t, y) -> slope``
    times : sequence
    y : array or tensor
    around : sequence of Tensor
        What the steps depend on.
    guess : callable
        Of a time in floats: about the solution there.
    """
    found = [y]
    for start, end in itertools.pairwise(times):
        y = _collocate(function, start, end, y, around, guess)
        found.append(y)
    return found


def _collocate(
    function: Function, start: Any, end: Any, y: Any, around: Sequence[Tensor], guess: Function
) -> Any:
    size, n = end - start, np.shape(y)[0]
    plain = [float(_value(x)) for x in (start, size)]
    stages = np.stack([guess(plain[0] + node * plain[1]) for node in _NODES])
    begin = np.asarray(_value(y))

    with record_alone(Recorder()):
        for _ in range(_REFINED):
            step = np.asarray(_value(_newton(function, plain[0], plain[1], begin, stages)))
            stages = stages - step
            scale = np.max(np.abs(stages), initial=np.finfo(float).tiny)
            if np.max(np.abs(step)) <= 1e-14 * scale:
                break
        else:
            raise Unsupported(
                f"the implicit step from t = {plain[0]:.6g} by {plain[1]:.3g} does not converge; "
                "give a smaller rtol"
            )
    moving = [x for x in (start, size, y) if isinstance(x, Tensor)] or list(around)
    held = Held(_only_here)
    held.keep([x._value for x in moving], stages)
    root: Any = held_at(moving, held)
    for _ in range(_STEPS):
        root = root - _newton(function, start, size, y, root)
    return np.reshape(root, (3, n))[2]


def _only_here(*xs: Any) -> Any:
    raise ValueError("the stages of an implicit step are known where it was recorded alone")


def _value(x: Any) -> Any:
    return x._value if isinstance(x, Tensor) else x


def _newton(function: Function, start: Any, size: Any, y: Any, stages: Any) -> Any:
    """Newton's step for the stages, an array of three rows."""
    n = np.shape(y)[0]
    slopes, jacobians = [], []
    for k, node in enumerate(_NODES):
        with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
            stage = stages[k]
            stage = stage if isinstance(stage, Tensor) else tensor_of(np.asarray(stage))
            tape.watch(stage)
            slope = function(start + node * size, stage)
        slope = slope if isinstance(slope, Tensor) else tensor_of(np.asarray(slope))
        slopes.append(slope)
        jacobians.append(tape.jacobian(slope, stage, unconnected_gradients="zero"))
    residual = stages - y - size * (_WEIGHTS @ np.stack(slopes))
    rows = [
        np.concatenate([-size * _WEIGHTS[i, j] * jacobians[j] for j in range(3)], axis=1)
        for i in range(3)
    ]
    matrix = np.eye(3 * n) + np.concatenate(rows, axis=0)
    step = SOLVE(matrix, np.reshape(residual, (3 * n, 1)))
    return np.reshape(step, (3, n))
