"""Operations on other threads are recorded; threads with recordings of their own go undisturbed."""

from __future__ import annotations

import asyncio
import math
import queue
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import numpy as np
import pytest

import symtape
from symtape.errors import Escaped
from symtape.recording.stack import STACK

X = np.array([0.5, 2.0, -1.5])


@pytest.fixture(scope="module")
def pool():
    """Threads that were there before anything is recorded."""
    with ThreadPoolExecutor(3) as executor:
        list(executor.map(np.sin, range(6)))
        yield executor


def by_threads(function, xs):
    found = [None] * len(xs)

    def work(place):
        found[place] = function(xs[place])

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(xs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def by_thread_pool(function, xs):
    with ThreadPool(2) as workers:
        return workers.map(function, xs)


def by_executor(function, xs):
    with ThreadPoolExecutor(2) as executor:
        return list(executor.map(function, xs))


def by_asyncio(function, xs):
    async def gathered():
        return await asyncio.gather(*(asyncio.to_thread(function, x) for x in xs))

    return asyncio.run(gathered())


def by_queue(function, xs):
    waiting, done = queue.Queue(), queue.Queue()

    def work():
        place, x = waiting.get()
        done.put((place, function(x)))

    threads = [threading.Thread(target=work) for _ in xs]
    for thread in threads:
        thread.start()
    for item in enumerate(xs):
        waiting.put(item)
    for thread in threads:
        thread.join()
    return [y for _, y in sorted((done.get() for _ in xs), key=lambda item: item[0])]


WAYS = [by_threads, by_thread_pool, by_executor, by_asyncio, by_queue]
ways = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


@ways
def test_every_transform_follows_threads(way):
    def f(x):
        return sum(way(lambda t: t**3, list(x)))

    def rows(x):
        return np.stack(way(lambda t: t**3, list(x)))

    ones = np.ones(3)
    np.testing.assert_array_equal(symtape.grad(f)(X), 3 * X**2)
    np.testing.assert_array_equal(symtape.jacobian(rows)(X), np.diag(3 * X**2))
    np.testing.assert_allclose(symtape.hessian(f)(X), np.diag(6 * X), rtol=1e-15)
    np.testing.assert_allclose(symtape.hvp(f)(X, ones), 6 * X, rtol=1e-15)
    np.testing.assert_array_equal(symtape.vjp(rows, X)[1](ones)[0], 3 * X**2)
    np.testing.assert_array_equal(symtape.jvp(rows, (X,), (ones,))[1], 3 * X**2)
    np.testing.assert_array_equal(symtape.batch_jacobian(rows)(X[:, None])[:, 0, 0], 3 * X**2)


@ways
def test_recordings_follow_threads_with_their_lines(way):
    graph = symtape.record(lambda x: sum(way(lambda t: t**3, list(x))), X)
    assert graph.escapes == ()
    np.testing.assert_array_equal(graph.evaluate(2 * X), (np.sum((2 * X) ** 3),))
    cubes = [node for node in graph.nodes if node.name == "power"]
    assert len(cubes) == 3
    assert {node.origin.file for node in cubes} == {__file__}


def test_threads_from_before_the_recording_are_followed(pool):
    gradient = symtape.grad(lambda x: sum(pool.map(np.sin, list(x))))
    np.testing.assert_array_equal(gradient(X), np.cos(X))


@pytest.mark.parametrize(
    "slope",
    [
        lambda t: symtape.grad(lambda u: u**3)(t),
        lambda t: symtape.grad(lambda u: u**2 * t**2)(1.5),
        lambda t: np.sum(symtape.jacobian(lambda u: np.stack([u, u**3]))(t)),
        lambda t: symtape.jvp(lambda u: u**3, (t,), (1.0,))[1],
        lambda t: taped(t),
    ],
)
def test_derivatives_taken_in_threads_are_recorded(pool, slope):
    (expected,) = (symtape.grad(lambda x: sum(map(slope, list(x))))(X) for _ in "1")
    found = symtape.grad(lambda x: sum(pool.map(slope, list(x))))(X)
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    assert np.all(expected)


def taped(t):
    with symtape.GradientTape() as tape:
        tape.watch(t)
        y = t**3
    return tape.gradient(y, t)


def test_what_leaves_in_a_thread_is_refused_with_its_line(pool):
    def lossy(t):
        return struct.unpack("d", struct.pack("d", t))[0]

    line = lossy.__code__.co_firstlineno + 1
    with pytest.raises(Escaped, match=rf"struct\.pack\(\), at .*test_threads\.py:{line} in lossy"):
        symtape.grad(lambda x: sum(pool.map(lossy, list(x))))(X)
    with pytest.raises(Escaped, match=f"test_threads.py:{line}"):
        symtape.grad(lambda x: sum(by_thread_pool(lossy, list(x))))(X)


@pytest.mark.parametrize("way", [by_thread_pool, by_executor])
def test_functions_of_math_are_followed_in_threads(way):
    slope = symtape.grad(lambda x: sum(way(lambda t: math.sin(2 * t), list(x))))(X)
    np.testing.assert_allclose(slope, 2 * np.cos(2 * X), rtol=1e-15)


def test_a_graph_of_threads_is_the_same_each_time(pool):
    functions = [np.exp, lambda t: np.tanh(t) * 2, lambda t: np.sin(np.sin(t)) if t < 1 else t]

    def f(x):
        return sum(pool.map(lambda f, t: f(t), functions, list(x)))

    graphs = [symtape.record(f, X) for _ in range(20)]
    assert len({tuple(node.name for node in graph.nodes) for graph in graphs}) == 1
    assert len({tuple(step.node for step in graph.path) for graph in graphs}) == 1


def test_threads_with_tapes_of_their_own_do_not_disturb_each_other(pool):
    def slopes(k):
        return {float(symtape.grad(lambda x: np.sum(np.sin(x) * k))(np.ones(3))[0])}

    def many(k):
        return set().union(*(slopes(k) for _ in range(50)))

    expected = [slopes(k) for k in range(6)]
    assert list(pool.map(many, range(6))) == expected


def test_variables_that_another_thread_reads_are_not_watched(pool):
    v = symtape.Variable(2.0)
    with symtape.GradientTape() as tape:
        list(pool.map(lambda k: v * k, [1.0, 2.0]))
    assert tape.watched_variables() == ()


def test_nothing_is_left_recording(pool):
    with pytest.raises(ZeroDivisionError):
        symtape.grad(lambda x: sum(pool.map(lambda t: t * (1 / 0), list(x))))(X)
    assert list(STACK.recorders) == []
    assert pool.submit(lambda: list(STACK.recorders)).result() == []
