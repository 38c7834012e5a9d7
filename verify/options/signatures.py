"""Signatures and docstrings: what several functions share is listed once, and refused in words.

The docstrings of what takes the keywords of a verification, made of their table. Each function says
in its own docstring what it is, shows an example, and describes what is its own;
:func:`add_sections` adds the other parameters of its signature, what it returns and what it raises.

The keywords that checks take, as type checkers read them, and the values that are given for them,
checked. What each is, and its default, is said in the table of :mod:`verify.options.keywords`.
"""

from __future__ import annotations

import functools
import inspect
import math
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict, TypeVar, cast

from verify.errors import UsageError
from verify.options.keywords import KEYWORDS

if TYPE_CHECKING:
    from symtape.process.budget import Budget
import re
import textwrap

from verify.options.command_lines import EFFORTS, EXPECTED_EFFORT
from verify.options.keywords import Keyword, keyword

Effort: TypeAlias = float | Literal["quick", "normal", "thorough"]

_STATEMENTS: Final = 2_000_000
"""Of a symbolic step at most, unless a budget says how many."""

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


def to_effort(effort: Any) -> float:
    """An effort as a number.

    Raises
    ------
    UsageError
        No number above 0, and none of the names.

    Examples
    --------
    >>> to_effort("quick") == EFFORTS["quick"], to_effort(2)
    (True, 2.0)
    >>> to_effort("slow")
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: effort='slow'; expected a number above 0, where 1 is the usual \
search, or one of 'quick', 'normal', 'thorough'
    """
    number: Any = EFFORTS.get(effort) if isinstance(effort, str) else effort
    if not _is_above_zero(number) or math.isinf(number):
        raise UsageError(f"effort={effort!r}; expected {EXPECTED_EFFORT}")
    return float(number)


def to_budget(budget: Any) -> Budget:
    """A budget, given one or the seconds of one.

    Raises
    ------
    UsageError
        No seconds above 0.

    Examples
    --------
    >>> to_budget(5).seconds
    5.0
    >>> to_budget("5")
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: budget='5'; expected seconds above 0, as in budget=30, or \
verify.Budget(seconds=30)
    """
    from symtape.process.budget import Budget

    whole = isinstance(budget, Budget)
    seconds = budget.seconds if whole else budget
    if not _is_above_zero(seconds):
        raise UsageError(
            f"budget={budget!r}; expected seconds above 0, as in budget=30, or "
            "verify.Budget(seconds=30)"
        )
    return budget if whole else Budget(float(seconds), _STATEMENTS)


def _is_above_zero(number: Any) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool) and float(number) > 0


_CALL: Final = {
    "Returns": """
Result
    The verdict and its evidence. It is true in a condition if every point is CORRECT, admissible
    at a kink, or noted. ``notes`` has the errors that are only noted.""",
    "Raises": """
UsageError
    Points, a region, a quantity, a seed, a budget or shapes that do not fit.
NotTraceable, NotOnTape
    `function` returned something other than an array, or cannot be recorded.
Exception
    An error of `function` itself, unless it means that the point is outside its domain.""",
}

_ASSERTION: Final = {
    "Returns": """
Result
    The verdict and its evidence, if the claim passes.""",
    "Raises": """
DerivativeError
    The claim is WRONG or INACCURATE.
UndecidedError
    symtape could not decide, or no point is in the domain of `function`.
UsageError
    Points, a region, a seed, a budget or shapes that do not fit.""",
    "Warns": """
NotedWarning
    The claim is wrong at extreme values alone, and `strict` is False.""",
    "Notes": """
At a kink the claim passes if its value is admissible. If symtape cannot decide that, as for second
derivatives, a point in `at` fails as undecided. Kinks that a search meets do not fail if other
points are correct.""",
}

_MARK: Final = {
    "Raises": """
UsageError
    Neither points nor a region, points that are not numbers, a claim or a function that cannot be
    called, an unknown quantity or effort.""",
}

_ORDER: Final = ("Parameters", "Returns", "Raises", "Warns", "Notes", "Examples")
_SECTION: Final = re.compile(r"^([A-Z][a-z]+)\n-+\n", re.MULTILINE)
_ENTRY: Final = re.compile(r"^(\w.*?)(?: : .*)?$", re.MULTILINE)
_COLUMNS: Final = 99


def add_sections(function: F) -> F:
    """Complete the docstring of a call, of an assertion, or of :func:`verify.case`.

    Examples
    --------
    >>> @add_sections
    ... def gradient(function, claimed=None):
    ...     '''Verify a gradient.
    ...
    ...     Examples
    ...     --------
    ...     '''
    >>> [line for line in gradient.__doc__.splitlines() if " : " in line]
    ['function : callable', 'claimed : callable, optional']
    """
    if function.__doc__ is None:  # as under python -OO
        return function
    summary, *rest = _SECTION.split(inspect.cleandoc(function.__doc__))
    own = dict(zip(rest[::2], rest[1::2], strict=True))
    shared = _ASSERTION if is_assertion(function) else _MARK if _is_mark(function) else _CALL
    told = {**shared, **own, "Parameters": _parameters(function, own.get("Parameters", ""))}
    sections = (f"{it}\n{'-' * len(it)}\n{told[it].strip()}\n" for it in _ORDER if it in told)
    function.__doc__ = summary + "\n".join(sections)
    return function


def _is_mark(function: Callable[..., Any]) -> bool:
    return function.__name__ == "case"


def _parameters(function: Callable[..., Any], own: str) -> str:
    """The entries of all parameters: what the function says itself, and then the others."""
    said = {name for entry in _ENTRY.findall(own) for name in entry.split(", ")}
    parameters = inspect.signature(function).parameters.values()
    shared = [_entry(function, it) for it in parameters if it.name not in said]
    return "\n".join([*filter(None, [own.strip()]), *shared])


def _entry(function: Callable[..., Any], parameter: inspect.Parameter) -> str:
    quantity = function.__name__.removeprefix("assert_")
    found = keyword(parameter.name, quantity)
    default, optional = "", ""
    if parameter.default is None:
        default, optional = _describe_default(function, found), ", optional"
    text = textwrap.fill(
        " ".join(filter(None, [found.brief, found.more, default])),
        _COLUMNS,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"{found.name} : {found.kind}{optional}\n{text}"


def _describe_default(function: Callable[..., Any], found: Keyword) -> str:
    """What holds of a keyword that is not given, where the run says it."""
    if not found.of_run:
        return ""
    if not is_assertion(function):
        return "Default: the value of the command or the test run."
    given = found.default_of_run
    shown = given if isinstance(given, bool) else f"{given:g}"
    return f"Default: {shown}, or ``--symtape-{found.name}``."
