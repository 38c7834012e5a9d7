"""Code that recordings may not see, or take for other code: no verdict on another function."""

from __future__ import annotations

import asyncio
import base64
import ctypes
import decimal
import io
import json
import math
import numbers
import pickle
import queue
import re
import struct
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.stats

import symtape
import verify
from symtape.errors import SymtapeError
from verify.model.verdict import Verdict


def pool(x):
    with ThreadPoolExecutor(2) as workers:
        return sum(workers.map(lambda t: t**2, list(x)))


def thread(x):
    found = []
    worker = threading.Thread(target=lambda: found.append(np.sum(x**2)))
    worker.start()
    worker.join()
    return found[0]


def other_thread_of_asyncio(x):
    async def squared():
        return await asyncio.to_thread(lambda: np.sum(x**2))

    return asyncio.run(squared())


def half_in_a_thread(x):
    return np.sum(x**2) - x[0] ** 2 + pool(x[:1])


def text_in_memory(x):
    file = io.StringIO()
    np.savetxt(file, x, fmt="%.18e")
    file.seek(0)
    return np.sum(np.loadtxt(file) ** 2)


class TextFile:
    """Through a file, as simulations of others are fed."""

    def __init__(self, path):
        self.path = path

    def __call__(self, x):
        np.savetxt(self.path, x, fmt="%.18e")
        return np.sum(np.loadtxt(self.path) ** 2)


def remembered_by_value():
    known = {}

    def f(x):
        key = tuple(np.asarray(x).tolist())
        if key not in known:
            known[key] = np.sum(x**2)
        return known[key]

    return f


def in_c(x):
    array = (ctypes.c_double * len(x))(*x)
    return sum(t**2 for t in array)


def lengths(x):
    """As the others, and the hash of a value beside it."""
    return sum(hash(float(t)) * 0 + float(t) ** 2 for t in x)


def through_a_queue(x):
    waiting = queue.Queue()
    worker = threading.Thread(target=lambda: waiting.put([t**2 for t in x]))
    worker.start()
    worker.join()
    return sum(waiting.get())


def saved_and_loaded(x):
    file = io.BytesIO()
    np.save(file, x)
    file.seek(0)
    return np.sum(np.load(file) ** 2)


def printed(x):
    text = np.array2string(x, precision=17, separator=",").strip("[]")
    return sum(float(t) ** 2 for t in text.split(","))


def structured(x):
    return np.sum(np.array([(t,) for t in x], dtype=[("value", float)])["value"] ** 2)


SUMS_OF_SQUARES = {
    "a queue": through_a_queue,
    "np.save": saved_and_loaded,
    "np.array2string": printed,
    "a structured array": structured,
    "a masked array": lambda x: np.sum(np.ma.masked_array(x) ** 2),
    "np.nditer": lambda x: sum(float(t) ** 2 for t in np.nditer(x)),
    "Decimal": lambda x: float(sum(decimal.Decimal(float(t)) ** 2 for t in x)),
    "base64": lambda x: np.sum(np.frombuffer(base64.b64decode(base64.b64encode(x))) ** 2),
    "math.hypot": lambda x: math.hypot(*x) ** 2,
    "symtape.constant": lambda x: np.sum(symtape.constant(x) ** 2),
    "thread pool": pool,
    "thread": thread,
    "asyncio.to_thread": other_thread_of_asyncio,
    "a part in a thread": half_in_a_thread,
    "np.frompyfunc": lambda x: np.sum(np.frompyfunc(lambda t: t**2, 1, 1)(x)),
    "np.vectorize": lambda x: np.sum(np.vectorize(lambda t: t**2)(x)),
    "np.fromiter": lambda x: np.sum(np.fromiter((t**2 for t in x), float)),
    "objects": lambda x: np.sum(x.astype(object) ** 2),
    "an array of objects": lambda x: np.sum(np.array(list(x), dtype=object) ** 2),
    "text as dtype": lambda x: np.sum(x.astype("U32").astype(float) ** 2),
    "pickle": lambda x: np.sum(pickle.loads(pickle.dumps(x)) ** 2),
    "text in memory": text_in_memory,
    "a cache by value": remembered_by_value(),
    "str": lambda x: sum(float(str(t)) ** 2 for t in x),
    "repr": lambda x: sum(float(re.findall(r"\((-?[\d.e+-]+)", repr(t))[0]) ** 2 for t in x),
    "format": lambda x: sum(float(f"{t:.17g}") ** 2 for t in x),
    "json": lambda x: sum(t**2 for t in json.loads(json.dumps([t.item() for t in x]))),
    "complex": lambda x: np.sum(np.asarray(x * (1 + 1j)).imag ** 2),
    "complex by element": lambda x: sum(complex(t * (1 + 1j)).imag ** 2 for t in x),
    "math": lambda x: sum(math.pow(t, 2) for t in x),
    "memoryview": lambda x: sum(t**2 for t in memoryview(np.asarray(x))),
    "struct": lambda x: sum(t**2 for t in struct.unpack("2d", struct.pack("2d", *x))),
    "bytes": lambda x: np.sum(np.frombuffer(x.tobytes()) ** 2),
    "ctypes": in_c,
    "hash": lengths,
    "isinstance ndarray": lambda x: np.sum(x ** (2 if isinstance(x, np.ndarray) else 3)),
    "type is ndarray": lambda x: np.sum(x ** (2 if type(x) is np.ndarray else 3)),
    "hasattr flags": lambda x: np.sum(x ** (2 if hasattr(x, "flags") else 3)),
    "hasattr ctypes": lambda x: np.sum(x ** (2 if hasattr(x, "ctypes") else 3)),
    "name of the type": lambda x: np.sum(x ** (2 if type(x).__name__ == "ndarray" else 3)),
    "try": lambda x: np.sum(x ** (2 if _is_buffer(x) else 3)),
}


