"""One attempt to prove a claim over a region, by parts of it on which one path is taken."""

from __future__ import annotations

import heapq
import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.graph import Graph
from symtape.process.work import meter_work
from symtape.rigorous.deciding import UndecidedOrder
from symtape.rigorous.scalar import enclose_interval
from symtape.symbolic.trees import Tree
from verify.claimants.claim import Claim
from verify.model.case import argument_names
from verify.oracles.over_region.choices import choices_at, choices_over
from verify.oracles.over_region.constants import number_meant
from verify.oracles.over_region.cuts import Cut, Cutter
from verify.oracles.over_region.domain import Domain, Kink
from verify.oracles.over_region.enclosure import ALL_BITS, enclose
from verify.oracles.over_region.needs import Undefined
from verify.oracles.over_region.part import Part, RegionProof, add_shares
from verify.oracles.over_region.path import Found, Path
from verify.oracles.over_region.pieces import stepping_nodes
from verify.oracles.over_region.recordings import Recordings
from verify.regions.box import Box

_MOST_BOXES: Final = 128
_MOST_PROOFS: Final = 32

_LEAST_SHARE: Final = 2.0**-14
"""Smaller parts of the region are not divided."""

_OF_FORMULA: Final = 0.75
"""Of the work, for one formula: what is not proved with it may be enclosed with the rest."""

_MOST_DOMAINS: Final = 8
"""Parts of which it is asked where all is defined."""

_TRIED: Final = 60
"""Points of a part that are tried for one at which all is defined."""

_MOST_OPEN: Final = 64
"""Parts without a proof from which points are taken, the smallest first."""

_ASKED: Final = 3
"""Points of a part at which functions are compared with what was recorded of them."""


