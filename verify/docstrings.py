"""The docstrings of the calls and of the assertions: what they share is written once, here.

``verify.gradient`` and its like, and ``verify.assert_gradient`` and its like, take the same
parameters. Each function says in its own docstring what it is and shows an example;
:func:`documented` puts between the two the parameters of its signature, what it returns and what
it raises.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

from verify.model.budget import EFFORTS
from verify.model.defaults import Defaults

__all__ = ["documented"]

F = TypeVar("F", bound=Callable[..., Any])


def _entries(text: str) -> dict[str, str]:
    """The entries of a Parameters section, by the name of the parameter."""
    found = re.split(r"^(?=\w+ : )", text.strip(), flags=re.MULTILINE)
    return {entry.partition(" : ")[0]: entry.rstrip() for entry in found if entry}


_FUNCTION: Final = """
function : callable
    Of array arguments: NumPy code, or that of a framework whose arrays it takes (JAX, PyTorch,
    autograd, TensorFlow)."""

_SCALAR: Final = f"{_FUNCTION}\n    Its value is one number."

_FUNCTIONS: Final = {"gradient": _SCALAR, "hessian": _SCALAR, "hvp": _SCALAR}

_CLAIMED: Final = """
claimed : callable, optional
    {}
    Default: symtape's own tape; of a function of another framework, that framework's reverse mode.
    One that is not meant to be exact states its accuracy: ``verify.approximately(g, rtol=1e-9)``.
"""

_CLAIMS: Final = {
    "derivative": """
    Takes the arguments of `function`, and behind them the directions of a product; returns an
    array, or with several arguments a tuple of one for each.""",
    "gradient": """
    Called as ``claimed(*args)``; returns an array, or with several arguments a tuple of one for
    each.""",
    "jacobian": """
    Called as ``claimed(*args)``; returns an array, or with several arguments a tuple of one for
    each. Its shape is that of the value of `function`, followed by that of the argument.""",
    "hessian": """
    Called as ``claimed(*args)``; returns an array, or with several arguments a tuple of tuples,
    one block for each pair.""",
    "vjp": """
    Called as ``claimed(*args, g)``, with a cotangent `g` of the shape of the value of `function`,
    or one for each of several values; returns an array, or with several arguments a tuple of one
    for each.""",
    "jvp": """
    Called as ``claimed(*args, *tangents)``, with a tangent of the shape of each argument that the
    derivative is by; returns what has the shape of the value of `function`.""",
    "hvp": """
    Called as ``claimed(*args, *vectors)``, with a vector of the shape of each argument, which
    without further arguments is how ``scipy.optimize.minimize(hessp=...)`` calls it; returns an
    array, or with several arguments a tuple of one for each.""",
}

_SHARED: Final = """
quantity : {"gradient", "jacobian", "hessian", "vjp", "jvp", "hvp"}
    Which derivative.
at : sequence of points, optional
    Points to judge. A point is the only argument itself, or a tuple of several. Of a product a
    point may have its directions behind the arguments; if it has none, several are tried.
over : region, optional
    Where to search for points at which the claim goes wrong; beside `at`, or instead of it.
    ``[lower, upper]`` for a number, ``verify.box(-1, 1, shape=(3,))`` and its like for arrays;
    a tuple with one for each argument, or a dict by name.
argnums : int or sequence of int, optional
    The arguments by which the derivative is, of a Hessian both times; by default all.
directions : region, optional
    Where the cotangents, tangents or vectors of a product may lie. By default short decimals,
    ones, zeros and unit vectors, in the shapes that fit.
evidence : {"certified", "sampled"}
    What to go by: enclosures of the exact derivative, or floats alone, for functions whose
    operations cannot be recorded.
strict : bool
    Have what is wrong at the fringe alone fail as well, instead of being noted: beyond 1e±100,
    below the value's last digit, one-sided conventions at ties.
allow_undecided : bool
    Let it pass that a verdict could not be reached.
