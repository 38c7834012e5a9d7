"""Suite: every row of the vocabulary, at its examples; what has a derivative, over its region."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.primitives.vocabulary import examples, moving_inputs, vocabulary
from symtape.symbolic.boxes import boxes, lie_inside
from symtape.symbolic.interval import EVERYTHING
from verify.model.case import Case
from verify.regions import Region, as_region, box, product

__all__ = ["cases", "cases_at", "cases_of_values", "region_of_row"]

_FAR: Final = 40.0
"""How far a region reaches where nothing bounds it: into tails, and not to where they are 0."""

_SPREAD: Final = 0.25
"""How far around their example regions of matrices reach: to none that is singular."""

_LEAST: Final = 2.0**-6
"""Nearer to 0 a region has only 0: what underflows is for searches of users' functions."""

_REACHES: Final = {"hyperu": 4.0, "kolmogorov": 0.8}
"""Of rows that SciPy computes with fewer digits further out, which is not the fault of a rule."""

_SLOW: Final = ("expm", "owens_t")
"""Rows with balls that cost a second at each point: these are verified at their examples."""

_EFFORT: Final = 0.002
"""The least of searches, for there are hundreds."""


_FAR_MEAN: Final = 2.0**25 / 3
"""What rounding takes from the mean of numbers about here, it must not take from their slopes."""


def cases() -> list[Case]:
    """One case for each example, and each floating output, of each row; the first with a region.

    Beside them, what a derivative alone does not tell: slopes of rows that reduce, all numbers
    moved by the same, and values of rows that have no slopes, as balls read them.
    """
    differentiable = vocabulary()
    found = [case for row in differentiable for case in _row_cases(row)]
    found += [_far(row) for row in differentiable if row.dependence == "reduces"]
    without = [row for row in PRIMITIVES.values() if row not in differentiable and row.ball]
    return found + [case for row in without for case in cases_of_values(row)]


def _row_cases(row: Primitive) -> Iterator[Case]:
    given = examples(row)
    if not given:
        yield _missing_example_case(row)
    for number, (inputs, params) in enumerate(given):
        suffix = f".{number + 1}" if len(given) > 1 else ""
        found = cases_at(row, inputs, params, f"primitives/{row.name}{suffix}")
        if number or row.name in _SLOW:
            yield from found
            continue
        region = region_of_row(row, inputs, params)
        yield from (replace(case, over=region, effort=_EFFORT) for case in found)


def _far(row: Primitive) -> Case:
    (x,), params = examples(row)[0]

    def apply_moved(t: Any) -> Any:
        return row(np.asarray(x) + t, **params)

    return _make_case(apply_moved, row, f"{row.name}.far", (_FAR_MEAN,))


def cases_of_values(row: Primitive) -> Iterator[Case]:
    """A row without slopes is that of a multiple of it, its own beside the factor."""
    for number, (inputs, params) in enumerate(examples(row)):
        if any(np.asarray(x).dtype.kind != "f" for x in inputs):
            continue

        def multiple(*xs: Any, params: dict[str, Any] = params) -> Any:
            return np.multiply(xs[0], row(*xs, **params))

        suffix = f".{number + 1}" if number else ""
        yield _make_case(multiple, row, f"{row.name}{suffix}", inputs)


def _make_case(
    function: Callable[..., Any], row: Primitive, name: str, at: tuple[Any, ...]
) -> Case:
    function.__name__, function.__doc__ = row.name, row.source
    case_id, title = f"primitives/{name}", f"{row.name}, {function.__qualname__.split('.')[-1]}"
    return Case(case_id, title, function, (at,), quantity="jacobian", suite="primitives")