class Attempt:
    """One attempt, part by part."""

    def __init__(
        self,
        claim: Claim,
        spaces: Sequence[Box],
        whole: Part,
        in_pieces: bool,
        partial: bool,
        note: Callable[[str], None],
    ) -> None:
        self.claim, self.spaces, self.whole, self.note = claim, spaces, whole, note
        self.in_pieces, self.has_pieces = in_pieces, False
        self.partial, self.has_domain = partial, False
        self._domains = 0
        self._recordings = Recordings(claim, spaces)
        self._cutter = Cutter(
            whole.lower, whole.upper, self._recordings.find_recording, self._recordings.arrays
        )
        self._steps: dict[int, frozenset[int]] = {}
        self._paths: dict[Any, Path | None] = {}
        self._everywhere: set[Any] = set()
        self._rounded: set[Any] = set()
        self._enclosed: set[Any] = set()
        self._proved: dict[Any, list[Part]] = {}
        self._waiting: list[tuple[Fraction, int, Part]] = []
        self._given_up: list[Part] = []
        self._proofs = 0
        self._most = math.inf

    def run(self, most: float) -> None:
        """Prove part by part, the largest first; what is not decided is cut in halves.

        Raises
        ------
        BudgetSpent
            It takes more than `most` operations.
        """
        self._most = most
        with meter_work(most, "a proof over the region"):
            self._prove_parts()

    def _prove_parts(self) -> None:
        widths = self.whole.upper - self.whole.lower
        # What is linear in directions is not divided along them.
        sizes = [int(np.prod(space.shape)) for space in self.spaces]
        widths[sum(sizes[: len(sizes) - self.claim.quantity.directions]) :] = np.inf
        self._waiting = [(Fraction(-1), 0, self.whole)]
        for number in range(_MOST_BOXES):
            if not self._waiting:
                return
            part = heapq.heappop(self._waiting)[2]
            self._given_up.append(part)  # until it is proved, whatever ends the attempt
            found = self._prove_part(part)
            if found is Found.NOT_PROVED and not self._proved:
                return
            if found is Found.CONDITIONAL and part.share > _LEAST_SHARE:
                self._given_up.pop()
                cut = part.kink or (self._find_cut(part, widths) if part.turns else None)
                for k, half in enumerate(part.cut(cut) if cut else part.halves(widths)):
                    heapq.heappush(self._waiting, (-half.share, 2 * number + k + 1, half))
            elif found is Found.PROVED:
                self._given_up.pop()

    def proof(self) -> RegionProof | None:
        """What was proved."""
        parts = tuple(part for found in self._proved.values() for part in found)
        if not parts:
            return None
        everywhere = [part for part in parts if not part.conditions]
        return RegionProof(
            share=add_shares(part for part in everywhere if not part.bits),
            paths=len(self._proved),
            rounded=bool(self._rounded),
            enclosed=add_shares(everywhere),
            enclosed_bits=min((part.bits for part in parts if part.bits), default=0),
            parts=parts,
            covered=add_shares(parts),
            conditions=tuple(
                dict.fromkeys(self._spell(part.conditions) for part in parts if part.conditions)
            ),
            open_points=tuple(self._open_points()),
        )

    def _open_points(self) -> Iterator[tuple[Any, ...]]:
        """Points of the parts without a proof, some of each."""
        random = np.random.default_rng(0)
        parts = [*self._given_up, *(part for *_, part in self._waiting)]
        for part in sorted(parts, key=lambda each: each.share)[:_MOST_OPEN]:
            for place in part.draw(random, _ASKED):
                yield self._recordings.arrays(place.tolist())

    def _spell(self, conditions: Sequence[str]) -> str:
        """Conditions on numbers, which are called as the arguments are."""
        directions = self.claim.quantity.directions
        names = argument_names(self.claim.function, len(self.spaces) - directions)
        names += ["the direction"] * directions
        entries = [
            name + f"[{', '.join(map(str, at))}]" * bool(at)
            for name, space in zip(names, self.spaces, strict=True)
            for at in np.ndindex(space.shape)
        ]
        words = " and ".join(conditions)
        return re.sub(r"\bx(\d+)\b", lambda found: entries[int(found[1])], words)

    def _prove_part(self, part: Part) -> Found:
        try:
            x = self._recordings.arrays(part.inner.tolist())
            part.programs = self._recordings.find_recording(x)
            key, doubtful = self._choices_on(part, x)
            path = self._path(key, part, x)
            if path is None:
                self.note("its path is given up")
                return Found.NOT_PROVED
            part.doubtful = tuple(doubtful)
            is_defined = path.definedness.is_defined(part.bounds, doubtful, part.taken)
            is_partial = bool(part.without_kinks or part.decided_where)
            if is_partial or not is_defined:
                domain = self._find_domain(path, part)
                if is_partial or domain is None or domain.conditions:
                    return self._prove_where_defined(key, path, part, domain)
            found = self._try_formula(key, path, part)
            if found is Found.NOT_PROVED:
                found = self._enclose(key, path, part)
        except UndecidedOrder as error:
            self.note(str(error))
            part.turns = True
            return Found.CONDITIONAL
        except BudgetSpent:
            raise
        except Exception as error:  # noqa: BLE001  # users' code, given tensors: whatever it raises
            self.note(str(error))
            return Found.NOT_PROVED
        if found is Found.PROVED:
            part.path, part.rounded = path, key in self._rounded
            places = self._defined_places(part)
            self._recordings.check(part.programs, places[: 1 if key in self._proved else _ASKED])
            self._proved.setdefault(key, []).append(part)
        else:
            self.note(path.reason)
            if found is Found.NOT_PROVED:
                self._paths[key] = None
        return found

    def _enclose(self, key: Any, path: Path, part: Part) -> Found:
        """Whether the claim is near the derivative all over a part, or as near as it states."""
        accuracy = self.claim.accuracy
        bits = enclose(path, part.bounds, accuracy)
        if bits:
            part.bits = bits % ALL_BITS
            self._enclosed.add(key)
            return Found.PROVED
        if accuracy is None or len(part.bounds) == 1:
            return Found.NOT_PROVED
        path.reason = "it may not be as near as it states"
        return Found.CONDITIONAL

    def _balls(self, part: Part) -> list[Any]:
        return [enclose_interval(arb(low), arb(high)) for low, high in part.bounds]

    def _choices_on(self, part: Part, x: tuple[Any, ...]) -> Any:
        balls = self._recordings.arrays(self._balls(part))
        values = [graph.values(*x) for graph in part.programs]
        steps = [self._stepping_nodes(graph, x) for graph in part.programs]
        settled = [frozenset[int]()] * 2
        if part.taken:
            if any(steps):
                # A step at the face of a cut would have a side on which there is nothing.
                raise UndecidedOrder("a part that was cut has pieces")
            path = self._path(self._key_at(part, values), part, x)
            settled = path.definedness.settled_nodes(part.taken) if path else settled
        chosen: list[tuple[bytes, list[int]]] = []
        asked = zip(part.programs, values, steps, settled, strict=True)
        for graph, floats, stepping, known in asked:
            try:
                chosen.append(choices_over(graph, balls, floats, stepping, known))
            except UndecidedOrder:
                # Conditions of the function may decide what the claim chooses.
                self.has_domain = self.has_domain or bool(chosen and chosen[0][1])
                if not (self.partial and chosen):
                    raise
                decided = self._decide_comparisons(part, x, values, chosen[0][1])
                chosen.append(choices_over(graph, balls, floats, stepping, known | decided))
        return (*map(id, part.programs), *(key for key, _ in chosen)), [at for _, at in chosen]

    def _decide_comparisons(
        self, part: Part, x: tuple[Any, ...], values: Any, doubtful: Sequence[int]
    ) -> frozenset[int]:
        """The comparisons of the claim that what the function needs decides."""
        path = self._path(self._key_at(part, values), part, x)
        part.doubtful = doubtful, ()
        domain = self._find_domain(path, part) if path is not None else None
        if domain is None:
            return frozenset()
        part.decided_where = domain.conditions
        return domain.decided

    def _key_at(self, part: Part, values: Any) -> Any:
        return *map(id, part.programs), *map(choices_at, part.programs, values)

    def _find_cut(self, part: Part, widths: Any) -> Cut | None:
        if self.has_pieces:
            return None
        by_width = np.argsort((part.lower - part.upper) / widths, kind="stable").tolist()
        sides = [side for side in by_width if np.isfinite(widths[side])]
        try:
            return self._cutter.find(part.lower, part.upper, part.inner, part.faces, sides)
        except BudgetSpent:
            raise
        except Exception:  # noqa: BLE001  # users' code, given tensors: whatever it raises
            return None

    def _stepping_nodes(self, graph: Graph, x: tuple[Any, ...]) -> frozenset[int]:
        if not self.in_pieces:
            return frozenset()
        if id(graph) not in self._steps:
            self._steps[id(graph)] = stepping_nodes(graph, graph.values(*x))
            self.has_pieces = self.has_pieces or bool(self._steps[id(graph)])
        return self._steps[id(graph)]

    def _path(self, key: Any, part: Part, x: tuple[Any, ...]) -> Path | None:
        if key not in self._paths:
            self._paths[key] = None
            self._paths[key] = Path(*part.programs, x, self.claim.quantity, self.in_pieces)
        return self._paths[key]

    def _try_formula(self, key: Any, path: Path, part: Part) -> Found:
        """With a share of the work, for what is not proved may be enclosed."""
        try:
            with meter_work(self._most * _OF_FORMULA, "a proof over the region"):
                return self._prove_formula(key, path, part)
        except BudgetSpent:
            path.reason = "it takes too much work"
            return Found.NOT_PROVED

    def _prove_formula(self, key: Any, path: Path, part: Part) -> Found:
        if key in self._everywhere:
            return Found.PROVED
        if key in self._enclosed:
            return Found.NOT_PROVED
        found = Found.NOT_PROVED
        if key not in self._rounded:
            found = self._prove_formula_on(key, path, part, rounded=False)
        asked = found is Found.NOT_PROVED and path.has_rounded_constants
        # Of an approximation it is asked how far it is off, as it is.
        asked = asked and self.claim.accuracy is None
        if asked and (
            path.definedness.is_defined_as_meant(part.bounds)
            or self._ask_domain(path, part, number_meant)
        ):
            found = self._prove_formula_on(key, path, part, rounded=True)
            if found is Found.PROVED:
                self._rounded.add(key)
        return found

    def _prove_formula_on(self, key: Any, path: Path, part: Part, rounded: bool) -> Found:
        """On the whole region, where the path holds anyway, or else on `part`."""
        found = Found.CONDITIONAL
        for box in (part,) if key in self._proved or part is self.whole else (self.whole, part):
            if self._proofs >= _MOST_PROOFS:
                raise Unsupported("it takes too many proofs")
            self._proofs += 1
            found = path.prove(box.bounds, rounded)
            if found is Found.PROVED and box is self.whole:
                self._everywhere.add(key)
            if found is Found.PROVED:
                break
        return found

    def _find_domain(self, path: Path, part: Part) -> Domain | None:
        """Where in a part all is defined; what is not proved of the function is a condition."""
        self._domains += 1
        if self._domains > _MOST_DOMAINS:
            path.reason = "it may be undefined"
            return None
        return self._ask_domain(path, part, assumes=True)

    def _ask_domain(
        self,
        path: Path,
        part: Part,
        meaning: Callable[[Fraction], Tree] | None = None,
        assumes: bool = False,
    ) -> Domain | None:
        try:
            found = path.definedness.find_domain(
                part.bounds, part.doubtful, meaning, assumes, part.taken
            )
        except Undefined as error:
            path.reason = f"it may be undefined: {error}"
            if isinstance(error, Kink):
                self.has_domain = True
                part.kink = _cut_at(error) if self.partial else None
            return None
        # What was decided has to be so in all of it.
        return found if set(part.decided_where) <= set(found.conditions) else None

    def _prove_where_defined(
        self, key: Any, path: Path, part: Part, domain: Domain | None
    ) -> Found:
        """Whether the formula is that of the derivative where the function is defined."""
        found = Found.CONDITIONAL
        if domain is not None and self.partial:
            found = path.prove(part.bounds, domain=domain)
        if found is Found.NOT_PROVED and path.has_rounded_constants:
            domain = self._ask_domain(path, part, number_meant, assumes=True)
            if domain is not None and path.prove(part.bounds, True, domain) is Found.PROVED:
                part.rounded, found = True, Found.PROVED
                self._rounded.add(key)
        if domain is not None and not self.partial:
            self.has_domain, path.reason = True, "it may be undefined"
        if found is Found.PROVED and domain is not None:
            conditions = dict.fromkeys((*part.without_kinks, *domain.conditions))
            part.path, part.conditions = path, tuple(conditions)
            places = self._defined_places(part)
            if places:
                self._recordings.check(part.programs, places)
                self._proved.setdefault(key, []).append(part)
                return found
            found, path.reason = Found.CONDITIONAL, "it is not known to be defined anywhere"
        self.note(path.reason)
        if found is Found.NOT_PROVED:
            self._paths[key] = None
        return found

    def _defined_places(self, part: Part) -> list[Any]:
        """Points of a part that meet its conditions."""
        places = part.draw(np.random.default_rng(0), _TRIED)
        return list(itertools.islice(filter(part.is_defined_at, places), _ASKED))


def _cut_at(kink: Kink) -> Cut | None:
    """A cut whose face no path holds; None if it is at no float."""
    if Fraction(float(kink.place)) != kink.place:
        return None
    return Cut(kink.side, float(kink.place), np.zeros((2, 2), dtype=bool))