def _is_buffer(x):
    try:
        memoryview(x)
    except TypeError:
        return False
    return True


SQUARES = {
    "float": lambda x: x**2 if isinstance(x, float) else x**3,
    "int and float": lambda x: x**2 if isinstance(x, int | float) else x**3,
    "np.isscalar": lambda x: x**2 if np.isscalar(x) else x**3,
    "np.floating": lambda x: x**2 if isinstance(x, np.floating) else x**3,
    "np.generic": lambda x: x**2 if isinstance(x, np.generic) else x**3,
    "Real": lambda x: x**2 if isinstance(x, numbers.Real) else x**3,
    "Number": lambda x: x**2 if isinstance(x, numbers.Number) else x**3,
    "type is float": lambda x: x**2 if type(x) is float else x**3,
    "hex": lambda x: x**2 if hasattr(x, "hex") else x**3,
    "as_integer_ratio": lambda x: x**2 if hasattr(x, "as_integer_ratio") else x**3,
    "math": lambda x: math.exp(2 * math.log(x)),
    "a list of one": lambda x: np.float64(float([x][0])) ** 2,
}

ARRAYS = [np.array([0.3, 0.7]), np.array([-1.5, 0.25]), np.array([1e-100, 2.0])]
NUMBERS = [1.5, 0.3]


def found(function, claimed, **where):
    """The verdict; None where it is refused to give one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return verify.gradient(function, claimed, **where).verdict
        except SymtapeError:
            return None


def own(function, x):
    """What the tape gives the user; None where it refuses to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return symtape.grad(function)(x)
        except Exception:  # noqa: BLE001  # any error will do
            return None


@pytest.fixture(params=[*SUMS_OF_SQUARES, "a file"])
def of_arrays(request, tmp_path):
    if request.param == "a file":
        return TextFile(tmp_path / "x.txt")
    return SUMS_OF_SQUARES[request.param]


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [lambda x: 0 * x, lambda x: 3 * x**2], ids=["zero", "other"])
def test_a_wrong_claim_about_arrays_is_never_correct(of_arrays, wrong):
    assert found(of_arrays, wrong, at=ARRAYS) is not Verdict.CORRECT


def test_a_right_claim_about_arrays_is_never_wrong(of_arrays):
    assert found(of_arrays, lambda x: 2 * x, at=ARRAYS) is not Verdict.WRONG


def test_the_tape_is_never_correct_with_another_derivative_of_arrays(of_arrays):
    if found(of_arrays, None, at=ARRAYS[:1]) is Verdict.CORRECT:
        np.testing.assert_allclose(own(of_arrays, ARRAYS[0]), 2 * ARRAYS[0])


