"""The row: one operation with its readings side by side.

A :class:`Primitive` says how an operation is evaluated on floats (``evaluate``), how a
cotangent is pulled back through it (``vjp``), what it means in SymPy (``symbolic``), how it
acts on balls (``ball``), and where it has no classical derivative (``kinks``).  The numeric,
symbolic and rigorous engines each take their own reading and never another's: that is what
makes their agreement evidence.

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
from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, field
from types import FunctionType
from typing import Any, Final, ParamSpec

import numpy as np

from symtape.primitives.backward_error import BackwardError
from symtape.primitives.rule import Array as Array
from symtape.primitives.rule import Params as Params
from symtape.primitives.rule import Rule as Rule
from symtape.primitives.rule import parameters, refusing

P = ParamSpec("P")

PRIMITIVES: Final[dict[str, Primitive]] = {}
"""Every row of the vocabulary, by name."""

UFUNCS: Final[dict[np.ufunc, Primitive]] = {}
"""The row that a NumPy or SciPy ufunc means."""

STAND_INS: Final[dict[type, int]] = {}
"""The types that stand in for arrays; of several, the one of highest rank takes over."""

FUNCTIONS: Final[dict[Callable[..., Any], Callable[..., Any]]] = {}
"""What a NumPy function that is no ufunc means, in terms of primitives."""

STRUCTURES: Final = {
    "": "each result is rounded, and so may be each argument",
    "multilinear": "sums of products of one element of each argument: n roundings, in any order, "
    "are n perturbations of one factor of each term (Higham 2002, section 3.1)",
    "linear": "linear in each argument: one rounding a result, or n of the terms that it adds",
    "relative": "the result has a small relative error: no argument need be perturbed",
    "products": "relative, and a product of many factors that may leave all range on the way",
    "squares": "a root of a sum of squares, which overflow and underflow early",
}
"""How the roundings of a row act."""

COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")
"""The signs of comparisons."""

DECISIONS: Final = {
    **dict.fromkeys(COMPARISONS, "compares its two arguments"),
    **dict.fromkeys(("and", "or", "not"), "of truth values"),
    "always": "true of every real number",
    "never": "true of none",
    "every": "whether all elements are true",
    "some": "whether one element is true",
    "largest": "takes the largest element",
    "smallest": "takes the smallest element",
    "ascending": "puts the elements in order",
    "condition": "chooses by its first argument, a truth value",
    "index": "takes from its first argument by the others",
    "order": "depends on the order of the arguments' elements alone",
    "signs": "depends on the signs of the argument's elements alone",
    "shape": "depends on the shape of the argument alone",
}
"""What a row decides, and by what."""

DEPENDENCES: Final = {
    "": "nothing is said",
    "accumulates": "on those of its last argument at and before its place along the axis",
    "joins": "on elements of several arguments, which it hands on",
    "mixes": "on the elements of its first argument along its axes",
    "picks": "on elements of its first argument, which it takes as the others say",
    "products": "on those whose products with elements of the others it sums",
    "puts": "on elements of its first argument, which it puts, or adds, where an index says",
    "rows": "on those along the last axis of the arguments, at the same place of all others",
    "reduces": "on the elements along its axes, of which one is left",
    "solves": "on those of its second argument that the inverse of its first brings there",
    "stacks": "on the matrices at the same place of stacks of them",
}
"""On which elements of the arguments each one of a result depends, whatever their values are.

