"""Rows: the ufuncs of :mod:`scipy.special`.

Imported when one of them is first met, since importing SciPy takes longer than all the rest.
"""

from symtape.primitives.special.airy import AIRY_AI as AIRY_AI
from symtape.primitives.special.bessel import I0 as I0
from symtape.primitives.special.box_cox import BOXCOX as BOXCOX
from symtape.primitives.special.distributions import chdtr as chdtr
from symtape.primitives.special.elementary import cosm1 as cosm1
from symtape.primitives.special.elliptic import ELLIPK as ELLIPK
from symtape.primitives.special.entropy import XLOGY as XLOGY
from symtape.primitives.special.error import ERF as ERF
from symtape.primitives.special.exponential_integral import EXPI as EXPI
from symtape.primitives.special.gamma import GAMMALN as GAMMALN
from symtape.primitives.special.gamma import POLYGAMMA as POLYGAMMA
from symtape.primitives.special.incomplete import GAMMAINC as GAMMAINC
from symtape.primitives.special.integrals import DAWSN as DAWSN
from symtape.primitives.special.logistic import EXPIT as EXPIT
from symtape.primitives.special.logistic import LOG_EXPIT as LOG_EXPIT
from symtape.primitives.special.scaled_bessel import IVE as IVE
