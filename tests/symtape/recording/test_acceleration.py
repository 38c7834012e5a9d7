"""The functions in C do what those in Python do: the same edges are noted, with the same bits."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import subprocess
import sys
import warnings
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.errors import NoGradient, NotOnTape
from symtape.numeric import reverse
from symtape.primitives.primitive import PRIMITIVES
from symtape.primitives.vocabulary import examples, vocabulary
from symtape.recording import acceleration, edges, tensor
from symtape.recording.stack import STACK
from verify.strategies import programs

pytestmark = pytest.mark.skipif(
    not acceleration.IS_ACCELERATED, reason="the tape runs in Python here"
)


ERRORS = (TypeError, ValueError, LookupError, ArithmeticError, NotOnTape, NoGradient)


@contextlib.contextmanager
def in_python():
    """Everything in Python, as where nothing was compiled."""
    with pytest.MonkeyPatch.context() as patch:
        for name, method in list(vars(symtape.Tensor).items()):
            if isinstance(method, acceleration.accelerated.Method):
                patch.setattr(symtape.Tensor, name, method.__wrapped__)
        patch.setattr(tensor, "accelerated", None)
        patch.setattr(edges, "sweep", reverse.sweep)
        yield


def observed(function, inputs):
    """What a function of tensors gives, with its edges and its gradient; or how it fails."""
    first = symtape.constant(0.0) * 0.0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with symtape.GradientTape(persistent=True) as tape:
            sources = [symtape.constant(x) for x in inputs]
            tape.watch([x for x in sources if x.dtype.kind in "fc"])
            try:
                output = function(*sources)
            except ERRORS as error:
                return type(error), str(error)
            parts = output if isinstance(output, tuple | list) else [output]
            target = sum(np.sum(part) for part in parts)
        try:
            found = tape.gradient(target, sources)
        except ERRORS as error:
            return type(error), str(error)
    width = reverse.WIDTH
    noted = [
        number(item, first._id) if place % width in (0, 2) else shown(item, first._id)
        for place, item in enumerate(tape._edges)
    ]
    return [bits(part) for part in (target, *found)], noted, tape._selects


def bits(x):
    if x is None:
        return None
    value = np.asarray(x._value if isinstance(x, symtape.Tensor) else x)
    return type(getattr(x, "_value", x)), value.dtype.str, value.shape, value.tobytes()


def number(identity, first):
    """An identity, counted from the `first`; of several outputs all of theirs."""
    if isinstance(identity, tuple):
        return tuple((number(one, first), *rest) for one, *rest in identity)
    return identity - first if identity > 0 else "constant"


def shown(item, first):
    """What an edge keeps, by what it holds."""
    if isinstance(item, symtape.Tensor):
        return number(item._id, first), bits(item)
    if isinstance(item, np.ndarray | np.generic):
        return bits(item)
    if isinstance(item, tuple):
        return tuple(shown(part, first) for part in item)
    return repr(item)


def agree(function, *inputs):
    compiled = observed(function, inputs)
    with in_python():
        assert observed(function, inputs) == compiled
    return compiled


@pytest.mark.parametrize("row", vocabulary(), ids=str)
def test_rows_are_recorded_alike(row):
    for inputs, params in examples(row):
        shapes = [inputs]
        if row.elementwise:
            shapes += [[np.array([x, x]) for x in inputs], [np.array([inputs[0]] * 2), *inputs[1:]]]
        for xs in shapes:
            agree(lambda *tensors, params=params: row(*tensors, **params), *xs)


@settings(max_examples=60, deadline=None)
@given(programs(size=6))
def test_random_programs_are_recorded_alike(program):
    agree(program.function, *program.point)


OPERANDS = st.sampled_from(
    [
        2,
        True,
        0.5,
        3 + 1j,
        np.float64(1.5),
        np.float32(1.5),
        np.int64(2),
        np.array(1.5),
        np.array([1.0, 2.0, 3.0]),
        np.array([1, 2, 3]),
        np.array([1.0, 2.0, 3.0], np.float32),
        np.array([1 + 1j, 2.0, 3.0]),
        np.array([[1.0], [2.0]]),
        [1.0, 2.0, 3.0],
        None,
        "text",
    ]
)
INPUTS = st.sampled_from(
    [
        np.array([0.5, 1.5, 2.5]),
        np.array(1.25),
        np.array([[0.5, 1.0, 2.0]]),
        np.array([0.5, 1.5, 2.5], np.float32),
        np.array([0.5, 1.5, 2.5j]),
        np.array([1, 2, 3]),
        np.zeros((0, 3)),
    ]
)
OPERATIONS = [
    lambda x, y: x + y,
    lambda x, y: y - x,
    lambda x, y: x * y * x,
    lambda x, y: y / x,
    lambda x, y: x @ y,
    lambda x, y: x**y,
    lambda x, y: -x + x**2,
    lambda x, y: np.maximum(x, y),
    lambda x, y: np.add(y, np.exp(x)),
    lambda x, y: np.multiply(x, x, y),
    lambda x, y: np.where(x > y, x, y),
    lambda x, y: np.stack([x, x * y, x]),
    lambda x, y: np.clip(x, y, 2.0),
    lambda x, y: np.sum(x * y, axis=0) + x[..., None],
    lambda x, y: x[y] * x[0] * x[::-1] * x[()],
    lambda x, y: np.reshape(x, -1)[0] * np.squeeze(x[..., 0]) + np.sum(x)[()],
    lambda x, y: x.__add__(),
    lambda x, y: x.__mul__(y, y),
]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(OPERATIONS), INPUTS, OPERANDS)
def test_odd_operands_are_treated_alike(operation, x, y):
    agree(lambda t: operation(t, y), x)


def test_a_variable_and_nested_tapes_are_treated_alike():
    def run():
        v = symtape.Variable([1.0, 2.0])
        with symtape.GradientTape() as outer:
            with symtape.GradientTape() as inner:
                y = np.sum(np.exp(v * v) / v)
            g = inner.gradient(y, v)
        return bits(g), bits(outer.gradient(g, v))

    compiled = run()
    with in_python():
        assert run() == compiled


def counts(things):
    return [sys.getrefcount(thing) for thing in things]


def test_nothing_is_kept_or_lost_but_what_the_tape_holds():
    x, w = np.array([0.5, 1.5]), np.array([2.0, 3.0])
    rows = [PRIMITIVES[name] for name in ("add", "multiply", "exp", "getitem", "sum")]
    held = [None, True, x, w, x.dtype, np.float64, symtape.Tensor, STACK, *rows]
    held += [row.rules for row in rows] + [rule for row in rows for rule in row.rules]

    def run():
        def loss(t):
            with contextlib.suppress(TypeError):
                t + "text"
            u = np.exp(t * w)[0] * t + t[0] ** 2 + np.maximum(t, 0.7)
            return np.sum(u * np.float64(2.0)) + u[np.array([0, 0])][1]

        return symtape.grad(loss)(x)

    def grown():
        run()
        before = counts(held)
        for _ in range(50):
            run()
        return np.subtract(counts(held), before)

    compiled = grown()
    with in_python():
        # NumPy itself keeps a reference to a dtype now and then.
        assert np.abs(compiled - grown()).max() < 10


def test_an_error_in_a_rule_leaves_the_tape_as_it_was():
    @symtape.custom_gradient
    def fail(x):
        def backward(upstream):
            raise RuntimeError("the rule failed")

        return x * 2.0, backward

    with symtape.GradientTape(persistent=True) as tape:
        x = symtape.constant(np.array([1.0, 2.0]))
        tape.watch(x)
        y = np.sum(x * x)
        z = np.sum(fail(x))
    with pytest.raises(RuntimeError, match="the rule failed"):
        tape.gradient(z, x)
    np.testing.assert_array_equal(tape.gradient(y, x), [2.0, 4.0])
    assert len(tape._edges) % reverse.WIDTH == 0


def test_what_python_hands_over_is_checked():
    c = acceleration.accelerated
    with pytest.raises(ValueError, match="'nothing'"):
        c.Method("nothing", None, len)
    with pytest.raises(ValueError, match="'nothing'"):
        c.Method(name="nothing", row=None, fallback=len)
    with pytest.raises(TypeError, match=r"\(1, 2\)"):
        c.sweep([(1, 2)], {}, set(), None)
    with pytest.raises(TypeError, match="3 arguments"):
        c.apply(None)
    with pytest.raises(TypeError):
        c.bind(int)
    assert c.apply(PRIMITIVES["add"], [1.0] * 20, {}) is NotImplemented
    two = [symtape.constant(1.0), 2.0]
    assert c.apply(PRIMITIVES["add"], two, MappingProxyType({})) is NotImplemented


def test_python_runs_alone_where_it_is_asked_for():
    code = "from symtape.recording import acceleration; print(acceleration.IS_ACCELERATED)"
    environment = os.environ | {"SYMTAPE_PURE_PYTHON": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
    assert importlib.util.find_spec("symtape.recording.accelerated") is not None
