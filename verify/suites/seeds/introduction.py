"""Programs of the guide "Introduction to gradients and automatic differentiation"."""

from __future__ import annotations

from typing import Any

import numpy as np

import symtape
from symtape import nn
from verify.model.figures import Lines, Plot
from verify.suites.problem import program

__all__ = ()

Array = Any

_ROW = np.array([[1.0, 2.0, 3.0]])
_KERNEL = ((0.5, -0.25), (1.25, 0.75), (-0.375, 0.625))
_BIAS = (0.125, -0.5)
_AXIS = np.linspace(-10.0, 10.0, 201)


@program("square", "x squared", (3.0,))
def square(x: Array) -> Array:
    """The square of x."""
    return x**2


@program("linear-layer", "Loss of a linear layer", (_KERNEL, _BIAS))
def linear_loss(w: Array, b: Array) -> Array:
    """Mean square of a linear layer's output."""
    return np.mean((_ROW @ w + b) ** 2)


def dense_loss(kernel: Array, bias: Array) -> Array:
    """Mean square of a dense layer's output, with relu."""
    return np.mean(nn.relu(_ROW @ kernel + bias) ** 2)


@program("dense-layer", "Loss of a dense model, by its variables", (_KERNEL, _BIAS), of=dense_loss)
def dense_loss_by_variables(kernel: Array, bias: Array) -> tuple[Array, ...]:
    """The gradient of a model's loss by its trainable variables."""
    layer = nn.Dense(2, activation="relu")
    layer(_ROW)
    for variable, value in zip(layer.trainable_variables, (kernel, bias), strict=True):
        variable.assign(value)
    with symtape.GradientTape() as tape:
        loss = np.mean(layer(_ROW) ** 2)
    return tuple(g.numpy() for g in tape.gradient(loss, layer.trainable_variables))


def sum_of_squares(x0: Array) -> Array:
    """Three squares, of which only the first can move."""
    return x0**2 + 3.0**2 + 3.0**2


@program("watched-variables", "Only the trainable variable counts", (3.0,), of=sum_of_squares)
def sum_of_squares_by_variable(x0: Array) -> Array:
    """What a tape watches of itself: the trainable variable and nothing else."""
    trainable = symtape.Variable(x0)
    fixed = symtape.Variable(3.0, trainable=False)
    tensor = symtape.Variable(2.0) + 1.0
    with symtape.GradientTape() as tape:
        y = trainable**2 + fixed**2 + tensor**2
    return tape.gradient(y, trainable).numpy()


@program("watched-tensor", "A tensor that is watched", (3.0,), of=square)
def square_watched(x: Array) -> Array:
    """The answer of a tape that was told to watch a tensor."""
    source = symtape.constant(x)
    with symtape.GradientTape() as tape:
        tape.watch(source)
        y = square(source)
    return tape.gradient(y, source).numpy()


def sine_plus_softplus(x1: Array) -> Array:
    """A sum of which only the second term can move."""
    return np.sin(0.0) + nn.softplus(x1)


@program("watched-only", "Only what is watched counts", (10.0,), of=sine_plus_softplus)
def sine_plus_softplus_watched(x1: Array) -> Array:
    """The answer of a tape that watches only what it is told to watch."""
    x0, source = symtape.Variable(0.0), symtape.Variable(x1)
    with symtape.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(source)
        y = np.sum(np.sin(x0) + nn.softplus(source))
    return tape.gradient(y, source).numpy()


@program("intermediate", "By an intermediate result", (9.0,), of=square)
def square_by_intermediate(y: Array) -> Array:
    """The gradient of z = y*y by the intermediate result y = x*x."""
    x = symtape.constant(np.sqrt(y))
    with symtape.GradientTape() as tape:
        tape.watch(x)
        middle = x * x
        z = middle * middle
    return tape.gradient(z, middle).numpy()


def fourth_powers(x: Array) -> Array:
    """Sum of the fourth powers, as squares of squares."""
    y = x * x
    return np.sum(y * y)


def squares(x: Array) -> Array:
    """Sum of the squares."""
    return np.sum(x * x)


@program(
    "persistent-fourth-power", "Persistent tape, first answer", ([1.0, 3.0],), of=fourth_powers
)
def fourth_power_persistent(x: Array) -> Array:
    """The first of two answers of a persistent tape."""
    return _persistent(x)[0]


@program("persistent-square", "Persistent tape, second answer", ([1.0, 3.0],), of=squares)
def square_persistent(x: Array) -> Array:
    """The second of two answers of a persistent tape."""
    return _persistent(x)[1]


def _persistent(x: Array) -> tuple[Array, Array]:
    source = symtape.constant(x)
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch(source)
        y = source * source
        z = y * y
    return tape.gradient(z, source).numpy(), tape.gradient(y, source).numpy()


