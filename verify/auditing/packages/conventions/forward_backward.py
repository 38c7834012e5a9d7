"""Layers and losses: ``forward(x)`` remembers what ``backward(g)`` multiplies by the derivative."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, Final

import numpy as np

from verify.adapters.own_rules import weights
from verify.auditing.packages.behaviour.candidates import Candidate, candidate_of
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.differences import two_differences
from verify.auditing.packages.held import function_of_x
from verify.auditing.packages.hints import Hint
from verify.auditing.packages.members import classes_of
from verify.auditing.packages.names import is_data
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import Claim, pose
from verify.auditing.packages.silence import silence
from verify.model.case import Case

_FORWARD: Final = ("forward", "forward_pass", "__call__", "call")
_BACKWARD: Final = ("backward", "backward_pass")
_OUTPUTS: Final = ("output", "outputs", "out")
_INPUTS: Final = ("dinputs", "dinput", "derivatives", "grad_input", "dx")
"""Where layers that return nothing have their answer."""

_FRAMEWORKS: Final = frozenset(("torch", "tensorflow", "keras", "jax", "flax", "paddle", "mxnet"))
_SHAPES: Final[tuple[tuple[int, ...], ...]] = (
    (4, 3),
    (2, 4, 3),
    (2, 3, 4, 4),
    (2, 4, 4, 3),
    (3,),
    (),
)
"""Rows of a batch first: the mean over them is no mean over columns."""

_CLOSE: Final = 1e-4


class ForwardBackward:
    """``backward`` takes the gradient by what ``forward`` returned, and gives it by the input."""

    name = "forward-backward"
    summary = (
        "classes with forward(x), which remembers what it was given, and backward(g): the gradient "
        "by x, of layers, activations and losses; also forward_pass and backward_pass"
    )

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Classes with such methods, less those that a framework differentiates."""
        for kind in classes_of(module):
            forward, backward = (
                next((name for name in names if _takes(kind, name) is not None), "")
                for names in (_FORWARD, _BACKWARD)
            )
            if not forward or inspect.isabstract(kind) or _is_of_framework(kind):
                continue
            given, upstream = _takes(kind, forward), _takes(kind, backward)
            if not given or upstream is None or len(upstream) > 1 or upstream == given[:1]:
                continue  # What takes the same twice is a derivative at its argument.
            yield Pair(
                id=f"{module.__name__}:{kind.__qualname__}.{backward}",
                convention=self.name,
                module=module.__name__,
                function=f"{kind.__qualname__}.{forward}",
                claim=f"{kind.__qualname__}.{backward}",
                settings={"upstream": len(upstream)},
                sure=False,
            )

    def pose(self, pair: Pair) -> Case:
        """Of a weighted sum of what an object returns.

        At a shape for which the claim looks right, if there is one: for another the object may not
        be meant, as a loss of one number a row for several.
        """
        made = candidate_of(pair.module, pair.function)
        data = [name for name in made.varied if is_data(name, made.varied)]
        inputs = [name for name in made.varied if name not in data]
        if len(inputs) != 1:
            raise NotPosed(f"by which of {', '.join(made.varied)} it is the gradient is not known")
        takes_upstream = bool(pair.settings["upstream"])
        backward = pair.claim.rpartition(".")[2]
        taken: list[tuple[bool, tuple[int, ...], _Layer]] = []
        reasons: list[NotPosed] = []
        for shape in _SHAPES:
            layer = _Layer(made, backward, inputs[0], data, takes_upstream)
            try:
                taken.append((not layer.is_right(_point(shape)), shape, layer))
            except NotPosed as error:
                reasons.append(error)
        for _, shape, layer in sorted(taken, key=lambda it: it[0]):
            total = function_of_x(layer.total, pair.module, pair.function)
            claim = function_of_x(layer.backward, pair.module, pair.claim)
            try:
                return pose(pair, Claim(total, claim, by=("x",), hints={"x": Hint(shape=shape)}))
            except NotPosed as error:
                reasons.append(error)
        raise reasons[0]


