"""Functions that programs are hard to make of, each in a world of its own.

A maker gives a function and the steps of its life: each changes what is around the function, and
gives the arguments of the next call.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import dataclasses
import datetime
import enum
import fractions
import functools
import io
import itertools
import logging
import operator
import os
import random
import sys
import tempfile
import threading
import time
import types
import uuid
import warnings
from pathlib import Path

import numpy as np

X, Y = np.array([1.0, 2.0]), np.array([-3.0, 0.5])

MAKERS = {}


def case(maker):
    MAKERS[maker.__name__] = maker
    return maker


def at(*points):
    """Steps that change nothing."""
    return [lambda point=point: point for point in points]


def after(change, point=X):
    """A step that changes something first."""

    def step():
        change()
        return (point,)

    return step


TWICE = at((X,), (X,), (Y,))


# What is around a function changes.


@case
def counter_in_a_closure():
    count = 0

    def f(x):
        nonlocal count
        count += 1
        return np.sum(x) * count

    return f, at((X,), (X,), (X,))


@case
def list_that_the_function_appends_to():
    seen = []

    def f(x):
        seen.append(1)
        return np.sum(x) * len(seen)

    return f, at((X,), (X,), (X,))


@case
def dict_that_the_function_fills_once():
    memo = {}

    def f(x):
        if "scale" not in memo:
            memo["scale"] = 3.0
        return np.sum(x) * memo["scale"]

    return f, [*TWICE, after(lambda: memo.update(scale=5.0))]


@case
def attribute_that_a_method_counts():
    class Model:
        calls = 0

        def f(self, x):
            self.calls += 1
            return np.sum(x) * self.calls

    return Model().f, at((X,), (X,), (X,))


@case
def array_that_the_function_writes_into():
    state = np.ones(2)

    def f(x):
        state[0] += 1.0
        return np.sum(x * state)

    return f, at((X,), (X,), (X,))


@case
def list_of_weights():
    weights = [1.0, [2.0, 3.0]]

    def f(x):
        return np.sum(x * weights[1][0])

    return f, [*TWICE, after(lambda: weights[1].__setitem__(0, 7.0))]


@case
def deque_of_weights():
    weights = collections.deque([1.0, 2.0], maxlen=2)
    return lambda x: np.sum(x) * weights[0], [*TWICE, after(lambda: weights.append(9.0))]


@case
def defaultdict_of_weights():
    weights = collections.defaultdict(lambda: 2.0)
    return lambda x: np.sum(x) * weights["a"], [*TWICE, after(lambda: weights.update(a=9.0))]


@case
def set_of_options():
    options = set()
    f = lambda x: np.sum(x) * (2.0 if "double" in options else 1.0)  # noqa: E731
    return f, [*TWICE, after(lambda: options.add("double")), after(options.clear)]


@case
def dataclass_around():
    @dataclasses.dataclass
    class Settings:
        scale: float = 2.0

    settings = Settings()
    return lambda x: np.sum(x) * settings.scale, [
        *TWICE,
        after(lambda: setattr(settings, "scale", 5.0)),
    ]


@case
def property_around():
    class Settings:
        hidden = 2.0

        @property
        def scale(self):
            return self.hidden

    settings = Settings()
    return lambda x: np.sum(x) * settings.scale, [
        *TWICE,
        after(lambda: setattr(settings, "hidden", 5.0)),
        after(lambda: setattr(Settings, "scale", 6.0)),
    ]


@case
def descriptor_around():
    class Scale:
        value = 2.0

        def __get__(self, instance, owner):
            return self.value

    class Settings:
        scale = Scale()

    settings, scale = Settings(), vars(Settings)["scale"]
    return lambda x: np.sum(x) * settings.scale, [
        *TWICE,
        after(lambda: setattr(scale, "value", 5.0)),
    ]


@case
def attribute_by_getattr():
    class Settings:
        def __init__(self):
            self.held = {"scale": 2.0}

        def __getattr__(self, name):
            return self.held[name]

        def __reduce__(self):
            raise TypeError

    settings = Settings()
    return lambda x: np.sum(x) * settings.scale, [
        *TWICE,
        after(lambda: settings.held.update(scale=5.0)),
    ]


@case
def object_that_pickles_as_less():
    class Settings:
        def __init__(self):
            self.scale = 2.0

        def __reduce__(self):
            return int, ()

    settings = Settings()
    return lambda x: np.sum(x) * settings.scale, [
        *TWICE,
        after(lambda: setattr(settings, "scale", 5.0)),
    ]


@case
def iterator_around():
    numbers = itertools.count(1.0)
    return lambda x: np.sum(x) * next(numbers), at((X,), (X,), (X,))


@case
def generator_around():
    numbers = (float(k) for k in range(1, 99))
    return lambda x: np.sum(x) * next(numbers), at((X,), (X,), (X,))


@case
def map_around():
    numbers = map(float, range(1, 99))
    return lambda x: np.sum(x) * next(numbers), at((X,), (X,), (X,))


@case
def list_iterator_around():
    numbers = iter([1.0] * 3 + [2.0] * 30)
    return lambda x: np.sum(x) * next(numbers), at(*[(X,)] * 6)


@case
def view_of_an_array_around():
    whole = np.ones((2, 2))
    part = whole[:, 0]
    return lambda x: np.sum(x * part), [*TWICE, after(lambda: whole.__setitem__((0, 0), 5.0))]


@case
def array_of_objects_around():
    held = np.array([2.0, [3.0]], dtype=object)
    return lambda x: np.sum(x) * held[1][0], [*TWICE, after(lambda: held[1].__setitem__(0, 5.0))]


@case
def structured_array_around():
    held = np.zeros(1, dtype=[("scale", float)])
    return lambda x: np.sum(x) * held["scale"][0], [
        *TWICE,
        after(lambda: held.__setitem__(0, (5.0,))),
    ]


@case
def memory_map_around():
    file = Path(tempfile.mkdtemp()) / "weights"
    held = np.memmap(file, dtype=float, mode="w+", shape=(2,))
    return lambda x: np.sum(x * held), [*TWICE, after(lambda: held.__setitem__(0, 5.0))]


@case
def masked_array_around():
    held = np.ma.array([1.0, 2.0])
    return lambda x: np.sum(x * held.data), [*TWICE, after(lambda: held.__setitem__(0, 5.0))]


@case
def module_of_a_package_around():
    package = types.ModuleType("package")
    package.inner = types.ModuleType("package.inner")
    package.inner.scale = 2.0
    return lambda x: np.sum(x) * package.inner.scale, [
        *TWICE,
        after(lambda: setattr(package.inner, "scale", 5.0)),
    ]


@case
def helper_function_exchanged():
    held = types.SimpleNamespace(by=lambda x: 2.0 * x)
    return lambda x: np.sum(held.by(x)), [
        *TWICE,
        after(lambda: setattr(held, "by", lambda x: 5.0 * x)),
    ]


@case
def dispatched_function():
    @functools.singledispatch
    def scaled(x):
        return x * 2.0

    def register():
        scaled.register(np.ndarray, lambda x: x * 5.0)

    return lambda x: np.sum(scaled(np.ones(2)) * x), [*TWICE, after(register)]


@case
def closure_of_a_closure():
    scale = 2.0

    def outer():
        def inner(x):
            return x * scale

        return inner

    def change():
        nonlocal scale
        scale = 5.0

    return lambda x: np.sum(outer()(x)), [*TWICE, after(change)]


@case
def metaclass_around():
    class Meta(type):
        @property
        def scale(cls):
            return cls.hidden

    class Settings(metaclass=Meta):
        hidden = 2.0

    return lambda x: np.sum(x) * Settings.scale, [
        *TWICE,
        after(lambda: setattr(Settings, "hidden", 5.0)),
    ]


@case
def enumeration_around():
    class Kind(enum.Enum):
        ONE = 2.0

    return lambda x: np.sum(x) * Kind.ONE.value, TWICE


@case
def bound_builtin_around():
    weights = {"a": 2.0}
    get = weights.get
    return lambda x: np.sum(x) * get("a"), [*TWICE, after(lambda: weights.update(a=5.0))]


@case
def item_getter_of_a_container():
    weights, get = {"a": 2.0}, operator.itemgetter("a")
    return lambda x: np.sum(x) * get(weights), [*TWICE, after(lambda: weights.update(a=5.0))]


@case
def thread_local_around():
    local = threading.local()
    local.scale = 2.0
    return lambda x: np.sum(x) * local.scale, [*TWICE, after(lambda: setattr(local, "scale", 5.0))]


@case
def text_stream_around():
    stream = io.StringIO("2\n" * 40 + "3\n" * 40)
    return lambda x: np.sum(x) * float(stream.readline()), at((X,), (X,), (X,))


# Clocks, random numbers, files and the like.


@case
def generator_of_random_numbers_around():
    draws = np.random.default_rng(0)
    return lambda x: np.sum(x * draws.normal(size=2)), at((X,), (X,), (X,))


@case
def generator_of_random_numbers_by_default():
    def f(x, draws=np.random.default_rng(0)):  # noqa: B008
        return np.sum(x * draws.normal(size=2))

    f.__defaults__ = (np.random.default_rng(0),)
    return f, at((X,), (X,), (X,))


@case
def generator_of_random_numbers_in_an_attribute():
    class Model:
        def __init__(self):
            self.draws = np.random.default_rng(0)

        def f(self, x):
            return np.sum(x * self.draws.normal(size=2))

    return Model().f, at((X,), (X,), (X,))


@case
def generator_as_an_argument():
    draws = np.random.default_rng(0)
    return lambda x, draws: np.sum(x * draws.normal(size=2)), at((X, draws), (X, draws))


@case
def seeded_generator_inside():
    return lambda x: np.sum(x * np.random.default_rng(7).normal(size=2)), TWICE


@case
def unseeded_generator_inside():
    return lambda x: np.sum(x * np.random.default_rng().normal(size=2)), TWICE


@case
def unseeded_state_inside():
    return lambda x: np.sum(x * np.random.RandomState().normal(size=2)), TWICE


@case
def random_of_python_inside():
    return lambda x: np.sum(x) * random.Random().random(), TWICE


@case
def system_random():
    return lambda x: np.sum(x) * random.SystemRandom().random(), TWICE


@case
def shared_random_numbers():
    return lambda x: np.sum(x) * random.random(), TWICE


@case
def random_bytes():
    return lambda x: np.sum(x) * os.urandom(1)[0], TWICE


@case
def random_identity():
    return lambda x: np.sum(x) * (uuid.uuid4().int % 1000), TWICE


@case
def clock():
    return lambda x: np.sum(x) * time.time(), TWICE


@case
def performance_counter():
    tick = time.perf_counter
    return lambda x: np.sum(x) * tick(), TWICE


@case
def date():
    return lambda x: np.sum(x) * datetime.datetime.now().timestamp(), TWICE


@case
def printing():
    def f(x):
        print("computing")
        return np.sum(x)

    return f, TWICE


@case
def printing_of_a_helper():
    def told(x):
        sys.stdout.write("computing")
        return x

    return lambda x: np.sum(told(x)), TWICE


@case
def logged():
    log = logging.getLogger("hostile")

    def f(x):
        log.warning("computing")
        return np.sum(x)

    return f, TWICE


@case
def silent_log():
    log = logging.getLogger("hostile")

    def f(x):
        log.debug("computing")
        return np.sum(x)

    return f, TWICE


@case
def file_that_is_read():
    file = Path(tempfile.mkdtemp()) / "scale"
    file.write_text("2")

    def f(x):
        with open(file) as given:
            return np.sum(x) * float(given.read())

    return f, [*TWICE, after(lambda: file.write_text("5"))]


@case
def file_that_numpy_reads():
    file = Path(tempfile.mkdtemp()) / "scale.npy"
    np.save(file, 2.0)
    return lambda x: np.sum(x) * np.load(file), [*TWICE, after(lambda: np.save(file, 5.0))]


@case
def file_that_is_written():
    file = Path(tempfile.mkdtemp()) / "log"

    def f(x):
        file.write_text("computed")
        return np.sum(x)

    return f, TWICE


@case
def listing_of_a_folder():
    folder = Path(tempfile.mkdtemp())
    return lambda x: np.sum(x) * (1 + len(list(folder.iterdir()))), [
        *TWICE,
        after(lambda: (folder / "one").write_text("")),
    ]


@case
def size_of_a_file():
    file = Path(tempfile.mkdtemp()) / "scale"
    file.write_text("2")
    return lambda x: np.sum(x) * file.stat().st_size, [*TWICE, after(lambda: file.write_text("55"))]


@case
def asked_of_a_person():
    return lambda x: np.sum(x) * float(input()), TWICE


@case
def count_of_threads():
    return lambda x: np.sum(x) * threading.active_count(), TWICE


@case
def recursion_limit():
    return lambda x: np.sum(x) * (sys.getrecursionlimit() > 0), TWICE


# What a function does with its arguments.


@case
def argument_written_into():
    def f(x):
        x[0] = 5.0
        return np.sum(x * x)

    return f, [lambda: (X.copy(),), lambda: (Y.copy(),)]


@case
def argument_added_to():
    def f(x):
        x += 1.0
        return np.sum(x * x)

    return f, [lambda: (X.copy(),), lambda: (Y.copy(),)]


@case
def argument_sorted():
    def f(x):
        x.sort()
        return x[0]

    return f, [lambda: (X.copy(),), lambda: (Y[::-1].copy(),)]


@case
def argument_by_out():
    def f(x):
        np.exp(x, out=x)
        return np.sum(x)

    return f, [lambda: (X.copy(),), lambda: (Y.copy(),)]


@case
def number_argument_added_to():
    def f(x):
        x += 1.0
        return x * x

    return f, at((2.0,), (3.0,))


@case
def dict_argument_filled():
    def f(x, into):
        into["y"] = 3.0
        return np.sum(x) * into["y"]

    return f, [lambda: (X, {}), lambda: (X, {})]


@case
def list_argument_appended_to():
    def f(x, into):
        into.append("seen")
        return np.sum(x) * len(into)

    return f, [lambda: (X, []), lambda: (X, [])]


@case
def views_of_one_array():
    def steps():
        whole = np.array([1.0, 2.0, 3.0])
        return whole[:-1], whole[1:]

    return lambda x, y: np.sum(x * y), [steps, steps]


@case
def identity():
    return lambda x: x, [lambda: (X.copy(),), lambda: (Y.copy(),)]


@case
def read_only():
    locked = X.copy()
    locked.flags.writeable = False
    return lambda x: np.sum(x * x), at((locked,), (X,))


@case
def flags_of_an_argument():
    return lambda x: np.sum(x) * (2.0 if x.flags.writeable else 3.0), at((X,), (Y,))


@case
def identity_of_an_argument():
    return lambda x: np.sum(x) * (id(x) % 1000), at((X,), (X.copy(),))


@case
def exact_type_of_a_number():
    return lambda x: x * (2.0 if type(x) is float else 3.0), at((2.0,), (np.float64(2.0),))


# Arguments and results.


@case
def arguments_of_all_kinds():
    def f(x, *rest, scale=2.0, **more):
        return np.sum(x) * scale * len(rest) * (1 + len(more))

    return f, at((X,), (X, 1), (X, 1, 2), (X, "text"))


@case
def whole_numbers_in_an_argument():
    return lambda x, n: np.sum(x) ** n, at((X, 2), (X, 3), (X, True), (X, 2))


@case
def arrays_of_whole_numbers():
    return lambda x, k: np.sum(x[k]), at((X, np.array([0])), (X, np.array([1])), (X, np.array([0])))


@case
def single_precision():
    return lambda x: np.sum(x * x), at((X.astype("f4"),), (X,), (Y.astype("f4"),))


@case
def half_precision():
    return lambda x: np.sum(x * x), at((X.astype("f2"),), (X,))


@case
def zero_dimensions():
    return lambda x: x * x, at((np.array(2.0),), (2.0,), (np.float64(3.0),), (np.float32(3.0),))


@case
def complex_argument():
    return lambda x: np.sum(np.abs(x)), at((X + 1j,))


@case
def objects():
    return lambda x: np.sum(x), at((X.astype(object),))


@case
def fractions_as_argument():
    return lambda x: x * 2, at((fractions.Fraction(1, 2),))


@case
def truth_values():
    return lambda x, mask: np.sum(x[mask]), at(
        (X, np.array([True, False])), (X, np.array([False, True]))
    )


@case
def masked_array():
    return lambda x: np.sum(x), at((np.ma.array(X, mask=[True, False]),))


@case
def matrix():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    return lambda x: np.sum(x * x), at((np.asarray(given),), (given,))


@case
def subclass():
    class Own(np.ndarray):
        def __mul__(self, other):
            return np.ndarray.__mul__(self, 2.0)

    return lambda x: np.sum(x * x), at((X,), (X.view(Own),))


@case
def nothing_returned():
    return lambda x: None, TWICE


@case
def text_returned():
    return lambda x: f"{np.sum(x)}", TWICE


@case
def text_beside_a_number():
    return lambda x: (np.sum(x), "text"), TWICE


@case
def count_returned():
    calls = []

    def f(x):
        calls.append(1)
        return np.sum(x), len(calls)

    return f, at((X,), (X,))


@case
def flag_returned():
    return lambda x: (np.sum(x), bool(x[0] > 0)), at((X,), (Y,), (X,))


@case
def comparison_returned():
    return lambda x: (np.sum(x), x > 0), at((X,), (Y,), (X,))


@case
def indices_returned():
    return lambda x: (np.sum(x), np.argmax(x)), at((X,), (X[::-1].copy(),), (Y,))


@case
def truth_value_returned():
    return lambda x: bool(np.sum(x) > 0), at((X,), (Y,))


@case
def object_returned():
    class Result:
        def __init__(self, value):
            self.value = value

    return lambda x: Result(np.sum(x)), TWICE


@case
def function_returned():
    return lambda x: lambda: np.sum(x), TWICE


@case
def global_array_returned():
    held = np.ones(2)
    return lambda x: (np.sum(x), held), TWICE


@case
def generator_function():
    def f(x):
        yield np.sum(x)

    return f, TWICE


@case
def coroutine():
    async def wait(x):
        return np.sum(x)

    def f(x):
        found = wait(x)
        found.close()  # nobody waits for it, of which Python would warn in a later test
        return found

    return f, TWICE


@case
def coroutine_inside():
    async def inner(x):
        return np.sum(x) * 2.0

    return lambda x: asyncio.run(inner(x)), TWICE


@case
def thread_inside():
    def f(x):
        found = []
        one = threading.Thread(target=lambda: found.append(np.sum(x) * 2.0))
        one.start()
        one.join()
        return found[0]

    return f, TWICE


# Control flow.


@case
def recursion_without_end():
    def f(x):
        return f(x) + 1.0

    return f, TWICE


@case
def recursion_by_value():
    def f(x):
        return x[0] if x[0] > 10 else f(x * 2.0)

    return f, at((X,), (np.array([9.0, 1.0]),), (np.array([0.5, 1.0]),))


@case
def loop_without_end():
    def f(x):
        while True:
            x = x * 1.0000001 + 1.0

    return f, TWICE


@case
def exception_of_one_path():
    def f(x):
        if x[0] < 0:
            raise ValueError(f"negative: {float(x[0]) if False else ''}")
        return np.sum(x)

    return f, at((X,), (Y,), (X,))


@case
def exception_caught():
    def f(x):
        try:
            if x[0] < 0:
                raise ValueError
        except ValueError:
            return np.sum(x) * 3.0
        return np.sum(x)

    return f, at((X,), (Y,), (X,))


@case
def assertion():
    def f(x):
        assert np.all(x > 0), "positive numbers only"
        return np.sum(x)

    return f, at((X,), (Y,), (X,))


@case
def singular_matrix():
    f = lambda x: np.sum(np.linalg.inv(x))  # noqa: E731
    return f, at((np.eye(2),), (np.zeros((2, 2)),), (np.eye(2),))


@case
def singular_matrix_caught():
    def f(x):
        try:
            return np.sum(np.linalg.inv(x))
        except np.linalg.LinAlgError:
            return np.sum(x) * 5.0

    return f, at((np.eye(2),), (np.zeros((2, 2)),), (np.eye(2),))


@case
def not_positive_definite_caught():
    def f(x):
        try:
            return np.sum(np.linalg.cholesky(x))
        except np.linalg.LinAlgError:
            return np.sum(x) * 5.0

    return f, at((np.eye(2),), (-np.eye(2),), (np.eye(2),))


@case
def division_by_zero_raises():
    def f(x):
        with np.errstate(divide="raise"):
            return np.sum(1.0 / x)

    return f, at((X,), (np.array([0.0, 1.0]),), (X,))


@case
def division_by_zero_caught():
    def f(x):
        try:
            with np.errstate(all="raise"):
                return np.sum(np.log(x))
        except FloatingPointError:
            return np.sum(x) * 5.0

    return f, at((X,), (np.array([0.0, 1.0]),), (X,))


@case
def error_state_changed_around():
    before = np.geterr()

    def step():
        np.seterr(**before)
        return (X,)

    return lambda x: np.sum(1.0 / x), [step, step]


@case
def warning_of_a_path():
    def f(x):
        if x[0] < 0:
            warnings.warn("negative", RuntimeWarning, stacklevel=2)
        return np.sum(x)

    return f, at((X,), (Y,), (Y,))


@case
def error_state_asked():
    def f(x):
        return np.sum(x) * (2.0 if np.geterr()["divide"] == "ignore" else 3.0)

    return f, [lambda: (X,), lambda: (X,)]


@case
def integer_from_a_value():
    return lambda x: np.sum(x) * int(x[0]), at((X,), (Y,))


@case
def decision_by_a_rounded_value():
    return lambda x: np.sum(x) if round(float(x[0])) > 0 else -np.sum(x), at((X,), (Y,))


@case
def lookup_by_a_value():
    return lambda x: np.sum(x) * {1.0: 2.0}.get(x[0], 5.0), at((X,), (Y,))


@case
def membership():
    return lambda x: np.sum(x) * (2.0 if x[0] in (1.0, 2.0) else 5.0), at((X,), (Y,), (X,))


@case
def loop_by_a_value():
    def f(x):
        k = 0
        while np.sum(x) < 20 and k < 50:
            x, k = x * 2.0, k + 1
        return np.sum(x) * k

    return f, at((X,), (X * 4,), (X,), (Y,))


@case
def shape_by_a_value():
    return lambda x: np.sum(x[x > 0] ** 2), at((X,), (Y,), (X,))


@case
def not_a_number():
    f = lambda x: np.sum(x) * (2.0 if np.isnan(x[0]) else 1.0)  # noqa: E731
    return f, at((X,), (np.array([np.nan, 1.0]),), (X,))


@case
def signed_zero():
    f = lambda x: np.sum(x) + (2.0 if np.signbit(x[0]) else 1.0)  # noqa: E731
    return f, at((np.array([0.0, 1.0]),), (np.array([-0.0, 1.0]),), (np.array([0.0, 1.0]),))


# Wrapped functions.


@case
def partial():
    return functools.partial(lambda a, x: np.sum(x) * a, 3.0), TWICE


@case
def cached():
    @functools.lru_cache
    def scale(n):
        return n * 2.0

    return lambda x: np.sum(x) * scale(3), TWICE


@case
def cached_helper_that_reads_around():
    held = {"scale": 2.0}

    @functools.lru_cache
    def scale(n):
        return n * held["scale"]

    return lambda x: np.sum(x) * scale(3), [
        *TWICE,
        after(lambda: (held.update(scale=5.0), scale.cache_clear())),
    ]


@case
def cached_of_its_argument():
    @functools.lru_cache
    def f(x):
        return x * x

    return f, at((2.0,), (3.0,), (2.0,))


@case
def wrapped():
    def twice(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            return 2.0 * f(*args, **kwargs)

        return inner

    return twice(lambda x: np.sum(x)), TWICE


@case
def decorator_that_reads_around():
    held = {"scale": 2.0}

    def scaled(f):
        @functools.wraps(f)
        def inner(x):
            return held["scale"] * f(x)

        return inner

    return scaled(lambda x: np.sum(x)), [*TWICE, after(lambda: held.update(scale=5.0))]


@case
def callable_object():
    class Model:
        def __init__(self):
            self.scale = 2.0

        def __call__(self, x):
            return np.sum(x) * self.scale

    model = Model()
    return model, [*TWICE, after(lambda: setattr(model, "scale", 5.0))]


@case
def class_method():
    class Model:
        scale = 2.0

        @classmethod
        def f(cls, x):
            return np.sum(x) * cls.scale

    return Model.f, [*TWICE, after(lambda: setattr(Model, "scale", 5.0))]


@case
def static_method():
    class Model:
        @staticmethod
        def f(x):
            return np.sum(x) * 2.0

    return Model.f, TWICE


@case
def cached_property():
    class Model:
        def __init__(self):
            self.given = 2.0

        @functools.cached_property
        def scale(self):
            return self.given * 2.0

        def f(self, x):
            return np.sum(x) * self.scale

    model = Model()
    return model.f, [
        *TWICE,
        after(lambda: (setattr(model, "given", 5.0), vars(model).pop("scale"))),
    ]


@case
def vectorized():
    held = {"scale": 2.0}
    scaled = np.vectorize(lambda k: held["scale"] * k)
    return lambda x: np.sum(scaled(np.arange(2)) * x), [
        *TWICE,
        after(lambda: held.update(scale=5.0)),
    ]


@case
def ufunc_of_a_function():
    held = {"scale": 2.0}
    scaled = np.frompyfunc(lambda k: held["scale"] * k, 1, 1)
    return lambda x: np.sum(scaled(np.arange(2)).astype(float) * x), [
        *TWICE,
        after(lambda: held.update(scale=5.0)),
    ]


@case
def reduced():
    return lambda x: functools.reduce(operator.mul, [x[0], x[1]]), TWICE


@case
def context_manager():
    held = []

    @contextlib.contextmanager
    def entered():
        held.append(1)
        yield
        held.pop()

    def f(x):
        with entered():
            return np.sum(x) * len(held)

    return f, TWICE
