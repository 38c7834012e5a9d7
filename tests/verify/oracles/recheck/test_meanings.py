"""What operations mean in mpmath is what they evaluate to in floats."""

import functools
from typing import Any

import numpy as np
import pytest
from mpmath import mp

import symtape
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.primitives.vocabulary import examples, vocabulary
from verify.oracles.recheck.elementwise import ELEMENTWISE, SLOW
from verify.oracles.recheck.evaluation import (
    ARRAYS,
    MOVES,
    NotRechecked,
    evaluate_outputs,
    exactly,
    find_array_function,
    map_elements,
)

vocabulary()

MEANINGS = sorted({*ELEMENTWISE, *ARRAYS, *MOVES})


def meaning_of(name: str) -> Any:
    """How an operation is evaluated in mpmath."""
    if name in ELEMENTWISE:
        return lambda *xs, **params: map_elements(
            functools.partial(ELEMENTWISE[name], **params), *xs
        )
    return find_array_function(PRIMITIVES[name])


@pytest.mark.parametrize("name", MEANINGS)
def test_a_meaning_is_that_of_the_floats(name: str) -> None:
    row, meaning = PRIMITIVES[name], meaning_of(name)
    assert meaning is not None
    for args, params in examples(row):
        floats = row.evaluate(*(np.asarray(x)[()] for x in args), **params)
        with mp.workdps(60):
            found = meaning(*(exactly(np.asarray(x)) for x in args), **params)
        pairs = zip(floats, found, strict=True) if row.outputs > 1 else [(floats, found)]
        for expected, value in pairs:
            numbers = np.frompyfunc(complex, 1, 1)(np.asarray(value, dtype=object))
            assert np.shape(numbers) == np.shape(expected)
            np.testing.assert_allclose(np.asarray(numbers, complex), expected, 1e-9, 1e-12)


def test_only_operations_that_there_are_have_a_meaning() -> None:
    assert set(PRIMITIVES) >= set(MEANINGS)
    assert set(ELEMENTWISE) >= SLOW


def test_an_operation_without_a_meaning_is_not_rechecked_and_says_so() -> None:
    new = Primitive(name="new", inputs="x", evaluate=lambda x: x, vjp=[lambda g: g])
    graph = symtape.record(lambda x: new(x), 1.0)
    with pytest.raises(NotRechecked, match="new has no meaning in mpmath here"):
        evaluate_outputs(graph, [exactly(1.0)])


def test_a_matrix_is_read_by_one_triangle_as_numpy_reads_it() -> None:
    a = np.array([[2.0, 7.0], [0.5, 3.0]])
    for uplo in ("L", "U"):
        found = find_array_function(PRIMITIVES["eigvalsh"])(exactly(a), UPLO=uplo)  # type: ignore[misc]
        np.testing.assert_allclose(found.astype(float), np.linalg.eigvalsh(a, uplo), rtol=1e-12)


def test_a_pseudo_inverse_below_full_rank_is_that_of_numpy() -> None:
    a = np.outer([1.0, 2.0], [1.0, 2.0])
    found = find_array_function(PRIMITIVES["pinv"])(exactly(a), rcond=1e-15)  # type: ignore[misc]
    np.testing.assert_allclose(found.astype(float), np.linalg.pinv(a), rtol=1e-12)
