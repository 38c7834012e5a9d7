"""Posing pairs of functions: values of parameters, a region, and a reading of the claim."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

import numpy as np

from symtape.one_line import OneLineRepr
from verify.auditing.packages.annotations import annotated_hints
from verify.auditing.packages.arguments import Argument, arguments_of
from verify.auditing.packages.blocks import fill_zero_blocks, find_undeclared_blocks
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.declared_region import declared_region
from verify.auditing.packages.edges import edge_points
from verify.auditing.packages.examples import example_calls
from verify.auditing.packages.held import fix_arguments, name_after
from verify.auditing.packages.hints import Hint, hints_of
from verify.auditing.packages.numerical import differentiating_numerically
from verify.auditing.packages.pair import Pair
from verify.auditing.packages.reading import Reading, reading_of
from verify.auditing.packages.regions import region_for
from verify.auditing.packages.silence import silence
from verify.model.case import Case
from verify.regions import Region

Function = Callable[..., Any]

_MOST: Final = 16
"""Combinations of these that are tried."""


@dataclass(frozen=True, slots=True, repr=False)
class Claim(OneLineRepr):
    """What is known of a claim that a function of a package is the derivative of another.

    Attributes
    ----------
    function, claim : callable
    by : tuple of str
        The arguments that it is by; empty where the shapes are to tell.
    quantity : str
        "hessian" where it is one, else told by the shapes.
    constants : mapping
        Values of parameters of the function, which the claim is given too where it has them.
    hints : mapping of Hint
        Of arguments that are varied, whatever their names tell.
    own : mapping
        Values of parameters of the claim alone.
    zero : tuple of str
        Arguments by which the derivative is said to be zero, and the claim leaves it out.
    starts : tuple of points
        At which both were called with success.
    """

    function: Function
    claim: Function
    by: tuple[str, ...] = ()
    quantity: str = ""
    constants: Mapping[str, Any] = field(default_factory=dict)
    hints: Mapping[str, Hint] = field(default_factory=dict)
    own: Mapping[str, Any] = field(default_factory=dict)
    zero: tuple[str, ...] = ()
    starts: tuple[tuple[Any, ...], ...] = ()


def pose(pair: Pair, claim: Claim) -> Case:
    """A case of a pair of functions with fitting arguments.

    Raises
    ------
    NotPosed
        Their arguments do not fit, or nowhere all is finite, or the shapes fit no derivative.
    """
    arguments = arguments_of(claim.function)
    varied = _choose_varied(arguments, claim)
    names = [each.name for each in varied]
    renamed = _match_names(arguments, claim, names)
    packed = [each.name for each in varied if each.packed]
    hints = {**merge_hints(claim.function), **claim.hints}
    reason = NotPosed("no values of its parameters were tried")
    for constants in islice(_constants(arguments, claim), _MOST):
        function = _wrap_answer_in_array(
            fix_arguments(claim.function, names, constants, packed=packed)
        )
        own = {k: v for k, v in constants.items() if k in renamed} | dict(claim.own)
        claimed = fix_arguments(
            claim.claim,
            [renamed[name] for name in names],
            {renamed.get(k, k): v for k, v in own.items()},
            packed=[renamed[name] for name in packed],
        )
        filled = fill_zero_blocks(claimed, function, names, claim.by or names, claim.zero)
        try:
            region = _region(pair, claim, function, filled, names, hints)
            posed = _case(pair, claim, _PosedFunctions(function, claimed, filled, names, region))
            if pair.settings.get("over") or posed.claimed is None:
                return posed
            return replace(posed, at=edge_points(function, posed.claimed, region, hints))
        except NotPosed as error:
            reason = error
    raise reason


def merge_hints(function: Function) -> dict[str, Hint]:
    """What types and docstring say together."""
    typed, told = annotated_hints(function), hints_of(function)
    return {name: typed.get(name, Hint()).and_also(told.get(name, Hint())) for name in typed | told}


def _choose_varied(arguments: Sequence[Argument], claim: Claim) -> list[Argument]:
    """The numbers that are differentiated by, or that a region is over."""
    free = [each for each in arguments if each.name not in claim.constants]
    unknown = [each.name for each in free if each.kind == "other" and each.required]
    if unknown:
        raise NotPosed(
            f"no value is known for its parameter{'s' * (len(unknown) > 1)} {', '.join(unknown)}; "
            "give one in a manifest"
        )
    found = [
        each
        for each in free
        if each.name in {*claim.by, *claim.hints} or (each.kind == "number" and each.required)
    ]
    if not found:
        raise NotPosed("it has no numeric argument to differentiate by")
    missing = [name for name in claim.by if name not in {each.name for each in found}]
    if missing:
        raise NotPosed(f"it has no argument {missing[0]}, by which the derivative is claimed")
    return found


def _match_names(
    arguments: Sequence[Argument], claim: Claim, names: Sequence[str]
) -> dict[str, str]:
    """What the claim calls the arguments of the function."""
    theirs = [each for each in arguments_of(claim.claim) if each.name not in claim.own]
    known = {each.name for each in theirs}
    if set(names) <= known:
        renamed = {each.name: each.name for each in arguments if each.name in known}
    else:
        needed = [each.name for each in theirs if each.required]
        ours = [each.name for each in arguments if each.required]
        if len(needed) != len(ours):
            raise NotPosed(
                f"the arguments of the claim, {', '.join(needed) or 'none'}, do not fit those of "
                f"the function, {', '.join(ours) or 'none'}"
            )
        renamed = dict(zip(ours, needed, strict=True))
        if not set(names) <= renamed.keys():
            raise NotPosed("the claim does not take all arguments of the derivative")
    left = [each.name for each in theirs if each.required and each.name not in renamed.values()]
    if left:
        raise NotPosed(
            f"the claim takes {', '.join(left)}, unlike the function; give values in a manifest"
        )
    return renamed


def _constants(arguments: Sequence[Argument], claim: Claim) -> Iterator[dict[str, Any]]:
    """Values of the parameters that have no default: what examples have, then small numbers."""
    fixed = dict(claim.constants)
    parameters = [
        each
        for each in arguments
        if each.required
        and each.kind in ("whole", "flag", "word")
        and each.name not in fixed
        and each.name not in {*claim.by, *claim.hints}
    ]
    for values in itertools.product(*(each.choices for each in parameters)):
        yield fixed | {each.name: v for each, v in zip(parameters, values, strict=True)}


def _wrap_answer_in_array(function: Function) -> Function:
    """A function that returns an array where it returned a list, and a number for an array of one.

    The number of outputs is then told by the shape.
    """

    def call(*arguments: Any) -> Any:
        value = function(*arguments)
        return np.array(value) if isinstance(value, list | tuple) else value

    return name_after(function, call)


def put_in_one_array(function: Function) -> Function:
    """All numbers that a function returns, in one array."""

    def call(*arguments: Any) -> Any:
        value = function(*arguments)
        if isinstance(value, list | tuple):
            return np.concatenate([np.ravel(call_part) for call_part in value])
        return value

    return call


def _region(
    pair: Pair,
    claim: Claim,
    function: Function,
    claimed: Function,
    names: Sequence[str],
    hints: Mapping[str, Hint],
) -> Region:
    if over := pair.settings.get("over"):
        return declared_region(over, function, names)
    written = [*example_calls(claim.function), *example_calls(claim.claim)]
    near = [[call[name] for name in names] for call in written if set(names) <= {*call}]
    return region_for(
        function, hints, also=[put_in_one_array(claimed)], near=near, starts=claim.starts
    )


@dataclass(frozen=True, slots=True)
class _PosedFunctions:
    """The functions of the same arguments, and where they are judged.

    `claimed` is as the package returns it, and `filled` with all blocks.
    """

    function: Function
    claimed: Function
    filled: Function
    names: Sequence[str]
    region: Region


def _case(pair: Pair, claim: Claim, posed: _PosedFunctions) -> Case:
    reading, left_out = _read(posed, claim)
    whole = len(reading.by) == len(posed.names)
    by = None if whole else reading.by
    return Case(
        id=pair.id,
        title=_title(pair, posed.names, reading, left_out),
        function=posed.function,
        at=(),
        quantity=reading.quantity,
        claimed=name_after(posed.claimed, reading.read_claim(posed.filled)),
        suite=pair.module,
        over=posed.region,
        wrt=(by, by) if by is not None and reading.quantity == "hessian" else by,
        strict=False,
    )


def _title(pair: Pair, names: Sequence[str], reading: Reading, left_out: Sequence[str]) -> str:
    by = ", ".join(names[k] for k in reading.by)
    words = f"{pair.claim}, as the {reading.quantity} of {pair.function} by {by}"
    if not left_out:
        return words
    return f"{words}; the block by {', '.join(left_out)} is undeclared and taken for zero"


def _read(posed: _PosedFunctions, claim: Claim) -> tuple[Reading, list[str]]:
    """How the claim is read, and the arguments whose blocks it leaves out without a word."""
    reason = NotPosed("neither the function nor the claim returned anything that could be read")
    by = [posed.names.index(name) for name in claim.by]
    for point in islice(posed.region.points(0), 8):
        try:
            with silence():
                value = posed.function(*point)
                raw, numerically = differentiating_numerically(posed.claimed, point)
                answer = posed.filled(*point)
        except Exception:  # noqa: BLE001  # an edge of the region; others are tried
            continue
        if numerically:
            raise NotPosed(
                f"it differentiates numerically, by {numerically}; nobody wrote it by hand"
            )
        left_out = find_undeclared_blocks(raw, claim.by or posed.names, claim.zero)
        try:
            return reading_of(value, answer, point, by, claim.quantity), left_out
        except NotPosed as error:
            reason = error
    raise reason
