"""A derivative as a function in Python, for a library of arrays."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.graph.freeze import hashable
from symtape.graph.graph import Graph, Node
from symtape.programs.emitted.arrays import write_operation
from symtape.programs.emitted.derivative import Derivative, Tree
from symtape.programs.emitted.dialect import Dialect
from symtape.programs.emitted.expression import Binding, Written, number, wrap_line
from symtape.programs.emitted.layout import LONGEST, WIDTH, is_free, list_needed_nodes, uses
from symtape.programs.emitted.naming import Constants, Names
from symtape.programs.emitted.placing import PLACED, placements
from symtape.programs.emitted.readable import is_identity
from symtape.programs.emitted.sizes import Formula, checks, write_refusal
from symtape.programs.emitted.spelling import Argument, Spelling, refusal


def is_spelled(dialect: Dialect) -> Callable[[Graph, Node], bool]:
    """Whether a library has something for a node."""
    words = Spelling(dialect, lambda array: "c")

    def answer(graph: Graph, node: Node) -> bool:
        if node.name in PLACED:
            return True
        args = [Argument(Written(f"x{k}"), graph.nodes[i]) for k, i in enumerate(node.inputs)]
        return write_operation(words, node, args) is not None

    return answer


_SHORT: Final = 12
"""Letters of what is written where it is used however long the line is."""


class PythonSource:
    """The source of a derivative in Python.

    A value that is used once stands where it is used, unless the line grows too long; one that is
    used more often, or that the user has a name for, is a statement.

    Parameters
    ----------
    derivative : Derivative
    dialect : Dialect
    function : callable
        Of the user, for the names of its constants.
    """

    def __init__(
        self, derivative: Derivative, dialect: Dialect, function: Callable[..., Any]
    ) -> None:
        self.derivative, self.graph = derivative, derivative.graph
        self.names = Names(derivative.arguments, frozenset({*dialect.imports, derivative.name}))
        self.lines: list[str] = []
        self.words: dict[int, Written] = {}
        self._named: dict[int, str] = {}
        self._whole: dict[Any, str] = {}
        self._nodes = list_needed_nodes(self.graph)
        self._uses = uses(self.graph, self._nodes)
        self._dialect = dialect
        self._constants = Constants(function, self.names.fresh)
        self._spelling = Spelling(dialect, self._constants.name)
        self._conditions: list[Written] = []

    def text(self) -> str:
        """All of it."""
        for argument, at in zip(self.derivative.arguments, self.graph.inputs, strict=True):
            self.words[at], self._named[at] = Written(argument), argument
        self._check_arguments()
        decisions: dict[int, list[bool]] = {}
        for step in self.graph.path:
            decisions.setdefault(step.node, []).append(step.outcome)
        for at in self._nodes:
            if at not in self.words:
                self._compute(at)
            for outcome in decisions.get(at, ()):
                self._decide(self.words[at], outcome)
        self._finish()
        return self._laid_out()

    def _line(self, text: str) -> None:
        self.lines.append(f"    {text}")

    def _compute(self, at: int) -> None:
        node = self.graph.nodes[at]
        if node.primitive is None:
            self.words[at] = self._constant(node)
            return
        if node.name in PLACED:
            self._place(at, node)
            return
        written = self._part(node) if node.part is not None else self._expression(node)
        self.words[at] = self._let(at, written) if self._is_statement(at) else written

    def _expression(self, node: Node) -> Written:
        while True:
            args = [Argument(self.words[i], self.graph.nodes[i]) for i in node.inputs]
            written = write_operation(self._spelling, node, args)
            if written is None:
                raise refusal(node, self._dialect.title)
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
            self._line(f"{self._whole[key]} = {self._expression(node).text}")
        return Written(f"{self._whole[key]}[{node.part}]")

    def _is_statement(self, at: int) -> bool:
        if at in self.derivative.names:
            return True
        return self._uses[at] > 1 and not is_free(self.graph, at, self._named)

    def _let(self, at: int, written: Written) -> Written:
        name = self.names.fresh(self.derivative.names.get(at, ""))
        self._named[at] = name
        self._line(f"{name} = {written.text}")
        return Written(name)

    def _place(self, at: int, node: Node) -> None:
        args = [Argument(self.words[i], self.graph.nodes[i]) for i in node.inputs]
        results = dict(zip(self.graph.outputs, self.derivative.results, strict=True))
        wanted = results.get(at, "")
        name = self.names.fresh(self.derivative.names.get(at, wanted))
        for line in placements(self._spelling, node, args, name):
            self._line(line)
        self.words[at], self._named[at] = Written(name), name

    def _laid_out(self) -> str:
        """Imports, constants, and the function."""
        constants = [
            line
            for name, array in self._constants.named
            for line in wrap_line(f"{name} = {self._array(array)}", WIDTH)
        ]
        d, given = self.derivative, len(self.derivative.arguments)
        body = [*self.lines[:given], *self._check_lengths(), *self.lines[given:]]
        code = "\n".join([f"def {d.name}({', '.join(d.arguments)}):", *self._docstring(), *body])
        whole = "\n".join([*constants, code])
        imports = [
            line
            for name, line in self._dialect.imports.items()
            if re.search(rf"(?<![.\w]){name}\.", whole)
        ]
        above = [*imports, *[""] * bool(imports and constants), *constants]
        return "\n".join([*above, *["", ""] * bool(above), code]) + "\n"

    def _check_arguments(self) -> None:
        """Arrays of what is given."""
        d, arguments = self._dialect, self.derivative.arguments
        for name, at in zip(arguments, self.graph.inputs, strict=True):
            node = self.graph.nodes[at]
            made = d.converted.format(module=d.module, name=name, dtype=d.dtype(node.dtype))
            self._line(f"{name} = {made}")

    def _check_lengths(self) -> list[str]:
        """Statements that read lengths, and refuse other shapes."""
        arguments, found = self.derivative.arguments, []
        shapes = [self.graph.nodes[at].shape for at in self.graph.inputs]
        if self.derivative.fixed:
            found = textwrap.wrap(f"The shapes are fixed: {self.derivative.fixed}.", WIDTH - 6)
        body = set(re.findall(r"\w+", "\n".join(self.lines)))
        least = self.derivative.least
        read = body & set(self.derivative.sizes) | set(least)
        lengths, conditions = checks(arguments, shapes, read)
        conditions += [f"{size} < {n}" for size, n in least.items()]
        found = [*(f"# {line}" for line in found), *lengths]
        if conditions:
            said = [f"{name} of shape {n}" for name, n in zip(arguments, shapes, strict=True)]
            with_ = ", ".join(f"{size} >= {n}" for size, n in least.items())
            message = f"expected {', '.join(said)}" + f" with {with_}" * bool(with_)
            found += write_refusal(conditions, message)
        return [f"    {line}" for line in found]

    def _constant(self, node: Node) -> Written:
        """A number, or the name of an array above the function."""
        value = node.constant
        if isinstance(value, Formula):
            return value.written
        array = np.asarray(value)
        if is_identity(array):
            return Written(self._identity(node))
        if array.shape:
            return Written(self._constants.name(array))
        if array.dtype.kind == "c":
            return Written(f"({array.item()!r})")
        module = self._dialect.module
        return number(array.item(), f"{module}.inf", f"{module}.nan")

    def _decide(self, condition: Written, outcome: bool) -> None:
        """An error off the path; where nothing can be raised, nan in the end."""
        if not self._dialect.decides:
            on = condition if outcome else Written(f"~({condition.text})")
            self._conditions.append(on)
            return
        inverse = f"not {condition.parenthesise(Binding.COMPARISON)}" if outcome else condition.text
        self._line(f"if {inverse}:")
        self._line(f'    raise ValueError("{self.derivative.name} was derived on another path")')

    def _finish(self) -> None:
        """The results, as arrays that nobody else has."""
        taken: set[int] = set()
        words = []
        for at in self.graph.outputs:
            words.append(self._convert_to_single(self._result(at, at in taken)))
            taken.add(at)
        if self._conditions:
            on, module = self.names.fresh("on_path"), self._dialect.module
            self._line(
                f"{on} = " + " & ".join(x.parenthesise(Binding.ATOM) for x in self._conditions)
            )
            words = [f"{module}.where({on}, {word}, {module}.nan)" for word in words]
        outputs = self.derivative.outputs
        if len(_join_results(outputs, words, outermost=True)) > WIDTH:
            words = [
                word if word.isidentifier() else self._result_named(word, name)
                for word, name in zip(words, self.derivative.results, strict=True)
            ]
        self._line(f"return {_join_results(outputs, words, outermost=True)}")

    def _result_named(self, word: str, wanted: str) -> str:
        name = self.names.fresh(wanted)
        self._line(f"{name} = {word}")
        return name

    def _array(self, array: Any) -> str:
        d = self._dialect
        if not array.size:
            return f"{d.module}.zeros({array.shape!r}{self._dtype(array.dtype)})"
        inside = re.sub(r"\b(inf|nan)\b", rf"{d.module}.\1", repr(array.tolist()))
        make = "tensor" if d.of_tensors else "array"
        return f"{d.module}.{make}({inside}{self._dtype(array.dtype)})"

    def _identity(self, node: Node) -> str:
        return f"{self._dialect.module}.eye({node.shape[0]!r}{self._dtype(node.dtype)})"

    def _dtype(self, dtype: np.dtype[Any]) -> str:
        plain = dtype == np.float64 and not self._dialect.of_tensors
        return "" if plain else f", dtype={self._dialect.dtype(dtype)}"

    def _docstring(self) -> list[str]:
        text = summary(self.derivative)
        if not self.graph.path:
            return [f'    """{text}"""']
        elsewhere = "ValueError elsewhere" if self._dialect.decides else "nan elsewhere"
        more = (
            f"It holds on the path that {self.derivative.function} took at the point; {elsewhere}."
        )
        wrapped_ = textwrap.wrap(more, WIDTH, initial_indent="    ", subsequent_indent="    ")
        return [f'    """{text}', "", *wrapped_, '    """']

    def _result(self, at: int, again: bool) -> str:
        """An output, an array that nobody else has."""
        node, word, d = self.graph.nodes[at], self.words[at], self._dialect
        if node.constant is not None and not node.shape and d.of_tensors:
            return f"torch.tensor({word.text}, dtype={d.dtype(node.dtype)})"
        shared = d.decides and (node.shape or node.primitive is None) and node.constant is None
        if (shared and (again or self._is_others(at))) or (
            node.constant is not None and node.shape
        ):
            if d.of_tensors:
                return f"{word.parenthesise(Binding.ATOM)}.clone()"
            return f"{d.module}.array({word.text})"
        return word.text

    def _convert_to_single(self, word: str) -> str:
        """A result as wide as the arguments, where all of these are in single precision."""
        if any(self.graph.nodes[k].dtype != np.float32 for k in self.graph.inputs):
            return word
        if self._dialect.of_tensors:
            return f"({word}).to(torch.float32)"
        return f"{self._dialect.module}.asarray({word}, dtype={self._dialect.module}.float32)"

    def _is_others(self, at: int) -> bool:
        """Whether it may lie in the memory of an argument or of a constant."""
        node = self.graph.nodes[at]
        if node.primitive is None:
            return True
        if node.name == "broadcast_to":
            return bool(self.graph.nodes[node.inputs[0]].shape) or self._dialect.of_tensors
        return node.name in _VIEWS and self._is_others(node.inputs[0])


_VIEWS: Final = (
    "diagonal",
    "flip",
    "getitem",
    "positive",
    "real",
    "reshape",
    "stop_gradient",
    "transpose",
)


def summary(derivative: Derivative) -> str:
    """What a function computes, in a sentence."""
    d = derivative
    by = "" if d.by == d.arguments else f" by {' and '.join(d.by)}"
    place = f" ({d.place})" if d.place else ""
    return f"{d.quantity.words} of {d.function}{place}{by}."


def _join_results(tree: Tree, words: list[str], outermost: bool = False) -> str:
    if not isinstance(tree, tuple):
        return words[tree]
    inside = ", ".join(_join_results(branch, words) for branch in tree)
    return inside if outermost else f"({inside})"
