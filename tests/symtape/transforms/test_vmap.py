"""``symtape.vmap``: a function of a slice, over a stack of slices."""

import re
from typing import NamedTuple

import numpy as np
import pytest

import symtape
import verify
from symtape import vmap
from symtape.errors import Escaped
from symtape.recording.recording import Recording

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 3))
W = RNG.normal(size=(4, 3))


def smooth(x):
    return np.sum(np.sin(x) * x[0] ** 2)


def branching(x):
    return np.sum(x**3) if x[0] > 0 else -np.sum(np.exp(x))


def halving(x):
    total = np.sum(x * x)
    while total > 0.1:
        total = total / 2
    return total * x


def writing(x):
    found = np.zeros(4)
    found[1:] = x
    found[0] = x[1] * 2
    return found


def leaving(x):
    return x * np.sin(float(x[0]))


def sorting(x):
    return x[np.argsort(x)][:2] * np.max(x)


FUNCTIONS = [smooth, branching, halving, writing, leaving, sorting]
TRANSFORMS = {
    "grad": lambda f: symtape.grad(lambda x: np.sum(np.cos(f(x)))),
    "jacobian": symtape.jacobian,
    "hessian": lambda f: symtape.hessian(lambda x: np.sum(np.cos(f(x)))),
    "hvp": lambda f: lambda x: symtape.hvp(lambda x: np.sum(np.cos(f(x))))(x, np.cos(x)),
    "jvp": lambda f: lambda x: symtape.jvp(f, (x,), (np.cos(x),))[1],
    "linearize": lambda f: lambda x: symtape.linearize(f, x)[1](np.cos(x)),
    "vjp": lambda f: lambda x: symtape.vjp(lambda x: np.sum(f(x)), x)[1](1.0)[0],
    "jit": symtape.jit,
    "checkpoint": symtape.checkpoint,
    "vmap": lambda f: lambda x: vmap(f)(np.stack([x, 2 * x])),
}


def stacked(function, xs=X):
    return np.stack([function(x) for x in xs])


def near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_are_those_of_the_slices(function):
    near(vmap(function)(X), stacked(function))


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f is not leaving])
def test_a_transform_of_the_function_is_mapped(function, name):
    transformed = TRANSFORMS[name](function)
    near(vmap(transformed)(X), stacked(TRANSFORMS[name](function)))


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f is not leaving])
def test_the_mapped_function_is_transformed(function, name):
    found = TRANSFORMS[name](vmap(function))(X)
    near(found, TRANSFORMS[name](lambda x: np.stack([function(row) for row in x]))(X))


@pytest.mark.parametrize("function", [smooth, branching, halving, sorting])
def test_a_verifier_that_knows_nothing_of_it_finds_its_gradient_correct(function):
    result = verify.gradient(lambda x: np.sum(vmap(function)(x)), at=[X[:3]])
    assert result.verdict is verify.Verdict.CORRECT, str(result)


def test_mapped_twice_it_is_over_both_axes():
    found = vmap(vmap(np.dot, (None, 0)), (0, None))(X, W)
    near(found, X @ W.T)
    gradient = symtape.grad(lambda x: np.sum(vmap(vmap(np.dot, (None, 0)), (0, None))(x, W) ** 2))
    near(gradient(X), 2 * (X @ W.T) @ W)


def test_what_the_function_reads_from_around_it_is_differentiated_by():
    def loss(w):
        scale = w * 2
        return np.sum(vmap(lambda x: vmap(lambda y: (x @ scale) * (y @ w))(X))(X))

    def plain(w):
        return np.sum(np.outer(X @ (w * 2), X @ w))

    near(symtape.grad(loss)(W[0]), symtape.grad(plain)(W[0]))
    near(symtape.hessian(loss)(W[0]), symtape.hessian(plain)(W[0]))
    near(symtape.jit(symtape.grad(loss))(W[1]), symtape.grad(plain)(W[1]))


def test_variables_are_read_as_anywhere():
    weights = symtape.Variable(W[0])
    for _ in range(2):  # the second recording must not take it for a value of the first
        with symtape.GradientTape() as tape:
            y = np.sum(vmap(lambda x: x @ weights)(X))
        near(tape.gradient(y, weights), X.sum(0))
    with symtape.GradientTape() as tape:
        y = np.sum(np.sin(weights))
    near(tape.gradient(y, weights), np.cos(W[0]))


@pytest.mark.parametrize("wrap", [lambda f: f, symtape.jit], ids=["plain", "jit"])
def test_each_slice_takes_its_own_path_at_every_call(wrap):
    mapped = wrap(vmap(branching))
    for _ in range(6):
        xs = RNG.normal(size=(4, 3))
        near(mapped(xs), stacked(branching, xs))


