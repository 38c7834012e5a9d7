"""PyTorch: functions of tensors, what autograd and ``torch.func`` make of them, and modules.

The ways in which PyTorch takes each derivative: one callable of torch, function and point each. Of
an argument that is not used autograd says None; here that is zeros, as in ``torch.func``.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any, Final

from symtape.process.extras import load
from verify.adapters.lookups import uses
from verify.errors import UsageError
from verify.model.foreign import (
    Foreign,
    check_positional,
    halves,
    leaves_mapped,
    one_or_all,
    original_of,
    shorten_error,
    wrap_transform,
)

_NEEDED_BY: Final = "verify.adapters.torch"

Function = Callable[..., Any]


def adapt(function: Function) -> Foreign:
    """A function of tensors, or a derivative by PyTorch, as one that can be verified.

    Parameters
    ----------
    function : callable
        Takes CPU tensors and returns a tensor, or a tuple of them. A ``torch.autograd.Function``
        stands for its ``apply``, a module for a function of its input. Inputs have
        ``requires_grad`` if it cannot do without. It may return its gradients or leave them in
        ``x.grad``; None in place of one is zeros, as autograd means it.

    Raises
    ------
    MissingExtra
        PyTorch is not installed.
    UsageError
        It needs arguments by keyword.
    """
    load("torch", _NEEDED_BY)
    from symtape.frontends.aten.calling import Program

    function = _wrap_autograd_function(function)
    check_positional(function)
    program = Program(function)
    name = str(getattr(function, "__name__", type(function).__name__))
    return Foreign(
        framework="torch",
        original=program.original,
        run=_explain_errors(program.run, function, name),
        read=_explain_errors(program.read, function, name),
        shared=_explain_errors(program.run_on, function, name),
    )


def _wrap_autograd_function(function: Any) -> Any:
    """What a ``torch.autograd.Function`` computes, under its own name and signature."""
    torch = load("torch", _NEEDED_BY)
    kind = getattr(function, "__self__", function)
    if not (isinstance(kind, type) and issubclass(kind, torch.autograd.Function)):
        return function
    if kind is not function and getattr(function, "__name__", "") != "apply":
        return function

    def call_apply(*arguments: Any) -> Any:
        return kind.apply(*arguments)  # type: ignore[attr-defined]

    call_apply.__name__ = call_apply.__qualname__ = kind.__name__
    call_apply.__module__ = kind.__module__
    call_apply.__wrapped__ = kind.forward  # type: ignore[attr-defined]
    parameters = list(inspect.signature(kind.forward).parameters.values())  # type: ignore[attr-defined]
    if kind.setup_context is torch.autograd.Function.setup_context:  # type: ignore[attr-defined]
        parameters = parameters[1:]
    call_apply.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call_apply


def _explain_errors(call: Function, function: Function, name: str) -> Function:
    """`call`, whose answers are arrays, and whose errors say what to do."""

    def call_explaining(*arguments: Any) -> Any:
        try:
            answer = call(*arguments)
        except (RuntimeError, TypeError) as error:
            if words := _advice(error, function, arguments, name):
                raise UsageError(words) from error
            raise
        return leaves_mapped(answer, lambda x: x, name)

    return call_explaining


def _advice(error: Exception, function: Any, arguments: Sequence[Any], name: str) -> str:
    """What to do about an error that is about how `function` was called; empty otherwise."""
    if type(error).__module__.startswith(("torch._dynamo", "torch._inductor")):
        return (
            f"torch.compile could not compile {name} here: {shorten_error(error)}; verify the "
            "function without torch.compile"
        )
    name = "it" if name == "<lambda>" else name
    words = str(error)
    dtypes = {str(x.dtype) for x in arguments if hasattr(x, "dtype")}
    tensors = _tensors_kept(function)
    kept = {str(x.dtype).removeprefix("torch.") for x in tensors}
    if "dtype" in words and kept - dtypes:
        return (
            f"{name} keeps tensors of {' and '.join(sorted(kept))}, and the points are "
            f"{' and '.join(sorted(dtypes))}: {shorten_error(error)}; give points of one "
            "precision, as np.float32 arrays or verify.box(..., dtype=np.float32), or take the "
            "module to theirs, as with .double()"
        )
    if "device" in words or "meta" in words or any(x.device.type != "cpu" for x in tensors):
        return (
            f"{name} works on another device than its points, which are on the CPU: "
            f"{shorten_error(error)}; move it there, as with .cpu()"
        )
    return ""


def _tensors_kept(function: Any) -> list[Any]:
    """The parameters and buffers of a module or a method's, the tensors that a function names."""
    torch = load("torch", _NEEDED_BY)
    owner = getattr(function, "__self__", function)
    owner = getattr(owner, "_orig_mod", owner)
    if isinstance(owner, FunctionType):
        named = [use.value for use in uses(owner)]
        return [x for x in named if isinstance(x, torch.Tensor) and x.is_floating_point()]
    if not isinstance(owner, torch.nn.Module):
        return []
    tensors = [*owner.parameters(), *owner.buffers()]
    return [x for x in tensors if x.is_floating_point()]


def derivatives(function: Function, quantity: str) -> dict[str, Foreign]:
    """The derivatives that PyTorch itself takes of `function`, reverse mode first.

    Parameters
    ----------
    function : callable
        Of tensors, or what :func:`adapt` made of it.
    quantity : str
        ``gradient``, ``jacobian``, ``hessian``, ``vjp``, ``jvp`` or ``hvp``.

    Returns
    -------
    dict
        By the name of the mode; each takes what a claim of that quantity takes. A mode that
        PyTorch refuses, as forward mode of a ``torch.autograd.Function`` without ``jvp``, raises
        what PyTorch raises.
    """
    torch, original = load("torch", _NEEDED_BY), _wrap_autograd_function(original_of(function))
    return {
        mode: adapt(wrap_transform(functools.partial(_take_with_grad, torch, take), original, name))
        for mode, (name, take) in MODES[quantity].items()
    }


def _take_with_grad(torch: Any, take: Function, function: Function, *xs: Any) -> Any:
    """A derivative, also where the caller has switched autograd off."""
    with torch.enable_grad():
        return take(torch, function, *xs)


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
