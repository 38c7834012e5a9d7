"""Compiled functions compute what the functions do, whatever the next call is of."""

from __future__ import annotations

import pickle
import struct
import sys
import threading
import traceback
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import symtape
from symtape.programs.specialised import function
from symtape.programs.specialised.function import CompiledFunction
from symtape.recording.structure import flatten


def same(one, other):
    """Whether two results are nested alike, and of the same bits."""
    ones, others = flatten(one), flatten(other)
    assert len(ones) == len(others)
    assert type(one) is type(other)
    for a, b in zip(ones, others, strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        if function.BACKEND == "numpy" or a is None:
            np.testing.assert_array_equal(a, b)
        else:
            np.testing.assert_allclose(a, b, rtol=1e-6 if a.dtype == np.float32 else 1e-13)


@pytest.fixture(autouse=True, params=["numpy", "auto"])
def backend(request, monkeypatch):
    """All of it by NumPy, and by what is best where llvmlite is installed."""
    if request.param == "auto":
        pytest.importorskip("llvmlite")
    monkeypatch.setattr(function, "BACKEND", request.param)
    return request.param


def branches(x):
    """Paths by sign and by order, and NaN goes where no comparison is true."""
    if x[0] > 0:
        return np.sum(x**3)
    if x[1] < x[-1]:
        return np.sum(np.sin(x) * x[0])
    return np.sum(np.exp(x))


@symtape.jit
def decorated(x):
    return np.tanh(x) * 2.0


POINTS = [
    np.array([1.0, 2.0, 3.0]),
    np.array([-1.0, 2.0, 3.0]),
    np.array([-1.0, 3.0, 2.0]),
    np.array([np.nan, 3.0, 2.0]),
    np.array([np.nan, np.nan, np.nan]),
    np.array([0.0, -0.0, 0.0]),
    np.array([-0.0, np.inf, -np.inf]),
    np.array([1.0, 2.0]),
    np.array([1.0, 2.0, 3.0], dtype=np.float32),
    np.arange(8.0)[::2] - 1,
    np.arange(8.0)[::-1] - 9,
    np.asfortranarray(np.arange(4.0)),
    np.arange(3.0).astype(">f8") - 1,
]


def test_decisions_on_sums_are_those_of_contiguous_arrays():
    """NumPy adds in the order in which numbers lie in memory."""

    def f(x):
        return np.sum(x * x) if np.sum(x) > 0 else -np.sum(x * x)

    draws = np.random.default_rng(0)
    for _ in range(10):
        x = draws.normal(size=(40, 5))
        x[-1, -1] -= np.sum(x)
        compiled = symtape.jit(symtape.grad(f))
        for array in (np.asfortranarray(x), x):
            same(compiled(array), symtape.grad(f)(x))
        assert compiled.programs == 1


@pytest.mark.parametrize("transform", [lambda f: f, symtape.grad, symtape.value_and_grad])
def test_another_path_shape_or_dtype_is_another_program(transform):
    eager = transform(branches)
    compiled = symtape.compile(eager, POINTS[0])
    with np.errstate(all="ignore"):
        for point in [*POINTS, *POINTS[::-1]]:
            same(compiled(point), eager(point))
    assert compiled.programs >= 6
    assert repr(compiled) == f"<compiled branches: {compiled.programs} programs>"


def test_programs_for_which_no_second_call_comes_are_made_no_more():
    def follow(x):
        total = x[0]
        for each in x:
            total = total * each if each > 0 else total - each
        return total

    draw = np.random.default_rng(0)
    compiled = symtape.jit(symtape.grad(follow))
    arguments = [draw.normal(size=20) for _ in range(30)]
    for x in arguments:
        same(compiled(x), symtape.grad(follow)(x))
    assert compiled.programs == 1 + function._MOST_IN_VAIN
    compiled(arguments[0])  # a program serves again, so that the next may
    compiled(draw.normal(size=20))
    assert compiled.programs == 2 + function._MOST_IN_VAIN


def test_hessians_and_jacobians():
    for transform in (symtape.hessian, symtape.jacobian):
        eager = transform(branches)
        compiled = symtape.jit(eager)
        for point in POINTS[:3]:
            np.testing.assert_allclose(compiled(point), eager(point), rtol=1e-14)


def test_programs_are_bounded_and_those_in_use_are_kept():
    compiled = symtape.jit(symtape.grad(lambda x: np.sum(x * x)), programs=3)
    for size in (1, 2, 3, 4, 5, 2, 1):
        same(compiled(np.ones(size)), np.full(size, 2.0))
        assert compiled.programs <= 3
    steps = symtape.jit(lambda x, n: np.sum(x) ** n, programs=2)
    assert [float(steps(np.ones(2), n)) for n in range(5)] == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert steps.programs == 2
    compiled.clear()
    assert repr(compiled) == "<compiled <lambda>: 0 programs>"


@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_a_call_begins_with_the_program_that_the_last_one_took(backend):
    def halved(x):
        """As many halvings as it takes, of an array, which no machine code takes by itself."""
        x = np.sort(x)
        while x[0] > 1.0:
            x = np.sort(x) / 2.0
        return np.sum(x * x)

    compiled = symtape.jit(symtape.grad(halved), programs=3, backend=backend)
    points = [np.array([scale, scale + 1.0]) for scale in (0.5, 1.5, 3.0, 6.0)]
    taken = {}
    for k in (0, 1, 2, 0, 0, 2, 1, 3, 1, 0):
        same(compiled(points[k]), symtape.grad(halved)(points[k]))
        assert taken.setdefault(k, compiled.sources[0]) == compiled.sources[0]
        assert compiled.programs <= 3
    assert taken[3] in compiled.sources  # and that of 2 is not, which waited longest
    assert taken[2] not in compiled.sources


@dataclass
class Model:
    w: Any
    kind: str = "linear"


TREES = [
    (lambda p: np.sum(p["w"] * p["b"]), ({"w": np.arange(3.0), "b": 2.0, "n": 3},)),
    (lambda p: p[0] * p[1], ([1.5, 2.5],)),
    (lambda p: p[0] * np.sum(p[1]), ((1.5, np.ones(2)),)),
    (lambda m: np.sum(m.w**2) if m.kind == "linear" else np.sum(m.w), (Model(np.ones(2)),)),
    (lambda m: np.sum(m.w**2) if m.kind == "linear" else np.sum(m.w), (Model(np.ones(2), "no"),)),
    (lambda x, y: np.sum(x) * y, (np.float32(2.0), 3.0)),
    (lambda x, w: np.sum(np.abs(np.fft.fft(x * w)) ** 4), (np.arange(3.0), np.arange(3) * 1j + 2)),
    (lambda z: np.sum(np.abs(np.exp(z["a"])) ** 2), ({"a": np.arange(3) * 1j + 1},)),
    (lambda z, n: abs(z**n) if z.real > 0 else abs(z), (-1.0 + 2j, 3)),
    (lambda z: abs(np.exp(z)), (np.complex64(1j),)),
]


def test_trees_of_arguments_are_those_of_the_transforms():
    for of, args in TREES:
        eager = symtape.grad(of)
        compiled = symtape.compile(eager, *args)
        for _ in range(2):
            found, wanted = compiled(*args), eager(*args)
            same(found, wanted) if not isinstance(found, Model) else same(found.w, wanted.w)
        assert compiled.programs == 1


def test_trees_of_tensors_take_the_program_of_their_values():
    for of, args in TREES:
        compiled = symtape.jit(of)
        compiled(*args)
        found, wanted = (symtape.grad(f)(*args) for f in (lambda *a: compiled(*a), of))  # noqa: B023
        same(found, wanted) if not isinstance(found, Model) else same(found.w, wanted.w)
        assert compiled.programs == 1


def test_an_option_that_changes_in_an_argument_is_another_program():
    def loss(m, scale=1.0, *, power=2):
        return scale * np.sum(m.w**power) if m.kind == "linear" else scale * np.sum(m.w)

    compiled, eager, model = symtape.jit(symtape.grad(loss)), symtape.grad(loss), Model(np.ones(2))
    for kind in ("linear", "other", "linear"):
        model.kind = kind
        same(compiled(model).w, eager(model).w)
        same(compiled(model, scale=3.0, power=3).w, eager(model, scale=3.0, power=3).w)


@pytest.mark.parametrize(
    "given",
    [
        np.arange(6),
        np.arange(6).reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=np.int8).reshape(2, 3)),
        np.arange(12)[::2],
        np.array(3),
        np.array([True, False] * 200),
        np.zeros((0, 3), np.uint16),
    ],
    ids=lambda x: f"{x.dtype}{x.shape}",
)
def test_whole_numbers_among_the_arguments_may_be_written_over(given):
    def loss(x, k):
        return np.sum(x * np.sum(k)) + x * len(k.strides) * k.flags.c_contiguous

    compiled, x = symtape.jit(symtape.grad(loss)), np.float64(0.5)
    for first in (given.flat[0] if given.size else 0, 1, 0, 5):
        given.flat[:1] = first
        for one in (given, given.copy(), np.ascontiguousarray(given)):
            assert compiled(x, one) == symtape.grad(loss)(x, one)
    before = compiled.programs
    compiled(x, given.copy("K"))
    assert compiled.programs == before


