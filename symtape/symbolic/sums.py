"""Long sums of a program: chains of additions as one step of many terms."""

from __future__ import annotations

from collections.abc import Container, Iterable

from symtape.symbolic.program import Program
from symtape.symbolic.template import ADD


def uses(program: Program, order: Iterable[int]) -> list[int]:
    """How often each statement is an argument of one of those in `order`."""
    counts = [0] * len(program)
    for args in map(program.arguments.__getitem__, order):
        for arg in args:
            counts[arg] += 1
    return counts


class Sums:
    """The sums among some statements of a program, each of all its terms.

    A statement that is only part of one longer sum, and not asked for itself, is part of that.

    Parameters
    ----------
    program : Program
    order : list of int
        Statements, ascending, with all that they depend on.
    wanted : container of int
        What is asked for itself.

    Attributes
    ----------
    terms : dict
        The terms of each sum that stands for itself, in the order in which they are added.
    uses : list of int
        As :func:`uses`.

    Examples
    --------
    >>> program = Program()
    >>> a, b, c = (program.input() for _ in range(3))
    >>> total = program.add(program.add(a, b), c)
    >>> Sums(program, program.needed([total]), {total}).terms == {total: [a, b, c]}
    True
    """

    def __init__(self, program: Program, order: list[int], wanted: Container[int]) -> None:
        self.uses = uses(program, order)
        self.terms: dict[int, list[int]] = {}
        templates, arguments, counts, terms = (
            program.templates,
            program.arguments,
            self.uses,
            self.terms,
        )
        for at in order:
            if templates[at] is not ADD:
                continue
            a, b = arguments[at]
            if a in terms and counts[a] == 1 and a not in wanted:
                found = terms.pop(a)
                found.append(b)
            elif b in terms and counts[b] == 1 and b not in wanted:
                found = terms.pop(b)
                found.append(a)
            else:
                found = [a, b]
            terms[at] = found
