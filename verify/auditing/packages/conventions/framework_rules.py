"""Rules of users' own: an ``autograd.Function`` of PyTorch, a ``custom_vjp`` or its like of JAX.

What is claimed is what the framework makes of the rule; the function is what the forward pass
computes, without it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import Any, Final

import numpy as np

from symtape.process.extras import load
from symtape.recording.structure import flatten
from verify.adapters.own_rules import own_rules, set_signature
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.members import classes_of, member
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import put_in_one_array
from verify.auditing.packages.regions import region_for
from verify.auditing.packages.silence import silence
from verify.errors import UsageError
from verify.model.case import Case
from verify.model.foreign import shorten_error

_NEEDED_BY: Final = "the audit of a package that uses it"

_OF_JAX: Final = ("custom_jvp", "custom_vjp")
_JAX: Final = ("jax", "jaxlib")
_OF_TORCH: Final = ("torch.autograd.function", "Function")


class FrameworkRules:
    """Functions with a backward rule of their own."""

    name = "framework-rules"
    summary = "torch.autograd.Function with backward, and jax.custom_jvp and custom_vjp"

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Each function with a rule that a module defines."""
        for kind in classes_of(module):
            bases = ((base.__module__, base.__qualname__) for base in kind.__mro__[1:])
            if _OF_TORCH in bases:
                yield self._pair(module, kind.__qualname__, "backward", "torch")
        for name, value in sorted(vars(module).items()):
            kind = type(value)
            known = kind.__name__ in _OF_JAX and kind.__module__.partition(".")[0] in _JAX
            if known and getattr(value, "__module__", "") == module.__name__:
                yield self._pair(module, name, kind.__name__, "jax")

    def _pair(self, module: ModuleType, name: str, claim: str, framework: str) -> Pair:
        return Pair(
            id=f"{module.__name__}:{name}.{claim}",
            convention=self.name,
            module=module.__name__,
            function=name,
            claim=claim,
            settings={"framework": framework},
        )

    def pose(self, pair: Pair) -> Case:
        """A weighted sum of what the function returns, by the arguments that its rule is by."""
        owner, framework = member(pair.module, pair.function), pair.settings["framework"]
        adapter = importlib.import_module(f"verify.adapters.{framework}")
        names = _name_arguments_of_torch(owner) if framework == "torch" else _name_arguments(owner)
        called = owner.apply if framework == "torch" else owner

        def adapt(fixed: Mapping[int, Any]) -> Any:
            kept = [name for k, name in enumerate(names) if k not in fixed]
            given = partial(_call_with, called, fixed)
            return adapter.adapt(set_signature(given, pair.function, kept))

        try:
            with silence():
                region = region_for(
                    set_signature(put_in_one_array(adapt({})), pair.function, names)
                )
                start = next(iter(region.points(0)))
                fixed = _find_fixed(called, start) if framework == "torch" else {}
                moving = [x for k, x in enumerate(start) if k not in fixed]
                rule = next(own_rules(adapt(fixed), moving), None) if moving else None
        except (UsageError, RuntimeError) as error:
            raise NotPosed(f"it cannot be called with arrays: {shorten_error(error)}") from error
        if rule is None:
            raise NotPosed("its rule gives no gradient by any of its arguments")
        return Case(
            id=pair.id,
            title=pair.id,
            function=rule.function,
            at=(),
            claimed=rule.gradient,
            over=region_for(rule.function) if fixed else region,
            strict=False,
        )


def _call_with(function: Callable[..., Any], fixed: Mapping[int, Any], *xs: Any) -> Any:
    """Call with those that are given, in their order, and those that are fixed."""
    rest = iter(xs)
    count = len(xs) + len(fixed)
    return function(*(fixed[k] if k in fixed else next(rest) for k in range(count)))


def _find_fixed(function: Callable[..., Any], start: Sequence[Any]) -> dict[int, Any]:
    """The arguments by which a rule of PyTorch gives no gradient, with values for them."""
    torch = load("torch", _NEEDED_BY)
    leaves = [torch.as_tensor(np.array(x)).requires_grad_() for x in start]
    outputs = [y for y in flatten(function(*leaves)) if y.requires_grad]
    ones = [torch.ones_like(y) for y in outputs]
    gradients = torch.autograd.grad(outputs, leaves, ones, allow_unused=True)
    return {k: leaves[k].detach() for k, gradient in enumerate(gradients) if gradient is None}


def _name_arguments_of_torch(kind: Any) -> list[str]:
    """The names of the arguments of an ``autograd.Function``, behind its context.

    Raises
    ------
    NotPosed
        It takes any number of arguments.
    """
    parameters = [*inspect.signature(kind.forward).parameters.values()]
    takes_context = kind.setup_context is load("torch", _NEEDED_BY).autograd.Function.setup_context
    return _find_required_names(parameters[1:] if takes_context else parameters)


def _name_arguments(rule: Any) -> list[str]:
    """The names of the arguments of a ``custom_jvp`` or ``custom_vjp``.

    Raises
    ------
    NotPosed
        It takes what it is not differentiated by, or any number of arguments.
    """
    if getattr(rule, "nondiff_argnums", ()) or getattr(rule, "nondiff_argnames", ()):
        raise NotPosed("it takes arguments that it is not differentiated by")
    return _find_required_names([*inspect.signature(rule.fun).parameters.values()])


def _find_required_names(parameters: Sequence[inspect.Parameter]) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = [p for p in parameters if p.default is p.empty]
    if not required or any(p.kind not in kinds for p in required):
        raise NotPosed("how many arguments it takes is not known")
    return [p.name for p in required]


CONVENTION: Final = FrameworkRules()
