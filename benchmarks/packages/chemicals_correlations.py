"""chemicals: correlations of properties by temperature, with derivatives and integrals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chemicals import dippr, heat_capacity, iapws, vapor_pressure, virial, viscosity

from benchmarks.packages.pair import Pair

TC, PC = 647.3, 22064000.0
CONSTANTS = {
    "Antoine": (8.7687, 395.744, -46.6),
    "Wagner": (TC, PC, -7.76451, 1.45838, -2.7758, -1.23303),
    "Wagner_original": (TC, PC, -7.76451, 1.45838, -2.7758, -1.23303),
    "TRC_Antoine_extended": (512.63, 59.0, 9.3, 369.7, -0.013, 1.3, 4.4, -4.5),
    "Yaws_Psat": (28.588, -2469.0, -7.351, 2.8025e-10, 2.7361e-6),
    "Arrhenius_extrapolation": (300.0, 3500.0, -2200.0),
}
ORDERS = {
    "EQ100": (276370.0, -2090.1, 8.125, -0.014116, 9.3701e-06),
    "EQ101": (73.649, -7258.2, -7.3037, 4.1653e-6, 2.0),
    "EQ102": (1.7096e-8, 1.1146, 1.2, 0.7),
    "EQ104": (0.02222, -26.38, -16750000.0, -3.894e19, 3.133e21),
    "EQ105": (5.459, 0.30542, TC, 0.081),
    "EQ106": (TC, 5.2053e7, 0.3199, -0.212, 0.25795),
    "EQ107": (33363.0, 26790.0, 2610.5, 8896.0, 1169.0),
    "EQ114": (33.19, 66.653, 6765.9, -123.63, 478.27),
    "EQ115": (-4.3, 500.0, 0.6, 1e-3, 2e-6),
    "EQ116": (TC, 17.863, 58.606, -95.396, 213.89, -141.26),
    "EQ127": (3.3258e4, 3.6199e4, 1.2057e3, 1.5373e7, 3.2122e3, -1.5318e7, 3.2122e3),
}
INTEGRALS = {
    "Poling": (4.375, -7.853e-3, 5.014e-5, -5.503e-8, 2.082e-11),
    "TRCCp": (4.0, 7.65e5, 720.0, 3.565, -0.052, -1.55e6, 52.0, 201.0),
    "Shomate": (30.092, 6.832514, 6.793435, -2.53448, 0.082139),
    "Zabransky_cubic": (20.9634, -10.1344, 2.8253, -0.256738),
    "Zabransky_quasi_polynomial": (TC, -3.3, 105.7, 13.2, -115.0, 2.1, 0.3),
    "Dadgostar_Shaw": (0.139,),
    "Lastovka_solid": (0.139,),
}
VIRIAL = ("BVirial_Pitzer_Curl", "BVirial_Abbott", "BVirial_Tsonopoulos")


def _of_orders() -> Iterator[Pair]:
    for name, constants in ORDERS.items():
        function = getattr(dippr, name)
        at = 20.0 if name == "EQ114" else 350.0
        yield Pair(
            f"chemicals: {name}, order 1",
            lambda t, f=function, c=constants: f(t, *c),
            lambda t, f=function, c=constants: f(t, *c, order=1),
            (at,),
        )
    for name in VIRIAL:
        function = getattr(virial, name)
        for order in (1, 2):
            yield Pair(
                f"chemicals: {name}, order {order}",
                lambda t, f=function, k=order: f(t, 510.0, 38e5, 0.344, order=k - 1),
                lambda t, f=function, k=order: f(t, 510.0, 38e5, 0.344, order=k),
                (430.0,),
            )


def _of_pressures() -> Iterator[Pair]:
    for name, constants in CONSTANTS.items():
        functions = [
            getattr(vapor_pressure, name),
            getattr(vapor_pressure, f"d{name}_dT"),
            getattr(vapor_pressure, f"d2{name}_dT2"),
        ]
        for order in (1, 2):
            yield Pair(
                f"chemicals: {name}, derivative {order}",
                lambda t, f=functions[order - 1], c=constants: f(t, *c),
                lambda t, f=functions[order], c=constants: f(t, *c),
                (350.0,),
            )


def _of_integrals() -> Iterator[Pair]:
    for name, constants in INTEGRALS.items():
        for suffix in ("integral", "integral_over_T"):
            over = suffix.endswith("T")
            integral, heat = (
                getattr(heat_capacity, f"{name}_{suffix}"),
                getattr(heat_capacity, name),
            )
            yield Pair(
                f"chemicals: {name}_{suffix}",
                lambda t, f=integral, c=constants: f(t, *c),
                lambda t, f=heat, c=constants, over=over: f(t, *c) / t if over else f(t, *c),
                (300.0,),
            )


_HELMHOLTZ = re.compile(r"iapws9[57]_d(\d?)(A0|Ar|A|Gr|G0|G)_d(tau|delta|pi)(\d?)(_region\d)?$")


def _of_water() -> Iterator[Pair]:
    for name in dir(iapws):
        if (found := _HELMHOLTZ.match(name)) is None or found[1] != found[4]:
            continue
        order, kind, by, _, region = found.groups()
        start, region = name[: name.index("_")], region or ""
        below = {"": f"{start}_{kind}{region}", "2": f"{start}_d{kind}_d{by}{region}"}.get(
            order, f"{start}_d{int(order or 1) - 1}{kind}_d{by}{int(order or 1) - 1}{region}"
        )
        if (function := getattr(iapws, below, None)) is None:
            continue
        by_first, claim = by == "tau", getattr(iapws, name)
        yield Pair(
            f"chemicals: {name}",
            lambda t, f=function, first=by_first: f(t, 1.1) if first else f(0.9, t),
            lambda t, f=claim, first=by_first: f(t, 1.1) if first else f(0.9, t),
            (0.9 if by_first else 1.1,),
        )


def pairs() -> Iterator[Pair]:
    """By temperature, or by a reduced variable."""
    yield from _of_orders()
    yield from _of_pressures()
    yield from _of_integrals()
    yield from _of_water()
    constants = (12.0, -0.9, 0.01, -1e-5)
    yield Pair(
        "chemicals: dmu_Yaws_dT",
        lambda t: viscosity.mu_Yaws(t, *constants),
        lambda t: viscosity.dmu_Yaws_dT(t, *constants),
        (350.0,),
    )
    five = (1.74793, 1.33728, 482.347, 41.78, 9.963e-05)
    yield Pair(
        "chemicals: dPPDS9_dT",
        lambda t: viscosity.PPDS9(t, *five),
        lambda t: viscosity.dPPDS9_dT(t, *five)[0],
        (360.0,),
    )
