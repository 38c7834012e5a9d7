"""Whether a claim is right at ordinary points, by differences in the widest floats there are.

    python -m benchmarks.corpus.reference [--only NAME]

It shares nothing with the verifier: central differences of order 8 of the function itself, in
long doubles, and in doubles where a library takes no wider ones. It says which right claims
differ from them by more than they can explain, and which gross mistakes do not.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from benchmarks.corpus import rows
from benchmarks.corpus.registry import Row
from verify.model.case import region_of

__all__ = ["doubt"]

_WEIGHTS: Final = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
"""Of the central difference of order 8."""

_STEPS: Final = (2e-3, 2e-4)
"""Of long doubles and doubles alike; the smaller error of the two counts."""

_TOLERANCE: Final = 1e-7
_POINTS: Final = 4


def points(row: Row) -> list[tuple[Any, ...]]:
    """A few ordinary points of the row."""
    if row.over is None:
        return [p if isinstance(p, tuple) else (p,) for p in row.at or ()]
    region = region_of(row.function, row.over)
    random = np.random.default_rng(3)
    return [region.draw(random, "uniform", k) for k in range(_POINTS)]


def doubt(row: Row, kind: str = "right") -> float:
    """The largest error of the claim, relative to the largest entry of the derivative."""
    claim = row.claim(kind)
    found = []
    for number, point in enumerate(points(row)):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(_error(row, claim, point, np.random.default_rng(number)))
    return max(found, default=np.nan)


def limit(row: Row) -> float:
    """What a right claim may be off by: its stated accuracy, or what differences lose."""
    single = any(np.asarray(x).dtype == np.float32 for x in points(row)[0])
    return max(1e-4 if single else _TOLERANCE, 2 * row.rtol, 1000 * row.atol)


def _error(row: Row, claim: Callable[..., Any], point: Any, random: Any) -> float:
    point = tuple(np.asarray(x)[()] if np.asarray(x).dtype.kind == "f" else float(x) for x in point)
    if row.quantity in ("gradient", "jacobian"):
        given = claim(*point)
        parts = given if len(point) > 1 else (given,)
        return max(
            _smaller(part, lambda h, k=k: _jacobian(row.function, point, k, h))
            for k, part in enumerate(parts)
        )
    (x,) = point
    along = random.uniform(-1, 1, np.shape(x))[()]
    if row.quantity == "hessian":
        return _smaller(claim(x), lambda h: _hessian(row.function, x, h))
    if row.quantity == "hvp":
        exact = lambda h: np.tensordot(_hessian(row.function, x, h), along, np.ndim(x))  # noqa: E731
        return _smaller(claim(x, along), exact)
    if row.quantity == "jvp":
        return _smaller(claim(x, along), lambda h: _slope(lambda t: row.function(x + t * along), h))
    shape = np.shape(row.function(x))
    weight = random.uniform(-1, 1, shape)[()]
    return _smaller(
        claim(x, weight),
        lambda h: np.tensordot(weight, _jacobian(row.function, point, 0, h), len(shape)),
    )


def _smaller(given: Any, exact: Callable[[float], Any]) -> float:
    errors = [_off(np.asarray(given, float), np.asarray(exact(h), np.longdouble)) for h in _STEPS]
    return float(np.nanmin(errors)) if not np.isnan(errors).all() else np.nan


def _off(given: Any, exact: Any) -> float:
    if given.shape != exact.shape:
        return np.inf
    return float(
        np.max(np.abs(given - exact), initial=0) / max(np.max(np.abs(exact), initial=0), 1e-3)
    )


def _jacobian(function: Callable[..., Any], point: tuple[Any, ...], place: int, step: float) -> Any:
    x = np.asarray(point[place], float)
    columns = []
    for index in np.ndindex(x.shape):
        along = np.zeros(x.shape)
        along[index] = 1

        def moved(t: Any, along: Any = along) -> Any:
            given = [
                np.asarray(a)[()] + t * along if k == place else a for k, a in enumerate(point)
            ]
            return function(*given)

        columns.append(_slope(moved, step * max(1.0, abs(float(x[index])))))
    if not columns:
        return np.zeros((*np.shape(function(*point)), *x.shape))
    return np.stack(columns, axis=-1).reshape(np.shape(columns[0]) + x.shape)


def _hessian(function: Callable[..., Any], x: Any, step: float) -> Any:
    def gradient(y: Any) -> Any:
        return _jacobian(function, (y,), 0, step)

    return _jacobian(gradient, (x,), 0, step)


def _slope(function: Callable[[Any], Any], step: float) -> Any:
    for wide in (np.longdouble, np.float64):
        try:
            h = wide(step)
            return (
                sum(
                    w * (np.asarray(function(k * h)) - function(-k * h))
                    for k, w in enumerate(_WEIGHTS, 1)
                )
                / h
            )
        except TypeError:
            continue
    raise TypeError("the function takes no floats")


def main() -> None:
    """Print the doubtful claims."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    only = parser.parse_args().only
    for name, row in rows().items():
        if only not in name or not row.smooth:
            continue
        for kind in row.kinds:
            try:
                error = doubt(row, kind)
            except Exception as failure:  # noqa: BLE001
                # One row that stops is told, and the others go on.
                print(f"{name} ({kind}): {type(failure).__name__}: {failure}")
                continue
            if kind == "right" and not error < limit(row):
                print(f"{name} (right): off by {error:.2g}")
            if kind == "gross" and error < 10 * limit(row):
                print(f"{name} (gross): not wrong at ordinary points, {error:.2g}")


if __name__ == "__main__":
    main()