@pytest.mark.long
def test_many_paths_are_called_slice_by_slice():
    def counted(x):
        total = x
        for k in range(60):
            if x > k:
                total = total * 1.01
        return total

    xs = np.arange(60.0)
    near(vmap(counted)(xs), stacked(counted, xs))
    near(symtape.grad(lambda x: np.sum(vmap(counted)(x)))(xs), stacked(symtape.grad(counted), xs))


def test_slices_off_the_path_are_not_evaluated_on_it():
    def root(x):
        return np.sqrt(x) if x >= 0 else np.linalg.solve(np.diag([x, x]), [1.0, 1.0])[0]

    xs = np.array([4.0, 0.0, -2.0, 9.0])  # a root of -2 would warn, and warnings are errors
    near(vmap(root)(xs), [2.0, 0.0, -0.5, 3.0])


def test_slices_whose_derivatives_are_not_finite_are_those_of_the_slices():
    root = symtape.grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)))
    xs = np.array([[4.0, 1.0], [4.0, 0.0], [0.0, 0.0]])
    with np.errstate(all="ignore"):
        expected = np.stack([root(x) for x in xs])
        np.testing.assert_array_equal(symtape.vmap(root)(xs), expected)


@pytest.mark.parametrize("written", [lambda x: f"{x:.3f}"[0] == "-", lambda x: "-" in str(x)])
def test_text_decides_in_each_slice_for_itself(written):
    def function(x):
        return 3 * x if written(x) else x**2

    xs = np.array([-1.0, 2.0])
    np.testing.assert_array_equal(symtape.vmap(function)(xs), [-3.0, 4.0])
    np.testing.assert_array_equal(symtape.vmap(symtape.grad(function))(xs), [3.0, 4.0])
    for compiled in (symtape.jit(function), symtape.jit(symtape.grad(function))):
        for x in xs:
            with pytest.raises(Escaped, match=r"by text,? at .*test_vmap\.py"):
                compiled(x)


def test_a_gradient_of_the_users_own_is_kept():
    @symtape.custom_gradient
    def clipped(x):
        return x**2, lambda g: g * 7.0

    found = symtape.grad(lambda x: np.sum(vmap(clipped)(x)))(np.ones(3))
    near(found, 7 * np.ones(3))
    stopped = symtape.grad(lambda x: np.sum(vmap(lambda t: t * symtape.stop_gradient(t))(x)))
    near(stopped(X[0]), X[0])


class Pair(NamedTuple):
    a: object
    b: object


def test_trees_go_in_and_out():
    def f(params, x, *, scale):
        return Pair({"y": params["w"] @ x * scale}, params["b"] + 0.0)

    params = {"w": W[:, :3], "b": np.arange(4.0)}
    axes = ({"w": None, "b": 0}, 1)
    found = vmap(f, axes, Pair({"y": 0}, 0))(params, X[:4].T, scale=np.arange(4.0))
    near(found.a["y"], np.stack([W @ X[k] * k for k in range(4)]))
    near(found.b, np.arange(4.0))
    assert type(found) is Pair
    last = vmap(f, axes, -1)(params, X[:4].T, scale=np.ones(4))
    near(last.a["y"], W @ X[:4].T)
    gradient = symtape.grad(
        lambda p: np.sum(vmap(f, axes)(p, X[:4].T, scale=np.ones(4)).a["y"] ** 2)
    )(params)
    near(gradient["w"], 2 * W @ X[:4].T @ X[:4])
    near(gradient["b"], np.zeros(4))


def test_what_is_alike_in_each_slice():
    assert vmap(lambda x: 2.0, out_axes=None)(X) == 2.0
    near(vmap(lambda x: 2.0)(X), 2 * np.ones(5))
    near(vmap(lambda x, y: y, (0, None), None)(X, W), W)


def test_whole_numbers_and_truths_are_mapped_as_they_are():
    table = np.arange(12.0).reshape(4, 3)
    near(vmap(lambda i: table[i])(np.array([2, 0])), table[[2, 0]])
    near(vmap(lambda x, i: x[i])(X[:4], np.array([2, 0, 1, 1])), X[np.arange(4), [2, 0, 1, 1]])
    near(vmap(lambda x, m: np.where(m, x, 0))(X, X > 0), np.where(X > 0, X, 0))
    assert vmap(lambda i: i + 1)(np.arange(3)).dtype == np.arange(3).dtype
    near(vmap(lambda x, m: x[m])(X[:2], np.array([[True, False, True]] * 2)), X[:2, [0, 2]])


def test_lists_of_numbers_are_arrays():
    near(vmap(lambda x: x * 2)([1.0, 2.0]), [2.0, 4.0])


