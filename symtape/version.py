"""The version, importable without NumPy."""

__version__ = "0.1.0"
