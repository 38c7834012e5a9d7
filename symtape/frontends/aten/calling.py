"""Calling: a function of torch tensors, run on arrays or read on Tensors.

A program that does not depend on values is repeated without torch: it is read twice, at different
points. If it did the same both times, took no decision on values and let none leave, it is a graph
that can be replayed.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.frontends.aten.escapes import EscapeMode
from symtape.frontends.aten.lines import Lines
from symtape.frontends.aten.memory import Memory
from symtape.frontends.aten.mode import ReadingMode
from symtape.frontends.aten.table import WithheldResult, unreadable
from symtape.frontends.aten.values import to_array, to_torch, torch
from symtape.graph.freeze import freeze, hashable
from symtape.graph.graph import Graph, Node
from symtape.primitives.indexing import Slot
from symtape.process.causes import iterate_causes
from symtape.recording.recording import Recording
from symtape.recording.structure import flatten, pack
from symtape.recording.tensor import Tensor, constant

_MOST_OPERATIONS: Final = 20_000
"""Of a program that is remembered, so that a long search stays small."""

_MOST_KEPT: Final = 32


@dataclass
class _Program:
    """A graph, what was returned, and whether two points gave the same."""

    graph: Graph
    answer: Any
    confirmed: bool = False

    def is_same(self, other: Graph) -> bool:
        """Whether another point gave the same operations."""
        nodes = zip(self.graph.nodes, other.nodes, strict=False)
        alike = (len(self.graph), self.graph.outputs) == (len(other), other.outputs)
        return alike and all(_key(one) == _key(two) for one, two in nodes)

    def replay(self, tensors: Sequence[Tensor]) -> Any:
        """The operations once more, each recorded under the line that it came from."""
        return pack(self.answer, map(_tensor, self.graph.evaluate(*tensors)))


class RememberedPrograms:
    """The programs of one function, by the shapes and dtypes of its arguments.

    Parameters
    ----------
    read : callable
        Takes Tensors and returns Tensors, or nested sequences of them.
    """

    def __init__(self, read: Callable[..., Any]) -> None:
        self._read = read
        self._programs: dict[Any, _Program | None] = {}

    def __call__(self, *tensors: Tensor) -> Any:
        """Repeat the program; read it, if it is not yet known that it is always the same."""
        key = tuple((x.shape, x.dtype.str) for x in tensors)
        known = self._programs.get(key)
        if known is not None and known.confirmed:
            return known.replay(tensors)
        if key in self._programs and known is None:
            return self._read(*tensors)
        with Recording() as recording:
            for tensor in tensors:
                recording.add_input(tensor)
            answer = self._read(*tensors)
            graph = _graph_of(recording, answer)
        found = None if graph is None else _Program(graph, answer)
        if known is not None and graph is not None:
            found = known if known.is_same(graph) else None
            known.confirmed = not all(map(np.array_equal, known.graph.at, graph.at))
        if len(self._programs) < _MOST_KEPT or key in self._programs:
            self._programs[key] = found
        return answer


def _graph_of(recording: Recording, answer: Any) -> Graph | None:
    """What was recorded, if it is the same for all values."""
    leaves = flatten(answer)
    if (
        recording.decisions
        or recording.escapes
        or recording.customised
        or len(recording.applied) > _MOST_OPERATIONS
        or not all(isinstance(leaf, Tensor | np.ndarray | np.generic) for leaf in leaves)
    ):
        return None
    graph = freeze(recording, [*map(_tensor, leaves)])
    return None if any(map(_depends_on_values, graph.nodes)) else graph


def _tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else constant(value)


def _depends_on_values(node: Node) -> bool:
    """Whether the shape of a result says something of values."""
    template = node.params.get("template", ())
    return node.name == "argwhere" or any(
        isinstance(item, Slot) and item.boolean for item in template
    )


def _key(node: Node) -> Any:
    constant = None if node.constant is None else hashable(np.asarray(node.constant))
    return node.primitive, node.inputs, hashable(node.params), node.shape, node.part, constant


_WANTS_GRADIENTS = ("does not require grad", "requires_grad")


class Program:
    """A function of tensors, as one of arrays and Tensors.

    Parameters
    ----------
    function : callable
        As torch wants to be called.

    Attributes
    ----------
    original : callable
        The function behind ``torch.compile``, which is what is read.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.original = _unwrap_compiled(function)
        self._grad = False
        self._remembered = RememberedPrograms(self._follow_torch)

    @property
    def __wrapped__(self) -> Any:
        return self.original

    @property
    def __name__(self) -> str:
        return str(getattr(self.original, "__name__", type(self.original).__name__))

    def __call__(self, *arguments: Any) -> Any:
        """Run it on arrays; read it if any argument is a Tensor."""
        if any(isinstance(x, Tensor) for x in arguments):
            return self.read(*arguments)
        return self.run(*arguments)

    def run(self, *arrays: Any) -> Any:
        """What torch returns for NumPy arrays, as arrays of the dtypes of its answer.

        Raises
        ------
        numpy.linalg.LinAlgError
            Where torch raises its own.
        """
        return self._ran([to_torch(x) for x in arrays])

    def run_on(self, *arrays: Any) -> Any:
        """As :meth:`run`; what the function writes into its arguments, is written into `arrays`.

        Raises
        ------
        numpy.linalg.LinAlgError
            Where torch raises its own.
        """
        tensors = [to_torch(x) for x in arrays]
        answer = self._ran(tensors)
        for array, tensor in zip(arrays, tensors, strict=True):
            if tensor._version and type(array) is np.ndarray:
                array[...] = to_array(tensor)
        return answer

    def _ran(self, tensors: list[Any]) -> Any:
        threads = torch.get_num_threads()
        try:
            if threads != 1:
                # Small arrays are quicker on one, and sums always go the same way.
                torch.set_num_threads(1)
            answer, leaves = self._call_with_leaves(self.function, tensors)
        except torch.linalg.LinAlgError as error:
            raise np.linalg.LinAlgError(str(error)) from error
        finally:
            if threads != 1:
                torch.set_num_threads(threads)
        return _map_answer(_gradients_of(answer, leaves), to_array, leaves)

    def read(self, *tensors: Any) -> Any:
        """What the function does, repeated on Tensors.

        Raises
        ------
        Unreadable
            It uses an operation that has no reading; names the operation and the line.
        """
        given = [x._read() if isinstance(x, Tensor) else constant(x) for x in tensors]
        return self._remembered(*given)

    def _follow_torch(self, *given: Tensor) -> Any:
        """What is read while torch runs."""
        memory, lines = Memory(), Lines(self.original)

        def call_listening(*leaves: Any) -> Any:
            for leaf, x in zip(leaves, given, strict=True):
                memory.hold(leaf, x)
            with _keep_dispatch_state():
                try:
                    with EscapeMode(memory, lines), ReadingMode(memory, lines, given):
                        return self.original(*leaves)
                except Exception as error:  # of users' code, or of torch: raised again
                    _free_frames(error)
                    raise

        start = [to_torch(x._value) for x in given]
        try:
            answer, leaves = self._call_with_leaves(call_listening, start)
        except torch.linalg.LinAlgError as error:
            raise np.linalg.LinAlgError(str(error)) from error
        return _map_answer(
            _gradients_of(answer, leaves), lambda one: _find_value(memory, one), leaves
        )

    def _call_with_leaves(
        self, function: Callable[..., Any], leaves: list[Any]
    ) -> tuple[Any, list[Any]]:
        """Call with leaves that ask for gradients only if the function cannot do without."""
        if not self._grad:
            try:
                return function(*leaves), leaves
            except RuntimeError as error:
                if not any(words in str(error) for words in _WANTS_GRADIENTS):
                    raise
        leaves = [leaf.detach().clone() for leaf in leaves]
        for leaf in leaves:
            leaf.requires_grad_(leaf.is_floating_point())
        answer = function(*leaves)
        self._grad = True
        return answer, leaves


