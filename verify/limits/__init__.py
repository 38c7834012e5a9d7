"""Limits: how long a call may take, and how much a claim may cost.

May import errors and sources.
"""
