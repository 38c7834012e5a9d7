"""Names for what occurs more than once in what is printed."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from symtape.programs.notation.tree import (
    Call,
    Chain,
    Name,
    Part,
    Power,
    Times,
    Total,
    Transpose,
    Tree,
    children,
)
from symtape.programs.notation.writing import text

_SHORT: Final = 10
"""Characters that are rather read twice than looked up."""


def share_subtrees(
    trees: Sequence[Tree], called: Mapping[Tree, str], fresh: Iterator[str]
) -> tuple[list[tuple[str, Tree]], list[Tree]]:
    """Lets for what `trees` share, and the trees by them.

    Parameters
    ----------
    trees : sequence of Tree
    called : mapping
        The user's own names for some trees.
    fresh : iterator of str
        Names for the others.
    """
    lets: list[tuple[str, Tree]] = []
    names: dict[Tree, Name] = {}
    uses = _uses(trees)
    repeated = [t for t, n in uses.items() if n > 1 and (t in called or _is_worth_a_name(t))]
    for tree in sorted(repeated, key=lambda t: len(text(t))):
        inside = replace_subtrees(tree, names)
        if tree in called or len(text(inside)) > _SHORT:
            name = Name(called.get(tree) or next(fresh), tree.rank)
            lets.append((name.text, inside))
            names[tree] = name
    return inline_single_uses(lets, [replace_subtrees(tree, names) for tree in trees])


def inline_single_uses(
    lets: list[tuple[str, Tree]], trees: list[Tree]
) -> tuple[list[tuple[str, Tree]], list[Tree]]:
    """What is named but used once, in a longer name, is written there."""
    while True:
        counts = Counter(
            node.text
            for tree in [*(t for _, t in lets), *trees]
            for node in nodes(tree)
            if isinstance(node, Name)
        )
        once = next((k for k, (name, _) in enumerate(lets) if counts[name] == 1), None)
        if once is None:
            return lets, trees
        name, inside = lets.pop(once)
        back: dict[Tree, Tree] = {Name(name, inside.rank): inside}
        lets = [(other, replace_subtrees(t, back)) for other, t in lets]
        trees = [replace_subtrees(t, back) for t in trees]


def _uses(trees: Sequence[Tree]) -> Counter[Tree]:
    """How often each part occurs, one inside of a repeated part counted once."""
    counts: Counter[Tree] = Counter()
    waiting = list(trees)
    while waiting:
        tree = waiting.pop()
        counts[tree] += 1
        if counts[tree] == 1 or isinstance(tree, Name):
            waiting += children(tree)
    return counts


def nodes(tree: Tree) -> Iterator[Tree]:
    """A tree and all of its parts."""
    yield tree
    for child in children(tree):
        yield from nodes(child)


def _is_worth_a_name(tree: Tree) -> bool:
    if isinstance(tree, Call) and not tree.arguments:
        return False
    return isinstance(tree, Total | Times | Chain | Power | Call) and len(text(tree)) > _SHORT


def replace_subtrees(tree: Tree, names: Mapping[Tree, Tree]) -> Tree:
    """A tree with others for some of its parts."""
    found = names.get(tree)
    if found is not None:
        return found

    def all_of(parts: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(replace_subtrees(part, names) for part in parts)

    match tree:
        case Total():
            return dataclasses.replace(tree, terms=all_of(tree.terms))
        case Times():
            return dataclasses.replace(tree, above=all_of(tree.above), below=all_of(tree.below))
        case Chain():
            return dataclasses.replace(tree, parts=all_of(tree.parts))
        case Power():
            return dataclasses.replace(tree, base=replace_subtrees(tree.base, names))
        case Transpose() | Part():
            return dataclasses.replace(tree, of=replace_subtrees(tree.of, names))
        case Call():
            return dataclasses.replace(tree, arguments=all_of(tree.arguments))
    return tree
