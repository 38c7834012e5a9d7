"""Workloads as users of NumPy write them, a file for each field."""
