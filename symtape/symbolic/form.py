"""Form: a value or a derivative as a formula, to print, to compile, to enclose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
import sympy as sp

from symtape.recording.structure import flatten
from symtape.symbolic.closed_form import LIMIT, expand, lightly_simplified, tree_size
from symtape.symbolic.compile import compiled_function
from symtape.symbolic.conditions import conditions
from symtape.symbolic.languages import ARRAY_LANGUAGES, LANGUAGES, Part, Signature, refuse_unknown
from symtape.symbolic.latex import LATEX
from symtape.symbolic.mathml import MATHML
from symtape.symbolic.naming import fresh_prefix
from symtape.symbolic.notation import TEXT, Notation
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.writing import write

_LINES: Final = 400
_MOST_TYPESET: Final = 36


@dataclass(frozen=True, eq=False)
class Form:
    """The value of a function or one of its derivatives, as a closed form.

    Small ones are expanded to one expression an entry; large ones stay a straight-line program,
    printed with its intermediate values. It holds where :attr:`where` holds.

    Constants are exact in the program; printed, a float stands as the shortest decimal that
    reads back as it, and an expanded form computes with that decimal (``3 * 0.1`` reads 0.3).

    Attributes
    ----------
    title : str
        ``value``, ``gradient``, ``jacobian`` or ``hessian``.
    function : str
        What the function is called.
    shadow : Shadow
    tree : int array, or nested tuple of them
        The statement of each entry: one array, or one for each argument (for a Hessian of
        several arguments one for each pair).
    emit : callable, optional
        ``(language, what, wrt) -> source`` of a function of whole arrays.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> form = symtape.derive(lambda x, y: x**2 * np.sin(y), 1.0, 2.0).gradient
    >>> print(form)
    (2*x*sin(y), x**2*cos(y))
    >>> form.lambdify()(3.0, 0.0)
    (np.float64(0.0), np.float64(9.0))
    """

    title: str
    function: str
    shadow: Shadow
    tree: Any
    emit: Callable[..., str] | None = field(default=None, kw_only=True, repr=False)

    @property
    def where(self) -> list[str]:
        """Conditions under which the form holds."""
        return conditions(self.shadow)

    @cached_property
    def parts(self) -> list[Any]:
        """The int arrays of ``tree``, in order."""
        return flatten(self.tree)

    @cached_property
    def _flat(self) -> list[int]:
        return [at for part in self.parts for at in part.ravel().tolist()]

    @cached_property
    def size(self) -> int:
        """Nodes of the expanded form; never expanded to count them."""
        return tree_size(self.shadow.program, self._flat)

    @property
    def straight_line(self) -> bool:
        """Whether it is printed as a program, being too large to expand."""
        return self.size > LIMIT

    @cached_property
    def _symbols(self) -> dict[int, Any]:
        shadow = self.shadow
        symbols = [sp.Symbol(name, real=True) for names in shadow.element_names for name in names]
        return dict(zip(shadow.program.inputs, symbols, strict=True))

    @cached_property
    def expressions(self) -> list[Any]:
        """A SymPy expression for each entry, in order; input elements are named ``x[0]``.

        Raises
        ------
        ValueError
            The form is too large to be expanded.
        """
        if self.straight_line:
            raise ValueError(
                f"the {self.title} has about {self.size:.2g} nodes when expanded, more than "
                f"{LIMIT}; print it, or use .code() or .lambdify(), which keep it a program"
            )
        expanded = expand(self.shadow.program, self._flat, self._symbols.__getitem__)
        return [lightly_simplified(e) for e in expanded]

    @property
    def sympy(self) -> Any:
        """As SymPy: an expression, a Matrix, or an Array; a tuple where there are several."""
        entries = iter(self.expressions)
        return _map_tree(
            self.tree, lambda ids: _sympy_array([next(entries) for _ in range(ids.size)], ids.shape)
        )

    def lines(self, notation: Notation = TEXT) -> tuple[list[str], list[str]]:
        """The lets as written equations, and the written entries, in order."""
        if not self.straight_line:
            return [], [notation.expression(e) for e in self.expressions]
        prefix = fresh_prefix(self.shadow.names)
        symbols = self._symbols
        written = write(self.shadow.program, self._flat, notation, symbols.__getitem__, prefix)
        return [notation.equation(name, text) for name, text in written.lets], written.results

    def _document(self, notation: Notation) -> str:
        lets, results = self.lines(notation)
        entries = iter(results)
        arrays = _map_tree(
            self.tree,
            lambda ids: notation.array([next(entries) for _ in range(ids.size)], ids.shape),
        )
        return notation.document(lets, _join_tree(arrays, *notation.brackets))

    def __str__(self) -> str:
        text = self._document(TEXT)
        lines = text.split("\n")
        if len(lines) <= _LINES:
            return text
        left = len(lines) - _LINES
        kept = [*lines[: _LINES // 2], f"... {left} more lines ...", *lines[-_LINES // 2 :]]
        return "\n".join(kept)

    def __repr__(self) -> str:
        kind = "straight-line" if self.straight_line else "expanded"
        return f"<Form {self.title} of {self.function}, {len(self._flat)} entries, {kind}>"

    def latex(self) -> str:
        r"""LaTeX, without dollars.

        Examples
        --------
        >>> import numpy as np, symtape
        >>> print(symtape.derive(lambda x: np.sqrt(x), 2.0).gradient.latex())
        \frac{1}{2 \sqrt{x}}
        """
        return self._document(LATEX)

    def _is_written_whole(self, language: str, name: str | None) -> bool:
        """Whether code is of whole arrays."""
        if language not in LANGUAGES:
            return True
        in_arrays = language in ARRAY_LANGUAGES and self.is_in_arrays
        return in_arrays and self.title != "value" and name is None

    @property
    def is_in_arrays(self) -> bool:
        """Whether the form is in array notation."""
        return False

    def is_long(self) -> bool:
        """Whether it is more than a notebook should typeset."""
        return len(self._flat) > _MOST_TYPESET

    def _repr_latex_(self) -> str | None:
        if self.is_long():
            return None
        return f"$\\displaystyle {self.latex()}$"

    def mathml(self) -> str:
        """Presentation MathML: one ``<math>`` element that needs nothing else.

        Examples
        --------
        >>> import numpy as np, symtape
        >>> markup = symtape.derive(lambda x: 3 * x, 2.0).gradient.mathml()
        >>> markup.endswith("><mrow><mn>3</mn></mrow></math>")
        True
        """
        return self._document(MATHML)

    def code(self, language: str = "numpy", name: str | None = None) -> str:
        """A function in a programming language, shared values computed once.

        NumPy and C code computes on whole arrays where the form is in array notation, JAX and
        PyTorch code always; code in other languages computes entry by entry.

        Parameters
        ----------
        language : str
            ``numpy``, ``jax``, ``torch``, ``c``, ``python``, ``julia``, ``fortran``, ``rust`` or
            ``js``.
        name : str, optional
            The name of a function that computes entry by entry; by default from the derivative.

        Raises
        ------
        ValueError
            An unknown language.
        Unsupported
            The language lacks a function that occurs.

        Examples
        --------
        >>> import numpy as np, symtape
        >>> print(symtape.derive(lambda x: np.sin(x[0]) * x[1], [1.0, 2.0]).gradient.code())
        import numpy as np
        <BLANKLINE>
        <BLANKLINE>
        def gradient(x):
            \"\"\"The gradient of f.\"\"\"
            return np.array([x[1]*np.cos(x[0]), np.sin(x[0])])
        <BLANKLINE>
        """
        refuse_unknown(language)
        if self.emit is not None and self._is_written_whole(language, name):
            return self.emit(language, self.title, None)
        shadow = self.shadow
        shapes = [ids.shape for ids in shadow.inputs]
        writer = LANGUAGES[language](
            Signature(
                name or self.title, self._summary, list(zip(shadow.names, shapes, strict=True))
            )
        )
        prefix = fresh_prefix(shadow.names)
        written = write(shadow.program, self._flat, writer, self._symbols.__getitem__, prefix)
        entries = iter(written.results)
        parts = [
            Part(label, ids.shape, [next(entries) for _ in range(ids.size)])
            for label, ids in zip(self._labels, self.parts, strict=True)
        ]
        return writer.function(written.lets, parts)

    @property
    def _summary(self) -> str:
        text = f"The {self.title} of {self.function}"
        if self.where:
            more = " ..." if len(self.where) > 3 else ""
            text += f" where {' and '.join(self.where[:3])}{more}"
        return f"{text}."

    @property
    def _labels(self) -> list[str]:
        names = self.shadow.names
        if len(self.parts) == len(names):
            return names
        if len(self.parts) == len(names) ** 2:
            return [f"{a}_{b}" for a in names for b in names]
        return [self.title] * len(self.parts)

    def lambdify(self) -> Callable[..., Any]:
        """Compile to a callable of the function's own arguments.

        It computes in float64, statement by statement, however large the program is. It holds
        where :attr:`where` holds; other arguments are not checked.

        Returns
        -------
        callable
            Returns an array, or a tuple of arrays where the form has several.

        Examples
        --------
        >>> import numpy as np, symtape
        >>> gradient = symtape.derive(lambda x: np.sum(x**3), [1.0, 2.0]).gradient.lambdify()
        >>> gradient([1.0, 3.0])
        array([ 3., 27.])
        """
        flat = compiled_function(self.shadow, self.parts, self.title, self.function)

        def function(*args: Any) -> Any:
            return shape_numbers(self.tree, flat(*args))

        function.__name__, function.__doc__ = flat.__name__, flat.__doc__
        return function


def _map_tree(tree: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(tree, tuple):
        return tuple(_map_tree(branch, function) for branch in tree)
    return function(tree)


def _join_tree(tree: Any, opening: str, comma: str, closing: str) -> str:
    if not isinstance(tree, tuple):
        return str(tree)
    inside = [_join_tree(branch, opening, comma, closing) for branch in tree]
    if any("\n" in text for text in inside):
        comma = comma.replace(", ", ",\n")
    return f"{opening}{comma.join(inside)}{closing}"


def _sympy_array(entries: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return entries[0]
    if len(shape) <= 2:
        return sp.Matrix(*(shape if len(shape) == 2 else (shape[0], 1)), entries)
    return sp.ImmutableDenseNDimArray(entries, shape)


def shape_numbers(tree: Any, values: Sequence[Any]) -> Any:
    """Numbers, in order, in the shapes of `tree`."""
    rest = iter(values)

    def fill(ids: Any) -> Any:
        made = np.array([next(rest) for _ in range(ids.size)], dtype=np.float64)
        return made.reshape(ids.shape)[()]

    return _map_tree(tree, fill)
