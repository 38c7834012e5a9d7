"""Code that asks for the type of a value takes the branch of plain arrays, wherever it lies."""

from __future__ import annotations

import functools
import types

import numpy as np
import pytest

import symtape

X = np.array([1.0, 2.0])


def asks(x):
    return np.sum(x**2) if type(x) is np.ndarray else np.sum(x)


class Model:
    kind_of = type

    def loss(self, x):
        return asks(x)

    @property
    def asked(self):
        return type

    def __call__(self, x):
        return asks(x)


MODEL, TABLE, MODELS = Model(), {"asks": asks}, [Model()]
NAMESPACE = types.SimpleNamespace(model=MODEL, kind_of=type)
MODULE = types.ModuleType("asking")
MODULE.asks = asks
PARTIAL = functools.partial(asks)
kind_of = type


def closed_over(kind=type):
    return lambda x: np.sum(x**2) if kind(x) is np.ndarray else np.sum(x)


FUNCTIONS = {
    "itself": asks,
    "helper": lambda x: asks(x),
    "method": lambda x: MODEL.loss(x),
    "bound method": MODEL.loss,
    "callable object": lambda x: MODEL(x),
    "dict": lambda x: TABLE["asks"](x),
    "object in a list": lambda x: MODELS[0].loss(x),
    "object in an object": lambda x: NAMESPACE.model.loss(x),
    "module": lambda x: MODULE.asks(x),
    "partial": lambda x: PARTIAL(x),
    "alias": lambda x: np.sum(x**2) if kind_of(x) is np.ndarray else np.sum(x),
    "alias in a class": lambda x: np.sum(x**2) if Model.kind_of(x) is np.ndarray else np.sum(x),
    "alias in an object": lambda x: (
        np.sum(x**2) if NAMESPACE.kind_of(x) is np.ndarray else np.sum(x)
    ),
    "property": lambda x: np.sum(x**2) if MODEL.asked(x) is np.ndarray else np.sum(x),
    "closure": closed_over(),
    "class": lambda x: np.sum(x**2) if x.__class__ is np.ndarray else np.sum(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_is_that_of_plain_arrays(name):
    np.testing.assert_array_equal(symtape.grad(FUNCTIONS[name])(X), 2.0 * X)
