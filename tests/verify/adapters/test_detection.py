"""Which framework a function is of is seen from its type and its code, however it is spelt."""

from __future__ import annotations

import functools
import importlib
import inspect
import subprocess
import sys
import warnings

import numpy as np
import pytest

import symtape
import verify
from verify.adapters import adapt_function, advice
from verify.adapters.detection import converts, find_frameworks
from verify.errors import UsageError
from verify.model.foreign import Foreign
from verify.model.verdict import Verdict


def framework(name):
    """A module of a framework; the test skips if it is not installed."""
    root = name.partition(".")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(root, reason=f"needs {root}: pip install 'symtape[{root}]'")
        return importlib.import_module(name)


def imports_in_its_body(x):
    import jax.numpy as jnp

    return jnp.sin(x)


def imports_a_name_in_its_body(x):
    from jax.numpy import sin

    return sin(x)


def imports_the_root_in_its_body(x):
    import jax

    return jax.numpy.sin(x)


def spellings_of_jax():
    jax, jnp = framework("jax"), framework("jax.numpy")
    sin = jnp.sin

    def helper(x):
        return jnp.exp(x)

    def by_a_helper(x):
        return helper(x) + 1

    def decorated(g):
        @functools.wraps(g)
        def wrapper(*args):
            return g(*args)

        return wrapper

    class Model:
        def __init__(self):
            self.activation = jnp.tanh

        def __call__(self, x):
            return self.layer(x)

        def layer(self, x):
            return self.activation(x)

        @staticmethod
        def still(x):
            return jnp.cos(x)

        @classmethod
        def made(cls, x):
            return cls.still(x)

    @jax.custom_vjp
    def ruled(x):
        return x

    @jax.custom_jvp
    def pushed(x):
        return x

    plain = lambda x: x * x  # noqa: E731
    return {
        "a function of the framework": jnp.sin,
        "its alias": sin,
        "a lambda": lambda x: jnp.sin(x),
        "the full name": lambda x: jax.numpy.sin(x),
        "a name from outside": lambda x: sin(x),
        "a comprehension": lambda x: sum([jnp.sin(y) for y in x]),
        "a function inside": lambda x: (lambda y: jnp.sin(y))(x),
        "a default": lambda x, f=jnp.sin: f(x),
        "NumPy beside it": lambda x: np.pi * jnp.dot(x, np.array([1.0, 2.0])),
        "a helper": by_a_helper,
        "a helper's caller": lambda x: by_a_helper(x),
        "a decorated one": decorated(by_a_helper),
        "an object": Model(),
        "a method": Model().layer,
        "a static method": Model.still,
        "a class method": Model.made,
        "a partial": functools.partial(lambda x, k: jnp.sin(k * x), k=2.0),
        "jit": jax.jit(plain),
        "grad": jax.grad(plain),
        "jacfwd": jax.jacfwd(plain),
        "jacrev": jax.jacrev(plain),
        "hessian": jax.hessian(plain),
        "vmap": jax.vmap(plain),
        "grad of jit": jax.grad(jax.jit(plain)),
        "custom_vjp": ruled,
        "custom_jvp": pushed,
        "Partial": jax.tree_util.Partial(plain),
        "an import in the body": imports_in_its_body,
        "a name imported in the body": imports_a_name_in_its_body,
        "the root imported in the body": imports_the_root_in_its_body,
    }


def spellings_of_torch():
    torch = framework("torch")

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x**2

        @staticmethod
        def backward(ctx, g):
            return g

    plain = lambda x: x * x  # noqa: E731
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch.compile(plain, backend="eager")
    return {
        "a function of the framework": torch.sin,
        "a method of its tensors": torch.Tensor.sin,
        "functional": torch.nn.functional.softplus,
        "apply": Square.apply,
        "a lambda with apply": lambda x: Square.apply(x),
        "a module": torch.nn.Linear(2, 1),
        "a method of a module": torch.nn.Linear(2, 1).forward,
        "func.grad": torch.func.grad(plain),
        "func.jacrev": torch.func.jacrev(plain),
        "vmap": torch.vmap(plain),
        "compile": compiled,
        "a lambda": lambda x: torch.sin(x),
        "a constant": lambda x: x * torch.tensor(2.0),
        "a method of its argument": lambda x: x.exp(),
        "a method of a term": lambda x: (2 * x).float(),
        "an attribute of its argument": lambda x: x.requires_grad_(),
    }


