"""What a program cannot stand for is recorded again or refused; none gives a wrong number."""

from __future__ import annotations

import re
import sys
import threading
import types
import warnings

import numpy as np
import pytest

import symtape
from symtape.errors import NotTraceable, SymtapeError
from symtape.programs.specialised import recording
from symtape.recording.structure import flatten
from tests.symtape.programs.specialised.hostile import MAKERS, X, Y

CHANGES = "changes at each call what it reads from around it"
RULES = "computes by rules of its own"
KEY = "cannot be a key of a dict"
WITHOUT_LINE = (RULES, KEY, "")
"""Of arguments, of which there is no line; and of what an error of Python's says."""
REFUSED = {
    **dict.fromkeys(
        (
            *("counter_in_a_closure", "list_that_the_function_appends_to", "iterator_around"),
            *("attribute_that_a_method_counts", "array_that_the_function_writes_into"),
            *("generator_around", "map_around", "list_iterator_around", "text_stream_around"),
            *("generator_of_random_numbers_around", "generator_of_random_numbers_by_default"),
            *("generator_of_random_numbers_in_an_attribute", "count_returned"),
        ),
        CHANGES,
    ),
    **dict.fromkeys(
        (
            *("generator_as_an_argument", "dict_argument_filled", "list_argument_appended_to"),
            *("argument_written_into", "argument_added_to", "argument_by_out", "argument_sorted"),
        ),
        "changes one of its arguments",
    ),
    **dict.fromkeys(
        (
            *("unseeded_generator_inside", "unseeded_state_inside", "system_random"),
            *("random_bytes", "random_identity"),
        ),
        "calls (default_rng|RandomState|urandom) at ",
    ),
    "random_of_python_inside": "the recording is not the function",
    "shared_random_numbers": "draws random numbers",
    "clock": "calls time at ",
    "performance_counter": "calls perf_counter at ",
    "coroutine_inside": "calls run at ",
    "date": "calls now at ",
    "printing": "calls print at ",
    "printing_of_a_helper": "calls write at ",
    "logged": "calls warning at ",
    "file_that_is_read": "calls open at ",
    "file_that_numpy_reads": "calls load at ",
    "file_that_is_written": "calls open at ",
    "listing_of_a_folder": "calls (listdir|scandir) at ",
    "size_of_a_file": "calls stat at ",
    "asked_of_a_person": "",
    "count_of_threads": "calls active_count at ",
    "identity_of_an_argument": "the recording is not the function",
    "exact_type_of_a_number": "let it depend on values, not on types",
    "objects": "no array or number of floats",
    "fractions_as_argument": "no array or number of floats",
    "masked_array": RULES,
    "subclass": RULES,
    "matrix": RULES,
    **dict.fromkeys(
        (
            *("nothing_returned", "text_returned", "function_returned", "generator_function"),
            "coroutine",
        ),
        "the function returned .*expected",
    ),
    "division_by_zero_raises": "has NumPy raise floating-point errors",
    "division_by_zero_caught": "has NumPy raise floating-point errors",
    "lookup_by_a_value": KEY,
    "recursion_without_end": "calls itself more often than Python allows",
    "loop_without_end": "a program is made of 1,000 at most",
}
"""What is said of it; of all else compiled and eager are the same at every step of its life."""


TRANSFORMS = {"itself": lambda f: f, "gradient": symtape.grad}


@pytest.fixture(autouse=True)
def silent():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def outcome(call, args):
    """What a call returns, or the error that it raises; and its arguments afterwards."""
    try:
        return call(*args), args
    except Exception as error:  # noqa: BLE001 -- whatever users' code raises
        return error, args


def is_same(one, other):
    ones, others = flatten(one), flatten(other)
    if len(ones) != len(others):
        return False
    # Objects of one class, made in two worlds, are not equal themselves.
    numbers = (int, float, np.ndarray, np.generic)
    return all(
        np.allclose(a, b, rtol=1e-12, equal_nan=True)
        if isinstance(a, numbers)
        else a == b or type(a).__name__ == type(b).__name__
        for a, b in zip(ones, others, strict=True)
    )