def test_dtypes_are_kept():
    for dtype in (np.float32, np.complex128):
        x = X.astype(dtype)
        assert vmap(lambda x: x * x)(x).dtype == dtype
        np.testing.assert_allclose(vmap(lambda x: x * x)(x), x * x, rtol=1e-6)


def test_no_slices_give_none():
    assert vmap(smooth)(np.zeros((0, 3))).shape == (0,)
    assert vmap(writing)(np.zeros((0, 3))).shape == (0, 4)
    gradient = symtape.grad(lambda x: np.sum(vmap(smooth)(x)))(np.zeros((0, 3)))
    assert gradient.shape == (0, 3)


def test_results_are_the_callers_own():
    x = X.copy()
    found = vmap(lambda x: x)(x)
    found[:] = 0
    np.testing.assert_array_equal(x, X)
    vmap(lambda x: 1.0)(x)[0] = 2.0


def test_plain_in_plain_out_and_tensors_for_tensors():
    assert type(vmap(smooth)(X)) is np.ndarray
    assert isinstance(vmap(smooth)(symtape.constant(X)), symtape.Tensor)


def test_a_recording_shows_operations_on_all_slices_at_the_users_lines():
    graph = symtape.record(vmap(lambda x: np.exp(np.sin(x))), X)
    assert [node.name for node in graph.nodes] == ["input", "sin", "exp"]
    assert all(__file__ in str(node.origin) for node in graph.nodes[1:])


def test_nothing_is_left_recording():
    def failing(x):
        raise ZeroDivisionError("the user's own")

    with pytest.raises(ZeroDivisionError, match="the user's own"):
        vmap(failing)(X)
    with Recording() as recording:
        pass
    assert not recording.applied


ERRORS = {
    "axes of text": (lambda: vmap(smooth, "x"), TypeError, "in_axes='x'; expected an int, None"),
    "a truth": (lambda: vmap(smooth, 0, True), TypeError, "out_axes=True; expected an int, None"),
    "sizes": (
        lambda: vmap(np.dot)(X, W),
        ValueError,
        "the mapped axes are of different sizes: ",
    ),
    "no such axis": (
        lambda: vmap(smooth, 2)(X),
        ValueError,
        "argument x has shape (5, 3), and no axis 2 to map over",
    ),
    "a number": (
        lambda: vmap(smooth)(3.0),
        ValueError,
        "argument x has shape (), and no axis 0 to map over; give None for what is the same",
    ),
    "nothing": (lambda: vmap(smooth, None)(X), ValueError, "there is nothing to map over"),
    "too few": (
        lambda: vmap(smooth, (0, None))(X),
        ValueError,
        "in_axes=(0, None) has 2 entries, but there are 1 positional arguments",
    ),
    "a tree": (
        lambda: vmap(smooth, {"x": 0})(X),
        TypeError,
        "in_axes={'x': 0}; expected an int, None, or a tuple",
    ),
    "keys": (
        lambda: vmap(lambda p: p["a"], ({"b": 0},))({"a": X}),
        ValueError,
        "in_axes does not fit argument p: expected a dict with the keys ['a'], got {'b': 0}",
    ),
    "text": (
        lambda: vmap(lambda p: p["a"])({"a": X, "n": "text"}),
        ValueError,
        "argument p['n'] has nothing to map over: 'text' is not an array of numbers",
    ),
    "differs": (
        lambda: vmap(smooth, out_axes=None)(X),
        ValueError,
        "out_axes is None for a result of shape () that differs by slice",
    ),
    "out axis": (
        lambda: vmap(smooth, out_axes=1)(X),
        ValueError,
        "a result with its slices has shape (5,), and no axis 1",
    ),
    "in tree": (
        lambda: vmap(smooth, ([0],))(X),
        ValueError,
        "argument x is one array, and [0] is no axis; expected an int or None",
    ),
    "out trees": (
        lambda: vmap(lambda x: {"y": x}, out_axes={"z": 0})(X),
        ValueError,
        "out_axes does not fit what the function returned: expected a dict with the keys ['y']",
    ),
    "out tree": (
        lambda: vmap(smooth, out_axes=[0, 0])(X),
        ValueError,
        "a result with its slices is one array, and [0, 0] is no axis",
    ),
    "shapes": (
        lambda: vmap(lambda x: x if x[0] > 0 else x[:2])(X),
        ValueError,
        "slices give results of different shapes, (3,) and (2,)",
    ),
    "structures": (
        lambda: vmap(lambda x: x if x[0] > 0 else (x, x))(X),
        ValueError,
        "slices give results of different structure",
    ),
    "no number": (
        lambda: vmap(lambda x: None)(X),
        ValueError,
        "the function returned None, which cannot be stacked",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_say_what_is_to_be_done(name):
    wrong, kind, words = ERRORS[name]
    with pytest.raises(kind, match=re.escape(words)):
        wrong()
