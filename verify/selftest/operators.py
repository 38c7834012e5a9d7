"""Wrong rules made from right ones: what is done to the value that a rule returns, or takes.

A rule is a function of a cotangent and of the names it needs. A wrong one here is a callable of
the same names, or of some more of the row's own, so that a tape keeps for it what it asks for.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import Primitive, Rule
from verify.selftest.rewriting import MutatedSource, rewritten

_TINY: Final = 1e-14
_SLIGHT: Final = 1e-12
_ABSOLUTE: Final = 1e-9

Given = dict[str, Any]
"""What a rule is given beside the cotangent, by its names."""

Lie = Callable[[Callable[[Any, Given], Any], Any, Given], Any]
"""What is returned instead: of the right rule, the cotangent, and what is given."""


def _make_parameters(right: Callable[..., Any], names: tuple[str, ...]) -> list[inspect.Parameter]:
    """Parameters of these names, with the defaults that they have in `right`."""
    known = inspect.signature(right).parameters
    found = list[inspect.Parameter]()
    for name in names:
        default = known[name].default if name in known else inspect.Parameter.empty
        if default is inspect.Parameter.empty and found and found[-1].default is not default:
            default = None
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        found.append(inspect.Parameter(name, kind, default=default))
    return found


class Mutant:
    """A wrong rule: a `lie` about what `right` returns.

    Parameters
    ----------
    right : callable ``(g, *needs) -> cotangent``
    needs : tuple of str
        What `right` takes after the cotangent.
    lie : callable ``(right, g, given) -> result``
    extra : str
        One more name that is given.
    """

    def __init__(
        self, right: Callable[..., Any], needs: tuple[str, ...], lie: Lie, extra: str = ""
    ) -> None:
        self.right, self.needs, self.lie = right, needs, lie
        self.names = needs if extra in ("", *needs) else (*needs, extra)
        self.__signature__ = inspect.Signature(_make_parameters(right, ("cotangent", *self.names)))

    def answer(self, g: Any, given: Given) -> Any:
        """What the right rule returns."""
        return self.right(g, *(given[name] for name in self.needs))

    def __call__(self, g: Any, /, *args: Any) -> Any:
        """What the wrong rule returns."""
        return self.lie(self.answer, g, dict(zip(self.names, args, strict=True)))


def change_result(change: Callable[[Any], Any]) -> Lie:
    """The lie that changes what a rule returns, unless that is None."""

    def lie(right: Callable[[Any, Given], Any], g: Any, given: Given) -> Any:
        result = right(g, given)
        return None if result is None else change(result)

    return lie


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong rule of a row.

    Attributes
    ----------
    operator : str
        The kind of fault.
    argnum : int
        Of which input the rule is.
    words : str
        What was changed.
    function : callable
        The wrong rule.
    scaled : bool
        Whether only a function of the row's value shows it, as a lost cotangent.
    source : MutatedSource or None
        Of a change in the source.
    threshold : float
        Of a zero tail: where it begins.
    """

    operator: str
    argnum: int
    words: str
    function: Callable[..., Any]
    scaled: bool = False
    source: MutatedSource | None = None
    threshold: float = 0.0


def faults_of_rule(
    row: Primitive, argnum: int, shape: tuple[int, ...], tail: float
) -> Iterator[Fault]:
    """The wrong rules that are planted for one input of `row`.

    Parameters
    ----------
    row : Primitive
    argnum : int
    shape : tuple of int
        Of that input, in the largest of the cases.
    tail : float
        Beyond which absolute value of that input a zero tail begins; 0 for none.
    """
    rule = row.rule(argnum)
    assert rule is not None
    for kind, words, change in _value_changes(shape):
        wrong = Mutant(rule.function, rule.needs, change_result(change))
        yield Fault(kind, argnum, words, wrong)
    yield from _add_extra_input(row, argnum, rule, tail)
    if not rule.needs or "y" not in rule.needs or rule.only != -2:
        for words, other in (("g → 1", np.ones_like), ("g → g²", np.square)):
            wrong = Mutant(rule.function, rule.needs, _change_cotangent(other))
            yield Fault("lost cotangent", argnum, words, wrong, scaled=True)
    for kind, words, name, value, extra in _substitutes(row, rule):
        wrong = Mutant(rule.function, rule.needs, _substitute(name, value), extra)
        yield Fault(kind, argnum, words, wrong)
    yield from _take_other_rules(row, argnum, rule)
    names = tuple(name for name in rule.needs if name in row.inputs or name == "y")
    for rewriting in rewritten(rule.function, names if row.outputs == 1 else ()):
        yield Fault(
            rewriting.operator, argnum, rewriting.words, rewriting.function, source=rewriting
        )


def _value_changes(shape: tuple[int, ...]) -> Iterator[ValueChange]:
    yield from (*PLAIN, *changes_of_entries(shape))
    yield "no gradient", "r → None", lambda r: None
    if np.prod(shape) > 1:
        yield "one element only", "r → r[0] alone", lambda r: r * _first_only(np.shape(r))


ValueChange = tuple[str, str, Callable[[Any], Any]]

PLAIN: Final[tuple[ValueChange, ...]] = (
    ("sign", "r → -r", lambda r: -r),
    ("factor 2", "r → 2 r", lambda r: 2 * r),
    ("factor 1/2", "r → r / 2", lambda r: r / 2),
    ("factor 1 + 1e-12", "r → r (1 + 1e-12)", lambda r: r * (1 + _SLIGHT)),
    ("added 1e-9", "r → r + 1e-9", lambda r: r + _ABSOLUTE),
    ("zero everywhere", "r → 0", lambda r: r * 0),
)
"""Faults of a value of any shape."""