def spellings_of_autograd():
    autograd, anp = framework("autograd"), framework("autograd.numpy")
    return {
        "a function of the framework": anp.sin,
        "a lambda": lambda x: anp.sin(x),
        "grad": autograd.grad(lambda x: x * x),
        "jacobian": autograd.jacobian(lambda x: x * x),
    }


SPELLINGS = {
    "jax": spellings_of_jax,
    "torch": spellings_of_torch,
    "autograd": spellings_of_autograd,
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_spelling_is_of_its_framework(name):
    for words, function in SPELLINGS[name]().items():
        assert [hit.framework for hit in find_frameworks(function)] == [name], words
        assert not converts(function), words
        assert isinstance(adapt_function(function), Foreign), words


class Plain:
    def __call__(self, x):
        return np.sin(x)

    def method(self, x):
        return np.cos(x)


def test_numpy_code_is_of_none_and_stays_as_it_is():
    framework("jax"), framework("torch")
    functions = [np.sin, np.linalg.norm, abs, lambda x: np.sin(x), Plain(), Plain().method, len]
    functions += [functools.partial(np.sum, axis=0), np.vectorize(lambda x: x), Plain]
    for function in functions:
        assert find_frameworks(function) == [], function
        assert adapt_function(function) is function


def test_a_parameter_named_like_a_framework_is_none(monkeypatch):
    framework("jax")
    monkeypatch.setitem(globals(), "x", framework("jax.numpy"))
    assert find_frameworks(lambda x: np.sin(x)) == []
    assert find_frameworks(lambda jax: jax + 1) == []


def test_what_converts_for_itself_stays_as_it_is():
    jax, torch = framework("jax"), framework("torch")
    g = jax.grad(jax.numpy.sin)
    for function in [
        lambda x: np.asarray(g(x)),
        lambda x: np.array(jax.numpy.sin(x)),
        lambda x: g(x).item(),
        lambda x: torch.from_numpy(x).sin().numpy(),
        lambda x: torch.tensor(x).sin().tolist(),
        lambda x: np.asarray(g(torch.from_numpy(x).numpy())),
    ]:
        assert find_frameworks(function)
        assert converts(function)
        assert adapt_function(function) is function


def test_a_helper_that_converts_is_numpy_to_its_callers():
    torch = framework("torch")

    def predicted(x):
        return torch.from_numpy(x).sin().numpy()

    def function(x):
        return 2 * predicted(x)

    assert find_frameworks(function) == []
    assert adapt_function(function) is function


def test_two_frameworks_are_asked_about():
    jnp, torch = framework("jax.numpy"), framework("torch")

    def both(x):
        return jnp.sin(torch.cos(x))

    with pytest.raises(UsageError) as caught:
        adapt_function(both)
    assert str(caught.value) == (
        "test_two_frameworks_are_asked_about.<locals>.both uses jax (jnp) and torch (torch); "
        "say in which of them it is called, as verify.adapters.jax.adapt(f) or "
        "verify.adapters.torch.adapt(f), or let it take and return NumPy arrays"
    ).replace("test_two_frameworks_are_asked_about.<locals>.", "")


def test_what_is_nearest_decides():
    jax, torch = framework("jax"), framework("torch")
    compiled = jax.jit(lambda x: torch.sin(x))
    assert [hit.framework for hit in find_frameworks(compiled)] == ["jax"]


def test_what_is_adapted_is_not_adapted_again():
    jnp = framework("jax.numpy")
    once = adapt_function(lambda x: jnp.sin(x))
    assert adapt_function(once) is once
    assert find_frameworks(lambda x: once(x)) == []


def test_advice_is_given_where_a_framework_meets_our_tensor():
    for name, module in {"jax": "jax.numpy", "torch": "torch"}.items():
        with pytest.raises(TypeError) as caught:
            framework(module).sin(symtape.constant(1.0))
        assert f"verify.adapters.{name}.adapt(f)" in advice(caught.value)
    assert advice(ValueError("no tensor")) == ""
    assert advice(KeyError("Tensor")) == ""


CHEAP = """
import sys, numpy as np
from verify.adapters import adapt_function
adapt_function(lambda x: np.sin(x) + np.cos(x))
print(*{"jax", "torch", "autograd", "tensorflow"} & set(sys.modules))
"""


def test_it_imports_no_framework():
    done = subprocess.run([sys.executable, "-c", CHEAP], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_method_of_c_is_of_the_class_that_it_is_bound_to():
    torch = framework("torch")

    bound = torch.Size((2,)).count  # as Function.apply is from PyTorch 2.15 on
    assert inspect.isbuiltin(bound)
    for function in (bound, lambda x: bound(x)):
        assert [hit.framework for hit in find_frameworks(function)] == ["torch"]
    assert not find_frameworks("".join)
    assert not find_frameworks(lambda x: "".join(x))


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax", reason="these tests need jax: pip install 'symtape[jax]'")
    import jax.numpy as jnp


def power(x):
    start = (0, jnp.ones_like(x))
    return jax.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), start)[1]


