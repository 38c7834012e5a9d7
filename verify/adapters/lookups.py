"""The names that code looks up, and what they stand for, as far as that is known before it runs."""

from __future__ import annotations

import builtins
import dis
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from verify.model.content import codes


@dataclass(frozen=True)
class Use:
    """A name that code looks up.

    Attributes
    ----------
    name : str
    owner : module or None
        Of which it is an attribute, where that is known before the code runs.
    value : object
        What it stands for; None where that is not known before the code runs.
    of_variable : bool
        What follows is a variable, or a call; of a function it is what it is called with.
    """

    name: str
    owner: ModuleType | None
    value: Any
    of_variable: bool = False


def uses(function: FunctionType) -> Iterator[Use]:
    """Each name that the code of a function looks up, or imports."""
    for code in codes(function.__code__):
        scope, last = Scope(function), None
        steps = read_steps(code)
        for step, following in zip(steps, [*steps[1:], steps[-1]], strict=True):
            name = step.argval
            if step.opname == "IMPORT_NAME":
                last = sys.modules.get(name) or ModuleType(name)
                yield Use(name, None, last)
            elif step.opname.startswith("STORE_"):
                scope.bind(name, last)
                last = None
            elif step.opname.startswith(_LOADS):
                last = scope.get(name, local=step.opname.startswith("LOAD_FAST"))
                yield Use(name, None, last)
            elif step.opname in ATTRIBUTES:
                owner = last if isinstance(last, ModuleType) else None
                last = None if owner is None else vars(owner).get(name)
                yield Use(name, owner, last, scope.is_variable(following))
            else:
                last = None


def read_steps(code: CodeType) -> list[dis.Instruction]:
    """The instructions of `code`, each of which loads or stores one name.

    From Python 3.13 on, a single one may load or store two local variables.
    """
    steps: list[dis.Instruction] = []
    for step in dis.get_instructions(code):
        parts = _LOCAL.findall(step.opname)
        if len(parts) == 2:
            pairs = zip(parts, step.argval, strict=True)
            steps += (step._replace(opname=part, argval=name) for part, name in pairs)
        elif step.opname not in _SILENT:
            steps.append(step)
    return steps


_LOCAL: Final = re.compile("(?:LOAD|STORE)_FAST")

_LOADS: Final = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FAST")

ATTRIBUTES: Final = frozenset({"LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"})

_SILENT: Final = frozenset({"CACHE", "PUSH_NULL", "NOP", "EXTENDED_ARG"})
"""Instructions that may stand between a module and its attribute."""


class Scope:
    """What the names of a function stand for, as far as that is known before it runs."""

    def __init__(self, function: FunctionType) -> None:
        self._globals = function.__globals__
        self._cells = dict(
            zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        )
        self._imported: dict[str, ModuleType] = {}

    def bind(self, name: Any, value: Any) -> None:
        """What is stored under a name, if it is a module that the function imports."""
        if isinstance(value, ModuleType) and isinstance(name, str):
            self._imported[name] = value

    def get(self, name: Any, local: bool = False) -> Any:
        """What a name stands for; None of a parameter, or of what is computed."""
        if local or name in self._imported:
            return self._imported.get(name)
        if name in self._cells:
            try:
                return self._cells[name].cell_contents
            except ValueError:  # A cell that nobody has filled yet.
                return None
        return self._globals.get(name, vars(builtins).get(name))

    def is_variable(self, step: dis.Instruction) -> bool:
        """Whether an instruction loads what changes from call to call, or what is called."""
        if not step.opname.startswith(_LOADS):
            return False
        if step.opname.startswith("LOAD_FAST"):
            return True
        value = self.get(step.argval)
        return value is None or callable(value) or isinstance(value, ModuleType)
