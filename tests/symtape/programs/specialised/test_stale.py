"""Whatever a function reads, in whatever way: when it changes, no program of before answers."""

from __future__ import annotations

import collections
import contextvars
import functools
import importlib
import operator
import os
import sys
import types
import weakref

import numpy as np
import pytest

import symtape
from symtape.errors import NotTraceable
from symtape.programs.specialised.contents import check_array
from symtape.programs.specialised.observer import observe

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


class Asked:
    @property
    def of_property(self):
        return FACTOR["k"]

    @staticmethod
    def of_static():
        return FACTOR["k"]

    @classmethod
    def of_class(cls):
        return FACTOR["k"]


class Kind(type):
    @property
    def k(cls):
        return FACTOR["k"]


class OfKind(metaclass=Kind):
    pass


def subclassed(kind, *given):
    made = type(f"A{kind.__name__}", (kind,), {})(*given)
    made.k = 3.0
    return made


FACTOR, ASKED = {"k": 3.0}, Asked()
A_FLOAT, A_TEXT, A_LIST = subclassed(float, 1.0), subclassed(str, "a"), subclassed(list)
AN_ARRAY = subclassed(np.ndarray, (1,))
MADE = collections.defaultdict(lambda: FACTOR["k"])
TAKE = operator.attrgetter("k")
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


