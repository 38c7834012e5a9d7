"""Verdicts are about the user's function: on threads, behind type checks, beside conversions."""

from __future__ import annotations

import asyncio
import io
import logging
import math
import numbers
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import symtape
import verify
from verify.model.verdict import Rung, Verdict

X = np.array([1.5, 2.25])


@pytest.fixture(autouse=True)
def no_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def by_threads(x):
    found = [0.0, 0.0]

    def work(place):
        found[place] = x[place] ** 2

    threads = [threading.Thread(target=work, args=(place,)) for place in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found[0] + found[1]


def by_asyncio(x):
    async def squares():
        return await asyncio.to_thread(lambda: np.sum(x**2))

    return asyncio.run(squares())


SQUARES = {
    "an executor": lambda x: sum(list(ThreadPoolExecutor(2).map(lambda t: t**2, list(x)))),
    "threads": by_threads,
    "asyncio": by_asyncio,
    "frompyfunc": lambda x: np.sum(np.frompyfunc(lambda t: t**2, 1, 1)(x)),
    "vectorize": lambda x: np.sum(np.vectorize(lambda t: t**2)(x)),
    "objects": lambda x: np.sum(x.astype(object) ** 2),
    "np.array": lambda x: np.sum(np.array([x[0] ** 2, x[1] ** 2])),
    "a list": lambda x: np.sum([t**2 for t in x]),
    "printed": lambda x: [print(f"{x[0]:.2f}", x, file=io.StringIO()), np.sum(x**2)][1],
    "logged": lambda x: [logging.getLogger("test").debug("%.2f %d", *x), np.sum(x**2)][1],
    "asserted": lambda x: [np.testing.assert_array_less(0, x), np.sum(x**2)][1],
    "finite": lambda x: np.sum(x**2) if math.isfinite(x[0]) else math.nan,
    "rounded": lambda x: np.sum(x[: int(x[0]) + 1] ** 2),
    "looped": lambda x: sum(x[k] ** 2 for k in range(round(x[1]))),
    "masked": lambda x: np.sum(x[np.asarray(x > 0)] ** 2),
    "sorted": lambda x: sum(x[k] ** 2 for k in np.asarray(np.argsort(x)).tolist()),
    "math": lambda x: math.fsum(t**2 for t in x),
    "float": lambda x: sum(float(t) ** 2 for t in x),
    "an array": lambda x: np.sum(x**2) if isinstance(x, np.ndarray) else np.sum(x**3),
    "with flags": lambda x: np.sum(x**2) if hasattr(x, "flags") else np.sum(x**3),
    "an item of a complex number": lambda x: sum((t * (1 + 2j)).item().imag ** 2 / 4 for t in x),
}


@pytest.mark.parametrize("function", SQUARES.values(), ids=SQUARES)
def test_what_is_followed_is_judged(function):
    assert verify.gradient(function, claimed=lambda x: 2 * x, at=[X]).verdict is Verdict.CORRECT
    assert verify.gradient(function, at=[X]).verdict is Verdict.CORRECT
    wrong = verify.gradient(function, claimed=lambda x: 2 * x * (1 + 1e-9), at=[X])
    assert wrong.verdict is Verdict.WRONG
    np.testing.assert_allclose(symtape.grad(function)(X), 2 * X)


def by_file(x):
    file = io.StringIO()
    np.savetxt(file, x)
    file.seek(0)
    return np.sum(np.loadtxt(file) ** 2)


LOST = {
    "pickle": lambda x: np.sum(pickle.loads(pickle.dumps(x)) ** 2),
    "savetxt": by_file,
    "tobytes": lambda x: np.sum(np.frombuffer(x.tobytes()) ** 2),
}


@pytest.mark.parametrize("function", LOST.values(), ids=LOST)
def test_what_is_lost_is_judged_by_samples_alone(function):
    for claimed in (None, lambda x: 2 * x, lambda x: 0 * x):
        found = verify.gradient(function, claimed=claimed, at=[X])
        wrong = claimed is not None and not np.any(claimed(X))
        assert found.verdict is (Verdict.WRONG if wrong else Verdict.UNDECIDED)
        assert found.evidence.rung is Rung.SAMPLED
        assert "left the tape by" in found.witness.message
    with pytest.raises(symtape.errors.Escaped):
        symtape.grad(function)(X)


CHECKS = {
    "float": lambda x: isinstance(x, float),
    "int or float": lambda x: isinstance(x, (int, float)),
    "isscalar": np.isscalar,
    "Real": lambda x: isinstance(x, numbers.Real),
    "no array": lambda x: not isinstance(x, np.ndarray),
    "no length": lambda x: not hasattr(x, "__len__"),
    "not iterable": lambda x: not np.iterable(x),
}


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_type_checks_take_the_branch_of_the_plain_value(check):
    def f(x):
        return x**2 if check(x) else x**3

    right = verify.gradient(f, claimed=lambda x: 2 * x, at=[1.5])
    assert right.verdict is Verdict.CORRECT
    assert verify.gradient(f, claimed=lambda x: 3 * x**2, at=[1.5]).verdict is Verdict.WRONG


CHECKS_OF_NUMPYS = {
    "floating": lambda x: isinstance(x, np.floating),
    "flags": lambda x: hasattr(x, "flags"),
}


@pytest.mark.parametrize("check", CHECKS_OF_NUMPYS.values(), ids=CHECKS_OF_NUMPYS)
def test_a_function_of_numpys_numbers_alone_is_told_as_that(check):
    def f(x):
        return x**2 if check(x) else x**3

    for claimed in (lambda x: 2 * x, lambda x: 3 * x**2):
        found = verify.gradient(f, claimed=claimed, at=[1.5])
        assert found.verdict is Verdict.UNDECIDED
        assert "another value for Python's floats than for NumPy's: " in found.witness.message


STEPS = {
    "int": (lambda x: x * int(x), 2.0),
    "floor": (lambda x: x * math.floor(x), 2.0),
    "ceil": (lambda x: x * math.ceil(x), 2.0),
    "round": (lambda x: x * round(x), 2.5),
    "a mask": (lambda x: x * float(np.asarray(symtape.stop_gradient(x) > 2)), 2.0),
}


@pytest.mark.parametrize(("function", "at"), STEPS.values(), ids=STEPS)
def test_at_a_step_nothing_is_correct(function, at):
    assert verify.gradient(function, at=[at]).verdict in (Verdict.KINK, Verdict.UNDECIDED)
    assert verify.gradient(function, at=[at + 0.25]).verdict is Verdict.CORRECT


@pytest.mark.parametrize("ufunc", [np.power, np.arctan2], ids=lambda ufunc: ufunc.__name__)
def test_a_reduction_is_what_numpy_computes_or_refused(ufunc):
    textbook = verify_by_steps(ufunc)
    x = np.array([1.25, 1.5, 1.75])
    if ufunc.reduce(x) == textbook(x):
        assert verify.gradient(ufunc.reduce, claimed=symtape.grad(textbook), at=[x])
    else:
        found = verify.gradient(ufunc.reduce, claimed=symtape.grad(textbook), at=[x])
        assert not found
        assert "one element after another" in str(found)


def verify_by_steps(ufunc):
    return lambda x: ufunc(ufunc(x[0], x[1]), x[2])
