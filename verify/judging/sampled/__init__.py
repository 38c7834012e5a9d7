"""Sampled evidence: what floats alone say of a claim about a function that cannot be recorded."""

from verify.judging.sampled.judging import judge_by_samples

__all__ = ["judge_by_samples"]
