"""Programs of the advanced guide that differentiate layers: Jacobians, Hessian, batches.

Weights are multiples of 1/64, drawn once; no pre-activation is near a kink.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import symtape
from symtape import nn
from verify.model.figures import HeatMap, Plot
from verify.suites.problem import program

__all__ = ()

Array = Any


def _draw(seed: int, *shape: int) -> Array:
    values = np.random.default_rng(seed).normal(size=shape)
    return np.round(64 * values) / 64


_BATCH = _draw(0, 7, 5)
_WIDE = _draw(1, 5, 10)
_HIDDEN = _draw(12, 5, 8) / 2
_OUTPUT = _draw(6, 8, 6) / 2
_SHIFT = np.zeros(10)
_DIRECTION = _draw(4, 5, 8)
_EPSILON = 1e-3


def input_gradient_norm(kernel: Array, bias: Array) -> Array:
    """Norm of the gradient by the inputs of a layer's squared output, written out."""
    slopes = 2 * nn.relu(_BATCH @ kernel + bias) @ kernel.T
    return np.sqrt(np.sum(slopes**2))


@program("input-gradient", "Input-gradient regularisation", (_WIDE, _SHIFT), of=input_gradient_norm)
def input_gradient_norm_by_tapes(kernel: Array, bias: Array) -> tuple[Array, ...]:
    """The same differentiated: an inner tape by the inputs, an outer one by the weights."""
    x = symtape.constant(_BATCH)
    layer = nn.Dense(10, activation=nn.relu)
    layer.build(5)
    for variable, value in zip(layer.trainable_variables, (kernel, bias), strict=True):
        variable.assign(value)
    with symtape.GradientTape() as outer:
        with symtape.GradientTape(watch_accessed_variables=False) as inner:
            inner.watch(x)
            total = np.sum(layer(x) ** 2)
        magnitude = np.linalg.norm(inner.gradient(total, x))
    return tuple(g.numpy() for g in outer.gradient(magnitude, layer.trainable_variables))


@program("layer-jacobian", "Jacobian of a layer", (_WIDE,), quantity="jacobian")
def wide_layer(kernel: Array) -> Array:
    """Output of a relu layer, (7, 10)."""
    return nn.relu(_BATCH @ kernel)


def wide_layer_sum(kernel: Array) -> Array:
    """Sum of the layer's outputs."""
    return np.sum(wide_layer(kernel))


@program("layer-gradient", "A Jacobian summed is the gradient", (_WIDE,), of=wide_layer_sum)
def wide_layer_summed_jacobian(kernel: Array) -> Array:
    """The Jacobian summed over the output's axes: the gradient of the sum."""
    source = symtape.Variable(kernel)
    with symtape.GradientTape() as tape:
        y = wide_layer(source)
    return np.sum(tape.jacobian(y, source), axis=(0, 1)).numpy()


def relu_loss(kernel: Array) -> Array:
    """Mean square of a two-layer relu network by the first kernel."""
    return np.mean(nn.relu(nn.relu(_BATCH @ kernel) @ _OUTPUT) ** 2)


def _gradient_and_hessian(kernel: Array) -> tuple[Array, Array]:
    source = symtape.Variable(kernel)
    with symtape.GradientTape() as outer:
        with symtape.GradientTape() as inner:
            loss = relu_loss(source)
        gradient = inner.gradient(loss, source)
    return gradient.numpy(), outer.jacobian(gradient, source).numpy()


def hessian_plot() -> list[Plot]:
    """The Hessian of the two-layer network as a 40 by 40 matrix."""
    matrix = _gradient_and_hessian(_HIDDEN)[1].reshape(40, 40)
    label = "entry of the first kernel"
    return [
        HeatMap.from_matrix("Hessian by the first kernel", matrix, x_label=label, y_label=label)
    ]


@program(
    "hessian",
    "Hessian of a two-layer network",
    (_HIDDEN,),
    of=relu_loss,
    quantity="hessian",
    plots=hessian_plot,
)
def relu_loss_nested(kernel: Array) -> Array:
    """The Hessian: a Jacobian of a gradient."""
    return _gradient_and_hessian(kernel)[1]


def _newton_point() -> tuple[Array, Array]:
    """The Hessian and gradient of the relu network by the last weights of the first kernel."""
    gradient, hessian = _gradient_and_hessian(_HIDDEN)
    return hessian.reshape(40, 40)[-5:, -5:], gradient.reshape(40)[-5:]


@program("newton-step", "A step of Newton's method", _newton_point(), quantity="jacobian")
def newton_step(hessian: Array, gradient: Array) -> Array:
    """The update of Newton's method, damped."""
    return np.linalg.solve(hessian + np.eye(len(gradient)) * _EPSILON, gradient)


