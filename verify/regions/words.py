"""What a box is called in a sentence."""

from __future__ import annotations

import numpy as np

from verify.regions.shapes import Shape, power


def describe_entries(
    name: str, lower: np.ndarray, upper: np.ndarray, shapes: tuple[Shape, ...], whole: bool
) -> str:
    """Where the entries of `name` may lie, and its shape.

    Parameters
    ----------
    name : str
    lower, upper : arrays of one float dtype
        The bounds; broadcast against each other.
    shapes : tuple of shapes
    whole : bool

    Examples
    --------
    >>> describe_entries("x", np.float64(-1), np.float64(1), ((2, 3),), False)
    'x in [-1, 1]^(2×3)'
    >>> describe_entries("x", np.array([0.0, 1]), np.array([1.0, 2]), ((2,),), False)
    'x in [0, 1] × [1, 2]'
    """
    low, high = (x.ravel() for x in np.broadcast_arrays(lower, upper))
    pairs = list(dict.fromkeys(zip(low, high, strict=True)))
    if len(pairs) > 1 and len(pairs) <= 4 and shapes == ((len(low),),):
        kind = " whole" if whole else ""
        return f"{name}{kind} in {' × '.join(_span(*ends) for ends in zip(low, high, strict=True))}"
    if len(pairs) > 1:
        between = f"{_number(low.min())} and {_number(high.max())}"
        return f"{name} entry by entry between {between}{_shape(shapes)}"
    if not pairs:
        return f"{name} empty{_shape(shapes)}"
    return _said_of_one(name, *pairs[0], shapes, whole)


def _said_of_one(
    name: str, low: np.floating, high: np.floating, shapes: tuple[Shape, ...], whole: bool
) -> str:
    format_ = np.finfo(low.dtype)
    unbounded = high == format_.max
    if low == high:
        return f"{name} = {_number(low)}{_shape(shapes)}"
    if low == format_.smallest_subnormal:
        end = "" if unbounded else f" <= {_number(high)}"
        return f"{name} > 0{_shape(shapes)}" if not end else f"0 < {name}{end}{_shape(shapes)}"
    if low == format_.min and unbounded:
        return f"{name} any finite {low.dtype}{_shape(shapes)}"
    if unbounded:
        return f"{name} >= {_number(low)}{_shape(shapes)}"
    if low == format_.min:
        return f"{name} <= {_number(high)}{_shape(shapes)}"
    return f"{name}{' whole' if whole else ''} in {_span(low, high)}{power(shapes)}"


def _span(low: np.floating, high: np.floating) -> str:
    return f"[{_number(low)}, {_number(high)}]"


def _number(x: np.floating) -> str:
    """The shortest decimal of the dtype that reads back as `x`, without ``.0``."""
    text = str(x)
    return text.removesuffix(".0")


def _shape(shapes: tuple[Shape, ...]) -> str:
    if shapes == ((),):
        return ""
    return power(shapes) if len(shapes) > 1 else f", shape {shapes[0]}"


def short(value: object, most: int = 40) -> str:
    """A value as Python writes it, on one line and cut if long.

    Examples
    --------
    >>> short(list(range(100)), 12)
    '[0, 1, 2,...'
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= most else text[: most - 3] + "..."
