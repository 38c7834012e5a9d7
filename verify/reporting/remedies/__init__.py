"""Remedies: the line that fixes what failed, tried before it is printed.

A remedy is judged as any claim, so this room may import judging.
"""
