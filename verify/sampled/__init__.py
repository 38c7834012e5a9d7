"""Sampled evidence: what floats alone say of a claim about a function that cannot be recorded."""

from verify.sampled.judging import judged

__all__ = ["judged"]
