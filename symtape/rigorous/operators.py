"""Arithmetic of balls and of jets, by the names of its rows: their own operators."""

from __future__ import annotations

from operator import add as add
from operator import mul as multiply
from operator import neg as negative
from operator import sub as subtract
from operator import truediv as divide

__all__ = ["add", "divide", "multiply", "negative", "subtract"]
