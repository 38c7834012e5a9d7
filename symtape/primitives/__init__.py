"""The vocabulary: every operation symtape knows, one row each.

Every file of rows in this folder is loaded, so that adding one needs no edit elsewhere. Those in
``LATE`` wait until a function is met that no row means so far, or all rows are asked for: they are
half of the code, and a first gradient seldom needs them. Nor do they load the package of their
functions, which takes longer to load than they.
"""

from importlib import import_module
from pkgutil import iter_modules

_OF_NUMPY = (
    *("banded", "factorisations", "eigenvalues", "hermitian", "linear_algebra", "elimination"),
    *("norms", "orthogonal", "matrix_roots", "matrix_exponential", "sparse_solve", "sylvester"),
    *("triangular", "einsum", "differences", "nan_reductions", "padding", "polynomial_algebra"),
    *("polynomials", "quantiles", "recursive_filter", "spaced", "statistics"),
)
LATE = {
    "special": "scipy.special",
    "polynomial_surfaces": "numpy.polynomial",
    "fourier": "numpy.fft",
    **dict.fromkeys(_OF_NUMPY, "numpy"),
}

for _file in iter_modules(__path__):
    if _file.name not in LATE:
        import_module(f"{__name__}.{_file.name}")
