"""Closed forms in array notation: ``2*A.T @ (A @ x - b)``.

A recorded graph is read as sums of products of indexed arrays (:mod:`.indexed`, :mod:`.reading`),
differentiated there by the product rule and a rule for each function (:mod:`.adjoint`), and the
sums over indices are turned back into products of matrices (:mod:`.contraction`). What is to be
printed is read back as NumPy code and compared with the scalar shadow (:mod:`.evidence`); what
fails is not printed.

The indexed form follows S. Laue, M. Mitterreiter and J. Giesen, "Computing Higher Order Derivatives
of Matrix and Tensor Expressions", NeurIPS 2018.
"""
