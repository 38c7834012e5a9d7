"""Proofs of the tape's rules, and what programs inherit of them."""
