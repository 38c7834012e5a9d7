"""Programming languages: how each writes numbers, elements, lets and a whole function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import sympy as sp
from sympy.printing.c import C99CodePrinter
from sympy.printing.codeprinter import CodePrinter, PrintMethodNotImplementedError
from sympy.printing.fortran import FCodePrinter
from sympy.printing.jscode import JavascriptCodePrinter
from sympy.printing.julia import JuliaCodePrinter
from sympy.printing.numpy import SciPyPrinter
from sympy.printing.pycode import PythonCodePrinter
from sympy.printing.rust import RustCodePrinter

from symtape.errors import Unsupported
from symtape.symbolic.decimals import Decimal, replace_long_rationals
from symtape.symbolic.notation import split_name

_LONG: Final = 2**31


@dataclass(frozen=True, slots=True)
class Part:
    """A result: what it is called if there are several, its shape, its entries in C order."""

    label: str
    shape: tuple[int, ...]
    entries: list[str]


@dataclass(frozen=True, slots=True)
class Signature:
    """A function to write: its name, what it is, and its arguments with their shapes."""

    name: str
    summary: str
    arguments: list[tuple[str, tuple[int, ...]]]


class Language(CodePrinter):  # type: ignore[misc]
    """A programming language: SymPy's printer of it, which stands beside this among the bases.

    One object for each function to write, as names depend on it. A subclass is mostly a table:
    what the printer lacks, how an element is indexed, and the layout of a function.
    """

    title: ClassVar[str]
    options: ClassVar[dict[str, Any]] = {}
    functions: ClassVar[dict[str, str]] = {}
    """What SymPy's printer lacks or gets wrong, by the name of SymPy's class, with its arguments
    as in ``str.format``."""

    index: ClassVar[tuple[str, str, str]] = ("[", "][", "]")
    """Around an index, and between its axes."""

    first: ClassVar[int] = 0
    """The index of the first element."""

    decimal: ClassVar[str] = "{}"
    let: ClassVar[str] = "    {} = {}\n"
    several: ClassVar[str] = "{}"
    """Around several results, between which there are commas."""

    layout: ClassVar[str]
    """The whole function: with its `name`, `summary` and `arguments`, `lets`, and `results`."""

    imports: ClassVar[dict[str, str]] = {}
    """The line above a function in which a pattern is found."""

    between: ClassVar[str] = "\n\n"
    """From the imports to the function."""

    def __init__(self, signature: Signature) -> None:
        super().__init__(self.options)
        self.signature = signature
        self.arguments = [(self.name_argument(name), shape) for name, shape in signature.arguments]

    def expression(self, expression: Any) -> str:
        """One expression.

        Raises
        ------
        Unsupported
            A function that the language has not.
        """
        try:
            return self.print_expression(_replace_long_integers(replace_long_rationals(expression)))
        except PrintMethodNotImplementedError as error:
            raise self.refusal(str(error).partition("\n")[0].rpartition(": ")[2]) from error

    def print_expression(self, expression: Any) -> str:
        """An expression with decimals, by SymPy's printer."""
        return str(self.doprint(expression))

    def refusal(self, function: str) -> Unsupported:
        """What is said of a function that the language has not."""
        return Unsupported(
            f"{self.title} has no function {function}; choose another language, or write "
            "it with 'numpy'"
        )

    def parenthesise(self, text: str) -> str:
        """In parentheses."""
        return f"({text})"

    def name_argument(self, base: str) -> str:
        """An argument's name, changed if it is a word of the language."""
        return f"{base}_" if base in self.reserved_words else base

    def place(self, base: str, index: tuple[int, ...]) -> str:
        """An index into an argument, as text."""
        opening, between, closing = self.index
        return f"{opening}{between.join(str(i + self.first) for i in index)}{closing}"

    def function(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> str:
        """The whole function."""
        words = self.words(lets, parts)
        words |= {"lets": "".join(self.let.format(*one) for one in lets)}
        code = self.layout.format(name=self.signature.name, summary=self.signature.summary, **words)
        body = words["lets"] + words["results"]
        above = [line for pattern, line in self.imports.items() if re.search(pattern, body)]
        return "\n".join(above) + self.between * bool(above) + code

    def words(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> dict[str, str]:
        """What differs in the layout of two functions: by default `arguments` and `results`."""
        return {
            "arguments": ", ".join(self.argument(*one) for one in self.arguments),
            "results": self.join_results([self.result(part) for part in parts]),
        }

    def argument(self, name: str, shape: tuple[int, ...]) -> str:
        """An argument among the others."""
        return name

    def result(self, part: Part) -> str:
        """One of the results."""
        return _nest_entries(part.entries, part.shape)

    def join_results(self, texts: Sequence[str]) -> str:
        """All results."""
        return texts[0] if len(texts) == 1 else self.several.format(", ".join(texts))

    def _print(self, expr: Any, **kwargs: Any) -> Any:
        text = self.functions.get(type(expr).__name__)
        if text is None:
            return super()._print(expr, **kwargs)
        return text.format(*map(self.write_argument, expr.args))

    def write_argument(self, expression: Any) -> str:
        """An argument of one of `functions`."""
        return str(self._print(expression))

    def _print_Decimal(self, expr: Decimal) -> str:
        return self.decimal.format(expr.name)

    def _print_Symbol(self, expr: Any) -> str:
        base, index = split_name(expr.name)
        return self.name_argument(base) + (self.place(base, index) if index else "")


def _replace_long_integers(expression: Any) -> Any:
    """`expression` with integers beyond 32 bits as decimals."""
    long = [n for n in expression.atoms(sp.Integer) if abs(n) >= _LONG]
    table = {n: sp.sign(n) * Decimal(repr(float(abs(n)))) for n in long}
    return expression.xreplace(table) if table else expression


def _nest_entries(entries: Sequence[str], shape: tuple[int, ...]) -> str:
    """Entries as lists in brackets, nested."""
    if not shape:
        return entries[0]
    step = len(entries) // max(shape[0], 1)
    rows = [_nest_entries(entries[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]
    return f"[{', '.join(rows)}]"


def _outputs(parts: Sequence[Part]) -> list[tuple[str, Part]]:
    """Results that are written into arguments, with the names of these."""
    return [(f"out_{part.label}" if len(parts) > 1 else "out", part) for part in parts]


class _Python(Language, PythonCodePrinter):  # type: ignore[misc]
    title = "Python"
    imports: ClassVar[dict[str, str]] = {r"\bmath\.": "import math"}
    between = "\n\n\n"
    layout = 'def {name}({arguments}):\n    """{summary}"""\n{lets}    return {results}\n'


class _Numpy(_Python, SciPyPrinter):  # type: ignore[misc]
    title = "NumPy"
    index = "[", ", ", "]"
    imports: ClassVar[dict[str, str]] = {
        r"\bnp\.": "import numpy as np",
        r"\bscipy\.special\.": "import scipy.special",
    }
    functions: ClassVar[dict[str, str]] = {
        "LambertW": "scipy.special.lambertw({0}).real",
        "erfcinv": "scipy.special.erfcinv({0})",
        "erfi": "scipy.special.erfi({0})",
        "erfinv": "scipy.special.erfinv({0})",
        "expint": "scipy.special.expn({0}, {1})",
    }

    def print_expression(self, expression: Any) -> str:
        text = super().print_expression(expression).replace("scipy.constants.pi", "np.pi")
        return re.sub(r"\bnumpy\.", "np.", text)

    def result(self, part: Part) -> str:
        text = super().result(part)
        return f"np.array({text})" if part.shape else text


class _C(Language, C99CodePrinter):  # type: ignore[misc]
    title = "C"
    let = "    const double {} = {};\n"
    layout = (
        "#include <math.h>\n\n/* {summary} Arrays lie row by row. */\n"
        "{kind} {name}({arguments})\n{{\n{lets}{results}}}\n"
    )

    def place(self, base: str, index: tuple[int, ...]) -> str:
        shape = dict(self.signature.arguments)[base]
        return f"[{np.ravel_multi_index(index, shape)}]"

    def argument(self, name: str, shape: tuple[int, ...]) -> str:
        return f"const double *{name}" if shape else f"double {name}"

    def words(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> dict[str, str]:
        arguments = [self.argument(*one) for one in self.arguments]
        if len(parts) == 1 and not parts[0].shape:
            results, kind = f"    return {parts[0].entries[0]};\n", "double"
        else:
            arguments += [f"double *{out}" for out, _ in _outputs(parts)]
            results, kind = "", "void"
            for out, part in _outputs(parts):
                results += "".join(f"    {out}[{k}] = {x};\n" for k, x in enumerate(part.entries))
        return {"arguments": ", ".join(arguments), "results": results, "kind": kind}


class _Julia(Language, JuliaCodePrinter):  # type: ignore[misc]
    title = "Julia"
    index, first = ("[", ", ", "]"), 1
    functions: ClassVar[dict[str, str]] = {
        "Ci": "cosint({0})",
        "Ei": "expinti({0})",
        "Si": "sinint({0})",
        "atan2": "atan({0}, {1})",
        "expint": "expint({0}, {1})",
        "loggamma": "loggamma({0})",
    }
    imports: ClassVar[dict[str, str]] = {
        r"\b(airy\w+|bessel\w|beta|cosint|erf\w*|expinti?|\w*gamma|sinint)\(": (
            "using SpecialFunctions"
        )
    }
    layout = '"{summary}"\nfunction {name}({arguments})\n{lets}    return {results}\nend\n'

    def result(self, part: Part) -> str:
        shape, entries = part.shape, part.entries
        if len(shape) < 2:
            return super().result(part)
        sizes = ", ".join(map(str, reversed(shape)))
        axes = ", ".join(str(k) for k in range(len(shape), 0, -1))
        return f"permutedims(reshape([{', '.join(entries)}], {sizes}), ({axes}))"


class _Fortran(Language, FCodePrinter):  # type: ignore[misc]
    title = "Fortran"
    options: ClassVar[dict[str, Any]] = {"source_format": "free", "standard": 2008, "human": False}
    index, first = ("(", ", ", ")"), 1
    functions: ClassVar[dict[str, str]] = {
        "acosh": "acosh({0})",
        "asinh": "asinh({0})",
        "atanh": "atanh({0})",
        "erfc": "erfc({0})",
        "floor": "real(floor({0}), 8)",
        "gamma": "gamma({0})",
        "loggamma": "log_gamma({0})",
        "sign": "merge(0d0, sign(1d0, {0}), {0} == 0d0)",
    }
    layout = (
        "! {summary}\nsubroutine {name}({arguments})\n    implicit none\n"
        "{declared}{lets}{results}end subroutine {name}\n"
    )

    def __init__(self, signature: Signature) -> None:
        super().__init__(signature)
        self._constants: dict[str, str] = {}
        lowered = [name.lower() for name, _ in signature.arguments]
        if len(set(lowered)) < len(lowered):
            raise Unsupported(
                f"Fortran takes {', '.join(n for n, _ in signature.arguments)} for the same "
                "name, as it ignores case; give other names with names=..."
            )

    def print_expression(self, expression: Any) -> str:
        constants, missing, text = self.doprint(expression)
        if missing:
            raise self.refusal(min(f.func.__name__ for f in missing))
        self._constants |= {str(name): str(value) for name, value in constants}
        return str(text)

    def _print_Decimal(self, expr: Decimal) -> str:
        return expr.name.replace("e", "d") if "e" in expr.name else f"{expr.name}d0"

    def words(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> dict[str, str]:
        names = [name for name, _ in lets]
        outs = _outputs(parts)
        declared = [
            *(f"real(8), intent(in) :: {n}{_bounds(shape)}" for n, shape in self.arguments),
            *(f"real(8), intent(out) :: {n}{_bounds(p.shape)}" for n, p in outs),
            *(f"real(8), parameter :: {n} = {v}d0" for n, v in self._constants.items()),
            *(f"real(8) :: {', '.join(names[k : k + 10])}" for k in range(0, len(names), 10)),
        ]
        results = [
            f"{name}{self.place(name, index) if index else ''} = {text}"
            for name, part in outs
            for index, text in zip(np.ndindex(*part.shape), part.entries, strict=True)
        ]
        return {
            "arguments": ", ".join(name for name, _ in (*self.arguments, *outs)),
            "declared": "".join(f"    {line}\n" for line in declared),
            "results": "".join(f"    {line}\n" for line in results),
        }


def _bounds(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))})" if shape else ""


class _Rust(Language, RustCodePrinter):  # type: ignore[misc]
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
    decimal = "{}_f64"
    let = "    let {}: f64 = {};\n"
    several = "({})"
    layout = "/// {summary}\npub fn {name}({arguments}) -> {kind} {{\n{lets}    {results}\n}}\n"

    def _print_Mul(self, expr: Any) -> Any:
        return CodePrinter._print_Mul(self, expr)

    def _print_Add(self, expr: Any, order: Any = None) -> Any:
        return CodePrinter._print_Add(self, expr, order)

    def _print_Integer(self, expr: Any, _type: bool = False) -> str:
        return f"{int(expr)}.0"

    def _print_Pow(self, expr: Any) -> str:
        base, exponent = self.write_argument(expr.base), expr.exp
        if exponent == -1:
            return f"{base}.recip()"
        if exponent.is_Integer:
            return f"{base}.powi({int(exponent)})"
        if exponent == sp.S.Half:
            return f"{base}.sqrt()"
        return f"{base}.powf({self._print(exponent)})"

    def write_argument(self, expression: Any) -> str:
        """What has a method called."""
        text: str = self._print(expression)
        if expression.is_Integer:
            return f"({text}_f64)"
        is_closed = expression.is_Symbol or isinstance(expression, sp.Function)
        return text if is_closed else f"({text})"

    _print_caller_var = write_argument

    def argument(self, name: str, shape: tuple[int, ...]) -> str:
        return f"{name}: {'&' if shape else ''}{_rust_type(shape)}"

    def words(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> dict[str, str]:
        kind = self.join_results([_rust_type(part.shape) for part in parts])
        return {**super().words(lets, parts), "kind": kind}

    def function(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> str:
        code = super().function(lets, parts)
        used = [c for c in ("PI", "E") if re.search(rf"\b{c}\b", code)]
        return f"use std::f64::consts::{{{', '.join(used)}}};\n\n{code}" if used else code


def _rust_type(shape: tuple[int, ...]) -> str:
    kind = "f64"
    for length in reversed(shape):
        kind = f"[{kind}; {length}]"
    return kind


class _JavaScript(Language, JavascriptCodePrinter):  # type: ignore[misc]
    title = "JavaScript"
    let = "    const {} = {};\n"
    several = "[{}]"
    layout = "/** {summary} */\nfunction {name}({arguments}) {{\n{lets}    return {results};\n}}\n"


ARRAY_LANGUAGES: Final = ("numpy", "jax", "torch", "c")
"""In which functions of arrays are written: see ``symtape.programs.emitted``."""

LANGUAGES: Final[dict[str, Callable[[Signature], Language]]] = {
    "python": _Python,
    "numpy": _Numpy,
    "c": _C,
    "julia": _Julia,
    "fortran": _Fortran,
    "rust": _Rust,
    "js": _JavaScript,
}
"""Every language, by the name that ``code`` takes."""


def refuse_unknown(language: str) -> None:
    """Refuse what no code is written in.

    Raises
    ------
    ValueError
        Names all languages.
    """
    known = dict.fromkeys((*ARRAY_LANGUAGES, *LANGUAGES))
    if language not in known:
        raise ValueError(f"language={language!r}: expected one of {', '.join(known)}")
