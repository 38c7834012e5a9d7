"""Trees as arguments and results of the transforms, and arguments by name."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import fractions
import functools
import pathlib
import sys
import threading
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symtape
from symtape.recording.structure import flatten, pack, paths

W, B, X = np.array([1.0, -2.0]), np.array(0.5), np.array([0.3, 0.7])
Pair = collections.namedtuple("Pair", ["w", "b"])


@dataclasses.dataclass
class Data:
    w: object
    b: object
    name: str = "relu"
    count: int = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    w: object
    b: object


class Plain:
    def __init__(self, w, b):
        self.w, self.b = w, b
        self.activation, self.sizes, self.note = np.tanh, (2, 1), None
        self.child = None


class Linked(Plain):
    """Refers back to itself through a child."""

    def __init__(self, w, b):
        super().__init__(w, b)
        self.child = types.SimpleNamespace(parent=self)


class Layer:
    def __init__(self, model):
        self.model = model

    def weight(self):
        return self.model.w


class Linking:
    """Computes with what refers back to it."""

    def __init__(self, w, b):
        self.of_child, self.b = w, b
        self.layers, self.bound = [Layer(self)], self.weight

    def weight(self):
        return self.of_child

    @property
    def w(self):
        layer = self.layers[0]
        return (self.bound() + layer.model.of_child) / 2


class Slotted:
    __slots__ = ("b", "w")

    def __init__(self, w, b):
        self.w, self.b = w, b


class Caching:
    def __init__(self, w, b):
        self.w, self.b = w, b
        assert self.doubled is not None

    @functools.cached_property
    def doubled(self):
        return 2 * self.w


class Registered:
    """Registered with a stand-in for JAX."""

    def __init__(self, w, b):
        self._hidden = {"w": w, "b": b}

    w = property(lambda self: self._hidden["w"])
    b = property(lambda self: self._hidden["b"])


class DictWithDefault(collections.defaultdict):
    w = property(lambda self: self["w"])
    b = property(lambda self: self["b"])


def _default_dict(w, b):
    return DictWithDefault(float, w=w, b=b)


class Entries(dict):
    w = property(lambda self: self["w"])
    b = property(lambda self: self["b"])


MAKERS = {
    "namedtuple": Pair,
    "dataclass": Data,
    "frozen with slots": Frozen,
    "instance": Plain,
    "instance with a cycle": Linked,
    "instance with slots": Slotted,
    "instance with a cache": Caching,
    "namespace": lambda w, b: types.SimpleNamespace(w=w, b=b, text="t"),
    "subclass of dict": lambda w, b: Entries(w=w, b=b, n=3),
    "defaultdict": _default_dict,
    "property over a dict": Registered,
}


def loss(p, x):
    """Of what has a weight and a bias, however it holds them."""
    w = p.doubled / 2 if isinstance(p, Caching) else p.w
    return np.sum(np.sin(w * x) ** 2) * p.b**2


def flat_loss(w, b, x):
    return np.sum(np.sin(w * x) ** 2) * b**2


@pytest.mark.parametrize("kind", MAKERS)
def test_each_kind_of_tree_has_the_derivatives_of_its_parts(kind):
    p = MAKERS[kind](W, B)
    dw, db = symtape.grad(flat_loss, (0, 1))(W, B, X)
    found = symtape.grad(loss)(p, X)
    assert type(found) is type(p)
    np.testing.assert_allclose(found.w, dw, rtol=1e-14)
    np.testing.assert_allclose(found.b, db, rtol=1e-14)
    value, again = symtape.value_and_grad(loss)(p, X)
    assert value == flat_loss(W, B, X)
    np.testing.assert_array_equal(again.w, found.w)
    blocks = symtape.hessian(flat_loss, (0, 1))(W, B, X)
    whole = symtape.hessian(loss)(p, X)
    np.testing.assert_allclose(whole.w.b, blocks[0][1], rtol=1e-13)
    np.testing.assert_allclose(whole.w.w, blocks[0][0], rtol=1e-13)
    v = MAKERS[kind](np.array([1.0, 2.0]), np.array(-1.0))
    along = symtape.hvp(lambda p: loss(p, X))(p, v)
    np.testing.assert_allclose(along.w, blocks[0][0] @ v.w + blocks[0][1] * v.b, rtol=1e-13)
    _, pushed = symtape.jvp(lambda p: loss(p, X), (p,), (v,))
    np.testing.assert_allclose(pushed, dw @ v.w + db * v.b, rtol=1e-13)
    _, pull_back = symtape.vjp(lambda p: loss(p, X), p)
    np.testing.assert_allclose(pull_back(2.0)[0].w, 2 * dw, rtol=1e-13)
    assert p.w is W


def test_what_refers_back_to_an_object_is_differentiated_too():
    expected = symtape.grad(flat_loss, (0, 1))(W, B, X)
    found = symtape.grad(loss)(Linking(W, B), X)
    np.testing.assert_allclose(found.of_child, expected[0], rtol=1e-14)
    np.testing.assert_allclose(found.b, expected[1], rtol=1e-14)


def test_what_is_no_number_is_handed_on_and_has_no_gradient():
    def f(p):
        assert p["act"] is np.tanh
        assert p["n"] == 2
        assert p["none"] is None
        assert type(p["flags"][0]) is bool
        return np.sum(p["act"](p["w"])) ** p["n"] * len(p["text"]) + p["index"][0]

    p = {"act": np.tanh, "w": W, "n": 2, "text": "ab", "none": None, "flags": [True]}
    p["index"] = np.array([1, 2])
    found = symtape.grad(f)(p)
    expected = 4 * np.sum(np.tanh(W)) * (1 - np.tanh(W) ** 2)
    np.testing.assert_allclose(found["w"], expected, rtol=1e-13)
    assert [found[key] for key in ("act", "n", "text", "none", "flags", "index")] == [
        *(None,) * 4,
        [None],
        None,
    ]
    assert symtape.hessian(f)(p)["w"]["text"] is None


class NoKind:
    dtype = property(lambda self: "no dtype")


BESIDES = {
    "numpy": np,
    "a module": sys,
    "a class of numbers": np.float64,
    "a dtype": np.dtype(float),
    "the class of dtypes": np.dtype,
    "an array of text": np.array(["a"]),
    "a class": NoKind,
    "an odd dtype": NoKind(),
    "an ellipsis": ...,
    "a set": {1.0},
    "a range": range(3),
    "a slice": slice(None),
    "a generator of random numbers": np.random.default_rng(0),
    "a lock": threading.Lock(),
    "a date": datetime.date(2020, 1, 1),
    "a fraction": fractions.Fraction(1, 2),
    "a decimal": decimal.Decimal(1),
    "a path": pathlib.Path("a"),
    "a polynomial": np.polynomial.Polynomial([1, 2]),
}


@pytest.mark.parametrize("beside", BESIDES)
def test_an_object_holds_anything_beside_its_numbers(beside):
    def loss(p):
        assert p.child is BESIDES[beside]
        return np.sum(p.w**2) * p.b

    p = Plain(W, B)
    p.child = BESIDES[beside]
    found = symtape.grad(loss)(p)
    np.testing.assert_allclose(found.w, 2 * W * B)
    np.testing.assert_allclose(found.b, np.sum(W**2))
    _, aux = symtape.value_and_grad(lambda x: (np.sum(x), p), has_aux=True)(W)[0]
    np.testing.assert_array_equal(aux.w, W)


def test_results_are_trees():
    def f(x, y):
        return {"sum": x + y, "rest": (x * y, [np.sum(x), None])}

    x, y = W, np.array([3.0, 4.0])
    found = symtape.jacobian(f)(x, y)
    np.testing.assert_array_equal(found["sum"], np.eye(2))
    np.testing.assert_array_equal(found["rest"][0], np.diag(y))
    np.testing.assert_array_equal(found["rest"][1][0], np.ones(2))
    assert found["rest"][1][1] is None
    both = symtape.jacobian(f, (0, 1))(x, y)
    np.testing.assert_array_equal(both["rest"][0][1], np.diag(x))
    value, pull_back = symtape.vjp(f, x, y)
    np.testing.assert_array_equal(value["sum"], x + y)
    weights = {"sum": np.ones(2), "rest": (np.array([1.0, 2.0]), [3.0, None])}
    for _ in range(2):
        dx, dy = pull_back(weights)
        np.testing.assert_array_equal(dx, 1 + np.array([1.0, 2.0]) * y + 3)
        np.testing.assert_array_equal(dy, 1 + np.array([1.0, 2.0]) * x)
    value, tangent = symtape.jvp(f, (x, y), (np.ones(2), np.zeros(2)))
    np.testing.assert_array_equal(tangent["rest"][0], y)
    assert tangent["rest"][1][0] == 2.0
    assert value["rest"][1][1] is None


def test_results_may_be_objects_and_named_tuples():
    found = symtape.jacobian(lambda x: Data(x**2, Pair(x[0], 1.0)))(X)
    assert type(found) is Data
    np.testing.assert_array_equal(found.w, np.diag(2 * X))
    np.testing.assert_array_equal(found.b.w, [1.0, 0.0])
    np.testing.assert_array_equal(found.b.b, [0.0, 0.0])


def affine(x, w, *, scale=2.0, **more):
    return np.sum(w * x) * scale + more.get("shift", 0.0) ** 2


NAMED = [
    ("w", {}, X),
    (("w", "x"), {}, (X, W)),
    (("scale", 0), {"scale": 3.0}, (np.sum(W * X), 3 * W)),
    ("scale", {}, np.sum(W * X)),
    ("shift", {"shift": 1.5}, 3.0),
]


@pytest.mark.parametrize(("argnums", "keywords", "expected"), NAMED)
def test_arguments_by_name(argnums, keywords, expected):
    by_position = symtape.grad(affine, argnums)(X, W, **keywords)
    by_keyword = symtape.grad(affine, argnums)(X, w=W, **keywords)
    scale = 1.0 if not isinstance(argnums, str) or argnums in ("scale", "shift") else 2.0
    for found in (by_position, by_keyword):
        assert isinstance(found, tuple) == isinstance(argnums, tuple)
        both = ([f] if not isinstance(f, tuple) else f for f in (found, expected))
        for part, wanted in zip(*both, strict=True):
            if argnums == ("w", "x"):
                wanted = 2 * wanted
            np.testing.assert_allclose(part, scale * wanted, rtol=1e-14)


def test_arguments_by_name_in_every_transform():
    def cubic(x, w):
        return np.sum(x * w**3)

    np.testing.assert_allclose(symtape.hessian(cubic, "w")(X, w=W), np.diag(6 * X * W))
    np.testing.assert_allclose(symtape.hvp(cubic, "w")(X, W, np.ones(2)), 6 * X * W)
    np.testing.assert_allclose(symtape.jacobian(cubic, ("w",))(X, w=W)[0], 3 * X * W**2)
    value, (dx,) = symtape.value_and_grad(cubic, ("x",))(w=W, x=X)
    np.testing.assert_allclose(dx, W**3)
    assert value == cubic(X, W)
    rows = symtape.batch_jacobian(lambda x, w: x * w, "w")(X, w=W)
    np.testing.assert_array_equal(rows, X)
    tree = symtape.grad(lambda x, params: np.sum(x * params["w"]), "params")(X, params={"w": W})
    np.testing.assert_array_equal(tree["w"], X)


def test_names_that_are_none_of_the_function():
    with pytest.raises(TypeError, match=r"argnums='z', but affine was given no argument of that"):
        symtape.grad(affine, "z")(X, W)
    with pytest.raises(ValueError, match="names an argument twice"):
        symtape.grad(affine, ("x", 0))(X, W)


def test_lists_of_numbers_stay_lists():
    """Of a list ``+`` joins, ``*`` repeats: what NumPy does to arrays is something else."""
    cases = [
        (lambda xs: (xs + [1.0])[-1] * xs[0], [1.0, 0.0]),  # noqa: RUF005
        (lambda xs: np.sum(xs + [1.0]), [1.0, 1.0]),  # noqa: RUF005
        (lambda xs: sum(2 * xs), [2.0, 2.0]),
        (lambda xs: xs[0] ** 2 * max(xs), [6.0 * 2, 4.0]),
        (lambda xs: np.max(xs + [5.0]), [0.0, 0.0]),  # noqa: RUF005
        (lambda xs: len(xs) * xs[1], [0.0, 2.0]),
    ]
    for f, expected in cases:
        found = symtape.grad(f)([2.0, 3.0])
        assert type(found) is list
        assert found == expected
    assert symtape.grad(lambda t: t[0] ** t[1])((2.0, 3)) == (12.0, 8 * np.log(2))
    ragged = symtape.grad(lambda xs: xs[0][0] * xs[0][1] * xs[1])([[2.0, 3.0], 5.0])
    assert ragged == [[15.0, 10.0], 6.0]
    rows = symtape.hessian(lambda xs: xs[0] ** 2 * xs[1])([2.0, 3.0])
    assert rows == [[6.0, 4.0], [4.0, 0.0]]
    assert symtape.jvp(lambda xs: xs[0] * xs[1], ([2.0, 3.0],), ([1.0, 0.0],)) == (6.0, 3.0)


def test_gradients_of_trees_nest_in_tapes_and_transforms():
    p = Data(W, B)

    def norm(p):
        g = symtape.grad(loss)(p, X)
        return np.sum(g.w**2) + g.b**2

    found = symtape.grad(norm)(p)
    h = symtape.hessian(flat_loss, (0, 1))(W, B, X)
    dw, db = symtape.grad(flat_loss, (0, 1))(W, B, X)
    np.testing.assert_allclose(found.w, 2 * (h[0][0] @ dw + h[0][1] * db), rtol=1e-12)
    assert found.name == p.name


def test_a_tape_takes_trees():
    model = Plain(symtape.Variable(W), symtape.Variable(B))
    with symtape.GradientTape() as tape:
        y = loss(model, X)
    dw, db = tape.gradient(y, [model.w, model.b])
    expected = symtape.grad(loss)(Plain(W, B), X)
    np.testing.assert_allclose(dw.numpy(), expected.w, rtol=1e-14)
    np.testing.assert_allclose(db.numpy(), expected.b, rtol=1e-14)


def test_flatten_pack_and_paths():
    tree = {"w": [1.0, (2.0,)], "p": Pair(None, "t"), "d": Data(1.0, {"k": 2})}
    leaves = flatten(tree)
    assert leaves == [1.0, 2.0, None, "t", 1.0]
    assert paths(tree, "x") == [
        *("x['w'][0]", "x['w'][1][0]", "x['p'].w", "x['p'].b"),
        "x['d'].w",
    ]
    doubled = pack(tree, iter([2 * leaf if isinstance(leaf, float) else leaf for leaf in leaves]))
    assert doubled == {"w": [2.0, (4.0,)], "p": Pair(None, "t"), "d": Data(2.0, {"k": 2})}
    assert flatten(collections.deque([1.0, 2.0], maxlen=5)) == [1.0, 2.0]


def test_types_registered_with_jax_are_trees(monkeypatch):
    """A stand-in for ``jax.tree_util``, which is asked only if it is loaded."""

    class Definition:
        def __init__(self, made):
            self.unflatten = made

    def tree_flatten_with_path(x, is_leaf):
        if not isinstance(x, Registered):
            return [((), x)], None
        return [(("w",), x.w), (("b",), x.b)], Definition(lambda parts: Registered(*parts))

    fake = types.ModuleType("jax.tree_util")
    fake.tree_flatten_with_path = tree_flatten_with_path
    fake.keystr = lambda path: "".join(f".{step}" for step in path)
    monkeypatch.setitem(sys.modules, "jax.tree_util", fake)
    assert paths(Registered(W, B), "p") == ["p.w", "p.b"]
    found = symtape.grad(loss)(Registered(W, B), X)
    np.testing.assert_allclose(found.w, symtape.grad(flat_loss)(W, B, X))


@pytest.mark.parametrize("x", [(k for k in "a"), map(abs, [1.0]), zip([1.0]), iter([1.0])])
def test_iterators_are_leaves_that_no_framework_is_asked_about(x, monkeypatch):
    """JAX warns of an iterator among its leaves, and will refuse it."""
    monkeypatch.setitem(sys.modules, "jax.tree_util", types.ModuleType("jax.tree_util"))
    assert flatten([x]) == [x]


def test_objects_of_libraries_are_leaves():
    for x in (
        np.random.default_rng(0),
        functools.partial(abs, 1.0),
        np.polynomial,
        ValueError(1.0),
    ):
        assert flatten(x) == [x]


def test_what_holds_no_number_is_refused():
    for wrong in ({"n": 1}, {"text": "t"}, Data("a", "b"), ["text"]):
        with pytest.raises(TypeError, match=r"argument 0 has dtype"):
            symtape.grad(lambda p: 1.0)(wrong)


EMPTY = st.recursive(
    st.just([]) | st.just(()) | st.just({}),
    lambda inner: (
        st.lists(inner, max_size=2) | st.tuples(inner) | st.fixed_dictionaries({"a": inner})
    ),
    max_leaves=4,
)


@pytest.mark.parametrize(
    "transform",
    [
        lambda f, x, empty: symtape.grad(f, argnums=(0, 1))(x, empty)[1],
        lambda f, x, empty: symtape.jacobian(f, argnums=(0, 1))(x, empty)[1],
        lambda f, x, empty: symtape.vjp(f, x, empty)[1](1.0)[1],
        lambda f, x, empty: symtape.record(f, x, empty) and empty,
    ],
    ids=["grad", "jacobian", "vjp", "record"],
)
@given(empty=EMPTY)
def test_what_is_empty_is_handed_on_as_it_is(transform, empty):
    def f(x, given):
        assert type(given) is type(empty)
        assert given == empty
        return np.sum(x**2)

    assert transform(f, W, empty) == empty