def region_of_row(row: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Region | None:
    """Where a row is verified: as far as it says itself, in the shapes of an example.

    Around the example, of rows that take matrices, or have a domain that is not said in words.
    None where the domain has no inside: of shares, which sum to 1.
    """
    moving = moving_inputs(row, tuple(map(np.asarray, inputs)))
    moved = [np.add(x, _LEAST) if k in moving else x for k, x in enumerate(inputs)]
    if row.domain is not None and not np.all(row.domain(*moved, **params)):
        return None
    near = not row.elementwise and bool(row.domain or row.dependence in ("stacks", "solves"))
    spaces = []
    for place in moving:
        low, high = (-_FAR, _FAR) if row.variadic else _bounds(row, row.inputs[place])
        x = np.asarray(inputs[place])
        spaces.append(box(x - _SPREAD, x + _SPREAD) if near else box(low, high, x.shape))

    def ordinary(*xs: Any) -> bool:
        given = dict(zip(moving, xs, strict=True))
        values = [given.get(place, x) for place, x in enumerate(inputs)]
        large = all(np.all((np.abs(x) >= _LEAST) | (x == 0)) for x in xs)
        return large and (not row.over or bool(np.all(lie_inside(row.over, row.inputs, values))))

    words = f"{row.over}; no tiny numbers" if row.over else "no tiny numbers"
    region = product(*spaces).where(ordinary, words).excluding("kinks")
    return as_region(region, [f"x{k}" for k in range(len(moving))])


def _bounds(row: Primitive, name: str) -> tuple[float, float]:
    sides = [part.get(name, EVERYTHING) for part in boxes(row.over)]
    low, high = min(float(side.low) for side in sides), max(float(side.high) for side in sides)
    reach = _REACHES.get(row.name, _FAR)
    return max(low, -reach) or _LEAST, min(high, reach) or -_LEAST


def cases_at(
    row: Primitive, inputs: tuple[Any, ...], params: dict[str, Any], name: str
) -> Iterator[Case]:
    """One case for each floating output of `row` at `inputs`; its id begins with `name`."""
    arrays = tuple(x if np.ndim(x) == 0 else np.asarray(x) for x in inputs)
    moving = moving_inputs(row, arrays)
    for part in _parts(row, arrays, params):
        output = f"[{part}]" if row.outputs > 1 else ""
        yield Case(
            id=f"{name}{output}",
            title=_title(row, params, output),
            function=_application(row, arrays, params, moving, part),
            at=(tuple(inputs[i] for i in moving),),
            quantity="jacobian",
            suite="primitives",
        )


def _missing_example_case(row: Primitive) -> Case:
    """A case that says what is missing, rather than a row that is passed over."""

    def apply(x: Any) -> Any:
        raise Unsupported(
            f"the row {row.name!r} has no example, so nothing verifies its rule; "
            "give it one, example=..."
        )

    return Case(f"primitives/{row.name}", row.name, apply, ((0.0,),), suite="primitives")


def _title(row: Primitive, params: dict[str, Any], output: str) -> str:
    shown = ", ".join(f"{key}={value!r}" for key, value in params.items())
    return f"{row.name}{output}({shown})" if shown else f"{row.name}{output}"


def _parts(row: Primitive, inputs: tuple[Any, ...], params: dict[str, Any]) -> list[int]:
    if row.outputs == 1:
        return [0]
    floats = (x if np.asarray(x).dtype.kind == "b" else np.asarray(x, float) for x in inputs)
    values = row.evaluate(*floats, **params)
    return [k for k, value in enumerate(values) if np.asarray(value).dtype.kind == "f"]


def _application(
    row: Primitive,
    inputs: tuple[Any, ...],
    params: dict[str, Any],
    moving: tuple[int, ...],
    part: int,
) -> Callable[..., Any]:
    def apply(*xs: Any) -> Any:
        args = list(inputs)
        for place, x in zip(moving, xs, strict=True):
            args[place] = x
        result = row(*args, **params)
        found = result[part] if row.outputs > 1 else result
        # A derivative by real numbers is that of both parts.
        is_complex = np.result_type(found).kind == "c"
        return np.stack([np.real(found), np.imag(found)]) if is_complex else found

    apply.__name__ = row.name
    apply.__doc__ = row.source
    return apply
