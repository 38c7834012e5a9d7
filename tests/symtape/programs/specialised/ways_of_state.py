"""Ways to hold a number that a function reads: each gives the function, and what makes 3 a 4."""

import abc
import argparse
import array
import collections
import configparser
import contextlib
import copy
import ctypes
import dataclasses
import enum
import fractions
import functools
import importlib
import json
import operator
import os
import queue
import string
import sys
import threading
import types
import weakref

import numpy as np
import scipy.interpolate
import scipy.sparse
import scipy.special

WAYS = {}


def way(maker):
    WAYS[maker.__name__] = maker
    return maker


K = 3.0
NS = types.SimpleNamespace(k=3.0, d={"k": 3.0}, held=[3.0], a=np.array([3.0, 3.0]))


@way
def glob():
    global K
    K = 3.0

    def ch():
        global K
        K = 4.0

    return (lambda x: np.sum(K * x)), ch


@way
def prop():
    class A:
        def __init__(s):
            s._k = 3.0

        @property
        def k(s):
            return s._k

    a = A()
    return (lambda x: np.sum(a.k * x)), lambda: setattr(a, "_k", 4.0)


@way
def prop_global():
    d = {"k": 3.0}

    class A:
        @property
        def k(s):
            return d["k"]

    a = A()
    return (lambda x: np.sum(a.k * x)), lambda: d.update(k=4.0)


@way
def prop_chain():
    class B:
        k = 3.0

    class A:
        @property
        def b(s):
            return B

        @property
        def k(s):
            return s.b.k

    a = A()
    return (lambda x: np.sum(a.k * x)), lambda: setattr(B, "k", 4.0)


@way
def static():
    d = {"k": 3.0}

    class A:
        @staticmethod
        def k():
            return d["k"]

    return (lambda x: np.sum(A.k() * x)), lambda: d.update(k=4.0)


@way
def static_replaced():
    class A:
        @staticmethod
        def k():
            return 3.0

    return (lambda x: np.sum(A.k() * x)), lambda: setattr(A, "k", staticmethod(lambda: 4.0))


@way
def classm():
    class A:
        _k = 3.0

        @classmethod
        def k(c):
            return c._k

    return (lambda x: np.sum(A.k() * x)), lambda: setattr(A, "_k", 4.0)


@way
def meta():
    d = {"k": 3.0}

    class M(type):
        @property
        def k(c):
            return d["k"]

    class A(metaclass=M):
        pass

    return (lambda x: np.sum(A.k * x)), lambda: d.update(k=4.0)


@way
def meta_attr():
    class M(type):
        k = 3.0

    class A(metaclass=M):
        pass

    return (lambda x: np.sum(A.k * x)), lambda: setattr(M, "k", 4.0)


@way
def meta_call():
    d = {"k": 3.0}

    class M(type):
        def __call__(c):
            return d["k"]

    class A(metaclass=M):
        pass

    return (lambda x: np.sum(A() * x)), lambda: d.update(k=4.0)


@way
def getattr_dunder():
    d = {"k": 3.0}

    class A:
        def __getattr__(s, n):
            return d[n]

    a = A()
    return (lambda x: np.sum(a.k * x)), lambda: d.update(k=4.0)


@way
def getitem_dunder():
    d = {"k": 3.0}

    class A:
        def __getitem__(s, n):
            return d[n]

    a = A()
    return (lambda x: np.sum(a["k"] * x)), lambda: d.update(k=4.0)


@way
def class_getitem():
    d = {"k": 3.0}

    class A:
        def __class_getitem__(s, n):
            return d[n]

    return (lambda x: np.sum(A["k"] * x)), lambda: d.update(k=4.0)


@way
def descriptor():
    class D:
        k = 3.0

        def __get__(s, o, t):
            return s.k

    dd = D()

    class A:
        k = dd

    a = A()
    return (lambda x: np.sum(a.k * x)), lambda: setattr(dd, "k", 4.0)


@way
def descriptor_of_class():
    d = {"k": 3.0}

    class D:
        def __get__(s, o, t):
            return d["k"]

    class A:
        k = D()

    return (lambda x: np.sum(A.k * x)), lambda: d.update(k=4.0)


@way
def float_subclass():
    class F(float):
        pass

    f = F(1.0)
    f.k = 3.0
    return (lambda x: np.sum(f.k * x)), lambda: setattr(f, "k", 4.0)


@way
def float_subclass_mul():
    class F(float):
        k = 3.0

        def __mul__(s, o):
            return s.k * o

    f = F(1.0)
    return (lambda x: np.sum(f * x)), lambda: setattr(F, "k", 4.0)


@way
def rmul_object():
    class F:
        k = 3.0
        __array_ufunc__ = None

        def __rmul__(s, o):
            return s.k * o

    f = F()
    return (lambda x: np.sum(x * f)), lambda: setattr(f, "k", 4.0)


