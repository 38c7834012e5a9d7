"""Programming languages: how each writes numbers, elements, lets and a whole function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

import numpy as np
from sympy.printing.c import C99CodePrinter
from sympy.printing.fortran import FCodePrinter
from sympy.printing.jscode import JavascriptCodePrinter
from sympy.printing.julia import JuliaCodePrinter
from sympy.printing.numpy import SciPyPrinter
from sympy.printing.pycode import PythonCodePrinter

from symtape.errors import Unsupported
from symtape.symbolic.decimals import with_decimals
from symtape.symbolic.language import Language, Part, Signature, nested, with_short_integers
from symtape.symbolic.rust import Rust

_SPECIAL: Final = re.compile(r"\b(airy\w+|bessel\w|beta|cosint|erf\w*|expinti?|\w*gamma|sinint)\(")
"""What Julia has in a package."""


class _Python(Language, PythonCodePrinter):  # type: ignore[misc]
    title = "Python"
    imports: ClassVar[str] = "import math"

    layout = 'def {name}({arguments}):\n    """{summary}"""\n{lets}    return {results}\n'

    def function(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> str:
        code = super().function(lets, parts)
        imports = [line for line in self.imports.split("\n") if self._uses(line, code)]
        return "\n".join([*imports, *["", ""] * bool(imports), code])

    def _uses(self, line: str, code: str) -> bool:
        return f"{line.split()[-1]}." in code


class _Numpy(_Python, SciPyPrinter):  # type: ignore[misc]
    title = "NumPy"
    imports = "import numpy as np\nimport scipy.special"
    functions: ClassVar[dict[str, str]] = {
        "LambertW": "scipy.special.lambertw({0}).real",
        "erfcinv": "scipy.special.erfcinv({0})",
        "erfi": "scipy.special.erfi({0})",
        "erfinv": "scipy.special.erfinv({0})",
        "expint": "scipy.special.expn({0}, {1})",
    }

    def expression(self, expression: Any) -> str:
        text = super().expression(expression).replace("scipy.constants.pi", "np.pi")
        return re.sub(r"\bnumpy\.", "np.", text)

    def element(self, base: str, index: tuple[int, ...]) -> str:
        return f"{self.named(base)}[{', '.join(map(str, index))}]"

    def result(self, part: Part) -> str:
        text = nested(part.entries, part.shape)
        return f"np.array({text})" if part.shape else text


class _C(Language, C99CodePrinter):  # type: ignore[misc]
    title = "C"

    def element(self, base: str, index: tuple[int, ...]) -> str:
        return f"{self.named(base)}[{self._flat(base, index)}]"

    def function(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> str:
        arguments = [
            f"const double *{self.named(n)}" if shape else f"double {self.named(n)}"
            for n, shape in self.signature.arguments
        ]
        lines = [f"    const double {name} = {text};" for name, text in lets]
        kind = "double"
        if len(parts) == 1 and not parts[0].shape:
            lines.append(f"    return {parts[0].entries[0]};")
        else:
            kind = "void"
            for part in parts:
                out = f"out_{part.label}" if len(parts) > 1 else "out"
                arguments.append(f"double *{out}")
                lines += [f"    {out}[{k}] = {text};" for k, text in enumerate(part.entries)]
        head = f"{kind} {self.signature.name}({', '.join(arguments)})"
        note = f"/* {self.signature.summary} Arrays lie row by row. */"
        return "\n".join(["#include <math.h>", "", note, head, "{", *lines, "}", ""])


class _Julia(Language, JuliaCodePrinter):  # type: ignore[misc]
    title = "Julia"
    functions: ClassVar[dict[str, str]] = {
        "Ci": "cosint({0})",
        "Ei": "expinti({0})",
        "Si": "sinint({0})",
        "atan2": "atan({0}, {1})",
        "expint": "expint({0}, {1})",
        "loggamma": "loggamma({0})",
    }

    def element(self, base: str, index: tuple[int, ...]) -> str:
        return f"{self.named(base)}[{', '.join(str(i + 1) for i in index)}]"

    def result(self, part: Part) -> str:
        shape, entries = part.shape, part.entries
        if not shape:
            return entries[0]
        if len(shape) == 1:
            return f"[{', '.join(entries)}]"
        sizes = ", ".join(map(str, reversed(shape)))
        axes = ", ".join(str(k) for k in range(len(shape), 0, -1))
        return f"permutedims(reshape([{', '.join(entries)}], {sizes}), ({axes}))"

    layout = '"{summary}"\nfunction {name}({arguments})\n{lets}    return {results}\nend\n'

    def function(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> str:
        texts = [*(text for _, text in lets), *(text for part in parts for text in part.entries)]
        needed = any(map(_SPECIAL.search, texts))
        return "using SpecialFunctions\n\n" * needed + super().function(lets, parts)


class _Fortran(Language, FCodePrinter):  # type: ignore[misc]
    title = "Fortran"
    options: ClassVar[dict[str, Any]] = {"source_format": "free", "standard": 2008, "human": False}
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

    def __init__(self, signature: Signature) -> None:
        super().__init__(signature)
        self._constants: dict[str, str] = {}
        lowered = [name.lower() for name, _ in signature.arguments]
        if len(set(lowered)) < len(lowered):
            raise Unsupported(
                f"Fortran takes {', '.join(n for n, _ in signature.arguments)} for the same "
                "name, as it ignores case; give other names with names=..."
            )

    def expression(self, expression: Any) -> str:
        short = with_short_integers(with_decimals(expression))
        constants, missing, text = self.doprint(short)
        if missing:
            raise Unsupported(
                f"Fortran has no function {min(f.func.__name__ for f in missing)}; choose another "
                "language, or write it with 'numpy'"
            )
        self._constants |= {str(name): str(value) for name, value in constants}
        return str(text)

    def number(self, text: str) -> str:
        return text.replace("e", "d") if "e" in text else f"{text}d0"

    def element(self, base: str, index: tuple[int, ...]) -> str:
        return f"{self.named(base)}({', '.join(str(i + 1) for i in index)})"

    def function(self, lets: Sequence[tuple[str, str]], parts: Sequence[Part]) -> str:
        outs = [(f"out_{p.label}" if len(parts) > 1 else "out", p) for p in parts]
        arguments = [(self.named(n), shape) for n, shape in self.signature.arguments]
        listed = ", ".join([n for n, _ in arguments] + [name for name, _ in outs])
        body = [
            f"! {self.signature.summary}",
            f"subroutine {self.signature.name}({listed})",
            "    implicit none",
            *[f"    real(8), intent(in) :: {n}{_bounds(shape)}" for n, shape in arguments],
            *[f"    real(8), intent(out) :: {name}{_bounds(p.shape)}" for name, p in outs],
            *[f"    real(8), parameter :: {n} = {v}d0" for n, v in self._constants.items()],
            *_declared([name for name, _ in lets]),
            *[f"    {name} = {text}" for name, text in lets],
        ]
        for name, part in outs:
            for index, text in zip(_indices(part.shape), part.entries, strict=True):
                body.append(f"    {name}{index} = {text}")
        return "\n".join([*body, f"end subroutine {self.signature.name}", ""])


def _bounds(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))})" if shape else ""


def _declared(names: Sequence[str]) -> list[str]:
    return [
        f"    real(8) :: {', '.join(names[start : start + 10])}"
        for start in range(0, len(names), 10)
    ]


def _indices(shape: tuple[int, ...]) -> list[str]:
    return [_bounds(tuple(i + 1 for i in index)) for index in np.ndindex(*shape)]


class _JavaScript(Language, JavascriptCodePrinter):  # type: ignore[misc]
    title = "JavaScript"
    layout = "/** {summary} */\nfunction {name}({arguments}) {{\n{lets}    return {results};\n}}\n"
    let = "    const {} = {};\n"

    def results(self, texts: Sequence[str]) -> str:
        return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


ARRAY_LANGUAGES: Final = ("numpy", "jax", "torch", "c")
"""In which functions of arrays are written: see ``symtape.emitted``."""

LANGUAGES: Final[dict[str, Callable[[Signature], Language]]] = {
    "python": _Python,
    "numpy": _Numpy,
    "c": _C,
    "julia": _Julia,
    "fortran": _Fortran,
    "rust": Rust,
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
