"""From a name on the command line to cases: suites, files, modules, points.

A :class:`Target` is plain text, so that a worker process can find the same cases again;
functions, which may not pickle, never cross between processes.
"""

from __future__ import annotations

import ast
import contextlib
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from symtape.one_line import OneLineRepr
from verify.campaign.importing import (
    find_function,
    functions_of,
    import_place,
    marked_functions,
    member,
    only_function,
    split_place,
)
from verify.claimants.posing import pose_case
from verify.claimants.tape import claimed_by_programs
from verify.errors import UsageError
from verify.model.case import (
    MARK,
    Case,
    argument_names,
    check_quantity,
    positional_parameters,
    region_of,
    to_points,
)
from verify.regions import Region, parse
from verify.suites import SUITES

_NUMBERS: Final = {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e}


class NoCases(UsageError):
    """A file in which no function is marked; says how to mark one."""


@dataclass(frozen=True, slots=True, repr=False)
class Target(OneLineRepr):
    """What to verify, as the user wrote it.

    Attributes
    ----------
    name : str
        A suite, ``FILE.py``, ``FILE.py:function`` or ``module:function``.
    at : tuple of str
        Points, each as :func:`parse_point` takes it; instead of those that are marked.
    quantity : str, optional
        Instead of the marked one; ``"gradient"`` where nothing is marked.
    claimed : str, optional
        The function that claims to be the derivative: ``FILE.py:function``,
        ``module:function``, or a function of the same file or module.
    over : str, optional
        The region to search, as :func:`verify.regions.parse` takes it; instead of those that are
        marked, and of their points.
    compiled : str, optional
        The back end of the programs that claim in place of the tape.
    """

    name: str
    at: tuple[str, ...] = ()
    quantity: str | None = None
    claimed: str | None = None
    over: str | None = None
    compiled: str | None = None

    @property
    def is_suite(self) -> bool:
        """Whether this names a built-in suite."""
        return self.name in SUITES

    @property
    def has_points(self) -> bool:
        """Whether the points, or the region, are from the command line."""
        return bool(self.at) or self.over is not None

    def changed(self) -> int:
        """When the file that this names was changed, in nanoseconds; 0 where it names none."""
        place = self.name.rpartition(":")[0] or self.name
        with contextlib.suppress(OSError, ValueError):
            return os.stat(place).st_mtime_ns if place.endswith(".py") else 0
        return 0

    def cases(self) -> list[Case]:
        """Find the cases.

        Raises
        ------
        UsageError
            Whatever is wrong with the name, the file, the points or the claim.
        """
        found = self._find_cases()
        if not self.compiled:
            return found
        if self.claimed:
            raise UsageError(
                "--compiled is a claim as well as --claimed: leave one of them out; a function of "
                "yours can be claimed compiled, as my_gradient = symtape.jit(...)"
            )
        return [claimed_by_programs(case, self.compiled) for case in found]

    def _find_cases(self) -> list[Case]:
        if self.is_suite:
            self._refuse_options()
            return SUITES[self.name]()
        place, name = split_place(self.name)
        module = import_place(place)
        functions = (
            marked_functions(module) if name is None else {name: member(module, name, place)}
        )
        if name is None and self.has_points:
            functions = only_function(module, place)
        if not functions:
            raise _no_case(module, place)
        return [
            case
            for key, found in functions.items()
            for case in self._make_cases(found, place, key, module)
        ]

    def _refuse_options(self) -> None:
        given = {
            "--at": self.at,
            "--over": self.over,
            "--quantity": self.quantity,
            "--claimed": self.claimed,
        }
        used = [option for option, value in given.items() if value]
        if used:
            raise UsageError(
                f"{' and '.join(used)}: meant for a function of yours, but {self.name!r} is a "
                "built-in suite, whose cases bring their own. Name a function, FILE.py:function, "
                "or leave the option out."
            )

    def _make_cases(
        self, function: Callable[..., Any], place: str, name: str, module: ModuleType
    ) -> Iterator[Case]:
        marks = getattr(function, MARK, []) or [{}]
        points = to_points([parse_point(text) for text in self.at]) if self.at else None
        if not self.has_points and not marks[0]:
            raise _no_points(place, name)
        if self.quantity is not None:
            check_quantity(self.quantity)
        claimed = self._claimant(module) if self.claimed else None
        for number, mark in enumerate(marks, 1):
            suffix = f"#{number}" if len(marks) > 1 else ""
            case = Case(
                id=f"{place}:{name}{suffix}",
                title=mark.get("title") or name,
                function=function,
                at=points or (() if self.has_points else mark["at"]),
                quantity=self.quantity or mark.get("quantity", "gradient"),
                claimed=claimed or mark.get("claimed"),
                suite=place,
                seed=mark.get("seed", 0),
                effort=mark.get("effort"),
                strict=bool(mark.get("strict")),
            )
            region = self._region(function, mark)
            yield pose_case(case, region, mark.get("argnums"), mark.get("directions"))

    def _region(self, function: Callable[..., Any], mark: Mapping[str, Any]) -> Region | None:
        """The region to search: that of the command line, or else the marked one."""
        if self.over is not None:
            return spoken_region(function, self.over)
        over = None if self.has_points else mark.get("over")
        return None if over is None else region_of(function, over)

    def _claimant(self, module: ModuleType) -> Callable[..., Any]:
        assert self.claimed is not None
        if ":" in self.claimed or self.claimed.endswith(".py"):
            return find_function(self.claimed)
        return member(module, self.claimed, split_place(self.name)[0])


