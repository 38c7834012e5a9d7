"""Rows: the ufuncs of :mod:`scipy.special`.

Imported when one of them is first met, since importing SciPy takes longer than all the rest. The
rows that compositions are made of are imported with these.
"""

from symtape.primitives.special.bessel import I0 as I0
from symtape.primitives.special.box_cox import BOXCOX as BOXCOX
from symtape.primitives.special.compositions import agm as agm
from symtape.primitives.special.exponential_integral import EXPI as EXPI
from symtape.primitives.special.gamma import GAMMALN as GAMMALN
from symtape.primitives.special.logistic import EXPIT as EXPIT
