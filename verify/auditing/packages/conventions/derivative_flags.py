"""Functions and methods with a flag that asks for a derivative: ``f(x, grad=True)``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

import numpy as np

from verify.auditing.packages.arguments import Argument
from verify.auditing.packages.behaviour.candidates import callables_of, candidate_of
from verify.auditing.packages.behaviour.sampling import Calls, Sample, samples_of
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.differences import two_differences
from verify.auditing.packages.element import select_item
from verify.auditing.packages.held import fix_arguments, parameters_of
from verify.auditing.packages.hints import Hint
from verify.auditing.packages.likeness import likeness_of
from verify.auditing.packages.names import flags_of, is_data, is_derivative_named, says_second
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import Claim, pose
from verify.auditing.packages.reading import reading_of
from verify.auditing.packages.silence import silence
from verify.model.case import Case

Function = Callable[..., Any]

_CALLS: Final = 4_000


class DerivativeFlags:
    """What a function returns for ``grad=True`` is the derivative of what it returns without."""

    name = "derivative-flags"
    summary = (
        "f(x, grad=True), f(x, return_jac=True) and their like beside f(x): the derivative, or the "
        "value and the derivative in a tuple or dict"
    )

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Functions and methods with such a flag."""
        seen: set[tuple[str, str]] = set()
        for name, function in callables_of(module):
            for flag in flags_of(parameters_of(function)):
                owner = name.rpartition(".")[0]
                if name.endswith(".__call__") and (owner, flag) in seen:
                    continue  # It passes the flag on to a method of a name.
                seen.add((owner, flag))
                yield Pair(
                    id=f"{module.__name__}:{name}[{flag}]",
                    convention=self.name,
                    module=module.__name__,
                    function=name,
                    claim=f"{name}({flag}=True)",
                    quantity="hessian" if says_second(flag) else "gradient",
                    settings={"flag": flag},
                )

    def pose(self, pair: Pair) -> Case:
        """At the shapes for which the value is a number, if there are some."""
        made, flag = candidate_of(pair.module, pair.function), str(pair.settings["flag"])
        others = [each for each in made.arguments if each.name != flag]
        plain = replace(made, arguments=(*others, Argument(flag, "flag", required=True)))
        quantity = "hessian" if pair.quantity == "hessian" else ""
        reason = NotPosed("it could not be called with numbers alone")
        for sample in sorted(samples_of(plain, Calls(_CALLS)), key=_rank):
            function, asked = (
                fix_arguments(made.function, sample.names, {**sample.constants, flag: value})
                for value in (False, True)
            )
            shapes = zip(sample.names, map(np.shape, sample.points[0]), strict=True)
            try:
                path = _find_derivative(function, asked, sample.points[0], quantity)
                item = select_item(asked, path)
                claim = Claim(
                    function,
                    item,
                    by=_find_argument(function, item, sample),
                    quantity=quantity,
                    hints={name: Hint(shape=shape) for name, shape in shapes},
                    starts=tuple(sample.points),
                )
                case = pose(pair, claim)
                if path or _is_like(case):
                    return case
                reason = NotPosed("what it returns with the flag is nothing like its derivative")
            except NotPosed as error:
                reason = error
        raise reason


def _rank(sample: Sample) -> tuple[bool, int]:
    """What has one value comes first, and among it what is of arrays: sums are of numbers too."""
    dims = max(map(np.ndim, sample.points[0]))
    return sample.values.shape[1] > 1, -dims


def _find_derivative(
    function: Function, asked: Function, point: Sequence[Any], quantity: str
) -> tuple[int | str, ...]:
    """Where the derivative is in what the flag asks for: the path to an item, or to the whole."""
    with silence():
        value, answer = function(*point), asked(*point)
    if (
        isinstance(value, tuple)
        and isinstance(answer, tuple)
        and all(map(_is_close, answer, value))
    ):
        raise NotPosed("it returns several values; what behaves as a derivative of one is a pair")
    reason = NotPosed("with the flag it returns nothing but what it returns without it")
    for path, item in _items(answer, value):
        try:
            reading_of(value, item, point, (), quantity)
        except NotPosed as error:
            reason = error
        else:
            return path
    raise reason


def _find_argument(function: Function, claim: Function, sample: Sample) -> tuple[str, ...]:
    """The argument that a derivative of its shape is by; empty where the shapes tell."""
    point, names = sample.points[0], sample.names
    with silence():
        answer = claim(*point)
    shape = np.shape(answer) if isinstance(answer, np.ndarray | float | np.floating) else None
    fitting = [k for k, x in enumerate(point) if np.shape(x) == shape]
    if len(names) == 1 or len(fitting) < 2 or np.ndim(function(*point)):
        return ()
    right = [k for k in fitting if _is_right(function, answer, point, k)]
    predicted = [k for k in fitting if not is_data(names[k], names)]
    return (names[(right or predicted or fitting)[0]],)


def _is_like(case: Case) -> bool:
    """Whether something else than a flag says that a claim is meant for the derivative.

    What stands beside the value is sure to be.
    """
    found = likeness_of(case)
    return bool(found.right or found.everywhere or found.of_value or not found.looked_at)


def _is_right(function: Function, answer: Any, point: Sequence[Any], k: int) -> bool:
    with silence():
        slopes, apart = two_differences(function, point, (k,))
    return bool(np.all(np.abs(answer - slopes) <= 1e-4 * np.max(np.abs(slopes)) + 3 * apart))


def _items(answer: Any, value: Any) -> Iterator[tuple[tuple[int | str, ...], Any]]:
    """The items of an answer that may be a derivative, the whole first if no item is the value."""
    if isinstance(answer, dict):
        yield from (((key,), item) for key, item in answer.items() if is_derivative_named(key))
        return
    several = list(answer) if isinstance(answer, tuple | list) else []
    others = [k for k, item in enumerate(several) if not _is_close(item, value)]
    if len(others) == len(several):
        yield (), answer
    yield from (((k,), several[k]) for k in others)


def _is_close(item: Any, value: Any) -> bool:
    try:
        return np.shape(item) == np.shape(value) and bool(np.allclose(item, value))
    except (TypeError, ValueError):  # texts, ragged lists
        return False


CONVENTION: Final = DerivativeFlags()
