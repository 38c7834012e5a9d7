"""Rust: how it writes numbers, methods and a whole function."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import sympy as sp
from sympy.printing.codeprinter import CodePrinter
from sympy.printing.rust import RustCodePrinter

from symtape.symbolic.language import Language, Part, nested


class Rust(Language, RustCodePrinter):  # type: ignore[misc]
    """Rust, in which every number is an ``f64``.

    SymPy's printer casts integers to floats and loses parentheses in doing so
    (``2*(1 - x**2)*x``); here sums, products and powers are written without casts.
    """

    title = "Rust"
    functions: ClassVar[dict[str, str]] = {
        "floor": "{0}.floor()",
        "sign": "(if {0} == 0.0 {{ 0.0 }} else {{ {0}.signum() }})",
        "sinc": "(if {0} == 0.0 {{ 1.0 }} else {{ {0}.sin()/{0} }})",
    }

    def _print_Mul(self, expr: Any) -> Any:
        return CodePrinter._print_Mul(self, expr)

    def _print_Add(self, expr: Any, order: Any = None) -> Any:
        return CodePrinter._print_Add(self, expr, order)

    def _print_Integer(self, expr: Any, _type: bool = False) -> str:
        return f"{int(expr)}.0"

    def _print_Pow(self, expr: Any) -> str:
        base, exponent = self._print_caller_var(expr.base), expr.exp
        if exponent == -1:
            return f"{base}.recip()"
        if exponent.is_Integer:
            return f"{base}.powi({int(exponent)})"
        if exponent == sp.S.Half:
            return f"{base}.sqrt()"
        return f"{base}.powf({self._print(exponent)})"

    def _print_caller_var(self, expr: Any) -> str:
        text: str = self._print(expr)
        if expr.is_Integer:
            return f"({text}_f64)"
        return text if expr.is_Symbol or isinstance(expr, sp.Function) else f"({text})"

    def argument(self, expression: Any) -> str:
        """An argument of one of `functions`, which has a method called."""
        return str(self._print_caller_var(expression))

    def number(self, text: str) -> str:
        """A decimal constant."""
        return f"{text}_f64"

    def function(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> str:
        """The whole function."""
        arguments = ", ".join(
            f"{self.named(n)}: {'&' if shape else ''}{_type(shape)}"
            for n, shape in self.signature.arguments
        )
        kinds = [_type(part.shape) for part in parts]
        results = [nested(part.entries, part.shape) for part in parts]
        single = len(parts) == 1
        kind, result = (
            (kinds[0], results[0])
            if single
            else (f"({', '.join(kinds)})", f"({', '.join(results)})")
        )
        code = "\n".join(
            [
                f"/// {self.signature.summary}",
                f"pub fn {self.signature.name}({arguments}) -> {kind} {{",
                *[f"    let {name}: f64 = {text};" for name, text in lets],
                f"    {result}",
                "}",
                "",
            ]
        )
        used = [c for c in ("PI", "E") if re.search(rf"\b{c}\b", code)]
        return f"use std::f64::consts::{{{', '.join(used)}}};\n\n{code}" if used else code


def _type(shape: tuple[int, ...]) -> str:
    kind = "f64"
    for length in reversed(shape):
        kind = f"[{kind}; {length}]"
    return kind
