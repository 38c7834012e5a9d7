"""The version, importable without NumPy."""

__version__ = "0.2.0"
