"""galpy: potentials, their forces and their second derivatives, in cylindrical coordinates."""

from __future__ import annotations

from collections.abc import Iterator

from galpy import potential

from benchmarks.packages.pair import Function, Pair

AT = (0.9, 0.3)
NAMES = (
    *("BurkertPotential", "DehnenCoreSphericalPotential", "DehnenSphericalPotential"),
    *("FlattenedPowerPotential", "HernquistPotential", "HomogeneousSpherePotential"),
    *("IsochronePotential", "JaffePotential", "KeplerPotential", "KuzminDiskPotential"),
    *("KuzminKutuzovStaeckelPotential", "LogarithmicHaloPotential", "MiyamotoNagaiPotential"),
    *("NFWPotential", "PlummerPotential", "PowerSphericalPotential", "RingPotential"),
    *("PowerSphericalPotentialwCutoff", "PseudoIsothermalPotential"),
    *("TwoPowerSphericalPotential", "MN3ExponentialDiskPotential", "PerfectEllipsoidPotential"),
)
DERIVATIVES = {
    "Rforce": ("_evaluate", "_Rforce", 0, -1),
    "zforce": ("_evaluate", "_zforce", 1, -1),
    "R2deriv": ("_Rforce", "_R2deriv", 0, -1),
    "z2deriv": ("_zforce", "_z2deriv", 1, -1),
    "Rzderiv": ("_Rforce", "_Rzderiv", 1, -1),
}


def _by(method: Function, argument: int, factor: int) -> Function:
    def function(value):
        point = [*AT]
        point[argument] = value
        return factor * method(*point)

    return function


def pairs() -> Iterator[Pair]:
    """Each potential with the parameters that it has by default."""
    for name in NAMES:
        made = getattr(potential, name)()
        for label, (function, claim, argument, factor) in DERIVATIVES.items():
            if hasattr(made, function) and hasattr(made, claim):
                yield Pair(
                    f"galpy: {name}.{label}",
                    _by(getattr(made, function), argument, factor),
                    _by(getattr(made, claim), argument, 1),
                    (AT[argument],),
                )