PARTIALS, ORDERED = [PARTIAL], {"first": 3.0, "second": 4.0}
WITH_ARRAY = types.SimpleNamespace(held=np.array([3.0]))


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
    "property": (lambda x: np.sum(ASKED.of_property * x), lambda: FACTOR.update(k=4.0)),
    "static method": (lambda x: np.sum(ASKED.of_static() * x), lambda: FACTOR.update(k=4.0)),
    "class method": (lambda x: np.sum(Asked.of_class() * x), lambda: FACTOR.update(k=4.0)),
    "property of a class": (lambda x: np.sum(OfKind.k * x), lambda: FACTOR.update(k=4.0)),
    "attribute of a float": (lambda x: np.sum(A_FLOAT.k * x), lambda: setattr(A_FLOAT, "k", 4.0)),
    "attribute of a text": (lambda x: np.sum(A_TEXT.k * x), lambda: setattr(A_TEXT, "k", 4.0)),
    "attribute of a list": (lambda x: np.sum(A_LIST.k * x), lambda: setattr(A_LIST, "k", 4.0)),
    "attribute of an array": (
        lambda x: np.sum(AN_ARRAY.k * x),
        lambda: setattr(AN_ARRAY, "k", 4.0),
    ),
    "default factory": (
        lambda x: np.sum(MADE["new"] * x),
        lambda: (FACTOR.update(k=4.0), MADE.clear()),
    ),
    "attrgetter": (lambda x: np.sum(TAKE(A_LIST) * x), lambda: setattr(A_LIST, "k", 4.0)),
    "partial in a list": (
        lambda x: PARTIALS[0](x),
        lambda: PARTIAL.keywords.update(k=4.0),
    ),
    "order of a dict": (
        lambda x: np.sum(next(iter(ORDERED.values())) * x),
        lambda: ORDERED.update(first=ORDERED.pop("first")),
    ),
    "array in an object": (
        lambda x: np.sum(WITH_ARRAY.held[0] * x),
        lambda: WITH_ARRAY.held.fill(4.0),
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
    A_FLOAT.k = A_TEXT.k = A_LIST.k = AN_ARRAY.k = FACTOR["k"] = 3.0
    MADE.clear()
    WITH_ARRAY.held.fill(3.0)
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


PACKAGE = """
import numpy as np
from installed_for_a_test import config

K, ARRAY, IN_DICT = 3.0, np.array([3.0]), {"k": 3.0}

class Settings:
    k = 3.0

SETTINGS = Settings()

def of_global(x): return np.sum(K * x)
def of_array(x): return np.sum(ARRAY[0] * x)
def of_dict(x): return np.sum(IN_DICT["k"] * x)
def of_module(x): return np.sum(config.K * x)
def of_class(x): return np.sum(Settings.k * x)
def of_object(x): return np.sum(SETTINGS.k * x)
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages" / "installed_for_a_test"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(PACKAGE, encoding="utf-8")
    (folder / "config.py").write_text("K = 3.0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder.parent))
    yield importlib.import_module("installed_for_a_test")
    for name in [name for name in sys.modules if name.startswith("installed_for_a_test")]:
        del sys.modules[name]


OF_PACKAGE = {
    "global": lambda package: setattr(package, "K", 4.0),
    "array": lambda package: package.ARRAY.fill(4.0),
    "dict": lambda package: package.IN_DICT.update(k=4.0),
    "module": lambda package: setattr(package.config, "K", 4.0),
    "class": lambda package: setattr(package.Settings, "k", 4.0),
    "object": lambda package: setattr(package.SETTINGS, "k", 4.0),
}


@pytest.mark.parametrize("name", OF_PACKAGE)
def test_what_changes_in_an_installed_package_is_recorded_again(name, package):
    function = getattr(package, f"of_{name}")
    compiled = [symtape.jit(symtape.grad(f)) for f in (function, lambda x: function(x))]
    for one in compiled:
        np.testing.assert_array_equal(one(X), [3.0, 3.0])
    OF_PACKAGE[name](package)
    for one in compiled:
        np.testing.assert_array_equal(one(X), [4.0, 4.0])


def test_an_array_that_got_another_shape_is_recorded_again():
    held = np.array([[1.0, 2.0], [3.0, 4.0]])
    compiled = symtape.jit(lambda x: np.sum(held[0] * x[: held.shape[1]]))
    assert compiled(X) == 5.0
    held = held.reshape(4, 1)
    assert compiled(X) == 1.0


class Model:
    rate = 3.0

    def __init__(self, dt):
        self.dt = dt

    def step(self, x):
        return x + self.dt * self.rate * x


def make_steps(x, count):
    model = Model(0.1)
    for _ in range(count):
        x = model.step(x)
    return np.sum(x)


def test_what_an_array_gives_is_watched_with_it_or_of_the_function():
    table = np.arange(12.0).reshape(3, 4)
    window = table[1:, :2]

    def own(x):
        copied = table.copy()
        copied[0, 0] = x
        picked = table[[0, 2]]
        picked[1, 1] = 2 * x
        return np.sum(copied) * np.sum(picked)

    looks = [
        lambda x: x * table.T[2, 1],
        lambda x: x * table.ravel()[6],
        lambda x: x * window.base[6],
    ]
    for f in (own, *looks):
        compiled = symtape.jit(f)
        assert [compiled(x) for x in (2.0, 3.0)] == [f(x) for x in (2.0, 3.0)]
        table[1, 2] += 1.0
        assert compiled(2.0) == f(2.0)


TABLE = {"a": 2.0, "b": [3.0, 4.0, [5.0]], "c": np.arange(4.0)}
NAMED = collections.namedtuple("Named", "a b")(1.0, [2.0])
ASKED_OFTEN = {
    "items": lambda: [value for _, value in TABLE.items()],
    "keys": lambda: sorted(TABLE.keys()),
    "a copy": lambda: TABLE.copy()["b"],
    "a slice": lambda: TABLE["b"][1:],
    "neighbours": lambda: [*zip(TABLE["b"], TABLE["b"][1:], strict=False)],
    "a view": lambda: TABLE["c"][1:],
    "a field": lambda: NAMED.b[0],
    "a method of a list": lambda: TABLE["b"].index(4.0),
}


def test_what_is_asked_often_is_noted_once():
    few, many = (observe(make_steps, X, count)[0] for count in (3, 300))
    assert len(few._checks) == len(many._checks)


@pytest.mark.parametrize("name", ASKED_OFTEN)
def test_what_is_shown_anew_each_time_is_compared_once(name):
    ask = ASKED_OFTEN[name]

    def run(x, count):
        for _ in range(count):
            ask()
        return np.sum(x)

    few, many = (observe(run, X, count)[0] for count in (3, 30))
    assert len(few._checks) == len(many._checks)


LAYOUTS = {
    "of one axis": np.arange(6.0),
    "of two": np.arange(6.0).reshape(2, 3),
    "turned": np.arange(6.0).reshape(2, 3).T,
    "with steps": np.arange(12.0)[::2],
    "of no axis": np.array(1.0),
    "of integers": np.arange(6),
    "of truths": np.arange(6) > 2,
    "of complex numbers": np.arange(6) * 1j,
    "of another byte order": np.arange(6.0).astype(">f8"),
    "of long doubles": np.arange(6).astype("g"),
    "of text": np.array(["a", "bc"]),
    "of dates": np.array(["2020-01-01"], "M8[D]"),
    "of records": np.zeros(3, "f8,i4"),
    "masked": np.ma.array([1.0, 2.0], mask=[False, True]),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_an_array_is_as_it_was_until_one_element_is_another(name):
    array = LAYOUTS[name].copy(order="K")
    is_unchanged = check_array(array)
    assert is_unchanged()
    at = (0,) * array.ndim
    before = array.copy()  # padding of its elements included
    array[at] = np.zeros((), array.dtype)[()] if array[at] else np.ones((), array.dtype)[()]
    assert not is_unchanged()
    array[...] = before
    assert is_unchanged()
