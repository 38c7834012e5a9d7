"""The ways in which PyTorch takes each derivative: one callable of torch, function and point each.

Of an argument that is not used autograd says None; here that is zeros, as in ``torch.func``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from verify.model.foreign import halves, one_or_all

Function = Callable[..., Any]


def _leaves(xs: Sequence[Any]) -> list[Any]:
    return [x.detach().requires_grad_() for x in xs]


def _pull_cotangents(
    torch: Any, y: Any, xs: Sequence[Any], cotangent: Any = None, **how: Any
) -> tuple[Any, ...]:
    """The cotangents of `xs`, zeros for what `y` does not depend on."""
    parts = torch.autograd.grad(y, xs, cotangent, allow_unused=True, **how)
    return tuple(
        torch.zeros_like(x) if part is None else part for x, part in zip(xs, parts, strict=True)
    )


def _argnums(xs: Sequence[Any]) -> Any:
    return 0 if len(xs) == 1 else tuple(range(len(xs)))


def _gradient(torch: Any, function: Function, *xs: Any) -> Any:
    leaves = _leaves(xs)
    return one_or_all(_pull_cotangents(torch, function(*leaves), leaves))


def _rows(torch: Any, y: Any, leaves: Sequence[Any], **how: Any) -> list[Any]:
    """The Jacobian of `y` by each leaf, one row after another."""
    flat = y.reshape(-1)
    rows = [
        _pull_cotangents(torch, flat[k], leaves, retain_graph=True, **how)
        for k in range(flat.shape[0])
    ]
    shape = tuple(y.shape)
    if not rows:
        return [x.new_zeros((*shape, *x.shape)) for x in leaves]
    columns = zip(*rows, strict=True)
    return [
        torch.stack(column).reshape((*shape, *x.shape))
        for x, column in zip(leaves, columns, strict=True)
    ]


def _all_rows(torch: Any, y: Any, leaves: Sequence[Any]) -> list[Any]:
    """The same with all cotangents as one batch."""
    flat = y.reshape(-1)
    # As an operation, and no constant, for the sake of who reads the program.
    basis = torch.diag_embed(torch.ones_like(flat))
    parts = _pulled_batched(torch, flat, leaves, basis)
    return [part.reshape((*y.shape, *x.shape)) for x, part in zip(leaves, parts, strict=True)]


def _connect_gradient(part: Any, leaves: Sequence[Any]) -> Any:
    """A gradient, differentiable also if it is constant, as that of a linear function."""
    return part if part.requires_grad else part + sum(0 * leaf.sum() for leaf in leaves)


def _pulled_batched(torch: Any, y: Any, xs: Sequence[Any], basis: Any) -> list[Any]:
    parts = torch.autograd.grad(
        y, xs, basis, allow_unused=True, is_grads_batched=True, retain_graph=True
    )
    return [
        x.new_zeros((basis.shape[0], *x.shape)) if part is None else part
        for x, part in zip(xs, parts, strict=True)
    ]


def _push_tangents(
    torch: Any, function: Function, xs: Sequence[Any], tangents: Sequence[Any]
) -> Any:
    """The tangent of the output."""
    forward = torch.autograd.forward_ad
    with warnings.catch_warnings(), forward.dual_level():
        warnings.filterwarnings("ignore", "`torch.jit", DeprecationWarning)
        duals = [forward.make_dual(x, t) for x, t in zip(xs, tangents, strict=True)]
        primal, tangent = forward.unpack_dual(function(*duals))
        return torch.zeros_like(primal) if tangent is None else tangent


def _columns(torch: Any, function: Function, *xs: Any) -> Any:
    """The Jacobian one column after another, in forward mode."""
    blocks = []
    for place, x in enumerate(xs):
        columns = []
        for k in range(x.numel()):
            unit = torch.diag_embed(torch.ones_like(x).reshape(-1))[k]
            tangents = [
                unit.reshape(x.shape) if other == place else torch.zeros_like(each)
                for other, each in enumerate(xs)
            ]
            columns.append(_push_tangents(torch, function, xs, tangents))
        stacked = torch.stack(columns, dim=-1)
        blocks.append(stacked.reshape((*stacked.shape[:-1], *x.shape)))
    return one_or_all(blocks)


def _jacobian(rows: Function, torch: Any, function: Function, *xs: Any) -> Any:
    leaves = _leaves(xs)
    return one_or_all(rows(torch, function(*leaves), leaves))


def _hessian(rows: Function, torch: Any, function: Function, *xs: Any) -> Any:
    leaves = _leaves(xs)
    first = _pull_cotangents(torch, function(*leaves), leaves, create_graph=True)
    return _blocks([rows(torch, _connect_gradient(part, leaves), leaves) for part in first])


def _blocks(rows: Sequence[Sequence[Any]]) -> Any:
    return rows[0][0] if len(rows) == 1 else tuple(tuple(row) for row in rows)


def _func(*transforms: str) -> Function:
    """Transforms of ``torch.func`` by name, the first one outermost."""

    def take(torch: Any, function: Function, *xs: Any) -> Any:
        for name in reversed(transforms):
            function = getattr(torch.func, name)(function, argnums=_argnums(xs))
        # Forward mode of torch uses what torch has deprecated.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "`torch.jit", DeprecationWarning)
            return function(*xs)

    return take


def _gradient_batched(torch: Any, function: Function, *xs: Any) -> Any:
    """Of a batch of two, both the point, under ``torch.func.vmap``; the first is taken."""
    gradient = torch.func.grad(function, argnums=_argnums(xs))
    both = torch.func.vmap(gradient)(*(torch.stack([x, x]) for x in xs))
    return tuple(part[0] for part in both) if isinstance(both, tuple) else both[0]


def _vjp(torch: Any, function: Function, *xs_and_cotangent: Any) -> Any:
    *xs, cotangent = xs_and_cotangent
    leaves = _leaves(xs)
    return one_or_all(_pull_cotangents(torch, function(*leaves), leaves, cotangent))


def _func_vjp(torch: Any, function: Function, *xs_and_cotangent: Any) -> Any:
    *xs, cotangent = xs_and_cotangent
    return one_or_all(torch.func.vjp(function, *xs)[1](cotangent))


def _jvp(torch: Any, function: Function, *xs_and_tangents: Any) -> Any:
    return _push_tangents(torch, function, *halves(xs_and_tangents))


def _func_jvp(torch: Any, function: Function, *xs_and_tangents: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.jit", DeprecationWarning)
        return torch.func.jvp(function, *halves(xs_and_tangents))[1]


def _hvp(torch: Any, function: Function, *xs_and_vectors: Any) -> Any:
    xs, vectors = halves(xs_and_vectors)
    leaves = _leaves(xs)
    first = _pull_cotangents(torch, function(*leaves), leaves, create_graph=True)
    along = sum(
        (_connect_gradient(part, leaves) * v).sum() for part, v in zip(first, vectors, strict=True)
    )
    return one_or_all(_pull_cotangents(torch, along, leaves))


def _func_hvp(torch: Any, function: Function, *xs_and_vectors: Any) -> Any:
    xs, vectors = halves(xs_and_vectors)
    return _func_jvp(torch, torch.func.grad(function, argnums=_argnums(xs)), *xs, *vectors)


MODES: Final[dict[str, dict[str, tuple[str, Function]]]] = {
    "gradient": {
        "reverse": ("torch.autograd.grad", _gradient),
        "forward": ("torch.autograd.forward_ad", _columns),
        "batched": ("torch.func.vmap of torch.func.grad", _gradient_batched),
    },
    "jacobian": {
        "reverse": ("torch.autograd.grad", partial(_jacobian, _rows)),
        "forward": ("torch.autograd.forward_ad", _columns),
        "batched": ("torch.autograd.grad, is_grads_batched", partial(_jacobian, _all_rows)),
    },
    "hessian": {
        "reverse": ("torch.autograd.grad of torch.autograd.grad", partial(_hessian, _rows)),
        "forward over reverse": ("torch.func.hessian", _func("jacfwd", "jacrev")),
        "batched": (
            "torch.autograd.grad, is_grads_batched, of the gradient",
            partial(_hessian, _all_rows),
        ),
    },
    "vjp": {
        "reverse": ("torch.autograd.grad", _vjp),
        "functional": ("torch.func.vjp", _func_vjp),
    },
    "jvp": {
        "forward": ("torch.autograd.forward_ad", _jvp),
        "functional": ("torch.func.jvp", _func_jvp),
    },
    "hvp": {
        "reverse": ("torch.autograd.grad of torch.autograd.grad", _hvp),
        "forward over reverse": ("torch.func.jvp of torch.func.grad", _func_hvp),
    },
}
"""By quantity and mode: what users call it, and how it is taken."""
