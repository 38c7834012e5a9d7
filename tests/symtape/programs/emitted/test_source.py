"""What source promises: shapes, path, fresh results, names, refusals."""

import numpy as np
import pytest

import symtape
from symtape.errors import NotOnTape, NotTraceable, Unsupported
from symtape.programs.emitted.dialect import NUMPY
from symtape.programs.emitted.source import LANGUAGES, source_at


def run(text, name):
    space = {}
    exec(text, space)
    return space[name]


def loss(w, X, y):
    z = y * (X @ w)
    return np.mean(np.log1p(np.exp(-z)))


W, X, Y = np.array([0.5, -1.0]), np.arange(6.0).reshape(3, 2), np.array([1.0, -1.0, 1.0])


def test_a_gradient_reads_as_a_person_writes_it():
    text = symtape.derive(loss, W, X, Y).code("numpy", wrt="w")
    body = text.splitlines()
    assert body[0] == "import numpy as np"
    assert "    z = y * (X @ w)" in body
    assert body[-1].endswith("@ X")
    assert "symtape" not in text


@pytest.mark.parametrize(
    ("what", "transform"),
    [
        ("gradient", symtape.grad),
        ("value_and_grad", symtape.value_and_grad),
        ("hessian", symtape.hessian),
    ],
)
@pytest.mark.parametrize("wrt", [("w",), ("w", "y")])
def test_derivatives_have_the_form_of_the_transforms(what, transform, wrt):
    prefix = {"gradient": "grad"}.get(what, what)
    function = run(symtape.derive(loss, W, X, Y).code("numpy", what, wrt), f"{prefix}_loss")
    argnums = 0 if wrt == ("w",) else (0, 2)
    got, wanted = function(W, X, Y), transform(loss, argnums)(W, X, Y)

    def same(a, b):
        assert isinstance(a, tuple) == isinstance(b, tuple)
        if isinstance(a, tuple):
            for one, other in zip(a, b, strict=True):
                same(one, other)
        else:
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)

    same(got, wanted)


def test_products_take_the_vector_last():
    function = run(symtape.derive(loss, W, X, Y).code("numpy", "hvp", "w"), "hvp_loss")
    v = np.array([2.0, 3.0])
    np.testing.assert_allclose(function(W, X, Y, v), symtape.hessian(loss)(W, X, Y) @ v)


def test_a_function_of_arrays_has_its_jacobian():
    function = run(source_at(lambda x: x[1:] * x[0], (np.arange(3.0),)), "jacobian_f")
    x = np.array([2.0, 5.0, 7.0])
    np.testing.assert_array_equal(function(x), [[5.0, 2.0, 0.0], [7.0, 0.0, 2.0]])
    with pytest.raises(ValueError, match="only one number has a gradient"):
        source_at(lambda x: x * 2, (x,), what="gradient")


def test_other_shapes_and_other_paths_are_refused():
    def f(x):
        return np.sum(x**3) if x[0] > 0 else np.sum(x)

    function = run(symtape.derive(f, [1.0, 2.0]).code(), "grad_f")
    np.testing.assert_array_equal(function([1, 3]), [3.0, 27.0])
    with pytest.raises(ValueError, match="expected"):
        function([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="another path"):
        function([-1.0, 2.0])


@pytest.mark.parametrize("f", [lambda x: np.sum(x * x) / 2, lambda x: np.sum(x[::-1] * x.T) / 2])
def test_results_are_arrays_of_their_own(f):
    x = np.array([1.0, 2.0])
    function = run(source_at(f, (x,)), "grad_f")
    got = function(x)
    assert not np.shares_memory(got, x)
    assert got.flags.writeable


def test_constants_have_the_users_names():
    weights = np.array([1.0, 2.0, 4.0])
    text = source_at(lambda x: np.sum(weights * x**2), (np.ones(3),))
    assert "WEIGHTS = np.array([1.0, 2.0, 4.0])" in text


def test_names_do_not_meet():
    def f(np, t1):
        lambda_ = np * t1
        return lambda_**2 + lambda_ * t1

    function = run(source_at(f, (1.5, 2.0)), "grad_f")
    np.testing.assert_allclose(function(1.5, 2.0), symtape.grad(f, (0, 1))(1.5, 2.0))


def test_data_too_large_is_refused():
    data = np.random.default_rng(0).normal(size=(100, 50))
    with pytest.raises(Unsupported, match="5000 numbers is part of the function"):
        source_at(lambda x: np.sum((data @ x) ** 2), (np.ones(50),))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"language": "cobol"}, "expected one of numpy, jax, torch"),
        ({"what": "integral"}, "expected one of gradient, value_and_grad"),
        ({"wrt": "q"}, "there is no argument 'q'; expected some of w, X, y"),
        ({"wrt": ["w", "w"]}, "each once"),
        ({"what": "hvp"}, "takes one argument"),
    ],
)
def test_bad_requests_are_refused_in_words(how, words):
    with pytest.raises(ValueError, match=words):
        source_at(loss, (W, X, Y), **how)


def test_complex_arguments_and_several_values_are_refused():
    with pytest.raises(NotOnTape, match="dtype complex128"):
        source_at(lambda z: np.abs(z) ** 2, (1 + 2j,))
    with pytest.raises(NotTraceable, match="returned 2 values"):
        source_at(lambda x: (x, x * 2), (1.0,))


def test_every_language_has_a_title():
    assert set(LANGUAGES) == {"numpy", "jax", "torch", "c"}
    assert NUMPY.title == "NumPy"
