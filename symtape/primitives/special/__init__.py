"""Rows: the ufuncs of :mod:`scipy.special`.

Imported when one of them is first met, since importing SciPy takes longer than all the rest.
"""

from symtape.primitives.special.airy import AIRY_AI as AIRY_AI
from symtape.primitives.special.bessel import I0 as I0
from symtape.primitives.special.box_cox import BOXCOX as BOXCOX
from symtape.primitives.special.compositions import agm as agm
from symtape.primitives.special.densities import GAMMA_DENSITY as GAMMA_DENSITY
from symtape.primitives.special.elliptic import ELLIPK as ELLIPK
from symtape.primitives.special.entropy import XLOGY as XLOGY
from symtape.primitives.special.error import ERF as ERF
from symtape.primitives.special.exponential_integral import EXPI as EXPI
from symtape.primitives.special.gamma import GAMMALN as GAMMALN
from symtape.primitives.special.gamma import POLYGAMMA as POLYGAMMA
from symtape.primitives.special.gaussian_integrals import OWENS_T as OWENS_T
from symtape.primitives.special.hypergeometric import HYP1F1 as HYP1F1
from symtape.primitives.special.incomplete import GAMMAINC as GAMMAINC
from symtape.primitives.special.integrals import DAWSN as DAWSN
from symtape.primitives.special.inverses import GAMMAINCINV as GAMMAINCINV
from symtape.primitives.special.kolmogorov import KOLMOGOROV as KOLMOGOROV
from symtape.primitives.special.logistic import EXPIT as EXPIT
from symtape.primitives.special.logistic import LOG_EXPIT as LOG_EXPIT
from symtape.primitives.special.orthogonal import EVAL_JACOBI as EVAL_JACOBI
from symtape.primitives.special.scaled_bessel import IVE as IVE
from symtape.primitives.special.shapes import GAMMA_BY_SHAPE as GAMMA_BY_SHAPE
from symtape.primitives.special.students import STDTR as STDTR
from symtape.primitives.special.transcendents import LAMBERTW as LAMBERTW
from symtape.primitives.special.zeta import ZETA as ZETA
