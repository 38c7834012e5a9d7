"""Masked arrays of tensors: data that is recorded, and a mask that is a decision.

NumPy's masked arrays are arrays of their own kind, which hold values alone. What stands for one
here keeps the mask beside a tensor, and masks what NumPy masks.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.errors import NotOnTape
from symtape.reading.dispatch import if_given
from symtape.recording.in_place import lift_tensors
from symtape.recording.nested import holds_tensor, join_nested

Function = Callable[..., Any]

_OF_A_DOMAIN: Final = frozenset(
    getattr(np, name)
    for name in (
        *("log", "log2", "log10", "sqrt", "arccos", "arcsin", "arccosh", "arctanh"),
        *("divide", "floor_divide", "remainder", "fmod"),
    )
)
"""Ufuncs that mask what they are not defined for."""


def _to_decision(mask: Any) -> Any:
    """A mask by its values, which is a decision of the recording."""
    return np.asarray(mask, dtype=bool)


def _reduction(by: Function, instead: float) -> Function:
    """A reduction that has `instead` for what is masked."""

    def reduce(self: MaskedStandIn, axis: Any = None, **how: Any) -> Any:
        found = by(np.where(self.mask, instead, self.data), axis=axis, **how)
        return self._where_counted(found, axis, **how)

    reduce.__name__ = by.__name__
    reduce.__doc__ = f"As ``numpy.ma.MaskedArray.{by.__name__}``."
    return reduce


def _masked_error(words: str) -> NotOnTape:
    return NotOnTape(words, code="dtype:masked")


class MaskedStandIn(np.lib.mixins.NDArrayOperatorsMixin):
    """An array with a mask, as ``numpy.ma.MaskedArray`` is one.

    Parameters
    ----------
    data : Tensor or array
    mask : array of bool
        True where a value does not count.

    Examples
    --------
    >>> from symtape.recording.tensor import constant
    >>> x = MaskedStandIn(constant([1.0, 2.0, 4.0]), [False, True, False])
    >>> float((x * x).sum())
    17.0
    """

    def __init__(self, data: Any, mask: Any = False) -> None:
        self.data = join_nested(data)
        self.mask = np.broadcast_to(_to_decision(mask), np.shape(self.data))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise _masked_error(
            f"{name} of a masked array is not recorded; compute with x.filled(value), or with "
            "x.compressed(), which are arrays"
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """As ``numpy.ndarray.shape``."""
        return self.mask.shape

    @property
    def ndim(self) -> int:
        """As ``numpy.ndarray.ndim``."""
        return self.mask.ndim

    @property
    def size(self) -> int:
        """As ``numpy.ndarray.size``."""
        return self.mask.size

    @property
    def dtype(self) -> Any:
        """As ``numpy.ndarray.dtype``."""
        return self.data.dtype

    @property
    def T(self) -> MaskedStandIn:  # NumPy's name
        """The transpose."""
        return MaskedStandIn(self.data.T, self.mask.T)

    def __len__(self) -> int:
        return len(self.mask)

    def __getitem__(self, index: Any) -> Any:
        mask = self.mask[index]
        if np.ndim(mask):
            return MaskedStandIn(self.data[index], mask)
        return np.ma.masked if mask else self.data[index]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **how: Any) -> Any:
        if method != "__call__" or how or ufunc.nout > 1:
            raise _masked_error(f"np.{ufunc.__name__} of masked arrays is recorded without {how}")
        given = [make_masked(x) for x in inputs]
        mask = functools.reduce(np.logical_or, (x.mask for x in given))
        # What is masked has no value, and no derivative that could be none.
        safe = [np.where(mask, 1.0, x.data) for x in given]
        with np.errstate(all="ignore"):
            found = ufunc(*safe)
            if ufunc in _OF_A_DOMAIN:
                outside = ~_to_decision(np.isfinite(found))
                safe = [np.where(outside, 1.0, x) for x in safe]
                mask, found = mask | outside, ufunc(*safe)
        return MaskedStandIn(found, mask)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        of_masked = getattr(np.ma, func.__name__, None)
        if of_masked not in KEPT_MASKED:
            raise _masked_error(f"np.{func.__name__} of a masked array is not recorded")
        return KEPT_MASKED[of_masked](*args, **kwargs)

    def filled(self, fill_value: Any = None) -> Any:
        """As ``numpy.ma.MaskedArray.filled``."""
        value = np.ma.default_fill_value(self.dtype) if fill_value is None else fill_value
        return lift_tensors(np.where(self.mask, value, self.data))

    def compressed(self) -> Any:
        """As ``numpy.ma.MaskedArray.compressed``."""
        return lift_tensors(np.reshape(self.data, (-1,))[~self.mask.ravel()])

    def count(self, axis: Any = None, keepdims: bool = False) -> Any:
        """As ``numpy.ma.MaskedArray.count``."""
        return np.sum(~self.mask, axis=axis, keepdims=keepdims)

    def _where_counted(self, found: Any, axis: Any, keepdims: bool = False) -> Any:
        none = np.asarray(self.count(axis, keepdims) == 0)
        if none.ndim:
            return MaskedStandIn(found, none)
        return np.ma.masked if none else lift_tensors(found)

    sum, prod = _reduction(np.sum, 0.0), _reduction(np.prod, 1.0)
    min, max = _reduction(np.min, np.inf), _reduction(np.max, -np.inf)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Any:
        """As ``numpy.ma.MaskedArray.mean``."""
        total = np.sum(np.where(self.mask, 0.0, self.data), axis=axis, keepdims=keepdims)
        count = np.maximum(self.count(axis, keepdims), 1)
        return self._where_counted(total / count, axis, keepdims)

    def var(self, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
        """As ``numpy.ma.MaskedArray.var``."""
        values, count = np.where(self.mask, 0.0, self.data), self.count(axis, True)
        centre = np.sum(values, axis=axis, keepdims=True) / np.maximum(count, 1)
        squares = np.where(self.mask, 0.0, (values - centre) ** 2)
        left = np.maximum(self.count(axis, keepdims) - ddof, 1)
        found = np.sum(squares, axis=axis, keepdims=keepdims) / left
        return self._where_counted(found, axis, keepdims)

    def std(self, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
        """As ``numpy.ma.MaskedArray.std``."""
        return np.sqrt(self.var(axis, ddof, keepdims))

    def reshape(self, *shape: Any) -> MaskedStandIn:
        """As ``numpy.ndarray.reshape``."""
        return MaskedStandIn(self.data.reshape(*shape), self.mask.reshape(*shape))

    def ravel(self) -> MaskedStandIn:
        """As ``numpy.ndarray.ravel``."""
        return self.reshape(-1)

    def copy(self) -> MaskedStandIn:
        """As ``numpy.ndarray.copy``."""
        return MaskedStandIn(self.data, self.mask.copy())


def make_masked(
    data: Any = None, mask: Any = False, dtype: Any = None, **how: Any
) -> MaskedStandIn:
    """``np.ma.array`` of tensors."""
    if isinstance(data, MaskedStandIn):
        return MaskedStandIn(data.data, data.mask | _to_decision(mask))
    if isinstance(data, np.ma.MaskedArray):
        return MaskedStandIn(data.data, np.ma.getmaskarray(data) | _to_decision(mask))
    if how.keys() - {"copy", "keep_mask", "fill_value", "shrink", "hard_mask"}:
        raise _masked_error(f"a masked array of tensors takes no {', '.join(how)}")
    return MaskedStandIn(
        join_nested(data) if dtype is None else join_nested(data).astype(dtype), mask
    )


def _mask_where(condition: Any, a: Any, copy: bool = True) -> MaskedStandIn:
    return make_masked(a, condition)


def _mask_by_comparison(compare: Function) -> Function:
    return lambda x, value, copy=True: make_masked(x, compare(make_masked(x).data, value))


def _is_between(x: Any, v1: Any, v2: Any) -> Any:
    low, high = (v1, v2) if v1 <= v2 else (v2, v1)
    return (make_masked(x).data >= low) & (make_masked(x).data <= high)


def _invalid(a: Any, copy: bool = True) -> MaskedStandIn:
    return make_masked(a, ~_to_decision(np.isfinite(make_masked(a).data)))


def _average(a: Any, axis: Any = None, weights: Any = None, **how: Any) -> Any:
    a = make_masked(a)
    if weights is None:
        return a.mean(axis, **how)
    weights = MaskedStandIn(np.broadcast_to(join_nested(weights), a.shape), a.mask)
    return (a * weights).sum(axis, **how) / weights.sum(axis, **how)


def _method(name: str) -> Function:
    return lambda a, *how, **more: getattr(make_masked(a), name)(*how, **more)


_METHODS: Final = (
    *("sum", "prod", "min", "max", "mean", "var", "std"),
    *("filled", "compressed", "count", "ravel", "reshape", "copy"),
)

_COMPARED: Final = {
    "masked_less": np.less,
    "masked_less_equal": np.less_equal,
    "masked_greater": np.greater,
    "masked_greater_equal": np.greater_equal,
    "masked_equal": np.equal,
    "masked_not_equal": np.not_equal,
}


def _list_substitutes() -> dict[Any, Function]:
    named: dict[str, Function] = {
        **{name: _method(name) for name in _METHODS},
        **{name: _mask_by_comparison(compare) for name, compare in _COMPARED.items()},
        **dict.fromkeys(("array", "asarray", "asanyarray"), make_masked),
        "masked_where": _mask_where,
        "masked_invalid": _invalid,
        "masked_inside": lambda x, v1, v2, copy=True: make_masked(x, _is_between(x, v1, v2)),
        "masked_outside": lambda x, v1, v2, copy=True: make_masked(x, ~_is_between(x, v1, v2)),
        "average": _average,
        "getdata": lambda a, subok=True: lift_tensors(make_masked(a).data),
        "getmask": lambda a: make_masked(a).mask,
        "getmaskarray": lambda a: make_masked(a).mask,
    }
    for name in dir(np.ma):
        ufunc = getattr(np, name, None)
        if isinstance(ufunc, np.ufunc) and ufunc.nout == 1:
            named.setdefault(name, _mask_ufunc(ufunc))
    return {
        original: if_given(original, function, _holds_masked)
        for name, function in named.items()
        if (original := getattr(np.ma, name))
    }


def _mask_ufunc(ufunc: np.ufunc) -> Function:
    return lambda *args: ufunc(*map(make_masked, args))


def _holds_masked(given: tuple[Any, ...]) -> bool:
    return holds_tensor(given) or any(isinstance(x, MaskedStandIn) for x in given)


KEPT_MASKED: Final = _list_substitutes()
"""Functions of ``numpy.ma``, as they keep tensors."""

MASKED_ARRAY: Final = if_given(np.ma.MaskedArray, make_masked, _holds_masked)
"""The type of masked arrays, as it is called."""
