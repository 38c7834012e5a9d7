"""Mistakes that are made with directions: not used, used from the wrong side, and not linear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from verify.claimants.claim import Claim
from verify.claimants.tape import tape_derivative
from verify.errors import NotADerivative
from verify.judging.diagnosis.causes import are_parts_close
from verify.judging.diagnosis.mistakes import Observation
from verify.model.case import argument_names
from verify.model.quantity import PRODUCTS

_OTHER_WAY: Final = {"vjp": "jvp", "jvp": "vjp"}


def describe_misdirection(claim: Claim, observations: Sequence[Observation]) -> str:
    """What is done wrongly with the directions, in words; empty if that is not it.

    The first observation is the one to explain; the others have to fit.
    """
    if not claim.quantity.directions:
        return ""
    count = len(observations[0].x)
    along = claim.quantity.direction_places(count)
    names = [argument_names(claim.function, count)[at] for at in along]
    named = f"the {PRODUCTS[claim.quantity.name]}{'s' * (len(names) > 1)} {' and '.join(names)}"
    verb = "are" if len(names) > 1 else "is"
    tape = tape_derivative(claim.function, claim.quantity, count)
    if _fits(observations, lambda x: tape(*_fill_directions(x, along))):
        return f"{named} {verb} not used: the claim is the product with ones"
    if _fits(observations, lambda x: _transposed_product(claim, x)):
        side = (
            "transposed Jacobian" if claim.quantity.name == "jvp" else "Jacobian, not transposed,"
        )
        return f"the claim is the {side} times {named}"
    here = observations[0]
    if not any(np.any(here.x[at]) for at in along):
        return f"{named} {verb} zero here, and the product is not"
    return ""


def _fill_directions(x: Sequence[Any], along: Sequence[int]) -> list[Any]:
    return [np.ones_like(arg)[()] if at in along else arg for at, arg in enumerate(x)]


def _transposed_product(claim: Claim, x: Sequence[Any]) -> Any:
    """The product from the other side, where that has the same shape."""
    other = _OTHER_WAY.get(claim.quantity.name)
    if other is None or claim.quantity.directions != 1 or len(claim.quantity.rows(len(x))) != 1:
        return None
    return tape_derivative(claim.function, replace(claim.quantity, name=other), len(x))(*x)


def _fits(observations: Sequence[Observation], product: Callable[[Sequence[Any]], Any]) -> bool:
    """Whether `product` is what is claimed, everywhere, and not everywhere what is exact."""
    telling = False
    for seen in observations:
        try:
            found = product(seen.x)
        except (SymtapeError, NotADerivative, LookupError, ValueError, TypeError):
            return False
        parts = found if isinstance(found, list | tuple) else [found]
        if found is None or not _are_close(parts, seen.claimed):
            return False
        telling = telling or not _are_close(parts, seen.exact)
    return telling


def _are_close(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return list(map(np.shape, one)) == list(map(np.shape, other)) and are_parts_close(one, other)
