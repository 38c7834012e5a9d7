"""Oracles: what the exact derivative is, by witnesses that share no code, and proofs of rules.

May import claimants and what is below; never looks at what a claim answered.
"""
