"""The layers and activations that the autodiff guides use, on tapes and plain arrays alike."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import PRIMITIVES
from symtape.recording.structure import flatten
from symtape.recording.tensor import Tensor, constant
from symtape.recording.variable import Variable

__all__ = [
    "BatchNormalization",
    "Dense",
    "Module",
    "Sequential",
    "elu",
    "relu",
    "sigmoid",
    "softmax",
    "softplus",
    "tanh",
]

_layers_made: Final = itertools.count()


def relu(x: Any) -> Any:
    """max(x, 0), with derivative 0 at 0 as in TensorFlow; any shape.

    Examples
    --------
    >>> import numpy as np
    >>> relu(np.array([-1.0, 2.0]))
    array([0., 2.])
    """
    return np.where(x <= 0, 0, x)


def elu(x: Any) -> Any:
    """X where positive, exp(x) - 1 elsewhere; any shape.

    Source
    ------
    Clevert, Unterthiner & Hochreiter, ICLR 2016, with alpha = 1.
    """
    return np.where(x > 0, x, np.expm1(np.where(x > 0, 0, x)))


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)), accurate in both tails; any shape.

    Examples
    --------
    >>> import symtape
    >>> sigmoid(0.0)
    np.float64(0.5)
    """
    import symtape.primitives.special  # noqa: F401  # declares expit; SciPy is loaded late

    return PRIMITIVES["expit"](x)


def softplus(x: Any) -> Any:
    """log(1 + exp(x)) without overflow; any shape."""
    return np.logaddexp(x, 0.0)


def tanh(x: Any) -> Any:
    """Hyperbolic tangent; any shape."""
    return np.tanh(x)


def softmax(x: Any, axis: int = -1) -> Any:
    """exp(x) / sum(exp(x)) along `axis`, without overflow."""
    from symtape.scipy.special import softmax as stable

    return stable(x, axis=axis)


_ACTIVATIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "relu": relu,
    "elu": elu,
    "sigmoid": sigmoid,
    "softplus": softplus,
    "softmax": softmax,
    "tanh": tanh,
    "linear": lambda x: x,
}


