"""What is installed: versions, extras, BLAS, and packages that stand in the way of ours."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

import symtape
import verify
from symtape.recording.acceleration import IS_ACCELERATED
from verify.campaign.addresses import version_of
from verify.reporting.model import versions

_EXTRAS: Final = {
    "jax": "jax",
    "torch": "torch",
    "autograd": "autograd",
    "tensorflow": "tensorflow",
    "llvm": "llvmlite",
    "pytest": "pytest",
    "strategies": "hypothesis",
    "dask": "distributed",
    "ray": "ray",
}
"""Each extra and the distribution that it brings."""


def facts() -> Iterator[tuple[str, str]]:
    """Labels and what they are of.

    Examples
    --------
    >>> dict(facts())["symtape"] == symtape.__version__
    True
    """
    yield from versions().items()
    yield "installed in", str(Path(symtape.__file__).parent.parent)
    yield "interpreter", sys.executable
    yield "BLAS", _blas()
    yield "tape", "in C" if IS_ACCELERATED else "in Python, which is slower"
    for extra, distribution in _EXTRAS.items():
        yield f"extra {extra}", version_of(distribution) or "not installed"


def problems() -> Iterator[str]:
    """What is wrong with the installation, and what to do about it.

    Examples
    --------
    >>> list(problems())
    []
    """
    ours, found = Path(symtape.__file__).parent.parent, Path(verify.__file__).parent.parent
    if ours != found:
        yield (
            f"Python imports verify from {found}, and symtape from {ours}; rename or uninstall "
            "the other verify"
        )
    owners = set(importlib.metadata.packages_distributions().get("verify", ())) - {"symtape"}
    for owner in sorted(owners):
        yield (
            f"the package {owner!r} installs a module named verify too, and one overwrites the "
            f"other: pip uninstall {owner}, and pip install --force-reinstall symtape"
        )
    if not hasattr(verify, "gradient"):
        yield "verify has no function gradient, so that its files are not those of symtape"


def _blas() -> str:
    config: Any = np.show_config(mode="dicts")
    blas = config.get("Build Dependencies", {}).get("blas", {})
    return " ".join(str(blas[key]) for key in ("name", "version") if key in blas) or "unknown"
