"""Reading a claim: of which arguments it is the derivative, by the shapes that it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.auditing.packages.convention import NotPosed

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a claim is, of a function of several arguments.

    Attributes
    ----------
    quantity : str
    by : tuple of int
        The arguments that it is by.
    shapes : tuple of shapes
        Of its parts, one for each of these arguments.
    form : {"parts", "stacked", "diagonal", "rows", "transposed"}
        One array for each argument; all of them in one; the diagonal of an elementwise function's,
        or of one that has a value for each row; the arguments' axes before those of the value.
    """

    quantity: str
    by: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    form: str = "parts"

    def read_claim(self, claim: Function) -> Function:
        """The claim as it is judged: an array, or a tuple of one for each argument."""

        def call_claim(*arguments: Any) -> Any:
            parts = self._parts(claim(*arguments))
            return parts[0] if len(self.by) == 1 else tuple(parts)

        return call_claim

    def _parts(self, answer: Any) -> list[Any]:
        if self.form == "diagonal":
            return [np.diag(np.ravel(answer)).reshape(self.shapes[0])]
        if self.form == "rows":
            rows = np.asarray(answer)
            every = np.arange(len(rows))
            filled = np.zeros((len(rows), *rows.shape))
            filled[every, every] = rows
            return [filled.reshape(self.shapes[0])]
        if self.form == "transposed":
            (shape,) = self.shapes
            array = np.asarray(answer)
            return [np.reshape(array.T, shape) if array.ndim == 2 else array]
        if self.form == "stacked":
            array = np.array(answer) if isinstance(answer, list | tuple) else answer
            return [array[..., k] for k in range(len(self.by))]
        each = list(answer) if len(self.by) > 1 else [answer]
        return [_shape_part(part, shape) for part, shape in zip(each, self.shapes, strict=True)]


def _shape_part(part: Any, shape: tuple[int, ...]) -> Any:
    array = np.array(part) if isinstance(part, list | tuple) else part
    return array if np.shape(array) == shape else np.reshape(array, shape)


def reading_of(
    value: Any, answer: Any, arguments: Sequence[Any], by: Sequence[int], quantity: str = ""
) -> Reading:
    """How an answer is to be read.

    Parameters
    ----------
    value : array_like
        Of the function.
    answer : array_like or tuple
        Of the claim.
    arguments : sequence of array_like
    by : sequence of int
        The arguments that it is by; empty where that is to be told from the shapes.
    quantity : str
        "hessian" where it is one.

    Raises
    ------
    NotPosed
        The shapes fit no derivative.

    Examples
    --------
    >>> reading_of(1.0, [1.0, 2.0], [np.ones(2), 3.0], ())
    Reading(quantity='gradient', by=(0,), shapes=((2,),), form='parts')
    >>> reading_of(1.0, (1.0, 2.0), [1.0, 3.0], ()).by
    (0, 1)
    """
    shapes = [np.shape(x) for x in arguments]
    out = np.shape(value)
    if quantity == "hessian":
        return _hessian(answer, shapes, by or (0,))
    quantity = "gradient" if out == () else "jacobian"
    whole = _shape(answer)
    if len(by) != 1 and (found := _read_several(out, answer, shapes, by or range(len(shapes)))):
        return found
    for k in by or (0,):
        wanted = out + shapes[k]
        if whole is None:
            continue
        if whole == wanted or (
            _size(whole) == _size(wanted) and _squeeze_shape(whole) == _squeeze_shape(wanted)
        ):
            return Reading(quantity, (k,), (wanted,))
        if whole == out == shapes[k]:
            return Reading(quantity, (k,), (wanted,), "diagonal")
        if whole == shapes[k] and len(whole) == 2 and out in (whole[:1], (whole[0], 1)):
            return Reading(quantity, (k,), (wanted,), "rows")
        if len(out) == len(shapes[k]) == 1 and whole == shapes[k] + out:
            return Reading(quantity, (k,), (wanted,), "transposed")
    told = "several arrays" if whole is None else f"shape {whole}"
    raise NotPosed(
        f"its result ({told}) does not have the shape of a derivative of a value of shape {out} by "
        f"arguments of shapes {', '.join(map(str, shapes))}"
    )


def _read_several(
    out: tuple[int, ...], answer: Any, shapes: Sequence[tuple[int, ...]], by: Sequence[int]
) -> Reading | None:
    """One array for each of several arguments, or all in the last axis of one."""
    quantity = "gradient" if out == () else "jacobian"
    wanted = tuple(out + shapes[k] for k in by)
    if len(by) < 2:
        return None
    fits = isinstance(answer, list | tuple) and len(answer) == len(by)
    if fits and tuple(map(_shape, answer)) == wanted:
        return Reading(quantity, tuple(by), wanted)
    if all(shape == () for shape in shapes) and _shape(answer) == (*out, len(by)):
        return Reading(quantity, tuple(by), wanted, "stacked")
    return None


def _hessian(answer: Any, shapes: Sequence[tuple[int, ...]], by: Sequence[int]) -> Reading:
    (k,) = by[:1]
    wanted = shapes[k] * 2
    if _shape(answer) != wanted:
        raise NotPosed(f"its shape {_shape(answer)} is not that of a Hessian by shape {shapes[k]}")
    return Reading("hessian", (k,), (wanted,))


def _shape(answer: Any) -> tuple[int, ...] | None:
    """None for what is not a rectangular array."""
    try:
        array = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return array.shape


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape))


def _squeeze_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n for n in shape if n != 1)
