"""Functions of torch are read as what they compute, and so are the gradients that it takes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import symtape
from symtape.errors import Unreadable
from symtape.graph.sameness import same_computation
from symtape.rigorous.enclose import enclose

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch", reason="torch is missing; pip install 'symtape[torch]'")

from tests.symtape.frontends.aten_calls import CALLS, function_of

# Forward mode of torch uses what torch has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")

NO_GRADIENT = {"floor_divide", "heaviside", "searchsorted"} | {
    f"special_{kind}"
    for kind in (
        *("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0"),
        *("modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1"),
        *("scaled_modified_bessel_k0", "scaled_modified_bessel_k1"),
    )
}
"""Calls of which torch takes no gradient."""

WHOLE_BACKWARD = {"upsample bilinear", "upsample bicubic", "grid_sample"}
"""Calls that torch takes apart, and whose backward pass it does not."""

ROUNDED = {
    *("deg2rad", "rad2deg", "erf", "erfc", "erfinv", "exp2", "log2", "log10", "sinc", "pow base"),
    *("special_erfcx", "special_log_ndtr", "special_ndtr", "special_ndtri", "igamma"),
    *("selu", "celu", "lerp", "var", "std"),
}
"""Gradients in which torch has a constant that is rounded: right to the last bits of floats."""

OFF = {
    "hardsigmoid": 1e-7,  # torch 2.13 has 1/6 in float32 there, for float64 too
    "digamma": 1e-8,  # torch's trigamma has 9 to 10 digits
    "polygamma": 1e-8,
    "to": 1e-6,  # through float32
}
"""Calls in which the floats of torch are off by more than rounding, relatively."""

NO_ENCLOSURE = {"logcumsumexp"}
"""Gradients that pass through the logarithm of 0, which balls have no finite answer for."""


def loss_of(function):
    """A number whose gradient depends on everything, through cotangents that vary."""

    def loss(*xs):
        y = function(*xs)
        return (y * y + 1.5 * y).sum()

    return loss


def gradient_of(function):
    """What autograd says of it, as a program."""

    def gradient(*xs):
        leaves = [x.detach().requires_grad_() for x in xs]
        found = torch.autograd.grad(function(*leaves), leaves, allow_unused=True)
        return tuple(
            torch.zeros_like(x) if part is None else part
            for x, part in zip(leaves, found, strict=True)
        )

    return gradient


def assert_close(name, given, wanted):
    assert np.shape(given) == np.shape(wanted)
    assert np.asarray(given).dtype == np.asarray(wanted).dtype
    np.testing.assert_allclose(given, wanted, rtol=OFF.get(name, 1e-10), atol=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_read_as_what_torch_computes(name):
    function, at = function_of(name)
    program = symtape.from_torch(function)
    graph = symtape.record(program, *at)
    assert not graph.escapes
    assert_close(name, graph.evaluate(*at)[0], program(*at))


@pytest.mark.parametrize("name", CALLS)
def test_a_call_in_inference_mode_is_the_same(name):
    function, at = function_of(name)
    program = symtape.from_torch(torch.inference_mode()(function))
    graph = symtape.record(program, *at)
    assert not graph.escapes
    assert_close(name, graph.evaluate(*at)[0], program(*at))


@pytest.mark.filterwarnings("ignore:.*does not have a deterministic implementation:UserWarning")
@pytest.mark.parametrize("name", CALLS)
def test_no_call_is_read_with_memory_that_nobody_wrote(name):
    function, at = function_of(name)
    graph = symtape.record(symtape.from_torch(function), *at)
    torch.use_deterministic_algorithms(True, warn_only=True)  # new memory holds NaN then
    try:
        assert torch.utils.deterministic.fill_uninitialized_memory
        poisoned = symtape.record(symtape.from_torch(function), *at)
    finally:
        torch.use_deterministic_algorithms(False)
    assert same_computation(graph, poisoned)


def test_an_error_holds_nothing_of_what_torch_guards():
    """A guard that is freed late puts back how torch dispatched inside of the reading."""
    held = set()

    class Guard:
        def __init__(self):
            held.add(id(self))

        def __del__(self):
            held.discard(id(self))

    def function(x):
        guard = Guard()
        raise ValueError(f"{type(guard).__name__} is held by the frames of this error")

    with pytest.raises(ValueError, match="is held") as caught:
        symtape.record(symtape.from_torch(function), 1.0)
    assert caught.value.__traceback__ is not None
    assert not held


BY_TRIANGLE = {
    *("cholesky", "cholesky upper", "cholesky_solve", "cholesky_inverse"),
    *("eigh", "eigh vectors"),
}


@pytest.mark.parametrize(
    "name", [name for name in CALLS if name not in NO_GRADIENT | WHOLE_BACKWARD]
)
def test_the_gradient_that_torch_takes_is_read_and_is_the_exact_one(name):
    function, at = function_of(name)
    loss = loss_of(function)
    claimed = symtape.from_torch(gradient_of(loss))
    program = symtape.record(claimed, *at)
    for given, wanted in zip(program.evaluate(*at), claimed(*at), strict=True):
        assert_close(name, given, wanted)
    truth = symtape.differentiate(symtape.record(symtape.from_torch(loss), *at))
    for ours, theirs in zip(enclose(truth, at, 100), enclose(program, at, 100), strict=True):
        if name in BY_TRIANGLE and np.shape(ours)[-1] == np.shape(ours)[-2]:
            # torch shares the slopes between both triangles of a symmetric matrix.
            ours, theirs = (part + np.swapaxes(part, -1, -2) for part in (ours, theirs))
        for exact, ball in zip(np.ravel(ours).tolist(), np.ravel(theirs).tolist(), strict=True):
            if name in NO_ENCLOSURE:
                continue
            assert ball.is_finite()
            if name in ROUNDED:
                assert abs(float((ball - exact).mid())) <= 1e-14 * (1 + abs(float(exact.mid())))
            else:
                assert ball.overlaps(exact), name


def test_branches_of_python_are_on_the_path():
    f = symtape.from_torch(lambda x: torch.sin(x) if x > 0 else -x)
    above, below = symtape.record(f, 1.0), symtape.record(f, -1.0)
    assert [step.outcome for step in above.path] == [True]
    assert [step.outcome for step in below.path] == [False]
    assert above.holds(2.0)
    assert not above.holds(-2.0)


def test_a_whole_number_that_steers_a_loop_is_on_the_path():
    def f(x):
        for _ in range(int((x > 0).sum())):
            x = x * 2
        return x.sum()

    graph = symtape.record(symtape.from_torch(f), np.array([1.0, 2.0, -1.0]))
    assert graph.holds([3.0, 4.0, -5.0])
    assert not graph.holds([3.0, 4.0, 5.0])
    assert not graph.escapes


@pytest.mark.parametrize(
    "leave",
    [
        lambda x: x * x[0].item(),
        lambda x: x * float(x.sum()),
        lambda x: x * x.detach().numpy().max().item(),
        lambda x: x * torch.from_numpy(np.cos(x.numpy())),
        lambda x: x * x.tolist()[0],
    ],
)
def test_a_value_that_leaves_torch_is_an_escape(leave):
    graph = symtape.record(symtape.from_torch(leave), np.array([1.0, 2.0]), escapes="constant")
    assert graph.escapes
    assert graph.escapes[0].origin.file == __file__


def write_an_element(x):
    y = torch.zeros(3, dtype=x.dtype)
    y[0] = x[1] * 2
    y[1:] = x[:2].sin()
    return y * x


def write_through_a_view(x):
    y = x.clone()
    row = y[1:]
    row.mul_(3).add_(x[0])
    y.t().neg_()
    return y + row.sum()


def write_everything(x):
    y = torch.empty_like(x)
    y.copy_(x * 2)
    y.relu_().add_(1).pow_(2)
    y.fill_(0.5) if y.numel() > 5 else y.clamp_(max=3)
    return y.sqrt_()


def write_by_index(x):
    y = x.clone()
    y[torch.tensor([2, 0])] = x[:2]
    y[x > 1] = 0.0
    y.index_add_(0, torch.tensor([1, 1]), x[:2])
    y.scatter_(0, torch.tensor([1]), x[:1] * 4)
    return y.masked_fill_(y < -3, 1.0)


def write_out(x):
    y = torch.empty(3, dtype=x.dtype)
    torch.mul(x, x, out=y)
    return y


def write_into_a_column(x):
    y = torch.stack([x, x], 1)
    y[:, 0] += 1
    z = y.T
    z[1] = x * x
    return y.prod(1)


@pytest.mark.parametrize(
    "function",
    [
        *(write_an_element, write_through_a_view, write_everything, write_by_index),
        *(write_out, write_into_a_column),
    ],
)
def test_writes_in_place_are_followed_through_views(function):
    x = np.array([0.7, 1.9, -1.3])
    program = symtape.from_torch(function)
    graph = symtape.record(program, x)
    np.testing.assert_allclose(graph.evaluate(x)[0], program(x), rtol=1e-14)
    assert any(node.primitive for node in graph.nodes)
    moved = x + 0.05
    np.testing.assert_allclose(graph.evaluate(moved)[0], program(moved), rtol=1e-14)


def test_results_are_written_into_several_tensors():
    def f(x):
        values, places = torch.empty_like(x), torch.empty(3, dtype=torch.int64)
        torch.sort(x, descending=True, out=(values, places))
        return values * x

    x, program = np.array([0.7, 1.9, -1.3]), symtape.from_torch(f)
    np.testing.assert_allclose(symtape.record(program, x).evaluate(x)[0], program(x))


def test_running_statistics_depend_on_what_they_are_of():
    def f(x):
        mean, var = torch.zeros(1, dtype=x.dtype), torch.ones(1, dtype=x.dtype)
        y = torch.nn.functional.batch_norm(x[:, None], mean, var, training=True)
        return y[:, 0] + mean * var

    x, program = np.array([0.7, 1.9, -1.3]), symtape.from_torch(f)
    graph = symtape.record(program, x)
    for at in (x, 2 * x + 1):
        np.testing.assert_allclose(graph.evaluate(at)[0], program(at), rtol=1e-13)


def test_statistics_run_once_when_a_module_is_read():
    model = torch.nn.BatchNorm1d(2, momentum=0.5).double()
    symtape.record(symtape.from_torch(model), np.array([[1.0, 2.0], [3.0, 6.0]]))
    np.testing.assert_allclose(model.running_mean.numpy(), [1.0, 2.0])


def test_precisions_are_kept():
    f = symtape.from_torch(lambda x: torch.exp(x) * 2 + torch.tensor(0.5, dtype=torch.float64))
    x = np.array([0.5, 1.0], np.float32)
    graph = symtape.record(f, x)
    assert graph.nodes[graph.outputs[0]].dtype == np.float32
    assert f(x).dtype == np.float32
    assert f(x.astype(np.float64)).dtype == np.float64


def test_what_depends_on_no_input_stays_out_of_the_graph():
    weight = torch.arange(6.0, dtype=torch.float64).reshape(2, 3).sin()
    graph = symtape.record(symtape.from_torch(lambda x: weight @ x + weight.sum()), np.ones(3))
    assert [node.name for node in graph.nodes if node.primitive] == ["matmul", "add"]


def test_each_operation_has_the_line_of_the_user():
    def f(x):
        y = torch.sin(x)
        return (y * y).sum()

    first = f.__code__.co_firstlineno
    graph = symtape.record(symtape.from_torch(f), np.ones(2))
    lines = {node.name: node.origin.line for node in graph.nodes if node.primitive}
    assert lines == {"sin": first + 1, "multiply": first + 2, "sum": first + 2}


def test_a_backward_pass_has_the_lines_of_the_forward_pass():
    def f(x):
        y = torch.sin(x)
        return (y * y).sum()

    first = f.__code__.co_firstlineno
    graph = symtape.record(symtape.from_torch(torch.func.grad(f)), np.ones(2))
    assert {(n.name, n.origin.line) for n in graph.nodes if n.primitive} >= {
        ("cos", first + 1),
        ("multiply", first + 2),
    }


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * torch.square(x) * g


def test_the_backward_of_a_function_of_the_user_has_its_own_lines():
    graph = symtape.record(
        symtape.from_torch(lambda x: torch.autograd.grad(Cube.apply(x), x)[0]), 2.0
    )
    line = Cube.backward.__code__.co_firstlineno + 3
    assert {n.origin.line for n in graph.nodes if n.name == "square"} == {line}
    np.testing.assert_allclose(graph.evaluate(3.0)[0], 27.0)


def test_a_module_is_a_function_of_its_input():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.LayerNorm(4), torch.nn.Linear(4, 1)
    ).double()
    program = symtape.from_torch(model)
    x = np.array([0.3, -0.2, 0.9])
    np.testing.assert_allclose(symtape.record(program, x).evaluate(x)[0], program(x), rtol=1e-13)
    np.testing.assert_allclose(
        symtape.jacobian(program)(x),
        symtape.from_torch(torch.func.jacrev(model))(x),
        rtol=1e-12,
    )


@pytest.mark.parametrize("kind", [torch.nn.RNN, torch.nn.GRU, torch.nn.LSTM])
def test_recurrent_modules(kind):
    torch.manual_seed(0)
    model = kind(2, 3).double()
    program = symtape.from_torch(lambda x: model(x)[0])
    x = np.linspace(-1, 1, 8).reshape(4, 2)
    np.testing.assert_allclose(symtape.record(program, x).evaluate(x)[0], program(x), rtol=1e-12)


@pytest.mark.parametrize(
    "transform",
    [
        *(torch.func.grad, torch.func.jacrev, torch.func.jacfwd, torch.func.hessian),
        lambda f: lambda x: torch.func.vmap(torch.func.grad(f))(torch.stack([x, 2 * x])),
        lambda f: lambda x: torch.func.jvp(f, (x,), (torch.ones_like(x),))[1],
        lambda f: lambda x: torch.func.vjp(f, x)[1](torch.ones((), dtype=x.dtype))[0],
        lambda f: torch.func.grad(lambda x: torch.func.grad(f)(x).square().sum()),
        lambda f: lambda x: torch.autograd.functional.hessian(f, x),
    ],
)
def test_transforms_are_read(transform):
    def f(x):
        return (torch.tanh(x) * torch.exp(-x[0])).sum()

    program = symtape.from_torch(transform(f))
    x = np.array([0.3, -0.7])
    graph = symtape.record(program, x)
    np.testing.assert_allclose(graph.evaluate(x)[0], program(x), rtol=1e-12, atol=1e-15)
    assert not graph.escapes


def test_a_gradient_may_be_left_in_the_leaf():
    def leaves_it(x):
        (x.sin() * x).sum().backward()

    def returns_it(x):
        x = x.detach().clone().requires_grad_()
        (x.sin() * x).sum().backward()
        return x.grad

    x = np.array([0.5, 2.0])
    wanted = np.sin(x) + x * np.cos(x)
    for function in (leaves_it, returns_it):
        program = symtape.from_torch(function)
        np.testing.assert_allclose(program(x), wanted)
        np.testing.assert_allclose(symtape.record(program, x).evaluate(x)[0], wanted)


def test_inputs_have_gradients_where_they_are_asked_for():
    program = symtape.from_torch(lambda x: torch.autograd.grad((x**3).sum(), x)[0])
    np.testing.assert_allclose(program(np.array([1.0, 2.0])), [3.0, 12.0])


def test_an_unused_argument_has_a_gradient_of_zeros():
    def gradient(x, y):
        return torch.autograd.grad((x**2).sum(), (x, y), allow_unused=True)

    program = symtape.from_torch(gradient)
    assert [part.tolist() for part in program(np.ones(2), np.ones(3))] == [[2, 2], [0, 0, 0]]


def test_what_is_detached_is_a_constant():
    f = symtape.from_torch(lambda x: x * x.detach())
    np.testing.assert_allclose(symtape.grad(f)(3.0), 3.0)


def test_a_program_that_is_always_the_same_runs_without_torch_from_the_third_time_on():
    calls = []

    def f(x):
        calls.append(1)
        return torch.sin(x).sum()

    program = symtape.from_torch(f)
    for k in range(5):
        graph = symtape.record(program, np.array([0.1 * k, 1.0]))
        assert [node.name for node in graph.nodes] == ["input", "sin", "sum"]
        assert all(node.origin.file == __file__ for node in graph.nodes if node.primitive)
    assert len(calls) == 2
    symtape.record(program, np.ones(3))
    assert len(calls) == 3


def test_a_program_that_changes_is_read_each_time():
    counter = iter(range(1, 100))
    program = symtape.from_torch(lambda x: x * next(counter))
    seen = [float(symtape.record(program, float(k)).evaluate(1.0)[0]) for k in range(4)]
    assert seen == [1, 2, 3, 4]


def test_symtape_differentiates_it_twice():
    f = symtape.from_torch(lambda x: (x**3).sum() * torch.exp(x[0]))
    reference = symtape.from_torch(torch.func.hessian(f.function))
    x = np.array([0.3, 1.2])
    np.testing.assert_allclose(symtape.hessian(f)(x), reference(x), rtol=1e-12)


def test_what_cannot_be_read_is_named_with_its_line():
    def f(x):
        return torch.fft.fft(x).abs().sum()

    with pytest.raises(Unreadable) as caught:
        symtape.record(symtape.from_torch(f), np.ones(4))
    words = str(caught.value)
    assert "_fft_r2c" in words
    assert f"{__file__}:{f.__code__.co_firstlineno + 1}" in words
    assert "evidence='sampled'" in words


def test_an_operation_of_a_library_is_not_taken_for_one_of_torch():
    @torch.library.custom_op("symtape_tests::sin", mutates_args=())
    def sin(x: torch.Tensor) -> torch.Tensor:
        return x * x + 1

    with pytest.raises(Unreadable, match=r"symtape_tests\.sin"):
        symtape.record(symtape.from_torch(sin), np.ones(2))


@pytest.mark.parametrize(
    "draw",
    [
        torch.bernoulli,
        lambda x: torch.normal(x, 1.0),
        lambda x: torch.native_dropout(x, 0.5, True)[0],
        lambda x: torch.nn.functional.rrelu(x, training=True),
    ],
)
def test_what_draws_random_numbers_is_refused(draw):
    with pytest.raises(Unreadable, match="it draws random numbers"):
        symtape.record(symtape.from_torch(draw), np.full(2, 0.5))


def test_formats_that_numpy_has_not_are_refused():
    f = symtape.from_torch(lambda x: x.to(torch.bfloat16).sum())
    with pytest.raises(Unreadable, match="bfloat16"):
        symtape.record(f, np.ones(2))


def test_only_functions_are_taken():
    with pytest.raises(TypeError, match="from_torch takes a function"):
        symtape.from_torch(3)