def _activation(chosen: str | Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    if chosen is None:
        return _ACTIVATIONS["linear"]
    if callable(chosen):
        return chosen
    if chosen not in _ACTIVATIONS:
        raise ValueError(
            f"activation={chosen!r}; expected a callable or one of {', '.join(_ACTIVATIONS)}"
        )
    return _ACTIVATIONS[chosen]


class Module:
    """Gathers the variables of its attributes, in the order in which they were set.

    Examples
    --------
    >>> import symtape
    >>> class Line(Module):
    ...     def __init__(self):
    ...         self.slope = symtape.Variable(2.0, name="slope")
    ...     def __call__(self, x):
    ...         return self.slope * x
    >>> [v.name for v in Line().trainable_variables]
    ['slope:0']
    """

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Every variable of this module and of the modules in it."""
        return tuple({id(v): v for v in self._walk(set())}.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of :attr:`variables` that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    def _walk(self, seen: set[int]) -> Iterator[Variable]:
        if id(self) in seen:
            return
        seen.add(id(self))
        for attribute in vars(self).values():
            for leaf in flatten(attribute):
                if isinstance(leaf, Variable):
                    yield leaf
                elif isinstance(leaf, Module):
                    yield from leaf._walk(seen)


class Dense(Module):
    """A fully connected layer, ``activation(x @ kernel + bias)``.

    Its weights are made at the first call: the kernel drawn by Glorot's uniform rule, the bias
    zero, both of the dtype of the input.

    Parameters
    ----------
    units : int
        Length of the output's last axis.
    activation : callable or str, optional
        Applied to each element; one of the functions of this module by its name.
    use_bias : bool
    seed : int, optional
        Of the kernel. By default layers get the seeds 0, 1, ... in the order they are made.
    name : str
        Prefix of the variables' names.

    Source
    ------
    Glorot & Bengio, AISTATS 2010, for the kernel's range.

    Examples
    --------
    >>> import numpy as np
    >>> layer = Dense(2, activation="relu")
    >>> layer(np.ones((1, 3))).shape
    (1, 2)
    >>> [(v.name, v.shape) for v in layer.trainable_variables]
    [('dense/kernel:0', (3, 2)), ('dense/bias:0', (2,))]
    """

    def __init__(
        self,
        units: int,
        activation: str | Callable[[Any], Any] | None = None,
        use_bias: bool = True,
        seed: int | None = None,
        name: str = "dense",
    ) -> None:
        if not isinstance(units, int) or units < 1:
            raise ValueError(f"units={units!r}; expected a positive int")
        self.units = units
        self.activation = _activation(activation)
        self.use_bias = use_bias
        self.name = name
        self._seed = next(_layers_made) if seed is None else seed
        self.kernel: Variable | None = None
        self.bias: Variable | None = None

    def build(self, length: int, dtype: Any = np.float64) -> None:
        """Make the weights for inputs whose last axis has `length`."""
        limit = np.sqrt(6 / (length + self.units))
        draw = np.random.default_rng(self._seed).uniform(-limit, limit, (length, self.units))
        self.kernel = Variable(draw.astype(dtype), name=f"{self.name}/kernel")
        if self.use_bias:
            self.bias = Variable(np.zeros(self.units, dtype), name=f"{self.name}/bias")

    def __call__(self, x: Any) -> Any:
        """Apply the layer to `x` of shape (..., length)."""
        x = _to_floating(x)
        if self.kernel is None:
            self.build(x.shape[-1], x.dtype)
        assert self.kernel is not None
        y = x @ self.kernel
        return self.activation(y if self.bias is None else y + self.bias)


def _to_floating(x: Any) -> Any:
    x = x if isinstance(x, Tensor | np.ndarray) else constant(x)
    return x if x.dtype.kind == "f" else x.astype(np.float64)


class BatchNormalization(Module):
    """Standardise each feature over the batch, then scale and shift it.

    Parameters
    ----------
    momentum : float
        Of the moving mean and variance, which are used when not training.
    epsilon : float
        Added to the variance.
    name : str
        Prefix of the variables' names.

    Source
    ------
    Ioffe & Szegedy, ICML 2015, algorithm 1.
    """

    def __init__(
        self, momentum: float = 0.99, epsilon: float = 1e-3, name: str = "batch_normalization"
    ) -> None:
        self.momentum = momentum
        self.epsilon = epsilon
        self.name = name
        self.gamma: Variable | None = None
        self.beta: Variable | None = None
        self.moving_mean: Variable | None = None
        self.moving_variance: Variable | None = None

    def build(self, length: int, dtype: Any = np.float64) -> None:
        """Make the weights for inputs whose last axis has `length`."""
        ones, zeros = np.ones(length, dtype), np.zeros(length, dtype)
        self.gamma = Variable(ones, name=f"{self.name}/gamma")
        self.beta = Variable(zeros, name=f"{self.name}/beta")
        self.moving_mean = Variable(zeros, False, f"{self.name}/moving_mean")
        self.moving_variance = Variable(ones, False, f"{self.name}/moving_variance")

    def __call__(self, x: Any, training: bool = False) -> Any:
        """Apply the layer to `x` of shape (..., length)."""
        x = _to_floating(x)
        if self.gamma is None:
            self.build(x.shape[-1], x.dtype)
        assert self.gamma is not None
        assert self.beta is not None
        assert self.moving_mean is not None
        assert self.moving_variance is not None
        if training:
            axes = tuple(range(x.ndim - 1))
            mean, variance = np.mean(x, axis=axes), np.var(x, axis=axes)
            self._move(self.moving_mean, mean)
            self._move(self.moving_variance, variance)
        else:
            mean, variance = self.moving_mean, self.moving_variance
        return (x - mean) / np.sqrt(variance + self.epsilon) * self.gamma + self.beta

    def _move(self, average: Variable, value: Any) -> None:
        value = value._value if isinstance(value, Tensor) else value
        average.assign(average._value * self.momentum + value * (1 - self.momentum))


class Sequential(Module):
    """Layers applied one after another."""

    def __init__(self, *layers: Callable[[Any], Any]) -> None:
        self.layers = list(layers)

    def __call__(self, x: Any) -> Any:
        """Apply every layer in turn."""
        for layer in self.layers:
            x = layer(x)
        return x
