"""Conventions of single packages, for `symtape audit`: a plugin, as anybody may write one.

A file each; `pyproject.toml` beside this folder registers them.
"""
