"""Functions of scipy.special that are made of rows: by each what it means.

Those of distributions are differentiable by what is the last argument of the incomplete gamma and
beta functions and by scales, not by shapes. By private names SciPy's distributions call them; what
an allowed SciPy does not have is given by its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy import special
from scipy.special import _ufuncs

from symtape.primitives.primitive import implements
from symtape.primitives.special.airy import AIRY_AI, AIRY_AI_PRIME, AIRY_BI, AIRY_BI_PRIME
from symtape.primitives.special.bessel import KV
from symtape.primitives.special.densities import BETA_DENSITY
from symtape.primitives.special.elliptic import ELLIPK
from symtape.primitives.special.error import ERFCX, NDTR
from symtape.primitives.special.gaussian_integrals import OWENS_T
from symtape.primitives.special.half_turns import COSPI, SINPI
from symtape.primitives.special.hypergeometric import CHI, SHI
from symtape.primitives.special.incomplete import BETAINC, BETAINCC, GAMMAINC, GAMMAINCC
from symtape.primitives.special.integrals import CI, FRESNEL_COSINE, FRESNEL_SINE, SI
from symtape.primitives.special.inverses import (
    BETAINCCINV,
    BETAINCINV,
    GAMMAINCCINV,
    GAMMAINCINV,
)
from symtape.primitives.special.kolmogorov import (
    KOLMOGOROV,
    LANDAU_CDF,
    LANDAU_DENSITY,
    LANDAU_SF,
    SMIRNOV,
    standardise,
)
from symtape.primitives.special.orthogonal import EVAL_CHEBYT, EVAL_GEGENBAUER, EVAL_GENLAGUERRE
from symtape.primitives.special.students import CHNDTR, NCFDTR, NCTDTR
from symtape.primitives.special.transcendents import log1p_quotient
from symtape.primitives.special.zeta import ZETA

_ELEMENTARY: Final[dict[Any, Callable[..., Any]]] = {
    special.sindg: lambda x: SINPI(x / 180),
    special.cosdg: lambda x: COSPI(x / 180),
    special.tandg: lambda x: SINPI(x / 180) / COSPI(x / 180),
    special.cotdg: lambda x: COSPI(x / 180) / SINPI(x / 180),
    special.radian: lambda d, m, s: np.deg2rad(d + m / 60 + s / 3600),
    # By the sine of the half (DLMF 4.21.23).
    special.cosm1: lambda x: -2 * np.square(np.sin(x / 2)),
    special.powm1: lambda x, y: np.expm1(y * np.log(x)),
    # A quotient that does not cancel for small r.
    special.pseudo_huber: lambda delta, r: np.square(r) / (1 + np.hypot(1, r / delta)),
    special.inv_boxcox: lambda y, power: np.exp(y * log1p_quotient(power * y)),
    special.inv_boxcox1p: lambda y, power: np.expm1(y * log1p_quotient(power * y)),
    "scipy.special.softplus": lambda x: np.logaddexp(0.0, x),
    "scipy.special._ufuncs._log1mexp": lambda x: np.log(-np.expm1(x)),
}

_OF_ONE_FAMILY: Final[dict[Any, Callable[..., Any]]] = {
    special.airy: lambda z: (AIRY_AI(z), AIRY_AI_PRIME(z), AIRY_BI(z), AIRY_BI_PRIME(z)),
    special.kn: lambda n, x: KV(n, x),
    special.wofz: lambda z: ERFCX(-1j * z),
    special.shichi: lambda x: (SHI(x), CHI(x)),
    special.sici: lambda x: (SI(x), CI(x)),
    special.fresnel: lambda z: (FRESNEL_SINE(z), FRESNEL_COSINE(z)),
    _ufuncs._riemann_zeta: lambda x: ZETA(x, 1.0),
    special.zetac: lambda x: ZETA(x, 2.0),
    special.eval_legendre: lambda n, x: EVAL_GEGENBAUER(n, 0.5, x),
    special.eval_sh_legendre: lambda n, x: EVAL_GEGENBAUER(n, 0.5, 2 * x - 1),
    special.eval_chebyu: lambda n, x: EVAL_GEGENBAUER(n, 1.0, x),
    special.eval_sh_chebyt: lambda n, x: EVAL_CHEBYT(n, 2 * x - 1),
    special.eval_sh_chebyu: lambda n, x: EVAL_GEGENBAUER(n, 1.0, 2 * x - 1),
    special.eval_chebyc: lambda n, x: 2 * EVAL_CHEBYT(n, x / 2),
    special.eval_chebys: lambda n, x: EVAL_GEGENBAUER(n, 1.0, x / 2),
    special.eval_laguerre: lambda n, x: EVAL_GENLAGUERRE(n, 0.0, x),
}

_DISTRIBUTIONS: Final[dict[Any, Callable[..., Any]]] = {
    special.chdtr: lambda v, x: GAMMAINC(v / 2, x / 2),
    special.chdtrc: lambda v, x: GAMMAINCC(v / 2, x / 2),
    special.chdtri: lambda v, p: 2 * GAMMAINCCINV(v / 2, p),
    special.gdtr: lambda a, b, x: GAMMAINC(b, a * x),
    special.gdtrc: lambda a, b, x: GAMMAINCC(b, a * x),
    special.gdtrix: lambda a, b, p: GAMMAINCINV(b, p) / a,
    special.pdtr: lambda k, m: GAMMAINCC(np.floor(k) + 1, m),
    special.pdtrc: lambda k, m: GAMMAINC(np.floor(k) + 1, m),
    special.fdtr: lambda n, d, x: BETAINC(n / 2, d / 2, n * x / (d + n * x)),
    special.fdtrc: lambda n, d, x: BETAINC(d / 2, n / 2, d / (d + n * x)),
    special.nbdtr: lambda k, n, p: BETAINC(n, np.floor(k) + 1, p),
    special.nbdtrc: lambda k, n, p: BETAINCC(n, np.floor(k) + 1.0, p),
    _ufuncs._nbinom_cdf: lambda k, n, p: BETAINC(n, np.floor(k) + 1.0, p),
    _ufuncs._nbinom_sf: lambda k, n, p: BETAINCC(n, np.floor(k) + 1.0, p),
    _ufuncs._binom_cdf: lambda k, n, p: BETAINCC(np.floor(k) + 1.0, n - np.floor(k), p),
    _ufuncs._binom_sf: lambda k, n, p: BETAINC(np.floor(k) + 1.0, n - np.floor(k), p),
    _ufuncs._beta_pdf: lambda x, a, b: BETA_DENSITY(a, b, x),
    _ufuncs._beta_ppf: lambda p, a, b: BETAINCINV(a, b, p),
    _ufuncs._ncx2_sf: lambda x, df, nc: 1 - CHNDTR(x, df, nc),
    _ufuncs._nct_sf: lambda x, df, nc: 1 - NCTDTR(df, nc, x),
    _ufuncs._ncf_sf: lambda x, dfn, dfd, nc: 1 - NCFDTR(dfn, dfd, nc, x),
    _ufuncs._kolmogc: lambda x: 1 - KOLMOGOROV(x),
    _ufuncs._smirnovc: lambda n, d: 1 - SMIRNOV(n, d),
    "scipy.special._ufuncs._cauchy_ppf": lambda p, loc, scale: loc - scale / np.tan(math.pi * p),
    "scipy.special._ufuncs._cauchy_isf": lambda p, loc, scale: loc + scale / np.tan(math.pi * p),
    "scipy.special._ufuncs._landau_pdf": lambda x, loc, scale: (
        LANDAU_DENSITY(standardise(x, loc, scale)) / scale
    ),
    "scipy.special._ufuncs._landau_cdf": lambda x, loc, scale: LANDAU_CDF(
        standardise(x, loc, scale)
    ),
    "scipy.special._ufuncs._landau_sf": lambda x, loc, scale: LANDAU_SF(standardise(x, loc, scale)),
}

for _function, _meaning in (_ELEMENTARY | _OF_ONE_FAMILY | _DISTRIBUTIONS).items():
    implements(_function)(_meaning)


@implements(special.bdtrc)
def bdtrc(k: Any, n: Any, p: Any) -> Any:
    """As ``scipy.special.bdtrc``: more than `k` successes in `n` trials."""
    whole = np.floor(k)
    return BETAINC(whole + 1, n - whole, p)


@implements(special.bdtr)
def bdtr(k: Any, n: Any, p: Any) -> Any:
    """As ``scipy.special.bdtr``: up to `k` successes in `n` trials."""
    whole = np.floor(k)
    return BETAINC(n - whole, whole + 1, 1 - p)


@implements(special.fdtri)
def fdtri(dfn: Any, dfd: Any, p: Any) -> Any:
    """As ``scipy.special.fdtri``: the inverse of fdtr."""
    share = BETAINCINV(dfn / 2, dfd / 2, p)
    rest = BETAINCCINV(dfd / 2, dfn / 2, p)
    return dfd * share / (dfn * np.where(np.less(share, 0.5), 1 - share, rest))


@implements(special.huber)
def huber(delta: Any, r: Any) -> Any:
    """As ``scipy.special.huber``: a square near 0 and straight beyond `delta`."""
    size = np.abs(r)
    return np.where(size <= delta, np.square(r) / 2, delta * (size - delta / 2))


@implements(special.agm)
def agm(a: Any, b: Any) -> Any:
    """As ``scipy.special.agm``, of positive numbers (DLMF 19.8.5)."""
    total = a + b
    return np.pi / 4 * total / ELLIPK(np.square((a - b) / total))


@implements(_ufuncs._skewnorm_cdf)
def skewnorm_cdf(x: Any, loc: Any, scale: Any, a: Any) -> Any:
    """The skew normal distribution (Azzalini 1985)."""
    z = (x - loc) / scale
    return NDTR(z) - 2 * OWENS_T(z, a)