def _point(shape: tuple[int, ...]) -> np.ndarray:
    """Numbers between 0 and 1 that have nothing in common."""
    return np.asarray(np.modf(0.1 + 0.618 * np.arange(np.prod(shape)))[0].reshape(shape))


class _Layer:
    """An object whose methods are called anew, on a copy, at each point."""

    def __init__(
        self,
        made: Candidate,
        backward: str,
        given: str,
        data: Sequence[str],
        takes_upstream: bool,
    ) -> None:
        self._owner = made.owner
        self._forward = made.name.rpartition(".")[2]
        self._backward = backward
        self._given = given
        self._data = data
        self._takes_upstream = takes_upstream

    def total(self, x: Any) -> Any:
        """A weighted sum of what it returns; of a loss, that."""
        value = self._pass(x)[1]
        return np.sum(self._upstream(value) * value)

    def backward(self, x: Any) -> Any:
        """The gradient of that sum by the input, as it says."""
        return self._gradient(x, 1.0)

    def is_right(self, x: np.ndarray) -> bool:
        """Whether it is right at a point, as far as differences tell.

        Raises
        ------
        NotPosed
            What it returns is no multiple of what it is given, or the same.
        """
        try:
            with silence():
                self._owner, value = self._pass(x)  # It may draw its weights at the first call.
                one, two = (np.asarray(self._gradient(x, size)) for size in (1.0, 2.0))
                slopes, _ = two_differences(self.total, (x,), (0,))
                is_right = np.allclose(np.reshape(one, slopes.shape), slopes, _CLOSE, _CLOSE)
        except Exception as error:  # theirs, whatever it is
            raise NotPosed(f"it raised {type(error).__name__}: {error}") from error
        if self._takes_upstream and not np.allclose(2 * one, two, rtol=1e-9):
            raise NotPosed("what backward returns is no multiple of what it is given")
        if self._takes_upstream and not is_right and np.array_equal(one, self._upstream(value)):
            raise NotPosed(
                "backward passes on what it is given, and leaves the derivative to others"
            )
        return is_right

    def _gradient(self, x: Any, size: float) -> Any:
        made, value = self._pass(x)
        given = (size * self._upstream(value),) if self._takes_upstream else ()
        return _answer(made, getattr(made, self._backward)(*given), _INPUTS)

    def _pass(self, x: Any) -> tuple[Any, Any]:
        """A copy that has seen an input, and what it returned."""
        made = copy.deepcopy(self._owner)  # Its parts remember, too.
        labels = dict.fromkeys(self._data, _one_hot(np.shape(x)))
        answer = getattr(made, self._forward)(**{self._given: x}, **labels)
        return made, _answer(made, answer, _OUTPUTS)

    def _upstream(self, value: Any) -> Any:
        return weights(np.shape(value), 0)


def _one_hot(shape: tuple[int, ...]) -> np.ndarray:
    """Labels: ones and zeros, of which each row has a single one."""
    if not shape:
        return np.array(1.0)
    places = np.arange(int(np.prod(shape[:-1]))) * 2 + 1
    return np.asarray(np.eye(shape[-1])[places % shape[-1]].reshape(shape))


def _answer(made: Any, returned: Any, names: tuple[str, ...]) -> Any:
    """What a method returned; of one that returns nothing, what it has set."""
    if returned is not None:
        return returned
    return next((getattr(made, name) for name in names if hasattr(made, name)), None)


def _takes(kind: type, name: str) -> list[str] | None:
    """The arguments that a method needs; None where there is no such method."""
    method = inspect.getattr_static(kind, name, None)
    if not inspect.isfunction(method):
        return None
    parameters = [*inspect.signature(method).parameters.values()][1:]
    plain = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    return [each.name for each in plain if each.default is each.empty]


def _is_of_framework(kind: type) -> bool:
    """Whether PyTorch or its like differentiates it."""
    return any(base.__module__.partition(".")[0] in _FRAMEWORKS for base in kind.__mro__)


CONVENTION: Final = ForwardBackward()
