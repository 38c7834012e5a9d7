"""A Derivation whose forms are written in array notation where that is readable and true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, NoReturn

from symtape.errors import SymtapeError
from symtape.graph.graph import Graph
from symtape.programs.notation.evidence import Evidence, Exact
from symtape.programs.notation.forms import ArrayForms, Written
from symtape.programs.notation.sharing import inline_single_uses
from symtape.programs.notation.writing import text
from symtape.recording.structure import flatten
from symtape.symbolic.derivation import Derivation
from symtape.symbolic.form import Form
from symtape.symbolic.notation import Notation

_INPUTS: Final = 64
_STATEMENTS: Final = 20_000
"""Of the value, times the numbers that it depends on: most for which a Hessian is derived to be
printed beside other forms."""

_LETS: Final = 8
"""Most lines of lets that are still read."""


class Missing:
    """What stands for the formulas of elements where there are none: why there are none.

    Parameters
    ----------
    error : SymtapeError
    graph : Graph
    names : list of str
    """

    def __init__(self, error: SymtapeError, graph: Graph, names: list[str]) -> None:
        self.error, self.graph, self.names = error, graph, names

    def __getattr__(self, name: str) -> NoReturn:
        raise self.error


@dataclass(frozen=True, eq=False)
class ArrayForm(Form):
    r"""A form in array notation; `code`, `lambdify` and `sympy` are those of its entries.

    Where it has no readable form in array notation that was found to be true, its entries are
    printed.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> A, x, b = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 1.0]]), np.ones(2), np.ones(3)
    >>> form = symtape.derive(lambda x: np.sum((A @ x - b) ** 2), x).gradient
    >>> print(form)
    2*A.T @ (A @ x - 1)
    >>> print(form.evidence)
    proved at these shapes
    >>> print(form.latex())
    2 \mathbf{A}^{\top} \left( \mathbf{A} \mathbf{x} - 1 \right)
    >>> markup = symtape.derive(lambda x: np.sum(x * x), np.ones(3)).gradient.mathml()
    >>> markup.endswith('<mn>2</mn><mi mathvariant="bold">x</mi></mrow></mrow></math>')
    True
    """

    owner: ArrayDerivation

    @property
    def evidence(self) -> Evidence | None:
        """How it is known that what is printed is true; None where entries are printed."""
        found = self._complete_notation
        return None if found is None else found.evidence

    @cached_property
    def array_notation(self) -> Written | None:
        """In array notation, part by part; None if no part is readable and found to be true."""
        return self.owner.write(self.title)

    @property
    def _complete_notation(self) -> Written | None:
        found = self.array_notation if self.owner.uses_array_notation else None
        return found if found is not None and None not in found.parts else None

    def _document(self, notation: Notation) -> str:
        found = self._complete_notation
        return super()._document(notation) if found is None else found.document(notation)

    def __repr__(self) -> str:
        if self._complete_notation is None:
            return super().__repr__()
        return f"<Form {self.title} of {self.function}, in array notation>"

    @property
    def is_in_arrays(self) -> bool:
        """Whether the form is in array notation."""
        return self._complete_notation is not None

    def is_long(self) -> bool:
        """Whether it is more than a notebook should typeset."""
        return not self.is_in_arrays and super().is_long()


@dataclass(frozen=True, eq=False, repr=False)
class ArrayDerivation(Derivation):
    """A Derivation whose forms are in array notation, where that is readable and true.

    Attributes
    ----------
    forms : ArrayForms
    notation : str or None
        ``"array"``: each form that can be; None: all of them if value and gradient can be.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> def loss(x, A, b):
    ...     r = A @ x - b
    ...     return np.sum(r**2)
    >>> d = symtape.derive(loss, np.ones(2), np.arange(6.0).reshape(3, 2), np.arange(3.0))
    >>> print(d.gradient)
    r = A @ x - b
    (2*A.T @ r, 2*outer(r, x), -2*r)
    """

    forms: ArrayForms | None = None
    notation: Literal["array", "entries"] | None = None

    @property
    def where(self) -> list[str]:
        """Conditions under which all of it holds: the path that the function took."""
        symmetric = [f"{self.shadow.names[k]} == {self.shadow.names[k]}.T" for k in self._symmetric]
        return symmetric + ([] if isinstance(self.shadow, Missing) else super().where)

    @property
    def _symmetric(self) -> list[int]:
        return self._arrays.symmetric if self.uses_array_notation else []

    @property
    def _arrays(self) -> ArrayForms:
        assert self.forms is not None
        return self.forms

    @property
    def evidence(self) -> Evidence | None:
        """The weakest evidence of what `print` shows in array notation; None if it shows none."""
        shown = map(self._find_written_form, self._shown_forms[: self.order + 1])
        known = [found.evidence for found in shown if found is not None]
        return min(known, key=lambda e: (e.proved, e.points, e.bits), default=None)

    @property
    def _shown_forms(self) -> list[Form]:
        first = self.gradient if self._scalar else self.jacobian
        return [self.value, first, *([self.hessian] if self._shows_second else [])]

    @cached_property
    def uses_array_notation(self) -> bool:
        """Whether forms are printed in array notation."""
        if self.notation == "array" or isinstance(self.shadow, Missing):
            return True
        shapes = [self.shadow.graph.nodes[at].shape for at in self.shadow.graph.inputs]
        if not any(shapes):
            return False
        first = self.gradient if self._scalar else self.jacobian
        return all(isinstance(f, ArrayForm) and f.array_notation for f in (self.value, first))

    @property
    def _shows_second(self) -> bool:
        """Whether `print` shows the Hessian: a scalar function's, if it costs little."""
        if not self._scalar or self.order < 2 or isinstance(self.shadow, Missing):
            return False
        count = sum(ids.size for ids in self.shadow.inputs)
        value = self.shadow.program.list_needed(self.shadow.outputs[0].ravel().tolist())
        return bool(count <= _INPUTS and count * len(value) <= _STATEMENTS)

    @property
    def _scalar(self) -> bool:
        graph = self.shadow.graph
        return graph.nodes[graph.outputs[0]].shape == ()

    def _form(self, title: str) -> Form:
        return ArrayForm(title, self.name, self.shadow, self._tree(title), self, emit=self.emit)

    def _tree(self, title: str) -> Any:
        if not isinstance(self.shadow, Missing):
            return super()._tree(title)
        if title == "hessian" and not self._scalar:
            raise ValueError("the Hessian is that of a scalar function; this one has an array")
        return self.shadow

    def write(self, title: str) -> Written | None:
        """A form in array notation, if it has one that is readable and true."""
        known = isinstance(self.shadow, Missing)
        exact = Exact(
            title,
            self.shadow.graph,
            None if known else self.shadow,
            lambda: flatten(getattr(self, title).tree),
        )
        found = self._arrays.write(title, exact)
        return None if found is None or len(found.lets) > _LETS else found

    def __str__(self) -> str:
        if not self.uses_array_notation:
            return super().__str__()
        evidence = self.evidence
        said = f"in array notation, {evidence}" if evidence is not None else ""
        whole = super().__str__()
        if not said:
            return whole
        body, where, rest = whole.rpartition("\n\nwhere ")
        return f"{body or rest}\n\n{said}{where}{rest if body else ''}"

    def _value_block(self) -> str:
        found = self._find_written_form(self.value)
        if found is None:
            return super()._value_block()
        head = f"{self.name}({', '.join(self.shadow.names)})"
        lines = [f"  {name} = {text(tree)}" for name, tree in found.lets]
        (tree,) = found.parts
        assert tree is not None
        if lines:
            return "\n".join([head, *lines, f"  = {text(tree)}", *self._shapes()])
        return "\n".join([f"{head} = {text(tree)}", *self._shapes()])

    def _shapes(self) -> list[str]:
        graph = self.shadow.graph
        pairs = zip(self.shadow.names, [graph.nodes[at].shape for at in graph.inputs], strict=True)
        said = [f"{name} of shape {shape}" for name, shape in pairs if shape]
        lines = [f"  for {', '.join(said)}"] if said else []
        if self.uses_array_notation:
            lines += [f"  with {s} = {label}" for label, (s, _) in self._arrays.sizes.items()]
            shown = map(self._find_written_form, self._shown_forms)
            own = {c: tree for found in shown if found for c, tree in found.constants}
            lines += [f"  with {name} = {text(tree)}" for name, tree in own.items()]
        return lines

    def _find_written_form(self, form: Form) -> Written | None:
        return (
            form.array_notation
            if self.uses_array_notation and isinstance(form, ArrayForm)
            else None
        )

    def _first_block(self) -> str:
        form = self.gradient if self._scalar else self.jacobian
        found = self._find_written_form(form)
        if found is None:
            return "" if isinstance(self.shadow, Missing) else super()._first_block()
        labels = [f"d{self._quotient('')}/d{x}" for x in self.shadow.names]
        return self._array_block(form, found, labels, range(len(labels)))

    def _second_block(self) -> str:
        if isinstance(self.shadow, Missing):
            return ""
        found = self._find_written_form(self.hessian) if self._shows_second else None
        if found is None:
            return super()._second_block()
        names = self.shadow.names
        pairs = [(a, b) for a in range(len(names)) for b in range(a, len(names))]
        below = [f"d{names[a]}^2" if a == b else f"d{names[a]} d{names[b]}" for a, b in pairs]
        labels = [f"d2{self._quotient('')}/{words}" for words in below]
        return self._array_block(
            self.hessian, found, labels, [a * len(names) + b for a, b in pairs]
        )

    def _array_block(
        self, form: Form, found: Written, labels: Sequence[str], places: Sequence[int]
    ) -> str:
        width = max(map(len, labels))
        known = [t for place in places if (t := found.parts[place]) is not None]
        lets, trees = inline_single_uses(list(found.lets), known)
        lines = [f"  {name} = {text(tree)}" for name, tree in lets]
        missing = []
        rest = iter(trees)
        for label, place in zip(labels, places, strict=True):
            if found.parts[place] is None:
                missing.append(label)
            else:
                lines.append(f"  {label:<{width}} = {text(next(rest))}")
        if missing:
            lines.append(f"  {', '.join(missing)}: by entries; print .{form.title}")
        return "\n".join([form.title, *lines])
