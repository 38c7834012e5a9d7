"""Rules of operations with several outputs are run on bare arrays, as all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import symtape
from symtape.primitives.primitive import PRIMITIVES, Rule

MATRIX = np.array([[4.0, 1.0, -0.5], [1.0, 3.0, 0.75], [-0.5, 0.75, 5.0]])


def leaves(args: Any) -> Iterator[Any]:
    for arg in args:
        if isinstance(arg, tuple):
            yield from leaves(arg)
        else:
            yield arg


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[Any]]:
    """What the rules of the primitive of a name are called with, gathered as they are."""

    def watch(name: str) -> list[Any]:
        gathered: list[Any] = []
        for rule in PRIMITIVES[name].rules:
            assert isinstance(rule, Rule)
            function = rule.function

            def spy(*args: Any, function: Any = function) -> Any:
                gathered.extend(leaves(args))
                return function(*args)

            monkeypatch.setattr(rule, "function", spy)
        return gathered

    return watch


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("eigh", lambda a: np.linalg.eigh(a)[1]),
        ("qr", lambda a: np.linalg.qr(a)[0]),
        ("svd", lambda a: np.linalg.svd(a)[2]),
        ("slogdet", lambda a: np.linalg.slogdet(a)[1]),
    ],
)
@pytest.mark.parametrize("persistent", [False, True])
def test_no_tensor_reaches_the_rule(
    name: str, function: Any, persistent: bool, seen: Callable[[str], list[Any]]
) -> None:
    a = symtape.constant(MATRIX)
    with symtape.GradientTape(persistent=persistent) as tape:
        tape.watch(a)
        y = function(a)
    arguments = seen(name)
    assert tape.gradient(y, a).shape == MATRIX.shape
    assert arguments
    assert not any(isinstance(argument, symtape.Tensor) for argument in arguments)
