"""The verifier, verified: planted faults that it must refute, right claims that it must not."""

from verify.selftest.score import Score, last_score

__all__ = ["Score", "last_score"]
