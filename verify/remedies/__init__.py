"""Remedies: the line that fixes what failed, tried before it is printed.

May import judging and what is below, for a remedy is judged as any claim.
"""
