"""The docstrings of what takes the keywords of a verification, made of their table.

Each function says in its own docstring what it is, shows an example, and describes what is its own;
:func:`add_sections` adds the other parameters of its signature, what it returns and what it raises.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any, Final, TypeVar

from verify.options.keywords import Keyword, keyword
from verify.options.signatures import is_assertion

F = TypeVar("F", bound=Callable[..., Any])

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
