"""The row: one operation with its readings side by side.

A :class:`Primitive` says how an operation is evaluated on floats (``evaluate``), how a
cotangent is pulled back through it (``vjp``), what it means in SymPy (``symbolic``), how it
acts on balls (``ball``), and where it has no classical derivative (``kinks``).  The numeric,
symbolic and rigorous engines each take their own reading and never another's: that is what
makes their agreement evidence. The fields lie in five parts, in ``row_parts``.

A VJP rule names what it uses, and a tape keeps only that::

    EXP = declare(evaluate=np.exp, vjp=[lambda g, y: g * y], ...)

The names a rule may use, after the cotangent ``g``: the output ``y``, an input by its name in
``inputs``, ``<name>_shape`` and ``<name>_dtype`` of any of those, and any static parameter, with a
default where calls may leave it out.
A variadic primitive (``inputs="*xs"``) has a single rule, which may use ``argnum``, ``xs`` and
``shapes``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Final, ParamSpec

import numpy as np

from symtape.errors import NotOnTape
from symtape.primitives.domain import Domain
from symtape.primitives.row_parts import (
    COMPARISONS,
    PUSHES,
    ExactReadings,
    Meaning,
    NumericRules,
    Places,
    Roundings,
)
from symtape.primitives.rule import Array as Array
from symtape.primitives.rule import Params as Params
from symtape.primitives.rule import Rule as Rule
from symtape.primitives.rule import make_refusing_rule, parameters

P = ParamSpec("P")

PRIMITIVES: Final[dict[str, Primitive]] = {}
"""Every row of the vocabulary, by name."""

UFUNCS: Final[dict[np.ufunc, Primitive]] = {}
"""The row that a NumPy or SciPy ufunc means."""

STAND_INS: Final[dict[type, int]] = {}
"""The types that stand in for arrays; of several, the one of highest rank takes over."""

FUNCTIONS: Final[dict[Callable[..., Any], Callable[..., Any]]] = {}
"""What a NumPy function that is no ufunc means, in terms of primitives."""


@dataclass(kw_only=True, eq=False, repr=False)
class Primitive(Meaning, NumericRules, ExactReadings, Places, Roundings):
    """One operation and its readings.

    The parameters are those of its parts: :class:`~symtape.primitives.row_parts.Meaning`,
    :class:`~symtape.primitives.row_parts.NumericRules`,
    :class:`~symtape.primitives.row_parts.ExactReadings`,
    :class:`~symtape.primitives.row_parts.Places` and
    :class:`~symtape.primitives.row_parts.Roundings`. ``help(symtape.primitives.row_parts)`` shows
    them all.

    Raises
    ------
    TypeError
        If the inputs are named nowhere, or there are more or fewer rules than inputs.
    ValueError
        If `jvp` is a word that is not in ``PUSHES``.

    Examples
    --------
    >>> row = Primitive(name="gaussian", evaluate=lambda x: np.exp(-x * x), vjp=[
    ...     lambda g, x, y: -2 * x * y * g
    ... ])
    >>> row, row.inputs
    (Primitive(gaussian), ('x',))
    """

    variadic: bool = field(init=False)
    missing: bool = field(init=False)
    rules: tuple[Rule | None, ...] = field(init=False)
    complex_rules: tuple[Rule | None, ...] | None = field(init=False)
    of_reals: bool = field(init=False)
    """Whether `rules` are those of real numbers alone."""
    cuts: bool = field(init=False)
    plain: bool = field(init=False)
    """Whether a tape keeps one edge for each input, by a rule of its own."""
    keeps: bool = field(init=False)
    """Whether a rule needs anything of what it is applied to."""

    def __post_init__(self, vjp: Any) -> None:
        self.name = self.name or (self.ufunc or self.evaluate).__name__.lstrip("_")
        inputs = self.inputs or _inputs(self.name, vjp, self.evaluate, self.symbolic, self.ball)
        self.variadic = inputs.startswith("*")
        self.inputs = tuple(inputs.replace("*", "").split())
        self.elementwise = self.elementwise or self.symbolic is not None
        self.missing = vjp == "missing"
        self.rules = self._rules(vjp)
        holomorphic = self.complex == "holomorphic"
        self.complex_rules = (
            self.rules if holomorphic else self.complex and self._rules(self.complex)
        )
        self.of_reals = not holomorphic
        if isinstance(self.domain, str):
            self.over = self.over or self.domain
            self.domain = Domain(self.domain, self.inputs)
        self.cuts = not self.missing and not any(self.rules)
        if not self.example and self.elementwise and len(self.inputs) == 1 and not self.cuts:
            self.example = (0.75,)
        self.jvp = self._pushes()
        if self.elements is None and self._hands_on():
            self.elements = self.evaluate
        self.plain = not (self.variadic or self.missing or self.cuts)
        used = (*self.rules, *(self.complex_rules or ()))
        needy = any(rule and rule.only for rule in used)
        self.keeps = self.variadic or self.missing or needy
        if self.ball is None and isinstance(self.symbolic, str):
            self.ball = self.name
        self.symbolic, self.ball = _find_reading(self.symbolic), _find_reading(self.ball)
        if isinstance(self.evaluate, np.ufunc) and self.evaluate.__name__ == self.name:
            self.ufunc = self.ufunc or self.evaluate

    def _hands_on(self) -> bool:
        """Whether it moves elements by `evaluate` alone, whatever they are."""
        whole = not self.elementwise and self.select is None
        return whole and self.rounding == (0, 0) and not self.missing and not self.cuts

    def _pushes(self) -> Any:
        if self.jvp is None:
            if self.elementwise:
                return "symmetric"
            if self.dependence == "reduces" and not self.missing:
                return "reduces"
            return "linear" if self.moves else ""
        if isinstance(self.jvp, str) and self.jvp not in PUSHES:
            raise ValueError(
                f"primitive {self.name}: jvp={self.jvp!r}; expected one of {[*PUSHES]}"
            )
        return self.jvp if isinstance(self.jvp, str) else self._rules(self.jvp)

    def _rules(self, vjp: Any) -> tuple[Rule | None, ...]:
        if vjp is None or vjp == "missing":
            return (None,) * len(self.inputs)
        if callable(vjp):
            return (Rule(vjp, self.inputs, self.outputs, elementwise=self.elementwise),)
        if len(vjp) != len(self.inputs):
            raise TypeError(
                f"primitive {self.name}: {len(self.inputs)} inputs {self.inputs} "
                f"but {len(vjp)} rules; give one rule, or None, for each input"
            )
        steady = tuple(name for name, rule in zip(self.inputs, vjp, strict=True) if rule is None)
        return tuple(
            None
            if rule is None
            else Rule(
                make_refusing_rule(self.name) if rule == "missing" else rule,
                self.inputs,
                self.outputs,
                elementwise=self.elementwise,
                steady=steady,
            )
            for rule in vjp
        )

    @property
    def compares(self) -> bool:
        """Whether it compares two numbers."""
        return self.decision in COMPARISONS

    @property
    def moves(self) -> bool:
        """Whether it hands elements of its only input on, whatever they are."""
        (rule, *others) = self.rules or (None,)
        return (
            not (self.elementwise or self.variadic or others)
            and self.rounding == (0, 0)
            and rule is not None
            and rule.blind
        )

    def rule(self, argnum: int, is_complex: bool = False) -> Rule | None:
        """The VJP rule of input `argnum`; None where it is not differentiable."""
        rules = self.complex_rules if is_complex and self.complex_rules else self.rules
        return rules[0] if self.variadic else rules[argnum]

    def __call__(self, *args: Array, **params: Any) -> Array:
        """Apply to arrays, or to stand-ins for arrays, which take over."""
        if len(args) == 1:
            kind: Any = type(args[0])
            if kind in STAND_INS:
                return kind._apply_primitive(self, args, params)
            return self.evaluate(*args, **params)
        owner: Any = None
        highest = 0
        for arg in args:
            kind = type(arg)
            rank = STAND_INS.get(kind, 0)
            if rank > highest:
                owner, highest = kind, rank
        if owner is None:
            return self.evaluate(*args, **params)
        return owner._apply_primitive(self, args, params)

    def __repr__(self) -> str:
        return f"Primitive({self.name})"


def _inputs(name: str, vjp: Any, evaluate: Any, *readings: Any) -> str:
    """The names of the inputs, as the first reading has them that is a function of its own."""
    count = len(vjp) if isinstance(vjp, list | tuple) else None
    if isinstance(evaluate, FunctionType):
        return " ".join(parameters(evaluate)[:count])
    for reading in readings:
        if isinstance(reading, FunctionType):
            return " ".join(parameters(reading)[1:][:count])
    if isinstance(evaluate, np.ufunc) and evaluate.nin == 1:
        return "x"
    raise TypeError(f"primitive {name}: its readings do not name the inputs; give inputs='...'")


def _find_reading(reading: Callable[..., Any] | str | None) -> Callable[..., Any] | None:
    """A reading; of a name the function of that name, in the module that is asked."""
    if not isinstance(reading, str):
        return reading
    name = reading
    return lambda module, *args, **params: getattr(module, name)(*args, **params)


_BY_NAME: Final[Any] = getattr(_find_reading("name"), "__code__", None)


def name_of(reading: Any) -> str | None:
    """The name that was given for a reading; None of a function, and of one around a reading."""
    if getattr(reading, "__code__", None) is not _BY_NAME:
        return None
    return str(reading.__closure__[0].cell_contents)


_DECLARERS: Final[dict[Any, dict[str, Any]]] = {}
"""The globals of the module that declared a name, or a meaning of a function."""


def _take(key: Any, taken: str) -> None:
    """Note the caller's caller as the one that declares `key`; refuse what another has declared.

    A module whose import failed is run anew by the next import, in globals of its own: there its
    own error comes again, which says what is amiss.
    """
    here = sys._getframe(2).f_globals
    before = _DECLARERS.get(key)
    if before is not None and (before is here or before["__name__"] != here["__name__"]):
        raise ValueError(taken)
    _DECLARERS[key] = here


def _register_rows(make: Callable[P, Primitive]) -> Callable[P, Primitive]:
    def declare(*args: P.args, **fields: P.kwargs) -> Primitive:
        row = make(*args, **fields)
        _take(row.name, f"primitive declared twice: {row.name}")
        PRIMITIVES[row.name] = row
        if row.ufunc is not None:
            UFUNCS[row.ufunc] = row
        return row

    return declare


declare = _register_rows(Primitive)
"""A :class:`Primitive` of the vocabulary; refuses a name that is taken."""


def implements(
    *functions: Callable[..., Any] | str,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what NumPy `functions` mean on stand-ins for arrays.

    A function that an allowed NumPy does not have is given by its name, one of SciPy's with that
    of its module: ``"scipy.special._ufuncs._nct_pdf"``.
    """

    def declare(meaning: Callable[..., Any]) -> Callable[..., Any]:
        for given in functions:
            function = _function(given) if isinstance(given, str) else given
            if function is None:
                continue
            if FUNCTIONS.get(function) is not meaning:
                _take(function, f"the meaning of {function} is declared twice")
            FUNCTIONS[function] = meaning
        return meaning

    return declare