@way
def neg_object():
    class F:
        k = 3.0

        def __neg__(s):
            return s.k

    f = F()
    return (lambda x: np.sum(x * (-f))), lambda: setattr(f, "k", 4.0)


@way
def call_object():
    class F:
        k = 3.0

        def __call__(s, x):
            return s.k * x

    f = F()
    return (lambda x: np.sum(f(x))), lambda: setattr(f, "k", 4.0)


@way
def float_object():
    class F:
        k = 3.0

        def __float__(s):
            return s.k

    f = F()
    return (lambda x: np.sum(float(f) * x)), lambda: setattr(f, "k", 4.0)


@way
def len_object():
    class F:
        k = 3

        def __len__(s):
            return s.k

    f = F()
    return (lambda x: np.sum(len(f) * x)), lambda: setattr(f, "k", 4)


@way
def index_object():
    class F:
        k = 0

        def __index__(s):
            return s.k

    f = F()
    t = [3.0, 4.0]
    return (lambda x: np.sum(t[f] * x)), lambda: setattr(f, "k", 1)


@way
def bool_object():
    class F:
        k = False

        def __bool__(s):
            return s.k

    f = F()
    return (lambda x: np.sum((4.0 if f else 3.0) * x)), lambda: setattr(f, "k", True)


@way
def contains_object():
    class F:
        k = False

        def __contains__(s, o):
            return s.k

    f = F()
    return (lambda x: np.sum((4.0 if 1 in f else 3.0) * x)), lambda: setattr(f, "k", True)


@way
def eq_object():
    class F:
        k = False

        def __eq__(s, o):
            return s.k

    f = F()
    return (lambda x: np.sum((4.0 if f == 1 else 3.0) * x)), lambda: setattr(f, "k", True)


@way
def hash_object():
    d = {1: 3.0, 2: 4.0}

    class F:
        k = 1

        def __hash__(s):
            return hash(s.k)

        def __eq__(s, o):
            return s.k == o

    f = F()
    return (lambda x: np.sum(d[f] * x)), lambda: setattr(f, "k", 2)


@way
def iter_object():
    class F:
        k = 3.0

        def __iter__(s):
            yield s.k

    f = F()
    return (lambda x: np.sum(sum(f) * x)), lambda: setattr(f, "k", 4.0)


@way
def iter_for():
    class F:
        k = 3.0

        def __iter__(s):
            return iter([s.k])

    f = F()

    def g(x):
        r = 0.0
        for v in f:
            r = r + v * x
        return np.sum(r)

    return g, lambda: setattr(f, "k", 4.0)


@way
def unpack():
    class F:
        k = 3.0

        def __iter__(s):
            return iter([s.k, 1.0])

    f = F()

    def g(x):
        a, b = f
        return np.sum(a * x)

    return g, lambda: setattr(f, "k", 4.0)


@way
def star_call():
    args = [3.0]

    def h(x, k):
        return np.sum(k * x)

    return (lambda x: h(x, *args)), lambda: args.__setitem__(0, 4.0)


@way
def star_kw():
    kw = {"k": 3.0}

    def h(x, k):
        return np.sum(k * x)

    return (lambda x: h(x, **kw)), lambda: kw.update(k=4.0)


@way
def with_object():
    class F:
        k = 3.0

        def __enter__(s):
            return s.k

        def __exit__(s, *a):
            pass

    f = F()

    def g(x):
        with f as k:
            return np.sum(k * x)

    return g, lambda: setattr(f, "k", 4.0)


@way
def fstring():
    class F:
        k = "3.0"

        def __format__(s, spec):
            return s.k

    f = F()
    return (lambda x: np.sum(float(f"{f}") * x)), lambda: setattr(f, "k", "4.0")


@way
def str_object():
    class F:
        k = "3.0"

        def __str__(s):
            return s.k

    f = F()
    return (lambda x: np.sum(float(str(f)) * x)), lambda: setattr(f, "k", "4.0")


@way
def repr_object():
    class F:
        k = "3.0"

        def __repr__(s):
            return s.k

    f = F()
    return (lambda x: np.sum(float(repr(f)) * x)), lambda: setattr(f, "k", "4.0")


@way
def matmul_object():
    class F:
        k = 3.0

        def __matmul__(s, o):
            return s.k * o

    f = F()
    return (lambda x: np.sum(f @ x)), lambda: setattr(f, "k", 4.0)


@way
def defaultdict():
    d = {"k": 3.0}
    m = collections.defaultdict(lambda: d["k"])
    return (lambda x: np.sum(m["n"] * x)), lambda: (d.update(k=4.0), m.clear())


@way
def missing():
    d = {"k": 3.0}

    class D(dict):
        def __missing__(s, k):
            return d["k"]

    m = D()
    return (lambda x: np.sum(m["n"] * x)), lambda: d.update(k=4.0)


@way
def values_view():
    d = {"k": 3.0}
    v = d.values()
    return (lambda x: np.sum(sum(v) * x)), lambda: d.update(k=4.0)


