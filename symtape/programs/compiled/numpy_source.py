"""Back end: a program as straight-line NumPy source, whose large values live in planned buffers."""

from __future__ import annotations

import dataclasses
import itertools
import linecache
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.freeze import hashable
from symtape.graph.graph import Graph, Node
from symtape.programs.compiled.emitters import EMITTERS, OPERATORS, function_of
from symtape.programs.compiled.loop import Loop, loop_of
from symtape.programs.compiled.planning import Plan, plan_buffers
from symtape.recording.origin import Origin

_NUMBERS: Final = itertools.count(1)
_MOST_KEPT: Final = 4
"""Sets of buffers that wait for the next call; more are in use at once only in threads."""


class NumpySource:
    """A graph as a function of arrays, by generated source.

    Parameters
    ----------
    graph : Graph
        Optimised, with the point at which it was recorded.
    name : str
        Of the function that it computes.
    values : sequence, optional
        Of its nodes, where it was recorded, if they are known.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> program = NumpySource(symtape.record(lambda x: np.sin(x) * 2.0, 1.0), "f")
    >>> program(np.float64(0.5)) == (np.sin(0.5) * 2.0,)
    True
    """

    backend = "numpy"

    def __init__(
        self,
        graph: Graph,
        name: str,
        values: Sequence[Any] | None = None,
    ) -> None:
        if values is None:
            with np.errstate(all="ignore"):
                values = graph.values(*graph.at)
        plan = plan_buffers(graph, values)
        loops = [loop for node in graph.nodes if (loop := loop_of(node))]
        workspace = max((loop.workspace for loop in loops), default=0)
        if workspace:
            own = (workspace,), np.dtype(np.float64)
            plan = dataclasses.replace(plan, buffers=(*plan.buffers, own))
        self.plan: Plan = plan
        writer = _Writer(graph, values, self.plan)
        self.source = writer.source()
        self._origins = writer.origins
        self._file = f"<program {next(_NUMBERS)} of {name}>"
        lines = self.source.splitlines(True)
        linecache.cache[self._file] = len(self.source), None, lines, self._file
        weakref.finalize(self, linecache.cache.pop, self._file, None)
        exec(compile(self.source, self._file, "exec"), writer.names)
        self._function: Callable[..., Any] = writer.names["program"]
        self._waiting: list[tuple[Any, ...]] = []

    def __call__(self, *arrays: Any) -> tuple[Any, ...] | None:
        """The outputs; None where the arguments take another path.

        An error says which line of the user's it belongs to.
        """
        buffers = self._take_buffers()
        given = (buffers,) if buffers else ()
        try:
            found: tuple[Any, ...] | None = self._function(*arrays, *given)
        except Exception as error:  # of NumPy's: raised again, with the line
            self._explain(error)
            raise
        if buffers and len(self._waiting) < _MOST_KEPT:
            self._waiting.append(buffers)
        return found

    def _take_buffers(self) -> tuple[Any, ...]:
        """A set of buffers that nobody else has: other threads take, or make, others."""
        try:
            return self._waiting.pop()
        except IndexError:
            return tuple([np.empty(shape, dtype) for shape, dtype in self.plan.buffers])

    def _explain(self, error: Exception) -> None:
        """Add the user's line to an error that was raised here."""
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self._file:
                origin = self._origins[trace.tb_lineno - 1]
                if origin is not None:
                    error.add_note(f"raised by what {origin} computes, in a compiled program")
                return
            trace = trace.tb_next


