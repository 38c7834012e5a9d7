"""No transform answers a silent zero: what leaves is followed, or refused in words."""

from __future__ import annotations

import array
import io
import math
import pickle
import re
import struct
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
import scipy.stats

import symtape
from symtape.errors import Escaped

X = np.array([0.5, 2.0])
TRANSFORMS = {
    "grad": lambda f: symtape.grad(f)(X),
    "value_and_grad": lambda f: symtape.value_and_grad(f)(X),
    "jacobian": lambda f: symtape.jacobian(f)(X),
    "hessian": lambda f: symtape.hessian(f)(X),
    "jvp": lambda f: symtape.jvp(f, (X,), (np.ones(2),)),
    "vjp": lambda f: symtape.vjp(f, X)[1](1.0),
    "hvp": lambda f: symtape.hvp(f)(X, np.ones(2)),
    "batch_jacobian": lambda f: symtape.batch_jacobian(lambda x: np.stack([f(x[0])]))(X[None]),
    "record": lambda f: symtape.record(f, X),
    "derive": lambda f: symtape.derive(f, X),
}
transforms = pytest.mark.parametrize("ask", TRANSFORMS.values(), ids=TRANSFORMS)


def by_file(x):
    file = io.StringIO()
    np.savetxt(file, x)
    file.seek(0)
    return np.sum(np.loadtxt(file) ** 2)


def by_binary_file(x):
    file = io.BytesIO()
    np.save(file, x)
    file.seek(0)
    return np.sum(np.load(file) ** 2)


def caught(x):
    try:
        scale = float(x[0])
    except TypeError:
        scale = 1.0
    return scale * x[1]


class Scaled:
    def __init__(self, scale):
        self.scale = float(scale)

    def __call__(self, x):
        return self.scale * x


def packed(x):
    return x[0] * struct.unpack("d", struct.pack("d", x[1]))[0]


def asked_in_c(x):
    return x[0] * scipy.linalg.qz(np.diag(x), np.eye(len(x)))[0][0, 0]


LOSSY = {
    "struct": packed,
    "qz": asked_in_c,
    "array": lambda x: x[0] * array.array("d", x)[1],
    "numpy": lambda x: np.sum(x.numpy() * x),
    "pickle": lambda x: np.sum(pickle.loads(pickle.dumps(x)) ** 2),
    "savetxt": by_file,
    "save": by_binary_file,
    "round trip of objects": lambda x: np.sum(x.astype(object).astype(float) ** 2),
}


@transforms
@pytest.mark.parametrize("name", LOSSY)
def test_what_cannot_be_followed_is_refused_with_its_line(ask, name):
    function = LOSSY[name]
    with pytest.raises(Escaped) as error:
        ask(function)
    assert re.search(rf"at {re.escape(__file__)}:\d+ in ", str(error.value))


def elsewhere(x):
    return x**2


def test_other_processes_are_refused():
    with ProcessPoolExecutor(1) as pool, pytest.raises(Escaped, match="in its threads"):
        symtape.grad(lambda x: sum(pool.map(elsewhere, list(x))))(X)


def test_messages(snapshot):
    told = []
    for name in ("struct", "array", "pickle", "savetxt"):
        with pytest.raises(Escaped) as error:
            symtape.grad(LOSSY[name])(X)
        told.append(f"{name}\n  {error.value}")
    for ask in (symtape.record, symtape.derive):
        with pytest.raises(Escaped) as error:
            ask(LOSSY["struct"], X)
        told.append(f"{ask.__name__}\n  {error.value}")
    text = "\n".join(told).replace(__file__, Path(__file__).name)
    text = re.sub(r":\d+ in", ":LINE in", text)
    snapshot("escaped", text + "\n")


FOLLOWED = {
    "np.array": (lambda x: np.sum(np.array([x[0] ** 2, x[1]])), [1.0, 1.0]),
    "np.asarray": (lambda x: np.sum(np.asarray(x) ** 2), [1.0, 4.0]),
    "np.array of it": (lambda x: np.sum(np.array(x, dtype=float) ** 2), [1.0, 4.0]),
    "a sum of a list": (lambda x: np.sum([t**2 for t in x]), [1.0, 4.0]),
    "a buffer": (lambda x: filled(x), [1.0, 4.0]),
    "a list in dot": (lambda x: np.dot([x[0], 1.0], [1.0, x[1]]), [1.0, 1.0]),
    "vectorize": (lambda x: np.sum(np.vectorize(lambda t: t**2)(x)), [1.0, 4.0]),
    "objects": (lambda x: np.sum(x.astype(object) ** 2), [1.0, 4.0]),
    "math": (lambda x: x[0] * math.sin(x[1]), [math.sin(2.0), 0.5 * math.cos(2.0)]),
    "float": (lambda x: x[0] * float(x[1]), [2.0, 0.5]),
    "item": (lambda x: x[0] * x[1].item(), [2.0, 0.5]),
    "tolist": (lambda x: x[0] * max(x.tolist()), [2.0, 0.5]),
    "scipy": (lambda x: scipy.stats.norm.logpdf(x[0]) + x[1], [-0.5, 1.0]),
    "caught": (lambda x: caught(x), [2.0, 0.5]),
    "an object": (lambda x: Scaled(x[0])(x[1]), [2.0, 0.5]),
    "fsum": (lambda x: math.fsum(x), [1.0, 1.0]),
    "hypot": (lambda x: math.hypot(*x), np.array([0.5, 2.0]) / math.hypot(0.5, 2.0)),
}