def _function(name: str) -> Any:
    module, _, name = name.rpartition(".")
    return getattr(sys.modules.get(module or "numpy"), name, None)


def opaque(name: str, evaluate: Callable[..., Array], inputs: int) -> Primitive:
    """A primitive that can be evaluated and nothing else, for a function without a row."""
    names = " ".join(f"x{i}" for i in range(inputs))
    return Primitive(name=name, inputs=names, evaluate=evaluate, vjp="missing")


def is_stand_in(x: Any) -> bool:
    """Whether `x` stands in for an array: a tensor, or a batched cotangent."""
    return type(x) in STAND_INS


def holds_stand_in(x: Any) -> bool:
    """Whether `x` stands in for an array, or is nested sequences with such inside."""
    if isinstance(x, (list, tuple)):
        return any(holds_stand_in(item) for item in x)
    return type(x) in STAND_INS


def check_width(dtype: np.dtype[Any], whose: str = "") -> None:
    """Refuse real numbers that are longer than those of float64.

    Raises
    ------
    NotOnTape
        Says `whose` they are.
    """
    if dtype.kind == "f" and dtype.itemsize > np.dtype(np.float64).itemsize:
        raise NotOnTape(
            f"{whose}numbers of dtype {dtype} (np.longdouble) are not recorded, whose digits "
            "depend on the machine; compute with float64, and verify what it returns in balls",
            code="dtype:longdouble",
        )