Of what acts element by element, and of what only hands elements of one argument on, it is known
without; where nothing is said, on all of them.
"""

PUSHES: Final = {
    "linear": "the row itself, of the tangents of all its inputs",
    "multilinear": "the row itself, of the tangent of one input beside the others, for each input",
    "reduces": "the sum along its axes of the tangent times what the VJP rule makes of ones",
    "symmetric": "the VJP rules, which are their own transposes",
    "": "the transpose of the VJP rules",
}
"""How a tangent is pushed forward where a row has no rules for it."""

TIES: Final = {
    "inputs": "of its two inputs",
    "zero": "of its input with 0",
    "elements": "of elements along an axis",
}
"""Whose tie it is that a row has a kink or a jump at."""


@dataclass(kw_only=True, slots=True, eq=False, repr=False)
class Primitive:
    """One operation and its readings.

    Parameters
    ----------
    name : str, optional
        Unique; NumPy's or SciPy's own name where there is one. By default the name of `ufunc`, or
        of `evaluate`.
    inputs : str, optional
        Names of the array inputs, blank separated; ``"*xs"`` for any number of them. By default
        the parameters of `evaluate`, `symbolic` or `ball`, as many as there are rules, but for
        those that are given by name alone.
    evaluate : callable ``(*inputs, **params) -> array``
        The float reading, on ndarrays and NumPy scalars.
    vjp : sequence of callables, a callable (variadic), None, or ``"missing"``
        One rule an input.  ``None`` in place of a rule, or of all of them: registered as not
        differentiable, the gradient is None.  ``"missing"``, likewise: asking for the gradient
        raises ``LookupError``.
    jvp : sequence of callables, a callable (variadic), or str, optional
        How a tangent ``t`` is pushed forward: one rule an input, whose results are summed; or a
        word of :data:`PUSHES`. By default what is right for rows that are elementwise, reduce along
        axes, or only move elements; of others the transpose of the VJP.
    elementwise : bool, optional
        Acts on each element alone, with NumPy's broadcasting; what has a template does.
    symbolic : callable ``(sp, *symbols) -> expression``, or str, optional
        Elementwise rows: the SymPy template; ``sp`` is the sympy module, so that declaring a
        row imports nothing. Or the name of the function in SymPy.
    elements : callable ``(*object_arrays, **params) -> object array``, optional
        Other rows: the meaning on object arrays whose elements know only ``+ - * / **``.
        Data movement and sums are NumPy's own function here. Of a row that only steps, and rounds
        its steps, the exact step of fractions.
    select : callable ``(*values, **params) -> list of int arrays``, optional
        Rows that only choose: from float values at a point, the flat index, into the inputs
        raveled and joined end to end, of the element that each output element is.
    ball : callable or str, optional
        The Arb reading, or the name of it in ``symtape.rigorous.ball``: by default the row's own
        if `symbolic` is a name. Elementwise rows: ``(ball, *arbs) -> arb``; others: ``(ball,
        *object_arrays, **params) -> object array``.  ``ball`` is ``symtape.rigorous.ball``.
        Without it ``elements`` is used.
    batch : callable ``(flags, args, params) -> array``, optional
        How to carry a leading batch axis: ``flags[i]`` says whether ``args[i]`` has one.
        Elementwise rows need none; without it, or where it is NotImplemented, the primitive is
        looped over.
    domain : callable ``(*values, **params) -> bool array``, optional
        Where the function is defined (its value is finite and real); default everywhere.
    over : str
        Where the rules are to be proved, as comparisons of inputs with numbers: ``"x > 0"``,
        ``"a < b or a > b"``; default everywhere. Inside `domain`, and free of `kinks`.
    kinks : callable ``(*values, **params) -> bool array``, optional
        Where it is defined but has no classical derivative; default nowhere.
    pieces : callable, optional
        What an element may be taken for where `kinks` holds. Elementwise rows: ``(kink, *numbers,
        **params)``, with :class:`verify.judging.kinks.elements.Element`; others: ``(kink,
        **params)``, with :class:`verify.judging.kinks.rows.Rows`. Without it, or where it returns
        None, no one-sided derivative is known.
    ties : str
        Whose tie its kinks are, if they are ties: see :data:`TIES`.
    puiseux : bool
        At its kinks it has series in fractional powers of the distance.
    operator : str
        What Python writes for it: ``"+"``.
    convention : str
        What the rules answer at a kink, in a few words: ``"0 at 0"``.
    rounding : ``(k_in, k_out)`` or callable ``(shapes, params) -> int``
        Elementwise: fl f(x) = f(x(1 ± k_in u))(1 ± k_out u). Others: the number of roundings
        n in |fl f - f| <= n u f(|x|); ``(0, 0)`` for rows that move data without rounding.
    xla : ``(k_in, k_out)``, optional
        Rounding constants of XLA, by which JAX computes, where they are larger.
    structure : str
        How the roundings act: see :data:`STRUCTURES`.
    backward : BackwardError, optional
        Factorisations: what is computed is exact for a matrix nearby.
    slopes : callable ``(perturbed, args, place) -> array``, optional
        The slopes by argument number `place` of a float computation's error, where they need no
        jets; ``perturbed`` is ``symtape.rigorous.matrix_slopes``. Elementwise rows: in the shape
        of the arguments; others, of single matrices: of shape result + argument.
    rational : bool or callable
        Elementwise rows: `evaluate`, or this function, is exact on fractions.
    normal : callable ``(proofs, reader, *numbers) -> number``, optional
        Elementwise rows without a template: what they are over a region, in the normal form of
        the prover; ``proofs`` is ``verify.oracles.proofs.elementwise``.
    decision : str
        What kind of choice or comparison it is: see :data:`DECISIONS`.
    dependence : str
        On which elements of the arguments each one of the result depends: see :data:`DEPENDENCES`.
    of_truths : str
        What it means on booleans, in :data:`DECISIONS`, where that is another function.
    power : bool
        Its second argument is the exponent of its first.
    vanishing : bool
        It is 0 where an argument is 0, whatever the others are.
    stops : bool
        Its value is held constant by every derivative.
    spelling : str
        What a person calls it, if not by its name.
    source : str
        Where the formula is from: DLMF number, book, paper.
    complex : ``"holomorphic"``, rules as in `vjp`, or None, optional
        Of complex numbers: the rules are those of `vjp`, or these; None: a gradient is refused, but
        for rows that step. The cotangent of z is the number c for which a change dz changes the
        target by the real part of c dz, so that rules of holomorphic functions conjugate nothing.
    complex_domain : callable ``(*values, **params) -> bool array``, optional
        Of complex numbers: where the function is defined; default everywhere.
    branch_cut : callable ``(*values, **params) -> bool array``, optional
        Of complex numbers: where the function jumps; default nowhere.
    outputs : int
        More than 1 for a primitive whose ``evaluate`` returns a tuple.
    ufunc : ufunc, optional
        What the row is in NumPy or SciPy; by default `evaluate`, if that has the row's name.
    example : tuple of arguments, or tuple ``(arguments, params)``; several in a list
        A regular point at which the built-in suite verifies the row.
    """

    name: str = ""
    inputs: Any = ""
    """The names, once the row is made."""

    evaluate: Callable[..., Array]
    vjp: InitVar[Sequence[Callable[..., Array] | str | None] | Callable[..., Array] | str | None]
    jvp: Any = None
    """A word of :data:`PUSHES`, or the rules, once the row is made."""
    elementwise: bool = False
    symbolic: Any = None
    elements: Callable[..., Any] | None = None
    select: Callable[..., Any] | None = None
    ball: Any = None
    batch: Callable[..., Array] | None = None
    domain: Callable[..., Any] | None = None
    over: str = ""
    kinks: Callable[..., Any] | None = None
    pieces: Callable[..., Any] | None = None
    ties: str = ""
    puiseux: bool = False
    operator: str = ""
    convention: str = ""
    rounding: tuple[float, float] | Callable[..., float] = (1, 1)
    xla: tuple[float, float] | None = None
    structure: str = ""
    backward: BackwardError | None = None
    slopes: Callable[..., Array] | None = None
    rational: bool | Callable[..., Any] = False
    normal: Callable[..., Any] | None = None
    decision: str = ""
    dependence: str = ""
    of_truths: str = ""
    power: bool = False
    vanishing: bool = False
    stops: bool = False
    spelling: str = ""
    source: str = ""
    complex: Any = None
    complex_domain: Callable[..., Any] | None = None
    branch_cut: Callable[..., Any] | None = None
    outputs: int = 1
    ufunc: np.ufunc | None = None
    example: Any = ()
    variadic: bool = field(init=False)
    missing: bool = field(init=False)
    rules: tuple[Rule | None, ...] = field(init=False)
    complex_rules: tuple[Rule | None, ...] | None = field(init=False)
    of_reals: bool = field(init=False)
    """Whether `rules` are those of real numbers alone."""
    cuts: bool = field(init=False)
    plain: bool = field(init=False)
    """Whether a tape keeps one edge for each input, by a rule of its own."""

    def __post_init__(self, vjp: Any) -> None:
        self.name = self.name or (self.ufunc or self.evaluate).__name__
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
        self.cuts = not self.missing and not any(self.rules)
        self.jvp = self._pushes()
        self.plain = not (self.variadic or self.missing or self.cuts)
        if self.ball is None and isinstance(self.symbolic, str):
            self.ball = self.name
        self.symbolic, self.ball = _by_name(self.symbolic), _by_name(self.ball)
        if isinstance(self.evaluate, np.ufunc) and self.evaluate.__name__ == self.name:
            self.ufunc = self.ufunc or self.evaluate

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
                refusing(self.name) if rule == "missing" else rule,
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

    def lacks_rules(self, is_complex: bool) -> bool:
        """Whether a gradient is to be refused, of real numbers or of complex ones."""
        return self.missing or (is_complex and self.complex_rules is None and not self.cuts)

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


def _by_name(reading: Callable[..., Any] | str | None) -> Callable[..., Any] | None:
    """A reading; of a name the function of that name, in the module that is asked."""
    if not isinstance(reading, str):
        return reading
    name = reading
    return lambda module, *args, **params: getattr(module, name)(*args, **params)


_BY_NAME: Final[Any] = getattr(_by_name("name"), "__code__", None)


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


def _registering(make: Callable[P, Primitive]) -> Callable[P, Primitive]:
    def declare(*args: P.args, **fields: P.kwargs) -> Primitive:
        row = make(*args, **fields)
        _take(row.name, f"primitive declared twice: {row.name}")
        PRIMITIVES[row.name] = row
        if row.ufunc is not None:
            UFUNCS[row.ufunc] = row
        return row

    return declare


declare = _registering(Primitive)
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
