"""``symtape.from_torch``: there without PyTorch, which is loaded when it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from symtape.process.extras import load

if TYPE_CHECKING:
    from symtape.frontends.aten.calling import Program


def from_torch(function: Callable[..., Any]) -> Program:
    """A function of PyTorch tensors, as one of NumPy arrays that a tape can follow.

    It is read while it runs: below autograd and ``torch.func`` everything is ATen operations, and
    each of them is repeated on Tensors. So ``torch.func.grad(f)``, the backward pass of a
    ``torch.autograd.Function``, loops and branches of Python, writes in place are read like any
    other computation.

    Parameters
    ----------
    function : callable
        Takes and returns CPU tensors: a plain function, a module, what ``torch.func`` makes, the
        ``apply`` of a ``torch.autograd.Function``. Of what ``torch.compile`` made, the function
        that was compiled is read.

    Returns
    -------
    callable
        On arrays it runs in PyTorch, in their precision, and returns arrays. On Tensors it
        is read. If it needs inputs with ``requires_grad``, it gets them; if it returns nothing and
        leaves ``x.grad``, that is the answer; and None in place of the gradient of an argument,
        torch's word for one that is not used, is zeros.

    Raises
    ------
    MissingExtra
        PyTorch is not installed.
    Unreadable
        (When called.) It uses an operation that has no reading; names it and the line.

    Examples
    --------
    >>> import torch, symtape  # doctest: +SKIP
    >>> f = symtape.from_torch(lambda x: (x * x.sin()).sum())  # doctest: +SKIP
    >>> symtape.grad(f)(np.array([0.5, 2.0]))  # doctest: +SKIP
    array([0.91821682, 0.07700375])
    """
    load("torch", "symtape.from_torch")
    if not callable(function):
        raise TypeError(f"from_torch takes a function, got {function!r}")
    from symtape.frontends.aten.calling import Program

    return Program(function)
