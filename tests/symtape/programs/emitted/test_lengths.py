"""Source at other lengths is the derivative there, or a ValueError."""

import functools
import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import special

import symtape
from symtape.programs.emitted.source import source_at
from tests.symtape.programs.emitted.test_emitted_suites import leaves

SHAPES = {
    "x": ("n",), "y": ("m",), "w": ("d",), "X": ("n", "d"), "t": ("n",), "M": ("d", "m"),
    "S": ("n", "n"),
}  # fmt: skip

FUNCTIONS = {
    "halves": lambda x: np.sum(x**2) / (len(x) // 2),
    "thirds": lambda x: np.sum(x**2) / (1 + len(x) // 3),
    "parity": lambda x: np.sum(x**2) * (1 + len(x) % 2),
    "first half": lambda x: np.sum(x[: len(x) // 2] ** 2),
    "every second": lambda x: np.sum(x[::2] ** 2),
    "median": lambda x: np.median(x) ** 2,
    "percentile": lambda x: np.percentile(x, 30) ** 2,
    "root": lambda x: np.sum(x[: int(np.sqrt(len(x)))] ** 2),
    "rounded logarithm": lambda x: np.sum(x**2) * np.ceil(np.log2(len(x))),
    "bits": lambda x: np.sum(x**2) * bin(len(x)).count("1"),
    "other when long": lambda x: np.sum(x**2) if len(x) < 40 else np.sum(x**3),
    "other when short": lambda x: np.sum(x**2) if len(x) < 13 else np.sum(x**3),
    "other when equal": lambda x, y: np.sum(x**2) * np.sum(y if len(x) != len(y) else y**2),
    "mean": lambda x: np.mean(x**2),
    "deviation": lambda x: np.std(x, ddof=1),
    "differences": lambda x: np.sum(np.diff(x) ** 2),
    "backwards": lambda x: np.sum(x * x[::-1]),
    "running": lambda x: np.sum(np.cumsum(x) ** 2),
    "largest": lambda x: np.max(x**2),
    "length": lambda x: np.linalg.norm(x),
    "logsumexp": lambda x: special.logsumexp(x),
    "polynomial": lambda x: np.polyval(x, 0.5),
    "kernel": lambda x, y: np.sum(np.exp(-((x[:, None] - y[None]) ** 2))),
    "least squares": lambda w, X, t: np.mean((X @ w - t) ** 2),
    "products": lambda X, M: np.sum((X @ M) ** 2),
}
MEETING = {
    "ends": lambda x: x[0] * x[-1],
    "near the ends": lambda x: x[2] * x[-3] + x[1] * x[-2],
    "list of both ends": lambda x: np.sum(x[[0, 1, -1]] ** 2 * np.array([1.0, 2.0, 3.0])),
    "ends of two": lambda x, y: x[0] * y[-1] + x[-1] * y[0],
    "corners": lambda S: S[0, -1] * S[-1, 0],
    "rows": lambda S: np.sum(S[0] * S[-1]),
    "columns": lambda S: np.sum(S[:, 0] * S[:, -1]),
    "slices": lambda x: np.sum(x[3:] * x[:-3]),
    "steps": lambda x: np.sum(x[::2]) * np.sum(x[1::2]) * x[-1],
    "set": lambda x: np.sum(with_ends(x) ** 2),
}
"""Whose indices name the same element at some lengths."""
FUNCTIONS |= MEETING
GENERAL = {
    "mean", "deviation", "differences", "backwards", "running", "largest", "length", "logsumexp",
    "kernel", "least squares", "products",
}  # fmt: skip
GENERAL |= {"ends", "ends of two", "corners", "rows", "columns"}
BASES = ({"n": 7, "m": 5, "d": 3}, {"n": 4, "m": 4, "d": 4})
LENGTHS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 50, 97)


def with_ends(x):
    y = 1.0 * x
    y[0], y[-1] = 2 * x[-1], x[0]
    return y


def point(f, lengths):
    rng = np.random.default_rng(1)
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    return [rng.normal(size=[lengths[size] for size in SHAPES[name]]) for name in names]


def written(f, base, language="numpy", what=None, dtype=float):
    space = {}
    exec(source_at(f, [x.astype(dtype) for x in point(f, base)], language, what), space)
    return next(v for k, v in space.items() if k.startswith(("grad_", "hessian_")))


def as_tuple(found):
    return found if isinstance(found, tuple) else (found,)


def is_defined(f, args):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return np.isfinite(f(*args))
        except (ValueError, IndexError, ZeroDivisionError, OverflowError):
            return False


def answers_right(g, f, lengths):
    """Whether `g` answers, by the derivative; nothing but a ValueError stops it."""
    args = point(f, lengths)
    if not is_defined(f, args):
        return False
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            got = g(*args)
        except ValueError:
            return False
        wanted = symtape.grad(f, tuple(range(len(args))))(*args)
    for one, exact in zip(as_tuple(got), as_tuple(wanted), strict=True):
        np.testing.assert_allclose(one, exact, rtol=1e-9, atol=1e-12)
    return True


@pytest.mark.parametrize("base", BASES, ids=["apart", "equal"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_is_right_or_refuses(name, base):
    f = FUNCTIONS[name]
    g = written(f, base)
    assert answers_right(g, f, base)
    answered = sum(
        answers_right(g, f, {"n": n, "m": m, "d": d})
        for n in LENGTHS
        for m, d in ((5, 3), (n, n), (4, 2))
    )
    if name in GENERAL and base is BASES[0]:
        assert answered >= 3 * (len(LENGTHS) - 2)


def test_the_least_length_is_said():
    g = written(FUNCTIONS["mean"], BASES[0])
    with pytest.raises(ValueError, match=r"expected x of shape \(n,\) with n >= 1"):
        g(np.ones(0))


TWICE = {
    "largest": lambda x: x[np.argmax(x)] ** 2,
    "sorted": lambda x: np.sort(x)[0] * np.sort(x)[-1],
    "inner": lambda x: np.sum(np.concatenate([x[:1], x[2:] * x[:-2]]) ** 2),
    "least squares": lambda X, t, w: np.mean((X @ w - t) ** 2),
    "ends": lambda x: x[0] * x[-1] ** 2,
}


@pytest.mark.parametrize("language", ["numpy", "torch"])
@pytest.mark.parametrize("name", TWICE)
def test_hessians_are_right_or_refuse(name, language):
    if language != "numpy":
        pytest.importorskip(language)
    f, base = TWICE[name], {"n": 4, "d": 2}
    for dtype in (np.float32, np.float64):
        g = written(f, base, language, "hessian", dtype)
        for n in (4, 1, 2, 3, 7):
            args = [x.astype(dtype) for x in point(f, {"n": n, "d": 2})]
            try:
                got = g(*args)
            except ValueError:
                assert n != 4
                continue
            wanted = symtape.hessian(f, tuple(range(len(args))))(*args)
            for one, exact in zip(leaves(got), leaves(wanted), strict=True):
                assert np.asarray(one).dtype == dtype
                np.testing.assert_allclose(one, exact, rtol=1e-5, atol=1e-6)


def test_arrays_without_elements_keep_their_shape():
    f = lambda S: np.sum(np.abs(np.diff(S, axis=0))) + np.sum(np.diff(S, axis=1) ** 2)  # noqa: E731
    assert answers_right(written(f, {"n": 1}), f, {"n": 1})


ENTRYWISE = (
    np.sin,
    np.tanh,
    lambda x: np.maximum(x, 0.1),
    lambda x: np.where(x > 0, x, 0.1 * x),
    lambda x: x**2,
)
MIDDLE = (
    lambda x: x[::-1],
    lambda x: x[1:],
    lambda x: np.cumsum(x),
    lambda x: x - np.mean(x),
    lambda x: x / len(x),
    lambda x: x * (len(x) % 3),
    lambda x: x[: len(x) // 2],
    lambda x: x[: (len(x) + 1) // 2],
    lambda x: np.concatenate([x, x[:1]]),
    lambda x: np.sort(x),
    lambda x: x * np.arange(len(x)),
    lambda x: np.diff(x),
    lambda x: np.outer(x, x)[0],
)
ENDS = (np.sum, np.mean, np.max, np.linalg.norm, lambda x: x @ x, lambda x: x[-1], np.var)


@st.composite
def programs(draw):
    steps = draw(st.lists(st.sampled_from(ENTRYWISE + MIDDLE), min_size=1, max_size=4))
    end = draw(st.sampled_from(ENDS))

    def f(x):
        return end(functools.reduce(lambda value, step: step(value), steps, 1.0 * x))

    return f


def check_random(f, base):
    assume(is_defined(f, point(f, {"n": base})))
    with np.errstate(all="ignore"):  # of no numbers there is a mean, with a warning
        g = written(f, {"n": base})
    for n in LENGTHS:
        answers_right(g, f, {"n": n})


@settings(max_examples=15)
@given(programs(), st.sampled_from((2, 3, 4, 7, 8)))
def test_random_programs(f, base):
    check_random(f, base)


@pytest.mark.campaign
@settings(max_examples=1000)
@given(programs(), st.integers(1, 20))
def test_many_random_programs(f, base):
    check_random(f, base)
