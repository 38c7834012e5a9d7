"""Functions: distributions as incomplete gamma and beta functions, whose derivatives they have.

They are differentiable by what is the last argument of those, and by scales; not by shapes.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from symtape.primitives.primitive import Array, implements
from symtape.primitives.special.incomplete import BETAINC, GAMMAINC, GAMMAINCC


@implements(special.chdtr)
def chdtr(v: Array, x: Array) -> Array:
    """As ``scipy.special.chdtr``: chi-squared of `v` degrees of freedom, up to `x`."""
    return GAMMAINC(v / 2, x / 2)


@implements(special.chdtrc)
def chdtrc(v: Array, x: Array) -> Array:
    """As ``scipy.special.chdtrc``: what :func:`chdtr` leaves of 1."""
    return GAMMAINCC(v / 2, x / 2)


@implements(special.gdtr)
def gdtr(a: Array, b: Array, x: Array) -> Array:
    """As ``scipy.special.gdtr``: gamma of rate `a` and shape `b`, up to `x`."""
    return GAMMAINC(b, a * x)


@implements(special.gdtrc)
def gdtrc(a: Array, b: Array, x: Array) -> Array:
    """As ``scipy.special.gdtrc``: what :func:`gdtr` leaves of 1."""
    return GAMMAINCC(b, a * x)


@implements(special.pdtr)
def pdtr(k: Array, m: Array) -> Array:
    """As ``scipy.special.pdtr``: Poisson of mean `m`, up to the whole part of `k`."""
    return GAMMAINCC(np.floor(k) + 1, m)


@implements(special.pdtrc)
def pdtrc(k: Array, m: Array) -> Array:
    """As ``scipy.special.pdtrc``: what :func:`pdtr` leaves of 1."""
    return GAMMAINC(np.floor(k) + 1, m)


@implements(special.nbdtr)
def nbdtr(k: Array, n: Array, p: Array) -> Array:
    """As ``scipy.special.nbdtr``: up to `k` failures before the `n`-th success."""
    return BETAINC(n, np.floor(k) + 1, p)


@implements(special.bdtrc)
def bdtrc(k: Array, n: Array, p: Array) -> Array:
    """As ``scipy.special.bdtrc``: more than `k` successes in `n` trials."""
    whole = np.floor(k)
    return BETAINC(whole + 1, n - whole, p)


@implements(special.bdtr)
def bdtr(k: Array, n: Array, p: Array) -> Array:
    """As ``scipy.special.bdtr``: up to `k` successes in `n` trials."""
    whole = np.floor(k)
    return BETAINC(n - whole, whole + 1, 1 - p)


@implements(special.fdtr)
def fdtr(dfn: Array, dfd: Array, x: Array) -> Array:
    """As ``scipy.special.fdtr``: F of two numbers of degrees of freedom, up to `x`."""
    return BETAINC(dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x))


@implements(special.fdtrc)
def fdtrc(dfn: Array, dfd: Array, x: Array) -> Array:
    """As ``scipy.special.fdtrc``: what :func:`fdtr` leaves of 1."""
    return BETAINC(dfd / 2, dfn / 2, dfd / (dfd + dfn * x))