"""

_BUDGET: Final = """
    Seconds for all of it, a last stop: what they do not suffice for is UNDECIDED. A
    ``verify.Budget`` says how many statements a symbolic step may have as well. A single call of
    a function or a claim may take half of the seconds; where one does not return, its point is
    UNDECIDED and the search goes on elsewhere. A call into compiled code runs to its end before
    it is stopped; ``symtape verify`` runs each case in a process of its own, which it can end."""

_NAMED: Final = ", ".join(f'"{name}" ({number:g})' for name, number in EFFORTS.items())

_EFFORT: Final = f"""
    How much of a region is searched: 1 for about a second of a small function, or by name
    {_NAMED}."""

_OF_CALLS: Final = f"""
seed : int
    Of the search; the same seed finds the same.
budget : float or Budget{_BUDGET}
effort : float or {{"quick", "normal", "thorough"}}{_EFFORT}
"""

_RUN: Final = Defaults()

_OF_ASSERTIONS: Final = f"""
strict : bool, optional
    Have what is wrong at the fringe alone fail as well, instead of giving a warning: beyond
    1e±100, below the value's last digit, one-sided conventions at ties. Default: {_RUN.strict}, or
    ``--symtape-strict``.
seed : int, optional
    Of the search; the same seed finds the same. Default: {_RUN.seed}, or ``--symtape-seed``.
budget : float or Budget, optional{_BUDGET}
    Default: {_RUN.seconds:g}, or ``--symtape-budget``.
effort : float or {{"quick", "normal", "thorough"}}, optional{_EFFORT}
    Default: {_RUN.effort:g}, or ``--symtape-effort``.
"""

_CALLS_END: Final = """
Returns
-------
Result
    The verdict and its evidence. As a condition it is true where all is CORRECT, or admissible at
    a kink, or noted: what is wrong at the fringe alone stands in ``notes``.

Raises
------
UsageError
    Points, a region, a quantity, a seed, a budget or shapes that do not fit.
NotTraceable, NotOnTape
    `function` returned no array, or did what no tape can follow.
Exception
    Whatever `function` itself raises, unless it says that the point is outside its domain.
"""

_ASSERTIONS_END: Final = """
Returns
-------
Result
    What was found, where nothing is wrong with the claim.

Raises
------
DerivativeError
    The claim is WRONG or INACCURATE.
UndecidedError
    It could not be decided, or no point is in the domain of `function`.
UsageError
    Points, a region, a seed, a budget or shapes that do not fit.

Warns
-----
NotedWarning
    The claim is wrong at the fringe alone.

Notes
-----
At a kink it passes if the claimed value is admissible. Where that is not known, as of second
derivatives and at jumps, a point in `at` fails as undecided; kinks that a search came across do
not, if other points were found correct.
"""


def documented(function: F) -> F:
    """Complete the docstring of ``verify.QUANTITY`` or ``verify.assert_QUANTITY``.

    Parameters
    ----------
    function : callable
        Its docstring ends in examples, before which the sections go.

    Examples
    --------
    >>> @documented
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
    name = function.__name__
    quantity, is_assertion = name.removeprefix("assert_"), name.startswith("assert_")
    family = _OF_ASSERTIONS if is_assertion else _OF_CALLS
    claimed = _CLAIMED.format(_CLAIMS[quantity].strip())
    words = _entries(_SHARED) | _entries(family) | _entries(claimed)
    words |= _entries(_FUNCTIONS.get(quantity, _FUNCTION))
    entries = (words[parameter] for parameter in inspect.signature(function).parameters)
    parameters = "\n".join(["Parameters", "----------", *entries])
    summary, heading, examples = inspect.cleandoc(function.__doc__).partition("Examples\n--------")
    end = _ASSERTIONS_END if is_assertion else _CALLS_END
    function.__doc__ = f"{summary}{parameters}\n{end}\n{heading}{examples}"
    return function
