"""Rules of users' own: an ``autograd.Function`` of PyTorch, a ``custom_vjp`` or its like of JAX.

What is claimed is what the framework makes of the rule; the function is what the forward pass
computes, without it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import numpy as np

from symtape.process.extras import load
from verify.adapters.own_rules import set_signature, weights
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.members import classes_of, member
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.regions import region_for
from verify.auditing.packages.silence import silence
from verify.errors import UsageError
from verify.model.case import Case
from verify.model.foreign import shorten_error

_NEEDED_BY: Final = "the audit of a package that uses it"

_OF_JAX: Final = ("custom_jvp", "custom_vjp")
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
            if type(value).__name__ not in _OF_JAX or not _is_of_jax(value):
                continue
            if getattr(value, "__module__", "") == module.__name__:
                yield self._pair(module, name, type(value).__name__, "jax")

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
        owner = member(pair.module, pair.function)
        framework = pair.settings["framework"]
        rule = _TorchRule(owner) if framework == "torch" else _JaxRule(owner, owner)
        plain = rule if framework == "torch" else _JaxRule(owner, owner.fun)
        adapter = importlib.import_module(f"verify.adapters.{framework}")
        name, arguments = rule.names()
        try:
            with silence():
                region = region_for(adapter.adapt(set_signature(plain.summed({}), name, arguments)))
                fixed = rule.not_differentiated(next(iter(region.points(0))))
        except (UsageError, RuntimeError) as error:
            raise NotPosed(f"it cannot be called with arrays: {shorten_error(error)}") from error
        kept = [argument for k, argument in enumerate(arguments) if k not in fixed]
        if not kept:
            raise NotPosed("its rule gives no gradient by any of its arguments")
        function = adapter.adapt(set_signature(plain.summed(fixed), name, kept))
        by_rule = set_signature(rule.summed(fixed), name, kept)
        return Case(
            id=pair.id,
            title=pair.id,
            function=function,
            at=(),
            claimed=adapter.derivatives(by_rule, "gradient")["reverse"],
            over=region_for(function) if fixed else region,
            strict=False,
        )


@dataclass(frozen=True, slots=True)
class _TorchRule:
    """An ``autograd.Function``.

    Attributes
    ----------
    kind : type
    """

    kind: Any

    def names(self) -> tuple[str, list[str]]:
        """The name, and those of its arguments.

        Raises
        ------
        NotPosed
            What it returns is not differentiated all, or it takes any number of arguments.
        """
        torch = load("torch", _NEEDED_BY)

        base = torch.autograd.Function
        parameters = [*inspect.signature(self.kind.forward).parameters.values()]
        if self.kind.setup_context is base.setup_context:
            parameters = parameters[1:]
        passes = (self.kind.forward, self.kind.setup_context)
        if any("mark_non_differentiable" in each.__code__.co_names for each in passes):
            raise NotPosed("some of what it returns is marked as not differentiable")
        return self.kind.__name__, _find_required_names(parameters)

    def summed(self, fixed: Mapping[int, Any]) -> Callable[..., Any]:
        """A weighted sum of what it returns, with some arguments fixed."""
        torch = load("torch", _NEEDED_BY)

        def function(*xs: Any) -> Any:
            tensors = {k: torch.as_tensor(value) for k, value in fixed.items()}
            found = self.kind.apply(*_merge_arguments(xs, tensors))
            parts = found if isinstance(found, tuple) else (found,)
            terms = (y * torch.as_tensor(weights(tuple(y.shape), k)) for k, y in enumerate(parts))
            return sum(term.sum() for term in terms)

        return function

    def not_differentiated(self, start: Sequence[Any]) -> dict[int, Any]:
        """The arguments by which the rule gives no gradient, with values for them."""
        torch = load("torch", _NEEDED_BY)

        leaves = [torch.as_tensor(np.array(x)).requires_grad_() for x in start]
        value = self.summed({})(*leaves)
        gradients = torch.autograd.grad(value, leaves, allow_unused=True)
        return {k: start[k] for k, gradient in enumerate(gradients) if gradient is None}


@dataclass(frozen=True, slots=True)
class _JaxRule:
    """A ``custom_jvp`` or ``custom_vjp``, as it is or without its rule.

    Attributes
    ----------
    owner : object
    function : callable
        It, or the function that it is of.
    """

    owner: Any
    function: Callable[..., Any]

    def names(self) -> tuple[str, list[str]]:
        """The name, and those of its arguments.

        Raises
        ------
        NotPosed
            It takes what it is not differentiated by, or any number of arguments.
        """
        if getattr(self.owner, "nondiff_argnums", ()) or getattr(
            self.owner, "nondiff_argnames", ()
        ):
            raise NotPosed("it takes arguments that it is not differentiated by")
        parameters = inspect.signature(self.owner.fun).parameters.values()
        return str(self.owner.__name__), _find_required_names([*parameters])

    def summed(self, fixed: Mapping[int, Any]) -> Callable[..., Any]:
        """A weighted sum of what it returns, with some arguments fixed."""
        jax = load("jax", _NEEDED_BY)

        def function(*xs: Any) -> Any:
            parts = jax.tree.leaves(self.function(*_merge_arguments(xs, fixed)))
            terms = (y * weights(tuple(y.shape), k) for k, y in enumerate(parts))
            return sum(jax.numpy.sum(term) for term in terms)

        return function

    def not_differentiated(self, start: Sequence[Any]) -> dict[int, Any]:
        """Nothing: JAX takes each argument that is not said to be otherwise."""
        return {}


def _merge_arguments(xs: Sequence[Any], fixed: Mapping[int, Any]) -> list[Any]:
    """All arguments, of those that are given in their order and those that are fixed."""
    rest = iter(xs)
    count = len(xs) + len(fixed)
    return [fixed[k] if k in fixed else next(rest) for k in range(count)]


def _find_required_names(parameters: Sequence[inspect.Parameter]) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = [p for p in parameters if p.default is p.empty]
    if not required or any(p.kind not in kinds for p in required):
        raise NotPosed("how many arguments it takes is not known")
    return [p.name for p in required]


def _is_of_jax(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] in ("jax", "jaxlib")


CONVENTION: Final = FrameworkRules()
