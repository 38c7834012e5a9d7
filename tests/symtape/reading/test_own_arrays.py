"""Arrays that a function made of plain numbers, and writes what is differentiated into."""

from __future__ import annotations

import importlib.util
import itertools
import sys

import numpy as np
import pytest

import symtape
from symtape.errors import Escaped

A, B = np.array([0.2, 0.5, 0.7, 0.9]), np.array([0.3, 0.8, 0.33, 0.95])

MADE = {
    "a copy": "a.copy()",
    "a product": "a * 2",
    "by a ufunc": "np.sin(a)",
    "of another type": "a.astype(np.float64)",
    "a part of it": "np.sin(np.r_[a, a])[:4]",
    "looked at anew": "np.sin(a).reshape(2, 2).ravel()",
    "a linspace": "np.linspace(0, 1, 4)",
    "random": "np.random.default_rng(0).random(4)",
    "of a global array": "OUTER + 1",
    "by a function": "doubled(a)",
    "by one that keeps it": "kept(a)",
    "a choice": "a if a[0] > 9 else a * 3",
}

WRITTEN = {
    "an entry": "c[1] = b[0]",
    "a mask": "c[c > 0.4] = b[0]",
    "a slice": "c[1:3] += b[:2]",
    "all of it": "c *= b",
    "out": "np.multiply(c, b, out=c)",
    "put": "np.put(c, [0, 3], b[:2])",
    "put by the method": "c.put([0, 3], b[:2])",
    "filled": "c.fill(b[1])",
    "copyto": "np.copyto(c, b)",
    "a diagonal of a view": "np.fill_diagonal(c.reshape(2, 2), b[0])",
    "at": "np.add.at(c, [0, 1, 1], b[:3])",
    "in a loop": "for i in range(4): c[i] = c[i] * b[i]",
    "by another name": "d = c; d[2] = b[1]; c[0] = b[0]",
    "by a view": "d = c[1:]; d[0] = b[3]; c[3] = b[1]",
    "flat": "c.flat[1] = b[2]",
    "exchanged": "c[0], c[1] = b[1], b[0]",
    "place": "np.place(c, [True, False, True, False], b)",
    "put along an axis": "np.put_along_axis(c, np.array([2, 1]), b[:2], 0)",
    "putmask": "np.putmask(c, [True, False, True, False], b)",
    "sorted": "c *= b; c.sort()",
    "partitioned": "c *= b; c.partition(3)",
    "in a tuple": "held = (c,); held[0][1] = b[0]",
}

MODULE = """
import numpy as np
OUTER = np.array([0.2, 0.5, 0.7, 0.9])
KEPT = []
def doubled(a):
    t = np.cos(a)
    return t * 2
def kept(a):
    KEPT[:] = [np.cos(a)]
    return KEPT[0]
def function(a, b):
    c = {made}
    {written}
    return np.sum(c**2 * np.arange(1, 5)) + np.sum(KEPT)
"""


@pytest.fixture
def load(tmp_path):
    def load(made, written):
        path = tmp_path / "written.py"
        path.write_text(MODULE.format(made=made, written=written))
        spec = importlib.util.spec_from_file_location("written", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.mark.parametrize(("made", "written"), [*itertools.product(MADE, WRITTEN)])
def test_the_gradient_is_right_or_refused(load, made, written):
    module = load(MADE[made], WRITTEN[written])
    steps = 1e-6 * np.eye(4)
    quotients = [(module.function(A, B + h) - module.function(A, B - h)) / 2e-6 for h in steps]
    outer = module.OUTER.copy()
    try:
        found = symtape.grad(module.function, 1)(A, B)
    except (Escaped, symtape.errors.NotOnTape):
        assert made == "by one that keeps it" or written == "in a tuple"
        return
    np.testing.assert_allclose(found, quotients, atol=1e-6)
    np.testing.assert_array_equal(module.OUTER, outer)


def looks_on(frame, event, argument):
    """What a debugger does: in Python 3.11 and 3.12 the locals that it saw refer to each array."""
    assert frame.f_locals is not None
    return looks_on


@pytest.mark.parametrize("made", ["a product", "looked at anew", "by one that keeps it"])
def test_so_it_is_where_a_debugger_looks_on(load, made):
    module = load(MADE[made], WRITTEN["an entry"])

    def outcome():
        try:
            return symtape.grad(module.function, 1)(A, B).tolist()
        except (Escaped, symtape.errors.NotOnTape) as error:
            return type(error)

    alone, before = outcome(), sys.gettrace()
    sys.settrace(looks_on)
    try:
        watched = outcome()
    finally:
        sys.settrace(before)
    assert watched == alone == outcome()


@pytest.mark.parametrize("argnums", [1, (1,), "b", -1])
def test_of_what_left_no_gradient_is_0_for_other_arguments_are_plain(argnums):
    def packed(a, b):
        c = (a.copy(),)
        c[0][1] = b[0]
        return np.sum(c[0] ** 2)

    with pytest.raises(Escaped):
        symtape.grad(packed, argnums)(A, B)


def test_nor_of_one_that_is_given_by_name():
    def packed(a, b):
        c = (a.copy(),)
        c[0][1] = b[0]
        return np.sum(c[0] ** 2)

    with pytest.raises(Escaped):
        symtape.grad(packed, "b")(A, b=B)


def test_what_left_and_does_not_come_back_may_leave_by_any_argument():
    log = []

    def logged(a, b):
        log.append(float(b[0]))
        return np.sum(a * b**2)

    np.testing.assert_array_equal(symtape.grad(logged, 1)(A, B), 2 * A * B)
    np.testing.assert_array_equal(symtape.grad(logged, "b")(A, b=B), 2 * A * B)
