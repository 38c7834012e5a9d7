"""Objects of a package for the arguments of its constructors: layers of networks, and the like."""

import sys
from typing import TypedDict

import pytest

from verify.auditing.answers import read_answer
from verify.auditing.packages.instances import make_instance
from verify.auditing.packages.members import member
from verify.auditing.packages.pair import Unpaired
from verify.auditing.packages.parts import kinds_of_part
from verify.auditing.packages.spelling import spell_call
from verify.auditing.packages.walking import find_pairs
from verify.auditing.packages.work import PairWork

ACTIVATIONS = """
import numpy as np

class Activation:
    def forward(self, x):
        raise NotImplementedError

    def backward(self, grad):
        raise NotImplementedError

class Identity(Activation):
    def forward(self, x):
        return x

    def backward(self, grad):
        return grad

class Sine(Activation):
    def forward(self, x):
        self.x = x
        return np.sin(x)

    def backward(self, grad):
        return np.cos(self.x) * grad

class SoftStep(Activation):
    def __init__(self, steepness=1.5):
        self.steepness = steepness

    def forward(self, x):
        self.value = np.tanh(self.steepness * x)
        return self.value

    def backward(self, grad):
        return self.steepness * (1 - self.value**2) * grad
"""
NETWORKS = """
from collections.abc import Callable, Sequence

import numpy as np

from {name}.activations import Activation

class Dense:
    def __init__(self, n_in, n_out, activation):
        self.weights = np.linspace(-1, 1, n_in * n_out).reshape(n_in, n_out)
        self.activation = activation

    def forward(self, x):
        return self.activation.forward(x @ self.weights)

    def backward(self, grad):
        return {factor} * self.activation.backward(grad) @ self.weights.T

class Typed:
    def __init__(self, inner: Activation):
        self.inner = inner

    def forward(self, x):
        return self.inner.forward(x) ** 2

    def backward(self, grad):
        return {factor} * 2 * self.inner.backward(grad * self.inner.forward(self.inner.x))

class Sequential:
    def __init__(self, layers: "Sequence[Activation]"):
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, grad):
        for layer in reversed(self.layers):
            grad = {factor} * layer.backward(grad)
        return grad

class Applied:
    def __init__(self, activation, activation_derivative):
        self.activation = activation
        self.activation_derivative = activation_derivative

    def forward(self, x):
        self.x = x
        return self.activation(x)

    def backward(self, grad):
        return self.activation_derivative(self.x) * grad

class Nested:
    def __init__(self, network, loss):
        self.network = network

class Loss:
    def __init__(self, nested: Nested):
        self.nested = nested
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two modules; the name under which it can be imported."""

    def write(factor="1"):
        name = f"network_{abs(hash((factor, str(tmp_path)))) % 10**8}"
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        (tmp_path / name / "activations.py").write_text(ACTIVATIONS)
        text = NETWORKS.replace("{name}", name).replace("{factor}", factor)
        (tmp_path / name / "networks.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        return name

    yield write
    for name in [name for name in sys.modules if name.startswith("network_")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("kind", "argument", "made"),
    [
        ("Dense", "activation", "Sine"),
        ("Typed", "inner", "Sine"),
        ("Sequential", "layers", ["Sine", "SoftStep"]),
    ],
)
def test_arguments_are_given_what_the_package_makes(package, kind, argument, made):
    value = vars(make_instance(member(f"{package()}.networks", kind)))[argument]
    names = [type(each).__name__ for each in value] if made != "Sine" else type(value).__name__
    assert names == made


def test_objects_that_need_each_other_have_an_end(package):
    name = package()
    assert make_instance(member(f"{name}.networks", "Nested")).network == pytest.approx(1.3)
    assert isinstance(make_instance(member(f"{name}.networks", "Loss")).nested, float)


class Settings(TypedDict):
    steepness: float


class Tuned:
    pass


def test_a_typed_dictionary_is_no_class_of_parts():
    assert kinds_of_part(Tuned, "settings", Settings) == []


def test_a_script_makes_the_objects_too(package):
    made = make_instance(member(f"{package()}.networks", "Sequential"))
    spelled = spell_call(made.forward, ["x"], {"x": "{0}"})
    assert spelled.setup == ("instance = Sequential(layers=[Sine(), SoftStep()])",)
    assert [name for _, name in spelled.imports] == ["Sequential", "Sine", "SoftStep"]


@pytest.mark.long
@pytest.mark.parametrize(("factor", "verdict"), [("1", "CORRECT"), ("1.5", "WRONG")])
def test_what_takes_objects_is_judged(package, factor, verdict):
    found = find_pairs(f"{package(factor)}.networks", ["forward-backward"], jobs=0)
    answers = {
        pair.claim.partition(".")[0]: read_answer(PairWork(pair, effort=0.05).run(60.0))
        for pair in found.pairs
    }
    assert isinstance(answers.pop("Applied"), Unpaired), "no two functions belong together"
    assert {name: it.verdict.value for name, it in answers.items()} == dict.fromkeys(
        ("Dense", "Typed", "Sequential"), verdict
    )