@pytest.mark.parametrize("how", TRANSFORMS)
@pytest.mark.parametrize("name", sorted(MAKERS.keys() - REFUSED.keys()))
def test_at_every_step_it_is_what_the_function_is(name, how):
    """Eager and compiled live in a world each, made alike."""
    (eager, steps), (function, others) = MAKERS[name](), MAKERS[name]()
    eager, compiled = TRANSFORMS[how](eager), symtape.jit(TRANSFORMS[how](function))
    for step, other in zip(steps, others, strict=True):
        wanted, args_of_eager = outcome(eager, step())
        found, args = outcome(compiled, other())
        if isinstance(wanted, Exception):
            assert type(found) is type(wanted), found
        else:
            assert not isinstance(found, Exception), found
            assert is_same(found, wanted)
            assert is_same(args, args_of_eager)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_no_program_can_be_is_refused_with_its_line(name, monkeypatch):
    monkeypatch.setattr(recording, "MOST_OPERATIONS", 1000)
    function, steps = MAKERS[name]()
    compiled = symtape.jit(function)
    found = [outcome(compiled, step())[0] for step in steps]
    refused = [one for one in found if isinstance(one, Exception)]
    assert refused
    assert compiled.programs <= len(found) - len(refused)
    for error in refused:
        assert isinstance(error, (SymtapeError, TypeError, RecursionError, OSError))
        assert re.search(REFUSED[name], str(error)), error
        if REFUSED[name] not in WITHOUT_LINE:
            assert "hostile.py:" in str(error)


@pytest.mark.parametrize("name", sorted(REFUSED.keys() - {"loop_without_end"}))
def test_its_derivative_is_refused_or_right(name):
    (eager, steps), (function, others) = MAKERS[name](), MAKERS[name]()
    eager, compiled = symtape.grad(eager), symtape.jit(symtape.grad(function))
    for step, other in zip(steps, others, strict=True):
        (wanted, _), (found, _) = outcome(eager, step()), outcome(compiled, other())
        assert isinstance(found, Exception) or is_same(found, wanted)


def test_a_memory_that_is_filled_once_is_a_program():
    function, _ = MAKERS["dict_that_the_function_fills_once"]()
    compiled = symtape.jit(symtape.grad(function))
    for _ in range(3):
        np.testing.assert_array_equal(compiled(X), [3.0, 3.0])
    assert compiled.programs == 1


def test_what_writes_into_an_argument_has_not_done_so():
    for name in ("argument_written_into", "argument_added_to", "argument_by_out"):
        function, _ = MAKERS[name]()
        x = X.copy()
        with pytest.raises(NotTraceable, match="changes one of its arguments"):
            symtape.jit(function)(x)
        np.testing.assert_array_equal(x, X)


def test_an_error_that_was_caught_is_refused():
    """Recorded where it comes, a program of what is done then would be one for all arguments."""
    for name, at in [
        ("singular_matrix_caught", np.zeros((2, 2))),
        ("not_positive_definite_caught", -np.eye(2)),
    ]:
        function, _ = MAKERS[name]()
        compiled = symtape.jit(function)
        with pytest.raises(NotTraceable, match=r"raised LinAlgError at .*hostile"):
            compiled(at)
        assert compiled(np.eye(2)) == 2.0
        assert compiled(at) == function(at)


def test_under_a_profiler_nothing_is_noted_and_the_profiler_stays():
    calls = []

    def profiler(frame, event, called):
        calls.append(event)

    sys.setprofile(profiler)
    try:
        compiled = symtape.jit(lambda x: np.sum(x * x))(X)
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
    assert compiled == 5.0
    assert calls
    symtape.jit(lambda x: np.sum(x * x))(X)
    assert sys.getprofile() is None


def test_what_a_program_does_not_see_of_its_arguments():
    """Said in the documentation: whether they lie together, or are one."""

    def f(x, y):
        return np.sum(x * y) if x is y else np.sum(x - y)

    compiled = symtape.compile(f, X, Y)
    assert compiled(X, X) == f(X, X.copy())
    compiled = symtape.compile(lambda x: np.sum(x) * x.strides[0], X)
    assert compiled(np.arange(4.0)[::2]) == 16.0


def test_threads_that_call_clear_and_change_one_function():
    """Each answer is that of the one value or of the other, at whatever shape."""
    settings = types.SimpleNamespace(scale=2.0)
    compiled = symtape.jit(symtape.grad(lambda x: np.sum(np.sin(x) * settings.scale)), programs=3)
    wrong, stop = [], threading.Event()

    def call(size):
        x = np.linspace(0.1, 1.0, size)
        for _ in range(40):
            found = compiled(x)
            if not any(np.allclose(found, k * np.cos(x), rtol=1e-14) for k in (2.0, 5.0)):
                wrong.append(found)

    def change():
        while not stop.is_set():
            settings.scale = 7.0 - settings.scale
            stop.wait(0.002)

    def clear():
        while not stop.is_set():
            compiled.clear()
            stop.wait(0.003)

    callers = [threading.Thread(target=call, args=(2 + k % 5,)) for k in range(8)]
    others = [threading.Thread(target=one) for one in (change, clear)]
    for one in (*callers, *others):
        one.start()
    for one in callers:
        one.join()
    stop.set()
    for one in others:
        one.join()
    assert wrong == []
    for scale in (2.0, 5.0):
        settings.scale = scale
        np.testing.assert_allclose(compiled(X), scale * np.cos(X), rtol=1e-14)
