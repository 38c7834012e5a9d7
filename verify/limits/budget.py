"""What a claim may cost where nobody says otherwise."""

from __future__ import annotations

from typing import Final

from symtape.process.budget import Budget
from verify.options.budget import to_budget
from verify.options.keywords import KEYWORDS

DEFAULT_BUDGET: Final[Budget] = to_budget(KEYWORDS["budget"].default)
