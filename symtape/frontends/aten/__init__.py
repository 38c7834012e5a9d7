"""PyTorch functions, read while they run: every ATen operation is repeated on Tensors.

What autograd, ``torch.func`` and ``torch.autograd.Function`` compute ends in ATen operations, so
a derivative is read like any other program. What torch itself makes of other operations, is read
as those; :mod:`~symtape.frontends.aten.table` has a row for the rest, and for what is simpler, or
exact, as a whole: torch's decompositions have rounded constants and kinks that cancel.
"""
