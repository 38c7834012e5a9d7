"""Initial value problems of ``scipy.integrate``: ``solve_ivp`` and ``odeint``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import integrate

from symtape.errors import SymtapeError, Unsupported
from symtape.recording.in_place import lift_tensors
from symtape.recording.nested import holds_tensor, join_nested, lower_buffers
from symtape.recording.stack import Recorder
from symtape.recording.tensor import Tensor
from symtape.scipy.captured import (
    CapturedFunction,
    Function,
    Plain,
    call_outside,
    plain_value,
    record_alone,
)
from symtape.scipy.solutions import Held, held_at, make_returned
from symtape.scipy.steps import EXPLICIT, Step, explicit, implicit
from symtape.scipy.twins import twin

_IMPLICIT = ("Radau", "BDF", "LSODA")
_LOOSE = 100.0


class Dense:
    """The solution as a function of time, as ``solve_ivp(dense_output=True)`` has it."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        ends = [steps[0].start, *(step.end for step in steps)]
        self.ts = np.array([float(plain_value(end)) for end in ends])

    def __call__(self, t: Any) -> Any:
        """The solution at a time, or at several."""
        t = join_nested(t)
        if np.ndim(t) == 0:
            return self._steps[self._index(float(plain_value(t)))].interpolate(t)
        return np.stack([self(t[k]) for k in range(np.shape(t)[0])], axis=1)

    def _index(self, t: float) -> int:
        forward = self.ts[-1] >= self.ts[0]
        inner = self.ts[1:-1] if forward else -self.ts[1:-1]
        # A time at which two steps meet belongs to the first of them.
        return int(np.searchsorted(inner, t if forward else -t, side="left"))


class _Problem:
    """The right hand side, the times that SciPy accepts, and what all of it depends on."""

    def __init__(self, fun: Function, args: Any, y0: Any, ends: Any, vectorized: bool) -> None:
        def function(t: Any, y: Any) -> Any:
            y = lift_tensors(y[:, None] if vectorized else y)
            found = join_nested(lower_buffers(fun(t, y, *args)))
            return np.reshape(found, (-1,))

        self.function = function
        self.y0, self.ends = join_nested(y0), [join_nested(end) for end in ends]
        self.plain = Plain(function)
        self.start = np.asarray(plain_value(self.y0), dtype=np.float64)
        self.span = tuple(float(plain_value(end)) for end in self.ends)
        if self.start.ndim != 1 or np.asarray(plain_value(y0)).dtype.kind == "c":
            raise Unsupported("solve_ivp(y0=...): expected a vector of real numbers")
        at = (np.float64(self.span[0]), self.start)
        self._captured = CapturedFunction(function, at, "the function that solve_ivp was given")
        own = [x for x in (self.y0, *self.ends) if isinstance(x, Tensor)]
        self.tensors = [*own, *self._captured.tensors]
        self._own = len(own)

    def times(self, solve: Function, found: Any) -> Any:
        """The times `found` as a tensor, held; `solve` finds others for other values."""

        def integrate_again(*values: Any) -> Any:
            given = iter(values[: self._own])
            y0, *span = (
                next(given) if isinstance(x, Tensor) else plain_value(x)
                for x in (self.y0, *self.ends)
            )
            graph = self._captured.graph
            if graph.path:
                raise ValueError("the right hand side may take another path there")

            def function(t: Any, y: Any) -> Any:
                with record_alone(Recorder()):
                    return graph.evaluate(np.float64(t), y, *values[self._own :])[0]

            times = np.asarray(solve(function, tuple(map(float, span)), y0))
            if times.shape != found.shape:
                raise ValueError("another number of steps is taken there")
            return times

        held = Held(integrate_again)
        held.keep([tensor._value for tensor in self.tensors], found)
        return held_at(self.tensors, held)

    def mesh(self, times: Any) -> list[Any]:
        """The times of steps, of which the first and the last are the ends of the span."""
        count = np.shape(times)[0]
        return [self.ends[0], *(times[k] for k in range(1, count - 1)), self.ends[1]]


def _solve_ivp(given: dict[str, Any]) -> Any:
    args = given.pop("args")
    args = () if args is None else tuple(args)
    fun, span, y0 = given.pop("fun"), given.pop("t_span"), given.pop("y0")
    method, t_eval, dense = given["method"], given.pop("t_eval"), given.pop("dense_output")
    problem = _Problem(fun, args, y0, span, given.pop("vectorized"))
    jac = given.pop("jac", None)
    given = {name: plain_value(v) if holds_tensor(v) else v for name, v in given.items()}
    at = None if t_eval is None else plain_value(t_eval)

    def run(function: Function, ends: Any, start: Any, **more: Any) -> Any:
        return call_outside(integrate.solve_ivp, function, ends, start, **{**given, **more})

    slopes = {"jac": Plain(lambda t, y: jac(t, y, *args)) if callable(jac) else jac}
    if jac is None or method in EXPLICIT:
        slopes = {}
    result = run(problem.plain, problem.span, problem.start, t_eval=at, dense_output=True, **slopes)
    if not problem.tensors and not holds_tensor(t_eval):
        if not dense:
            result.sol = None
        return result
    _refuse(given, method, result)
    if method not in EXPLICIT:
        if dense:
            raise Unsupported(
                f"solve_ivp(method={method!r}, dense_output=True): between its steps an implicit "
                "method is not known here; ask for times by t_eval, or take an explicit method"
            )
        whole = _implicit(problem, run, result.t if t_eval is None else join_nested(t_eval))
        result.y, result.sol = _to_returned(whole, result.y), None
        return result
    solution = _explicit(problem, EXPLICIT[method], run, result)
    if at is None:
        result.t = join_nested(problem.mesh(join_nested(result.t)))
        ends = [step.after for step in solution._steps]
        result.y = np.stack([problem.y0 + 0.0, *ends], axis=1)
    else:
        result.t = join_nested(t_eval)
        result.y = solution(result.t)
    result.sol = solution if dense else None
    return result


