"""Rows: Lambert's W where it is real, and what the inverses of Box and Cox are made of."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from scipy import special
from scipy.special import _ufuncs

from symtape.errors import NotOnTape
from symtape.primitives.primitive import Array, Primitive, declare, implements, is_stand_in
from symtape.primitives.special.hypergeometric import HYP2F1

_BRANCH_POINT: Final = -math.exp(-1)


def log1p_quotient(x: Array) -> Array:
    """``log1p(x) / x``, and 1 at 0 (DLMF 15.4.1)."""
    return HYP2F1(1.0, 1.0, 2.0, -x)


def _lambert(z: Array, branch: int = 0) -> Array:
    return np.asarray(special.lambertw(z, branch).real)[()]


LAMBERTW: Primitive = declare(
    name="lambertw",
    evaluate=_lambert,
    vjp=[lambda g, y, branch=0: g * (np.exp(-y) / (1 + y))],
    symbolic=lambda sp, z, branch=0: sp.LambertW(z, branch) if branch else sp.LambertW(z),
    ball=lambda ball, z, branch=0: (
        ball.analytic(lambda z: z.lambertw(-1), z, inside=_is_in_lower_branch)
        if branch
        else ball.analytic("lambertw", z, inside=lambda z: bool(z.real > _BRANCH_POINT + 1e-16))
    ),
    domain=lambda z, branch=0: (z > _BRANCH_POINT) & ((z < 0) | (branch == 0)),
    over="z > 0",
    rounding=(8, 32),
    source="DLMF 4.13.4",
    example=[(0.75,), ((-0.25,), {"branch": -1})],
)


def _is_in_lower_branch(z: Any) -> bool:
    return bool(z.real > _BRANCH_POINT + 1e-16) and bool(z.real < 0)


@implements(_ufuncs._lambertw)
def lambertw(z: Array, k: Array, tol: Array) -> Array:
    """As ``scipy.special.lambertw``, of real numbers on the branches that are real there.

    Raises
    ------
    NotOnTape
        It is complex there.
    """
    number = int(np.asarray(k).flat[0]) if np.size(k) else 0
    if is_stand_in(k) or number not in (0, -1) or np.any(np.not_equal(k, number)):
        raise NotOnTape(f"lambertw of the branch k={k} is complex; only k=0 and k=-1 are recorded")
    if np.any(np.less(z, _BRANCH_POINT)) or (number and np.any(np.greater_equal(z, 0))):
        raise NotOnTape(f"lambertw of z={z} is complex on the branch k={number}")
    return LAMBERTW(z, branch=number)
