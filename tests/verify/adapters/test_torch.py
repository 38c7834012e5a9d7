"""Derivatives by torch, as torch users write them: faults are found, right ones are not accused."""

from __future__ import annotations

import functools
import inspect
import warnings

import numpy as np
import pytest

import verify
from verify.errors import UsageError
from verify.model.verdict import Verdict

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch", reason="torch is missing; pip install 'symtape[torch]'")

from verify.adapters import adapt_function
from verify.adapters import torch as adapter

F = torch.nn.functional

# Forward mode of torch uses what torch has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")

BOX = functools.partial(verify.box, -2, 2)


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No memory of earlier searches."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


class AddBias(torch.autograd.Function):
    """``tanh(x + b)``, and what its backward does with the bias is for others to say."""

    @staticmethod
    def forward(ctx, x, b):
        y = torch.tanh(x + b)
        ctx.save_for_backward(y)
        return y


class Right(AddBias):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        inner = g * (1 - y * y)
        return inner, inner.sum(0)


class FirstRow(AddBias):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        inner = g * (1 - y * y)
        return inner, inner[0]


class MeanOfRows(AddBias):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        inner = g * (1 - y * y)
        return inner, inner.mean(0)


class Sign(AddBias):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        inner = -g * (1 - y * y)
        return inner, inner.sum(0)


class NoBias(AddBias):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (1 - y * y), None