def scattered(x):
    return jnp.sum(jnp.ones(3).at[jnp.array([0, 0, 1])].multiply(x))


REFUSED = {
    "while_loop": (power, None, 1.5, "Reverse-mode differentiation does not work"),
    "explicitly": (power, jax.grad(power), 1.5, "Reverse-mode differentiation does not work"),
    "scatter": (scattered, None, np.array([1.0, 2.0, 3.0]), "only implemented if"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_of_jax_is_no_verdict_on_it(name):
    function, claimed, x, words = REFUSED[name]
    result = verify.gradient(function, claimed=claimed, at=[x])
    assert result.verdict is Verdict.UNDECIDED, str(result)
    assert "returns no derivative here; jax says: " in result.witness.message
    assert words in result.witness.message


def test_a_refusal_of_torch_is_no_verdict_on_it():
    torch = pytest.importorskip("torch", reason="torch is missing; pip install 'symtape[torch]'")

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

    def loss(x):
        return Square.apply(x).sum()

    point = [np.array([1.0, 2.0])]
    result = verify.gradient(loss, claimed=torch.func.grad(loss), at=point)
    assert result.verdict is Verdict.UNDECIDED, str(result)
    assert "setup_context" in result.witness.message
    assert verify.gradient(loss, at=point).verdict is Verdict.CORRECT


def broken(x):
    raise ValueError("Reverse-mode differentiation does not work for me")


def breaks_in_its_rule():
    @jax.custom_vjp
    def square(x):
        return x**2

    def backward(x, g):
        raise TypeError("mine")

    square.defvjp(lambda x: (x**2, x), backward)
    return square


def test_an_error_of_the_claims_own_is_wrong():
    def slope(x):
        return jnp.cos(x) * broken(x)

    result = verify.gradient(lambda x: jnp.sin(x), claimed=slope, at=[0.5])
    assert result.verdict is Verdict.WRONG
    assert "raised ValueError" in result.witness.message
    result = verify.gradient(breaks_in_its_rule(), at=[0.5])
    assert result.verdict is Verdict.WRONG
    assert "raised TypeError: mine" in result.witness.message


def test_a_torch_claim_that_writes_into_its_argument_is_told():
    torch = pytest.importorskip("torch", reason="torch is missing; pip install 'symtape[torch]'")

    def slope(x):
        x.mul_(2)
        return x

    for x in (np.array([1.0, 2.0]), 1.5):
        result = verify.gradient(lambda x: torch.sum(x**2), claimed=slope, at=[x])
        assert result.verdict is Verdict.WRONG
        assert "slope changed its argument x in place" in result.witness.message

    def careful(x):
        return x.clone().mul_(2)

    result = verify.gradient(lambda x: torch.sum(x**2), claimed=careful, at=[np.array([1.0])])
    assert result.verdict is Verdict.CORRECT


def test_an_answer_in_float32_is_said_to_be_one():
    def slope(x):
        return jnp.cos(x.astype(jnp.float32))

    result = verify.gradient(lambda x: jnp.sin(x), claimed=slope, at=[0.5])
    assert result.verdict is Verdict.CORRECT
    assert "answered in float32" in result.witness.message
    result = verify.gradient(lambda x: jnp.sin(x), claimed=lambda x: 2 * slope(x), at=[0.5])
    assert result.verdict is Verdict.WRONG
    assert "answered in float32" in result.witness.message