@way
def items_view():
    d = {"k": 3.0}
    v = d.items()
    return (lambda x: np.sum(dict(v)["k"] * x)), lambda: d.update(k=4.0)


@way
def view_made_at_each_call():
    d = {"k": [3.0]}
    return (lambda x: np.sum(sum(v[0] for v in d.values()) * x)), lambda: d["k"].append(
        d["k"].pop() + 1
    )


@way
def slice_of_a_list():
    held = [1.0, [3.0]]
    return (lambda x: np.sum(held[1:][0][0] * x)), lambda: held[1].insert(0, 4.0)


@way
def other_slice_of_a_list():
    held = [1.0, 3.0]
    return (lambda x: np.sum(held[1:][0] * x)), lambda: held.insert(1, 4.0)


@way
def copy_of_a_dict():
    d = {"k": [3.0]}
    return (lambda x: np.sum(d.copy()["k"][0] * x)), lambda: d["k"].insert(0, 4.0)


@way
def keys_view():
    d = {3.0: 1}
    v = d.keys()
    return (lambda x: np.sum(next(iter(v)) * x)), lambda: (d.clear(), d.update({4.0: 1}))


@way
def sys_modules():
    m = types.ModuleType("zz_state")
    m.K = 3.0
    sys.modules["zz_state"] = m
    return (lambda x: np.sum(sys.modules["zz_state"].K * x)), lambda: setattr(m, "K", 4.0)


@way
def sys_modules_replaced():
    m = types.ModuleType("zz_state2")
    m.K = 3.0
    sys.modules["zz_state2"] = m
    n = types.ModuleType("zz_state2")
    n.K = 4.0
    return (lambda x: np.sum(sys.modules["zz_state2"].K * x)), lambda: sys.modules.__setitem__(
        "zz_state2", n
    )


@way
def import_inside():
    m = types.ModuleType("zz_state3")
    m.K = 3.0
    sys.modules["zz_state3"] = m

    def g(x):
        import zz_state3

        return np.sum(zz_state3.K * x)

    return g, lambda: setattr(m, "K", 4.0)


@way
def from_import_inside():
    m = types.ModuleType("zz_state4")
    m.K = 3.0
    sys.modules["zz_state4"] = m

    def g(x):
        from zz_state4 import K

        return np.sum(K * x)

    return g, lambda: setattr(m, "K", 4.0)


@way
def import_module_():
    m = types.ModuleType("zz_state5")
    m.K = 3.0
    sys.modules["zz_state5"] = m
    return (lambda x: np.sum(importlib.import_module("zz_state5").K * x)), lambda: setattr(
        m, "K", 4.0
    )


@way
def module_getattr():
    d = {"k": 3.0}
    m = types.ModuleType("zz_state6")
    m.__getattr__ = lambda n: d["k"]
    return (lambda x: np.sum(m.K * x)), lambda: d.update(k=4.0)


@way
def attrgetter():
    g = operator.attrgetter("a.k")
    o = types.SimpleNamespace(a=types.SimpleNamespace(k=3.0))
    return (lambda x: np.sum(g(o) * x)), lambda: setattr(o.a, "k", 4.0)


@way
def itemgetter():
    g = operator.itemgetter("k")
    o = {"k": 3.0}
    return (lambda x: np.sum(g(o) * x)), lambda: o.update(k=4.0)


@way
def methodcaller():
    class A:
        _k = 3.0

        def k(s):
            return s._k

    a = A()
    m = operator.methodcaller("k")
    return (lambda x: np.sum(m(a) * x)), lambda: setattr(a, "_k", 4.0)


@way
def getattr_str():
    o = types.SimpleNamespace(k=3.0)
    n = "k"
    return (lambda x: np.sum(getattr(o, n) * x)), lambda: setattr(o, "k", 4.0)


@way
def vars_of():
    o = types.SimpleNamespace(k=3.0)
    return (lambda x: np.sum(vars(o)["k"] * x)), lambda: setattr(o, "k", 4.0)


@way
def dunder_dict():
    o = types.SimpleNamespace(k=3.0)
    return (lambda x: np.sum(o.__dict__["k"] * x)), lambda: setattr(o, "k", 4.0)


@way
def closure_cell():
    def mk():
        k = 3.0

        def f(x):
            return np.sum(k * x)

        def s():
            nonlocal k
            k = 4.0

        return f, s

    return mk()


@way
def nested_closure():
    k = [3.0]

    def outer(x):
        def inner():
            return k[0]

        return np.sum(inner() * x)

    return outer, lambda: k.__setitem__(0, 4.0)


@way
def func_attr():
    def f(x):
        return np.sum(f.k * x)

    f.k = 3.0
    return f, lambda: setattr(f, "k", 4.0)


@way
def dataclass_():
    @dataclasses.dataclass
    class A:
        k: float = 3.0

    a = A()
    return (lambda x: np.sum(a.k * x)), lambda: setattr(a, "k", 4.0)


