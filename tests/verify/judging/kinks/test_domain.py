"""Which argument is not finite, and which operation left its domain."""

from __future__ import annotations

import numpy as np
import pytest

from symtape.graph.freeze import record
from verify.judging.kinks.domain import find_domain_violation, not_finite


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ((1.0, [2.0, 3.0]), ""),
        ((np.nan, [2.0, 3.0]), "the argument scale is nan, which is not finite"),
        ((1.0, [2.0, -np.inf]), "the argument x holds -inf at [1], which is not finite"),
        ((1.0, [[2.0, 1.0], [np.nan, 1.0]]), "the argument x holds nan at [1, 0], which is not"),
    ],
)  # fmt: skip
def test_the_argument_is_named(point, words):
    found = not_finite(point, ["scale", "x"])
    assert found.startswith(words)
    assert bool(found) is bool(words)


@pytest.mark.parametrize(
    ("function", "x", "found"),
    [
        (np.sqrt, 4.0, None),
        (np.log, -1.0, ("log of -1.0 is nan", "log")),
        (lambda x: np.exp(np.log(x)), -1.0, ("log of -1.0 is nan", "log")),
        (lambda x: np.where(x > 0, np.log(x), 0.0), -1.0, None),
        (lambda x: x * 1e200 * 1e200, 1.0, ("multiply of 1e+200, 1e+200 is inf", "multiply")),
        (lambda x: np.arctan(1 / x), 0.0, None),
    ],
)
def test_the_first_operation_that_leaves_is_named_if_the_output_shows_it(function, x, found):
    with np.errstate(all="ignore"):
        graph = record(function, x)
        outside = find_domain_violation(graph, graph.values(x))
    assert (None if outside is None else outside[:2]) == found
