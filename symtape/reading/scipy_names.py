"""Functions of SciPy that convert their arguments in compiled code, as they keep tensors.

Most of SciPy's Python code is recorded as it is; these are by :mod:`symtape.scipy`, by NumPy's
function that means the same, or row by row.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, Final

import numpy as np

from symtape.process.extras import find_loaded
from symtape.reading import (
    compiled_filters,
    compiled_splines,
    distributions,
    sparse_names,
)
from symtape.reading.dispatch import (
    Substitute,
    import_later,
    substitute_for_arrays,
    substitute_for_functions,
    substitute_for_tensors,
)
from symtape.reading.functions import SOLVERS
from symtape.recording.inside import read_inside
from symtape.recording.nested import join_nested

Function = Callable[..., Any]

BY_SYMTAPE: Final = {
    "scipy.special": "symtape.scipy.special",
    "scipy.linalg": "symtape.scipy.linalg",
    "scipy.signal": "symtape.scipy.signal",
    "scipy.signal._signaltools": "symtape.scipy.signal",
    "scipy.signal._upfirdn": "symtape.scipy.signal",
    "scipy.interpolate": "symtape.scipy.interpolate",
    "scipy.interpolate._bsplines": "symtape.scipy.interpolate",
    "scipy.interpolate._fitpack_impl": "symtape.scipy.interpolate",
    "scipy.fft": "symtape.scipy.fft",
    "scipy.spatial.distance": "symtape.scipy.distance",
}
"""Modules of SciPy, and where the functions of theirs are that have the same names."""

RECORDED_FUNCTIONS: Final = (
    *(f"scipy.special.{name}" for name in ("zeta", "lambertw", "jvp", "yvp", "ivp", "kvp")),
    *("scipy.linalg.block_diag", "scipy.linalg.toeplitz"),
    "scipy.integrate.trapezoid",
)
"""Functions whose Python code is recorded as SciPy has it."""

_BY_NUMPY: Final[dict[str, dict[str, Substitute]]] = {
    "scipy.linalg": {
        "norm": substitute_for_tensors(
            lambda a, *how, check_finite=True, **more: np.linalg.norm(join_nested(a), *how, **more)
        )
    },
}

_OF_FUNCTIONS: Final[dict[str, dict[str, Substitute]]] = {
    module: {
        name: substitute_for_functions(import_later(f"symtape.{module}", name)) for name in names
    }
    for module, names in SOLVERS.items()
}


def functions_of_same_name(ours: str, theirs: ModuleType) -> list[str]:
    """The functions of a module of ours that stand for those of one of SciPy's."""
    return [
        name
        for name, value in vars(importlib.import_module(ours)).items()
        if not name.startswith("_")
        and hasattr(theirs, name)
        and str(getattr(value, "__module__", "")).startswith("symtape.")
    ]


def _substitutes_of_rotations() -> dict[str, dict[str, Substitute]]:
    """For functions of rotations that SciPy has compiled, those that it has in Python as well."""
    found: dict[str, dict[str, Substitute]] = {}
    for name in ("_rotation", "_rigid_transform"):
        compiled = find_loaded(f"scipy.spatial.transform.{name}_cy")
        python = find_loaded(f"scipy.spatial.transform.{name}_xp")
        if compiled and python:
            found[compiled.__name__] = {
                function: substitute_for_arrays(functools.partial(read_inside, kept))
                for function, kept in vars(python).items()
                if _is_twin(getattr(compiled, function, None), kept)
            }
    return found


def _is_twin(original: Any, kept: Any) -> bool:
    return callable(original) and callable(kept) and original is not kept


def _substitutes() -> Iterator[tuple[str, Mapping[str, Substitute]]]:
    """By the modules of SciPy that are loaded, and perhaps others."""
    for module, ours in BY_SYMTAPE.items():
        if (theirs := find_loaded(module)) is not None:
            names = functions_of_same_name(ours, theirs)
            replaced = [name for name in names if f"{module}.{name}" not in RECORDED_FUNCTIONS]
            yield (
                module,
                {name: substitute_for_tensors(import_later(ours, name)) for name in replaced},
            )
    yield from _BY_NUMPY.items()
    yield from _OF_FUNCTIONS.items()
    for family in (compiled_filters, compiled_splines, distributions, sparse_names):
        yield from family.SUBSTITUTES.items()
    yield from _substitutes_of_rotations().items()


def kept_of_scipy() -> dict[Function, Function]:
    """By the function of SciPy, as far as its modules are loaded."""
    return {
        original: substitute(original)
        for module, functions in (*_substitutes(), *sparse_names.WITHOUT_DERIVATIVES.items())
        for name, substitute in functions.items()
        if (original := getattr(find_loaded(module), name, None)) is not None
    }


def names_of_scipy() -> list[tuple[str, str]]:
    """Each public module and function of SciPy that is bound anew while its code is recorded."""
    for module in BY_SYMTAPE:
        importlib.import_module(module)
    return [
        (module, name) for module, named in _substitutes() if "._" not in module for name in named
    ]
