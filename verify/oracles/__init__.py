"""Oracles: what the exact derivative is, by oracles that share no code, and proofs of rules.

May import claimants and what is below; only the recheck sees what a claim answered.
"""
