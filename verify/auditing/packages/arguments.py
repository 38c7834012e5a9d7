"""Arguments of a function: which are numbers to be varied, and which are parameters to be held."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.hints import documented_parameters

Kind = Literal["number", "whole", "flag", "word", "other"]

_WHOLE: Final = frozenset({"n", "m", "k", "order", "degree", "deg", "nu", "axis", "ell"})
"""Names of parameters that are whole numbers where nothing else is said of them."""

_NO_NUMBERS: Final = frozenset({"args", "kwargs", "kwds", "options"})

_NUMBERS: Final = re.compile(r"float|real|scalar|number|array|list|tuple|sequence", re.IGNORECASE)
_OTHERS: Final = re.compile(
    r"\b(str|string|callable|function|dict|mapping|object)\b", re.IGNORECASE
)
_QUOTED: Final = re.compile(r"['\"]([\w-]+)['\"](?=\s*(?:,|\||or\b|and\b|\}|for\b))")
"""Words that are listed as what a parameter may be: "'c' or 'p'", "{'ml', 'reml'}"."""

_VARIADIC: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of a function.

    Attributes
    ----------
    name : str
    kind : {"number", "whole", "flag", "word", "other"}
        A number or an array of them; a whole number; true or false; one of a few words; anything
        else.
    required : bool
        Whether it has no default.
    packed : bool
        Whether it is a list or a tuple and not an array.
    words : tuple of str
        Those that it may be.
    """

    name: str
    kind: Kind
    required: bool
    packed: bool = False
    words: tuple[str, ...] = ()

    @property
    def choices(self) -> tuple[Any, ...]:
        """What is tried for it, where it is held."""
        return self.words or ((False, True) if self.kind == "flag" else (2, 1, 3, 0))


def arguments_of(function: Callable[..., Any]) -> list[Argument]:
    """The parameters of a function, by annotations, defaults, docstring and names.

    What stands behind ``*args`` goes by the names that the docstring has for it.

    Raises
    ------
    NotPosed
        It has no signature that can be read.

    Examples
    --------
    >>> def legendre(x, n, normalised=False):
    ...     return x
    >>> [(it.name, it.kind) for it in arguments_of(legendre)]
    [('x', 'number'), ('n', 'whole'), ('normalised', 'flag')]
    """
    try:
        signature = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise NotPosed(
            "it has no signature that can be read; give its arguments in a manifest"
        ) from error
    told = documented_parameters(inspect.getdoc(function) or "")
    parameters = [each for each in signature if each.kind not in _VARIADIC]
    compared = _compared_words(function)
    found = [_argument(each, told, compared.get(each.name, ())) for each in parameters]
    if any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in signature):
        named = {each.name for each in found}
        found += [Argument(name, "number", True) for name in told if name not in named | {"args"}]
    return found


def _argument(
    parameter: inspect.Parameter,
    told: Mapping[str, tuple[str, str]],
    compared: Sequence[str],
) -> Argument:
    name, default = parameter.name, parameter.default
    required = default is inspect.Parameter.empty
    kind, behind = told.get(name, ("", ""))
    said = _format_annotation(parameter.annotation) or kind
    if words := (*compared, *_QUOTED.findall(f"{kind} {behind}")):
        return Argument(name, "word", required, words=tuple(dict.fromkeys(words)))
    packed = bool(re.search(r"\b(list|tuple|List|Tuple)\b", said)) and "array" not in said
    return Argument(name, _kind(name, default, said), required, packed)


def parse_source(function: Any) -> ast.Module:
    """The source of a function or a code object; empty where there is none."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return ast.Module([], [])


def _compared_words(function: Callable[..., Any]) -> dict[str, tuple[str, ...]]:
    """The texts with which the source of a function compares its parameters."""
    found: dict[str, tuple[str, ...]] = {}
    for node in ast.walk(parse_source(function)):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
            inside = ast.walk(node.comparators[0])
            texts = [each.value for each in inside if isinstance(each, ast.Constant)]
            if texts and all(isinstance(each, str) for each in texts):
                found[node.left.id] = (*found.get(node.left.id, ()), *map(str, texts))
    return found


def _format_annotation(annotation: Any) -> str:
    """An annotation as text; empty where there is none."""
    if annotation is inspect.Parameter.empty:
        return ""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _kind(name: str, default: Any, said: str) -> Kind:
    if name in _NO_NUMBERS:
        return "other"
    if isinstance(default, bool) or said.startswith("bool"):
        return "flag"
    if said and not _NUMBERS.search(said):
        if re.match(r"(int|integer)\b", said):
            return "whole"
        if _OTHERS.search(said):
            return "other"
    if isinstance(default, float):
        return "number"
    if default is not inspect.Parameter.empty and not isinstance(default, int):
        return "other"
    if (isinstance(default, int) or name in _WHOLE) and "float" not in said:
        return "whole"
    return "number"
