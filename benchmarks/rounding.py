"""Bounds on rounding errors over boxes, beside those that FPTaylor publishes.

    python -m benchmarks.rounding [--gradients] [--boxes 1000] [--only doppler1 ...]

The expressions are those of Darulova and Kuncak (POPL 2014), Magron et al. (2017) and Solovyev et
al. (TOPLAS 2018); FPTaylor's bounds are those of its repository, ``tests/*/_tests.yml`` at
efbbc83: improved rounding model, full optimisation. As there, inputs are real numbers that are
rounded, and so are decimal constants; *float inputs* has the bounds for inputs and constants that
are floats. FPTaylor takes 1.5 half-ulps for functions such as exp, and rows of symtape more: *same
units* has the bound with FPTaylor's.

Every bound is set beside the largest error that was seen at random floats, exactly.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import symtape
from symtape.primitives.primitive import PRIMITIVES
from symtape.rigorous.enclose import enclose
from symtape.rigorous.error_bound import ErrorBound, bound_errors

FUNCTIONS = ("exp", "log", "sin", "cos", "arctan")
POINTS = 300
BITS = 200


class Row(NamedTuple):
    """An expression, the ends of its inputs, and what FPTaylor publishes."""

    function: Callable[..., Any]
    ends: tuple[tuple[str, str], ...]
    published: float
    floats: bool = False
    """Whether its inputs are floats there."""


def doppler(u: Any, v: Any, t: Any, a: Any = "331.4", b: Any = "0.6") -> Any:
    """The Doppler shift."""
    t1 = a + b * t
    return (-t1 * v) / ((t1 + u) * (t1 + u))


def rigid_body_1(x1: Any, x2: Any, x3: Any) -> Any:
    """A controller."""
    return -x1 * x2 - 2 * x2 * x3 - x1 - x3


def rigid_body_2(x1: Any, x2: Any, x3: Any) -> Any:
    """A controller."""
    return 2 * x1 * x2 * x3 + 3 * x3 * x3 - x2 * x1 * x2 * x3 + 3 * x3 * x3 - x2


def turbine_1(v: Any, w: Any, r: Any) -> Any:
    """A turbine."""
    return 3 + 2 / (r * r) - 0.125 * (3 - 2 * v) * (w * w * r * r) / (1 - v) - 4.5


def turbine_2(v: Any, w: Any, r: Any) -> Any:
    """A turbine."""
    return 6 * v - 0.5 * v * (w * w * r * r) / (1 - v) - 2.5


def turbine_3(v: Any, w: Any, r: Any) -> Any:
    """A turbine."""
    return 3 - 2 / (r * r) - 0.125 * (1 + 2 * v) * (w * w * r * r) / (1 - v) - 0.5


def verhulst(x: Any, k: Any = "1.11") -> Any:
    """Growth of a population."""
    return (4.0 * x) / (1 + (x / k))


def predator_prey(x: Any, k: Any = "1.11") -> Any:
    """Growth of a population."""
    return (4.0 * x * x) / (1 + (x / k) * (x / k))


def carbon_gas(v: Any, a: Any = "0.401", b: Any = "42.7e-6", k: Any = "1.3806503e-23") -> Any:
    """A gas by van der Waals."""
    n = 1000.0
    return (3.5e7 + a * (n / v) * (n / v)) * (v - n * b) - k * n * 300.0


def sine(x: Any) -> Any:
    """A Taylor polynomial."""
    fifth, seventh = x * x * x * x * x, x * x * x * x * x * x * x
    return x - (x * x * x) / 6.0 + fifth / 120.0 - seventh / 5040.0


def square_root(y: Any) -> Any:
    """A Taylor polynomial."""
    return 1.0 + 0.5 * y - 0.125 * y * y + 0.0625 * y * y * y - 0.0390625 * y * y * y * y


def sine_of_order_3(z: Any, a: Any = "0.954929658551372", b: Any = "0.12900613773279798") -> Any:
    """A polynomial."""
    return a * z - b * (z * z * z)


def himmilbeau(x1: Any, x2: Any) -> Any:
    """Himmelblau's function, as it is called there."""
    a, b = x1 * x1 + x2 - 11, x1 + x2 * x2 - 7
    return a * a + b * b


def jet(x1: Any, x2: Any) -> Any:
    """A jet engine."""
    t = 3 * x1 * x1 + 2 * x2 - x1
    s = t / (x1 * x1 + 1)
    return x1 + (
        (2 * x1 * s * (s - 3) + x1 * x1 * (4 * s - 6)) * (x1 * x1 + 1)
        + 3 * x1 * x1 * s
        + x1 * x1 * x1
        + x1
        + 3 * ((3 * x1 * x1 + 2 * x2 - x1) / (x1 * x1 + 1))
    )


def kepler_0(x1: Any, x2: Any, x3: Any, x4: Any, x5: Any, x6: Any) -> Any:
    """Packing of spheres."""
    return x2 * x5 + x3 * x6 - x2 * x3 - x5 * x6 + x1 * (-x1 + x2 + x3 - x4 + x5 + x6)


