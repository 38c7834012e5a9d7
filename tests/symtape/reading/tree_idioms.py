"""How programs hold their parameters and call their functions: each idiom with its point."""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import dataclasses
import functools
import itertools
import math
import operator
import types
import typing
from typing import Any

import numpy as np

W, X = np.array([0.5, -1.25]), np.array([0.75, 1.5])
IDIOMS: dict[str, tuple[Any, tuple[Any, ...]]] = {}


def idiom(name, *point):
    def add(function):
        IDIOMS[name] = function, point
        return function

    return add


def net():
    return [{"w": np.array([[0.5, -0.25], [1.0, 0.75]]), "b": W}, {"w": W, "b": 0.5}]


@idiom("layers in a list of dicts", net(), X)
def _layers(layers, x):
    *hidden, last = layers
    for layer in hidden:
        x = np.tanh(layer["w"] @ x + layer["b"])
    return last["w"] @ x + last["b"]


@dataclasses.dataclass(frozen=True)
class Oscillator:
    mass: float
    stiffness: float
    damping: float = 0.25
    steps: int = 3
    name: str = "mass on a spring"

    def energy(self, q, p):
        return p**2 / (2 * self.mass) + self.stiffness * q**2 / 2

    def stepped(self, q, p, h=0.125):
        p = p - h * (self.stiffness * q + self.damping * p)
        return q + h * p / self.mass, p


@idiom("a frozen dataclass with methods", Oscillator(2.0, 3.0), 0.5, 1.0)
def _oscillator(system, q, p):
    for _ in range(system.steps):
        q, p = system.stepped(q, p)
    return system.energy(q, p)


@idiom("a dataclass that is replaced", Oscillator(2.0, 3.0))
def _replaced(system):
    heavier = dataclasses.replace(system, mass=system.mass * 2, steps=1)
    return heavier.energy(0.5, heavier.damping)


@idiom("a dataclass as a dict and a tuple", Oscillator(2.0, 3.0))
def _taken_apart(system):
    parts = dataclasses.asdict(system)
    mass, stiffness, *_ = dataclasses.astuple(system)
    return parts["mass"] * stiffness + mass**2


class Model:
    def __init__(self, w, scale):
        self.w, self.scale, self.history, self.act = w, scale, [], np.tanh

    def __call__(self, x):
        return self.scale * self.act(self._dot(x))

    def _dot(self, x):
        return np.sum(self.w * x)

    @property
    def norm(self):
        return math.sqrt(sum(v * v for v in self.w))

    @classmethod
    def of(cls, w):
        return cls(w, 2.0)

    def __getitem__(self, k):
        return self.w[k]


idiom("an instance that is called", Model(W, 2.0), X)(lambda model, x: model(x))
idiom("a property with math", Model(W, 2.0))(lambda model: model.norm * model.scale)
idiom("an instance by index", Model(W, 2.0))(lambda model: model[0] * model[-1] * model.scale)
idiom("an instance made inside", W, X)(lambda w, x: Model.of(w)(x))
idiom("a method with an instance bound", W)(Model(X, 1.5).__call__)


class Composite:
    def __init__(self, parts):
        self.parts = parts

    def __iter__(self):
        return iter(self.parts)

    def __call__(self, x):
        return functools.reduce(operator.add, (part(x) for part in self))


idiom("instances inside an instance", Composite([Model(W, 2.0), Model(X, 0.5)]), X)(
    lambda model, x: model(x)
)


class Point(typing.NamedTuple):
    x: float
    y: float

    def norm(self):
        return np.hypot(self.x, self.y)


