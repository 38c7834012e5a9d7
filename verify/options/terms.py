"""The keywords that checks take, as type checkers read them.

What each is, and its default, is said in the table of :mod:`verify.options.keywords`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from symtape.process.budget import Budget
    from verify.options.budget import Effort


class Terms(TypedDict, total=False):
    """How a claim is checked."""

    seed: int | None
    budget: float | Budget | None
    effort: Effort | None
    evidence: Literal["certified", "sampled", "proved"]
    strict: bool | None


class Check(Terms, total=False):
    """Where it is checked besides."""

    at: Sequence[Any] | None
    over: Any
    argnums: int | Sequence[int] | None
    convention: Literal["conjugate", "transpose"]


class ProductCheck(Check, total=False):
    """Along which directions besides."""

    directions: Any


class AssertedTerms(Terms, total=False):
    """How a claim is asserted."""

    allow_undecided: bool


class AssertedCheck(Check, AssertedTerms, total=False):
    """Where it is asserted besides."""


class AssertedProduct(ProductCheck, AssertedTerms, total=False):
    """Along which directions besides."""


def settle(terms: Any, held: Mapping[str, Any]) -> dict[str, Any]:
    """Terms, with what holds in place of None.

    Examples
    --------
    >>> settle({"seed": None, "strict": True, "over": None}, {"seed": 7, "strict": False})
    {'seed': 7, 'strict': True, 'over': None}
    """
    return {name: held.get(name) if value is None else value for name, value in terms.items()}
