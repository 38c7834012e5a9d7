"""Sampled evidence: what floats alone say of a claim about a function that cannot be recorded."""
