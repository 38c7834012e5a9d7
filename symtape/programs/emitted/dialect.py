"""Dialects: what the libraries of arrays in Python call the same things.

Operations on elements, as languages with operators write them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from symtape.process.extras import find_loaded
from symtape.programs.emitted.expression import (
    Binding,
    Written,
    call,
    comparison,
    negative,
    power,
    product,
    sum_of,
)

Operator = Callable[..., Written]

COMPARISONS: Final[Mapping[str, str]] = {
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
}

_TWO: Final = Written("2")


def _make_comparison(sign: str) -> Operator:
    return lambda a, b: comparison(sign, a, b)


OPERATORS: Final[Mapping[str, Operator]] = {
    "add": lambda a, b: product("*", _TWO, a) if a == b else sum_of("+", a, b),
    "subtract": lambda a, b: sum_of("-", a, b),
    "multiply": lambda a, b: power(a, _TWO) if a == b else product("*", a, b),
    "divide": lambda a, b: product("/", a, b),
    "negative": negative,
    "positive": lambda x: x,
    "power": power,
    "square": lambda x: power(x, _TWO),
    **{name: _make_comparison(sign) for name, sign in COMPARISONS.items()},
}
"""The rows that are operators, as Python writes them."""


def logic(signs: Mapping[str, str], inverse: str) -> dict[str, Operator]:
    """The rows on truth values; what they join is grouped, for languages differ in what binds."""
    table: dict[str, Operator] = {}
    for word, sign in signs.items():
        table[f"logical_{word}"] = table[f"bitwise_{word}"] = _make_logical_operator(sign)
    for name in ("logical_not", "invert"):
        table[name] = lambda x: Written(inverse + x.parenthesise(Binding.ATOM), Binding.SIGN)
    return table


def _make_logical_operator(sign: str) -> Operator:
    def write_operator(a: Written, b: Written) -> Written:
        text = f"{a.parenthesise(Binding.ATOM)} {sign} {b.parenthesise(Binding.ATOM)}"
        return Written(text, Binding.CHOICE)

    return write_operator


PYTHON: Final[Mapping[str, Operator]] = {
    **OPERATORS,
    **logic({"and": "&", "or": "|", "xor": "^"}, "~"),
}
"""Rows of elements that are operators of Python, for arrays."""


def is_same_twice(name: str, inputs: Sequence[int]) -> bool:
    """Whether an argument that is given twice is written once: ``2 * x``, ``x**2``."""
    return name in ("add", "multiply") and len(set(inputs)) == 1


@dataclass(frozen=True)
class Dialect:
    """A library of arrays, or a language: how it spells rows.

    Attributes
    ----------
    title : str
        For people.
    module : str
        What it is called in the source; empty of a language without NumPy's names.
    imports : mapping of str to str
        The line that imports what is written ``name.``, by that name.
    functions : mapping of str to str
        What functions are called, by the names of rows, where that is not `module`, a dot and the
        name; empty of those that there are not.
    special : callable ``(str) -> str or None``
        What the row of ``scipy.special`` of this name is called; None where there is none.
    operators : mapping of str to callable
        The rows on elements that are no calls.
    keywords : mapping of str to str
        What arguments are called that NumPy calls otherwise; ``axes`` stands for several axes.
    converted : str
        A statement's right side that makes an array of an argument.
    dtypes : mapping of str to str
        By the names that NumPy has.
    of_tensors : bool
        Functions take no plain numbers.
    decides : bool
        Python may decide by a value; else results off the path are nan.
    promotes : bool
        What is computed of two dtypes has the dtype that it has in NumPy.
    """

    title: str
    module: str
    imports: Mapping[str, str]
    functions: Mapping[str, str] = field(default_factory=dict)
    special: Callable[[str], str | None] = lambda name: None
    operators: Mapping[str, Operator] = field(default_factory=lambda: PYTHON)
    keywords: Mapping[str, str] = field(default_factory=lambda: {"axes": "axis"})
    converted: str = "{module}.asarray({name}, dtype={dtype})"
    dtypes: Mapping[str, str] = field(default_factory=dict)
    of_tensors: bool = False
    decides: bool = True
    promotes: bool = False

    def function(self, name: str) -> str | None:
        """What the function of a row is called; None where there is none."""
        if name in self.functions:
            return self.functions[name] or None
        if self.module and name in _OF_NUMPY:
            return f"{self.module}.{name}"
        return self.special(name)

    def element(self, name: str, *args: Written) -> Written | None:
        """A row on elements; None where there is nothing for it."""
        if name in self.operators:
            return self.operators[name](*args)
        function = self.function(name)
        return None if function is None else call(function, *args)

    def keyword(self, name: str) -> str:
        """What an argument is called."""
        return self.keywords.get(name, name)

    def dtype(self, dtype: np.dtype[np.generic]) -> str:
        """A dtype."""
        return self.dtypes.get(dtype.name, f"{self.module}.{dtype.name}")


_OF_NUMPY: Final = frozenset(name for name, it in vars(np).items() if isinstance(it, np.ufunc))


def _spell_scipy_function(name: str) -> str | None:
    # Whoever recorded one of its functions has loaded it, which costs more than to write a program.
    function = getattr(find_loaded("scipy.special"), name, None)
    return f"special.{name}" if isinstance(function, np.ufunc) else None


NUMPY: Final = Dialect(
    title="NumPy",
    module="np",
    imports={
        "np": "import numpy as np",
        "linalg": "from scipy import linalg",
        "special": "from scipy import special",
    },
    functions={
        "expm": "linalg.expm",
        "log_softmax": "special.log_softmax",
        "logsumexp": "special.logsumexp",
        "softmax": "special.softmax",
        "solve_banded": "linalg.solve_banded",
        "solve_triangular": "linalg.solve_triangular",
        "solveh_banded": "linalg.solveh_banded",
    },
    special=_spell_scipy_function,
    dtypes={"float64": "float", "int64": "int", "bool": "bool"},
    promotes=True,
)

_OF_JAX: Final = (
    "bernoulli betainc betaln digamma entr erf erfc erfinv exp1 expi expit expn gamma gammainc "
    "gammaincc gammaln i0 i0e i1 i1e kl_div log_ndtr logit ndtr ndtri polygamma rel_entr spence "
    "xlog1py xlogy zeta"
)

JAX: Final = Dialect(
    title="JAX",
    module="jnp",
    imports={
        "jnp": "import jax.numpy as jnp",
        "special": "from jax.scipy import special",
        "linalg": "from jax.scipy import linalg",
        "nn": "from jax import nn",
    },
    functions={
        "expm": "linalg.expm",
        "log_softmax": "nn.log_softmax",
        "logsumexp": "special.logsumexp",
        "softmax": "nn.softmax",
        "solve_triangular": "linalg.solve_triangular",
    },
    special={
        **{name: f"special.{name}" for name in _OF_JAX.split()},
        "psi": "special.digamma",
    }.get,
    dtypes={"float64": "float", "int64": "int", "bool": "bool"},
    decides=False,
)

_OF_TORCH: Final = (
    "digamma entr erf erfc erfcx erfinv expit gammainc gammaincc gammaln i0 i0e i1 i1e log_ndtr "
    "logit ndtr ndtri xlog1py xlogy zeta"
)

TORCH: Final = Dialect(
    title="PyTorch",
    module="torch",
    imports={"torch": "import torch"},
    functions={
        "absolute": "torch.abs",
        "fabs": "torch.abs",
        "rint": "torch.round",
        "concatenate": "torch.cat",
        "conjugate": "torch.conj",
        "expm": "torch.linalg.matrix_exp",
        "max": "torch.amax",
        "min": "torch.amin",
        "transpose": "torch.permute",
        "invert": "torch.logical_not",
        "cbrt": "",
        "spacing": "",
        "modf": "",
        "divmod": "",
    },
    special={
        **{name: f"torch.special.{name}" for name in _OF_TORCH.split()},
        "airy_ai": "torch.special.airy_ai",
        "j0": "torch.special.bessel_j0",
        "j1": "torch.special.bessel_j1",
        "psi": "torch.special.digamma",
        "y0": "torch.special.bessel_y0",
        "y1": "torch.special.bessel_y1",
    }.get,
    keywords={"axis": "dim", "axes": "dims", "keepdims": "keepdim", "ddof": "correction"},
    converted="{module}.as_tensor({name}, dtype={dtype})",
    of_tensors=True,
)