def spoken_region(function: Callable[..., Any], text: str) -> Region:
    """The region that a text describes for the arguments of `function`.

    Raises
    ------
    UsageError
        The text is none, or is one for other arguments.

    Examples
    --------
    >>> spoken_region(lambda x, y: x * y, "[0, 1], [2, 3]").describe()
    'x in [0, 1], y in [2, 3]'
    """
    required = _required_arguments(function)
    try:
        return parse(text, required)
    except UsageError:
        every = argument_names(function, len(positional_parameters(function)))
        if every == required:
            raise
    return parse(text, every)


def _required_arguments(function: Callable[..., Any]) -> list[str]:
    """The arguments of `function` that have no default."""
    found = positional_parameters(function)
    if not found:
        return argument_names(function, getattr(function, "nin", 1))
    return [one.name for one in found if one.default is one.empty]


def parse_point(text: str) -> tuple[Any, ...]:
    """A point from Python literals: the arguments of a function, separated by commas.

    Raises
    ------
    UsageError
        Not literals.

    Examples
    --------
    >>> parse_point("1.0, [2, 3]")
    (1.0, [2, 3])
    >>> parse_point("-inf")
    (-inf,)
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = ast.literal_eval(_Numbers().visit(tree))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise UsageError(
            f"--at {text!r} is not a point: expected Python numbers and lists, one argument of the "
            "function after another, as in --at '1.0, [2.0, 3.0]'; inf, nan, pi and e are known. "
            "Quote it, so that the shell passes it as one argument."
        ) from error
    return value if isinstance(value, tuple) else (value,)


class _Numbers(ast.NodeTransformer):
    """Numbers that have a name become literals."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in _NUMBERS:
            return ast.copy_location(ast.Constant(_NUMBERS[node.id]), node)
        return node


def _no_case(module: ModuleType, place: str) -> NoCases:
    name = next(iter(functions_of(module)), "f")
    return NoCases(
        f"{place} marks no case. Mark a function with @verify.case(at=[...]) or (over=[...]), "
        f"or give points here: symtape verify {place}:{name} --at '1.0, [2.0, 3.0]', "
        "or a region to search: --over '[-60, 60]'."
    )


def _no_points(place: str, name: str) -> UsageError:
    return UsageError(
        f"{place}:{name} is not marked with @verify.case(at=[...]), so it has no points. "
        f"Give some: symtape verify {place}:{name} --at '1.0, [2.0, 3.0]'; "
        "or a region to search: --over '[-60, 60]'."
    )