@way
def dataclass_default():
    @dataclasses.dataclass
    class A:
        k: float = 3.0

    return (lambda x: np.sum(A().k * x)), lambda: setattr(A.__init__, "__defaults__", (4.0,))


@way
def dataclass_factory():
    d = {"k": 3.0}

    @dataclasses.dataclass
    class A:
        k: float = dataclasses.field(default_factory=lambda: d["k"])

    return (lambda x: np.sum(A().k * x)), lambda: d.update(k=4.0)


@way
def enum_value():
    class E(enum.Enum):
        A = 3.0

    return (lambda x: np.sum(E.A.value * x)), lambda: setattr(E.A, "_value_", 4.0)


@way
def namedtuple_in_list():
    T = collections.namedtuple("T", "k")
    held = [T(3.0)]
    return (lambda x: np.sum(held[0].k * x)), lambda: held.__setitem__(0, T(4.0))


@way
def chainmap():
    a = {}
    m = collections.ChainMap(a, {"k": 3.0})
    return (lambda x: np.sum(m["k"] * x)), lambda: a.update(k=4.0)


@way
def counter():
    c = collections.Counter("aaa")
    return (lambda x: np.sum(c["a"] * x)), lambda: c.update("a")


@way
def ordereddict():
    c = collections.OrderedDict(k=3.0)
    return (lambda x: np.sum(c["k"] * x)), lambda: c.update(k=4.0)


@way
def userdict():
    c = collections.UserDict(k=3.0)
    return (lambda x: np.sum(c["k"] * x)), lambda: c.update(k=4.0)


@way
def userlist():
    c = collections.UserList([3.0])
    return (lambda x: np.sum(c[0] * x)), lambda: c.__setitem__(0, 4.0)


@way
def deque():
    c = collections.deque([3.0])
    return (lambda x: np.sum(c[0] * x)), lambda: c.__setitem__(0, 4.0)


@way
def array_array():
    c = array.array("d", [3.0])
    return (lambda x: np.sum(c[0] * x)), lambda: c.__setitem__(0, 4.0)


@way
def ctypes_():
    c = ctypes.c_double(3.0)
    return (lambda x: np.sum(c.value * x)), lambda: setattr(c, "value", 4.0)


@way
def ctypes_array():
    c = (ctypes.c_double * 2)(3.0, 1.0)
    return (lambda x: np.sum(c[0] * x)), lambda: c.__setitem__(0, 4.0)


@way
def ctypes_struct():
    class S(ctypes.Structure):
        _fields_ = [("k", ctypes.c_double)]

    c = S(3.0)
    return (lambda x: np.sum(c.k * x)), lambda: setattr(c, "k", 4.0)


@way
def queue_():
    q = queue.Queue()
    q.put(3.0)
    return (lambda x: np.sum(q.queue[0] * x)), lambda: q.queue.__setitem__(0, 4.0)


@way
def threading_local():
    t = threading.local()
    t.k = 3.0
    return (lambda x: np.sum(t.k * x)), lambda: setattr(t, "k", 4.0)


@way
def np_record():
    r = np.array([(3.0,)], dtype=[("k", float)])
    return (lambda x: np.sum(r["k"][0] * x)), lambda: r["k"].fill(4.0)


@way
def np_recarray():
    r = np.array([(3.0,)], dtype=[("k", float)]).view(np.recarray)
    return (lambda x: np.sum(r.k[0] * x)), lambda: r["k"].fill(4.0)


@way
def np_object():
    r = np.array([types.SimpleNamespace(k=3.0)], dtype=object)
    return (lambda x: np.sum(r[0].k * x)), lambda: setattr(r[0], "k", 4.0)


@way
def np_view():
    b = np.array([3.0, 3.0])
    v = b[:1]
    return (lambda x: np.sum(v[0] * x)), lambda: b.fill(4.0)


@way
def np_0d():
    b = np.array(3.0)
    return (lambda x: np.sum(b * x)), lambda: b.fill(4.0)


@way
def np_masked():
    b = np.ma.array([3.0, 9.0], mask=[False, True])
    return (lambda x: np.sum(float(b.sum()) * x)), lambda: b.__setitem__(0, 4.0)


@way
def np_matrix_sub():
    class S(np.ndarray):
        pass

    b = np.array([3.0]).view(S)
    return (lambda x: np.sum(np.asarray(b)[0] * x)), lambda: b.fill(4.0)


@way
def scipy_csr():
    b = scipy.sparse.csr_matrix(np.eye(2) * 3.0)
    return (lambda x: np.sum(b @ x)), lambda: b.data.fill(4.0)


@way
def scipy_spline():
    s = scipy.interpolate.CubicSpline([0, 1, 2, 3], [3.0, 3.0, 3.0, 3.0])
    return (lambda x: np.sum(float(s(1.5)) * x)), lambda: s.c.__setitem__((3, slice(None)), 4.0)


