"""``scipy.spatial`` by its plain names: derivatives of all kinds, and verdicts in balls."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.spatial.distance as sd

import symtape
from symtape.errors import Unsupported
from tests.symtape.scipy.checks import check_derivatives, check_single, check_verdict
from tests.symtape.scipy.spatial_calls import DISTANCES, OTHERS, ROTATIONS, WEIGHTS, X

CALLS = DISTANCES | OTHERS | ROTATIONS


@pytest.mark.parametrize("name", CALLS)
def test_derivatives(name: str) -> None:
    check_derivatives(CALLS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_verdict(name: str) -> None:
    check_verdict(CALLS[name])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_single_precision(metric: str) -> None:
    check_single(CALLS[f"pdist by {metric}"])


@pytest.mark.parametrize(
    ("metric", "options", "words"),
    [
        ("chebyshev", {"w": WEIGHTS}, "metric='chebyshev' and w"),
        ("euclidean", {"p": 3}, "metric='euclidean' and p"),
    ],
)
def test_metrics_without_derivatives_are_refused(metric, options, words) -> None:
    with pytest.raises(Unsupported, match=words):
        symtape.grad(lambda x: np.sum(sd.cdist(x, X, metric, **options)))(X + 0.125)
