"""Statements of a shadow's program as quotients of a ring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symtape.prover.reader import Reader
from symtape.prover.ring import Quotient
from symtape.symbolic.program import Program
from symtape.symbolic.template import Local
from symtape.symbolic.trees import Tree, is_rational, replace_leaves


def read_local(reader: Reader, reading: Local, arguments: list[Quotient]) -> Quotient:
    """What `reading` is on `arguments`."""
    if reading.template is not None:
        given = {f"a{k}": arguments[at] for k, at in enumerate(reading.positions)}
        return reader.read(reading.template.tree, given)
    if reading.constant is not None:
        return reader.read(reading.constant, {})
    return arguments[reading.positions[0]]


class Statements:
    """The quotients of a program's statements, each read once.

    Parameters
    ----------
    program : Program
    reader : Reader
    names : list of str
        Of the program's inputs.
    meaning : callable, optional
        The formula of the number that a rational stands for, which is not the one that it is.
    """

    def __init__(
        self,
        program: Program,
        reader: Reader,
        names: list[str],
        meaning: Callable[[Any], Tree] | None = None,
    ) -> None:
        self.program, self.reader = program, reader
        self._meaning = meaning
        self._known: dict[int, Quotient] = {}
        self._names = dict(zip(program.inputs, names, strict=True))

    def find_quotient(self, wanted: int) -> Quotient:
        """The quotient of a statement.

        Raises
        ------
        NotReadable
        """
        for at in self.program.list_needed([wanted]):
            if at not in self._known:
                self._known[at] = self._read(at)
        return self._known[wanted]

    def _read(self, at: int) -> Quotient:
        template = self.program.templates[at]
        if template is not None:
            given = {f"a{k}": self._known[a] for k, a in enumerate(self.program.arguments[at])}
            return self.read(template.tree, given)
        if at in self._names:
            return self.reader.symbol(self._names[at])
        return self.read(self.program.constants[at], {})

    def read(self, tree: Tree, given: Mapping[Any, Quotient]) -> Quotient:
        """A formula of a template, its placeholders standing for `given`."""
        return self.reader.read(self._substitute_constants(tree), given)

    def _substitute_constants(self, tree: Tree) -> Tree:
        """A formula with the numbers that its constants stand for."""
        meaning = self._meaning
        if meaning is None:
            return tree
        return replace_leaves(tree, lambda it: meaning(it) if is_rational(it) else it)