@way
def np_poly():
    p = np.poly1d([3.0])
    return (lambda x: np.sum(p(1.0) * x)), lambda: p.coeffs.fill(4.0)


@way
def np_polynomial():
    p = np.polynomial.Polynomial([3.0])
    return (lambda x: np.sum(p(1.0) * x)), lambda: p.coef.fill(4.0)


@way
def np_vectorize():
    d = {"k": 3.0}
    v = np.vectorize(lambda t: d["k"])
    return (lambda x: np.sum(v(1.0) * x)), lambda: d.update(k=4.0)


@way
def np_frompyfunc():
    d = {"k": 3.0}
    v = np.frompyfunc(lambda t: d["k"], 1, 1)
    return (lambda x: np.sum(float(v(1.0)) * x)), lambda: d.update(k=4.0)


@way
def lru():
    d = {"k": 3.0}

    @functools.lru_cache
    def k():
        return d["k"]

    return (lambda x: np.sum(k() * x)), lambda: (d.update(k=4.0), k.cache_clear())


@way
def cachedprop():
    class A:
        b = 3.0

        @functools.cached_property
        def k(s):
            return s.b

    a = A()

    def ch():
        A.b = 4.0
        del a.k

    return (lambda x: np.sum(a.k * x)), ch


@way
def cachedprop2():
    class A:
        b = 3.0

        @functools.cached_property
        def k(s):
            return s.b

    a = A()
    return (lambda x: np.sum(a.k * x)), lambda: a.__dict__.update(k=4.0)


@way
def singledispatch():
    @functools.singledispatch
    def k(t):
        return 3.0

    return (lambda x: np.sum(k(1) * x)), lambda: k.register(int, lambda t: 4.0)


@way
def singledispatchmethod():
    class A:
        @functools.singledispatchmethod
        def k(s, t):
            return 3.0

    a = A()
    return (lambda x: np.sum(a.k(1) * x)), lambda: A.__dict__["k"].register(int, lambda s, t: 4.0)


@way
def partialmethod():
    class A:
        k = 3.0

        def f(s, m, x):
            return np.sum(s.k * m * x)

        g = functools.partialmethod(f, 1.0)

    a = A()
    return (lambda x: a.g(x)), lambda: setattr(a, "k", 4.0)


@way
def wraps_():
    d = {"k": 3.0}

    def deco(f):
        @functools.wraps(f)
        def w(x):
            return d["k"] * f(x)

        return w

    @deco
    def f(x):
        return np.sum(x)

    return f, lambda: d.update(k=4.0)


@way
def generator_fn():
    d = {"k": 3.0}

    def gen():
        yield d["k"]

    return (lambda x: np.sum(next(gen()) * x)), lambda: d.update(k=4.0)


@way
def genexp():
    held = [3.0]
    return (lambda x: np.sum(sum(v for v in held) * x)), lambda: held.__setitem__(0, 4.0)


@way
def comprehension():
    o = [types.SimpleNamespace(k=3.0)]
    return (lambda x: np.sum([v.k for v in o][0] * x)), lambda: setattr(o[0], "k", 4.0)


@way
def map_():
    d = {"k": 3.0}
    return (lambda x: np.sum(next(map(lambda t: d["k"], [1])) * x)), lambda: d.update(k=4.0)


@way
def sorted_key():
    d = {"k": 1}
    return (
        lambda x: np.sum(sorted([3.0, 4.0], key=lambda t: d["k"] * t)[0] * x)
    ), lambda: d.update(k=-1)


@way
def reduce_():
    held = [1.0, 2.0]
    return (lambda x: np.sum(functools.reduce(operator.add, held) * x)), lambda: held.__setitem__(
        0, 2.0
    )


@way
def match_class():
    class P:
        __match_args__ = ("k",)

        def __init__(s):
            s.k = 3.0

    p = P()

    def g(x):
        match p:
            case P(k):
                return np.sum(k * x)

    return g, lambda: setattr(p, "k", 4.0)


@way
def match_map():
    p = {"k": 3.0}

    def g(x):
        match p:
            case {"k": k}:
                return np.sum(k * x)

    return g, lambda: p.update(k=4.0)


@way
def match_seq():
    p = [3.0]

    def g(x):
        match p:
            case [k]:
                return np.sum(k * x)

    return g, lambda: p.__setitem__(0, 4.0)


@way
def super_call():
    class A:
        def k(s):
            return 3.0

    class B(A):
        def f(s, x):
            return np.sum(super().k() * x)

    b = B()
    return b.f, lambda: setattr(A, "k", lambda s: 4.0)


@way
def mro_changed():
    class A:
        k = 3.0

    class C:
        k = 4.0

    class B(A):
        pass

    b = B()
    return (lambda x: np.sum(b.k * x)), lambda: setattr(B, "__bases__", (C,))


