"""Pair: a function of a package and what is said to be its derivative, by their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from symtape.one_line import OneLineRepr


@dataclass(frozen=True, slots=True, repr=False)
class Pair(OneLineRepr):
    """A function and its claimed derivative: names and numbers, from which both are made anew.

    Attributes
    ----------
    id : str
        "package.module:Owner.claim", with "[parameter]" behind it where there are several; unique
        in an audit.
    convention : str
        The name of the convention that found it, and that poses it.
    module : str
        Where the function or class is defined.
    function : str
        The qualified name of the function or class there.
    claim : str
        The name of what claims to be the derivative.
    quantity : str
        "gradient", "jacobian" or "hessian".
    settings : mapping
        What else the convention needs to pose it; JSON.
    sure : bool
        Whether the library says that the one is the derivative of the other, and not a name alone:
        a claim that is right at no point is then WRONG, and otherwise not paired.
    """

    id: str
    convention: str
    module: str
    function: str
    claim: str
    quantity: str = "gradient"
    settings: Mapping[str, Any] = field(default_factory=dict)
    sure: bool = True


@dataclass(frozen=True, slots=True, repr=False)
class Unpaired(OneLineRepr):
    """What looks like a derivative and could not be paired, bounded or posed.

    Attributes
    ----------
    id : str
    convention : str
    reason : str
        In words, for the listing.
    """

    id: str
    convention: str
    reason: str