def kepler_1(x1: Any, x2: Any, x3: Any, x4: Any) -> Any:
    """Packing of spheres."""
    return (
        x1 * x4 * (-x1 + x2 + x3 - x4)
        + x2 * (x1 - x2 + x3 + x4)
        + x3 * (x1 + x2 - x3 + x4)
        - x2 * x3 * x4
        - x1 * x3
        - x1 * x2
        - x4
    )


def kepler_2(x1: Any, x2: Any, x3: Any, x4: Any, x5: Any, x6: Any) -> Any:
    """Packing of spheres."""
    return (
        x1 * x4 * (-x1 + x2 + x3 - x4 + x5 + x6)
        + x2 * x5 * (x1 - x2 + x3 + x4 - x5 + x6)
        + x3 * x6 * (x1 + x2 - x3 + x4 + x5 - x6)
        - x2 * x3 * x4
        - x1 * x3 * x5
        - x1 * x2 * x6
        - x4 * x5 * x6
    )


def azimuth(lat1: Any, lat2: Any, lon1: Any, lon2: Any) -> Any:
    """Of a great circle."""
    between = lon2 - lon1
    y = np.cos(lat2) * np.sin(between)
    x = np.cos(lat1) * np.sin(lat2) - np.sin(lat1) * np.cos(lat2) * np.cos(between)
    return np.arctan(y / x)


def hartman_3(
    x1: Any,
    x2: Any,
    x3: Any,
    tenth: Any = "0.1",
    a: Any = "0.3689",
    b: Any = "0.117",
    c: Any = "0.2673",
    d: Any = "0.4699",
    e: Any = "0.4387",
    f: Any = "0.747",
    g: Any = "0.1091",
    h: Any = "0.8732",
    i: Any = "0.5547",
    j: Any = "0.03815",
    k: Any = "0.5743",
    m: Any = "0.8828",
    n: Any = "1.2",
    o: Any = "3.2",
) -> Any:
    """Hartmann's function of three variables."""

    def form(scales: Any, places: Any) -> Any:
        parts = [
            scale * ((x - at) * (x - at))
            for scale, x, at in zip(scales, (x1, x2, x3), places, strict=True)
        ]
        return np.exp(-(parts[0] + parts[1] + parts[2]))

    return -(
        1.0 * form((3.0, 10.0, 30.0), (a, b, c))
        + n * form((tenth, 10.0, 35.0), (d, e, f))
        + 3.0 * form((3.0, 10.0, 30.0), (g, h, i))
        + o * form((tenth, 10.0, 35.0), (j, k, m))
    )


_TURBINE = (("-4.5", "-0.3"), ("0.4", "0.9"), ("3.8", "7.8"))
_KEPLER = ("4", "6.36")
_HALF_PI, _PI = "1.570796", "3.14159265"
ROWS = {
    "carbonGas": Row(carbon_gas, (("0.1", "0.5"),), 4.962322e-9),
    "doppler1": Row(doppler, (("-100", "100"), ("20", "20000"), ("-30", "50")), 1.217604e-13),
    "doppler2": Row(doppler, (("-125", "125"), ("15", "25000"), ("-40", "60")), 2.226041e-13),
    "doppler3": Row(doppler, (("-30", "120"), ("320", "20300"), ("-50", "30")), 6.627360e-14),
    "himmilbeau": Row(himmilbeau, (("-5", "5"),) * 2, 1.000089e-12),
    "jet": Row(jet, (("-5", "5"), ("-20", "5")), 1.028348e-11),
    "kepler0": Row(kepler_0, (_KEPLER,) * 6, 7.469401e-14),
    "kepler1": Row(kepler_1, (_KEPLER,) * 4, 2.863120e-13),
    "kepler2": Row(kepler_2, (_KEPLER,) * 6, 1.578175e-12),
    "predatorPrey": Row(predator_prey, (("0.1", "0.3"),), 1.585754e-16),
    "rigidBody1": Row(rigid_body_1, (("-15", "15"),) * 3, 2.948753e-13),
    "rigidBody2": Row(rigid_body_2, (("-15", "15"),) * 3, 3.606627e-11),
    "sine": Row(sine, (("-1.57079632679", "1.57079632679"),), 4.430439e-16),
    "sineOrder3": Row(sine_of_order_3, (("-2", "2"),), 5.937466e-16),
    "sqroot": Row(square_root, (("0", "1"),), 5.016453e-16),
    "t_div_t1": Row(lambda t: t / (t + 1), (("0", "999"),), 2.216154e-16),
    "turbine1": Row(turbine_1, _TURBINE, 1.669516e-14),
    "turbine2": Row(turbine_2, _TURBINE, 2.000935e-14),
    "turbine3": Row(turbine_3, _TURBINE, 9.574075e-15),
    "verhulst": Row(verhulst, (("0.1", "0.3"),), 2.470696e-16),
    "azimuth": Row(
        azimuth, (("0", "0.4"), ("0.5", "1"), ("0", _PI), ("-" + _PI, "-0.5")), 8.776657e-15
    ),
    "hartman3": Row(hartman_3, (("0", "1"),) * 3, 3.618311e-15),
    "logexp": Row(lambda x: np.log(1 + np.exp(x)), (("-8", "8"),), 1.986969e-15),
    "sphere": Row(
        lambda r, x, lat, lon: x + r * np.sin(lat) * np.cos(lon),
        (("0", "10"), ("-10", "10"), ("-" + _HALF_PI, _HALF_PI), ("-" + _PI, _PI)),
        8.107781e-15,
    ),
    "sum": Row(
        lambda x0, x1, x2: (((x0 + x1) - x2) + ((x1 + x2) - x0)) + ((x2 + x0) - x1),
        (("1", "2"),) * 3,
        2.220447e-15,
        floats=True,
    ),
    "nonlin1": Row(lambda z: z / (z + 1), (("0", "999"),), 1.666951e-16, floats=True),
    "nonlin2": Row(
        lambda x, y: (x * y - 1) / ((x * y) * (x * y) - 1),
        (("1.001", "2"),) * 2,
        3.729979e-13,
        floats=True,
    ),
    "sqrt_add": Row(lambda x: 1 / (np.sqrt(x + 1) + np.sqrt(x)), (("1", "1000"),), 1.336774e-16),
    "sqrt_sub": Row(lambda x: np.sqrt(x + 1) - np.sqrt(x), (("1", "1000"),), 5.437964e-15),
}


