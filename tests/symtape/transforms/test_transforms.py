"""The transforms: arguments in, derivatives out, and the errors of both."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symtape
from symtape import batch_jacobian, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp


def cubic(x, y):
    return np.sum(x**3) * y


X, Y = np.array([1.0, 2.0]), 3.0
GX, GY = 3 * X**2 * Y, np.sum(X**3)


def _tree_equal(found, expected):
    assert type(found) is type(expected) or not isinstance(expected, dict | list | tuple)
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            _tree_equal(found[key], expected[key])
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            _tree_equal(a, b)
    else:
        assert isinstance(found, np.ndarray | np.generic)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


ARGNUMS = [
    (0, GX),
    (1, GY),
    (-1, GY),
    (-2, GX),
    (np.int64(1), GY),
    ((0,), (GX,)),
    ((0, 1), (GX, GY)),
    ([1, 0], (GY, GX)),
    ((-1, 0), (GY, GX)),
    ((), ()),
]


@pytest.mark.parametrize(("argnums", "expected"), ARGNUMS)
def test_argnums(argnums, expected):
    _tree_equal(grad(cubic, argnums)(X, Y), expected)
    value, gradient = value_and_grad(cubic, argnums)(X, Y)
    assert value == 27.0
    _tree_equal(gradient, expected)
    _tree_equal(jacobian(cubic, argnums)(X, Y), expected)


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian])
def test_argnums_out_of_range_or_no_positions(transform):
    for wrong in (2, -3, (0, 5)):
        with pytest.raises(TypeError, match=r"argnums=.*cubic was called with 2 positional"):
            transform(cubic, wrong)(X, Y)
    for wrong in ("0", 0.0, None, (0, "1"), {0}):
        with pytest.raises(TypeError, match=r"argnums=.*expected an int, or a tuple of ints"):
            transform(cubic, wrong)
    for wrong in ((0, 0), (1, -1)):
        with pytest.raises(ValueError, match="names an argument twice"):
            transform(cubic, wrong)(X, Y)


def test_hessian_blocks():
    def f(x, y):
        return np.sum(x**2) * y**2

    hxx, hxy, hyy = 2 * 9.0 * np.eye(2), 2 * X * 2 * 3.0, 2 * np.sum(X**2)
    _tree_equal(hessian(f)(X, Y), hxx)
    _tree_equal(hessian(f, 1)(X, Y), hyy)
    _tree_equal(hessian(f, (0, 1))(X, Y), ((hxx, hxy), (hxy, hyy)))
    _tree_equal(hessian(f, (1,))(X, Y), ((hyy,),))


def test_keywords_pass_through():
    def f(x, *, power, scale=1.0):
        return scale * np.sum(x**power)

    _tree_equal(grad(f)(X, power=3), 3 * X**2)
    _tree_equal(value_and_grad(f)(X, power=2, scale=2.0), (10.0, 4 * X))
    _tree_equal(jacobian(f)(X, power=3, scale=2.0), 6 * X**2)
    _tree_equal(hessian(f)(X, power=3, scale=2.0), np.diag(12 * X))
    _tree_equal(hvp(f)(X, X, power=3), 6 * X * X)
    _tree_equal(batch_jacobian(lambda x, power: x**power)(X, power=2), 2 * X)


AUX_CALLS = {
    "grad": lambda f: grad(f, has_aux=True)(X),
    "value_and_grad": lambda f: value_and_grad(f, has_aux=True)(X)[0],
    "jacobian": lambda f: jacobian(f, has_aux=True)(X),
    "hessian": lambda f: hessian(f, has_aux=True)(X),
    "vjp": lambda f: vjp(f, X, has_aux=True)[::2],
    "jvp": lambda f: jvp(f, (X,), (X,), has_aux=True)[1:],
}


@pytest.mark.parametrize("name", AUX_CALLS)
def test_aux_comes_back_plain(name):
    def f(x):
        return np.sum(x**2), {"double": 2 * x, "text": "words", "pair": (x[0], 1)}

    main, aux = AUX_CALLS[name](f)
    expected = {"grad": 2 * X, "jacobian": 2 * X, "hessian": 2 * np.eye(2), "jvp": 10.0}
    np.testing.assert_array_equal(main, expected.get(name, 5.0))
    assert type(aux["double"]) is np.ndarray
    np.testing.assert_array_equal(aux["double"], 2 * X)
    assert type(aux["pair"][0]) is np.float64
    assert aux["pair"] == (1.0, 1)
    assert aux["text"] == "words"


@pytest.mark.parametrize("returned", [lambda x: x, lambda x: (x,), lambda x: (x, 1, 2)])
def test_aux_needs_a_pair(returned):
    with pytest.raises(TypeError, match=r"has_aux=True.*pair"):
        grad(returned, has_aux=True)(3.0)


def model(p, x):
    return np.sum((p["w"] * x + p["rest"][0]) ** 2) * p["rest"][1][0]


P = {"w": np.array([1.0, 2.0]), "rest": [np.float64(0.5), (2.0,)]}


def test_nested_arguments():
    r = P["w"] * X + 0.5
    expected = {"w": 4 * r * X, "rest": [np.sum(4 * r), (np.sum(r**2),)]}
    _tree_equal(grad(model)(P, X), expected)
    _tree_equal(grad(model, (0, 1))(P, X), (expected, 4 * r * P["w"]))
    _tree_equal(jacobian(model)(P, X), expected)
    tangent = {"w": np.ones(2), "rest": [0.0, (0.0,)]}
    _tree_equal(jvp(lambda p: model(p, X), (P,), (tangent,))[1], np.sum(4 * r * X))
    _, pull_back = vjp(lambda p: model(p, X), P)
    _tree_equal(pull_back(1.0), (expected,))


def test_hessians_and_products_by_nested_arguments():
    h = hessian(model)(P, X)
    assert h.keys() == P.keys()
    _tree_equal(h["w"]["w"], np.diag(4 * X**2))
    _tree_equal(h["w"]["rest"][0], 4 * X)
    _tree_equal(h["rest"][0]["rest"][0], np.float64(8.0))
    v = {"w": np.array([1.0, -1.0]), "rest": [2.0, (0.0,)]}
    hv = hvp(lambda p: model(p, X))(P, v)
    _tree_equal(hv["w"], h["w"]["w"] @ v["w"] + h["w"]["rest"][0] * 2.0)


def test_lists_of_numbers_are_arrays():
    weights = np.array([2.0, 3.0])
    _tree_equal(grad(lambda x: np.sum(weights * x))([1.0, 2.0]), weights)
    _tree_equal(jacobian(lambda x: x * x)((1.0, 2.0)), np.diag([2.0, 4.0]))


def test_lists_of_arrays_are_structures():
    found = grad(lambda xs: np.sum(xs[0]) * xs[1])([np.ones(2), np.float64(3.0)])
    _tree_equal(found, [np.full(2, 3.0), np.float64(2.0)])


@pytest.mark.parametrize("x", [3.0, np.float64(3.0), np.array(3.0), np.float32(3.0)])
def test_scalars_of_every_kind(x):
    found = grad(lambda x: x * x)(x)
    assert isinstance(found, np.generic)
    assert found == 6.0
    assert found.dtype == np.asarray(x).dtype
    assert hessian(lambda x: x**3)(x) == 18.0


NOT_FLOATS = [3, True, np.array([1, 2]), [1, 2], "text", None, np.array([None])]


@pytest.mark.parametrize("x", NOT_FLOATS, ids=repr)
def test_arguments_must_be_floats(x):
    for transform in (grad, jacobian, hessian, value_and_grad):
        with pytest.raises(TypeError, match=r"argument 0 has dtype.*floating-point"):
            transform(lambda x: x)(x)
    with pytest.raises(TypeError, match=r"argument 0 has dtype.*floating-point"):
        vjp(lambda x: x, x)


@pytest.mark.parametrize(
    "x", [np.ma.array([1.0, 2.0], mask=[False, True]), np.ones((1, 1)).view(np.matrix)]
)
def test_arrays_with_rules_of_their_own_are_refused(x):
    kind = type(x).__name__
    with pytest.raises(TypeError, match=f"a {kind} computes by rules of its own"):
        grad(lambda x: np.sum(x * x))(x)
    with pytest.raises(TypeError, match=f"a {kind} computes by rules of its own"):
        symtape.constant(x)
    with pytest.raises(TypeError, match=f"a {kind} computes by rules of its own"):
        symtape.constant(1.0) * x


RETURNS = {
    "None": (lambda x: None, "'return' missing"),
    "tuple": (lambda x: (x, x), "np.stack"),
    "list": (lambda x: [x[0], x[1]], "np.stack"),
    "text": (lambda x: "text", "expected a number"),
    "dict": (lambda x: {"y": x}, "expected a number"),
    "objects": (lambda x: np.array([None]), "expected a number"),
    "truth": (lambda x: bool(x[0] > 0), "a truth value has no derivative"),
    "truths": (lambda x: x > 0, "a truth value has no derivative"),
    "any": (lambda x: np.any(x > 0), "a truth value has no derivative"),
}


@pytest.mark.parametrize("name", RETURNS)
@pytest.mark.parametrize("transform", [grad, jacobian, hessian, value_and_grad])
def test_what_a_function_must_not_return(name, transform):
    if transform is jacobian and name in ("tuple", "list", "dict"):
        return  # of these each part has its Jacobian
    function, hint = RETURNS[name]
    with pytest.raises(TypeError, match=hint):
        transform(function)(X)


@pytest.mark.parametrize("name", ["truth", "truths", "any"])
def test_truth_values_have_no_products_either(name):
    function, hint = RETURNS[name]
    for call in (
        lambda: vjp(function, X),
        lambda: symtape.jvp(function, (X,), (X,)),
        lambda: symtape.linearize(function, X),
        lambda: symtape.hvp(function)(X, X),
        lambda: symtape.sparse_jacobian(function)(X),
        lambda: symtape.elementwise_grad(function)(X),
        lambda: symtape.jit(jacobian(function))(X),
        lambda: jacobian(lambda x: (x, function(x)))(X),
    ):
        with pytest.raises(TypeError, match=hint):
            call()


TAKING = [
    *("grad", "value_and_grad", "jacobian", "hessian", "hvp", "sparse_jacobian", "sparse_hessian"),
    *("jacobian_sparsity", "hessian_sparsity", "elementwise_grad", "batch_jacobian", "make_ggnvp"),
    *("vmap", "compile", "record", "derive", "vjp", "linearize", "checkpoint", "recompute_grad"),
    *("custom_gradient", "grad_pass_through"),
]


@pytest.mark.parametrize("bad", [3, None, "f", np.ones(2)], ids=repr)
@pytest.mark.parametrize("name", TAKING)
def test_what_is_no_function_is_refused_when_it_is_given(name, bad):
    with pytest.raises(TypeError, match=r"function=.*: expected a function of numbers or arrays"):
        getattr(symtape, name)(bad)


@pytest.mark.parametrize("call", [lambda: symtape.jvp(3, (X,), (X,)), lambda: symtape.jit(3)])
def test_so_it_is_by_those_that_take_more(call):
    with pytest.raises(TypeError, match=r"function=3: expected a function of numbers or arrays"):
        call()


def test_gradients_are_of_scalars():
    for transform in (grad, value_and_grad, hessian):
        with pytest.raises(TypeError, match=r"shape \(2,\).*scalar.*symtape\.jacobian"):
            transform(lambda x: x * x)(X)
        with pytest.raises(TypeError, match=r"shape \(1,\)"):
            transform(lambda x: x[:1])(X)


CONSTANTS = {
    "float": lambda x: 3.0,
    "int": lambda x: 3,
    "array": lambda x: np.array(2.0),
    "tensor": lambda x: symtape.constant(2.0),
    "count": lambda x: np.sum(x > 0),
    "rounded": lambda x: np.sum(np.floor(x)),
    "stopped": lambda x: np.sum(symtape.stop_gradient(x)),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constant_functions_have_zero_derivatives(name):
    f = CONSTANTS[name]
    _tree_equal(grad(f)(X), np.zeros(2))
    _tree_equal(jacobian(f)(X), np.zeros(2))
    _tree_equal(hessian(f)(X), np.zeros((2, 2)))
    _tree_equal(jvp(f, (X,), (X,))[1], np.float64(0.0))
    _tree_equal(vjp(f, X)[1](1.0), (np.zeros(2),))
    _tree_equal(hvp(f)(X, X), np.zeros(2))


def test_unused_arguments_have_zero_derivatives():
    def f(x, unused):
        return np.sum(x)

    unused = np.ones((2, 3), np.float32)
    found = grad(f, (0, 1))(X, unused)
    _tree_equal(found, (np.ones(2), np.zeros((2, 3))))
    assert found[1].dtype == np.float32
    assert jacobian(lambda x, u: x, 1)(X, unused).shape == (2, 2, 3)
    assert hessian(f, (0, 1))(X, unused)[1][1].shape == (2, 3, 2, 3)


@pytest.mark.parametrize("tangent", [np.ones(3), 1.0, np.ones((2, 1))])
def test_tangents_cotangents_and_vectors_must_fit(tangent):
    with pytest.raises(ValueError, match=r"tangents\[0\] has shape.*primals\[0\]"):
        jvp(lambda x: x, (X,), (tangent,))
    if np.ndim(tangent):
        with pytest.raises(ValueError, match="output_gradients has shape"):
            vjp(lambda x: x, X)[1](tangent)
    with pytest.raises(ValueError, match="the vector has shape"):
        hvp(lambda x: np.sum(x * x))(X, tangent)


def test_primals_and_tangents_must_pair_up():
    with pytest.raises(ValueError, match="1 primals but 2 tangents"):
        jvp(lambda x: x, (X,), (X, X))
    with pytest.raises(TypeError, match="must be tuples or lists"):
        jvp(lambda x: x, X, X)


def test_batch_jacobian_checks_its_batch():
    with pytest.raises(ValueError, match="Need first dimension"):
        batch_jacobian(np.sum)(X)


def test_a_pull_back_answers_again_and_again():
    value, pull_back = vjp(lambda x, y: x * y, X, 2.0)
    _tree_equal(value, 2 * X)
    for weights in (np.ones(2), [1.0, 0.0], np.array([0, 3])):
        _tree_equal(pull_back(weights), (2 * np.asarray(weights), np.dot(X, weights)))


def test_results_belong_to_the_caller():
    """Writing into a result changes no other result, no argument, and no later answer."""
    x, y = X.copy(), np.array([3.0, 4.0])
    gx, gy = grad(lambda x, y: np.sum(x + y), (0, 1))(x, y)
    gx *= 5.0
    _tree_equal(gy, np.ones(2))
    jx, jy = jacobian(lambda x, y: x + y, (0, 1))(x, y)
    jx[:] = 9.0
    _tree_equal(jy, np.eye(2))
    value, pull_back = vjp(np.exp, x)
    value[:] = 0.0
    x[:] = 0.0
    _tree_equal(pull_back(np.ones(2)), (np.exp(X),))
    weights = np.ones(2)
    (g,) = vjp(lambda x: x, X)[1](weights)
    g[:] = 7.0
    _tree_equal(weights, np.ones(2))


def test_functions_of_every_kind():
    class Model:
        def __init__(self):
            self.scale = 2.0

        def loss(self, x):
            return self.scale * np.sum(x**2)

        def __call__(self, x):
            return self.loss(x)

    for f in (Model().loss, Model(), functools.partial(lambda s, x: s * np.sum(x**2), 2.0)):
        _tree_equal(grad(f)(X), 4 * X)
    _tree_equal(grad(np.sin)(0.0), np.float64(1.0))
    assert grad(cubic).__name__ == "cubic"


@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.hypot, np.arctan2])
def test_numbers_in_give_numbers_out(function):
    for found in symtape.grad(function, (0, 1))(1.0, 1.0):
        assert type(found) is np.float64
    for found in symtape.vjp(function, 1.0, 1.0)[1](1.0):
        assert type(found) is np.float64