class Product(torch.autograd.Function):
    """``x * y * y``."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y * y


class RightProduct(Product):
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        by_x = g * y * y if ctx.needs_input_grad[0] else None
        return by_x, 2 * g * x * y


class MissingFactor(Product):
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y * y, g * x * y


class SavedWrongTensor(Product):
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * x * y, 2 * g * x * y


def summed(function):
    """A number that depends on all of it, with cotangents that vary."""

    def loss(x, y):
        z = function.apply(x, y)
        return (z * z.cos()).sum()

    return loss


SMALL = BOX(shape=(2, 1)), BOX(shape=(1,))
ROWS, ROW = BOX(shape=(3, 2)), BOX(shape=(2,))

LINED = {"first row", "mean", "sign", "factor", "saved"}
"""Faults that are on a line of a backward."""

WRONG = {
    "first row": (FirstRow, (ROWS, ROW)),
    "mean": (MeanOfRows, (ROWS, ROW)),
    "sign": (Sign, (ROWS, ROW)),
    "none": (NoBias, (ROWS, ROW)),
    "factor": (MissingFactor, (BOX(), BOX())),
    "saved": (SavedWrongTensor, (BOX(), BOX())),
}

CAUSES = {
    "first row": ("sum", "row", "broadcast", "entries"),
    "mean": ("3 times", "factor", "0.333", "sum"),
    "sign": ("sign",),
    "none": ("zero",),
    "factor": ("2 times", "half", "factor", "times too"),
    "saved": (),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_fault_in_a_backward_is_found_from_the_region_alone(name):
    function, over = WRONG[name]
    result = verify.gradient(summed(function), over=over, effort=0.1)
    assert result.verdict is Verdict.WRONG, str(result)
    words = str(result)
    assert "torch.autograd.grad" in words
    assert not CAUSES[name] or any(cause in words for cause in CAUSES[name]), words
    if name in LINED:
        first = function.backward.__code__.co_firstlineno
        lines = range(first, first + len(inspect.getsourcelines(function.backward)[0]))
        assert any(f"test_torch.py:{line} in backward" in words for line in lines), words


@pytest.mark.parametrize("function", [Right, RightProduct])
@pytest.mark.parametrize("quantity", ["gradient", "hessian"])
def test_their_right_twins_are_correct(function, quantity):
    over = (BOX(shape=(2, 1)), BOX(shape=(1,))) if function is Right else (BOX(), BOX())
    result = verify.derivative(quantity, summed(function), over=over, effort=0.05)
    assert result.verdict is Verdict.CORRECT, str(result)


def test_a_function_stands_for_its_apply():
    for function in (Right, Right.apply):
        foreign = adapt_function(function)
        assert foreign.__name__ == "Right"
        result = verify.vjp(function, over=SMALL, effort=0.05)
        assert result.verdict is Verdict.CORRECT, str(result)
    result = verify.vjp(FirstRow.apply, over=SMALL, effort=0.05)
    assert result.verdict is Verdict.WRONG


def tanh_loss(x):
    return torch.tanh(x).sum() * torch.exp(x[0])


@pytest.mark.parametrize("quantity", ["gradient", "jacobian", "hessian"])
def test_the_modes_of_torch_agree(quantity):
    at = np.array([0.3, -0.7])
    modes = adapter.derivatives(tanh_loss, quantity)
    assert next(iter(modes)) == "reverse"
    assert len(modes) == 3
    answers = [mode(at) for mode in modes.values()]
    for answer in answers[1:]:
        np.testing.assert_allclose(answer, answers[0], rtol=1e-13)
    for mode in modes.values():
        result = verify.derivative(quantity, tanh_loss, claimed=mode, at=[at])
        assert result.verdict is Verdict.CORRECT, str(result)


@pytest.mark.parametrize("quantity", ["vjp", "jvp", "hvp"])
def test_products(quantity):
    function = tanh_loss if quantity == "hvp" else lambda x: torch.tanh(x) * x[0]
    for mode in adapter.derivatives(function, quantity).values():
        result = verify.derivative(quantity, function, claimed=mode, over=ROW, effort=0.05)
        assert result.verdict is Verdict.CORRECT, str(result)


@pytest.mark.parametrize(
    ("quantity", "claim"),
    [
        ("gradient", torch.func.grad(tanh_loss)),
        ("gradient", lambda x: torch.func.vjp(tanh_loss, x)[1](torch.ones_like(x[0]))[0]),
        ("jacobian", torch.func.jacrev(tanh_loss)),
        ("jacobian", torch.func.jacfwd(tanh_loss)),
        ("hessian", torch.func.hessian(tanh_loss)),
        ("hessian", lambda x: torch.autograd.functional.hessian(tanh_loss, x)),
    ],
)
def test_claims_by_transforms(quantity, claim):
    result = verify.derivative(quantity, tanh_loss, claimed=claim, over=ROW, effort=0.05)
    assert result.verdict is Verdict.CORRECT, str(result)


def test_a_gradient_that_is_left_in_x_grad():
    def claim(x):
        x = x.clone().requires_grad_()
        tanh_loss(x).backward()
        return x.grad

    result = verify.gradient(tanh_loss, claimed=claim, over=ROW, effort=0.05)
    assert result.verdict is Verdict.CORRECT, str(result)


def model_of(*layers):
    torch.manual_seed(0)
    return torch.nn.Sequential(*layers).double()


@pytest.mark.parametrize("activation", [torch.nn.Tanh, torch.nn.ReLU, torch.nn.GELU])
def test_a_module_is_a_function_of_its_input(activation):
    model = model_of(torch.nn.Linear(2, 3), activation(), torch.nn.Linear(3, 1))

    def loss(x):
        return model(x).square().sum()

    # Weights of a ReLU layer bring points at which rounding picks the side.
    assert verify.gradient(loss, over=ROW, effort=0.05)
    assert verify.jacobian(model, over=ROW, effort=0.05)


def test_a_module_with_dropout_is_not_a_function():
    model = model_of(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5))
    result = verify.jacobian(model, at=[[0.5, 1.0]])
    assert result.verdict is Verdict.UNDECIDED
    assert "torch" in str(result) or "deterministic" in str(result)


def test_partials_and_methods():
    class Energy:
        scale = 3.0

        def __call__(self, x):
            return self.value(x)

        def value(self, x):
            return self.scale * torch.sin(x).sum()

    def power(n, x):
        return torch.pow(x, n).sum()

    for function in (Energy(), Energy().value, functools.partial(power, 3)):
        result = verify.gradient(function, over=ROW, effort=0.05)
        assert result.verdict is Verdict.CORRECT, str(result)
        assert result.claimant == "torch.autograd.grad"


def test_a_derivative_is_taken_where_autograd_is_off():
    with torch.no_grad():
        result = verify.gradient(lambda x: torch.sin(x).sum(), over=BOX(shape=(2,)), effort=0.01)
    assert result.verdict is Verdict.CORRECT, str(result)
    assert torch.is_grad_enabled()


KERNELS = {
    "bilinear": lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear"),
    "bicubic": lambda x: F.interpolate(x, size=(3, 5), mode="bicubic"),
    "batch norm": lambda x: F.batch_norm(x, x.new_tensor([0.3, -7.7]), x.new_tensor([0.01, 3.1])),
    "group norm": lambda x: F.group_norm(x, 2),
    "convolution": lambda x: F.conv2d(x, torch.full((1, 2, 2, 2), 0.3, dtype=x.dtype)),
    "circular": lambda x: F.pad(x, (1, 2, 0, 1), mode="circular"),
}
"""Functions that torch computes in other steps than those that it is read as."""


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_round_in_steps_of_their_own(name):
    points = [np.random.default_rng(seed).uniform(-9, 9, (1, 2, 3, 3)) for seed in range(3)]
    result = verify.jacobian(KERNELS[name], at=points)
    assert result.verdict is Verdict.CORRECT, str(result)


def test_an_unused_argument():
    result = verify.gradient(lambda x, y: (x * x).sum(), over=(ROW, ROW), effort=0.05)
    assert result.verdict is Verdict.CORRECT, str(result)


def test_single_precision():
    result = verify.gradient(
        tanh_loss, over=verify.box(-2, 2, shape=(2,), dtype=np.float32), effort=0.2
    )
    assert result.verdict is Verdict.CORRECT, str(result)
    assert result.points[0].x[0].dtype == np.float32


def test_a_claim_in_another_precision_is_measured_in_it():
    def claim(x):
        return torch.func.grad(tanh_loss)(x.float())

    result = verify.gradient(tanh_loss, claimed=claim, at=[[0.5, 1.0]])
    assert result.verdict is Verdict.CORRECT, str(result)
    assert result.points[0].worst.claimed == float(np.float32(result.points[0].worst.claimed))


def test_sparse_gradients_are_made_dense():
    def loss(weight):
        picked = F.embedding(torch.tensor([0, 2]), weight, sparse=True)
        return (picked * picked).sum()

    result = verify.gradient(loss, at=[np.arange(6.0).reshape(3, 2)])
    assert result.verdict is Verdict.CORRECT, str(result)


def test_a_claim_that_writes_into_its_argument():
    def claim(x):
        slope = torch.func.grad(tanh_loss)(x.clone())
        x += 1
        return slope

    result = verify.gradient(tanh_loss, claimed=claim, at=[[0.5, 1.0]])
    assert result.verdict in (Verdict.CORRECT, Verdict.WRONG)


def test_compiled_functions():
    compiled = torch.compile(tanh_loss, backend="eager")
    foreign = adapter.adapt(compiled)
    assert foreign.original is tanh_loss
    np.testing.assert_allclose(foreign(np.ones(2)), tanh_loss(torch.ones(2).double()))


def test_a_compiler_that_fails_says_so():
    def broken(graph, inputs):
        raise RuntimeError("no compiler here")

    foreign = adapter.adapt(torch.compile(tanh_loss, backend=broken))
    with pytest.raises(UsageError, match=r"torch\.compile could not compile tanh_loss"):
        foreign(np.ones(2))


def test_a_module_in_another_precision():
    model = torch.nn.Linear(2, 1)
    with pytest.raises(UsageError, match=r"keeps tensors of float32.*\.double\(\)"):
        verify.jacobian(model, at=[[0.5, 1.0]])


def test_a_module_on_another_device():
    model = torch.nn.Linear(2, 1, device="meta", dtype=torch.float64)
    with pytest.raises(Exception, match=r"device"):
        verify.jacobian(model, at=[[0.5, 1.0]])


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (lambda x: "text" + str(torch.float64), "text"),
        (lambda x: None if x[0] < 9 else x.sin(), "return"),
        (lambda x: {"gradient": torch.sin(x)}, "dict"),
        (lambda x: torch.sin(x)[:1], "shape"),
        (lambda x: torch.sin(x) + 1j, "complex"),
        (lambda x: torch.sin(x).bfloat16(), "bfloat16"),
    ],
)
def test_answers_that_are_no_gradients(claim, words):
    assert words in told_of(claim)


def told_of(claim):
    """What is said of a claim, as a verdict or as an error."""
    try:
        return str(verify.gradient(tanh_loss, claimed=claim, at=[[0.5, 1.0]]))
    except UsageError as error:
        return str(error)


def test_keyword_only_arguments_are_to_be_fixed():
    def scaled(x, *, scale):
        return scale * torch.sin(x).sum()

    with pytest.raises(UsageError, match=r"functools\.partial\(scaled, scale=...\)"):
        verify.gradient(scaled, at=[[0.5, 1.0]])


def test_what_is_not_differentiable_for_torch_is_said_in_its_words():
    result = verify.gradient(lambda x: torch.special.bessel_j0(x), at=[0.5])
    assert result.verdict is Verdict.WRONG
    assert "does not require grad" in str(result)


def test_operations_that_are_not_read_are_named():
    from symtape.errors import NotTraceable

    with pytest.raises(NotTraceable, match=r"_fft_r2c.*evidence='sampled'"):
        verify.gradient(lambda x: torch.fft.fft(x).abs().sum(), at=[[0.5, 1.0]])


def test_a_singular_matrix_is_outside():
    result = verify.gradient(
        lambda a: torch.linalg.cholesky(a).sum(), at=[[[1.0, 2.0], [2.0, 1.0]]]
    )
    assert result.verdict is Verdict.OUTSIDE, str(result)


def test_the_gradient_of_cosine_similarity_ignores_its_own_bound():
    """Below eps torch divides by eps, and differentiates as if it divided by the norm."""
    result = verify.gradient(
        lambda y: F.cosine_similarity(torch.ones(3, dtype=y.dtype), y, dim=0),
        at=[[0.0, 0.0, -3e-9]],
    )
    assert result.verdict is Verdict.WRONG


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rounding_that_picks_the_other_side_of_a_kink_is_no_fault(dtype):
    """Sums go in another order in torch: within rounding of a kink it may be on the other side."""
    torch.manual_seed(1)
    weight = torch.randn(3, 3, dtype=torch.float64)

    def loss(x):
        return torch.relu(weight.to(x.dtype) @ x).sum()

    over = verify.box(-2, 2, shape=(3,), dtype=dtype)
    result = verify.gradient(loss, over=over, effort=0.2)
    assert result.verdict in (Verdict.CORRECT, Verdict.KINK), str(result)
    assert bool(result)
