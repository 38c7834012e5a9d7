"""The verifier, verified: planted faults that it must refute, right claims that it must not."""

from verify.selftest.score import Score as Score
from verify.selftest.score import describe_last_score as describe_last_score
from verify.selftest.score import last_score as last_score
