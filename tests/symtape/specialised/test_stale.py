"""Whatever a function reads, in whatever way: when it changes, no program of before answers."""

from __future__ import annotations

import contextvars
import functools
import os
import types
import weakref

import numpy as np
import pytest

import symtape
from symtape.errors import NotTraceable

X = np.array([1.0, 2.0])


class Base:
    K = 3.0

    @classmethod
    def cubed(cls, x):
        return np.sum(cls.K * x)


class Derived(Base):
    def scaled(self, x):
        return np.sum(self.K * x)

    def of_super(self, x):
        return np.sum(super().K * x)


class Slotted:
    __slots__ = ("held",)

    def __init__(self):
        self.held = 3.0

    def __reduce__(self):
        raise TypeError


SETTINGS = types.ModuleType("settings")
SETTINGS.K = 3.0
IN_DICT, IN_LIST = {"kind": Base}, [SETTINGS]
NUMBERS, SLOTTED = bytearray(b"\3"), Slotted()
MEMORY, PROXY = memoryview(NUMBERS), types.MappingProxyType(vars(SETTINGS))
CHOSEN, REFERENCE = contextvars.ContextVar("CHOSEN"), weakref.ref(SETTINGS)


def by_default(x, k=3.0):
    return np.sum(k * x)


def by_keyword(x, *, k=3.0):
    return np.sum(k * x)


def of_itself(x):
    return np.sum(of_itself.k * x)


of_itself.k = 3.0


def first(x):
    return np.sum(3.0 * x)


def other(x):
    return np.sum(4.0 * x)


def replaceable(x):
    return np.sum(3.0 * x)


def largest(x):
    return np.sum(x) * abs(3.0)


PARTIAL = functools.partial(by_keyword, k=3.0)


CASES = {
    "class": (Base.cubed, lambda: setattr(Base, "K", 4.0)),
    "inherited": (Derived().scaled, lambda: setattr(Base, "K", 4.0)),
    "shadowed": (Derived().scaled, lambda: setattr(Derived, "K", 4.0)),
    "super": (Derived().of_super, lambda: setattr(Base, "K", 4.0)),
    "class in a dict": (
        lambda x: np.sum(IN_DICT["kind"].K * x),
        lambda: setattr(Base, "K", 4.0),
    ),
    "module in a list": (lambda x: np.sum(IN_LIST[0].K * x), lambda: setattr(SETTINGS, "K", 4.0)),
    "getattr": (
        lambda x: np.sum(getattr(SETTINGS, "K") * x),  # noqa: B009
        lambda: setattr(SETTINGS, "K", 4.0),
    ),
    "mapping": (lambda x: np.sum(PROXY["K"] * x), lambda: setattr(SETTINGS, "K", 4.0)),
    "weak reference": (
        lambda x: np.sum(REFERENCE().K * x),
        lambda: setattr(SETTINGS, "K", 4.0),
    ),
    "slots": (lambda x: np.sum(SLOTTED.held * x), lambda: setattr(SLOTTED, "held", 4.0)),
    "memory": (lambda x: np.sum(MEMORY[0] * x), lambda: NUMBERS.__setitem__(0, 4)),
    "context": (lambda x: np.sum(CHOSEN.get(3.0) * x), lambda: CHOSEN.set(4.0)),
    "environment": (
        lambda x: np.sum(float(os.environ.get("SYMTAPE_K", "3")) * x),
        lambda: os.environ.__setitem__("SYMTAPE_K", "4"),
    ),
    "default": (by_default, lambda: setattr(by_default, "__defaults__", (4.0,))),
    "keyword default": (by_keyword, lambda: by_keyword.__kwdefaults__.update(k=4.0)),
    "keyword defaults": (by_keyword, lambda: setattr(by_keyword, "__kwdefaults__", {"k": 4.0})),
    "of a helper": (
        lambda x: by_default(x),
        lambda: setattr(by_default, "__defaults__", (4.0,)),
    ),
    "partial": (PARTIAL, lambda: PARTIAL.keywords.update(k=4.0)),
    "attribute": (of_itself, lambda: setattr(of_itself, "k", 4.0)),
    "code": (replaceable, lambda: setattr(replaceable, "__code__", other.__code__)),
    "builtin": (largest, lambda: globals().__setitem__("abs", lambda x: 4.0)),
}


@pytest.fixture
def as_before():
    yield
    Base.K = SETTINGS.K = SLOTTED.held = of_itself.k = 3.0
    NUMBERS[0] = 3
    by_default.__defaults__, by_keyword.__kwdefaults__ = (3.0,), {"k": 3.0}
    PARTIAL.keywords["k"] = 3.0
    replaceable.__code__ = first.__code__
    os.environ.pop("SYMTAPE_K", None)
    globals().pop("abs", None)
    if "K" in vars(Derived):
        del Derived.K


@pytest.mark.parametrize("name", CASES)
def test_what_changed_is_recorded_again(name, as_before):
    function, change = CASES[name]
    context = contextvars.copy_context()
    compiled = symtape.jit(symtape.grad(function))
    np.testing.assert_array_equal(context.run(compiled, X), [3.0, 3.0])
    context.run(change)
    np.testing.assert_array_equal(context.run(compiled, X), [4.0, 4.0])


@pytest.mark.parametrize("how", ["eval", "globals"])
def test_what_nobody_can_watch_is_refused(how):
    kept = {
        "eval": lambda x: np.sum(eval("SETTINGS.K") * x),
        "globals": lambda x: np.sum(globals()["SETTINGS"].K * x),
    }
    with pytest.raises(NotTraceable, match=f"calls {how}, by which it may read"):
        symtape.jit(kept[how])(X)


def test_a_method_called_eval_is_none_of_them():
    polynomial = types.SimpleNamespace(eval=lambda x: np.sum(x * x))
    found = symtape.jit(symtape.grad(lambda x: polynomial.eval(x)))(X)
    np.testing.assert_array_equal(found, 2.0 * X)
