"""A function that answers from a cache is refused; constants and pieces are not."""

import functools
import math

import numpy as np
import pytest

import symtape
import verify
from symtape.errors import SymtapeError
from symtape.primitives.primitive import PRIMITIVES
from symtape.recording.run import is_found_equal
from verify.model.verdict import Verdict

X = np.array([0.3, 0.5])


def value_of(x):
    return np.sum(np.sin(x))


class Kept:
    """Keeps its last argument and value, as models of fits do."""

    def __init__(self, same, part=False):
        self.same, self.part = same, part
        self.x = self.value = None

    def __call__(self, x):
        if self.x is None or not self.same(self.x, x):
            self.x, self.value = x, value_of(x)
        return self.value + np.sum(x**2) if self.part else self.value


class Table:
    """Keeps a value for each key."""

    def __init__(self, key):
        self.key, self.values = key, {}

    def __call__(self, x):
        key = self.key(x)
        if key not in self.values:
            self.values[key] = value_of(x)
        return self.values[key]


def pairs():
    known = []

    def f(x):
        for x_of, value in known:
            if np.all(x_of == x):
                return value
        known.append((np.array(x), value_of(x)))
        return known[-1][1]

    return f


def by_an_inner_cache():
    inner = functools.lru_cache(np.sin)

    class Model:
        def __init__(self):
            self.sine = inner

        def value(self, x):
            return self.sine(x) ** 2

    return Model().value


CACHES = {
    "array_equal": (lambda: Kept(np.array_equal), X),
    "not any unequal": (lambda: Kept(lambda a, b: not np.any(a != b)), X),
    "all equal": (lambda: Kept(lambda a, b: (a == b).all()), X),
    "allclose": (lambda: Kept(np.allclose), X),
    "distance": (lambda: Kept(lambda a, b: np.linalg.norm(a - b) < 1e-12), X),
    "largest": (lambda: Kept(lambda a, b: np.max(np.abs(a - b)) <= 0), X),
    "numbers": (lambda: Kept(lambda a, b: a == b), 0.3),
    "isclose": (lambda: Kept(lambda a, b: math.isclose(a, b)), 0.3),
    "part": (lambda: Kept(np.array_equal, part=True), X),
    "pairs": (pairs, X),
    "number": (lambda: Table(lambda x: x), 0.3),
    "float": (lambda: Table(float), 0.3),
    "rounded": (lambda: Table(lambda x: round(float(x), 8)), 0.3),
    "whole": (lambda: Table(lambda x: int(x * 1e8)), 0.3),
    "bytes": (lambda: Table(lambda x: x.tobytes()), X),
    "tuple": (lambda: Table(tuple), X),
    "list": (lambda: Table(lambda x: tuple(x.tolist())), X),
    "text": (lambda: Table(str), X),
    "format": (lambda: Table(lambda x: f"{x:.12g}"), 0.3),
    "hash": (lambda: Table(lambda x: hash(tuple(x))), X),
}

TRANSFORMS = {
    "grad": symtape.grad,
    "jacobian": symtape.jacobian,
    "jvp": lambda f: lambda x: symtape.jvp(f, (x,), (np.ones_like(x),))[1],
}


def called_before(name):
    """A function that keeps values, which a plain call has filled, and the point of that call."""
    make, x = CACHES[name]
    f = make()
    f(x)
    return f, x


@pytest.mark.parametrize("name", CACHES)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_what_was_kept_by_plain_calls_is_refused(name, transform):
    f, x = called_before(name)
    with pytest.raises(SymtapeError) as error:
        TRANSFORMS[transform](f)(x)
    assert error.value.code.startswith("escape:")


@pytest.mark.parametrize("name", CACHES)
def test_a_hessian_is_refused_or_is_that_of_a_call_anew(name):
    f, x = called_before(name)
    try:
        found = symtape.hessian(f)(x)
    except SymtapeError:
        return
    diagonal = (2.0 if name == "part" else 0.0) - np.sin(x)
    np.testing.assert_allclose(found, np.diag(diagonal) if np.ndim(x) else diagonal, rtol=1e-14)


@pytest.mark.parametrize("name", CACHES)
def test_a_recording_is_refused_or_is_that_of_a_call_anew(name):
    f, x = called_before(name)
    try:
        graph = symtape.record(f, x)
    except SymtapeError:
        return
    (found,) = graph.evaluate(x * 1.25)
    np.testing.assert_allclose(found, CACHES[name][0]()(x * 1.25), rtol=1e-14)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", ["array_equal", "pairs", "whole", "part"])
def test_no_claim_is_correct_of_what_was_kept(name):
    f, x = called_before(name)
    found = verify.gradient(f, claimed=lambda x: 0 * x, at=[x])
    assert found.verdict is not Verdict.CORRECT


