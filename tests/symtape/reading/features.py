"""What Python offers, with numbers in it that leave for plain Python: each is to be read."""

from __future__ import annotations

import abc
import asyncio
import collections
import contextlib
import copy
import dataclasses
import functools
import itertools
import math
import operator
import threading
import typing

import numpy as np

FEATURES = {}


def feature(f):
    FEATURES[f.__name__.strip("_")] = f
    return f


class Vec:
    def __init__(s, *v):
        s.v = [float(a) for a in v]

    def __add__(s, o):
        return Vec(*[math.fsum([a, b]) for a, b in zip(s.v, o.v, strict=False)])

    def __mul__(s, k):
        return Vec(*[float(a) * k for a in s.v])

    def __rmul__(s, k):
        return Vec(*[float(a) * k for a in s.v])

    def __neg__(s):
        return Vec(*[-float(a) for a in s.v])

    def __iter__(s):
        return (float(a) for a in s.v)

    def __len__(s):
        return len(s.v)

    def __eq__(s, o):
        return all(math.isclose(a, b) for a, b in zip(s.v, o.v, strict=False))

    def __lt__(s, o):
        return math.hypot(*s.v) < math.hypot(*o.v)

    def __abs__(s):
        return math.hypot(*s.v)

    def __call__(s, k):
        return math.fsum(s.v) * k

    def __enter__(s):
        s.v = [math.exp(a) for a in s.v]
        return s

    def __exit__(s, *a):
        pass

    def __contains__(s, x):
        return any(math.isclose(x, a) for a in s.v)

    def __getattr__(s, n):
        if n == "norm2":
            return math.fsum([a * a for a in s.v])
        raise AttributeError(n)

    def __iadd__(s, o):
        s.v = [math.fsum([a, b]) for a, b in zip(s.v, o.v, strict=False)]
        return s

    def __setitem__(s, k, v):
        s.v[k] = float(v)


@feature
def operators(x):
    a = Vec(*x) + Vec(*x) * 2
    return abs(2 * a) + a(3)


@feature
def a_unary_operator(x):
    return sum(-Vec(*x))


@feature
def iteration(x):
    return sum(Vec(*x)) + len(Vec(*x))


@feature
def a_comparison(x):
    return math.exp(x[0]) if Vec(*x) < Vec(3, 3) else x[1]


@feature
def a_context(x):
    with Vec(*x) as v:
        return math.fsum(v.v)


@feature
def a_dynamic_attribute(x):
    return Vec(*x).norm2


@feature
def operators_in_place(x):
    v = Vec(*x)
    v += v
    v[0] = math.sin(x[0])
    return abs(v)


@feature
def a_generator(x):
    def g():
        for a in x:
            yield math.exp(a)

    return sum(g())


@feature
def a_decorator(x):
    def d(f):
        @functools.wraps(f)
        def w(*a):
            return math.sqrt(f(*a))

        return w

    @d
    def f(a):
        return math.exp(a)

    return f(x[0])


@feature
def an_abstract_class(x):
    class A(abc.ABC):
        k = float(x[0])

        @abc.abstractmethod
        def f(self): ...
        @staticmethod
        def s(a):
            return math.cos(a)

    class B(A):
        __slots__ = ("w",)

        def __init__(self, w):
            super().__init__()
            self.w = float(w)

        def f(self):
            return self.s(self.w) * self.k

    return B(x[1]).f()


@feature
def patterns(x):
    match [float(x[0]), math.exp(x[1])]:
        case [a, b]:
            return a * b


@feature
def assignment_in_an_expression(x):
    return (y := math.exp(x[0])) * y


@feature
def a_reduction(x):
    return functools.reduce(lambda a, b: a * math.exp(b), x, 1.0)


@feature
def accumulation(x):
    return list(itertools.accumulate(x, lambda a, b: math.hypot(a, b)))[-1]


@feature
def a_dataclass(x):
    @dataclasses.dataclass
    class P:
        a: float
        b: float = 2.0
        c: float = dataclasses.field(default=0.0)

        def __post_init__(self):
            self.c = math.exp(self.a)

    return P(float(x[0])).c * P(x[1]).b


@feature
def a_named_tuple(x):
    P = collections.namedtuple("P", "a b")
    p = P(*map(float, x))
    return p.a * math.exp(p.b)


@feature
def a_thread(x):
    out = []
    th = threading.Thread(target=lambda: out.append(math.exp(x[0])))
    th.start()
    th.join()
    return out[0]


@feature
def a_class_of_threads(x):
    class Th(threading.Thread):
        def run(self):
            self.r = math.exp(x[0])

    th = Th()
    th.start()
    th.join()
    return th.r


@feature
def coroutines(x):
    async def f(a):
        await asyncio.sleep(0)
        return math.exp(a)

    async def m():
        return sum(await asyncio.gather(*[f(a) for a in x]))

    return asyncio.run(m())


