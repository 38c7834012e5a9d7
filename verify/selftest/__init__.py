"""The verifier, verified: planted faults that it must refute, right claims that it must not."""

from verify.selftest.score import Score, describe_last_score, last_score

__all__ = ["Score", "describe_last_score", "last_score"]