def test_a_cache_of_a_function_is_passed_by():
    f = functools.lru_cache(lambda x: np.sin(x) * x)
    f(0.3)
    assert symtape.grad(f)(0.3) == np.cos(0.3) * 0.3 + np.sin(0.3)
    g = by_an_inner_cache()
    g(0.3)
    np.testing.assert_allclose(symtape.grad(g)(0.3), np.sin(0.6), rtol=1e-15)


def test_words(snapshot):
    f = Kept(np.array_equal)
    f(X)
    with pytest.raises(SymtapeError) as cached:
        symtape.grad(f)(X)
    with pytest.raises(TypeError) as key:
        symtape.grad(Table(lambda x: x))(0.3)
    snapshot("caches", f"{cached.value}\n\n{key.value}\n")


class Counting:
    """Counts its calls and keeps what it saw, of which nothing comes back."""

    def __init__(self, f):
        self.f, self.calls, self.seen = f, 0, []

    def __call__(self, x):
        self.calls += 1
        self.seen.append(x)
        return self.f(x)


HONEST = {
    "constant": (lambda x: 3.0, 0.3, 0.0),
    "constant of the shape": (lambda x: float(x.size), X, [0.0, 0.0]),
    "singled out": (lambda x: 1.0 if x == 0 else np.sin(x) / x, 0.0, 0.0),
    "singled out elsewhere": (lambda x: 2.0 if x == 0.3 else x * x, 0.3, 0.0),
    "singled out arrays": (lambda x: 0.0 if np.allclose(x, X) else np.sum(x**2), X, [0.0, 0.0]),
    "piece": (lambda x: 0.0 if x < 1 else x * x, 0.3, 0.0),
    "saturated": (lambda x: 5.0 if np.clip(x, 0, 1) == 1 else x * x, 3.0, 0.0),
    "no part": (lambda x: 5.0 if np.maximum(x, 0) == 0 else x, -3.0, 0.0),
    "an equal one": (lambda x: x**2 if x == 0.3 else 0.0, 0.3, 0.6),
    "steps": (lambda x: np.floor(x), 0.3, 0.0),
    "a table": (lambda x: {0: 5.0, 1: 7.0}[int(x)], 0.3, 0.0),
    "outside": (lambda x: 0.0 if x == 1 else math.sqrt(1 - x), 1.0, 0.0),
}


@pytest.mark.parametrize("name", HONEST)
def test_constants_and_pieces_are_not_refused(name):
    f, x, expected = HONEST[name]
    f = Counting(f)
    f(x)
    for _ in range(3):
        np.testing.assert_allclose(symtape.grad(f)(x), expected, rtol=1e-14)


def test_a_function_of_its_argument_is_run_once():
    f = Counting(lambda x: np.sum(np.where(x > 0, x, 0.0) ** 2) if x[0] < 1 else 0.0)
    symtape.grad(f)(X)
    assert f.calls == 1


READ_AGAIN = {
    "alone": lambda x: x * float(f"{x:.17g}"),
    "on a path": lambda x: x * float(f"{x:.17g}") if x > 0 else x,
    "in a sum": lambda x: x + float(f"{x * 2:.17g}"),
}


@pytest.mark.parametrize("name", READ_AGAIN)
@pytest.mark.parametrize("transform", [symtape.record, lambda f, x: symtape.grad(f)(x)])
def test_text_that_is_read_again_is_refused(name, transform):
    with pytest.raises(symtape.errors.Escaped, match="left the computation by text"):
        transform(READ_AGAIN[name], 2.0)


def test_text_that_nobody_reads_is_no_value_that_left():
    written = []

    def f(x):
        written.append(f"{x}")
        return x * x if x > 0 else x

    assert symtape.record(f, 2.0).evaluate(3.0) == (9.0,)


def test_a_function_with_a_path_is_recorded_by_one_call():
    called = []

    def f(x):
        called.append(x)
        return np.sum(x**2) if x[0] < 1 else x[0]

    symtape.record(f, X)
    assert len(called) == 1


@pytest.mark.parametrize("name", ["less", "equal", "not_equal"])
@pytest.mark.parametrize(
    ("followed", "other"),
    [
        (np.zeros(3), np.ones(3)),
        (np.array([0.0, 2.0]), np.array([1.0, 2.0])),
        (np.array([np.nan, 0.0]), np.zeros(2)),
        (np.array([-0.0]), np.zeros(1)),
        (np.zeros((0, 2)), np.zeros((0, 2))),
        (np.float64(0.0), np.float64(1.0)),
        (np.float64(2.0), np.float64(2.0)),
    ],
)
def test_what_is_found_equal_is_equal_in_every_entry_or_is_zero(name, followed, other):
    row = PRIMITIVES[name]
    answer = row.evaluate(followed, other)
    equal = {"equal": answer, "not_equal": ~answer}.get(name, np.False_)
    assert is_found_equal(row, answer, followed) == (np.all(equal) or not np.any(followed))