def _refuse(given: dict[str, Any], method: Any, result: Any) -> None:
    if given.get("events") is not None:
        raise Unsupported(
            "solve_ivp(events=...) of tensors: the time of an event is not differentiated here; "
            "find it by scipy.optimize.brentq of the solution's dense output, whose root is"
        )
    if method not in EXPLICIT and method not in _IMPLICIT:
        raise Unsupported(
            f"solve_ivp(method={method!r}): expected one of {', '.join((*EXPLICIT, *_IMPLICIT))}"
        )
    if result.status < 0:
        raise Unsupported(f"solve_ivp has failed: {result.message}")


def _explicit(problem: _Problem, method: Any, run: Function, result: Any) -> Dense:
    times = problem.times(
        lambda f, ends, start: run(f, ends, start, dense_output=True).sol.ts, result.sol.ts
    )
    return Dense(explicit(method, problem.function, problem.mesh(times), problem.y0))


def _implicit(problem: _Problem, run: Function, times: Any) -> Any:
    """The solution at times, by steps of Radau IIA between those that ``Radau`` accepts."""
    at = plain_value(times)
    guide = run(problem.plain, problem.span, problem.start, method="Radau", dense_output=True)
    if guide.status != 0:
        raise Unsupported(f"solve_ivp has failed: {guide.message}")
    forward = problem.span[1] >= problem.span[0]
    inner = np.unique(np.concatenate([guide.sol.ts, at]))
    inner = inner if forward else inner[::-1]
    last = float(at[-1])
    count = int(np.flatnonzero(inner == last)[0])
    plain: list[Any] = [*inner[: count + 1]]
    if plain[0] == problem.span[0]:
        plain[0] = problem.ends[0]
    if last == problem.span[1]:
        plain[-1] = problem.ends[1]
    found = implicit(problem.function, plain, problem.y0, problem.tensors, guide.sol)
    places = [int(np.flatnonzero(inner == t)[0]) for t in at]
    solution = [found[place] for place in places]
    if isinstance(times, Tensor):
        # A step of size 0 to each time: no later one depends on it.
        solution = [
            implicit(problem.function, [plain[place], times[k]], y, problem.tensors, guide.sol)[1]
            for k, (place, y) in enumerate(zip(places, solution, strict=True))
        ]
    return np.stack([y + 0.0 for y in solution], axis=1)


def _to_returned(exact: Any, computed: Any) -> Any:
    value = plain_value(exact)
    size = np.max(np.abs(value), axis=1, keepdims=True)
    off = float(np.max(np.abs(value - computed) / np.where(size == 0, 1, size), initial=0.0))
    return make_returned(exact, _LOOSE * off + 1e-9)


solve_ivp = twin(
    integrate.solve_ivp,
    _solve_ivp,
    "the solution of an initial value problem. Of ``RK23``, ``RK45`` and ``DOP853`` derivatives "
    "are those of the steps that SciPy takes, at times that are held. Of ``Radau``, ``BDF`` and "
    "``LSODA`` they are those of steps of Radau IIA, of the tolerance that is asked for, and so "
    "is the value. Events are refused.",
)


def _odeint(given: dict[str, Any]) -> Any:
    fun, y0, t = given.pop("func"), given.pop("y0"), given.pop("t")
    args = given.pop("args")
    args = args if isinstance(args, tuple) else (args,)
    ordered = fun if given.pop("tfirst") else lambda t, y, *more: fun(y, t, *more)
    whole = join_nested(t)
    problem = _Problem(ordered, args, np.atleast_1d(join_nested(y0)), (whole[0], whole[-1]), False)
    own = {"Dfun": given.pop("Dfun"), "col_deriv": given.pop("col_deriv")}
    if callable(own["Dfun"]):
        jac = own["Dfun"]
        own["Dfun"] = Plain(lambda *xs: jac(*xs, *args))
    full, more = given.pop("full_output"), {**given, **own}
    at = np.asarray(plain_value(whole), dtype=np.float64)
    found, report = call_outside(
        integrate.odeint, problem.plain, problem.start, at, full_output=True, tfirst=True, **more
    )
    if problem.tensors:
        tolerances = {
            name: plain_value(given[name]) if given[name] is not None else 1.49e-8
            for name in ("rtol", "atol")
        }

        def run(function: Function, ends: Any, start: Any, **more: Any) -> Any:
            return call_outside(integrate.solve_ivp, function, ends, start, **tolerances, **more)

        if "integration successful" not in str(report["message"]).lower():
            raise SymtapeError(f"odeint has failed: {report['message']}")
        found = np.swapaxes(_to_returned(_implicit(problem, run, whole), found.T), 0, 1)
    return (found, report) if full else found


odeint = twin(
    integrate.odeint,
    _odeint,
    "the solution of an initial value problem at times `t`, with derivatives of steps of Radau IIA "
    "of the tolerance that is asked for, and so is the value.",
)
