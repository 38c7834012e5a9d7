"""Lines of source files: where user code stands, and the path that it took there.

Imports nothing of the verifier.
"""
