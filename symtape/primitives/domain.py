"""Where an operation is defined, in words: ``"x > 0"``, ``"a > 0 and 0 < x < 1"``."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Domain:
    """A domain in words, as a function of arrays.

    Attributes
    ----------
    words : str
        Comparisons of names with numbers, joined by ``and`` and ``or``.
    inputs : tuple of str
        The names, in the order of the arrays.

    Examples
    --------
    >>> import numpy as np
    >>> inside = Domain("a > 0 and 0 < x < 1", ("a", "x"))
    >>> inside(np.array([1.0, -1.0, 1.0]), np.array([0.5, 0.5, 2.0]))
    array([ True, False, False])
    """

    words: str
    inputs: tuple[str, ...]

    def __call__(self, *arrays: Any, **params: Any) -> Any:
        """Whether each element lies in it, whatever the parameters are."""
        return self._function(*arrays)

    @functools.cached_property
    def _function(self) -> Callable[..., Any]:
        text = _write_for_arrays(ast.parse(self.words, mode="eval").body)
        found: Callable[..., Any] = eval(f"lambda {', '.join(self.inputs)}: {text}")
        return found


def _write_for_arrays(tree: Any) -> str:
    """Comparisons as NumPy writes them of arrays, which neither ``and`` nor a chain takes."""
    if isinstance(tree, ast.BoolOp):
        sign = " & " if isinstance(tree.op, ast.And) else " | "
        return sign.join(f"({_write_for_arrays(part)})" for part in tree.values)
    terms = [tree.left, *tree.comparators]
    pairs = zip(terms, tree.ops, terms[1:], strict=False)
    return " & ".join(f"({ast.unparse(ast.Compare(a, [sign], [b]))})" for a, sign, b in pairs)