@way
def class_changed():
    class A:
        k = 3.0

    class C:
        k = 4.0

    b = A()
    return (lambda x: np.sum(b.k * x)), lambda: setattr(b, "__class__", C)


@way
def method_replaced():
    class A:
        def k(s):
            return 3.0

    a = A()
    return (lambda x: np.sum(a.k() * x)), lambda: setattr(a, "k", lambda: 4.0)


@way
def method_replaced_cls():
    class A:
        def k(s):
            return 3.0

    a = A()
    return (lambda x: np.sum(a.k() * x)), lambda: setattr(A, "k", lambda s: 4.0)


@way
def isinstance_():
    class M(type):
        flag = False

        def __instancecheck__(c, o):
            return c.flag

    class A(metaclass=M):
        pass

    return (lambda x: np.sum((4.0 if isinstance(1, A) else 3.0) * x)), lambda: setattr(
        M, "flag", True
    )


@way
def abc_register():
    class A(abc.ABC):
        pass

    return (lambda x: np.sum((4.0 if isinstance(1, A) else 3.0) * x)), lambda: A.register(int)


@way
def hasattr_():
    class A:
        pass

    a = A()
    return (lambda x: np.sum((4.0 if hasattr(a, "k") else 3.0) * x)), lambda: setattr(a, "k", 1)


@way
def try_attr():
    class A:
        pass

    a = A()

    def g(x):
        try:
            k = a.k
        except AttributeError:
            k = 3.0
        return np.sum(k * x)

    return g, lambda: setattr(a, "k", 4.0)


@way
def try_key():
    d = {}

    def g(x):
        try:
            k = d["k"]
        except KeyError:
            k = 3.0
        return np.sum(k * x)

    return g, lambda: d.update(k=4.0)


@way
def try_name():
    globals().pop("ZZ", None)

    def g(x):
        try:
            k = ZZ
        except NameError:
            k = 3.0
        return np.sum(k * x)

    return g, lambda: globals().update(ZZ=4.0)


@way
def dict_get():
    d = {}
    return (lambda x: np.sum(d.get("k", 3.0) * x)), lambda: d.update(k=4.0)


@way
def dict_setdefault():
    d = {}
    return (lambda x: np.sum(d.setdefault("k", 3.0) * x)), lambda: d.update(k=4.0)


@way
def set_member():
    s = set()
    return (lambda x: np.sum((4.0 if 1 in s else 3.0) * x)), lambda: s.add(1)


@way
def weakdict():
    class Thing:
        pass

    o = Thing()
    d = weakref.WeakKeyDictionary({o: 3.0})
    return (lambda x: np.sum(d[o] * x)), lambda: d.__setitem__(o, 4.0)


@way
def weakval():
    class Thing:
        k = 3.0

    o = Thing()
    p = Thing()
    p.k = 4.0
    NS.keep = (o, p)
    d = weakref.WeakValueDictionary({"o": o})
    return (lambda x: np.sum(d["o"].k * x)), lambda: d.__setitem__("o", p)


@way
def weakmethod():
    class Thing:
        k = 3.0

        def f(s, x):
            return np.sum(s.k * x)

    o = Thing()
    NS.keep3 = o
    r = weakref.WeakMethod(o.f)
    return (lambda x: r()(x)), lambda: setattr(o, "k", 4.0)


@way
def environ():
    os.environ["ZZK"] = "3"
    return (lambda x: np.sum(float(os.environ["ZZK"]) * x)), lambda: os.environ.__setitem__(
        "ZZK", "4"
    )


@way
def getenv():
    os.environ["ZZK"] = "3"
    return (lambda x: np.sum(float(os.getenv("ZZK")) * x)), lambda: os.environ.__setitem__(
        "ZZK", "4"
    )


@way
def config_():
    c = configparser.ConfigParser()
    c["a"] = {"k": "3"}
    return (lambda x: np.sum(c.getfloat("a", "k") * x)), lambda: c["a"].__setitem__("k", "4")


@way
def argparse_ns():
    n = argparse.Namespace(k=3.0)
    return (lambda x: np.sum(n.k * x)), lambda: setattr(n, "k", 4.0)


@way
def json_():
    s = ["3"]
    return (lambda x: np.sum(float(json.loads(s[0])) * x)), lambda: s.__setitem__(0, "4")


@way
def exec_closure():
    ns = {"np": np, "k": 3.0}
    exec("def f(x): return np.sum(k*x)", ns)
    return ns["f"], lambda: ns.update(k=4.0)


@way
def exec_obj():
    o = types.SimpleNamespace(k=3.0)
    ns = {"np": np, "o": o}
    exec("def f(x): return np.sum(o.k*x)", ns)
    return ns["f"], lambda: setattr(o, "k", 4.0)


@way
def exec_prop():
    d = {"k": 3.0}
    ns = {"np": np, "d": d}
    exec(
        "class A:\n  @property\n  def k(s): return d['k']\na = A()\ndef f(x): return np.sum(a.k*x)",
        ns,
    )
    return ns["f"], lambda: d.update(k=4.0)


