"""Suite: every differentiable row of the vocabulary, at its examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.primitive import Primitive
from symtape.primitives.vocabulary import examples, moving_inputs, vocabulary
from verify.model.case import Case

__all__ = ["cases", "cases_at"]


def cases() -> list[Case]:
    """One case for each example, and each floating output, of each row."""
    return [case for row in vocabulary() for case in _of_row(row)]


def _of_row(row: Primitive) -> Iterator[Case]:
    given = examples(row)
    if not given:
        yield _without_example(row)
    for number, (inputs, params) in enumerate(given):
        suffix = f".{number + 1}" if len(given) > 1 else ""
        yield from cases_at(row, inputs, params, f"primitives/{row.name}{suffix}")


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


def _without_example(row: Primitive) -> Case:
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
