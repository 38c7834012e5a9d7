"""Layers and losses: right ones, wrong ones, and what is neither."""

import pytest

from verify.auditing.packages.pair import Unpaired

SOURCE = """
import numpy as np

class Base:
    def forward(self, x):
        raise NotImplementedError

    def backward(self, grad):
        raise NotImplementedError

class Bend(Base):
    def forward(self, x):
        self.out = np.tanh(x)
        return self.out

    def backward(self, grad):
        return {factor} * grad * (1 - self.out**2)

class Dense:
    def __init__(self, n_inputs, n_outputs):
        self.weights = np.linspace(-1, 1, n_inputs * n_outputs).reshape(n_inputs, n_outputs)
        self.grads = {}

    def __call__(self, inputs):
        self.inputs = inputs
        return inputs @ self.weights

    def backward(self, grad):
        self.grads["weights"] = self.inputs.T @ grad
        return {factor} * grad @ self.weights.T

class Shares(Base):
    def forward(self, inputs):
        powers = np.exp(inputs - np.max(inputs, axis=1, keepdims=True))
        self.output = powers / np.sum(powers, axis=1, keepdims=True)

    def backward(self, dvalues):
        sums = np.sum(dvalues * self.output, axis=1, keepdims=True)
        self.dinputs = {factor} * self.output * (dvalues - sums)

class Squares:
    def forward(self, y_true, y_pred):
        self.difference = y_pred - y_true
        return np.mean(self.difference**2)

    def backward(self):
        return {factor} * 2 * self.difference / self.difference.size

class Entropy:
    def forward(self, logits, labels):
        powers = np.exp(logits - np.max(logits, axis=-1, keepdims=True))
        self.shares = powers / np.sum(powers, axis=-1, keepdims=True)
        self.labels = labels
        return -np.sum(labels * np.log(self.shares)) / len(logits)

    def backward(self):
        return {factor} * (self.shares - self.labels) / len(self.labels)

class Late:
    def __init__(self):
        self.weights = None

    def forward_pass(self, inputs):
        if self.weights is None:
            self.weights = np.random.default_rng().normal(size=(inputs.shape[-1], 2))
        return inputs @ self.weights

    def backward_pass(self, grad):
        return {factor} * grad @ self.weights.T

class Levels:
    def __init__(self, channels):
        self.scale = np.arange(1.0, channels + 1)[:, None, None]

    def forward(self, x):
        if x.ndim != 4:
            raise ValueError("expected four axes")
        self.x = x
        return self.scale * x**3

    def backward(self, dout):
        return {factor} * 3 * self.scale * self.x**2 * dout
"""
CLAIMS = ("Bend", "Dense", "Shares", "Squares", "Entropy", "Late", "Levels")
OTHERS = """
import numpy as np

class Column:
    def forward(self, predictions, targets):
        self.difference = predictions - targets
        return 0.5 * np.mean(self.difference**2)

    def backward(self):
        return self.difference / len(self.difference)

class Last:
    def forward(self, x):
        return np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True)

    def backward(self, grad):
        return grad

class Local:
    def forward(self, x):
        return np.sin(x)

    def backward(self, x):
        return np.cos(x)

class Affine:
    def forward(self, x):
        self.x = x
        return x**2

    def backward(self, grad):
        return 2 * self.x * grad + 1
"""


def answers_of_classes(judge_pairs, text, factor="1"):
    answers = judge_pairs(text, ("forward-backward",), factor=factor)
    return {claim.partition(".")[0]: it for claim, it in answers.items()}


@pytest.mark.long
@pytest.mark.parametrize(("factor", "verdict"), [("1", "CORRECT"), ("1.5", "WRONG")])
def test_layers_and_losses_are_judged(judge_pairs, factor, verdict):
    given = answers_of_classes(judge_pairs, SOURCE, factor)
    assert isinstance(given.pop("Base"), Unpaired)
    assert {name: getattr(it, "verdict", it).value for name, it in given.items()} == dict.fromkeys(
        CLAIMS, verdict
    )


@pytest.mark.long
def test_what_is_meant_for_one_column_or_leaves_the_derivative_to_others_is_not_accused(
    judge_pairs,
):
    given = answers_of_classes(judge_pairs, OTHERS)
    assert set(given) == {"Column", "Last", "Affine"}
    assert given["Column"].verdict.value == "CORRECT"
    assert "passes on what it is given" in given["Last"].reason
    assert "no multiple of what it is given" in given["Affine"].reason