def slope_along(kernel: Array) -> Array:
    """The loss's slope along a fixed direction, its gradient written out."""
    before = _BATCH @ kernel
    output = nn.relu(nn.relu(before) @ _OUTPUT)
    upstream = np.where(before > 0, 2 / output.size * output @ _OUTPUT.T, 0)
    return np.sum(_DIRECTION * (_BATCH.T @ upstream))


@program("hessian-vector", "Hessian-vector product", (_HIDDEN,), of=slope_along)
def hessian_vector_product(kernel: Array) -> Array:
    """The Hessian times the direction, by a tape in a tape; no Hessian is formed."""
    source = symtape.Variable(kernel)
    with symtape.GradientTape() as outer:
        with symtape.GradientTape() as inner:
            loss = relu_loss(source)
        slope = np.sum(inner.gradient(loss, source) * _DIRECTION)
    return outer.gradient(slope, source).numpy()


def arrange_patches(title: str, full: Any, x_label: str = "input") -> HeatMap:
    """Arrange a Jacobian as patches, so that independent rows show as diagonals.

    Parameters
    ----------
    full : (batch, outputs, batch, inputs)
        A Jacobian of batches.

    Examples
    --------
    >>> full = np.eye(6).reshape(3, 2, 3, 2)
    >>> len(arrange_patches("identity", full).rows), arrange_patches("identity", full).patch
    (6, (3, 3))
    """
    batch, outputs, _, inputs = full.shape
    matrix = np.transpose(full, (1, 0, 3, 2)).reshape(outputs * batch, inputs * batch)
    return HeatMap.from_matrix(
        title,
        matrix,
        x_label=x_label,
        y_label="output",
        patch=(batch, batch),
        extent=(-0.5, inputs - 0.5, outputs - 0.5, -0.5),
    )


def independent_plots() -> list[Plot]:
    """One slice, and all slices, of a Jacobian whose rows are independent."""
    full = symtape.jacobian(elu_network)(_BATCH)
    return [
        HeatMap.from_matrix(
            "A (batch, batch) slice", full[:, 0, :, 0], x_label="batch", y_label="batch"
        ),
        arrange_patches("All (batch, batch) slices are diagonal", full),
    ]


@program(
    "full-jacobian",
    "Full Jacobian of a batch",
    (_BATCH,),
    quantity="jacobian",
    plots=independent_plots,
)
def elu_network(x: Array) -> Array:
    """Two elu layers, (7, 5) to (7, 6); the rows are independent."""
    return nn.elu(nn.elu(x @ _HIDDEN) @ _OUTPUT)


@program(
    "batch-jacobian",
    "Batch Jacobian of independent rows",
    (_BATCH,),
    of=elu_network,
    quantity="jacobian",
)
def elu_network_by_rows(x: Array) -> Array:
    """The batch Jacobian, put back on the diagonal of the full one."""
    source = symtape.constant(x)
    with symtape.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(source)
        y = elu_network(source)
    rows = tape.batch_jacobian(y, source).numpy()
    full = np.zeros((7, 6, 7, 5))
    full[range(7), :, range(7), :] = rows
    return full


def normalised_plot() -> list[Plot]:
    """All slices of a Jacobian whose rows depend on each other."""
    full = symtape.jacobian(normalised_network)(_BATCH)
    return [
        arrange_patches("These slices are not diagonal", full, x_label="Don't use `batch_jacobian`")
    ]


@program(
    "normalised-jacobian",
    "Full Jacobian under batch normalisation",
    (_BATCH,),
    quantity="jacobian",
    plots=normalised_plot,
)
def normalised_network(x: Array) -> Array:
    """The same with the hidden layer normalised over the batch: the rows depend on each other."""
    return nn.elu(_normalise(nn.elu(x @ _HIDDEN)) @ _OUTPUT)


def _normalise(y: Array) -> Array:
    return nn.BatchNormalization()(y, training=True)


def normalised_batch_sum(x: Array) -> Array:
    """The outputs of the normalised network summed over the batch, (6,)."""
    return np.sum(normalised_network(x), axis=0)


@program(
    "normalised-batch-jacobian",
    "What a batch Jacobian means under batch normalisation",
    (_BATCH,),
    of=normalised_batch_sum,
    quantity="jacobian",
)
def normalised_batch_sum_by_rows(x: Array) -> Array:
    """What the batch Jacobian answers there: not the rows' own Jacobians, but those of the sum."""
    source = symtape.constant(x)
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch(source)
        y = normalised_network(source)
    return tape.batch_jacobian(y, source).numpy().transpose(1, 0, 2)
