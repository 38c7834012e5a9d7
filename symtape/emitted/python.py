"""A derivative as a function in Python, for a library of arrays."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.emitted.arrays import spelled
from symtape.emitted.constants import Constants
from symtape.emitted.derivative import Derivative, Tree
from symtape.emitted.dialect import Dialect
from symtape.emitted.expression import Binding, Written
from symtape.emitted.identities import is_identity
from symtape.emitted.numbers import nested, number, wrapped
from symtape.emitted.placing import PLACED, placements
from symtape.emitted.shapes import checks, refusing
from symtape.emitted.sizes import Scale, Size
from symtape.emitted.spelling import Argument, Spelling
from symtape.emitted.writer import WIDTH, ArraySource
from symtape.graph.graph import Graph, Node


def is_spelled(dialect: Dialect) -> Callable[[Graph, Node], bool]:
    """Whether a library has something for a node."""
    words = Spelling(dialect, lambda array: "c")

    def answer(graph: Graph, node: Node) -> bool:
        if node.name in PLACED:
            return True
        args = [Argument(Written(f"x{k}"), graph.nodes[i]) for k, i in enumerate(node.inputs)]
        return spelled(words, node, args) is not None

    return answer


class PythonSource(ArraySource):
    """The source of a derivative in Python.

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
        super().__init__(derivative, frozenset(dialect.imports))
        self.title, self._dialect = dialect.title, dialect
        self._constants = Constants(function, self.names.fresh)
        self._spelling = Spelling(dialect, self._constants.name)
        self._conditions: list[Written] = []

    def laid_out(self) -> str:
        """Imports, constants, and the function."""
        constants = [
            line
            for name, array in self._constants.named
            for line in wrapped(f"{name} = {self._array(array)}", WIDTH)
        ]
        d, given = self.derivative, len(self.derivative.arguments)
        body = [*self.lines[:given], *self._checked(), *self.lines[given:]]
        code = "\n".join([f"def {d.name}({', '.join(d.arguments)}):", *self._docstring(), *body])
        whole = "\n".join([*constants, code])
        imports = [
            line
            for name, line in self._dialect.imports.items()
            if re.search(rf"(?<![.\w]){name}\.", whole)
        ]
        above = [*imports, *[""] * bool(imports and constants), *constants]
        return "\n".join([*above, *["", ""] * bool(above), code]) + "\n"

    def check_arguments(self) -> None:
        """Arrays of what is given."""
        d, arguments = self._dialect, self.derivative.arguments
        for name, at in zip(arguments, self.graph.inputs, strict=True):
            node = self.graph.nodes[at]
            made = d.converted.format(module=d.module, name=name, dtype=d.dtype(node.dtype))
            self.line(f"{name} = {made}")

    def _checked(self) -> list[str]:
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
            found += refusing(conditions, message)
        return [f"    {line}" for line in found]

    def spelled(self, node: Node, args: Sequence[Argument]) -> Written | None:
        """As the library has it."""
        return spelled(self._spelling, node, args)

    def placed(self, node: Node, args: Sequence[Argument], name: str) -> list[str]:
        """As the library has it."""
        return placements(self._spelling, node, args, name)

    def constant(self, node: Node) -> Written:
        """A number, or the name of an array above the function."""
        value = node.constant
        if isinstance(value, Size | Scale):
            return value.formula.written
        array = np.asarray(value)
        if is_identity(array):
            return Written(self._identity(node))
        if array.shape:
            return Written(self._constants.name(array))
        if array.dtype.kind == "c":
            return Written(f"({array.item()!r})")
        module = self._dialect.module
        return number(array.item(), f"{module}.inf", f"{module}.nan")

    def decide(self, condition: Written, outcome: bool) -> None:
        """An error off the path; where nothing can be raised, nan in the end."""
        if not self._dialect.decides:
            on = condition if outcome else Written(f"~({condition.text})")
            self._conditions.append(on)
            return
        inverse = f"not {condition.within(Binding.COMPARISON)}" if outcome else condition.text
        self.line(f"if {inverse}:")
        self.line(f'    raise ValueError("{self.derivative.name} was derived on another path")')

    def finish(self) -> None:
        """The results, as arrays that nobody else has."""
        taken: set[int] = set()
        words = []
        for at in self.graph.outputs:
            words.append(self._in_single(self._result(at, at in taken)))
            taken.add(at)
        if self._conditions:
            on, module = self.names.fresh("on_path"), self._dialect.module
            self.line(f"{on} = " + " & ".join(x.within(Binding.ATOM) for x in self._conditions))
            words = [f"{module}.where({on}, {word}, {module}.nan)" for word in words]
        outputs = self.derivative.outputs
        if len(_joined(outputs, words, outermost=True)) > WIDTH:
            words = [
                word if word.isidentifier() else self._result_named(word, name)
                for word, name in zip(words, self.derivative.results, strict=True)
            ]
        self.line(f"return {_joined(outputs, words, outermost=True)}")

    def _result_named(self, word: str, wanted: str) -> str:
        name = self.names.fresh(wanted)
        self.line(f"{name} = {word}")
        return name

    def _array(self, array: Any) -> str:
        d = self._dialect
        if not array.size:
            return f"{d.module}.zeros({array.shape!r}{self._dtype(array.dtype)})"
        inside = nested(array, lambda x: _plain(x, d.module))
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
                return f"{word.within(Binding.ATOM)}.clone()"
            return f"{d.module}.array({word.text})"
        return word.text

    def _in_single(self, word: str) -> str:
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


def _plain(x: Any, module: str) -> str:
    if isinstance(x, float) and not np.isfinite(x):
        return number(x, f"{module}.inf", f"{module}.nan").text
    return repr(x)


def _joined(tree: Tree, words: list[str], outermost: bool = False) -> str:
    if not isinstance(tree, tuple):
        return words[tree]
    inside = ", ".join(_joined(branch, words) for branch in tree)
    return inside if outermost else f"({inside})"
