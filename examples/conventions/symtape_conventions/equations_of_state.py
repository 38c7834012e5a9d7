"""Equations of state: ``dV_dT_g``, ``d2P_dTdV_l``, ``da_alpha_dT`` and their like, as of thermo."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, Final

from symtape_conventions.making import make_of_known
from symtape_conventions.names import derivative_named
from symtape_conventions.neighbourhood import Argument, Method, case_near
from verify import Case, box
from verify.auditing import (
    NotPosed,
    Pair,
    Unpaired,
    classes_of,
    has_methods,
    member,
    shorten_error,
    silence,
)

_SUBSTANCE: Final[Mapping[str, Any]] = {
    "Tc": 507.6,
    "Pc": 3025000.0,
    "omega": 0.2975,
    "kappa1": 0.05,
    "kappa2": 0.8,
    "kappa3": 0.5,
    "M": 0.7,
    "N": 0.2,
    "S1": 0.9,
    "S2": 0.1,
}
"""Hexane, by the names of the parameters of constructors; the others are made up."""

_STATES: Final[Mapping[str, Mapping[str, float]]] = {
    "g": {"T": 460.0, "P": 4e5},
    "l": {"T": 300.0, "P": 1e6},
}
"""Of a gas and of a liquid, far enough from where they change into each other."""

_SPAN: Final = (0.97, 1.03)

_PURE: Final = "a_alpha_and_derivatives_pure"
_ATTRACTION: Final = ("a_alpha", "da_alpha_dT", "d2a_alpha_dT2")

_PHASE: Final = re.compile(r"(?P<name>\w+?)_(?P<phase>[lg])(?:_(?P<held>[TPV]))?")

_HELD: Final = {
    ("P", "T"): "V",
    ("P", "V"): "T",
    ("V", "T"): "P",
    ("V", "P"): "T",
    ("T", "P"): "V",
    ("T", "V"): "P",
}
"""What is held of the other of volume, pressure and temperature."""


class EquationsOfState:
    """Attributes of states that ``to`` makes, and the attraction by temperature."""

    name = "equations-of-state"
    summary = "dV_dT_g, d2P_dTdV_l, da_alpha_dT and their like, of equations with to, as of thermo"

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Each attribute whose name says of which other attribute it is the derivative."""
        for kind in classes_of(module):
            if has_methods(kind, _PURE):
                yield from self._attraction(module, kind)
            if any("to" in vars(base) for base in kind.__bases__):
                # What further subclasses change is the attraction, which is judged by itself.
                yield from self._states(module, kind)

    def _attraction(self, module: ModuleType, kind: type) -> Iterator[Pair]:
        for order, name in enumerate(_ATTRACTION[1:], 1):
            yield self._pair(module, kind, f"{_PURE}[{name}]", {"order": order})

    def _states(self, module: ModuleType, kind: type) -> Iterator[Pair | Unpaired]:
        for claim in sorted(dir(kind)):
            found = _PHASE.fullmatch(claim)
            named = derivative_named(found["name"]) if found else None
            if found is None or named is None or not _is_value(kind, claim):
                continue
            of, by = named
            held = found["held"] or _held(found["name"], of, by)
            place = f"{module.__name__}:{kind.__qualname__}.{claim}"
            if not held or by not in ("T", "P", "V") or held == by:
                yield Unpaired(place, self.name, f"what is held of it as {by} varies is not known")
            else:
                settings = {"of": of, "by": by, "held": held, "phase": found["phase"]}
                yield self._pair(module, kind, claim, settings)

    def _pair(self, module: ModuleType, kind: type, claim: str, settings: dict[str, Any]) -> Pair:
        return Pair(
            id=f"{module.__name__}:{kind.__qualname__}.{claim}",
            convention=self.name,
            module=module.__name__,
            function=kind.__qualname__,
            claim=claim,
            settings=settings,
        )

    def pose(self, pair: Pair) -> Case:
        """One attribute by temperature, pressure or volume, the other one held."""
        kind, settings = member(pair.module, pair.function), pair.settings
        if "order" in settings:
            return _attraction_case(pair, kind, settings["order"])
        phase, by, held = settings["phase"], settings["by"], settings["held"]
        state = dict(_STATES[phase])
        here = make_of_known(kind, {**_SUBSTANCE, **state})
        try:
            with silence():
                state["V"] = getattr(here, f"V_{phase}")
                # From another state: one that is asked for again is not computed.
                other = here.to(T=1.1 * state["T"], P=0.7 * state["P"])
        except Exception as error:  # theirs: the reason is told
            words = f"{kind.__name__} has no such state: {shorten_error(error)}"
            raise NotPosed(words) from error
        of = _attribute(here, settings["of"], phase, held)

        def at(name: str) -> Callable[..., Any]:
            return lambda x: getattr(other.to(**{by: x, held: state[held]}), name)

        to, start = kind.to, state[by]
        return case_near(
            pair,
            Method(at(of), to),
            Method(at(pair.claim), to),
            [Argument(by, start, space=box(start * _SPAN[0], start * _SPAN[1]))],
        )


def _attraction_case(pair: Pair, kind: Any, order: int) -> Case:
    made = make_of_known(kind, {**_SUBSTANCE, "T": 400.0, "P": 1e6})
    method = getattr(kind, _PURE)
    return case_near(
        pair,
        Method(lambda t: made.a_alpha_and_derivatives_pure(t)[order - 1], method),
        Method(lambda t: made.a_alpha_and_derivatives_pure(t)[order], method),
        [Argument("T", 400.0, space=box(250.0, 480.0))],
    )


def _is_value(kind: type, name: str) -> bool:
    return not callable(getattr(kind, name)) or isinstance(getattr(kind, name), property)


def _held(name: str, of: str, by: str) -> str:
    """What is held of a derivative whose name does not say it."""
    while (before := derivative_named(of)) is not None:
        of = before[0]
    return _HELD.get((of, by), {"T": "P", "P": "T"}.get(by, ""))


def _attribute(state: Any, of: str, phase: str, held: str) -> str:
    """Under which name a state has what was differentiated."""
    for name in (f"{of}_{phase}_{held}", f"{of}_{phase}", of):
        if hasattr(state, name):
            return name
    raise NotPosed(f"{type(state).__name__} has no {of}, of any phase")


CONVENTION: Final = EquationsOfState()