def changes_of_entries(shape: tuple[int, ...]) -> Iterator[ValueChange]:
    """Faults of a value of this shape, among its entries and axes."""
    if np.prod(shape) > 1:
        yield "one element zeroed", "r[-1] → 0", lambda r: r * _all_but_last(np.shape(r))
        yield "sum for the elementwise", "r → sum(r)", lambda r: 0 * r + np.sum(r)
        yield "mean for the elementwise", "r → mean(r)", lambda r: 0 * r + np.mean(r)
    for axis, length in enumerate(shape):
        if length > 1:
            words = f"r → roll(r, 1, axis={axis})"
            yield "off-by-one axis", words, functools.partial(np.roll, shift=1, axis=axis)
            words = f"r → flip(r, axis={axis})"
            yield "reversed axis", words, functools.partial(np.flip, axis=axis)
    if len(shape) >= 2 and shape[-1] == shape[-2] > 1:
        yield "transposed", "r → transpose of r", lambda r: np.swapaxes(r, -1, -2)


def _all_but_last(shape: tuple[int, ...]) -> Any:
    mask = np.ones(shape)
    mask.reshape(-1)[-1] = 0
    return mask


def _first_only(shape: tuple[int, ...]) -> Any:
    mask = np.zeros(shape)
    mask.reshape(-1)[0] = 1
    return mask


def _add_extra_input(row: Primitive, argnum: int, rule: Rule, tail: float) -> Iterator[Fault]:
    """Faults that are a function of an input, which the rule may not have kept so far."""
    name = "xs" if row.variadic else row.inputs[argnum]

    def tiny(right: Callable[[Any, Given], Any], g: Any, given: Given) -> Any:
        r, x = right(g, given), given[name][0] if row.variadic else given[name]
        # A constant factor would be rounded away before it is recorded; a traced one is exact.
        return None if r is None else r + r * (_TINY * (1 + np.sum(x * x)))

    words = "r → r + 1e-14 (1 + x·x) r"
    yield Fault("factor 1 + 1e-14", argnum, words, Mutant(rule.function, rule.needs, tiny, name))
    if tail and not row.variadic:

        def cut(right: Callable[[Any, Given], Any], g: Any, given: Given) -> Any:
            r = right(g, given)
            return None if r is None else r * np.less_equal(np.abs(given[name]), tail)

        wrong = Mutant(rule.function, rule.needs, cut, name)
        yield Fault("zero tail", argnum, f"r → 0 where |x| > {tail:.4g}", wrong, threshold=tail)


def _change_cotangent(change: Callable[[Any], Any]) -> Lie:
    return lambda right, g, given: right(change(g), given)


def _substitute(name: str, value: Callable[[Given], Any]) -> Lie:
    return lambda right, g, given: right(g, {**given, name: value(given)})


_FLAGS: Final = ("keepdims", "lower", "upper", "unit_diagonal")
_NUMBERS: Final = ("axis", "offset", "k", "shift", "ddof", "p", "order")

Substitute = tuple[str, str, str, Callable[[Given], Any], str]
"""The kind of fault, what was changed, of which need, what it gets, and what that takes."""


def _substitutes(row: Primitive, rule: Rule) -> Iterator[Substitute]:
    """Another input, or the output, in place of what the rule needs; other parameters."""
    known = ("y", *row.inputs) if row.outputs == 1 and not row.variadic else ()
    for need in (need for need in rule.needs if need in known):
        for other in known:
            if other not in rule.needs:
                value = operator.itemgetter(other)
                yield "wrong argument", f"{need} → {other}", need, value, other
    changes: dict[str, tuple[str, str, Callable[[Any], Any]]]
    changes = {"argnum": ("wrong argument", "another", _exchange_number)}
    changes |= {name: ("flag turned", f"not {name}", operator.not_) for name in _FLAGS}
    changes |= {name: ("off by one", f"{name} + 1", _increment_number) for name in _NUMBERS}
    for need in (need for need in rule.needs if need in changes):
        kind, words, change = changes[need]
        yield kind, f"{need} → {words}", need, functools.partial(_change_need, change, need), ""


def _change_need(change: Callable[[Any], Any], need: str, given: Given) -> Any:
    return change(given[need])


def _exchange_number(argnum: int) -> int:
    return 1 - argnum


def _increment_number(value: Any) -> Any:
    if value is None:
        return 0
    return tuple(item + 1 for item in value) if isinstance(value, tuple) else value + 1


def _answer_rightly(right: Callable[[Any, Given], Any], g: Any, given: Given) -> Any:
    return right(g, given)


def _take_other_rules(row: Primitive, argnum: int, rule: Rule) -> Iterator[Fault]:
    for place, theirs in enumerate(() if row.variadic else row.rules):
        if theirs is None or theirs.missing or place == argnum or _same_code(rule, theirs):
            continue
        words = f"rule by {row.inputs[argnum]} → rule by {row.inputs[place]}"
        wrong = Mutant(theirs.function, theirs.needs, _answer_rightly)
        yield Fault("rule of another input", argnum, words, wrong)


def _same_code(first: Rule, second: Rule) -> bool:
    """Whether two rules are the same lines, as those of a sum are."""
    a, b = (getattr(rule.function, "__code__", None) for rule in (first, second))
    if a is None or b is None or first.needs != second.needs:
        return False
    return bool(a is b or (a.co_code == b.co_code and a.co_consts == b.co_consts))
