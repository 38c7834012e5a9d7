"""Derivation: everything that can be derived from one function at one point, when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from symtape.symbolic.conditions import conditions
from symtape.symbolic.derivative import gradient, hessian, jacobian
from symtape.symbolic.form import Form
from symtape.symbolic.languages import ARRAY_LANGUAGES, refuse_unknown
from symtape.symbolic.naming import element_names
from symtape.symbolic.notation import TEXT
from symtape.symbolic.shadow import Shadow

_ENTRIES: Final = 24
_HEAD: Final = 6
_HESSIAN: Final = 6
_CONDITIONS: Final = 12
_LONGEST_LATEX: Final = 4_000


@dataclass(frozen=True, eq=False)
class Derivation:
    """Closed forms of a function's value and derivatives; each is derived when first asked for.

    Attributes
    ----------
    name : str
        What the function is called.
    shadow : Shadow
    order : int
        How far `print` goes: 0 the value, 1 the gradient or Jacobian too, 2 a small Hessian.
    emit : callable, optional
        ``(language, what, wrt) -> source``, for :meth:`code`.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> def energy(x, k):
    ...     return 0.5 * k * x**2
    >>> print(symtape.derive(energy, 1.0, 3.0, order=1))
    energy(x, k) = k*x**2/2
    <BLANKLINE>
    gradient
      d energy/dx = k*x
      d energy/dk = x**2/2
    """

    name: str
    shadow: Shadow
    order: int = 2
    emit: Callable[..., str] | None = None

    def code(
        self,
        language: str = "numpy",
        what: str | None = None,
        wrt: str | Sequence[str] | None = None,
    ) -> str:
        """A function that computes a derivative, and needs nothing of symtape.

        In NumPy, JAX, PyTorch and C it computes on whole arrays, and refuses arguments of other
        shapes and those that take another path. In other languages it computes entry by entry.

        Parameters
        ----------
        language : str
            ``numpy``, ``jax``, ``torch``, ``c``, ``python``, ``julia``, ``fortran``, ``rust`` or
            ``js``.
        what : str, optional
            ``gradient``, ``value_and_grad``, ``jacobian``, ``hessian`` or ``hvp``; by default the
            gradient, and the Jacobian of a function with an array for its value.
        wrt : str or sequence of str, optional
            The arguments by which it is differentiated; all by default.

        Raises
        ------
        ValueError
            `language`, `what` or `wrt` is not known.
        Unsupported
            The language has nothing for an operation; names it and the line.

        Examples
        --------
        >>> import numpy as np, symtape
        >>> d = symtape.derive(lambda x: np.sum(np.sin(x)), [1.0, 2.0])
        >>> d.code().splitlines()[-1].strip()
        'return np.cos(x)'
        """
        refuse_unknown(language)
        if self.emit is not None and language in ARRAY_LANGUAGES:
            return self.emit(language, what, wrt)
        forms = ("value", "gradient", "jacobian", "hessian")
        form = what or ("gradient" if self._scalar else "jacobian")
        if form not in forms or wrt is not None:
            raise ValueError(
                f"{language} code computes entry by entry: what is one of {', '.join(forms)}, and "
                "wrt is not given"
            )
        found: Form = getattr(self, form)
        return found.code(language)

    @property
    def where(self) -> list[str]:
        """Conditions under which all of it holds: the path that the function took."""
        return conditions(self.shadow)

    @cached_property
    def value(self) -> Form:
        """The function itself."""
        return self._form("value")

    @cached_property
    def gradient(self) -> Form:
        """The gradient, of the sum if the function has an array for its value."""
        return self._form("gradient")

    @cached_property
    def jacobian(self) -> Form:
        """The Jacobian, of shape ``value.shape + argument.shape``."""
        return self._form("jacobian")

    @cached_property
    def hessian(self) -> Form:
        """The Hessian of a scalar function; for several arguments, a block for each pair.

        Raises
        ------
        ValueError
            The function has an array for its value.
        """
        return self._form("hessian")

    def _form(self, title: str) -> Form:
        return Form(title, self.name, self.shadow, self._tree(title), emit=self.emit)

    def _tree(self, title: str) -> Any:
        """The statements of a form."""
        match title:
            case "value":
                return self.shadow.outputs[0]
            case "gradient":
                return _one_or_all(gradient(self.shadow))
            case "jacobian":
                return _one_or_all(jacobian(self.shadow))
        return _one_or_all([_one_or_all(row) for row in hessian(self.shadow)])

    @property
    def _scalar(self) -> bool:
        shape: tuple[int, ...] = self.shadow.outputs[0].shape
        return shape == ()

    @property
    def _shows_second(self) -> bool:
        """Whether `print` shows the Hessian."""
        small = len(self._elements) <= _HESSIAN and not self.value.straight_line
        return self.order >= 2 and self._scalar and small

    @property
    def _elements(self) -> list[str]:
        return [name for names in self.shadow.element_names for name in names]

    def __str__(self) -> str:
        blocks = [self._value_block()]
        if self.order >= 1:
            blocks.append(self._first_block())
        if self.order >= 2 and self._scalar:
            blocks.append(self._second_block())
        if self.where:
            lead = "where "
            left = len(self.where) - _CONDITIONS
            shown = [*self.where[:_CONDITIONS], *([f"... {left} more; see .where"] * (left > 0))]
            blocks.append(lead + ("\n" + " " * len(lead)).join(shown))
        return "\n\n".join(block for block in blocks if block)

    def __repr__(self) -> str:
        names = ", ".join(self.shadow.names)
        return f"<Derivation of {self.name}({names}): value, gradient, jacobian, hessian>"

    def _repr_latex_(self) -> str | None:
        lines = [
            rf"{left} &= {form.latex()}"
            for left, form in self._iterate_printed_forms()
            if not form.is_long()
        ]
        text = r" \\ ".join(lines)
        if not 0 < len(text) <= _LONGEST_LATEX:
            return None
        return rf"$\displaystyle \begin{{aligned}} {text} \end{{aligned}}$"

    def _iterate_printed_forms(self) -> Iterator[tuple[str, Form]]:
        """The forms that are printed, with what each is called in a formula."""
        name = rf"\operatorname{{{self.name}}}".replace("_", r"\_")
        yield name, self.value
        if self.order >= 1 and self._scalar:
            yield rf"\nabla {name}", self.gradient
        elif self.order >= 1:
            yield rf"\mathrm{{D}} {name}", self.jacobian
        if self._shows_second:
            yield rf"\nabla^2 {name}", self.hessian

    def _value_block(self) -> str:
        head = f"{self.name}({', '.join(self.shadow.names)})"
        lets, _ = self.value.lines()
        result = str(self.value).split("\n")[len(lets) :]
        pad = "\n" + " " * (len(head) + 3)
        lines = [f"{head} = {pad.join(result)}"]
        if lets:
            lines = [head, *_shorten_lets(lets), f"  = {pad.join(result)}"]
        return "\n".join([*lines, *self._shapes()])

    def _shapes(self) -> list[str]:
        pairs = zip(self.shadow.names, self.shadow.inputs, strict=True)
        said = [f"{name} of shape {ids.shape}" for name, ids in pairs if ids.shape]
        return [f"  for {', '.join(said)}"] if said else []

    def _first_block(self) -> str:
        form = self.gradient if self._scalar else self.jacobian
        above = [""] if self._scalar else element_names("", self.shadow.outputs[0].shape)
        labels = [
            f"d{self._quotient(row)}/d{x}"
            for names in self.shadow.element_names
            for row in above
            for x in names
        ]
        return self._block(form, labels)

    def _quotient(self, row: str) -> str:
        name = f" {self.name}" if len(self.name) > 1 else self.name
        return f"{name}{row}"

    def _second_block(self) -> str:
        count = len(self._elements)
        if count > _HESSIAN or self.value.straight_line:
            return f"hessian\n  {count} x {count}; print .hessian to see it"
        form = self.hessian
        labels, kept = [], []
        for k, (a, b) in enumerate(self._pairs()):
            if self._elements.index(a) <= self._elements.index(b):
                kept.append(k)
                below = f"d{a}^2" if a == b else f"d{a} d{b}"
                labels.append(f"d2{self._quotient('')}/{below}")
        return self._block(form, labels, kept)

    def _pairs(self) -> Iterator[tuple[str, str]]:
        named = self.shadow.element_names
        return ((a, b) for rows in named for columns in named for a in rows for b in columns)

    def _block(self, form: Form, labels: Sequence[str], kept: Sequence[int] | None = None) -> str:
        lets, results = form.lines(TEXT)
        entries = results if kept is None else [results[k] for k in kept]
        width = max(map(len, labels), default=0)
        lines = [f"  {a:<{width}} = {e}" for a, e in zip(labels, entries, strict=True)]
        if len(lines) > _ENTRIES:
            left = len(lines) - _ENTRIES
            lines = [*lines[:_ENTRIES], f"  ... {left} more entries; print .{form.title}"]
        return "\n".join([form.title, *_shorten_lets(lets), *lines])


def _shorten_lets(lets: Sequence[str]) -> list[str]:
    lines = [f"  {line}" for line in lets]
    if len(lines) <= 2 * _HEAD:
        return lines
    left = len(lines) - 2 * _HEAD
    return [*lines[:_HEAD], f"  ... {left} more lines ...", *lines[-_HEAD:]]


def _one_or_all(parts: Sequence[Any]) -> Any:
    return parts[0] if len(parts) == 1 else tuple(parts)
