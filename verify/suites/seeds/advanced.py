"""Programs of the guide "Advanced automatic differentiation", up to its scalar Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

import symtape
from symtape import nn
from verify.model.figures import Lines, Plot
from verify.suites.problem import program

__all__ = ()

Array = Any

_FROZEN = 9.0
_AXIS = np.linspace(-10.0, 10.0, 201)


def square_plus_frozen(x: Array, y: Array) -> Array:
    """The square of x plus what y squared was; y cannot move."""
    return x**2 + _FROZEN


@program("stop-recording", "A tape that pauses", (2.0, 3.0), of=square_plus_frozen)
def differentiate_paused_tape(x: Array, y: Array) -> tuple[Array, ...]:
    """The answer of a tape that was paused while y was used."""
    sources = symtape.Variable(x), symtape.Variable(y)
    with symtape.GradientTape() as tape:
        x_squared = sources[0] * sources[0]
        with tape.stop_recording():
            y_squared = sources[1] * sources[1]
        z = x_squared + y_squared
    return _answers(tape, z, sources)


@program("reset", "A tape that begins again", (2.0, 3.0), of=square_plus_frozen)
def begun_again(x: Array, y: Array) -> tuple[Array, ...]:
    """The answer of a tape that was reset after y was used."""
    sources = symtape.Variable(x), symtape.Variable(y)
    with symtape.GradientTape() as tape:
        y_squared = sources[1] * sources[1]
        tape.reset()
        z = sources[0] * sources[0] + y_squared
    return _answers(tape, z, sources)


@program("stop-gradient", "A stopped gradient", (2.0, 3.0), of=square_plus_frozen)
def differentiate_past_stop_gradient(x: Array, y: Array) -> tuple[Array, ...]:
    """The answer past a stop_gradient."""
    sources = symtape.Variable(x), symtape.Variable(y)
    with symtape.GradientTape() as tape:
        z = sources[0] ** 2 + symtape.stop_gradient(sources[1] ** 2)
    return _answers(tape, z, sources)


def _answers(tape: Any, target: Any, sources: Any) -> tuple[Array, ...]:
    answers = tape.gradient(target, list(sources), unconnected_gradients="zero")
    return tuple(answer.numpy() for answer in answers)


@symtape.custom_gradient
def clip_gradients(y: Any) -> Any:
    """The identity, whose gradient is clipped to norm 0.5."""

    def backward(dy: Any) -> Any:
        return dy * (0.5 / np.maximum(np.sqrt(np.sum(dy * dy)), 0.5))

    return y, backward


def half_square(v: Array) -> Array:
    """Half of v squared: what an upstream gradient of 1, clipped to 0.5, belongs to."""
    return 0.5 * v * v


@program("clip-by-norm", "A gradient clipped by its norm", (2.0,), (-0.75,), of=half_square)
def square_clipped(v: Array) -> Array:
    """The answer through :func:`clip_gradients`."""
    return _gradient_through(lambda x: clip_gradients(x * x), v)


@symtape.custom_gradient
def round_keeping_gradient(x: Any) -> Any:
    """Rounds the value and leaves the gradient alone."""
    return np.round(x), lambda upstream: upstream


@symtape.custom_gradient
def clip_keeping_gradient(x: Any) -> Any:
    """Clips the value to [-1, 1] and leaves the gradient alone."""
    return np.clip(x, -1.0, 1.0), lambda upstream: upstream


def triple(x: Array) -> Array:
    """Three times x."""
    return 3.0 * x


@program("round", "A value rounded, its gradient kept", (0.4,), of=triple)
def triple_rounded(x: Array) -> Array:
    """The answer through :func:`round_keeping_gradient`."""
    return _gradient_through(lambda v: round_keeping_gradient(3.0 * v), x)


@program("clip-by-value", "A value clipped, its gradient kept", (0.4,), of=triple)
def triple_clipped(x: Array) -> Array:
    """The answer through :func:`clip_keeping_gradient`."""
    return _gradient_through(lambda v: clip_keeping_gradient(3.0 * v), x)


@symtape.custom_gradient
def log1pexp(x: Any) -> Any:
    """log(1 + exp(x)) with a gradient that survives large x."""
    e = np.exp(x)

    def backward(upstream: Any) -> Any:
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), backward


def softplus(x: Array) -> Array:
    """log(1 + exp(x))."""
    return nn.softplus(x)


@program(
    "log1pexp", "log(1 + exp(x)) with a stable gradient", (0.0,), (100.0,), (1e8,), of=softplus
)
def log1pexp_stable(x: Array) -> Array:
    """The answer through :func:`log1pexp`; its own value may overflow, its gradient not."""
    with np.errstate(over="ignore"):
        return _gradient_through(log1pexp, x)


@program(
    "log1pexp-plain", "log(1 + exp(x)) in float32, which overflows at 100", (np.float32(100.0),)
)
def log1pexp_plain(x: Array) -> Array:
    """log(1 + exp(x)) as it stands."""
    return np.log(1 + np.exp(x))


@symtape.custom_gradient
def own_product(x: Any, y: Any) -> Any:
    """A product with two gradients of its own."""
    return x * y, lambda upstream: (upstream * y, upstream * x)


def product(x: Array, y: Array) -> Array:
    """The product of x and y."""
    return x * y


@program("own-product", "A product with its own two gradients", (2.0, 3.0), of=product)
def product_by_own(x: Array, y: Array) -> tuple[Array, ...]:
    """The answer through :func:`own_product`."""
    sources = symtape.Variable(x), symtape.Variable(y)
    with symtape.GradientTape() as tape:
        z = own_product(*sources)
    return _answers(tape, z, sources)


def _gradient_through(program: Any, x: Array) -> Array:
    source = symtape.Variable(x)
    with symtape.GradientTape() as tape:
        y = program(source)
    return tape.gradient(y, source).numpy()


def sine_part(x0: Array) -> Array:
    """What the first of two tapes sees."""
    return np.sin(x0) + 0.5


def sigmoid_part(x1: Array) -> Array:
    """What the second of two tapes sees."""
    return nn.sigmoid(x1)


@program("two-tapes-first", "First of two tapes", (0.0,), of=sine_part)
def first_tape(x0: Array) -> Array:
    """The answer of the first of two tapes over one computation."""
    return _two_tapes(x0, 0.0)[0]


@program("two-tapes-second", "Second of two tapes", (0.0,), of=sigmoid_part)
def second_tape(x1: Array) -> Array:
    """The answer of the second of two tapes over one computation."""
    return _two_tapes(0.0, x1)[1]


def _two_tapes(x0: Array, x1: Array) -> tuple[Array, Array]:
    a, b = symtape.constant(x0), symtape.constant(x1)
    with symtape.GradientTape() as tape0, symtape.GradientTape() as tape1:
        tape0.watch(a)
        tape1.watch(b)
        total = np.sum(np.sin(a) + nn.sigmoid(b))
    return tape0.gradient(total, a).numpy(), tape1.gradient(total, b).numpy()


@program("cube", "x cubed", (1.0,))
def cube(x: Array) -> Array:
    """The third power of x."""
    return x * x * x


@program("nested-tapes", "A tape in a tape", (1.0,), of=cube, quantity="hessian")
def cube_twice(x: Array) -> Array:
    """The second derivative, by a tape inside a tape."""
    source = symtape.Variable(x)
    with symtape.GradientTape() as outer:
        with symtape.GradientTape() as inner:
            y = cube(source)
        slope = inner.gradient(y, source)
    return outer.gradient(slope, source).numpy()


def shifted_sigmoid_plot() -> list[Plot]:
    """The curve and its Jacobian by the scalar shift."""
    delta = symtape.Variable(0.0)
    with symtape.GradientTape() as tape:
        y = shifted_sigmoid(delta)
    curves = {"y": y.numpy(), "dy/dx": tape.jacobian(y, delta).numpy()}
    return [Lines.from_arrays("Sigmoid and its Jacobian by a shift", _AXIS, curves, x_label="x")]


@program(
    "scalar-source",
    "Jacobian by a scalar, 201 values",
    (0.0,),
    quantity="jacobian",
    plots=shifted_sigmoid_plot,
)
def shifted_sigmoid(delta: Array) -> Array:
    """The logistic function on an axis that delta shifts."""
    return nn.sigmoid(_AXIS + delta)
