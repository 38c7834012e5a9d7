"""Functions and claims that answer differently to the same, which no verdict may stand on."""

from __future__ import annotations

import contextlib
import functools
import itertools
import random
import time

import numpy as np
import pytest

import symtape
import verify
from verify.model.verdict import Verdict

POINTS = {"at": [np.array([0.3, 0.7]), np.array([0.2, 0.1])]}
REGION = {"over": verify.box(-2, 2, shape=(2,)), "effort": 0.1}
CERTIFIED = pytest.mark.parametrize("where", [POINTS, REGION], ids=["at", "over"])
EVERYWHERE = pytest.mark.parametrize(
    "where",
    [POINTS, REGION, {**POINTS, "evidence": "sampled"}, {**REGION, "evidence": "sampled"}],
    ids=["at", "over", "at-sampled", "over-sampled"],
)


def energy(x):
    return np.sum(np.sin(x) ** 2)


def slope(x):
    return np.sin(2 * x)


class IfEqual:
    """The value of the last point is given again where the point is the same."""

    def __init__(self):
        self.x = None

    def __call__(self, x):
        if self.x is not None and np.array_equal(x, self.x):
            return self.value
        self.x, self.value = x, energy(x)
        return self.value


class Updated:
    """A part of the computation is kept, as objects for optimisers do."""

    def __init__(self):
        self.x = None

    def _update(self, x):
        if self.x is None or not np.array_equal(x, self.x):
            self.x, self.sines = x, np.sin(x)

    def __call__(self, x):
        self._update(x)
        return np.sum(self.sines**2)


def memo(key):
    """A dictionary of what was computed, by a key of the point."""

    def make():
        known = {}

        def f(x):
            if key(x) not in known:
                known[key(x)] = energy(x)
            return known[key(x)]

        return f

    return make


def one_number():
    """What is kept does not depend on the point at all."""
    known = []

    def f(x):
        if not known:
            known.append(energy(x))
        return known[0]

    return f


CACHES = {
    "the last point, compared": IfEqual,
    "a part of it": Updated,
    "str": memo(str),
    "repr": memo(repr),
    "the first answer": one_number,
}
OURS_OR_THEIRS = pytest.mark.parametrize("claimed", [slope, None], ids=["claimed", "tape"])


@pytest.mark.parametrize("make", CACHES.values(), ids=CACHES)
@OURS_OR_THEIRS
@CERTIFIED
def test_a_function_that_keeps_values_is_told_as_that(make, claimed, where):
    found = verify.gradient(make(), claimed=claimed, **where)
    assert found.verdict is Verdict.UNDECIDED
    assert "the function keeps values between calls (a cache): " in found.witness.message
    assert "clear or bypass the cache" in found.witness.message
    assert {point.verdict for point in found.points} == {Verdict.UNDECIDED}


@pytest.mark.parametrize("make", [IfEqual, Updated, memo(str)])
@CERTIFIED
def test_what_was_called_before_it_is_verified_is_no_excuse(make, where):
    f = make()
    for x in POINTS["at"]:
        f(x)
        with contextlib.suppress(symtape.errors.Escaped):  # Which says that a cache answered.
            symtape.record(f, x)
    found = verify.gradient(f, claimed=slope, **where)
    assert found.verdict is Verdict.UNDECIDED
    assert "keeps values between calls" in found.witness.message


def test_the_line_that_made_a_kept_tensor_is_named():
    found = verify.gradient(memo(str)(), claimed=slope, **POINTS)
    line = energy.__code__.co_firstlineno + 1
    assert f"made at tests/faults/test_repeatability.py:{line}," in found.witness.message


@pytest.mark.parametrize("key", [lambda x: tuple(map(float, x)), lambda x: x.tolist().__str__()])
def test_keys_of_numbers_are_told(key):
    found = verify.gradient(memo(key)(), claimed=slope, **POINTS)
    assert found.verdict is Verdict.UNDECIDED
    told = ("a value left the tape by", "keeps values between calls")
    assert any(words in found.witness.message for words in told)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("make", [memo(lambda x: x.tobytes()), IfEqual, Updated])
@pytest.mark.parametrize("where", [POINTS, REGION], ids=["at", "over"])
def test_samples_verify_a_cache_that_gives_the_right_values(make, where):
    found = verify.gradient(make(), claimed=slope, evidence="sampled", **where)
    assert found.verdict is Verdict.CORRECT


@pytest.mark.parametrize("make", [IfEqual, Updated, memo(str)])
def test_of_the_tape_samples_do_not_tell_what_a_cache_made_of_it(make):
    found = verify.gradient(make(), evidence="sampled", **REGION)
    assert found.verdict is Verdict.UNDECIDED
    assert "keeps values between calls" in found.witness.message


TABLE = np.array([1.0, 2.0])


@functools.cache
def table():
    """A constant that is made once, inside the first recording."""
    return symtape.constant(TABLE)


class Counting:
    """State that what is returned does not depend on."""

    calls = 0

    def __call__(self, x):
        self.calls += 1
        self.last = x
        return energy(x)


