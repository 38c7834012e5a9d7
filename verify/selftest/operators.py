"""Wrong rules made from right ones: what is done to the value that a rule returns, or takes.

A rule is a function of a cotangent and of the names it needs. A wrong one here is a callable of
the same names, or of some more of the row's own, so that a tape keeps for it what it asks for.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import Primitive, Rule
from verify.selftest.rewriting import MutatedSource, rewritten

_TINY: Final = 1e-14
_SLIGHT: Final = 1e-12
_ABSOLUTE: Final = 1e-9


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
    """A wrong rule: `change` of what `right` returns, with the names that it takes after ``g``.

    Parameters
    ----------
    right : callable ``(g, *needs) -> cotangent``
    needs : tuple of str
        What `right` takes after the cotangent.
    change : callable ``(result, extra) -> result``, optional
        Done to what `right` returns; `extra` is the value called `extra`, None without one.
    extra : str
        One more name that the mutant takes.
    before : callable ``(g, args) -> (g, args)``, optional
        Done to what `right` is given.
    instead : str
        The need of `right` that gets the value called `extra`.
    """

    def __init__(
        self,
        right: Callable[..., Any],
        needs: tuple[str, ...],
        change: Callable[[Any, Any], Any] | None = None,
        extra: str = "",
        before: Callable[[Any, tuple[Any, ...]], tuple[Any, tuple[Any, ...]]] | None = None,
        instead: str = "",
    ) -> None:
        self.right = right
        self.instead = needs.index(instead) if instead else -1
        self.count = len(needs)
        self.at = needs.index(extra) if extra in needs else self.count
        self.change = change
        self.before = before
        names = needs if not extra or extra in needs else (*needs, extra)
        self.extra = extra
        self.__signature__ = inspect.Signature(_make_parameters(right, ("cotangent", *names)))

    def __call__(self, g: Any, /, *args: Any) -> Any:
        """What the wrong rule returns."""
        own = args[: self.count]
        if self.instead >= 0:
            own = tuple(args[self.at] if k == self.instead else x for k, x in enumerate(own))
        if self.before is not None:
            g, own = self.before(g, own)
        result = self.right(g, *own)
        if self.change is None or result is None:
            return result
        return self.change(result, args[self.at] if self.extra else None)


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
    for operator, words, change in _value_changes(shape):
        yield Fault(operator, argnum, words, Mutant(rule.function, rule.needs, change))
    yield from _add_extra_input(row, argnum, rule, tail)
    yield from _mutate_cotangent(argnum, rule)
    yield from _exchange_arguments(row, argnum, rule)
    names = tuple(name for name in rule.needs if name in row.inputs or name == "y")
    for rewriting in rewritten(rule.function, names if row.outputs == 1 else ()):
        yield Fault(
            rewriting.operator, argnum, rewriting.words, rewriting.function, source=rewriting
        )


Change = tuple[str, str, Callable[[Any, Any], Any]]


def _value_changes(shape: tuple[int, ...]) -> Iterator[Change]:
    for operator, words, change in (*PLAIN, *changes_of_entries(shape)):
        yield operator, words, functools.partial(_ignore_extra, change)
    yield "no gradient", "r → None", lambda r, _: None
    if np.prod(shape) > 1:
        yield "one element only", "r → r[0] alone", lambda r, _: r * _first_only(np.shape(r))


def _ignore_extra(change: Callable[[Any], Any], r: Any, _: Any) -> Any:
    return change(r)


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

    def tiny(r: Any, x: Any) -> Any:
        x = x[0] if row.variadic else x
        # A constant factor would be rounded away before it is recorded; a traced one is exact.
        return r + r * (_TINY * (1 + np.sum(x * x)))

    words = "r → r + 1e-14 (1 + x·x) r"
    yield Fault("factor 1 + 1e-14", argnum, words, Mutant(rule.function, rule.needs, tiny, name))
    if tail and not row.variadic:

        def cut(r: Any, x: Any) -> Any:
            return r * np.less_equal(np.abs(x), tail)

        wrong = Mutant(rule.function, rule.needs, cut, name)
        yield Fault("zero tail", argnum, f"r → 0 where |x| > {tail:.4g}", wrong, threshold=tail)


def _mutate_cotangent(argnum: int, rule: Rule) -> Iterator[Fault]:
    def ones(g: Any, args: tuple[Any, ...]) -> Any:
        return np.ones_like(g), args

    def square_cotangent(g: Any, args: tuple[Any, ...]) -> Any:
        return g * g, args

    if not rule.needs or "y" not in rule.needs or rule.only != -2:
        for words, before in (("g → 1", ones), ("g → g²", square_cotangent)):
            wrong = Mutant(rule.function, rule.needs, before=before)
            yield Fault("lost cotangent", argnum, words, wrong, scaled=True)


def _exchange_arguments(row: Primitive, argnum: int, rule: Rule) -> Iterator[Fault]:
    """Another input, or the output, in place of what the rule needs; another rule's place."""
    known = ("y", *row.inputs) if row.outputs == 1 and not row.variadic else ()
    for need in rule.needs:
        for other in known:
            if need in known and other not in rule.needs:
                wrong = Mutant(rule.function, rule.needs, extra=other, instead=need)
                yield Fault("wrong argument", argnum, f"{need} → {other}", wrong)
    for place, theirs in enumerate(row.rules):
        if row.variadic or theirs is None or theirs.missing or place == argnum:
            continue
        if _same_code(rule, theirs):
            continue
        words = f"rule by {row.inputs[argnum]} → rule by {row.inputs[place]}"
        wrong = Mutant(theirs.function, theirs.needs)
        yield Fault("rule of another input", argnum, words, wrong)
    if "argnum" in rule.needs:
        yield Fault("wrong argument", argnum, "argnum → another", _other_argnum(rule))
    yield from _mutate_parameters(argnum, rule)


