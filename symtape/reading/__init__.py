"""Reading: a function runs as a twin of its own source, whose calls keep tensors.

Nothing in the process changes: the twin is compiled beside the original, and shares its globals,
defaults and closure cells.
"""
