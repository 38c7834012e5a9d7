"""The calls people write: verify a gradient, a Jacobian, a Hessian, or their products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Unpack

from symtape.errors import NotTraceable
from symtape.recording.complex_numbers import CONVENTIONS
from verify.claimants.posing import pose_case
from verify.claimants.untraceable import not_recorded, or_sampled
from verify.errors import UsageError
from verify.files import places
from verify.judging.judge import verify_case
from verify.model.case import (
    Case,
    check_callable,
    check_flags,
    check_quantity,
    check_seed,
    name_function,
    to_points,
)
from verify.model.result import Result
from verify.options.keywords import KEYWORDS
from verify.options.signatures import (
    Check,
    ProductCheck,
    add_sections,
    explain_keywords,
    settle,
    to_budget,
    to_effort,
)

_CHOICES: Final = {"convention": CONVENTIONS, "evidence": ("certified", "sampled", "proved")}
_DEFAULTS: Final = {it.name: it.default for it in KEYWORDS.values() if it.of_run}


@add_sections
@explain_keywords
def derivative(
    quantity: str,
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[ProductCheck],
) -> Result:
    """Verify a claim: that `claimed` is the `quantity` of `function`.

    Examples
    --------
    >>> import numpy as np, verify
    >>> verify.derivative("gradient", np.sin, np.cos, at=[0.5]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    given = settle(terms, _DEFAULTS)
    _check(quantity, function, claimed, given)
    limits, effort = to_budget(given["budget"]), to_effort(given["effort"])
    name = name_function(function)
    case = Case(
        id=name,
        title=name,
        function=function,
        at=() if given["at"] is None else to_points(given["at"], keep_integers=True),
        quantity=quantity,
        claimed=claimed,
        seed=given["seed"],
        strict=given["strict"],
    )
    case = pose_case(case, *(given[it] for it in ("over", "argnums", "directions", "convention")))
    sampled = given["evidence"] == "sampled"
    try:
        if sampled:
            from verify.judging.sampled.judging import judge_by_samples

            return judge_by_samples(case, limits)
        return verify_case(case, limits, effort, proved=given["evidence"] == "proved")
    except NotTraceable as error:
        offer = "" if sampled else or_sampled(error)
        raise type(error)(f"{_describe_place(function)}: {error}{offer}") from error
    except UsageError as error:
        raise type(error)(f"{_describe_place(function)}: {error}") from error
    except Exception as error:  # raised again, in words where the function could not be recorded
        if sampled or (told := not_recorded(case, error)) is None:
            raise
        raise told from error


def _check(quantity: str, function: Any, claimed: Any, given: dict[str, Any]) -> None:
    """Refuse what can be refused before it is known what the function takes."""
    check_quantity(quantity)
    check_callable("function", function)
    if claimed is not None:
        check_callable("claimed", claimed)
    check_seed(given["seed"])
    check_flags(strict=given["strict"])
    for name, known in _CHOICES.items():
        if given[name] not in known:
            expected = ", ".join(map(repr, known))
            raise UsageError(f"{name}={given[name]!r}; expected one of {expected}")
    if given["at"] is None and given["over"] is None:
        raise UsageError(
            f"verify.{quantity} needs points, at=[x1, x2], or a region to search, "
            "over=[lower, upper]"
        )


def _describe_place(function: Callable[..., Any]) -> str:
    name, where = name_function(function), places.place_of_function(function)
    return name if not where or where in name else f"{name} ({where})"


@add_sections
@explain_keywords
def gradient(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[Check],
) -> Result:
    """Verify the gradient of a scalar function.

    Examples
    --------
    >>> import numpy as np, verify
    >>> r = verify.gradient(lambda x: np.sum(np.tanh(x)), at=[[0.5, 19.0]])
    >>> r.verdict
    <Verdict.CORRECT: 'CORRECT'>
    >>> def mine(x):
    ...     return 1 - np.tanh(x) ** 2
    >>> verify.gradient(lambda x: np.sum(np.tanh(x)), mine, at=[[0.5, 19.0]]).verdict
    <Verdict.INACCURATE: 'INACCURATE'>

    The points are searched, if a region is given.

    >>> r = verify.gradient(np.tanh, mine, over=[-60, 60], seed=1)
    >>> print(r.verdict.value, "at", r.witness.x[0])
    INACCURATE at 20.0

    By some of the arguments alone:

    >>> def area(a, b):
    ...     return np.sum(a * b)
    >>> verify.gradient(area, lambda a, b: a, at=[(2.0, 3.0)], argnums=1).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return derivative("gradient", function, claimed, **terms)


@add_sections
@explain_keywords
def jacobian(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[Check],
) -> Result:
    """Verify the Jacobian of a function.

    Examples
    --------
    >>> import numpy as np, verify
    >>> r = verify.jacobian(np.exp, at=[0.5], claimed=lambda x: 2 * np.exp(x))
    >>> print(r.verdict.value, "-", r.witness.message)
    WRONG - the jacobian is 3.297443; the exact value is 1.648721; 2 times too large
    """
    return derivative("jacobian", function, claimed, **terms)


@add_sections
@explain_keywords
def hessian(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[Check],
) -> Result:
    """Verify the Hessian of a scalar function.

    Examples
    --------
    >>> import numpy as np, verify
    >>> verify.hessian(lambda x: np.prod(x), at=[[2.0, 3.0]]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return derivative("hessian", function, claimed, **terms)


@add_sections
@explain_keywords
def vjp(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[ProductCheck],
) -> Result:
    """Verify a vector-Jacobian product, as reverse mode and custom rules compute it.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def lost_a_factor(x, g):
    ...     return g * np.cos(x)
    >>> r = verify.vjp(lambda x: np.sin(2 * x), claimed=lost_a_factor, at=[(0.5, 3.0)])
    >>> r.verdict
    <Verdict.WRONG: 'WRONG'>
    >>> verify.vjp(lambda x: np.sin(2 * x), at=[0.5]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return derivative("vjp", function, claimed, **terms)


@add_sections
@explain_keywords
def jvp(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[ProductCheck],
) -> Result:
    """Verify a Jacobian-vector product, as forward mode computes it.

    Examples
    --------
    >>> import numpy as np, verify
    >>> r = verify.jvp(np.exp, claimed=lambda x, t: -t * np.exp(x), at=[(0.5, 1.0)])
    >>> print(r.verdict.value, "-", r.witness.message)
    WRONG - the jvp is -1.648721; the exact value is 1.648721; the sign is wrong
    """
    return derivative("jvp", function, claimed, **terms)


@add_sections
@explain_keywords
def hvp(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[ProductCheck],
) -> Result:
    """Verify a Hessian-vector product of a scalar function.

    Examples
    --------
    >>> import numpy as np, verify
    >>> verify.hvp(lambda x: np.sum(x**3), claimed=lambda x, v: 6 * x * v, at=[[1.0, 2.0]]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return derivative("hvp", function, claimed, **terms)
