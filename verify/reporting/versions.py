"""Versions: of what a report was made with."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import platform
from pathlib import Path
from typing import Any

import symtape


def versions() -> dict[str, str]:
    """Of symtape, Python and the libraries under it; also the platform."""
    found = {"symtape": symtape.__version__, "Python": platform.python_version()}
    for name in ("numpy", "scipy", "sympy", "python-flint"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    known = (platform.system(), platform.machine(), _vendor(), _vector_extension())
    return found | {"platform": " ".join(word for word in known if word)}


def _vendor() -> str:
    """Who made the processor, where Linux tells: OpenBLAS has other kernels for each."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next((line.split()[-1] for line in lines if line.startswith("vendor_id")), "")
    return ""


def _vector_extension() -> str:
    """The processor's newest extension that NumPy computes with: last digits depend on it."""
    with contextlib.suppress(ImportError, AttributeError):
        numpy_core: Any = importlib.import_module("numpy._core._multiarray_umath")
        present = numpy_core.__cpu_features__
        return next((name for name in numpy_core.__cpu_dispatch__[::-1] if present[name]), "")
    return ""
