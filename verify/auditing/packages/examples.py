"""Calls in the examples of a docstring: points at which a function is known to work."""

from __future__ import annotations

import ast
import doctest
import inspect
from collections.abc import Callable, Iterator
from typing import Any


def example_calls(function: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """The arguments of each call of `function` in the examples of its docstring, by name.

    Only calls whose arguments are all written out as numbers, lists and texts.

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
        examples = doctest.DocTestParser().get_examples(inspect.getdoc(function) or "")
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    for example in examples:
        for node in _calls(example.source):
            if ast.unparse(node.func).rpartition(".")[2] != name:
                continue
            try:
                positional = [ast.literal_eval(each) for each in node.args]
                named = {str(each.arg): ast.literal_eval(each.value) for each in node.keywords}
                yield dict(signature.bind(*positional, **named).arguments)
            except (ValueError, TypeError):
                continue


def _calls(source: str) -> Iterator[ast.Call]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node