program("target-square", "First of two targets", (2.0,))(square)


@program("target-reciprocal", "Second of two targets", (2.0,))
def reciprocal(x: Array) -> Array:
    """One over x."""
    return 1 / x


def square_plus_reciprocal(x: Array) -> Array:
    """The sum that the gradient of two targets is the gradient of."""
    return x**2 + 1 / x


@program("two-targets", "Two targets at once", (2.0,), of=square_plus_reciprocal)
def gradient_of_two_targets(x: Array) -> Array:
    """The gradient of a dictionary of targets."""
    source = symtape.Variable(x)
    with symtape.GradientTape() as tape:
        targets = {"y0": source**2, "y1": 1 / source}
    return tape.gradient(targets, source).numpy()


def two_multiples(x: Array) -> Array:
    """A scalar times a list, summed: the gradient of a vector is that of its sum."""
    return np.sum(x * [3.0, 4.0])


@program("vector-target", "A vector as target", (2.0,), of=two_multiples)
def two_multiples_as_vector(x: Array) -> Array:
    """The answer of a tape whose target is the vector."""
    source = symtape.Variable(x)
    with symtape.GradientTape() as tape:
        y = source * [3.0, 4.0]
    return tape.gradient(y, source).numpy()


def sigmoid_plot() -> list[Plot]:
    """The curve and its derivative."""
    x = symtape.constant(_AXIS)
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = nn.sigmoid(x)
    dy_dx = tape.gradient(y, x)
    curves = {"y": y.numpy(), "dy/dx": dy_dx.numpy()}
    return [
        Lines.from_arrays(
            "Sigmoid and its derivative, element by element", _AXIS, curves, x_label="x"
        )
    ]


@program("sigmoid-curve", "Sigmoid at 201 points", (_AXIS,), plots=sigmoid_plot)
def sigmoid_sum(x: Array) -> Array:
    """The logistic function of each element, summed: element by element its derivative."""
    return np.sum(nn.sigmoid(x))


@program("branches", "Both sides of an if", (1.0, 2.0, 2.0), (-1.0, 2.0, 2.0))
def branches(x: Array, v0: Array, v1: Array) -> Array:
    """One of two formulas, as the sign of x decides."""
    return v0 if x > 0.0 else v1**2


@program("while", "A while loop", (1.5,), (2.0,), (20.0,))
def power_until_large(x: Array) -> Array:
    """Powers of x until one exceeds 10: a loop whose length depends on the data."""
    y = x
    while y < 10.0:
        y = y * x
    return y


def increment(x: Array) -> Array:
    """One more than x."""
    return x + 1


@program("assigned-variable", "A variable moved by assignment", (3.0,), of=increment)
def increment_by_assignment(x: Array) -> Array:
    """The second round of a loop that moves its variable by assignment."""
    variable = symtape.Variable(x - 1.0)
    answers = []
    for _ in range(2):
        with symtape.GradientTape() as tape:
            y = variable + 1
        answers.append(tape.gradient(y, variable).numpy())
        variable.assign_add(1.0)
    return answers[1]


@program("numpy-mean", "A mean by NumPy", ([[1.0, 2.0], [3.0, 4.0]],))
def mean_of_means(x: Array) -> Array:
    """A mean that NumPy computes on the way: it is recorded."""
    return np.mean(np.mean(x**2, axis=0), axis=0)


@program("state", "By a variable's new state", (3.0,), of=square)
def square_of_state(x1: Array) -> Array:
    """The gradient by a variable whose state was assigned inside the tape."""
    moved, state = symtape.Variable(x1), symtape.Variable(0.0)
    with symtape.GradientTape() as tape:
        state.assign_add(moved)
        y = state**2
    return tape.gradient(y, state).numpy()


@program("contrast", "Contrast of an image", ([[[0.5, 0.0, 0.25]], [[0.25, 0.75, 1.0]]], 0.125))
def contrast(image: Array, delta: Array) -> Array:
    """The image adjustment that has no registered gradient, written with other operations."""
    mean = np.mean(image, axis=(0, 1), keepdims=True)
    return np.sum((image - mean) * delta * image + mean)


def ignore_x(x: Array, y: Array) -> Array:
    """Does not depend on x."""
    return y**2


@program("unconnected", "Zeros for what is not connected", ([2.0, 2.0], 3.0), of=ignore_x)
def unconnected_zero(x: Array, y: Array) -> tuple[Array, ...]:
    """The answer of a tape that is asked for zeros in place of None."""
    sources = [symtape.Variable(x), symtape.Variable(y)]
    with symtape.GradientTape() as tape:
        z = sources[1] ** 2
    zero = symtape.UnconnectedGradients.ZERO
    return tuple(g.numpy() for g in tape.gradient(z, sources, unconnected_gradients=zero))