def _free_frames(error: BaseException) -> None:
    """Free what the frames of an error hold.

    Some hold guards of torch's, which put back what torch dispatched to when they were made, as
    soon as nobody holds the error any more. That would be some time later, and for good.
    """
    for one in iterate_causes(error):
        traceback.clear_frames(one.__traceback__)


def _keep_dispatch_state() -> Any:
    """A guard that puts back what torch dispatches to."""
    state = torch._C._dispatch_tls_local_include_set(), torch._C._dispatch_tls_local_exclude_set()
    return torch._C._ForceDispatchKeyGuard(*state)


def _unwrap_compiled(function: Any) -> Any:
    for name in ("_torchdynamo_orig_callable", "_orig_mod"):
        inner = getattr(function, name, None)
        if inner is not None:
            return inner
    return function


def _gradients_of(answer: Any, leaves: list[Any]) -> Any:
    """The answer; where there is none, what the function left in ``x.grad``."""
    if answer is None and any(leaf.grad is not None for leaf in leaves):
        return tuple(leaf.grad for leaf in leaves) if len(leaves) > 1 else leaves[0].grad
    return answer


def _map_answer(answer: Any, convert: Callable[[Any], Any], leaves: list[Any]) -> Any:
    """The answer with its tensors converted; None in place of an argument's gradient is zeros."""
    if isinstance(answer, torch.Tensor):
        return convert(answer)
    if isinstance(answer, dict):
        return {key: _map_answer(value, convert, []) for key, value in answer.items()}
    if isinstance(answer, list | tuple):
        zeros = [np.zeros(tuple(leaf.shape), to_array(leaf).dtype) for leaf in leaves]
        whole = len(zeros) == len(answer)
        items = [
            zeros[place] if part is None and whole else _map_answer(part, convert, [])
            for place, part in enumerate(answer)
        ]
        return tuple(items)
    return answer


def _find_value(memory: Memory, tensor: Any) -> Any:
    found = memory.find(tensor)
    if isinstance(found, WithheldResult):
        raise unreadable("that ends it", "", f"{found.words} cannot be returned")
    return np.array(found) if type(found) is np.ndarray else found