@pytest.mark.slow
@pytest.mark.parametrize("function", SQUARES.values(), ids=SQUARES)
@pytest.mark.parametrize("where", [{"at": NUMBERS}, {"over": [0.5, 3.0], "effort": 0.05}])
def test_claims_about_numbers_are_not_judged_by_the_other_branch(function, where):
    assert found(function, lambda x: 3 * x**2, **where) is not Verdict.CORRECT
    assert found(function, lambda x: 2 * x, **where) is not Verdict.WRONG
    if found(function, None, **where) is Verdict.CORRECT:
        np.testing.assert_allclose(own(function, 1.5), 3.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["thread pool", "np.frompyfunc", "objects", "pickle", "isinstance ndarray"]
)
def test_a_region_is_not_searched_with_what_is_not_the_function(name):
    over = verify.box(-2, 2, shape=(2,))
    function = SUMS_OF_SQUARES[name]
    assert found(function, lambda x: 0 * x, over=over, effort=0.05) is not Verdict.CORRECT
    assert found(function, lambda x: 2 * x, over=over, effort=0.05) is not Verdict.WRONG


@pytest.mark.parametrize(
    "row", [np.power, np.arctan2, np.float_power], ids=lambda row: row.__name__
)
def test_reductions_are_what_numpy_computes(row):
    x = np.array([1.1, 1.2, 1.3])

    def textbook(x):
        return row(row(x[0], x[1]), x[2])

    if np.isclose(row.reduce(x), textbook(x)):
        pytest.skip("this NumPy reduces by the textbook")
    assert found(row.reduce, symtape.grad(textbook), at=[x]) is not Verdict.CORRECT
    assert found(row.reduce, None, at=[x]) is not Verdict.CORRECT


def test_a_density_of_scipy_is_not_a_constant():
    logpdf = scipy.stats.norm.logpdf
    assert found(logpdf, lambda x: 0 * x, at=NUMBERS) is not Verdict.CORRECT
    assert found(logpdf, lambda x: -x, at=NUMBERS) is not Verdict.WRONG


