"""Every primitive of the installed JAX is read, or refused with a reason."""

from __future__ import annotations

import gc
import importlib
import warnings

import numpy as np
import pytest

import symtape
from symtape.errors import Unreadable
from symtape.frontends.jaxpr.replay import load_readings
from symtape.frontends.jaxpr.table import READINGS, REFUSALS

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax", reason="reading JAX needs jax: pip install 'symtape[jax]'")

PARTS = [
    "jax.scipy.linalg",
    "jax.scipy.special",
    "jax.extend.core.primitives",
    "jax._src.interpreters.mlir",
    "jax._src.interpreters.ad",
]


def primitives() -> set[str]:
    """The names of all primitives that the public modules of JAX define."""
    core = importlib.import_module("jax._src.core")
    for part in PARTS:
        importlib.import_module(part)
    mlir, ad = (importlib.import_module(part) for part in PARTS[-2:])
    found = {one.name for one in (*mlir._lowerings, *ad.primitive_jvps)}
    gc.unfreeze()  # tests/conftest.py hides what was there before the tests
    found |= {one.name for one in gc.get_objects() if issubclass(type(one), core.Primitive)}
    return {name for name in found if not name.startswith("test_")}


def test_every_primitive_is_accounted_for():
    load_readings()
    missing = primitives() - READINGS.keys() - REFUSALS.keys()
    assert not missing, f"neither read nor refused: {sorted(missing)}"


def test_none_is_both_read_and_refused():
    load_readings()
    assert not READINGS.keys() & REFUSALS.keys()


def test_a_reason_is_a_sentence_about_it():
    load_readings()
    assert all(len(reason.split()) > 5 for reason in REFUSALS.values())


def _fft(x):
    return jax.numpy.real(jax.numpy.fft.fft(x)).sum()


def _random(x):
    key = jax.random.PRNGKey(x[0].astype(int))
    return jax.random.normal(key, ()) + x[0]


def _next(x):
    return jax.numpy.nextafter(x, x + 1).sum()


def _bits(x):
    return jax.lax.bitcast_convert_type(x, jax.numpy.int64).astype(float).sum()


def _outside(x):
    return jax.pure_callback(np.sum, jax.ShapeDtypeStruct((), x.dtype), x)


def _general(x):
    return jax.lax.reduce(x, 0.0, lambda a, b: a + 2 * b, (0,))


REFUSED = {
    "convert_element_type": (_fft, "complex128"),
    "random_": (_random, "key"),
    "nextafter": (_next, "real numbers"),
    "bitcast_convert_type": (_bits, "bits"),
    "pure_callback": (_outside, "outside of JAX"),
    "reduce": (_general, "lax.scan"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_says_which_where_and_what_then(name):
    function, words = REFUSED[name]
    with pytest.raises(Unreadable) as caught:
        symtape.record(symtape.from_jax(function), np.array([0.5, 1.5]))
    message = str(caught.value)
    line = function.__code__.co_firstlineno
    assert name in message or name == "random_"
    assert words in message
    assert any(f"test_jaxpr_primitives.py:{line + k})" in message for k in (1, 2, 3)), message
    assert "evidence='sampled'" in message


def test_a_decision_in_python_is_refused_in_words():
    def decides(x):
        return x if x > 0 else -x

    with pytest.raises(Unreadable, match=r"decides decides in Python .*lax\.cond"):
        symtape.record(symtape.from_jax(decides), 1.0)


def test_a_value_taken_out_of_the_trace_is_refused_in_words():
    def converts(x):
        return np.asarray(x).sum()

    with pytest.raises(Unreadable, match="takes a value out of JAX's trace"):
        symtape.record(symtape.from_jax(converts), 1.0)