NO_CACHES = {
    "a constant made once": (lambda x: np.sum(x * table()), lambda x: TABLE + 0 * x),
    "state that nobody reads": (Counting(), slope),
    "a table of floats": (
        functools.partial(lambda scale, x: scale * energy(x), 2.0),
        lambda x: 2 * slope(x),
    ),
    "a generator of its own": (
        lambda x: energy(x) * np.random.default_rng(0).random(),
        lambda x: slope(x) * np.random.default_rng(0).random(),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("function", "claimed"), NO_CACHES.values(), ids=NO_CACHES)
@CERTIFIED
def test_what_is_no_cache_is_verified(function, claimed, where):
    assert verify.gradient(function, claimed=claimed, **where).verdict is Verdict.CORRECT


class Shared:
    """Value and gradient from one update, as scipy.optimize is given them."""

    def __init__(self):
        self.x = None

    def _update(self, x):
        if self.x is None or not np.array_equal(x, self.x):
            self.x, self.sines, self.cosines = np.array(x), np.sin(x), np.cos(x)

    def gradient(self, x):
        self._update(x)
        return 2 * self.sines * self.cosines


@CERTIFIED
def test_a_claim_may_keep_what_it_computed(where):
    assert verify.gradient(energy, claimed=Shared().gradient, **where).verdict is Verdict.CORRECT


def global_state(x):
    return np.random.rand()  # noqa: NPY002


def global_python(x):
    return random.random()


def of_a_generator():
    generator = np.random.default_rng(0)
    return lambda x: generator.random()


def counter():
    count = itertools.count()
    return lambda x: float(next(count))


START = time.perf_counter_ns()


def clock(x):
    # Since a machine was started, so much may have passed that a call makes no difference.
    return (time.perf_counter_ns() - START) * 1.0


def order():
    """What an order that changes makes of a sum."""
    turns = itertools.cycle([(1e16, 1.0, -1e16), (1e16, -1e16, 1.0)])
    return lambda x: functools.reduce(lambda a, b: a + b, next(turns))


DRAWS = {
    "numpy.random": (lambda: global_state, "the global random state of numpy.random: "),
    "random": (lambda: global_python, "the global random state of random: "),
    "a generator in a closure": (of_a_generator, "is not deterministic: "),
    "a counter": (counter, "is not deterministic: "),
    "the clock": (lambda: clock, "is not deterministic: "),
    "an order": (order, "is not deterministic: "),
}


@pytest.mark.parametrize(("make", "words"), DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("times", [False, True], ids=["added", "times"])
@EVERYWHERE
def test_a_function_without_a_single_value_is_told_as_that(make, words, times, where):
    draw = make()

    def f(x):
        return energy(x) * (1 + draw(x)) if times else energy(x) + draw(x)

    found = verify.gradient(f, claimed=slope, **where)
    assert found.verdict is Verdict.UNDECIDED
    assert words in found.witness.message
    assert "the function " in found.witness.message


@pytest.mark.parametrize(("make", "words"), DRAWS.values(), ids=DRAWS)
@EVERYWHERE
def test_a_claim_without_a_single_value_is_told_as_that(make, words, where):
    draw = make()
    # Where the point is 0 both answers are.
    found = verify.gradient(lambda x: np.sum(x**3), claimed=lambda x: x * draw(x), **where)
    assert found.verdict is Verdict.WRONG
    assert words in found.witness.message


def doubling(x):
    x *= 2
    return energy(x)


def sorting(x):
    x.sort()
    return energy(x)


def assigning(x):
    x[0] = 2 * x[0]
    return energy(x)


WRITING = pytest.mark.parametrize("function", [doubling, sorting, assigning])
DESCENDING = {"at": [np.array([2.0, 1.0])]}


@pytest.mark.long
@pytest.mark.slow
@WRITING
@pytest.mark.parametrize("where", [DESCENDING, REGION], ids=["at", "over"])
def test_a_function_that_writes_into_its_argument_is_judged_on_a_copy_and_told(function, where):
    found = verify.gradient(function, **where)
    assert found.verdict is Verdict.CORRECT
    assert "changes its argument x in place" in str(found)
    off = verify.gradient(function, claimed=lambda x: 1.5 * symtape.grad(function)(x), **where)
    assert off.verdict is Verdict.WRONG


@pytest.mark.parametrize(
    ("function", "where"),
    [(doubling, DESCENDING), (doubling, REGION), (sorting, DESCENDING), (assigning, DESCENDING)],
)
def test_sampled_a_function_that_writes_into_its_argument_is_told_as_that(function, where):
    found = verify.gradient(function, claimed=slope, evidence="sampled", **where)
    assert found.verdict is Verdict.UNDECIDED
    assert "the function changed its argument x in place" in found.witness.message


def test_noise_that_can_be_measured_is_left_to_the_samples():
    noise = np.random.default_rng(0)
    found = verify.gradient(
        lambda x: energy(x) * (1 + 1e-14 * noise.random()),
        claimed=slope,
        evidence="sampled",
        **POINTS,
    )
    assert found.verdict is Verdict.CORRECT


def test_a_transform_refuses_an_output_from_before_the_call():
    known = []

    def f(x):
        known.append(x * x)
        return known[0]

    gradient = symtape.grad(f)
    assert gradient(3.0) == 6.0
    with pytest.raises(symtape.errors.Escaped, match="a tensor kept from an earlier call"):
        gradient(3.0)


def test_of_a_tape_that_is_over_tensors_are_constants_as_tensorflow_has_it():
    x = symtape.constant(3.0)
    with symtape.GradientTape() as tape:
        tape.watch(x)
        kept = x * x
    with symtape.GradientTape() as later:
        later.watch(x)
        y = kept + x
    assert later.gradient(y, x).numpy() == 1.0
    assert tape.gradient(kept, x).numpy() == 6.0


def test_a_recording_inside_another_hands_on_its_tensors():
    inner = []

    def f(x):
        symtape.record(lambda y: inner.append(y * x) or y, 1.0)
        return inner[-1] + x

    assert symtape.record(f, 2.0).escapes == ()
