"""The back ends by which compiled programs can be claimed."""

from __future__ import annotations

from typing import Final

BACKENDS: Final = ("auto", "numpy", "fused", "llvm")
"""What makes the code: that which fits, NumPy, NumPy with loops of LLVM, or LLVM."""