def ends_of(row: Row) -> tuple[list[float], list[float]]:
    """The box of inputs, and of decimal constants, which are inputs that do not vary."""
    constants = [
        parameter.default
        for parameter in inspect.signature(row.function).parameters.values()
        if parameter.default is not parameter.empty
    ]
    ends = (*row.ends, *((constant, constant) for constant in constants))
    return [float(low) for low, _ in ends], [float(high) for _, high in ends]


@contextlib.contextmanager
def units_of_fptaylor() -> Iterator[None]:
    """Functions round to one and a half times as much as arithmetic does."""
    before = {name: PRIMITIVES[name].rounding for name in FUNCTIONS}
    for name in FUNCTIONS:
        PRIMITIVES[name].rounding = (0, 1.5)
    try:
        yield
    finally:
        for name, rounding in before.items():
            PRIMITIVES[name].rounding = rounding


def record_row(row: Row, gradient: bool) -> Any:
    """The graph of the expression, or of its gradient by the inputs, at a point of the box."""
    lower, upper = ends_of(row)
    middle = [a + (b - a) * 0.53 for a, b in zip(lower, upper, strict=True)]
    function = symtape.grad(row.function, tuple(range(len(row.ends)))) if gradient else row.function
    return symtape.record(function, *middle)


def bounds(row: Row, rounded: bool, boxes: int, gradient: bool = False) -> list[ErrorBound]:
    """The bound of each number."""
    found = bound_errors(
        record_row(row, gradient), *ends_of(row), rounded_inputs=rounded, most=boxes
    )
    return [bound for part in found for bound in part]


def largest_seen(row: Row) -> float:
    """The largest error of floats at random points."""
    graph, (lower, upper) = record_row(row, gradient=False), ends_of(row)
    random = np.random.default_rng(0)
    worst = 0.0
    for _ in range(POINTS):
        x = [min(max(random.uniform(a, b), a), b) for a, b in zip(lower, upper, strict=True)]
        [value], [ball] = graph.evaluate(*x), enclose(graph, x, BITS)
        worst = max(worst, float(abs(ball[()] - float(value)).upper()))
    return worst


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boxes", type=int, default=1000, help="most boxes for each bound")
    parser.add_argument("--only", nargs="*", default=list(ROWS), metavar="NAME")
    parser.add_argument("--gradients", action="store_true", help="those of the gradients, too")
    args = parser.parse_args()
    print(
        "expression      FPTaylor   symtape  ratio  same units  ratio  seconds  float inputs   seen"
    )
    for name in args.only:
        row = ROWS[name]
        started = time.process_time()
        [ours] = bounds(row, not row.floats, args.boxes)
        spent = time.process_time() - started
        same, floats = ours, ours
        if any(node.name in FUNCTIONS for node in record_row(row, gradient=False).nodes):
            with units_of_fptaylor():
                [same] = bounds(row, not row.floats, args.boxes)
        if not row.floats:
            [floats] = bounds(row, False, args.boxes)
        seen = largest_seen(row)
        print(
            f"{name:13s} {row.published:10.2e} {ours.absolute:9.2e} "
            f"{ours.absolute / row.published:6.2f} {same.absolute:11.2e} "
            f"{same.absolute / row.published:6.2f} {spent:8.2f} {floats.absolute:13.2e} "
            f"{seen:9.1e}",
            flush=True,
        )
        if args.gradients:
            started = time.process_time()
            parts = bounds(row, False, args.boxes, gradient=True)
            spent = time.process_time() - started
            cells = ", ".join(f"{part.absolute:.2e}" for part in parts)
            print(f"    gradient of float inputs: {cells}; {spent:.1f} s", flush=True)


if __name__ == "__main__":
    main()