def _same_code(first: Rule, second: Rule) -> bool:
    """Whether two rules are the same lines, as those of a sum are."""
    a, b = (getattr(rule.function, "__code__", None) for rule in (first, second))
    if a is None or b is None or first.needs != second.needs:
        return False
    return bool(a is b or (a.co_code == b.co_code and a.co_consts == b.co_consts))


def _other_argnum(rule: Rule) -> Mutant:
    at = rule.needs.index("argnum")

    def exchange_argnum(g: Any, args: tuple[Any, ...]) -> Any:
        return g, tuple(1 - a if k == at else a for k, a in enumerate(args))

    return Mutant(rule.function, rule.needs, before=exchange_argnum)


_FLAGS: Final = ("keepdims", "lower", "upper", "unit_diagonal")
_NUMBERS: Final = ("axis", "offset", "k", "shift", "ddof", "p", "order")


def _mutate_parameters(argnum: int, rule: Rule) -> Iterator[Fault]:
    for at, need in enumerate(rule.needs):
        if need in _FLAGS:
            yield _parameter(argnum, rule, at, "flag turned", f"{need} → not {need}", _negate_flag)
        elif need in _NUMBERS:
            yield _parameter(
                argnum, rule, at, "off by one", f"{need} → {need} + 1", _increment_number
            )


def _negate_flag(value: Any) -> Any:
    return not value


def _increment_number(value: Any) -> Any:
    if value is None:
        return 0
    return tuple(item + 1 for item in value) if isinstance(value, tuple) else value + 1


def _parameter(
    argnum: int, rule: Rule, at: int, operator: str, words: str, change: Callable[[Any], Any]
) -> Fault:
    def change_parameter(g: Any, args: tuple[Any, ...]) -> Any:
        return g, tuple(change(a) if k == at else a for k, a in enumerate(args))

    return Fault(
        operator, argnum, words, Mutant(rule.function, rule.needs, before=change_parameter)
    )
