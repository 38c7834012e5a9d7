"""Proofs over a region: the claim's formula is the derivative's at every real point of a box.

A box is divided until every choice of the function and of the claim is decided all over each part;
on each path the difference of claim and derivative has to vanish in the prover's normal form.
"""
