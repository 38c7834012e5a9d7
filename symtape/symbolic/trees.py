"""Formulas as trees of tuples: what SymPy says of a template, read without loading SymPy.

A tree is a rational number (an int or a Fraction), the name of an argument (``a0``) or of a
constant (``pi``), or a function applied: a tuple of the name of its class in SymPy and of trees.
It has SymPy's nodes in SymPy's order. Of what no name says, it holds SymPy's own objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

Tree: TypeAlias = Any


def is_rational(tree: Tree) -> bool:
    """Whether a tree is a rational number."""
    return isinstance(tree, int | Fraction)


def leaves(tree: Tree) -> Iterator[Tree]:
    """The leaves of a tree, from the left.

    Examples
    --------
    >>> list(leaves(("Mul", 2, ("Pow", "a0", Fraction(1, 2)))))
    [2, 'a0', Fraction(1, 2)]
    """
    if not isinstance(tree, tuple):
        yield tree
        return
    for part in tree[1:]:
        yield from leaves(part)


def count_applications(tree: Tree) -> int:
    """How many functions a tree applies."""
    return 1 + sum(map(count_applications, tree[1:])) if isinstance(tree, tuple) else 0


def contains_function(tree: Tree, name: str) -> bool:
    """Whether a tree applies the function of a name.

    Examples
    --------
    >>> contains_function(("Mul", 2, ("Heaviside", "a0", 0)), "Heaviside")
    True
    """
    if not isinstance(tree, tuple):
        return False
    return tree[0] == name or any(contains_function(part, name) for part in tree[1:])


def replace_leaves(tree: Tree, replacement: Callable[[Tree], Tree]) -> Tree:
    """The tree with each leaf replaced.

    Examples
    --------
    >>> replace_leaves(("Add", "a0", 1), lambda leaf: "pi" if leaf == 1 else leaf)
    ('Add', 'a0', 'pi')
    """
    if not isinstance(tree, tuple):
        return replacement(tree)
    return (tree[0], *(replace_leaves(part, replacement) for part in tree[1:]))


def format_tree(tree: Tree) -> str:
    """A tree as text.

    Examples
    --------
    >>> format_tree(("Mul", Fraction(1, 2), ("sin", "a0")))
    '(Mul 1/2 (sin a0))'
    """
    if isinstance(tree, tuple):
        return f"({' '.join(map(format_tree, tree))})"
    return str(tree) if isinstance(tree, int | float | Fraction | str) else f"<{id(tree)}>"


def parse_tree(text: str) -> Tree:
    """The tree of a text.

    Examples
    --------
    >>> parse_tree("(Mul 1/2 (sin a0))")
    ('Mul', Fraction(1, 2), ('sin', 'a0'))
    """
    open_parts: list[list[Tree]] = [[]]
    for word in re.findall(r"[()]|[^() ]+", text):
        if word == "(":
            open_parts.append([])
        elif word == ")":
            closed = tuple(open_parts.pop())
            open_parts[-1].append(closed)
        else:
            open_parts[-1].append(_parse_leaf(word))
    return open_parts[0][0]


def _parse_leaf(word: str) -> Tree:
    if not word.lstrip("-").replace("/", "").isdigit():
        return word
    return Fraction(word) if "/" in word else int(word)