@way
def code_replaced():
    def h(x):
        return 3.0 * x

    def h2(x):
        return 4.0 * x

    return (lambda x: np.sum(h(x))), lambda: setattr(h, "__code__", h2.__code__)


@way
def operators_list():
    fs = [lambda x: 3.0 * x]
    return (lambda x: np.sum(fs[0](x))), lambda: fs.__setitem__(0, lambda x: 4.0 * x)


@way
def dict_of_methods():
    class A:
        k = 3.0

        def f(s, x):
            return s.k * x

    a = A()
    d = {"f": a.f}
    return (lambda x: np.sum(d["f"](x))), lambda: setattr(a, "k", 4.0)


@way
def bound_builtin():
    held = [3.0]
    pop = held.__getitem__
    return (lambda x: np.sum(pop(0) * x)), lambda: held.__setitem__(0, 4.0)


@way
def bound_dict_get():
    held = {"k": 3.0}
    get = held.get
    return (lambda x: np.sum(get("k") * x)), lambda: held.update(k=4.0)


@way
def cycle_in_partial():
    held = {"k": 3.0}
    g = functools.partial(held.get, "k")
    return (lambda x: np.sum(g() * x)), lambda: held.update(k=4.0)


@way
def range_changed():
    n = types.SimpleNamespace(n=3)

    def g(x):
        r = 0.0
        for _ in range(n.n):
            r = r + x
        return np.sum(r)

    return g, lambda: setattr(n, "n", 4)


@way
def nested_list():
    held = [[[3.0]]]
    return (lambda x: np.sum(held[0][0][0] * x)), lambda: held[0][0].__setitem__(0, 4.0)


@way
def tuple_of_arrays():
    t = (np.array([3.0]), 1)
    return (lambda x: np.sum(t[0][0] * x)), lambda: t[0].fill(4.0)


@way
def obj_of_obj():
    o = types.SimpleNamespace(a=types.SimpleNamespace(b=types.SimpleNamespace(k=3.0)))
    return (lambda x: np.sum(o.a.b.k * x)), lambda: setattr(o.a.b, "k", 4.0)


@way
def slots():
    class S:
        __slots__ = ("k",)

    s = S()
    s.k = 3.0
    return (lambda x: np.sum(s.k * x)), lambda: setattr(s, "k", 4.0)


@way
def str_template():
    t = string.Template("$k")
    d = {"k": "3"}
    return (lambda x: np.sum(float(t.substitute(d)) * x)), lambda: d.update(k="4")


@way
def str_format_map():
    d = {"k": "3"}
    return (lambda x: np.sum(float("{k}".format_map(d)) * x)), lambda: d.update(k="4")


@way
def str_format_obj():
    d = types.SimpleNamespace(k=3.0)
    return (lambda x: np.sum(float(f"{d.k}") * x)), lambda: setattr(d, "k", 4.0)


@way
def inspect_sig():
    import inspect

    def h(k=3.0):
        pass

    return (lambda x: np.sum(inspect.signature(h).parameters["k"].default * x)), lambda: setattr(
        h, "__defaults__", (4.0,)
    )


@way
def func_defaults_read():
    def h(k=3.0):
        pass

    return (lambda x: np.sum(h.__defaults__[0] * x)), lambda: setattr(h, "__defaults__", (4.0,))


@way
def class_doc():
    class A:
        "3.0"

    return (lambda x: np.sum(float(A.__doc__) * x)), lambda: setattr(A, "__doc__", "4.0")


@way
def annotations():
    class A:
        k: 3.0

    A.__annotations__["k"] = 3.0
    return (lambda x: np.sum(A.__annotations__["k"] * x)), lambda: A.__annotations__.update(k=4.0)


@way
def init_subclass_registry():
    class R:
        reg = {}

        def __init_subclass__(c, **k):
            R.reg[c.__name__] = c

    class A(R):
        k = 3.0

    return (lambda x: np.sum(R.reg["A"].k * x)), lambda: setattr(A, "k", 4.0)


@way
def borg():
    class B:
        _s = {"k": 3.0}

        def __init__(s):
            s.__dict__ = s._s

    return (lambda x: np.sum(B().k * x)), lambda: B._s.update(k=4.0)


@way
def singleton_new():
    class S:
        inst = None

        def __new__(c):
            if c.inst is None:
                c.inst = super().__new__(c)
                c.inst.k = 3.0
            return c.inst

    s = S()
    return (lambda x: np.sum(S().k * x)), lambda: setattr(s, "k", 4.0)


@way
def ctxmanager_fn():
    d = {"k": 3.0}

    @contextlib.contextmanager
    def cm():
        yield d["k"]

    def g(x):
        with cm() as k:
            return np.sum(k * x)

    return g, lambda: d.update(k=4.0)


