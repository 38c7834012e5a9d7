"""derive: what a person types, reads, and is told when it cannot be done."""

import subprocess
import sys

import numpy as np
import pytest

import symtape
from symtape.errors import BudgetSpent, NotTraceable, Unsupported
from symtape.process.budget import Budget


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def test_print_tells_all_of_a_small_function():
    assert str(symtape.derive(rosenbrock, [1.0, 2.0])) == (
        "rosenbrock(x) = (1 - x[0])**2 + 100*(-x[0]**2 + x[1])**2\n"
        "  for x of shape (2,)\n"
        "\n"
        "gradient\n"
        "  d rosenbrock/dx[0] = 400*x[0]**3 - 400*x[0]*x[1] + 2*x[0] - 2\n"
        "  d rosenbrock/dx[1] = -200*x[0]**2 + 200*x[1]\n"
        "\n"
        "hessian\n"
        "  d2 rosenbrock/dx[0]^2     = 1200*x[0]**2 - 400*x[1] + 2\n"
        "  d2 rosenbrock/dx[0] dx[1] = -400*x[0]\n"
        "  d2 rosenbrock/dx[1]^2     = 200"
    )


def test_print_says_on_which_path_it_holds():
    text = str(symtape.derive(lambda x: x**2 if x > 0 else -x, -1.0, order=1))
    assert text == "f(x) = -x\n\ngradient\n  df/dx = -1\n\nwhere x <= 0"


def test_print_cuts_long_lists():
    def product(x):
        return np.max(x) * np.sum(x)

    text = str(symtape.derive(product, np.arange(60.0), notation="entries"))
    assert "... 36 more entries; print .gradient" in text
    assert "60 x 60; print .hessian to see it" in text
    assert text.endswith("... 47 more; see .where")


def test_print_of_an_array_function_is_its_jacobian():
    text = str(symtape.derive(lambda x, y: np.stack([x * y, x]), 1.0, 2.0))
    assert text == (
        "f(x, y) = [x*y, x]\n\njacobian\n"
        "  df[0]/dx = y\n  df[1]/dx = 1\n  df[0]/dy = x\n  df[1]/dy = 0"
    )


def test_order_limits_what_is_printed_not_what_is_there():
    derivation = symtape.derive(rosenbrock, [1.0, 2.0], order=0)
    assert "gradient" not in str(derivation)
    assert derivation.hessian.lambdify()([1.0, 1.0]).tolist() == [[802.0, -400.0], [-400.0, 200.0]]


def test_nothing_is_derived_before_it_is_asked_for():
    derivation = symtape.derive(rosenbrock, [1.0, 2.0, 3.0])
    before = len(derivation.shadow.program)
    assert derivation.gradient is derivation.gradient
    assert len(derivation.shadow.program) > before


def test_several_arguments_give_a_tuple():
    derivation = symtape.derive(lambda a, b: np.sum(a) * b, np.ones(3), 2.0)
    first, second = derivation.gradient.lambdify()(np.ones(3), 2.0)
    assert first.tolist() == [2.0, 2.0, 2.0]
    assert second == 3.0
    blocks = derivation.hessian.lambdify()(np.ones(3), 2.0)
    assert [[np.shape(b) for b in row] for row in blocks] == [[(3, 3), (3,)], [(3,), ()]]


@pytest.mark.parametrize("steps", [1, 7, 200])
def test_jacobian_of_a_scalar_is_its_gradient(steps):
    def chain(x):
        for _ in range(steps):
            x = np.sin(x) + 0.5 * x
        return x

    derivation = symtape.derive(chain, 0.5)
    assert derivation.jacobian.tree == derivation.gradient.tree


def test_names():
    assert str(symtape.derive(lambda *xs: xs[0] * xs[1], 1.0, 2.0).value) == "xs0*xs1"
    assert str(symtape.derive(np.hypot, 1.0, 2.0, names=["a", "b"]).value) == "sqrt(a**2 + b**2)"
    assert str(symtape.derive(lambda v1: np.sin(v1), 1.0).value) == "sin(v1)"


NAMES = [
    (["a"], "expected 2 names"),
    (["a", "b b"], "'b b' is no name"),
    (["a", "<script>"], "is no name"),
    (["a", "lambda"], "a word of Python"),
    (["a", "a"], "the same name"),
]


@pytest.mark.parametrize(("names", "words"), NAMES)
def test_names_that_cannot_be_used_are_refused(names, words):
    with pytest.raises(ValueError, match=words):
        symtape.derive(np.hypot, 1.0, 2.0, names=names)


def opaque(x):
    return np.sum(np.spacing(x))


FAILURES = [
    (lambda x: None, (1.0,), NotTraceable, "return"),
    (lambda x: (x, x), (1.0,), NotTraceable, "2 values"),
    (lambda x: "no", (1.0,), NotTraceable, "no"),
    (opaque, (np.ones(3),), Unsupported, r"spacing.*test_derive\.py"),
]


@pytest.mark.parametrize(("function", "args", "error", "words"), FAILURES)
def test_what_cannot_be_derived_says_why(function, args, error, words):
    with pytest.raises(error, match=words):
        symtape.derive(function, *args)


def test_order_is_checked():
    with pytest.raises(ValueError, match="order=3"):
        symtape.derive(np.sin, 1.0, order=3)


def test_the_hessian_of_an_array_is_refused():
    with pytest.raises(ValueError, match="scalar function"):
        _ = symtape.derive(np.sin, np.ones(3)).hessian


def test_budgets_reach_every_step():
    derivation = symtape.derive(rosenbrock, np.ones(20), budget=Budget(statements=400))
    with pytest.raises(BudgetSpent, match="the Hessian"):
        _ = derivation.hessian


def test_constants_have_zero_derivatives():
    derivation = symtape.derive(lambda x: np.float64(3.0), 1.0)
    assert (str(derivation.value), str(derivation.gradient)) == ("3", "0")


def test_importing_derive_imports_no_sympy():
    check = "import symtape.deriving, sys; sys.exit(bool({'sympy', 'flint'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
