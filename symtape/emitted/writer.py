"""Source of a program of arrays: what every such language does in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from symtape.emitted.derivative import Derivative
from symtape.emitted.expression import Written
from symtape.emitted.layout import LONGEST, is_free, needed, uses
from symtape.emitted.naming import Names
from symtape.emitted.placing import PLACED
from symtape.emitted.spelling import Argument, refusal
from symtape.graph.freeze import hashable
from symtape.graph.graph import Node

WIDTH: Final = 88
"""Letters of a line of words and of constants."""

_SHORT: Final = 12
"""Letters of what is written where it is used however long the line is."""


class ArraySource:
    """The source of a derivative in a language of arrays.

    A value that is used once stands where it is used, unless the line grows too long; one that is
    used more often, or that the user has a name for, is a statement.

    Parameters
    ----------
    derivative : Derivative
    reserved : frozenset of str
        Names that no variable may have.

    Attributes
    ----------
    lines : list of str
        Of the function's body.
    """

    title = ""

    def __init__(self, derivative: Derivative, reserved: frozenset[str]) -> None:
        self.derivative, self.graph = derivative, derivative.graph
        self.names = Names(derivative.arguments, reserved | {derivative.name})
        self.lines: list[str] = []
        self.words: dict[int, Written] = {}
        self._named: dict[int, str] = {}
        self._whole: dict[Any, str] = {}
        self._nodes = needed(self.graph)
        self._uses = uses(self.graph, self._nodes)

    def text(self) -> str:
        """All of it."""
        for argument, at in zip(self.derivative.arguments, self.graph.inputs, strict=True):
            self.words[at], self._named[at] = Written(argument), argument
        self.check_arguments()
        decisions: dict[int, list[bool]] = {}
        for step in self.graph.path:
            decisions.setdefault(step.node, []).append(step.outcome)
        for at in self._nodes:
            if at not in self.words:
                self._compute(at)
            for outcome in decisions.get(at, ()):
                self.decide(self.words[at], outcome)
        self.finish()
        return self.laid_out()

    def check_arguments(self) -> None:
        """Statements that refuse what is given in other shapes."""
        raise NotImplementedError

    def decide(self, condition: Written, outcome: bool) -> None:
        """Statements that refuse what takes another path."""
        raise NotImplementedError

    def finish(self) -> None:
        """The statement that returns."""
        raise NotImplementedError

    def laid_out(self) -> str:
        """The lines in a function."""
        raise NotImplementedError

    def spelled(self, node: Node, args: Sequence[Argument]) -> Written | None:
        """An operation as an expression."""
        raise NotImplementedError

    def constant(self, node: Node) -> Written:
        """A constant."""
        raise NotImplementedError

    def placed(self, node: Node, args: Sequence[Argument], name: str) -> list[str]:
        """The statements of one of the rows in ``PLACED``."""
        raise NotImplementedError

    def part(self, name: str, node: Node) -> Written:
        """One of several results, which are called `name` together."""
        return Written(f"{name}[{node.part}]")

    def line(self, text: str) -> None:
        """Add a statement."""
        self.lines.append(f"    {text}")

    def _compute(self, at: int) -> None:
        node = self.graph.nodes[at]
        if node.primitive is None:
            self.words[at] = self.constant(node)
            return
        if node.name in PLACED:
            self._place(at, node)
            return
        written = self._part(node) if node.part is not None else self._expression(node)
        self.words[at] = self._let(at, written) if self._is_statement(at) else written

    def _expression(self, node: Node) -> Written:
        while True:
            args = [Argument(self.words[i], self.graph.nodes[i]) for i in node.inputs]
            written = self.spelled(node, args)
            if written is None:
                raise refusal(node, self.title)
            longest = max(node.inputs, key=lambda i: len(self.words[i].text), default=None)
            if len(written.text) <= LONGEST or longest is None or self._is_short(longest):
                return written
            self.words[longest] = self._let(longest, self.words[longest])

    def _is_short(self, at: int) -> bool:
        """Whether a name for it would be no shorter, or it is one."""
        return at in self._named or len(self.words[at].text) < _SHORT

    def _part(self, node: Node) -> Written:
        key = id(node.primitive), node.inputs, hashable(node.params)
        if key not in self._whole:
            self._whole[key] = self.names.fresh()
            self.line(f"{self._whole[key]} = {self._expression(node).text}")
        return self.part(self._whole[key], node)

    def _is_statement(self, at: int) -> bool:
        if at in self.derivative.names:
            return True
        return self._uses[at] > 1 and not is_free(self.graph, at, self._named)

    def _let(self, at: int, written: Written) -> Written:
        name = self.names.fresh(self.derivative.names.get(at, ""))
        self._named[at] = name
        self.line(f"{name} = {written.text}")
        return Written(name)

    def _place(self, at: int, node: Node) -> None:
        args = [Argument(self.words[i], self.graph.nodes[i]) for i in node.inputs]
        results = dict(zip(self.graph.outputs, self.derivative.results, strict=True))
        wanted = results.get(at, "")
        name = self.names.fresh(self.derivative.names.get(at, wanted))
        for line in self.placed(node, args, name):
            self.line(line)
        self.words[at], self._named[at] = Written(name), name
