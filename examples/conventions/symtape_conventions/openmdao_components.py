"""Components of OpenMDAO: their partial derivatives, ``compute_partials`` and ``linearize``.

Each pair is a block: an output, or a residual, by one variable. Blocks that a component does not
declare are claimed to be zero, and those declared with their values to be constant.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from symtape_conventions.neighbourhood import Argument, Method, case_near
from verify import Case
from verify.auditing import NotPosed, Pair, Unpaired, classes_of, member, shorten_error, silence

_BASES: Final = {
    ("openmdao.core.explicitcomponent", "ExplicitComponent"): ("compute", "compute_partials"),
    ("openmdao.core.implicitcomponent", "ImplicitComponent"): ("apply_nonlinear", "linearize"),
}
"""Where the classes are defined of which components are made, and their methods."""


class OpenmdaoComponents:
    """Partial derivatives of components, block by block."""

    name = "openmdao-components"
    summary = "compute_partials and linearize of OpenMDAO's components, block by block"

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """A pair for each output, or residual, and each variable of each component."""
        for kind in classes_of(module):
            if (methods := _methods(kind)) is None:
                continue
            function, claim = methods
            place = f"{module.__name__}:{kind.__qualname__}.{claim}"
            if getattr(kind, function) is getattr(_base(kind), function):
                yield Unpaired(place, self.name, f"{kind.__name__} has no {function} of its own")
                continue
            try:
                component = _Component(kind)
                blocks = [*component.blocks()]
            except Exception as error:  # noqa: BLE001  # theirs: the reason is told
                words = f"{type(error).__name__}: {shorten_error(error)}"
                yield Unpaired(place, self.name, f"{kind.__name__} cannot be set up: {words}")
                continue
            for of, wrt, approximated in blocks:
                block = f"{place}[{of} by {wrt}]"
                if approximated:
                    words = f"it is declared to be approximated, by {approximated!r}"
                    yield Unpaired(block, self.name, words)
                    continue
                yield Pair(
                    id=block,
                    convention=self.name,
                    module=module.__name__,
                    function=kind.__qualname__,
                    claim=claim,
                    quantity="jacobian",
                    settings={"of": of, "wrt": wrt},
                )

    def pose(self, pair: Pair) -> Case:
        """One output, or residual, by one variable; all variables are arguments."""
        kind = member(pair.module, pair.function)
        of, wrt = pair.settings["of"], pair.settings["wrt"]
        try:
            component = _Component(kind)
        except Exception as error:  # theirs: the reason is told
            raise NotPosed(f"{kind.__name__} cannot be set up: {shorten_error(error)}") from error
        names = component.arguments
        function, claim = _methods(kind) or ("", "")
        return case_near(
            pair,
            Method(lambda *xs: component.value(of, xs), getattr(kind, function)),
            Method(lambda *xs: component.block(of, wrt, xs), getattr(kind, claim)),
            [Argument(name, component.start(name)) for name in names],
            by=wrt,
        )


def _base(kind: type) -> Any:
    for each in kind.__mro__:
        if (each.__module__, each.__qualname__) in _BASES:
            return each
    return None


def _methods(kind: type) -> tuple[str, str] | None:
    base = _base(kind)
    if base is None or base is kind:
        return None
    return _BASES[base.__module__, base.__qualname__]


@dataclass(frozen=True)
class _Component:
    """A component in a problem of its own, as the library sets it up.

    Attributes
    ----------
    kind : type
    """

    kind: Any

    def __post_init__(self) -> None:
        with silence():
            self._problem.setup()
            self._problem.final_setup()
        if self._it._discrete_inputs or self._it._discrete_outputs:
            raise NotPosed("it has discrete variables")

    @cached_property
    def _it(self) -> Any:
        return self.kind()

    @cached_property
    def _problem(self) -> Any:
        api = importlib.import_module("openmdao.api")
        # A single component needs none of MPI, which need not be there.
        with patch.dict(os.environ, OPENMDAO_USE_MPI="0"):
            problem = api.Problem(reports=False)
        problem.model.add_subsystem("it", self._it, promotes=["*"])
        return problem

    @property
    def _is_explicit(self) -> bool:
        return (_methods(self.kind) or ("",))[0] == "compute"

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs."""
        return list(self._it._var_rel_names["output"])

    @property
    def arguments(self) -> list[str]:
        """What a partial derivative may be by: inputs, and of residuals the outputs too."""
        inputs = list(self._it._var_rel_names["input"])
        return inputs if self._is_explicit else [*inputs, *self.outputs]

    def start(self, name: str) -> Any:
        """The value that a variable has at first; of equal entries not all are the same."""
        value = np.asarray(self._it._var_rel2meta[name]["val"], dtype=np.float64)
        return np.round(value + 0.1 * (1 + np.arange(value.size).reshape(value.shape) % 7), 6)

    def blocks(self) -> Iterator[tuple[str, str, str]]:
        """Outputs and variables, and by what means a block is approximated, if it is."""
        declared = {key: meta.get("method") for key, meta in self._it._subjacs_info.items()}
        for of in self.outputs:
            for wrt in self.arguments:
                method = declared.get((f"it.{of}", f"it.{wrt}"))
                yield of, wrt, method if method not in (None, "exact") else ""

    def value(self, of: str, point: tuple[Any, ...]) -> Any:
        """An output, or a residual."""
        given = dict(zip(self.arguments, point, strict=True))
        found = {name: np.zeros_like(self.start(name)) for name in self.outputs}
        if self._is_explicit:
            self._it.compute(given, found)
        else:
            self._it.apply_nonlinear(given, given, found)
        return np.reshape(found[of], self.start(of).shape)

    def block(self, of: str, wrt: str, point: tuple[Any, ...]) -> Any:
        """A block as the library uses it; of zeros where it is not declared."""
        with silence():
            for name, value in zip(self.arguments, point, strict=True):
                self._problem.set_val(name, value)
            if self._is_explicit:
                self._problem.run_model()
            else:
                self._problem.model.run_apply_nonlinear()
            self._problem.model.run_linearize()
        key = f"it.{of}", f"it.{wrt}"
        shape = (*self.start(of).shape, *self.start(wrt).shape)
        if key not in self._it._subjacs_info:
            return np.zeros(shape)
        block = self._it._jacobian[key]
        # A copy: the library writes the next values into the same array.
        return np.array(block.toarray() if hasattr(block, "toarray") else block).reshape(shape)


CONVENTION: Final = OpenmdaoComponents()
