"""PyTorch functions, read while they run: every ATen operation is repeated on Tensors.

What autograd, ``torch.func`` and ``torch.autograd.Function`` compute ends in ATen operations, so
a derivative is read like any other program. :mod:`~symtape.frontends.aten.table` has a row for each
operation; adding one is adding a row.
"""