def filled(x):
    y = np.zeros(3)
    y[:2] = x
    return np.sum(y**2)


@pytest.mark.parametrize(("function", "slope"), FOLLOWED.values(), ids=FOLLOWED)
def test_arrays_that_a_function_makes_are_followed(function, slope):
    np.testing.assert_allclose(symtape.grad(function)(X), slope)
    value, found = symtape.value_and_grad(function)(X)
    assert value == function(X)
    np.testing.assert_allclose(found, slope)
    np.testing.assert_allclose(symtape.jvp(function, (X,), (np.ones(2),))[1], np.sum(slope))
    np.testing.assert_allclose(symtape.vjp(function, X)[1](2.0)[0], 2 * np.array(slope))
    hessian = symtape.hessian(function)(X)
    np.testing.assert_allclose(symtape.hvp(function)(X, np.array([1.0, 2.0])), hessian @ [1.0, 2.0])
    graph = symtape.record(function, X)
    assert graph.escapes == ()
    assert graph.evaluate(3 * X) == (pytest.approx(function(3 * X)),)


def test_keywords_auxiliary_results_and_nesting_are_followed_too():
    def f(x, *, scale):
        return np.sum(np.array([x[0] * scale, x[1]])), {"text": "kept", "x": x}

    slope, aux = symtape.grad(f, has_aux=True)(X, scale=3.0)
    np.testing.assert_array_equal(slope, [3.0, 1.0])
    assert aux["text"] == "kept"

    def outer(y):
        return np.sum(symtape.grad(lambda x: np.sum(np.array([x[0] ** 3, x[1]])))(y))

    np.testing.assert_allclose(symtape.grad(outer)(X), [6 * X[0], 0.0])
    assert symtape.record(outer, X).escapes == ()


def test_escapes_may_be_taken_for_constants():
    graph = symtape.record(LOSSY["struct"], X, escapes="constant")
    assert graph.evaluate([1.0, 5.0]) == (2.0,)
    assert [escape.how for escape in graph.escapes] == ["float()"]
    derived = symtape.derive(LOSSY["struct"], X, escapes="constant", order=1)
    assert "2*x[0]" in str(derived)
    for ask in (symtape.record, symtape.derive):
        with pytest.raises(ValueError, match="escapes='ignore': expected 'refuse' or 'constant'"):
            ask(np.sum, X, escapes="ignore")


def cache():
    known = {}

    def kept(x):
        if "part" not in known:
            known["part"] = x[0] ** 2
        return known["part"] * x[1]

    return kept


@pytest.mark.parametrize(
    "ask", [TRANSFORMS[n] for n in TRANSFORMS if n not in ("record", "derive")]
)
def test_a_part_that_another_call_computed_is_refused(ask):
    kept = cache()
    np.testing.assert_array_equal(symtape.grad(kept)(X), [2 * X[0] * X[1], X[0] ** 2])
    with pytest.raises(Escaped, match=r"a tensor kept from an earlier call, at .* in kept"):
        ask(kept)


def test_a_part_that_a_recording_computed_is_refused():
    kept = cache()
    symtape.record(kept, X)
    with pytest.raises(Escaped, match="a tensor kept from an earlier call"):
        symtape.grad(kept)(X)


def test_a_part_kept_for_long_is_refused():
    kept = cache()
    symtape.grad(kept)(X)
    for _ in range(2000):
        symtape.grad(np.sin)(1.0)
    with pytest.raises(Escaped, match="kept from an earlier call"):
        symtape.grad(kept)(X)


def test_constants_and_what_is_computed_in_the_same_call_may_be_kept():
    known = {}

    def f(x):
        half = known.setdefault("half", symtape.constant(0.5))
        weight = known.setdefault("weight", symtape.Variable([1.0, 2.0]))
        part = x**2
        inner = symtape.grad(lambda y: np.sum(part * y * half))(x)
        return np.sum(inner * weight)

    for _ in range(2):
        np.testing.assert_array_equal(symtape.grad(f)(X), [X[0], 2 * X[1]])
    _, pull_back = symtape.vjp(lambda x: x**2, X)
    for _ in range(2):
        rows = symtape.jacobian(lambda c: pull_back(c)[0])(np.ones(2))
        np.testing.assert_array_equal(rows, np.diag(2 * X))


def test_the_states_of_a_network_are_no_way_out():
    layer = symtape.nn.BatchNormalization()

    def loss(x):
        return np.sum(layer(layer(x, training=True), training=True) ** 3)

    assert np.all(np.isfinite(symtape.grad(loss)(np.array([[0.5, 1.0], [2.0, -1.0], [0.0, 3.0]]))))


def test_of_a_library_both_lines_are_named():
    with pytest.raises(Escaped) as error:
        symtape.grad(LOSSY["qz"])(X)
    assert "by scipy.linalg.qz(), at " in str(error.value)
    assert re.search(r"\(np\.asarray\(\), at \S*scipy\S*:\d+ in \w+\)", str(error.value))
    assert "symtape.scipy" in str(error.value)
