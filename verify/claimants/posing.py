"""Posing a case: what people write, made into a case that can be judged.

Functions and claims of other frameworks become callables of arrays, indices of arguments are
checked, and of a product points and regions get their directions.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent
from symtape.reading.record import record_readable
from symtape.recording.complex_numbers import CONJUGATE, Convention
from symtape.recording.structure import flatten
from verify.adapters import adapt_function
from verify.claimants.claim import fresh
from verify.claimants.complex_arguments import to_real_arguments
from verify.claimants.of_trees import find_argument, flatten_case
from verify.errors import UsageError
from verify.limits.limit import Calls
from verify.model.case import (
    Case,
    argument_names,
    check_arity,
    check_claim,
    is_integers,
    is_tree,
    name_function,
    region_of,
)
from verify.model.lifted import named_along
from verify.model.quantity import PRODUCTS, Quantity
from verify.regions import Region, as_region
from verify.regions.directions import RegionWithDirections, plain_directions

_TRIED: Final = 24
"""Points of a region at which a function is called, until it returns something."""

Point = tuple[Any, ...]
Forms = tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]


def pose_case(
    case: Case,
    over: Any = None,
    argnums: Any = None,
    directions: Any = None,
    convention: Convention = CONJUGATE,
) -> Case:
    """`case` with a region, with what it is by, and with directions.

    Parameters
    ----------
    case : Case
        With points that may lack directions, and none of these.
    over : region, optional
        As people write it.
    argnums : int, str, or sequence of them, optional
        Indices of arguments, or their names.
    directions : region, optional
        As people write it; of products only.
    convention : {"conjugate", "transpose"}
        Of the gradient of a real function by a complex argument.

    Raises
    ------
    UsageError
        What does not fit the function.
    """
    required = _count_required(case.function)
    case, held = _hold_integers(case, argnums, required)
    if held or any(is_tree(x) for point in case.at for x in point):
        case, argnums = flatten_case(case, argnums, required, held)
    case = adapt_case(case)
    if over is not None or any(np.iscomplexobj(x) for point in case.at for x in point):
        case, over, argnums = to_real_arguments(case, over, argnums, convention)
    along = PRODUCTS.get(case.quantity)
    beside = f"; the {along} has its own, directions=, and needs none" if along else ""
    region = None if over is None else region_of(case.function, over, beside)
    if case.quantity not in PRODUCTS:
        if directions is not None:
            raise UsageError(
                f"directions= are for a vjp, a jvp or an hvp, and this is a {case.quantity}"
            )
        for point in case.at:
            check_arity(case.function, point)
        count = len(case.at[0]) if case.at else len(region.arguments) if region else 0
        wrt = _check_argnums(argnums, argument_names(case.function, count))
        paired = case.quantity == "hessian" and wrt is not None
        full = replace(case, over=region, wrt=(wrt, wrt) if paired else wrt)
        return _adapt_claim(full, count)
    return _add_directions(case, region, argnums, directions)


def _hold_integers(case: Case, argnums: Any, required: int) -> tuple[Case, frozenset[int]]:
    """The arguments that stay integers, such as labels; a case whose others are floats.

    They are no arguments that the derivative is by, and the same at all points.
    """
    if not any(is_integers(x) for point in case.at for x in point):
        return case, frozenset()
    count = required if case.quantity in PRODUCTS and required else len(case.at[0])
    names = argument_names(case.function, count)
    given = argnums if isinstance(argnums, list | tuple) else (argnums,)
    by = {k % count if isinstance(k := find_argument(one, names), int) else k for one in given}
    held = frozenset(
        k
        for k, first in enumerate(case.at[0][:count])
        if None not in by and k not in by and is_integers(first)
        if all(is_integers(x) and np.array_equal(x, first) for x in (p[k] for p in case.at))
    )
    at = tuple(
        tuple(x if k in held or not is_integers(x) else x.astype(float).tolist() for k, x in each)
        for each in map(enumerate, case.at)
    )
    return replace(case, at=at), held


def _check_argnums(argnums: Any, names: Sequence[str]) -> tuple[int, ...] | None:
    """Indices of arguments, from 0."""
    if argnums is None:
        return None
    given = argnums if isinstance(argnums, list | tuple) else (argnums,)
    given = [find_argument(at, names) for at in given]
    count = len(names)
    for at in given:
        whole = isinstance(at, int | np.integer) and not isinstance(at, bool)
        if not whole or not -count <= at < count:
            raise UsageError(
                f"argnums={argnums!r}; expected indices of the arguments, {', '.join(names)}: "
                f"numbers from 0 to {count - 1}"
            )
    found = tuple(int(at) % count for at in given)
    if not found or len(set(found)) < len(found):
        raise UsageError(f"argnums={argnums!r}; expected each argument once, and one at least")
    return found


def _add_directions(case: Case, region: Region | None, argnums: Any, directions: Any) -> Case:
    count = _count(case, region)
    names = argument_names(case.function, count)
    wrt = _check_argnums(argnums, names)
    sample = [point[:count] for point in case.at]
    sample += [] if region is None else list(islice(region.points(case.seed), _TRIED))
    forms = _Forms(case, wrt, sample)
    called = named_along(case.quantity, names, wrt, forms.number)
    given = None if directions is None else _parse_directions(directions, called)
    if given is not None and len(given.arguments) != forms.number:
        raise UsageError(f"directions={directions!r}; expected one region for each of {called}")
    at = [full for point in case.at for full in _complete_point(case, point, count, forms, given)]
    over = None if region is None else RegionWithDirections(region, called, forms, given)
    full = replace(case, at=tuple(at), over=over, wrt=wrt, directions=forms.number)
    return _adapt_claim(full, count)


def _adapt_claim(case: Case, count: int) -> Case:
    """A case with its claim as a function of arrays."""
    check_claim(case, count)
    return claimed_by_framework(case, count)


def _count(case: Case, region: Region | None) -> int:
    """How many arguments the function takes."""
    if region is not None:
        return len(region.arguments)
    # Of a function that takes any number of arguments, points have no directions.
    return _count_required(case.function) or len(case.at[0])


def _count_required(function: Callable[..., Any]) -> int:
    if isinstance(function, np.ufunc):
        return int(function.nin)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 0
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in kinds and p.default is inspect.Parameter.empty for p in parameters)


def _parse_directions(directions: Any, names: Sequence[str]) -> Region:
    try:
        return as_region(directions, names)
    except UsageError as error:
        raise UsageError(str(error).replace("over", "directions", 1)) from error


def _complete_point(
    case: Case, point: Point, count: int, forms: _Forms, given: Region | None
) -> list[Point]:
    """A point with its directions, or with those that are worth a look."""
    if len(point) == count + forms.number:
        return [point]
    if len(point) != count:
        what = PRODUCTS[case.quantity]
        raise UsageError(
            f"the point {point!r} has {len(point)} entries; expected the {count} arguments of "
            f"{getattr(case.function, '__name__', 'the function')}, and {forms.number} "
            f"{what}{'s' * (forms.number != 1)} behind them or none"
        )
    some = plain_directions(forms(point)) if given is None else islice(given.points(case.seed), 8)
    return [(*point, *along) for along in some]


class _Forms:
    """The shapes and dtypes of the directions at a point.

    Attributes
    ----------
    number : int
        How many directions there are.
    """

    def __init__(self, case: Case, wrt: Sequence[int] | None, sample: Sequence[Point]) -> None:
        self._case, self._wrt = case, wrt
        self._known: dict[Any, Forms] = {}
        self._calls = Calls()
        self.number = 0
        for point in sample:
            found = self._find_forms(point)
            if found is not None:
                self.number = len(found)
                self._known[_key(point)] = self._fallback = found
                return
        # It raises at all of these; what it is, is found when it is judged.
        self.number = 1 if case.quantity == "vjp" else len(sample[0] if wrt is None else wrt)
        self._fallback = (((), np.dtype(np.float64)),) * self.number

    def __call__(self, point: Point) -> Forms:
        key = _key(point)
        if key not in self._known:
            found = self._find_forms(point)
            if found is None:
                return self._fallback
            self._known[key] = found
        return self._known[key]

    def _find_forms(self, point: Point) -> Forms | None:
        args = [fresh(x) for x in point]
        if self._case.quantity != "vjp":
            rows = range(len(args)) if self._wrt is None else self._wrt
            return tuple((np.shape(args[i]), np.asarray(args[i]).dtype) for i in rows)
        outputs = _outputs(self._case.function, args, self._calls)
        return (
            None
            if outputs is None
            else tuple(
                (y.shape, y.dtype if y.dtype.kind == "f" else np.dtype(np.float64)) for y in outputs
            )
        )


def _outputs(function: Callable[..., Any], args: Sequence[Any], calls: Calls) -> list[Any] | None:
    """What a function returns, called or recorded; None where it raises, or does not return.

    The judge calls it again, and says what is the matter.
    """
    for call in (function, lambda *xs: record_readable(function, *xs).evaluate(*xs)):
        limited = calls.limit_call("the function", tuple(args), BudgetSpent)
        with contextlib.suppress(Exception), np.errstate(all="ignore"), limited:
            return [np.asarray(y) for y in flatten(call(*args))]
    return None


def _key(point: Point) -> Any:
    return tuple((np.shape(x), np.asarray(x).dtype.str) for x in point)


def adapt_case(case: Case) -> Case:
    """`case` with functions of other frameworks as callables of arrays."""
    return replace(
        case,
        function=adapt_function(case.function),
        claimed=None if case.claimed is None else adapt_function(case.claimed),
        modes={mode: adapt_function(derivative) for mode, derivative in case.modes.items()},
    )


def claimed_by_framework(case: Case, count: int) -> Case:
    """`case`, claimed by the framework that its function is of, where nobody else does.

    Parameters
    ----------
    case : Case
        As it is going to be judged, but for who claims.
    count : int
        Of the function's arguments.
    """
    framework = getattr(case.function, "framework", None)
    if framework is None or case.claimed is not None:
        return case
    if case.quantity == "vjp" and case.directions > 1:
        raise UsageError(
            f"the vjp of a function with {case.directions} outputs: give it as claimed=, a "
            "function of the arguments and of a cotangent for each output"
        )
    module = importlib.import_module(f"verify.adapters.{framework}")
    found = {
        mode: _SelectedDerivative(derivative, case.claimed_quantity, count)
        if case.wrt is not None
        else derivative
        for mode, derivative in module.derivatives(case.function, case.quantity).items()
    }
    (mode, claimed), *rest = found.items()
    return replace(case, claimed=claimed, mode=mode, modes={**dict(rest), **case.modes})


class _SelectedDerivative:
    """A derivative by all arguments, of which some are asked for."""

    def __init__(self, derivative: Callable[..., Any], quantity: Quantity, count: int) -> None:
        self._derivative, self._quantity, self._count = derivative, quantity, count
        self.__wrapped__ = derivative
        self.framework = getattr(derivative, "framework", "")
        self.__name__ = self.__qualname__ = name_function(derivative)

    def __call__(self, *point: Any) -> Any:
        """The parts that are asked for."""
        quantity, count = self._quantity, self._count
        found = flatten(self._derivative(*self._fill_point(point)))
        if quantity.name == "jvp":
            return found[0] if len(found) == 1 else tuple(found)
        places = quantity.parts(len(point))
        at = [i[0] if len(i) == 1 else count * i[0] + i[1] for i in places]
        return found[at[0]] if len(at) == 1 else tuple(found[k] for k in at)

    def _fill_point(self, point: tuple[Any, ...]) -> list[Any]:
        """The point, with directions of zeros for the other arguments."""
        if self._quantity.name not in ("jvp", "hvp"):
            return list(point)
        xs = list(point[: self._count])
        along = dict(zip(self._quantity.rows(len(point)), point[self._count :], strict=True))
        zeros = (np.zeros(np.shape(x), dtype=x.dtype)[()] for x in xs)
        return xs + [along.get(k, zero) for k, zero in enumerate(zeros)]