def test_results_are_arrays_of_their_own():
    def f(x):
        return x, x.T, x * 1.0, np.sum(x, axis=0), constant, x, np.tanh(np.tanh(x + 1) * x)

    constant = np.ones((40, 40))
    compiled, x = symtape.jit(f), np.random.default_rng(0).normal(size=(40, 40))
    first = compiled(x)
    kept = [np.copy(y) for y in first]
    for k, y in enumerate(first):
        assert y.flags.writeable
        for other in (x, constant, *first[k + 1 :]):
            assert not np.shares_memory(y, other)
    for y in compiled(x + 1):
        y[...] = np.nan
    for y, before in zip(first, kept, strict=True):
        np.testing.assert_array_equal(y, before)
    same(compiled(x), tuple(kept))


def test_arguments_may_be_anything_that_is_an_array():
    def f(a, b):
        return np.sum(np.sin(a) * b, axis=0) - a[0]

    eager, compiled = symtape.jacobian(f), symtape.jit(symtape.jacobian(f))
    x = np.arange(12.0).reshape(3, 4)
    locked = x.copy()
    locked.flags.writeable = False
    for a, b in [
        (x, x),
        (locked, x),
        (x, x[::-1]),
        (np.asfortranarray(x), x),
        (x[:, ::-1], x),
        (x[:0:-1], x[1:]),
        (np.broadcast_to(1.5, (3, 4)), x),
        (np.ones((2, 0)), np.ones((2, 0))),
        (np.ones((1, 1)), np.ones((1, 1))),
    ]:
        before = a.copy(), b.copy()
        np.testing.assert_allclose(compiled(a, b), eager(a, b), rtol=1e-15)
        np.testing.assert_array_equal((a, b), before)


