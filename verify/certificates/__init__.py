"""Certificates of proofs over regions, for somebody else to check."""
