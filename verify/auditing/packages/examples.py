"""Calls that are written down, in docstrings, tests and examples: they are read, never run."""

from __future__ import annotations

import ast
import doctest
import functools
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from verify.auditing.packages.silence import silence

EXAMPLES: Final = re.compile(
    r"(^|[/.])(tests?|testing|examples?|demos?|test_\w+|\w+_tests?)([/.]|$)"
)
"""Of the files of a package, those in which calls are written down."""

_MOST_FILES: Final = 150
_LARGEST: Final = 200_000
"""Characters of a file that is read."""

_MADE: Final = {
    name: getattr(np, name)
    for name in ("array", "asarray", "linspace", "arange", "ones", "zeros", "eye", "full")
}
"""Functions of NumPy whose calls are carried out, where their arguments are written out."""

_SAMPLES: Final = 4
"""Calls of one name that are remembered."""

Written = tuple[list[Any], dict[str, Any]]


def example_calls(function: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """The arguments of each call of `function` that is written down, by name.

    Only calls whose arguments are all written out as numbers, lists, texts and arrays of them: in
    the docstring, and in the tests and examples that come with the package.

    Examples
    --------
    >>> def area(a, b):
    ...     '''An area.
    ...
    ...     >>> area(2.0, b=[3.0])
    ...     [6.0]
    ...     '''
    >>> list(example_calls(area))
    [{'a': 2.0, 'b': [3.0]}]
    """
    name = getattr(function, "__name__", "")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    told = _find_in_docstring(inspect.getdoc(function) or "").get(name, [])
    module = str(getattr(function, "__module__", "") or "")
    for positional, named in (*told, *_find_in_package(module.partition(".")[0]).get(name, [])):
        try:
            yield dict(signature.bind(*positional, **named).arguments)
        except TypeError:
            continue


def _find_in_docstring(text: str) -> Mapping[str, list[Written]]:
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return {}
    return calls_written("".join(each.source for each in examples))


@functools.lru_cache(maxsize=8)  # packages, each with the calls of its tests
def _find_in_package(package: str) -> Mapping[str, list[Written]]:
    """The calls in the tests and examples that lie in the folder of a package."""
    file = getattr(sys.modules.get(package), "__file__", None)
    found: dict[str, list[Written]] = defaultdict(list)
    if not file or Path(file).name != "__init__.py":
        return found
    root = Path(file).parent
    paths = (each for each in sorted(root.rglob("*.py")))
    chosen = [each for each in paths if EXAMPLES.search(str(each.relative_to(root))[:-3])]
    for path in chosen[:_MOST_FILES]:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        for name, calls in calls_written(text[:_LARGEST]).items():
            found[name] += calls[: _SAMPLES - len(found[name])]
    return found


def calls_written(source: str) -> dict[str, list[Written]]:
    """The calls in a source whose arguments are written out, by the last name of what is called.

    Examples
    --------
    >>> calls_written("x = np.ones(2); f(x, k=3); g(unknown)")["f"]
    [([array([1., 1.])], {'k': 3})]
    """
    try:
        with silence():
            return _calls_in(ast.parse(source))
    except (SyntaxError, ValueError):
        return {}


def _calls_in(tree: ast.AST) -> dict[str, list[Written]]:
    found: dict[str, list[Written]] = defaultdict(list)
    known: dict[str, Any] = {}
    for node in _walk_in_order(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                known[node.targets[0].id] = _value(node.value, known)
            except (ValueError, TypeError):
                known.pop(node.targets[0].id, None)
        if isinstance(node, ast.Call):
            try:
                positional = [_value(each, known) for each in node.args]
                named = {str(each.arg): _value(each.value, known) for each in node.keywords}
            except (ValueError, TypeError):
                continue
            found[ast.unparse(node.func).rpartition(".")[2]].append((positional, named))
    return found


def _walk_in_order(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes in the order in which they are written."""
    for child in ast.iter_child_nodes(tree):
        yield child
        yield from _walk_in_order(child)


def _value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """What an expression is, of what is written out or was assigned before."""
    if isinstance(node, ast.Name):
        if node.id not in known:
            raise ValueError(node.id)
        return known[node.id]
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        if not re.match(r"(np|numpy)\.\w+$", name) or name.rpartition(".")[2] not in _MADE:
            raise ValueError(name)
        given = [_value(each, known) for each in node.args]
        named = {str(each.arg): _value(each.value, known) for each in node.keywords}
        made = _MADE[name.rpartition(".")[2]](*given, **named)
        if made.size > 1000:
            raise ValueError(name)
        return made
    return ast.literal_eval(node)
