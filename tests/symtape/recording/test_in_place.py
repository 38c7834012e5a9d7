"""Arrays that are written into are recorded as NumPy changes them, views and all."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.errors import ArgumentWarning, NotOnTape
from symtape.graph.freeze import record
from symtape.reading.readings import Reading
from symtape.recording.in_place import Buffer, lift_tensors
from symtape.recording.nested import lower_buffers
from symtape.recording.ufunc_at import _list_turns


def read(function, *arguments):
    return Reading(function)(*arguments)


START = np.array([0.5, 2.0, -0.75, 1.5])
OTHER = np.array([-1.25, 3.0, 2.5, 0.25])


def adds_to_slices(x):
    g = 2 * x
    g[:-1] += x[1:]
    g[1:] += x[:-1]
    return g


def subtracts_from_one_entry(x):
    p = np.exp(x) / np.sum(np.exp(x))
    p[0] -= 1
    return p


def writes_into_views_of_views(x):
    g = np.zeros((3, 4))
    g[1:][:1] += x
    g[0][1] = x[0]
    return g


def writes_into_rows(x):
    g = np.zeros((4, 2))
    for row, entry in zip(g, x, strict=True):
        row[:] = entry
        row[1] *= 2
    return g


def writes_into_columns(x):
    g = np.outer(x, x)
    g.T[0] = 1.0
    g[:, 1] -= x
    return g


def writes_into_a_reshaped_view(x):
    g = x * 3
    g.reshape(2, 2)[1, :] = -x[:2]
    g.ravel()[0] += 5
    return g


def assigns_a_shape(x):
    g = x * 3
    kept = g[:2]
    g.shape = 2, 2
    g[1] += g[0]
    g[0, 0] = x[3]
    kept.shape = (2, 1)
    return g @ kept


def writes_into_a_copy(x):
    g = x * 3
    kept = g.copy()
    kept[0] = 1
    return g + kept


def writes_backwards(x):
    g = x.copy()
    g[::-1][:2] = x[:2]
    np.flip(g)[0] += x[1]
    return g


def has_two_names(x):
    g = np.sin(x)
    h = g
    g += x
    return h * g


def rebinds_numbers(x):
    s = x[0] * 2
    t = s
    s += x[1]
    return np.array([s, t])


def adds_at_repeated_places(x):
    g = np.zeros(3)
    np.add.at(g, [0, 2, 0, 0], x)
    np.multiply.at(g, [0, 0], 1.5)
    return g


def assigns_repeated_places(x):
    g = np.zeros(2)
    g[[0, 0, 1, 1]] = x
    return g


def adds_to_picked_places(x):
    g = x * 1.0
    g[[0, 0, 2]] += x[:3]
    return g


def gives_results_a_place(x):
    g = np.empty_like(x)
    np.multiply(x, 2, out=g)
    np.add(g[1:], x[:-1], out=g[1:])
    np.cumsum(x, out=g[...])
    return g


def gives_some_results_a_place(x):
    g = np.ones_like(x)
    np.divide(1.0, x, out=g, where=np.array([True, False, True, True]))
    return g


def gives_places_by_a_tensor(x):
    g = np.zeros_like(x)
    np.log(x, out=g, where=x > 0)
    return g


def writes_where_a_mask_says(x):
    g = x**2
    g[x > 1] = 1.0
    g[x < 0] *= -1
    return g


def writes_picked_values_where_a_mask_says(x):
    g = np.zeros_like(x)
    g[x > 0] = x[x > 0] ** 2
    return g


def writes_where_a_tensor_points(x):
    g = np.zeros_like(x)
    g[np.argmax(x)] = 1.0
    return g * x


def writes_diagonals(x):
    g = np.outer(x, x)
    np.fill_diagonal(g, x)
    g[np.arange(3), np.arange(1, 4)] = 0.0
    return g


def writes_by_functions(x):
    g = x + 1
    np.put(g, [0, -1], x[1])
    np.copyto(g, x, where=np.array([False, True, False, False]))
    np.putmask(g, np.array([False, False, True, False]), x)
    g.fill(3) if len(g) > 10 else None
    return g


def sorts_in_place(x):
    g = x * 2
    g.sort()
    return g


def adds_to_a_plain_array(x):
    g = np.linspace(0.0, 1.0, 4)
    g += x
    return g


def writes_the_entries_of_a_matrix_of_constants(x):
    h = 2 * np.eye(2)
    h[0, 1] = h[1, 0] = x[0]
    return h


def writes_through_flat(x):
    g = np.zeros((2, 2)).T
    g.flat[1] = x[1]
    return g


def reads_views_after_writing(x):
    g = np.array(x)
    head = g[:2]
    g[0] = x[3]
    return head * 2


def shifts_an_overlap(x):
    g = x.copy()
    g[1:] = g[:-1]
    g[:-1] += g[1:]
    return g


def writes_into_an_array_without_axes(x):
    total = np.zeros(())
    other = total
    for entry in x:
        total += entry
    return other * 1.0


def makes_arrays_of_nested_lists(x):
    deep = np.array([[[x[0], 1], [np.exp(x[1]), 2.5]], [[0, x[2]], (x[3], x[0] * 2)]])
    deep[0, 1, 1] += np.array([x[1], True, 3])[0]
    return deep + np.array([[x[:2], [4, 5]], [x[2:], [6, x[3]]]])


def splits_into_views(x):
    g = x * 1.0
    head, tail = np.split(g, 2)
    head += tail
    tail[...] = 0.0
    return g


FOLLOWED = [
    value
    for value in list(globals().values())
    if callable(value)
    and getattr(value, "__module__", "") == __name__
    and value is not read
    and value.__code__.co_argcount
]


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # NumPy 2.5, of users
@pytest.mark.parametrize("function", FOLLOWED, ids=lambda f: f.__name__)
def test_what_is_written_in_place_is_recorded(function):
    graph = record(lambda x: read(function, x), START)
    assert not graph.escapes
    for x in (START, OTHER) if not graph.path else (START,):
        if function in (writes_where_a_tensor_points, writes_picked_values_where_a_mask_says):
            x = START
        with np.errstate(invalid="ignore"):
            (value,) = graph.evaluate(x)
        np.testing.assert_array_equal(value, function(x))
        assert np.shape(value) == np.shape(function(x))


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # NumPy 2.5, of users
@pytest.mark.parametrize("function", FOLLOWED, ids=lambda f: f.__name__)
def test_derivatives_go_through_what_is_written(function):
    slope = symtape.jacobian(lambda x: read(function, x))(START)
    step = 1e-6 * np.eye(4)
    for column in range(4):
        near = (function(START + step[column]) - function(START - step[column])) / 2e-6
        np.testing.assert_allclose(slope[..., column], near, atol=1e-7)


def test_what_a_tape_keeps_is_what_was_there():
    x = symtape.constant(START)
    with symtape.GradientTape() as tape:
        tape.watch(x)
        g = lift_tensors(x)
        y = g * g
        g[:] = 0.0
        total = lower_buffers(np.sum(y) + np.sum(g))
    np.testing.assert_array_equal(tape.gradient(total, x).numpy(), 2 * START)


def test_an_argument_is_its_callers_and_not_to_be_written_into():
    def writes(x):
        x[1:][0] = 1.0
        return x

    with pytest.warns(ArgumentWarning, match="writes into its argument 0"):
        graph = record(lambda x: read(writes, x), START)
    np.testing.assert_array_equal(graph.evaluate(START)[0], [START[0], 1.0, *START[2:]])


def test_a_view_that_numpy_does_not_write_into_is_refused():
    with pytest.raises(ValueError, match="read-only"):
        np.broadcast_to(Buffer(np.zeros(2)), (3, 2))[0] = 1.0


def test_what_cannot_be_followed_is_refused():
    with pytest.raises(NotOnTape, match="plain array"):
        np.put(np.zeros(2), [0], Buffer(np.ones(1)))
    with pytest.raises(NotOnTape, match="twice"):
        Buffer(np.zeros(2))[lift_tensors(symtape.constant([0, 0]))] = [1.0, 2.0]


def flattened_in_place(a):
    flat = a[:]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of NumPy 2.5 on
            flat.shape = (-1,)
    except AttributeError:
        return a
    return flat


VIEWS = [
    flattened_in_place,
    lambda a: a[1:],
    lambda a: a[::-1],
    lambda a: a.T,
    lambda a: a[..., 0],
    lambda a: a[0],
    lambda a: a.reshape(-1),
    lambda a: np.swapaxes(a, 0, -1),
    lambda a: a[None],
    lambda a: a[:, None] if a.ndim > 1 else a[:, None].T,
    lambda a: a[np.int64(-1)],
    lambda a: a[np.array([0, -1])],
    lambda a: a[:, ::2] if a.ndim > 1 else a[::2],
    lambda a: a.copy(),
    lambda a: a[[0, 0]],
    lambda a: np.ravel(a),
    lambda a: np.diagonal(a) if a.ndim == 2 else a,
]


def add_one(a):
    a += 1


def double_the_first(a):
    a[:1] *= 2


def exchange_the_ends(a):
    a[np.array([0, -1])] = 2.0 * a[np.array([-1, 0])]


def set_the_ends(a):
    a[np.array([-1, 0])] = 3.0
    a[..., :-1] = 2.0


def write_the_last_entry_over_the_first(a):
    a[(0,) * a.ndim] = a[(np.int64(-1),) * a.ndim] + 1


def take_all(a):
    a[...] = 3 * a - 1


def add_at_the_first(a):
    if a.size:
        np.add.at(a, [0, 0], 0.5)


def write_two_parts(a):
    a[..., -1:] = np.sqrt(np.abs(a[..., -1:]) + 1)
    a[::-2] = np.cos(a[::-2]) + a[:1]


def write_by_a_mask(a):
    mask = np.arange(a.size).reshape(a.shape) % 3 != 1
    a[mask] = np.sin(a[mask]) - 3
    mask[...] = False  # nobody looks at it again


ROWS = {
    "an array": np.array([2, 0, -1, 2]),
    "a list": [1, 1, 0, 2],
    "two axes of numbers": np.array([[2, 0], [2, 2]]),
    "a number": 1,
    "a slice": slice(1, None),
    "a mask": np.array([True, False, True]),
    "pairs": ([2, 0, 2], [1, 0, 1]),
    "numbers and a slice": (np.array([1, 1]), slice(None, 1)),
    "nothing": np.array([], int),
}


@pytest.mark.parametrize("dtype", [float, complex, int])
@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply])
@pytest.mark.parametrize("name", ROWS)
@given(seed=st.integers(0, 99), begins_at_zero=st.booleans())
@settings(deadline=None, max_examples=5)
def test_what_is_added_at_places_has_the_bits_of_numpy(name, ufunc, dtype, seed, begins_at_zero):
    random, index = np.random.default_rng(seed), ROWS[name]
    draw = lambda shape: (9 * random.normal(size=shape)).astype(dtype)  # noqa: E731
    plain = np.zeros((3, 2), dtype) if begins_at_zero else draw((3, 2))
    recorded = Buffer(plain)
    for added in (draw(plain[index].shape), draw(()), draw(plain[index].shape)):
        ufunc.at(plain, index, added)
        ufunc.at(recorded, index, added)
    np.testing.assert_array_equal(recorded.numpy(), plain)


def fills_by_elements(x):
    h = np.zeros(9)
    h[0] = x[0]
    for t in range(1, 9):
        h[t] = 0.5 * h[t - 1] + x[1] * h[max(t - 3, 0)]
    return h


def fills_by_rows(x):
    h = np.empty((7, 4))
    h[0] = x
    for t in range(1, 7):
        h[t] = h[t - 1] * x + h[t - 1, 2]
    return h


def fills_rows_and_elements(x):
    h = np.empty((7, 4))
    h[0] = x
    for t in range(1, 7):
        h[t] = h[t - 1] * x
        h[t, 2] = h[t, 1] + h[t - 1, 3]
    return h


def fills_a_part(x):
    h = np.ones((4, 4))
    for i in range(4):
        h[i, i] = x[i]
        h[3 - i, i] += 2 * x[i]
    h[1:3, 1:3] *= x[2:]
    return h


def writes_over_what_it_wrote(x):
    h = 1.0 * x
    for t in range(12):
        h[t % 4] = h[(t + 1) % 4] * h[t % 4] - t
    return h


def reads_parts_between(x):
    h = np.zeros(6)
    for t in range(6):
        h[t] = x[t % 4] + np.sum(h[:t]) + h[::2][1]
    return h[1:] - h[:-1]


FILLS = [
    *(fills_by_elements, fills_by_rows, fills_rows_and_elements, fills_a_part),
    *(writes_over_what_it_wrote, reads_parts_between),
]


@pytest.mark.parametrize("fill", FILLS)
def test_arrays_that_loops_fill_are_those_of_numpy(fill):
    np.testing.assert_array_equal(record(Reading(fill), START).evaluate(OTHER)[0], fill(OTHER))


@pytest.mark.parametrize("fill", FILLS[:2])
def test_an_array_that_a_loop_fills_is_made_once(fill):
    graph = record(Reading(fill), START)
    assert sum(node.shape == fill(START).shape for node in graph.nodes) == 1
    assert not any(node.name == "where" for node in graph.nodes)


@pytest.mark.parametrize("index", [(slice(1, None), 1), 0, (1, slice(None, None, 2)), slice(1, 2)])
def test_all_of_a_view_is_written_by_the_index_that_it_was_taken_by(index):
    plain, held = np.arange(12.0).reshape(3, 4), Buffer(np.arange(12.0).reshape(3, 4))
    for y in plain, held:
        y[index] *= 3.0
        view = y[index]
        view += 2.0
        y[index] = view
    assert held._storage._indices[1:] == [index if type(index) is tuple else (index,)] * 2
    np.testing.assert_array_equal(held.__array__(), plain)


def puts_a_triangle(x):
    lower = np.zeros((2, 2))
    lower[np.tril_indices(2)] = 2 * x[:3]
    return lower


def test_numbers_at_indices_are_put_into_zeros_by_one_operation():
    graph = record(Reading(puts_a_triangle), START)
    assert [node.name for node in graph.nodes if node.inputs] == ["getitem", "multiply", "scatter"]
    found = read(puts_a_triangle, np.array([-0.0, 0.0, -1.0]))
    np.testing.assert_array_equal(np.signbit(found), [[True, False], [False, True]])


@given(st.lists(st.integers(0, 4)))
def test_turns_take_each_place_once_and_keep_the_order_of_its_occurrences(places):
    turns = [turn.tolist() for turn in _list_turns(np.array(places, int))]
    assert sorted(k for turn in turns for k in turn) == [*range(len(places))]
    for number, turn in enumerate(turns):
        assert turn == sorted(turn)
        assert all(places[:k].count(places[k]) == number for k in turn)


def test_what_was_written_is_of_the_tape_that_was_there():
    x = symtape.constant(START[:2])
    with symtape.GradientTape() as tape, symtape.GradientTape(persistent=True) as other:
        tape.watch(x)
        other.watch(x)
        y, z = Buffer(np.zeros(3)), Buffer(np.zeros(3))
        for k in range(2):
            y[k], z[k] = x[k] ** 2, 5.0 * x[k]
        with other.stop_recording():
            assert np.sum(z) == 5.0 * (x[0] + x[1])
            z[2] = y[1]
    np.testing.assert_array_equal(tape.gradient(y, x), 2 * START[:2])
    np.testing.assert_array_equal(other.gradient(y, x), 2 * START[:2])
    assert other.gradient(z, x) is None


CHANGES = [
    *(add_one, double_the_first, take_all, add_at_the_first),
    *(write_two_parts, write_by_a_mask, write_the_last_entry_over_the_first),
    *(exchange_the_ends, set_the_ends),
]


@settings(deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from(VIEWS), st.sampled_from(CHANGES)), max_size=8
    )
)
def test_any_writes_through_any_views_are_numpys(steps):
    plain = [np.arange(6.0).reshape(2, 3)]
    ours = [Buffer(plain[0].copy())]
    for number, view, change in steps:
        at = number % len(plain)
        if not plain[at].ndim or not plain[at].size:
            continue
        plain.append(view(plain[at]))
        ours.append(view(ours[at]))
        if isinstance(plain[-1], np.ndarray) and plain[-1].ndim and plain[-1].flags.writeable:
            change(plain[-1])
            change(ours[-1])
    for theirs, recorded in zip(plain, ours, strict=True):
        np.testing.assert_array_equal(np.asarray(recorded), theirs)


@settings(deadline=None)
@given(
    steps=st.lists(st.tuples(st.sampled_from(CHANGES), st.booleans()), min_size=1, max_size=6),
    begins_at_zero=st.booleans(),
)
def test_the_slope_of_any_writes_is_that_of_a_step(steps, begins_at_zero):
    def function(x):
        a = np.zeros((2, 4)) if begins_at_zero else np.ones((2, 4)) * x
        a[1:] = x * x[0]
        for change, reads in steps:
            change(a if reads else a[:, 1:])
        return np.sum(a * np.arange(8.0).reshape(2, 4))

    step = 2.0**-20 * OTHER
    slope = symtape.grad(function)(START)
    expected = (function(START + step) - function(START - step)) / 2
    np.testing.assert_allclose(slope @ step, expected, rtol=1e-5, atol=1e-8)
