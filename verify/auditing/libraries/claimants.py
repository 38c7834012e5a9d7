"""Claimants: libraries that differentiate, each with its own words for functions.

A claimant is given an expression of the table and answers with the values of the function and of
one of its derivatives at many points, as the library computes them.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np

from symtape.errors import MissingExtra
from symtape.process.extras import load
from verify.auditing.libraries.spelling import NUMPY, differentiate_elementwise, function_of
from verify.errors import UsageError

Answer = tuple[Any, Any]
"""The values of the function, and those of the derivative; float64 arrays."""


class Claimant(Protocol):
    """A library that is audited.

    Attributes
    ----------
    name : str
    packages : tuple of str
        Whose versions matter.
    formats : tuple of str
        The float formats that it has.
    """

    name: str
    packages: tuple[str, ...]
    formats: tuple[str, ...]

    def answer(
        self, expression: str, points: Sequence[Any], wrt: tuple[int, ...], form: str
    ) -> Answer:
        """The function and its derivative at points of a format; raises what the library does."""

    def reproducer(
        self, expression: str, point: Sequence[str], wrt: tuple[int, ...], form: str, copies: int
    ) -> str:
        """A program of a few lines that prints the derivative at one point, as `answer` has it.

        Of several `copies` of the point in an array it prints the first: libraries compute a
        number alone and one among many in different ways.
        """


def _arguments(points: Sequence[Any]) -> tuple[str, ...]:
    return ("x", "y")[: len(points)]


def _nest_transforms(
    transform: str,
    expression: str,
    names: str,
    wrt: tuple[int, ...],
    argument: str,
    many: str = "",
) -> str:
    """``transform(transform(lambda x: ...))``, by each argument in turn.

    A transform of scalar functions alone takes `many`, what makes one number of an array.
    """
    code = f"lambda {names}: {many}({expression})" if many else f"lambda {names}: {expression}"
    for at, place in enumerate(wrt):
        if many and at:
            code = f"lambda {names}: {many}({code}({names}))"
        code = f"{transform}({code}{argument.format(place) if ',' in names else ''})"
    return code


def _first(copies: int) -> str:
    return "" if copies == 1 else "[0]"


class _Jax:
    name = "jax"
    packages = ("jax", "jaxlib", "numpy")
    modules: Mapping[str, str] = {
        "nn": "from jax import nn",
        "jsp": "from jax.scipy import special as jsp",
    }
    formats: tuple[str, ...] = ("float64", "float32", "bfloat16", "float16")

    @cached_property
    def _names(self) -> Mapping[str, Any]:
        jax = _load_needed("jax")
        special = importlib.import_module("jax.scipy.special")
        return {"jax": jax, "jnp": jax.numpy, "nn": jax.nn, "jsp": special}

    def answer(
        self, expression: str, points: Sequence[Any], wrt: tuple[int, ...], form: str
    ) -> Answer:
        jax, numpy = self._names["jax"], self._names["jnp"]
        function = function_of(expression, _arguments(points), self._names)
        derivative = function
        for place in wrt:
            derivative = jax.grad(derivative, argnums=place)
        with jax.enable_x64(form == "float64"):
            given = [numpy.asarray(x, dtype=form) for x in points]
            value = jax.jit(jax.vmap(function))(*given)
            slope = jax.jit(jax.vmap(derivative))(*given)
            return _plain(value.astype(_carrier(form))), _plain(slope.astype(_carrier(form)))

    def reproducer(
        self, expression: str, point: Sequence[str], wrt: tuple[int, ...], form: str, copies: int
    ) -> str:
        names = ", ".join(_arguments(point))
        made = "jnp.asarray({}, dtype=jnp.{})" if copies == 1 else "jnp.full({2}, {0}, jnp.{1})"
        call = ", ".join(made.format(number, form, copies) for number in point)
        switch = 'jax.config.update("jax_enable_x64", True)\n' if form == "float64" else ""
        derivative = _nest_transforms("jax.grad", expression, names, wrt, ", {}")
        derivative = derivative if copies == 1 else f"jax.vmap({derivative})"
        return (
            f"import jax, jax.numpy as jnp\n{_imports(self.modules, expression)}"
            f"{switch}derivative = jax.jit({derivative})\n"
            f"print(derivative({call}){_first(copies)})"
        )


class _Torch:
    name = "torch"
    packages = ("torch", "numpy")
    modules: Mapping[str, str] = {"F": "from torch.nn import functional as F"}
    formats: tuple[str, ...] = ("float64", "float32", "bfloat16", "float16")

    @cached_property
    def _names(self) -> Mapping[str, Any]:
        torch = _load_needed("torch")
        torch.set_num_threads(1)
        return {"torch": torch, "F": torch.nn.functional}

    def answer(
        self, expression: str, points: Sequence[Any], wrt: tuple[int, ...], form: str
    ) -> Answer:
        torch = self._names["torch"]
        dtype = getattr(torch, form)
        given = [torch.tensor(np.asarray(x), dtype=dtype, requires_grad=True) for x in points]
        value = found = function_of(expression, _arguments(points), self._names)(*given)
        for at, place in enumerate(wrt):
            last = at + 1 == len(wrt)
            # Of what does not depend on an argument the derivative is 0, and no error.
            (found,) = torch.autograd.grad(
                found.sum(), given[place], create_graph=not last, materialize_grads=True
            )
        # A sum is no longer one of torch's tensors that stand for zeros without holding them.
        return _plain(value.detach().double()), _plain((found + 0).detach().double())

    def reproducer(
        self, expression: str, point: Sequence[str], wrt: tuple[int, ...], form: str, copies: int
    ) -> str:
        names = _arguments(point)
        lines = f"import torch\n{_imports(self.modules, expression)}".splitlines()
        made = "torch.tensor({}" if copies == 1 else "torch.full(({1},), {0}"
        lines += [
            f"{name} = {made.format(number, copies)}, dtype=torch.{form}, requires_grad=True)"
            for name, number in zip(names, point, strict=True)
        ]
        code = expression
        for at, place in enumerate(wrt):
            kept = ", create_graph=True" if at + 1 < len(wrt) else ""
            code = code if copies == 1 else f"({code}).sum()"
            code = f"torch.autograd.grad({code}, {names[place]}{kept})[0]"
        return "\n".join([*lines, f"print({code}{_first(copies)}.item())"])


class _Autograd:
    name = "autograd"
    packages = ("autograd", "numpy", "scipy")
    modules: Mapping[str, str] = {"asp": "import autograd.scipy.special as asp"}
    formats: tuple[str, ...] = ("float64", "float32")

    @cached_property
    def _names(self) -> Mapping[str, Any]:
        autograd = _load_needed("autograd")
        numpy = importlib.import_module("autograd.numpy")
        special = importlib.import_module("autograd.scipy.special")
        return {"autograd": autograd, "anp": numpy, "asp": special}

    def answer(
        self, expression: str, points: Sequence[Any], wrt: tuple[int, ...], form: str
    ) -> Answer:
        given = [np.asarray(x, dtype=form) for x in points]
        function = derivative = function_of(expression, _arguments(points), self._names)
        for place in wrt:
            derivative = self._names["autograd"].elementwise_grad(derivative, place)
        return _plain(function(*given)), _plain(derivative(*given))

    def reproducer(
        self, expression: str, point: Sequence[str], wrt: tuple[int, ...], form: str, copies: int
    ) -> str:
        names = ", ".join(_arguments(point))
        grad = "grad" if copies == 1 else "elementwise_grad"
        made = "anp.{1}({0})" if copies == 1 else "anp.full({2}, {0}, anp.{1})"
        call = ", ".join(made.format(number, form, copies) for number in point)
        return (
            f"from autograd import {grad}\nimport autograd.numpy as anp\n"
            f"{_imports(self.modules, expression)}"
            f"derivative = {_nest_transforms(grad, expression, names, wrt, ', {}')}\n"
            f"print(derivative({call}){_first(copies)})"
        )


class _Symtape:
    name = "symtape"
    packages = ("symtape", "numpy", "scipy")
    modules: Mapping[str, str] = {
        "special": "from scipy import special",
        "polygamma": "from symtape.scipy.special import polygamma",
    }
    formats: tuple[str, ...] = ("float64", "float32")

    def answer(
        self, expression: str, points: Sequence[Any], wrt: tuple[int, ...], form: str
    ) -> Answer:
        given = [np.asarray(x, dtype=form) for x in points]
        function = function_of(expression, _arguments(points), NUMPY)
        return _plain(function(*given)), _plain(differentiate_elementwise(function, wrt)(*given))

    def reproducer(
        self, expression: str, point: Sequence[str], wrt: tuple[int, ...], form: str, copies: int
    ) -> str:
        names = ", ".join(_arguments(point))
        made = "np.{1}({0})" if copies == 1 else "np.full({2}, {0}, np.{1})"
        call = ", ".join(made.format(number, form, copies) for number in point)
        many = "" if copies == 1 else "np.sum"
        derivative = _nest_transforms("symtape.grad", expression, names, wrt, ", argnums={}", many)
        return (
            f"import numpy as np, symtape\n{_imports(self.modules, expression)}"
            f"derivative = {derivative}\n"
            f"print(derivative({call}){_first(copies)})"
        )


def _imports(modules: Mapping[str, str], expression: str) -> str:
    """The lines that import what an expression uses."""
    words = set(re.findall(r"\w+", expression))
    return "".join(f"{line}\n" for name, line in modules.items() if name in words)


def _plain(values: Any) -> Any:
    return np.asarray(values).astype(np.float64)


def _carrier(form: str) -> str:
    return "float32" if form == "bfloat16" else form


def _load_needed(module: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load(module, "verify.auditing.libraries")
    except MissingExtra as error:
        raise UsageError(str(error)) from error


CLAIMANTS: Final[Mapping[str, Any]] = {
    "jax": _Jax,
    "torch": _Torch,
    "autograd": _Autograd,
    "symtape": _Symtape,
}
"""Those that can be audited."""


def claimant(name: str) -> Claimant:
    """A claimant by its name, if it is installed.

    Raises
    ------
    UsageError
        It is not installed; says how to install it.
    """
    made: Claimant = CLAIMANTS[name]()
    with contextlib.suppress(AttributeError):
        _ = made._names  # type: ignore[attr-defined]
    return made
