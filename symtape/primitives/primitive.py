"""The row: one operation with its readings side by side.

A :class:`Primitive` says how an operation is evaluated on floats (``evaluate``), how a
cotangent is pulled back through it (``vjp``), what it means in SymPy (``symbolic``), how it
acts on balls (``ball``), and where it has no classical derivative (``kinks``).  The numeric,
symbolic and rigorous engines each take their own reading and never another's: that is what
makes their agreement evidence.

A VJP rule names what it uses, and a tape keeps only that::

    Primitive(name="exp", inputs="x", evaluate=np.exp, vjp=[lambda g, y: g * y], ...)

The names a rule may use, after the cotangent ``g``: the output ``y``, an input by its name in
``inputs``, ``<name>_shape`` and ``<name>_dtype`` of any of those, and any static parameter.
A variadic primitive (``inputs="*xs"``) has a single rule, which may use ``argnum``, ``xs`` and
``shapes``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, Final, TypeAlias

import numpy as np

__all__ = [
    "FUNCTIONS",
    "PRIMITIVES",
    "STAND_INS",
    "UFUNCS",
    "Array",
    "Primitive",
    "Rule",
    "implements",
    "opaque",
    "table",
]

Array: TypeAlias = Any
"""An ndarray, a NumPy scalar, or one of the stand-ins for it (Tensor, Batched)."""

Params: TypeAlias = Mapping[str, Any]

PRIMITIVES: Final[dict[str, Primitive]] = {}
"""Every row of the vocabulary, by name."""

UFUNCS: Final[dict[np.ufunc, Primitive]] = {}
"""The row that a NumPy or SciPy ufunc means."""

STAND_INS: Final[dict[type, int]] = {}
"""The types that stand in for arrays; of several, the one of highest rank takes over."""

FUNCTIONS: Final[dict[Callable[..., Any], Callable[..., Any]]] = {}
"""What a NumPy function that is no ufunc means, in terms of primitives."""


class Rule:
    """A VJP rule for one input, with the list of what it needs to have kept.

    Parameters
    ----------
    function : callable ``(g, *needs) -> cotangent``
        Ordinary NumPy code, free of branches on values, so that a gradient can be recorded.
    inputs : tuple of str
        Names of the primitive's inputs.
    outputs : int
        How many it has; of several, ``y`` is the tuple.
    elementwise : bool
        Whether the primitive is.
    steady : tuple of str
        The inputs that it is not differentiable by.

    Attributes
    ----------
    blind : bool
        It looks at no value of a differentiable input, so that it only moves cotangents.
    selects : bool
        It hands some elements of a cotangent on and not others, as a steady input says.
    """

    __slots__ = ("_items", "blind", "elementwise", "function", "keep", "needs", "only", "selects")

    def __init__(
        self,
        function: Callable[..., Array],
        inputs: tuple[str, ...],
        outputs: int = 1,
        *,
        elementwise: bool = False,
        steady: tuple[str, ...] = (),
    ) -> None:
        self.function = function
        self.needs = _parameters(function)[1:]
        self._items = tuple([_source_of(need, inputs) for need in self.needs])
        self.keep: Callable[..., tuple[Any, ...]] = self._keep_first
        # The commonest needs have a code of their own, so that recording them costs no loop:
        # 0 nothing, 1 first input, 2 second input, 3 output; -1 a tuple, -2 a tuple with a
        # tuple of inputs or outputs in it.
        codes = {(): 0, ("y",): 3}
        codes |= {(name,): i + 1 for i, name in enumerate(inputs[:2])}
        nested = "xs" in self.needs or (outputs > 1 and "y" in self.needs)
        self.only: int = -2 if nested else codes.get(self.needs, -1)
        self.elementwise = elementwise
        values = {"y", "xs", *inputs}.difference(steady)
        self.blind: bool = not values.intersection(self.needs)
        self.selects: bool = elementwise and self.blind and not set(steady).isdisjoint(self.needs)

    @property
    def missing(self) -> bool:
        """Whether it only refuses."""
        return getattr(self.function, "__func__", None) is Primitive._missing

    # keep(argnum, inputs, output, params) collects, in order, what the function takes after the
    # cotangent.
    def _keep_first(
        self, argnum: int, inputs: Sequence[Array], output: Array, params: Params
    ) -> tuple[Any, ...]:
        # Written out and compiled when it is first used: a rule that keeps shapes and parameters
        # is recorded as often as the operation runs.
        items = "".join(f"{item}, " for item in self._items)
        names = {"shape": _shape, "dtype": _dtype}
        self.keep = eval(f"lambda argnum, inputs, output, params: ({items})", names)
        return self.keep(argnum, inputs, output, params)


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters; read off its code, which is quicker, if it is plain."""
    if isinstance(function, FunctionType):
        code = function.__code__
        return code.co_varnames[: code.co_argcount]
    return tuple(inspect.signature(function).parameters)


