"""felupe: strain energies of hyperelastic materials, stresses and elasticities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from felupe import constitution

from benchmarks.packages.pair import Pair

AT = np.eye(3) + 0.1 * np.random.default_rng(0).normal(size=(3, 3))
MATERIALS = {
    "NeoHooke": constitution.NeoHooke(mu=0.7, bulk=2.0),
    "NeoHookeCompressible": constitution.NeoHookeCompressible(mu=0.7, lmbda=1.3),
    "Volumetric": constitution.Volumetric(bulk=2.0),
}


def pairs() -> Iterator[Pair]:
    """By the deformation gradient, at one integration point."""
    for name, material in MATERIALS.items():

        def energy(gradient, material=material):
            return np.sum(material.function([gradient[..., None, None], None])[0])

        def stress(gradient, material=material):
            return material.gradient([gradient[..., None, None], None])[0][..., 0, 0]

        def elasticity(gradient, material=material):
            return material.hessian([gradient[..., None, None], None])[0][..., 0, 0]

        yield Pair(f"felupe: {name}.gradient", energy, stress, (AT,))
        yield Pair(f"felupe: {name}.hessian", stress, elasticity, (AT,), "jacobian")
