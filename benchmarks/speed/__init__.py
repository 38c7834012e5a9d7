"""Derivatives by every engine in one run: ``python -m benchmarks.speed``."""