class _Writer:
    """The source of a graph, and what it names."""

    def __init__(self, graph: Graph, values: Sequence[Any], plan: Plan) -> None:
        self._graph, self._values, self._plan = graph, values, plan
        self.names: dict[str, Any] = {"np": np}
        self.origins: list[Origin | None] = []
        self._lines: list[str] = []
        self._words: list[str] = []
        self._whole: dict[Any, str] = {}

    def source(self) -> str:
        """All of it; `names` and `origins`, one a line, are complete then."""
        graph, plan = self._graph, self._plan
        given = {at: f"x{k}" for k, at in enumerate(graph.inputs)}
        buffers = ["buffers"] if plan.buffers else []
        self._line(f"def program({', '.join([*given.values(), *buffers])}):", None)
        for k in range(len(plan.buffers)):
            self._line(f"    b{k} = buffers[{k}]", None)
        decisions: dict[int, list[bool]] = {}
        for step in graph.path:
            decisions.setdefault(step.node, []).append(step.outcome)
        for at, node in enumerate(graph.nodes):
            self._words.append(given.get(at) or self._word(at, node))
            for outcome in decisions.get(at, ()):
                refused = f"not {self._words[at]}" if outcome else self._words[at]
                self._line(f"    if {refused}: return None", node.origin)
            if at in plan.dead:
                self._line(f"    del {', '.join(self._words[i] for i in plan.dead[at])}", None)
        self._line(f"    return ({''.join(f'{word}, ' for word in self._outputs())})", None)
        return "\n".join(self._lines) + "\n"

    def _line(self, text: str, origin: Origin | None) -> None:
        self._lines.append(text)
        self.origins.append(origin)

    def _word(self, at: int, node: Node) -> str:
        """The variable in which a value is, with the line that computes it written."""
        if node.primitive is None:
            value = node.constant
            if isinstance(value, np.ndarray):
                value = np.array(value)  # which nobody else can change
                value.flags.writeable = False
            return self._name_value(f"c{at}", value)
        word = f"v{at}"
        loop = loop_of(node)
        if loop is not None:
            if node.part == 0:
                self._write_loop(at, node, loop)
            return word
        if node.part is None:
            self._line(f"    {word} = {self._expression(at, node)}", node.origin)
            return word
        key = id(node.primitive), node.inputs, hashable(node.params)
        if key not in self._whole:
            self._whole[key] = f"t{at}"
            self._line(f"    t{at} = {self._write_row_call(node)}", node.origin)
        self._line(f"    {word} = {self._whole[key]}[{node.part}]", node.origin)
        return word

    def _expression(self, at: int, node: Node) -> str:
        row = node.row
        words = [self._words[i] for i in node.inputs]
        function = function_of(row)
        if at in self._plan.into:
            assert function is not None
            buffer = f"b{self._plan.into[at]}"
            return f"{self._function(function)}({', '.join(words)}, out={buffer})"
        if row.evaluate in OPERATORS and not node.params:
            return OPERATORS[row.evaluate].format(*words)
        if row in EMITTERS:
            written = EMITTERS[row](node, [self._values[i] for i in node.inputs])
            if written is not None:
                return written.format(*words)
        if function is not None and not node.params:
            return f"{self._function(function)}({', '.join(words)})"
        return self._write_row_call(node)

    def _write_loop(self, at: int, node: Node, loop: Loop) -> None:
        """All results of a loop; by NumPy, where what it is given lies otherwise."""
        results = range(at, at + len(loop.graph.outputs))
        into = self._plan.into
        given = ", ".join(self._words[i] for i in node.inputs)
        buffers = "".join(f", b{into[k]}" if k in into else ", None" for k in results)
        written = "".join(f"v{k}, " for k in results)
        if loop.workspace:
            buffers += f", b{len(self._plan.buffers) - 1}"
            written += "_, "
        entry, other = self._name_value("loop", loop.entry), self._name_value("numpy", loop)
        call = f"{entry}({given}{buffers}) or {other}({given})"
        self._line(f"    {written}= {call}", node.origin)

    def _write_row_call(self, node: Node) -> str:
        """A call of what the row evaluates."""
        words = [self._words[i] for i in node.inputs]
        if node.params:
            words.append(f"**{self._name_value(f'p{len(self.names)}', dict(node.params))}")
        name = self._name_value(f"row_{node.row.name}", node.row.evaluate)
        return f"{name}({', '.join(words)})"

    def _function(self, function: np.ufunc) -> str:
        name = function.__name__
        if getattr(np, name, None) is function:
            return f"np.{name}"
        return self._name_value(f"ufunc_{name}", function)

    def _name_value(self, name: str, value: Any) -> str:
        """A name for a value; with a number, where another value has it."""
        name = "".join(letter if letter.isalnum() else "_" for letter in name)
        free = name
        while self.names.setdefault(free, value) is not value:
            free = f"{name}_{len(self.names)}"
        return free

    def _outputs(self) -> list[str]:
        found = []
        for at, copied in zip(self._graph.outputs, self._plan.copied, strict=True):
            word, shape = self._words[at], self._graph.nodes[at].shape
            if not shape:
                scalar = isinstance(self._values[at], np.generic)
                word = word if scalar else f"np.asarray({word})[()]"
            elif copied:
                word = f"np.array({word})"
            found.append(word)
        return found
