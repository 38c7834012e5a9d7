"""What a claim may cost where nobody says otherwise."""

from __future__ import annotations

from typing import Final

from symtape.budget import Budget

__all__ = ["DEFAULT_BUDGET"]

DEFAULT_BUDGET: Final = Budget(seconds=60.0, statements=2_000_000)
