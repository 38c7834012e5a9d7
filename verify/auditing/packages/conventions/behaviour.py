"""Pairs by what they compute: whatever answers as the differences of a function do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

import numpy as np

from verify.auditing.packages.behaviour.candidates import (
    Candidate,
    candidate_of,
    families_of,
    fit,
    hints_for,
)
from verify.auditing.packages.behaviour.proposal import Proposal
from verify.auditing.packages.behaviour.proposals import proposals_of
from verify.auditing.packages.behaviour.sampling import Calls
from verify.auditing.packages.behaviour.siblings import siblings_of
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.element import select_item
from verify.auditing.packages.held import fix_arguments, name_after, parameters_of
from verify.auditing.packages.hints import Hint
from verify.auditing.packages.members import functions_of
from verify.auditing.packages.names import flags_of, is_derivative_named, readings
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import Claim, pose
from verify.auditing.packages.silence import silence
from verify.model.case import Case

Function = Callable[..., Any]

_SOME: Final = 0.5
"""Of a number whose default of 0 hides a term."""

_MOST_WORDS: Final = 12
"""Of an option, for each of which a pair is judged."""


class Behaviour:
    """What agrees with differences of a function is proposed as its derivative."""

    name = "behaviour"
    summary = (
        "functions and methods that agree with differences of another one in the same class or "
        "module, in most entries or up to a factor; names add weight"
    )

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Every proposal of each family of a module, and what was left without a pair."""
        claimed: set[str] = set()
        found = []
        for family in families_of(module):
            with silence():
                proposals = proposals_of(family)
            found.append((family, proposals))
            for each in proposals:
                claimed.add(each.claim)
                known = {it.name: it for it in family.candidates}
                told = parameters_of(known[each.claim].function)
                if each.is_own and each.element == (1,) and any(flags_of(told)):
                    continue  # Behind one value it is paired by the flag's name, right or wrong.
                yield self._pair(module, each)
                for option, other in _vary_options(each, known[each.function]):
                    pair = self._pair(module, other)
                    yield replace(pair, id=f"{pair.id}[{option}]")
            if family.reason and any(map(is_derivative_named, family.names)):
                yield Unpaired(f"{module.__name__}:{family.owner}", self.name, family.reason)
        with silence():
            siblings = list(siblings_of(found))
        yield from (replace(self._pair(module, each), sure=True) for each in siblings)
        for name, _ in functions_of(module):
            meant = dict.fromkeys(readings(name))
            if not meant or name in claimed or not is_derivative_named(name):
                continue
            beside = [it for each in meant for it in (each, f"_{each}") if hasattr(module, it)]
            words = (
                f"it and {beside[0]} could not be called with the same numbers, or have nothing in "
                "common; a manifest can pair them"
                if beside
                else f"there is no {' or '.join(meant)} beside it"
            )
            yield Unpaired(f"{module.__name__}:{name}", self.name, words)

    def _pair(self, module: ModuleType, each: Proposal) -> Pair:
        behind = "".join(f"[{k}]" for k in each.element)
        return Pair(
            id=f"{module.__name__}:{each.claim}{behind}",
            convention=self.name,
            module=module.__name__,
            function=each.function,
            claim=each.claim,
            quantity="hessian" if each.second else "gradient",
            settings={
                "of": list(each.item),
                "element": list(each.element),
                "by": list(each.by),
                "form": each.form,
                "shape": list(each.shape),
                "factor": each.factor,
                "constants": dict(each.constants),
                "points": [list(point) for point in each.points],
                "why": each.why,
            },
            sure=False,
        )

    def pose(self, pair: Pair) -> Case:
        """As it was found to agree, over a region about the points at which it was called."""
        settings = pair.settings
        made = candidate_of(pair.module, pair.function)
        names, constants = made.varied, settings["constants"]
        whole = fix_arguments(made.function, names, constants)
        fitted = next(fit(candidate_of(pair.module, pair.claim), names, constants), None)
        if fitted is None:
            raise NotPosed("the arguments of the claim no longer fit those of the function")
        form, shape = str(settings["form"]), tuple(settings["shape"])
        function = select_item(whole, tuple(settings["of"]), summed=form == "summed")
        sizes = {name: np.shape(x) for name, x in zip(names, settings["points"][0], strict=True)}
        columns = int(np.prod(sizes[settings["by"][0]]))
        element = select_item(fitted, tuple(settings["element"]))
        claim = _put_in_form(element, form, shape, settings["factor"], columns)
        known = hints_for(made)
        posed = pose(
            pair,
            Claim(
                function,
                claim,
                by=tuple(settings["by"]),
                quantity="hessian" if pair.quantity == "hessian" else "",
                hints={
                    name: Hint(shape=shape).and_also(known.get(name, Hint()))
                    for name, shape in sizes.items()
                },
                starts=tuple(map(tuple, settings["points"])),
            ),
        )
        return replace(posed, title=f"{posed.title}; {settings['why']}")


def _vary_options(each: Proposal, function: Candidate) -> Iterator[tuple[str, Proposal]]:
    """The same pair with each other word of an option, and with terms that a default of 0 hides.

    A branch of the code, or a term, of its own.
    """
    options: list[tuple[str, Any]] = [
        (argument.name, word)
        for argument in function.held
        for word in argument.words[:_MOST_WORDS]
        if each.constants.get(argument.name) not in (word, None)
    ]
    if each.is_own and each.sure == 1.0:
        told = parameters_of(function.function)
        zeros = [it.name for it in told if isinstance(it.default, float) and not it.default]
        options += [(name, _SOME) for name in zeros if _is_read(each, function, name)]
    for name, value in options:
        constants = {**each.constants, name: value}
        why = f"as with {name}={each.constants.get(name, 0.0)!r}: {each.why}"
        yield f"{name}={value}", replace(each, constants=constants, why=why)


def _is_read(each: Proposal, function: Candidate, name: str) -> bool:
    """Whether value and derivative of a tuple depend on an argument, and are finite with it."""
    before, after = (
        Calls(1).value(fix_arguments(function.function, function.varied, held), each.points[0])
        for held in (each.constants, {**each.constants, name: _SOME})
    )
    if before is None or after is None or name in function.varied:
        return False
    places = [before[1][path] for path in (each.item, each.element)]
    changed = all(np.any(before[0][at] != after[0][at]) for at in places)
    return changed and bool(np.isfinite(after[0]).all())


def _put_in_form(
    claim: Function, form: str, shape: tuple[int, ...], factor: float, columns: int
) -> Function:
    """A claim with the axes of a derivative, or one array for each of several arguments."""

    def call(*arguments: Any) -> Any:
        answer = np.asarray(claim(*arguments)) if form != "parts" else claim(*arguments)
        if form == "diagonal":
            answer = np.diag(np.ravel(answer)).reshape(shape)
        elif form == "transposed":
            answer = np.reshape(answer, (columns, -1)).T.reshape(shape)
        elif np.shape(answer) != shape:
            answer = np.reshape(np.asarray(answer), shape)
        answer = answer if factor == 1 else factor * np.asarray(answer)
        return tuple(answer) if form == "stacked" else answer

    return name_after(claim, call)


CONVENTION: Final = Behaviour()
