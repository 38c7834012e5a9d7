"""Audits: how accurate a library's own derivatives are, over all of the floats."""
