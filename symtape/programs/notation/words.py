r"""What functions are called in text, in LaTeX and MathML, and which function of NumPy that is."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np


@dataclass(frozen=True, slots=True)
class Word:
    r"""A function's name in print.

    Attributes
    ----------
    text : str
        In text; what is written so is read back as a call of that name.
    place : str
        The module that has the function, by that name or by `name`.
    name : str
    latex : str
        By default the text, upright.
    """

    text: str
    place: str = "numpy"
    name: str = ""
    latex: str = ""

    @property
    def function(self) -> Callable[..., Any]:
        """The function that is called so."""
        found: Callable[..., Any] = getattr(
            importlib.import_module(self.place), self.name or self.text
        )
        return found


def _numpy(*names: str) -> dict[str, Word]:
    return {name: Word(name) for name in names}


def _special(*names: str) -> dict[str, Word]:
    return {name: Word(name, "scipy.special") for name in names}


ELEMENTWISE: Final[dict[str, Word]] = {
    **{name: Word(name, latex=f"\\{name}") for name in ("exp", "log", "sin", "cos", "tan")},
    **{name: Word(name, latex=f"\\{name}") for name in ("sinh", "cosh", "tanh")},
    "arcsin": Word("arcsin", latex=r"\arcsin"),
    "arccos": Word("arccos", latex=r"\arccos"),
    "arctan": Word("arctan", latex=r"\arctan"),
    "absolute": Word("abs", latex=r"\operatorname{abs}"),
    "fabs": Word("abs", latex=r"\operatorname{abs}"),
    **_numpy("exp2", "expm1", "log2", "log10", "log1p", "logaddexp", "cbrt", "sign", "floor"),
    **_numpy("ceil", "trunc", "maximum", "minimum", "where", "power", "hypot", "arctan2"),
    **_numpy("arcsinh", "arccosh", "arctanh", "sinc", "logical_and", "logical_or", "logical_not"),
    **_special(
        "expit", "log_expit", "logit", "erf", "erfc", "erfcx", "ndtr", "log_ndtr", "gammaln"
    ),
    **_special("gamma", "xlogy", "xlog1py", "entr", "rel_entr", "kl_div", "erfinv", "ndtri"),
    "psi": Word("digamma", "scipy.special", latex=r"\psi"),
    "greater": Word(">"),
    "greater_equal": Word(">=", latex=r"\ge"),
    "less": Word("<"),
    "less_equal": Word("<=", latex=r"\le"),
    "equal": Word("==", latex="="),
    "not_equal": Word("!=", latex=r"\ne"),
}
"""Functions of each element, by the names of their rows; signs of comparison among them."""

COMPARISONS: Final = frozenset(
    name for name, word in ELEMENTWISE.items() if not word.text.isidentifier()
)

WHOLE: Final[dict[str, Word]] = {
    **_numpy("sum", "mean", "var", "std", "trace", "diag", "tril", "outer", "eye", "ones"),
    **_numpy("zeros", "einsum"),
    **_numpy("full", "sqrt", "broadcast_to"),
    "max": Word("max", latex=r"\max"),
    "min": Word("min", latex=r"\min"),
    "norm": Word("norm", "numpy.linalg"),
    "inv": Word("inv", "numpy.linalg"),
    "det": Word("det", "numpy.linalg", latex=r"\det"),
    "logdet": Word("logdet", "symtape.programs.notation.words", "log_determinant"),
    "solve": Word("solve", "numpy.linalg"),
    "cholesky": Word("cholesky", "numpy.linalg"),
    "eigenvalues": Word("eigvalsh", "numpy.linalg"),
    "eigenvectors": Word("eigvecsh", "symtape.programs.notation.words", "eigenvectors"),
    **_special("softmax", "log_softmax", "logsumexp"),
}
"""Functions of whole arrays."""


def word(function: str) -> Word:
    """The word for a function."""
    return ELEMENTWISE.get(function) or WHOLE[function]


def log_determinant(matrix: Any) -> Any:
    """The logarithm of the absolute value of a determinant."""
    return np.linalg.slogdet(matrix)[1]


def eigenvectors(matrix: Any) -> Any:
    """The eigenvectors of a symmetric matrix, as columns."""
    return np.linalg.eigh(matrix)[1]


def functions() -> dict[str, Callable[..., Any]]:
    """What the names in text mean."""
    words = [*ELEMENTWISE.values(), *WHOLE.values()]
    named = {one.text: one.function for one in words if one.text.isidentifier()}
    return {**named, "array": np.array}
