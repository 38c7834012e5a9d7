"""Rows of the corpus: a function, a right derivative of it, where, and mistakes made in it."""

from __future__ import annotations

import ast
import hashlib
import inspect
import linecache
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

__all__ = ["KINDS", "Edit", "Group", "Row", "edited"]

Derivative = Callable[..., Any]

Edit = tuple[str, str]
"""A mistake, as a change of the source: what stands there once, and what stands there instead."""

KINDS = ("right", "gross", "needle")


@dataclass(frozen=True, slots=True)
class Row:
    """One function and the claims about it.

    Attributes
    ----------
    name : str
        ``"group: name"``.
    function, derivative : callable
    quantity : str
    over, at : what ``verify.derivative`` takes
    rtol, atol : float
        The accuracy that the derivative states of itself; both 0 for one that is exact.
    gross, needle : Edit or None
        Mistakes in the source of the derivative: one that is wrong nearly everywhere, and one that
        is wrong in a thin set or by little.
    smooth : bool
        Whether differences of the function can tell its derivative at ordinary points.
    """

    name: str
    function: Callable[..., Any]
    derivative: Derivative
    quantity: str = "gradient"
    over: Any = None
    at: Sequence[Any] | None = None
    rtol: float = 0.0
    atol: float = 0.0
    gross: Edit | None = None
    needle: Edit | None = None
    smooth: bool = True

    @property
    def kinds(self) -> tuple[str, ...]:
        """Which of the ``KINDS`` there are."""
        return KINDS if self.gross else KINDS[:1]

    @property
    def approximate(self) -> bool:
        """Whether the derivative states an accuracy."""
        return bool(self.rtol or self.atol)

    def claim(self, kind: str) -> Derivative:
        """The derivative that is claimed."""
        edit = {"right": None, "gross": self.gross, "needle": self.needle}[kind]
        return self.derivative if edit is None else edited(self.derivative, edit)

    def digest(self, kind: str) -> str:
        """Changes with what the claim computes, of what and where, but not with its layout."""
        claim = _compiled(self.derivative), getattr(self, kind, None)
        terms = self.quantity, self.over, self.at, self.rtol, self.atol
        words = repr((_compiled(self.function), claim, terms))
        return hashlib.sha256(words.encode()).hexdigest()[:12]


@dataclass(slots=True)
class Group:
    """Rows of one subject, in the order of their entry."""

    name: str
    rows: list[Row] = field(default_factory=list)

    def add(
        self,
        name: str,
        function: Callable[..., Any],
        derivative: Derivative,
        over: Any,
        **terms: Any,
    ) -> None:
        """Enter a right claim."""
        self.rows.append(Row(f"{self.name}: {name}", function, derivative, over=over, **terms))

    def program(
        self, of: Callable[..., Any], over: Any, gross: Edit, needle: Edit, **terms: Any
    ) -> Callable[[Derivative], Derivative]:
        """Enter the decorated derivative of a program, and two mistakes in it."""

        def enter(derivative: Derivative) -> Derivative:
            name = of.__name__.replace("_", " ")
            self.add(name, of, derivative, over, gross=gross, needle=needle, **terms)
            return derivative

        return enter


def _compiled(function: Any) -> Any:
    code = getattr(function, "__code__", function)
    if not isinstance(code, CodeType):
        return getattr(function, "__name__", type(function).__name__)
    constants = [_compiled(c) if isinstance(c, CodeType) else c for c in code.co_consts]
    return code.co_code, code.co_names, constants


def source(function: Callable[..., Any]) -> str:
    """The text of a function without its decorators; its name where it has no text."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return getattr(function, "__name__", repr(function))
    try:
        (definition,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return text
    if not isinstance(definition, ast.FunctionDef):
        return text
    return "".join(text.splitlines(keepends=True)[definition.lineno - 1 :])


def edited(function: Derivative, edit: Edit) -> Derivative:
    """The function with the mistake in it, as if it had been written so.

    Raises
    ------
    ValueError
        What is to be changed does not stand in the source exactly once.
    """
    old, new = edit
    text = source(function)
    if text.count(old) != 1:
        raise ValueError(f"{function.__name__}: {old!r} stands there {text.count(old)} times")
    text = text.replace(old, new)
    file = f"<{function.__module__}.{function.__name__}, {old!r} to {new!r}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {}
    exec(compile(text, file, "exec"), function.__globals__, names)
    made: Derivative = names[function.__name__]
    return made
