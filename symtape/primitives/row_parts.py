"""The parts of a row: meaning, numeric rules, exact readings, places, roundings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass
from typing import Any, Final

import numpy as np

from symtape.primitives.backward_error import BackwardError
from symtape.primitives.rule import Array

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

SMOOTH: Final = {
    "": "nothing is said",
    "over": "where its rules hold, as `over` says",
    "orders": "where its rules hold, and everywhere if its first argument is a whole number",
    "value": "where its value is not 0",
    "pivots": "where it is finite: what it chooses are pivots, on which the value does not depend",
}
"""Where a row that has kinks, or that chooses by values, has neither kink nor jump."""


@dataclass(kw_only=True, eq=False, repr=False)
class Meaning:
    """What an operation is: its name, its inputs, its value, and how people write it.

    Parameters
    ----------
    name : str, optional
        Unique; NumPy's or SciPy's own name where there is one. By default the name of `ufunc`, or
        of `evaluate` without its underscore.
    inputs : str, optional
        Names of the array inputs, blank separated; ``"*xs"`` for any number of them. By default
        the parameters of `evaluate`, `symbolic` or `ball`, as many as there are rules, but for
        those that are given by name alone.
    evaluate : callable ``(*inputs, **params) -> array``
        The float reading, on ndarrays and NumPy scalars.
    outputs : int
        More than 1 for a primitive whose ``evaluate`` returns a tuple.
    elementwise : bool, optional
        Acts on each element alone, with NumPy's broadcasting; what has a template does.
    dependence : str
        On which elements of the arguments each one of the result depends: see :data:`DEPENDENCES`.
    ufunc : ufunc, optional
        What the row is in NumPy or SciPy; by default `evaluate`, if that has the row's name.
    operator : str
        What Python writes for it: ``"+"``.
    spelling : str
        What a person calls it, if not by its name.
    source : str
        Where the formula is from: DLMF number, book, paper.
    example : tuple of arguments, or tuple ``(arguments, params)``; several in a list
        A regular point at which the built-in suite verifies the row; by default 0.75, of a function
        of each element that has a derivative.
    """

    name: str = ""
    inputs: Any = ""
    """The names, once the row is made."""
    evaluate: Callable[..., Array]
    outputs: int = 1
    elementwise: bool = False
    dependence: str = ""
    ufunc: np.ufunc | None = None
    operator: str = ""
    spelling: str = ""
    source: str = ""
    example: Any = ()


@dataclass(kw_only=True, eq=False, repr=False)
class NumericRules:
    """How derivatives by floats pass through an operation.

    Parameters
    ----------
    vjp : sequence of callables, a callable (variadic), None, or ``"missing"``
        One rule an input.  ``None`` in place of a rule, or of all of them: registered as not
        differentiable, the gradient is None.  ``"missing"``, likewise: asking for the gradient
        raises ``LookupError``.
    jvp : sequence of callables, a callable (variadic), or str, optional
        How a tangent ``t`` is pushed forward: one rule an input, whose results are summed; or a
        word of :data:`PUSHES`. By default what is right for rows that are elementwise, reduce along
        axes, or only move elements; of others the transpose of the VJP.
    complex : ``"holomorphic"``, rules as in `vjp`, or None, optional
        Of complex numbers: the rules are those of `vjp`, or these; None: a gradient is refused, but
        for rows that step. The cotangent of z is the number c for which a change dz changes the
        target by the real part of c dz, so that rules of holomorphic functions conjugate nothing.
    batch : callable ``(flags, args, params) -> array``, optional
        How to carry a leading batch axis: ``flags[i]`` says whether ``args[i]`` has one.
        Elementwise rows need none, nor those that depend along an ``axis``, or on matrices in
        stacks; of others without it, or where it is NotImplemented, the primitive is looped over.
    stops : bool
        Its value is held constant by every derivative.
    """

    vjp: InitVar[Sequence[Callable[..., Array] | str | None] | Callable[..., Array] | str | None]
    jvp: Any = None
    """A word of :data:`PUSHES`, or the rules, once the row is made."""
    complex: Any = None
    batch: Callable[..., Array] | None = None
    stops: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class ExactReadings:
    """What an operation means beyond floats: in SymPy, on fractions, on balls, to the prover.

    Parameters
    ----------
    symbolic : callable ``(sp, *symbols) -> expression``, or str, optional
        Elementwise rows: the SymPy template; ``sp`` is the sympy module, so that declaring a
        row imports nothing. Or the name of the function in SymPy.
    elements : callable ``(*object_arrays, **params) -> object array``, optional
        Other rows: the meaning on object arrays whose elements know only ``+ - * / **``.
        By default `evaluate` of rows that move data. Sums are NumPy's own function here. Of a row
        that only steps, and rounds its steps, the exact step of fractions.
    select : callable ``(*values, **params) -> list of int arrays``, optional
        Rows that only choose: from float values at a point, the flat index, into the inputs
        raveled and joined end to end, of the element that each output element is.
    ball : callable or str, optional
        The Arb reading, or the name of it in ``symtape.rigorous.ball``: by default the row's own
        if `symbolic` is a name. Elementwise rows: ``(ball, *arbs) -> arb``; others: ``(ball,
        *object_arrays, **params) -> object array``.  ``ball`` is ``symtape.rigorous.ball``.
        Without it ``elements`` is used.
    rational : bool or callable
        Elementwise rows: `evaluate`, or this function, is exact on fractions.
    normal : callable ``(proofs, reader, *numbers) -> number``, optional
        Elementwise rows without a template: what they are over a region, in the normal form of
        the prover; ``proofs`` is ``verify.oracles.proofs.elementwise``.
    power : bool
        Its second argument is the exponent of its first.
    vanishing : bool
        It is 0 where an argument is 0, whatever the others are.
    by_parts : bool
        Real results have a reading in :mod:`symtape.graph.cartesian` alone, as those of complex
        numbers have.
    """

    symbolic: Any = None
    elements: Callable[..., Any] | None = None
    select: Callable[..., Any] | None = None
    ball: Any = None
    rational: bool | Callable[..., Any] = False
    normal: Callable[..., Any] | None = None
    power: bool = False
    vanishing: bool = False
    by_parts: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class Places:
    """Where an operation is defined, has a derivative, or decides.

    Parameters
    ----------
    domain : str or callable ``(*values, **params) -> bool array``, optional
        Where the function is defined (its value is finite and real): comparisons of inputs with
        numbers, as ``"x > 0"``, or what tests it; default everywhere.
    over : str
        Where the rules are to be proved, as comparisons of inputs with numbers: ``"x > 0"``,
        ``"a < b or a > b"``. Inside `domain`, and free of `kinks`; by default a `domain` in words,
        or everywhere.
    kinks : callable ``(*values, **params) -> bool array``, optional
        Where it is defined but has no classical derivative; default nowhere.
    smooth : str
        Where it has neither kink nor jump: see :data:`SMOOTH`.
    pieces : callable, optional
        What an element may be taken for where `kinks` holds. Elementwise rows: ``(kink, *numbers,
        **params)``, with :class:`verify.judging.kinks.elements.Element`; others: ``(kink,
        **params)``, with :class:`verify.judging.kinks.elements.Rows`. Without it, or where it
        returns None, no one-sided derivative is known.
    ties : str
        Whose tie its kinks are, if they are ties: see :data:`TIES`.
    puiseux : bool
        At its kinks it has series in fractional powers of the distance.
    convention : str
        What the rules answer at a kink, in a few words: ``"0 at 0"``.
    decision : str
        What kind of choice or comparison it is: see :data:`DECISIONS`.
    of_truths : str
        What it means on booleans, in :data:`DECISIONS`, where that is another function.
    """

    domain: Any = None
    """What tests it, once the row is made."""
    over: str = ""
    kinks: Callable[..., Any] | None = None
    smooth: str = ""
    pieces: Callable[..., Any] | None = None
    ties: str = ""
    puiseux: bool = False
    convention: str = ""
    decision: str = ""
    of_truths: str = ""


@dataclass(kw_only=True, eq=False, repr=False)
class Roundings:
    """How an operation rounds.

    Parameters
    ----------
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
    """

    rounding: tuple[float, float] | Callable[..., float] = (1, 1)
    xla: tuple[float, float] | None = None
    structure: str = ""
    backward: BackwardError | None = None
    slopes: Callable[..., Array] | None = None
