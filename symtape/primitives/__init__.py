"""The vocabulary: every operation symtape knows, one row each.

Every file of rows in this folder is loaded, so that adding one needs no edit elsewhere. SciPy's
functions in ``special`` wait until SciPy is there: loading it costs more than all the others.
"""

from importlib import import_module
from pkgutil import iter_modules

for _file in iter_modules(__path__):
    if _file.name != "special":
        import_module(f"{__name__}.{_file.name}")
