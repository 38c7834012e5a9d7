"""Readers: programs of other frameworks, replayed on Tensors, so that they become Graphs."""