@feature
def a_context_of_a_generator(x):
    @contextlib.contextmanager
    def c(a):
        yield math.exp(a)

    with c(x[0]) as y:
        return y


@feature
def sorting_by_a_key(x):
    return sorted(x, key=lambda a: math.exp(-a))[0] ** 2


@feature
def a_maximum_by_a_key(x):
    return max(x, key=lambda a: math.sin(float(a))) ** 2


@feature
def a_global(x):
    global Q
    Q = math.exp(x[0])
    return Q * 2


@feature
def a_nonlocal(x):
    s = 0.0

    def add(a):
        nonlocal s
        s += math.exp(a)

    for a in x:
        add(a)
    return s


@feature
def getters(x):
    class Place:
        pass

    o = Place()
    o.a = float(x[0])
    return operator.attrgetter("a")(o) * math.exp(operator.itemgetter(1)(list(x)))


@feature
def a_partial_function(x):
    return functools.partial(math.pow, x[0])(3) + math.exp(x[1])


@feature
def starred_arguments(x):
    return math.hypot(*x) + {"a": math.exp(x[0])}["a"]


@feature
def an_exception(x):
    try:
        raise ValueError(math.exp(x[0]))
    except ValueError as e:
        return e.args[0]


@feature
def recursion(x):
    def f(n):
        return 1.0 if n == 0 else math.sin(x[0]) * f(n - 1)

    return f(5)


@feature
def a_copy(x):
    return copy.deepcopy([float(a) for a in x])[0] ** 2


@feature
def complex_numbers(x):
    import cmath

    return abs(cmath.exp(complex(x[0], x[1])))


@feature
def polynomials(x):
    return np.polynomial.Polynomial([x[0], x[1], 1.0])(2.0) + np.polynomial.Polynomial(x).deriv()(
        1.0
    )


@feature
def a_polynomial(x):
    p = np.poly1d(x)
    return (p * p)(2.0)


@feature
def slices_of_an_array(x):
    return np.sum(
        np.apply_along_axis(
            lambda r: np.array([float(r[0]) ** 2]), 1, np.array([[x[0], x[1]], [x[1], x[0]]])
        )
    )


@feature
def an_array_of_a_function(x):
    return np.sum(np.fromfunction(lambda i: (i + 1) * float(x[0]), (3,)))


@feature
def pieces(x):
    return np.sum(np.piecewise(x, [x < 1, x >= 1], [lambda v: v**2, lambda v: np.exp(v)]))


@feature
def einsum(x):
    return np.einsum("i,j->", np.array([x[0], 2.0]), np.array([float(x[1])]))


@feature
def an_output(x):
    y = np.zeros(2)
    np.multiply(x, 2.0, out=y)
    np.add.at(y, [0, 0], x)
    return np.sum(y**2)


@feature
def an_iterator_of_numpy(x):
    s = 0.0
    for v in np.nditer(x):
        s = s + math.exp(float(v))
    return s


@feature
def typing_cast(x):
    return typing.cast(float, math.exp(x[0]))


@feature
def a_text(x):
    return float(f"{1.5}") * math.exp(x[0])


@feature
def properties(x):
    class C:
        def __init__(s, a):
            s._a = a

        @property
        def a(s):
            return math.exp(s._a)

        @a.setter
        def a(s, v):
            s._a = float(v)

        @functools.cached_property
        def b(s):
            return math.sin(s._a)

        @classmethod
        def make(cls, a):
            return cls(float(a))

        __k = 3.0

        def k(self):
            return self.__k * self._a

    c = C.make(x[0])
    c.a = x[1]
    return c.a * c.b + c.k()


@feature
def a_metaclass(x):
    class M(type):
        def __call__(cls, *a):
            o = super().__call__(*a)
            o.z = math.exp(o.y)
            return o

    class K(metaclass=M):
        def __init__(s, y):
            s.y = float(y)

    return K(x[0]).z


@feature
def a_constructor(x):
    class F(float):
        pass

    class N:
        def __new__(cls, a):
            o = super().__new__(cls)
            o.a = math.exp(a)
            return o

    return N(x[0]).a


@feature
def a_dispatch_by_type(x):
    @functools.singledispatch
    def f(a):
        return math.exp(a)

    return f(x[0])


@feature
def collections_(x):
    d = collections.defaultdict(float)
    d["a"] += math.exp(x[0])
    collections.Counter()
    return d["a"] + math.fsum(itertools.chain(x, [1.0]))


@feature
def a_loop(x):
    s = float(x[0])
    while s < 50:
        s = s * math.exp(0.5) + x[1]
    return s


@feature
def slots(x):
    class S:
        __slots__ = ("a",)

        def __init__(self, a):
            self.a = math.log(a)

    return S(x[0]).a ** 2
