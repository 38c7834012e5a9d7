"""Where a function of PyTorch applies an ``autograd.Function``, and to what."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any, Final

from symtape.frontends.aten.values import to_array, to_torch
from symtape.process.extras import load
from symtape.recording.origin import Origin
from verify.adapters.own_rules import Application, set_signature, weights

_NEEDED_BY: Final = "verify.adapters.torch"

Call = tuple[Any, tuple[Any, ...]]


def applications(function: Callable[..., Any], xs: Sequence[Any]) -> Iterator[Application]:
    """Each application while `function` runs, in that order.

    Parameters
    ----------
    function : callable
        Of tensors.
    xs : sequence of arrays
    """
    torch = load("torch", _NEEDED_BY)
    leaves = [to_torch(x).detach().clone() for x in xs]
    for leaf in leaves:
        leaf.requires_grad_(leaf.is_floating_point())
    for kind, given in _watch_calls(torch, function, leaves):
        if (one := _application(torch, kind, given)) is not None:
            yield one


def _watch_calls(torch: Any, function: Callable[..., Any], leaves: Sequence[Any]) -> list[Call]:
    """Run a function; the classes that it applies, with their arguments.

    ``apply`` is compiled, and may have been looked up long ago, so it is the forward pass that is
    watched for, and where there is one of its own, what sets up its context.
    """
    calls: list[Call] = []

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code.co_name not in ("forward", "setup_context"):
            return
        given = inspect.getargvalues(frame)
        values = [given.locals[name] for name in given.args]
        if not values or not isinstance(values[0], torch.autograd.function.BackwardCFunction):
            return
        if frame.f_code.co_name == "setup_context":
            calls.append((type(values[0])._forward_cls, tuple(values[1])))
        else:
            rest = given.locals[given.varargs] if given.varargs else ()
            calls.append((type(values[0])._forward_cls, (*values[1:], *rest)))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        with torch.enable_grad():
            function(*leaves)
    finally:
        sys.setprofile(before)
    return calls


def _application(torch: Any, kind: Any, given: tuple[Any, ...]) -> Application | None:
    moving = [
        at
        for at, x in enumerate(given)
        if isinstance(x, torch.Tensor)
        and x.dtype in (torch.float32, torch.float64)
        and x.requires_grad
    ]
    given = tuple(x.detach() if isinstance(x, torch.Tensor) else x for x in given)
    outputs = _differentiable(torch, kind, given, moving) if moving else []
    if not outputs:
        return None

    def call_alone(*xs: Any) -> Any:
        whole = list(given)
        for at, x in zip(moving, xs, strict=True):
            whole[at] = x
        found = _to_list(kind.apply(*whole))
        terms = [found[at] * _weights(torch, found[at], k) for k, at in enumerate(outputs)]
        return sum(term.sum() for term in terms)

    names = _names(kind, len(given))
    function = set_signature(
        call_alone, kind.__name__, [names[at] for at in moving] if names else [""]
    )
    point = tuple(to_array(given[at])[()] for at in moving)
    return Application(kind.__name__, function, point, _place(kind))


def _place(kind: Any) -> Origin | None:
    code = getattr(kind.backward, "__code__", None)
    return None if code is None else Origin(code.co_filename, code.co_firstlineno, code.co_name)


def _differentiable(
    torch: Any, kind: Any, given: Sequence[Any], moving: Sequence[int]
) -> list[int]:
    """Which outputs autograd differentiates; a function may say of some that it does not."""
    whole = list(given)
    for at in moving:
        whole[at] = given[at].clone().requires_grad_()
    with torch.enable_grad():
        found = _to_list(kind.apply(*whole))
    return [at for at, y in enumerate(found) if isinstance(y, torch.Tensor) and y.requires_grad]


def _to_list(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple | list) else [found]


def _weights(torch: Any, output: Any, which: int) -> Any:
    return torch.as_tensor(weights(tuple(output.shape), which), dtype=output.dtype)


def _names(kind: Any, count: int) -> list[str]:
    """What the arguments of a forward pass are called."""
    names = list(inspect.signature(kind.forward).parameters)
    base = load("torch", _NEEDED_BY).autograd.Function
    names = names[1:] if kind.setup_context is base.setup_context else names
    return names if len(names) == count else []