def _source_of(need: str, inputs: tuple[str, ...]) -> str:
    """The expression for what a rule calls `need`."""
    if need == "argnum":
        return need
    if need == "xs":
        return "tuple(inputs)"
    if need == "shapes":
        return "tuple([shape(x) for x in inputs])"
    places = {name: f"inputs[{place}]" for place, name in enumerate(inputs)} | {"y": "output"}
    if need in places:
        return places[need]
    owner, _, ending = need.rpartition("_")
    if ending == "shape" and inputs == (owner,):
        # The only input is the traced one, so it is a tensor.
        return "inputs[0]._value.shape"
    if ending in ("shape", "dtype") and owner in places:
        return f"{ending}({places[owner]})"
    return f"params[{need!r}]"


def _shape(x: Array) -> tuple[int, ...]:
    try:
        found: tuple[int, ...] = x._value.shape
    except AttributeError:
        found = x.shape if hasattr(x, "shape") else np.shape(x)
    return found


def _dtype(x: Array) -> np.dtype[Any]:
    found: np.dtype[Any] = x.dtype if hasattr(x, "dtype") else np.result_type(x)
    return found


class Primitive:
    """One operation and its readings.

    Parameters
    ----------
    name : str
        Unique; NumPy's or SciPy's own name where there is one.
    inputs : str
        Names of the array inputs, blank separated; ``"*xs"`` for any number of them.
    evaluate : callable ``(*inputs, **params) -> array``
        The float reading, on ndarrays and NumPy scalars.
    vjp : sequence of callables, a callable (variadic), None, or ``"missing"``
        One rule an input.  ``None`` in place of a rule, or of all of them: registered as not
        differentiable, the gradient is None.  ``"missing"``, likewise: asking for the gradient
        raises ``LookupError``.
    elementwise : bool
        Acts on each element alone, with NumPy's broadcasting.
    symbolic : callable ``(sp, *symbols) -> expression``, optional
        Elementwise rows: the SymPy template; ``sp`` is the sympy module, so that declaring a
        row imports nothing.
    elements : callable ``(*object_arrays, **params) -> object array``, optional
        Other rows: the meaning on object arrays whose elements know only ``+ - * / **``.
        Data movement and sums are NumPy's own function here. Of a row that only steps, and rounds
        its steps, the exact step of fractions.
    select : callable ``(*values, **params) -> list of int arrays``, optional
        Rows that only choose: from float values at a point, the flat index, into the inputs
        raveled and joined end to end, of the element that each output element is.
    ball : callable, optional
        The Arb reading. Elementwise rows: ``(ball, *arbs) -> arb``; others: ``(ball,
        *object_arrays, **params) -> object array``.  ``ball`` is ``symtape.rigorous.ball``.
        Without it ``elements`` is used.
    batch : callable ``(flags, args, params) -> array``, optional
        How to carry a leading batch axis: ``flags[i]`` says whether ``args[i]`` has one.
        Elementwise rows need none; without it the primitive is looped over.
    domain : callable ``(*values, **params) -> bool array``, optional
        Where the function is defined (its value is finite and real); default everywhere.
    over : str
        Where the rules are to be proved, as comparisons of inputs with numbers: ``"x > 0"``,
        ``"a < b or a > b"``; default everywhere. Inside `domain`, and free of `kinks`.
    kinks : callable ``(*values, **params) -> bool array``, optional
        Where it is defined but has no classical derivative; default nowhere.
    convention : str
        What the rules answer at a kink, in a few words: ``"0 at 0"``.
    rounding : ``(k_in, k_out)`` or callable ``(shapes, params) -> int``
        Elementwise: fl f(x) = f(x(1 ± k_in u))(1 ± k_out u). Others: the number of roundings
        n in |fl f - f| <= n u f(|x|); ``(0, 0)`` for rows that move data without rounding.
    source : str
        Where the formula is from: DLMF number, book, paper.
    of_reals : bool
        Of complex numbers it is another function, without readings or rules.
    outputs : int
        More than 1 for a primitive whose ``evaluate`` returns a tuple.
    example : tuple of arguments, or tuple ``(arguments, params)``; several in a list
        A regular point at which the built-in suite verifies the row.
    """

    __slots__ = (
        "ball",
        "batch",
        "convention",
        "cuts",
        "domain",
        "elements",
        "elementwise",
        "evaluate",
        "example",
        "inputs",
        "kinks",
        "missing",
        "name",
        "of_reals",
        "outputs",
        "over",
        "rounding",
        "rules",
        "select",
        "source",
        "symbolic",
        "ufunc",
        "variadic",
    )

    def __init__(
        self,
        *,
        name: str,
        inputs: str,
        evaluate: Callable[..., Array],
        vjp: Sequence[Callable[..., Array] | str | None] | Callable[..., Array] | str | None,
        elementwise: bool = False,
        symbolic: Callable[..., Any] | None = None,
        elements: Callable[..., Any] | None = None,
        select: Callable[..., Any] | None = None,
        ball: Callable[..., Any] | None = None,
        batch: Callable[..., Array] | None = None,
        domain: Callable[..., Any] | None = None,
        over: str = "",
        kinks: Callable[..., Any] | None = None,
        convention: str = "",
        rounding: tuple[float, float] | Callable[..., float] = (1, 1),
        source: str = "",
        of_reals: bool = False,
        outputs: int = 1,
        ufunc: np.ufunc | None = None,
        example: Any = (),
    ) -> None:
        self.name = name
        self.variadic = inputs.startswith("*")
        self.inputs = tuple(inputs.replace("*", "").split())
        self.evaluate = evaluate
        self.missing = vjp == "missing"
        self.of_reals = of_reals
        self.outputs = outputs
        self.elementwise = elementwise
        self.rules = self._rules(vjp)
        self.cuts = not self.missing and not any(self.rules)
        self.symbolic = symbolic
        self.elements = elements
        self.select = select
        self.ball = ball
        self.batch = batch
        self.domain = domain
        self.over = over
        self.kinks = kinks
        self.convention = convention
        self.rounding = rounding
        self.source = source
        self.ufunc = ufunc
        self.example = example

    def _rules(self, vjp: Any) -> tuple[Rule | None, ...]:
        if vjp is None or vjp == "missing":
            return (None,) * len(self.inputs)
        if callable(vjp):
            return (Rule(vjp, self.inputs, self.outputs, elementwise=self.elementwise),)
        if len(vjp) != len(self.inputs):
            raise TypeError(
                f"primitive {self.name}: {len(self.inputs)} inputs {self.inputs} "
                f"but {len(vjp)} VJP rules; give one rule, or None, for each input"
            )
        steady = tuple(name for name, rule in zip(self.inputs, vjp, strict=True) if rule is None)
        return tuple(
            None
            if rule is None
            else Rule(
                self._missing if rule == "missing" else rule,
                self.inputs,
                self.outputs,
                elementwise=self.elementwise,
                steady=steady,
            )
            for rule in vjp
        )

    def _missing(self, g: Array) -> Array:
        raise LookupError(
            f"gradient registry has no entry for: {self.name} by this argument; "
            "only the derivatives by its others are known"
        )

    def rule(self, argnum: int) -> Rule | None:
        """The VJP rule of input `argnum`; None where it is not differentiable."""
        return self.rules[0] if self.variadic else self.rules[argnum]

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
            if kind in STAND_INS and STAND_INS[kind] > highest:
                owner, highest = kind, STAND_INS[kind]
        if owner is None:
            return self.evaluate(*args, **params)
        return owner._apply_primitive(self, args, params)

    def __repr__(self) -> str:
        return f"Primitive({self.name})"


def table(*rows: Primitive) -> tuple[Primitive, ...]:
    """Register `rows`; refuses a name that is taken rather than overriding it."""
    for row in rows:
        if row.name in PRIMITIVES:
            raise ValueError(f"primitive declared twice: {row.name}")
        PRIMITIVES[row.name] = row
        if row.ufunc is not None:
            UFUNCS[row.ufunc] = row
    return rows


def implements(
    *functions: Callable[..., Any] | str,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what NumPy `functions` mean on stand-ins for arrays.

    A function that NumPy 2.0 does not have yet is given by its name.
    """

    def declare(meaning: Callable[..., Any]) -> Callable[..., Any]:
        for given in functions:
            function = getattr(np, given, None) if isinstance(given, str) else given
            if function is not None:
                FUNCTIONS[function] = meaning
        return meaning

    return declare


def opaque(name: str, evaluate: Callable[..., Array], inputs: int) -> Primitive:
    """A primitive that can be evaluated and nothing else, for a function without a row."""
    names = " ".join(f"x{i}" for i in range(inputs))
    return Primitive(name=name, inputs=names, evaluate=evaluate, vjp="missing")