def test_what_leaves_is_refused_with_its_line():
    def f(x):
        return x * struct.unpack("d", struct.pack("d", x))[0]

    with pytest.raises(symtape.errors.Escaped) as refused:
        symtape.compile(symtape.grad(f), 2.0)
    assert f"{__file__.rpartition('/')[2]}:{f.__code__.co_firstlineno + 1}" in str(refused.value)
    assert "escapes=" not in str(refused.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: symtape.compile(3.0), "function=3.0: expected a function"),
        (lambda: symtape.jit(abs, programs=0), "programs=0: expected a number of programs"),
        (lambda: symtape.jit(abs, backend="gcc"), "backend='gcc': expected one of 'auto', 'numpy'"),
        (lambda: symtape.jit(abs)(2), r"abs was given no array or number of floats: \(2\)"),
        (lambda: symtape.jit(abs)(np.ma.ones(2)), "a MaskedArray computes by rules of its own"),
        (lambda: symtape.jit(abs)(), r"abs was given no array or number of floats: \(\)"),
        (lambda: symtape.jit(lambda x: print(end=""))(2.0), "Is a 'return' missing"),
        (lambda: symtape.jit(lambda x, y: x)(2.0, (k for k in "a")), "argument 1 holds generator"),
        (
            lambda: symtape.jit(lambda x: x * np.random.rand())(2.0),  # noqa: NPY002
            "<lambda> .* draws random numbers",
        ),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


def test_without_llvmlite_programs_are_numpy(monkeypatch):
    for name in ("llvmlite", "llvmlite.binding"):
        monkeypatch.setitem(sys.modules, name, None)
    compiled = symtape.jit(lambda x: x * x, backend="auto")
    assert compiled(3.0) == 9.0
    assert "def program" in compiled.sources[0]
    with pytest.raises(symtape.errors.MissingExtra, match=r"pip install 'symtape\[llvm\]'"):
        symtape.jit(lambda x: x * x, backend="llvm")(3.0)


SCALE = 2.0
TABLE = {"scale": 2.0}


def test_what_a_function_reads_from_around_it_may_change(monkeypatch):
    module = sys.modules[__name__]
    weights, variable, step = np.ones(3), symtape.Variable(2.0), 1.0

    def inner(x):
        return x * SCALE * TABLE["scale"]

    def f(x, extra=weights):
        return np.sum(inner(x) * weights * variable * step + x * extra[0])

    compiled, eager, x = symtape.jit(symtape.grad(f)), symtape.grad(f), np.arange(3.0)
    same(compiled(x), eager(x))
    assert compiled.programs == 1
    same(compiled(x), eager(x))

    def changes():
        weights[1] = 5.0
        yield
        variable.assign(3.0)
        yield
        monkeypatch.setattr(module, "SCALE", 7.0)
        yield
        monkeypatch.setitem(TABLE, "scale", 11.0)
        yield

    for _ in changes():
        before = compiled(x)
        same(before, eager(x))
    nonlocal_step = 4.0
    step = nonlocal_step
    same(compiled(x), eager(x))


