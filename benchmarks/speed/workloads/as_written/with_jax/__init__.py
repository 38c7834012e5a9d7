"""Workloads as users of JAX write them, a file for each field."""
