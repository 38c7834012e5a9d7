"""The rows that move, choose and reduce mean one thing to the tape, in SymPy and in balls."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.rigorous.enclose import enclose
from symtape.symbolic.derivative import gradient
from symtape.symbolic.precise import enclose as evaluate
from symtape.symbolic.walk import shadow

BITS = 200
X = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, 1.0]])

PROGRAMS = {
    "reshape": lambda x: x.reshape(3, 2).T,
    "broadcast": lambda x: np.broadcast_to(x, (2, 2, 3)),
    "concatenate": lambda x: np.concatenate([x, x[:1]]),
    "stack": lambda x: np.stack([x[0], x[1] * 2], axis=1),
    "tile": lambda x: np.tile(x, 2),
    "roll": lambda x: np.roll(x, 1),
    "pad": lambda x: np.pad(x, 1, "wrap"),
    "pad with its own": lambda x: np.pad(x, 1, constant_values=x[0, 0]),
    "tril": np.tril,
    "trace": np.trace,
    "take": lambda x: np.take(x, [0, 1, 0], axis=1),
    "mask": lambda x: x[x > 0.3],
    "index by argmax": lambda x: x[:, np.argmax(x[0])],
    "index by argsort": lambda x: x[0][np.argsort(x[0])] * np.arange(3.0),
    "take_along_axis": lambda x: np.take_along_axis(x, np.argsort(x, 1), 1),
    "sum": lambda x: np.sum(x, axis=0),
    "mean": lambda x: np.mean(x, axis=1),
    "prod": np.prod,
    "prod with zeros": lambda x: np.prod(np.where(x > 0.3, x, 0.0)),
    "var": lambda x: np.var(x, axis=1, ddof=1),
    "var of all": np.var,
    "mean of all": np.mean,
    "std of all": np.std,
    "norm of fractional order": lambda x: np.linalg.norm(x[0], 1.7),
    "logaddexp": lambda x: np.logaddexp.reduce(x, axis=1),
    "var where": lambda x: np.var(x, where=X > 0),
    "std": lambda x: np.std(x, axis=0),
    "max": lambda x: np.max(x, axis=0),
    "ptp": lambda x: np.ptp(x, axis=1),
    "nanmax": lambda x: np.nanmax(x, axis=1),
    "nanstd": np.nanstd,
    "cumsum": lambda x: np.cumsum(x, axis=1),
    "cumprod": lambda x: np.cumprod(x, axis=1),
    "norm": np.linalg.norm,
    "norm by rows": lambda x: np.linalg.norm(x, 3, axis=1),
    "norm of columns": lambda x: np.linalg.norm(x, 1),
    "sort": lambda x: np.sort(x, axis=1) * np.arange(3.0),
    "median": np.median,
    "quantile": lambda x: np.quantile(x, [0.3, 0.6], axis=1),
    "gradient": lambda x: np.gradient(x, axis=1),
    "interp": lambda x: np.interp(x, [-3.0, 0.0, 2.0, 4.0], [1.0, 2.0, -1.0, 5.0]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_three_derivatives_agree(name):
    def program(x):
        return np.sum(np.sin(PROGRAMS[name](x)))

    def derivative(x):
        with symtape.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        return tape.gradient(y, x)

    tape = derivative(symtape.constant(X)).numpy()
    made = shadow(symtape.record(program, X), [X])
    (symbolic,) = (evaluate(made.program, ids, [X], BITS) for ids in gradient(made))
    (rigorous,) = enclose(symtape.record(derivative, X), [X], BITS)
    for own, one, other in zip(tape.ravel(), symbolic.ravel(), rigorous.ravel(), strict=True):
        assert one.overlaps(other)
        assert max(float(one.rad()), float(other.rad())) < 2.0**-150
        assert abs(own - float(one.mid())) <= 2.0**-48 * max(abs(own), 2.0**-4)
