"""Reading: plain NumPy code, run so that what it computes is recorded.

A function runs as it stands first. Where a value leaves it, its twin runs: the function compiled
anew from its own source, in which each call is asked of a reader, who knows what means the same of
tensors. Nothing in the process changes.
"""