@way
def copy_of():
    d = {"k": [3.0]}
    return (lambda x: np.sum(copy.deepcopy(d)["k"][0] * x)), lambda: d["k"].__setitem__(0, 4.0)


@way
def zip_():
    a = [3.0]
    return (lambda x: np.sum([u for u, v in zip(a, [1])][0] * x)), lambda: a.__setitem__(0, 4.0)


@way
def enumerate_():
    a = [3.0]
    return (lambda x: np.sum([u for i, u in enumerate(a)][0] * x)), lambda: a.__setitem__(0, 4.0)


@way
def max_():
    a = [3.0, 1.0]
    return (lambda x: np.sum(max(a) * x)), lambda: a.__setitem__(1, 4.0)


@way
def np_of_list():
    a = [3.0, 3.0]
    return (lambda x: np.sum(np.array(a) * x)), lambda: a.__setitem__(slice(None), [4.0, 4.0])


@way
def np_of_objlist():
    class F:
        k = 3.0

        def __array__(s, dtype=None, copy=None):
            return np.array([s.k, s.k])

    f = F()
    return (lambda x: np.sum(np.asarray(f) * x)), lambda: setattr(f, "k", 4.0)


@way
def array_interface():
    base = np.array([3.0, 3.0])

    class F:
        @property
        def __array_interface__(s):
            return base.__array_interface__

    f = F()
    return (lambda x: np.sum(np.asarray(f) * x)), lambda: base.fill(4.0)


@way
def expm_const():
    A = np.eye(2) * 3.0
    return (lambda x: np.sum(A @ x)), lambda: A.__imul__(4 / 3)


@way
def float_hex():
    a = ["0x1.8p+1"]
    return (lambda x: np.sum(float.fromhex(a[0]) * x)), lambda: a.__setitem__(0, "0x1p+2")


@way
def global_in_helper():
    global KH
    KH = 3.0

    def h():
        return KH

    def hh():
        return h()

    def ch():
        global KH
        KH = 4.0

    return (lambda x: np.sum(hh() * x)), ch


@way
def helper_rebound():
    global HB
    HB = lambda x: 3.0 * x

    def ch():
        global HB
        HB = lambda x: 4.0 * x

    return (lambda x: np.sum(HB(x))), ch


@way
def two_levels_property_in_package_class():
    f = fractions.Fraction(3)
    h = [f]
    return (lambda x: np.sum(float(h[0]) * x)), lambda: h.__setitem__(0, fractions.Fraction(4))


@way
def fraction_mut():
    f = fractions.Fraction(3)
    return (lambda x: np.sum(float(f) * x)), lambda: setattr(f, "_numerator", 4)


@way
def union_bool_or():
    a = types.SimpleNamespace(k=None)
    return (lambda x: np.sum((a.k or 3.0) * x)), lambda: setattr(a, "k", 4.0)


@way
def aug():
    a = [3.0]

    def g(x):
        s = 0.0
        s += a[0]
        return np.sum(s * x)

    return g, lambda: a.__setitem__(0, 4.0)


@way
def slicing_obj():
    class F:
        k = 3.0

        def __getitem__(s, i):
            return [s.k]

    f = F()
    return (lambda x: np.sum(f[0:1][0] * x)), lambda: setattr(f, "k", 4.0)


@way
def coroutine():
    d = {"k": 3.0}

    async def c():
        return d["k"]

    def g(x):
        co = c()
        try:
            co.send(None)
        except StopIteration as e:
            return np.sum(e.value * x)

    return g, lambda: d.update(k=4.0)


@way
def thread_inside():
    d = {"k": 3.0}

    def g(x):
        out = []
        t = threading.Thread(target=lambda: out.append(d["k"]))
        t.start()
        t.join()
        return np.sum(out[0] * x)

    return g, lambda: d.update(k=4.0)


@way
def pool_inside():
    from concurrent.futures import ThreadPoolExecutor

    d = {"k": 3.0}

    def g(x):
        with ThreadPoolExecutor(1) as e:
            return np.sum(e.submit(lambda: d["k"]).result() * x)

    return g, lambda: d.update(k=4.0)


@way
def jit_in_jit():
    import symtape

    d = {"k": 3.0}
    h = symtape.jit(lambda x: d["k"] * x)
    return (lambda x: np.sum(h(x))), lambda: d.update(k=4.0)


@way
def custom_grad():
    import symtape

    d = {"k": 3.0}

    @symtape.custom_gradient
    def h(x):
        return 3.0 * x, (lambda g: d["k"] * g)

    return (lambda x: np.sum(h(x))), lambda: d.update(k=4.0)


@way
def variable():
    import symtape

    v = symtape.Variable(3.0)
    return (lambda x: np.sum(v * x)), lambda: v.assign(4.0)


@way
def stop_grad():
    import symtape

    v = [3.0]
    return (lambda x: np.sum(symtape.stop_gradient(np.asarray(v[0])) * x)), lambda: v.__setitem__(
        0, 4.0
    )