class Settings:
    """What can be written down in no file."""

    def __init__(self):
        self.lock = threading.Lock()
        self.scale = 2.0
        self.data = np.ones(2)
        self.inner = {"by": lambda x: x * 3.0, "power": 2}

    def value(self, x):
        return np.sum(self.inner["by"](x) ** self.inner["power"] * self.scale * self.data)


def test_what_an_object_around_it_holds_may_change():
    settings, x = Settings(), np.array([1.0, 2.0])
    through_closure = symtape.jit(symtape.grad(lambda x: settings.value(x)))
    of_method = symtape.jit(symtape.grad(settings.value))

    def change(k):
        if k == 1:
            settings.scale = 5.0
        elif k == 2:
            settings.data[0] = 7.0
        elif k == 3:
            settings.inner["power"] = 3
        elif k == 4:
            settings.inner["by"] = lambda x: x - 1.0

    for k in range(5):
        change(k)
        wanted = symtape.grad(settings.value)(x)
        for compiled in (through_closure, of_method):
            same(compiled(x), wanted)
            same(compiled(x), wanted)


def test_threads_share_programs_and_no_buffers():
    def f(x):
        return np.sum(np.tanh(np.sin(x) * x + x) * np.exp(-x * x))

    eager, compiled = symtape.grad(f), symtape.jit(symtape.grad(f))
    points = [np.random.default_rng(k).normal(size=5000 + k % 3) for k in range(12)]
    wanted = [eager(x) for x in points]
    wrong = []

    def work(k):
        for _ in range(15):
            # Functions of vectors round otherwise than NumPy's.
            if not np.allclose(compiled(points[k]), wanted[k], rtol=1e-12, atol=1e-14):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(points))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []


def test_pickled_it_records_again():
    again = pickle.loads(pickle.dumps(symtape.compile(symtape.hessian(branches, (0,)), POINTS[0])))
    assert isinstance(again, CompiledFunction)
    assert again.programs == 0
    same(again(POINTS[0])[0][0], symtape.hessian(branches)(POINTS[0]))
    assert pickle.loads(pickle.dumps(decorated)) is decorated


def test_an_error_says_which_line_of_the_users_it_belongs_to():
    def f(x):
        return np.linalg.inv(x)

    compiled = symtape.compile(f, np.eye(2))
    with pytest.raises(np.linalg.LinAlgError) as raised:
        compiled(np.zeros((2, 2)))
    said = "".join(traceback.format_exception(raised.value))
    line = f.__code__.co_firstlineno + 1
    assert f":{line} computes" in said or f"line {line}, in f" in said
    assert "def program" not in said


def test_tapes_see_the_operations_of_a_program():
    x = np.array([0.5, 1.5])
    compiled = symtape.compile(lambda x: np.sum(+x * 1.0 * np.sin(x)), x)
    graph = symtape.record(compiled, x)
    assert [node.name for node in graph.nodes] == ["input", "sin", "multiply", "sum"]
    plain = symtape.grad(lambda x: np.sum(x * np.sin(x)))
    np.testing.assert_allclose(symtape.grad(compiled)(x), plain(x), rtol=1e-15)
    with symtape.GradientTape() as tape:
        v = symtape.Variable(3.0)
        y = symtape.jit(lambda x: np.sum(x * v))(x)
    assert tape.gradient(y, v) is not None


def test_what_is_nested_otherwise_is_another_program():
    """The last program is asked first, and looks at its arguments itself."""

    def f(x, y=None):
        return x * 2.0 if y is None else x[0] * y if isinstance(x, list) else x - y

    compiled = symtape.jit(f)
    x, y = np.array([1.0, 2.0]), np.array([5.0, 3.0])
    for _ in range(2):
        for args in [(x,), (x, y), ([x, y], y), ([x], y), (x, y), ([x, y], x), (x,)]:
            for _ in range(2):
                same(compiled(*args), f(*args))
        same(compiled(x, y=y), x - y)


def test_a_program_is_not_asked_once_its_surroundings_have_changed(monkeypatch):
    compiled = symtape.jit(lambda x: x * SCALE + np.sum(x))
    x = np.arange(3.0)
    for scale in (2.0, 3.0, 2.0):
        monkeypatch.setattr(sys.modules[__name__], "SCALE", scale)
        for _ in range(3):
            same(compiled(x), x * scale + 3.0)
