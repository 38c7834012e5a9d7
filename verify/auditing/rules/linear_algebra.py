"""The functions of matrices and vectors whose rules are proved, for small sizes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

SIZES: Final = (2, 3)
_MATRIX, _VECTOR = "ab", "uv"
_POINTS: Final = 2


@dataclass(frozen=True, slots=True)
class ArrayFunction:
    """One row.

    Attributes
    ----------
    name : str
    arguments : tuple of str
        ``a`` and ``b`` are square matrices, ``u`` and ``v`` vectors.
    formula : str
        In NumPy and SciPy, called ``np`` and ``linalg``.
    spelled : dict
        The same by library, where that is not the formula with the library's NumPy in it; empty
        where it has none.
    """

    name: str
    arguments: tuple[str, ...]
    formula: str
    spelled: dict[str, str] = field(default_factory=dict)

    def spell_for(self, library: str) -> str:
        """How a library writes it; empty if it cannot.

        Examples
        --------
        >>> ARRAY_FUNCTIONS["det"].spell_for("jax")
        'jnp.linalg.det(a)'
        """
        return self.spelled.get(library, self.formula.replace("np.", _NUMPY[library]))

    def points(self, size: int) -> list[tuple[Any, ...]]:
        """Points of small dyadic numbers; matrices are far from singular.

        Examples
        --------
        >>> [x.shape for x in ARRAY_FUNCTIONS["solve"].points(3)[0]]
        [(3, 3), (3,)]
        """
        random = np.random.default_rng(size)

        def draw(name: str) -> Any:
            if name in _VECTOR:
                return random.integers(1, 16, size) / 4
            return random.integers(-8, 9, (size, size)) / 8 + np.diag(np.arange(size) + 3.0)

        return [tuple(map(draw, self.arguments)) for _ in range(_POINTS)]


_NUMPY: Final = {"jax": "jnp.", "torch": "torch.", "autograd": "anp."}
_SYMMETRIC: Final = "((a + a.T) / 2)"

_ROWS: Final = (
    ArrayFunction("matmul", ("a", "b"), "np.matmul(a, b)"),
    ArrayFunction("matvec", ("a", "u"), "np.matmul(a, u)"),
    ArrayFunction("dot", ("u", "v"), "np.dot(u, v)"),
    ArrayFunction("outer", ("u", "v"), "np.outer(u, v)"),
    ArrayFunction("kron", ("a", "b"), "np.kron(a, b)"),
    ArrayFunction("trace", ("a",), "np.trace(a)"),
    ArrayFunction("det", ("a",), "np.linalg.det(a)"),
    ArrayFunction("logdet", ("a",), "np.linalg.slogdet(a)[1]"),
    ArrayFunction("inv", ("a",), "np.linalg.inv(a)"),
    ArrayFunction("pinv", ("a",), "np.linalg.pinv(a)"),
    ArrayFunction("solve", ("a", "u"), "np.linalg.solve(a, u)"),
    ArrayFunction(
        "solve_triangular",
        ("a", "u"),
        "linalg.solve_triangular(a, u, lower=True)",
        {
            "jax": "jsl.solve_triangular(a, u, lower=True)",
            "torch": "torch.linalg.solve_triangular(a, u[:, None], upper=False)[:, 0]",
            "autograd": "asl.solve_triangular(a, u, lower=True)",
        },
    ),
    ArrayFunction("matrix_power", ("a",), "np.linalg.matrix_power(a, 3)"),
    ArrayFunction("norm", ("a",), "np.linalg.norm(a)"),
    ArrayFunction("vector_norm", ("u",), "np.linalg.norm(u)"),
    ArrayFunction("cholesky", ("a",), f"np.linalg.cholesky({_SYMMETRIC})"),
    ArrayFunction(
        "eigvalsh",
        ("a",),
        f"np.linalg.eigvalsh({_SYMMETRIC})",
        {"autograd": f"anp.linalg.eigh({_SYMMETRIC})[0]"},
    ),
    ArrayFunction("qr", ("a",), "np.linalg.qr(a)[1]", {"autograd": ""}),
    ArrayFunction(
        "svdvals",
        ("a",),
        "np.linalg.svd(a, compute_uv=False)",
        {"torch": "torch.linalg.svdvals(a)"},
    ),
)

ARRAY_FUNCTIONS: Final = {row.name: row for row in _ROWS}
"""Every row, by name."""
