"""Solutions of equations as functions of their parameters: the implicit function theorem.

A solver returns a root of ``F(x, p) = 0`` to some tolerance. What depends on `p` is the root, and
Newton's method says how: two of its steps from the solution, which itself is held constant, have
the derivatives of the root up to third order. They are recorded as any other code is, so that all
readings of it come of themselves. Before that the solution is refined by the same steps in floats,
which tells whether the Jacobian is regular.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.primitives.linear_algebra import SOLVE
from symtape.primitives.primitive import Primitive
from symtape.recording.in_place import lift_tensors
from symtape.recording.inexact import note
from symtape.recording.nested import join_nested, lower_buffers
from symtape.recording.stack import Recorder
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, apply, tensor_of
from symtape.scipy.captured import CapturedFunction, Function, record_alone, replay_graph

_EPS: Final = float(np.finfo(np.float64).eps)

_STEPS: Final = 2
_MOST_REFINED: Final = 14
_LEAST: Final = 1e-150
_FAR: Final = 0.1
"""Steps that are longer lead away from the solution."""

_CLOSE: Final = 1e-3
_TURNED: Final = 0.3
"""Over steps that are so short the Jacobian changes by no more than this part of it (Kantorovich).
At a double root, where it vanishes, it is halved."""

_STAGNANT: Final = 1e-8
_WORST_CONDITION: Final = 1e12
_SAME: Final = 1e-10
"""Parameters that are closer have the same solution to begin with."""

_KEPT: Final = 32
_MOST_OFF: Final = 0.01


class Held:
    """A function of floats that is constant near where it was evaluated.

    What iterations return jumps with the last digits of their input. Beside a point that is known
    the answer is the one that was given there.
    """

    def __init__(self, function: Function, memory: bool = True) -> None:
        self._function, self._memory = function, memory
        self._known: list[tuple[list[Any], Any]] = []

    def keep(self, xs: Sequence[Any], found: Any) -> None:
        """Answer `found` near `xs`."""
        self._known = [([np.array(x) for x in xs], found), *self._known][:_KEPT]

    def __call__(self, *xs: Any) -> Any:
        """What is known near `xs`, or what the function gives there."""
        for known, found in self._known:
            if all(map(_are_close, known, xs)):
                return found
        found = self._function(*xs)
        if self._memory:
            self.keep(xs, found)
        return found


def _are_close(x: Any, y: Any) -> bool:
    size = np.max(np.abs(x), initial=0.0)
    return x.shape == np.shape(y) and bool(np.all(np.abs(x - y) <= _SAME * size))


def _found_in_balls(ball: Any, *xs: Any, held: Held) -> Any:
    """Whatever the balls or jets are, the solution to begin with is that at their middles."""
    return held(*(_middles(ball, x) for x in xs))


def _middles(ball: Any, x: Any) -> Any:
    array = np.asarray(x, dtype=object)
    if not array.ndim:
        return np.asarray(ball.midpoints(array.reshape(1)), dtype=np.float64)[0]
    return np.asarray(ball.midpoints(array), dtype=np.float64)


FOUND: Final = Primitive(
    name="found",
    inputs="*xs",
    evaluate=lambda *xs, held: held(*xs),
    vjp=None,
    ball=_found_in_balls,
    rounding=(0, 0),
    convention="constant between jumps",
    spelling="what a solver found",
)
"""Where a solver stopped, as a function of the parameters, which jumps with its iterations."""


def held_at(tensors: Sequence[Tensor], held: Held) -> Tensor:
    """What `held` answers at tensors, with derivatives 0."""
    found: Tensor = apply(FOUND, tuple(tensors), {"held": held})
    return found


def make_returned(exact: Any, tolerance: float) -> Any:
    """What a solver returns that is off by `tolerance` relatively, as what it stands for."""
    # Beside a root of almost 0 any error is large, and says nothing of the rest.
    tolerance = min(tolerance, _MOST_OFF)
    note(tolerance)
    units = max(8.0, tolerance / _EPS)
    row = Primitive(
        name="returned",
        inputs="x",
        evaluate=lambda x: x,
        vjp=[lambda g: g],
        elementwise=True,
        symbolic=lambda sp, x: x,
        ball=lambda ball, x: x,
        rounding=(units, units),
        spelling="as the solver returned it",
    )
    return apply(row, (exact,), {})


@dataclass(frozen=True, slots=True)
class Problem:
    """What a function of SciPy's solves, and the equations that its solution fulfils.

    Attributes
    ----------
    what : str
        The name of the solver, for messages.
    given : callable
        What it is given: of an array `x`.
    residual : callable
        The equations, of unknowns `z`: what is to be 0.
    solve : callable ``(given, slope) -> x``
        Solves again, for functions of floats in their place.
    slope : callable, optional
        Of `x`: the gradient of a function.
    unknowns : callable, optional
        Of `x`, which are the unknowns by default.
    """

    what: str
    given: Function
    residual: Function
    solve: Callable[[Function, Function], Any]
    slope: Function | None = None
    unknowns: Function = lambda x: x


class Equations:
    """The equations of a problem, recorded where SciPy has solved them.

    Parameters
    ----------
    problem : Problem
    x : array
        The solution.

    Attributes
    ----------
    tensors : list of Tensor
        By which the solution is differentiated; none if nothing moves it.

    Raises
    ------
    Unsupported
        There are not as many equations as unknowns.
    """

    def __init__(self, problem: Problem, x: Any) -> None:
        z = problem.unknowns(x)
        self._problem, self._at = problem, (x, z)
        self._what = what = problem.what
        slope = problem.slope or problem.given

        def all_of(x: Any, z: Any) -> list[Any]:
            return [join_nested(problem.given(x)), slope(x), problem.residual(z)]

        captured = CapturedFunction(all_of, (x, z), f"the function that {what} was given")
        self.graph: Graph = captured.graph
        self.tensors = captured.tensors
        shape = self.graph.nodes[self.graph.outputs[-1]].shape
        if shape != np.shape(z):
            raise Unsupported(
                f"{what}: equations of shape {shape} for unknowns of shape {np.shape(z)}; the "
                "implicit function theorem takes as many equations as unknowns"
            )

    def solution(self, tolerance: float, slack: float = 8.0) -> Any:
        """The root as a tensor, with the digits that SciPy's solver leaves open.

        Parameters
        ----------
        tolerance : float
            Of the solver, relatively.
        slack : float
            How many times the error found here another solution may be off.

        Raises
        ------
        Unsupported
            The Jacobian is singular, or there is no root close by.
        """
        z = self._at[1]
        held = Held(self._solve_again)
        values = [tensor._value for tensor in self.tensors]
        refined = self._refine_root(z, values)
        held.keep(values, refined)
        root: Any = held_at(self.tensors, held)
        for _ in range(_STEPS):
            root = root - self._step(root, self.tensors)
        off = slack * np.abs(refined - z)
        size = np.where(refined == 0, np.inf, np.abs(refined))
        relative = float(np.max(off / size, initial=0.0)) + tolerance
        return make_returned(root, relative)

    def check(self) -> None:
        """Raise what :meth:`solution` raises, of equations that nothing moves."""
        self._refine_root(self._at[1], [])

    def _solve_again(self, *values: Any) -> Any:
        unknowns = self._at[1]

        def output(number: int) -> Function:
            def function(x: Any) -> Any:
                with record_alone(Recorder()):
                    x = np.asarray(x, dtype=np.float64)
                    return self.graph.evaluate(x, unknowns, *values)[number]

            return function

        x = self._problem.solve(output(0), output(1))
        z = self._problem.unknowns(x)
        with record_alone(Recorder()):
            replay_graph(self.graph, (x, z, *values))
        return self._refine_root(z, values)

    def _step(self, z: Any, tensors: Sequence[Any]) -> Any:
        """Newton's step at `z`."""
        jacobian, residual = self._linear(z, tensors)
        if not np.ndim(z):
            return residual / jacobian
        n = int(np.prod(np.shape(z)))
        step = SOLVE(jacobian, np.reshape(residual, (n, 1)))
        return np.reshape(step, np.shape(z))

    def _linear(self, z: Any, tensors: Sequence[Any]) -> tuple[Any, Any]:
        with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
            z = z if isinstance(z, Tensor) else tensor_of(np.asarray(z))
            tape.watch(z)
            residual = self.graph.values(self._at[0], z, *tensors)[self.graph.outputs[-1]]
        if not isinstance(residual, Tensor):
            residual = tensor_of(np.asarray(residual))
        if not z.ndim:
            return tape.gradient(residual, z, unconnected_gradients="zero"), residual
        jacobian = tape.jacobian(residual, z, unconnected_gradients="zero")
        n = int(np.prod(np.shape(z)))
        return np.reshape(jacobian, (n, n)), residual

    def _refine_root(self, z: Any, values: Sequence[Any]) -> Any:
        """The root in floats: where the steps are those of rounding."""
        z = np.asarray(z, dtype=np.float64)
        jacobian, step = self._float_step(z, values)
        last = np.inf
        for _ in range(_MOST_REFINED):
            size, scale = (float(np.max(np.abs(x), initial=0.0)) for x in (step, z))
            if size <= 4 * _EPS * scale or size < _LEAST:
                return z
            if size >= last / 2 and last <= _STAGNANT * scale:
                return z
            if not size <= _FAR * max(scale, 1.0):
                break
            z, last, before = z - step, size, jacobian
            jacobian, step = self._float_step(z, values)
            turned = np.linalg.solve(before, jacobian) - np.eye(len(jacobian))
            if size <= _CLOSE * max(scale, 1.0) and np.max(np.abs(turned)) > _TURNED:
                raise self._singular(jacobian)
        raise Unsupported(
            f"{self._what} returned {self._at[1]!r}, from where Newton's method finds no root: "
            "the solver has not converged, or the Jacobian is singular there, and then the "
            "solution has no derivative"
        )

    def _float_step(self, z: Any, values: Sequence[Any]) -> tuple[Any, Any]:
        with record_alone(Recorder()):
            found, residual = (np.asarray(x._value) for x in self._linear(z, values))
        jacobian = np.reshape(found, (z.size, z.size))
        if not np.all(np.isfinite(jacobian)) or np.any(np.all(jacobian == 0, axis=1)):
            raise self._singular(jacobian)
        if np.linalg.cond(_scale_rows(jacobian)) > _WORST_CONDITION:
            raise self._singular(jacobian)
        return jacobian, np.linalg.solve(jacobian, residual.ravel()).reshape(z.shape)

    def _singular(self, jacobian: Any) -> Unsupported:
        return Unsupported(
            f"{self._what}: the Jacobian at the solution {self._at[1]!r} is singular, "
            f"{jacobian.tolist()}, so that the implicit function theorem says nothing; the "
            "solution has no derivative there"
        )


def _scale_rows(matrix: Any) -> Any:
    """The rows divided by their largest entries."""
    size = np.max(np.abs(matrix), axis=1, keepdims=True)
    return matrix / np.where(size == 0, 1, size)


def gradient_of(function: Function) -> Function:
    """The gradient of a scalar function of one array of tensors."""

    def gradient(z: Any) -> Any:
        with GradientTape(watch_accessed_variables=False) as tape:
            z = z._read() if isinstance(z, Tensor) else tensor_of(np.asarray(z))
            tape.watch(z)
            value = join_nested(lower_buffers(function(lift_tensors(z))))
        return tape.gradient(value, z, unconnected_gradients="zero")

    return gradient
