"""The vocabulary: every operation symtape knows, one row each.

Every file of rows in this folder is loaded, so that adding one needs no edit elsewhere. Those in
``LATE`` wait until the package of their functions is there, which takes longer to load than they.
"""

from importlib import import_module
from pkgutil import iter_modules

LATE = {"special": "scipy.special", "polynomial_surfaces": "numpy.polynomial"}

for _file in iter_modules(__path__):
    if _file.name not in LATE:
        import_module(f"{__name__}.{_file.name}")
