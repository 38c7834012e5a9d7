"""Statements of a shadow's program as quotients of a ring."""

from __future__ import annotations

from typing import Any

from symtape.prover.reader import Reader
from symtape.prover.ring import NotReadable, Quotient
from symtape.symbolic.program import Program
from symtape.symbolic.template import Local, placeholder, rational


def read_local(reader: Reader, reading: Local, arguments: list[Quotient]) -> Quotient:
    """What `reading` is on `arguments`."""
    if reading.template is not None:
        given = {placeholder(k): arguments[at] for k, at in enumerate(reading.positions)}
        return reader.read(reading.template.expression, given)
    if reading.constant is not None:
        return reader.read(rational(reading.constant), {})
    return arguments[reading.positions[0]]


class Statements:
    """The quotients of a program's statements, each read once.

    Parameters
    ----------
    program : Program
    reader : Reader
    names : list of str
        Of the program's inputs.
    """

    def __init__(self, program: Program, reader: Reader, names: list[str]) -> None:
        self.program, self.reader = program, reader
        self._known: dict[int, Quotient] = {}
        self._names = dict(zip(program.inputs, names, strict=True))

    def of(self, wanted: int) -> Quotient:
        """The quotient of a statement.

        Raises
        ------
        NotReadable
        """
        for at in self.program.needed([wanted]):
            if at not in self._known:
                self._known[at] = self._read(at)
        return self._known[wanted]

    def _read(self, at: int) -> Quotient:
        template = self.program.templates[at]
        if template is not None:
            given: dict[Any, Quotient] = {
                placeholder(k): self._known[a] for k, a in enumerate(self.program.arguments[at])
            }
            return self.reader.read(template.expression, given)
        if at in self._names:
            return self.reader.symbol(self._names[at])
        constant = rational(self.program.constants[at])
        if not constant.is_Rational:
            raise NotReadable(f"the constant {constant}")
        return self.reader.read(constant, {})