idiom("a named tuple with a method", Point(3.0, 4.0))(lambda p: p.norm() * p.x)
idiom("a named tuple that is unpacked", Point(3.0, 4.0))(lambda p: (lambda x, y: x**2 * y)(*p))
idiom("a named tuple that is replaced", Point(3.0, 4.0))(lambda p: p._replace(x=p.y).norm() * p.x)
idiom("a namespace", types.SimpleNamespace(a=2.0, b=W))(lambda p: p.a * np.sum(p.b**2))
idiom("an ordered dict", collections.OrderedDict(a=2.0, b=W))(
    lambda p: np.sum(p["b"]) * functools.reduce(operator.mul, [v for k, v in p.items() if k == "a"])
)
idiom("a chain of entries", {"a": {"b": {"c": W}}})(lambda p: np.prod(p["a"]["b"]["c"]))
idiom("defaults of a dict", {"a": 2.0})(lambda p: p.get("a", 1.0) * p.get("missing", 3.0) ** 2)
idiom("entries as keywords", {"a": 2.0, "b": 3.0})(lambda p: (lambda a, b: a**b)(**p))
idiom("a dict that is merged", {"a": 2.0, "b": 3.0})(
    lambda p: sum(v**2 for v in {**p, "c": p["a"] * p["b"]}.values())
)
idiom("options beside numbers", {"kind": "cubic", "w": W, "n": 3})(
    lambda p: np.sum(p["w"] ** (p["n"] if p["kind"] == "cubic" else 2))
)
idiom("functions beside numbers", {"f": np.sin, "w": W})(lambda p: np.sum(p["f"](p["w"])))
idiom("what may be None", {"w": W, "b": None})(
    lambda p: np.sum(p["w"] ** 2) + (0.0 if p["b"] is None else p["b"])
)


@idiom("a generator", [W, X])
def _generator(arrays):
    def squares():
        for array in arrays:
            yield np.sum(array**2)

    return math.prod(squares())


@idiom("a generator that is sent values", [2.0, 3.0, 0.5])
def _sent(values):
    def running():
        total = 0.0
        while True:
            total = total * 0.5 + (yield total) ** 2

    state = running()
    next(state)
    return [state.send(v) for v in values][-1]


@idiom("itertools", [2.0, 3.0, 0.5])
def _itertools(values):
    pairs = itertools.pairwise(itertools.accumulate(values, operator.mul))
    return sum(a * b for a, b in pairs)


@idiom("recursion over a tree", {"value": 2.0, "kids": [{"value": 3.0, "kids": []}]})
def _recursion(node):
    return node["value"] ** 2 + 0.5 * sum(node["value"] * _recursion(k) for k in node["kids"])


@idiom("recursion over numbers", 1.25)
def _power(x, n=4):
    return x if n == 1 else x * _power(x, n - 1) + 1 / n


@idiom("a closure that changes", {"w": W})
def _closure(p):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * total + v**2

    for v in p["w"]:
        add(v)
    return total


def scaled(factor):
    def decorator(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return factor * function(*args, **kwargs)

        return wrapper

    return decorator


@idiom("decorators", {"w": W}, X)
@scaled(2.0)
@scaled(factor=0.25)
def _decorated(p, x):
    return np.sum(p["w"] * x) ** 2


idiom("a partial of a method", X)(functools.partial(Oscillator.energy, Oscillator(2.0, 3.0), 0.5))
idiom("a partial with keywords", {"w": W})(
    functools.partial(lambda p, *, power: np.sum(p["w"] ** power), power=3)
)
IDIOMS["a partial of a method"] = (IDIOMS["a partial of a method"][0], (1.5,))


@functools.singledispatch
def area(shape):
    raise TypeError(shape)


@area.register
def _(shape: Point):
    return shape.x * shape.y


@area.register
def _(shape: Oscillator):
    return shape.mass**2


idiom("dispatch by type", Point(2.0, 3.0), Oscillator(2.0, 3.0))(lambda p, q: area(p) * area(q))


@idiom("a match statement", {"kind": "disc", "r": 1.5})
def _matched(shape):
    match shape:
        case {"kind": "disc", "r": r}:
            return np.pi * r**2
        case _:
            return 0.0


@idiom("threads", {"w": W}, X)
def _threads(p, x):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(lambda k: np.sin(p["w"][k] * x[k]), range(2)))
    return parts[0] * parts[1]


@idiom("a context manager", {"w": W})
def _context(p):
    @contextlib.contextmanager
    def doubled(value):
        yield 2 * value

    with doubled(p["w"]) as w:
        return np.sum(w**2)


@idiom("an exception that is caught", {"w": W})
def _caught(p):
    try:
        return p["missing"]
    except KeyError:
        return np.sum(p["w"] ** 3)


@idiom("a list that grows", [2.0, 3.0])
def _grown(values):
    values = [*values, values[0] * values[1]]
    values.append(values[-1] ** 2)
    return sum(values[1:])


@idiom("written into, by entries", {"a": 2.0, "b": [3.0, 0.5]})
def _written(p):
    buffer = np.zeros(3)
    buffer[0], buffer[1:] = float(p["a"]) ** 2, p["b"]
    buffer *= p["a"]
    return math.fsum(buffer)