@pytest.mark.parametrize("function", SUMS_OF_SQUARES.values(), ids=SUMS_OF_SQUARES)
def test_a_closed_form_is_that_of_the_function_or_refused(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            form = symtape.derive(function, ARRAYS[0]).gradient
        except (SymtapeError, TypeError, ValueError, AttributeError, IndexError):
            return
    np.testing.assert_allclose(form.lambdify()(ARRAYS[1]), 2 * ARRAYS[1])


@pytest.mark.parametrize("function", SQUARES.values(), ids=SQUARES)
def test_a_closed_form_of_numbers_is_that_of_the_function_or_refused(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            form = symtape.derive(function, 1.5).gradient
        except SymtapeError:
            return
    np.testing.assert_allclose(form.lambdify()(2.5), 5.0)


def quotient_in_a_thread(x):
    found = []
    worker = threading.Thread(target=lambda: found.append(1 / x[0]))
    worker.start()
    worker.join()
    return np.array([-(found[0] ** 2), 2 * x[1]])


CLAIMS = {
    "a part in a thread": quotient_in_a_thread,
    "by type": lambda x: (
        np.stack([-1 / x[0] ** 2, 2 * x[1]]) if type(x) is np.ndarray else np.stack([x[0], x[1]])
    ),
    "of objects": lambda x: np.array([-1 / x[0] ** 2, 2 * x[1]], dtype=object).astype(float),
    "through text": lambda x: np.array([float(str(-1 / float(x[0]) ** 2)), 2 * float(x[1])]),
}


@pytest.mark.parametrize("claimed", CLAIMS.values(), ids=CLAIMS)
def test_a_right_claim_is_judged_by_what_it_returns(claimed):
    def f(x):
        return 1 / x[0] + x[1] ** 2

    assert found(f, claimed, at=[np.array([0.3, 0.7])]) is Verdict.CORRECT


FAITHFUL = {
    "ties": (lambda x: np.sum(np.sort(x) ** 2), lambda x: 2 * x, [np.array([1.0, 1.0, 2.0])]),
    "zeros": (lambda x: np.sum(x**2), lambda x: 2 * x, [np.zeros(3)]),
    "far apart": (lambda x: np.sum(x**2), lambda x: 2 * x, [np.array([1e-120, 1e120, -3.0])]),
    "a norm beyond its squares": (
        np.linalg.norm,
        lambda x: x / np.max(np.abs(x)) / np.linalg.norm(x / np.max(np.abs(x))),
        [np.array([3e-170, 4e-170])],
    ),
    "float32": (
        lambda x: np.sum(np.tanh(x) ** 2),
        lambda x: 2 * np.tanh(x) / np.cosh(x) ** 2,
        [np.array([0.5, 0.25], np.float32)],
    ),
    "powers of Python": (lambda x: x**2.5, lambda x: 2.5 * x**1.5, [0.7, 1.3]),
    "a loop": (
        lambda x: sum(x**k for k in range(9)),
        lambda x: sum(k * x ** (k - 1) for k in range(1, 9)),
        [0.7],
    ),
    "a matrix": (
        lambda x: np.sum(np.linalg.inv(x.reshape(2, 2))),
        None,
        [np.array([2.0, 0.5, 0.25, 1.0])],
    ),
}


@pytest.mark.parametrize(("function", "claimed", "at"), FAITHFUL.values(), ids=FAITHFUL)
def test_what_can_be_followed_is_verified(function, claimed, at):
    assert found(function, claimed, at=at) is Verdict.CORRECT


def test_the_words_say_where_and_what():
    def f(x):
        return x**2 if not hasattr(x, "numpy") else x**3

    result = verify.gradient(f, lambda x: 2 * x, at=[1.5])
    said = "the recording is not the function: at 1.5 it computes 2.25, the recording 3.375"
    assert any(said in point.message for point in result.points)


@pytest.mark.parametrize("evidence", ["certified", "sampled"])
@pytest.mark.parametrize("claimed", [lambda x: 2 * x, lambda x: 3 * x**2])
def test_a_function_of_each_type_of_number_is_told_as_that(claimed, evidence):
    def f(x):
        return x**2 if type(x) is float else x**3

    for where in ({"at": [1.5]}, {"over": [0.5, 3.0], "effort": 0.05}):
        result = verify.gradient(f, claimed, evidence=evidence, **where)
        assert result.verdict is Verdict.UNDECIDED
        assert "another value for Python's floats than for NumPy's: " in result.witness.message


TRUTHS = {
    "not": lambda x: np.where(~(x == 1.0), x**2 + 1, x),
    "sums": lambda x: np.where((x >= 1.0) + (x > 0.9) == 2, x**2 + 1, x),
}


@pytest.mark.filterwarnings("ignore:Bitwise inversion")  # of Python's truths, from 3.12 on
@pytest.mark.parametrize("name", TRUTHS)
def test_truths_of_python_are_told_as_those_also_where_few_points_see_them(name):
    """``~True`` is -2, and true; ``np.True_ + np.True_`` is not 2."""
    result = verify.gradient(TRUTHS[name], at=[0.3, 0.5, 1.0])
    assert result.verdict is Verdict.UNDECIDED
    assert "another value for Python's floats than for NumPy's: " in str(result)


def test_a_recording_that_raises_where_the_function_does_not_is_not_outside():
    def f(x):
        return x**2 if not hasattr(x, "numpy") else x * math.log(-1.0)

    result = verify.gradient(f, lambda x: 2 * x, at=[1.5])
    assert result.verdict not in (Verdict.OUTSIDE, Verdict.WRONG)
    assert "where the function returns numbers" in result.witness.message


def test_a_path_of_a_single_point_is_told():
    found = verify.gradient(lambda x: x * x if x == 1.0 else x**3, lambda x: 2 * x, at=[1.0])
    assert found.verdict is not Verdict.CORRECT or "at this point alone" in found.points[0].message


def array_of_entries(x):
    return np.sum(np.array([x[0] ** 2, x[1]]))


def zeros_written_into(x):
    y = np.zeros(2)
    y[0] = x[0] ** 2
    y[1] = x[1]
    return np.sum(y)


@pytest.mark.parametrize("function", [array_of_entries, zeros_written_into])
@pytest.mark.parametrize("quantity", ["gradient", "jacobian", "hessian", "vjp", "jvp", "hvp"])
def test_what_the_tape_is_said_to_claim_is_what_it_answers(function, quantity):
    x = np.array([3.0, 4.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = getattr(verify, quantity)(function, at=[x]).verdict
    answers = own(function, x)
    if verdict is Verdict.CORRECT:
        np.testing.assert_allclose(answers, [6.0, 1.0])
    else:
        assert verdict is Verdict.UNDECIDED
