"""Workloads as users of PyTorch write them, a file for each field."""
