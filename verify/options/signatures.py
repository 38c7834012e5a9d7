"""Signatures: parameters that several functions share are listed, and refused in words."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, TypeVar, cast

from verify.errors import UsageError
from verify.options.keywords import KEYWORDS

if TYPE_CHECKING:
    from symtape.process.budget import Budget
    from verify.options.budget import Effort

_TOLERANCES: Final = ("rtol", "atol", "tol", "tolerance", "eps", "epsilon")
_NO_TOLERANCE: Final = (
    "there is no {}=: verdicts need no tolerance; a claim that is not meant to be exact states its "
    "accuracy, claimed=verify.approximately(g, rtol=1e-9)"
)

F = TypeVar("F", bound=Callable[..., Any])


def explain_keywords(function: F) -> F:
    """List each keyword that a function takes, and say what to do where it is given another.

    The function is called with all arguments by name, those that were not given too. What stands
    in the typed dictionary of its ``**terms`` has the default of the table of keywords; in an
    assertion, None where the test run says it.

    Examples
    --------
    >>> from verify.options.terms import Check
    >>> @explain_keywords
    ... def total(a, **terms: typing.Unpack[Check]):
    ...     return terms["seed"], terms["at"]
    >>> total(1, at=[2.0])
    (0, [2.0])
    >>> [*inspect.signature(total).parameters]
    ['a', 'at', 'over', 'argnums', 'seed', 'budget', 'effort', 'evidence', 'strict', 'convention']
    >>> total(1, c=3)
    Traceback (most recent call last):
    ...
    TypeError: total() got an unexpected keyword argument 'c'
    """
    signature = inspect.signature(function)
    parameters = [it for it in signature.parameters.values() if it.kind is not it.VAR_KEYWORD]
    if len(parameters) < len(signature.parameters):
        signature = signature.replace(parameters=[*parameters, *_terms(function)])

    @functools.wraps(function)
    def call_checked(*args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True  # pytest shows the line of the user's that calls
        try:
            bound = signature.bind(*args, **keywords)
        except TypeError as error:
            if tolerances := [name for name in keywords if name in _TOLERANCES]:
                raise UsageError(_NO_TOLERANCE.format(tolerances[0])) from None
            raise TypeError(f"{function.__name__}() {error}") from None
        bound.apply_defaults()
        return function(**bound.arguments)

    call_checked.__signature__ = signature  # type: ignore[attr-defined]
    return cast("F", call_checked)


def _terms(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """The keywords of the typed dictionary that ``**terms`` unpacks, in the order of the table."""
    (terms,) = typing.get_args(typing.get_type_hints(function)["terms"])
    kinds = terms.__annotations__
    for name, each in KEYWORDS.items():
        if name in kinds:
            yield inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None if is_assertion(function) and each.of_run else each.default,
                annotation=kinds[name].__forward_arg__,
            )


def is_assertion(function: Callable[..., Any]) -> bool:
    """Whether the test run says what holds by default."""
    return function.__name__.startswith("assert_")


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
