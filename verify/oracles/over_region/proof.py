"""The proof of a claim over a region, by parts of it on which one path is taken."""

from __future__ import annotations

import heapq
import itertools
import math
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import repeat
from typing import Any, Final

import numpy as np
from flint import arb

import symtape
from symtape.errors import BudgetSpent, Unsupported
from symtape.graph import freeze
from symtape.graph.fidelity import departure
from symtape.graph.graph import Graph
from symtape.process.work import meter_work
from symtape.reading.readings import ways_to_run
from symtape.recording.structure import flatten, separate_entries
from symtape.rigorous.deciding import UndecidedOrder
from symtape.rigorous.floats import may_return
from symtape.rigorous.scalar import enclose_interval
from symtape.symbolic.interval import Interval
from verify.claimants.claim import Claim
from verify.claimants.stopped_gradients import remove_stops
from verify.model.case import argument_names
from verify.model.rounding_bound import RoundingBound
from verify.oracles.over_region.choices import choices_at, choices_over, is_readable
from verify.oracles.over_region.constants import number_meant
from verify.oracles.over_region.cuts import Cut, Cutter, Faces
from verify.oracles.over_region.domain import Domain
from verify.oracles.over_region.path import ALL_BITS, Found, Path
from verify.oracles.over_region.pieces import stepping_nodes
from verify.oracles.over_region.spaces import boxes_of, find_ends
from verify.regions import Region, Subset
from verify.regions.box import Box

MOST_WORK: Final = 1_000_000
"""Operations that a proof may take which is asked for."""

_MOST_BOXES: Final = 128
_MOST_RECORDED: Final = 12
_MOST_PROOFS: Final = 32
_OPERATIONS: Final = 20_000
"""Most operations of a function, or of a claim, that is proved."""

_LEAST_SHARE: Final = 2.0**-14
"""Smaller parts of the region are not divided."""

_BESIDE: Final = 2.0**-20
"""By so much of its width a box is taken wider, for a derivative is one of both sides."""

_INNER: Final = 0.53125

_MOST_DOMAINS: Final = 8
"""Parts of which it is asked where all is defined."""

_TRIED: Final = 60
"""Points of a part that are tried for one at which all is defined."""

_ASKED: Final = 3
"""Points of a part at which functions are compared with what was recorded of them."""


@dataclass(frozen=True, slots=True)
class RegionProof:
    """Where a claim's formula is proved to be that of the derivative.

    Attributes
    ----------
    share : float
        Of the volume of the region; 1 only if nothing of it is left.
    paths : int
        On how many paths.
    enclosed : float
        On how much of it the claim is proved, or enclosed to `bits`.
    bits : int
        To how many bits of the largest value of each entry.
    rounded : bool
        Whether constants stand for numbers that they may have been rounded from.
    covered : float
        On how much of it the claim is proved or enclosed, at least wherever the operations of the
        function are defined and smooth.
    conditions : tuple of str
        For each path where that is, unless it is all of a part.
    parts : tuple of Part
        What is proved, and what is enclosed.
    rounding : RoundingBound or None
        The bound on the claim's rounding error, if that was asked.
    """

    share: float
    paths: int
    rounded: bool
    enclosed: float
    bits: int
    parts: tuple[Part, ...] = field(repr=False)
    rounding: RoundingBound | None = None
    covered: float = 0.0
    conditions: tuple[str, ...] = ()

    def program_at(self, x: Sequence[Any]) -> Graph | None:
        """The claim's program in the part of the region that `x` is in; None if it is in none."""
        flat = np.concatenate([np.ravel(arg) for arg in x])
        for part in self.parts:
            inside = np.all(part.lower <= flat) and np.all(flat <= part.upper)
            held = inside and part.faces.hold(part.lower, part.upper, flat)
            if held and not part.bits and part.is_defined_at(flat):
                return part.programs[1]
        return None


@dataclass(slots=True)
class Part:
    """A box of numbers, and the recordings that hold on it.

    Attributes
    ----------
    lower, upper : arrays
    faces : Faces
        The ends at which it was cut.
    share : Fraction
        Of the volume of the region.
    programs : tuple of Graph
        Of the function and of the claim.
    bits : int
        0 where it is proved, else to how many it is enclosed.
    path : Path or None
        What they compute there.
    rounded : bool
        Whether constants stand for numbers that they may have been rounded from.
    conditions : tuple of str
        What the function's operations need; only points that meet it are proved.
    doubtful : tuple of lists of int
        The nodes of function and claim that need it, or are not known to be defined.
    turns : bool
        Whether something is chosen otherwise elsewhere in it, as far as is known.
    """

    lower: Any
    upper: Any
    faces: Faces
    share: Fraction = Fraction(1)
    programs: tuple[Graph, Graph] = ()  # type: ignore[assignment]
    bits: int = 0
    path: Path | None = None
    rounded: bool = False
    conditions: tuple[str, ...] = ()
    doubtful: tuple[Sequence[int], ...] = ()
    turns: bool = False

    def is_defined_at(self, flat: Any) -> bool:
        """Whether the numbers `flat`, which are in the part, meet its conditions."""
        if not self.conditions:
            return True
        assert self.path is not None
        return self.path.is_defined([(x, x) for x in flat.tolist()], self.doubtful)

    @property
    def middle(self) -> Any:
        """The point that halves its sides."""
        return self.lower + (self.upper - self.lower) / 2

    @property
    def inner(self) -> Any:
        """A point that is no middle, for programs may ask whether a direction is zero."""
        return self.lower + (self.upper - self.lower) * _INNER

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """A little more than the box, but where it was cut."""
        below, above = np.where(self.faces.cut, 0.0, _BESIDE * (self.upper - self.lower))
        return list(zip((self.lower - below).tolist(), (self.upper + above).tolist(), strict=True))

    @property
    def taken(self) -> list[list[Interval]]:
        """The numbers at which function and claim take its path, if it was cut."""
        if not np.any(self.faces.cut):
            return []
        return [self.faces.intervals(self.bounds, program) for program in (0, 1)]

    def halves(self, widths: Any) -> tuple[Part, Part]:
        """Cut across the side that is the longest beside those of the region."""
        at = int(np.argmax((self.upper - self.lower) / widths))
        return self._divide(at, self.middle[at], self.faces.divided(at))

    def cut(self, cut: Cut) -> tuple[Part, ...]:
        """Cut where a path turns; at an end of it a strip beyond is taken for what turns there."""
        lower, upper = self.lower.copy(), self.upper.copy()
        strip = _BESIDE / 2 * (upper - lower)[cut.side]
        is_low, is_high = cut.place == lower[cut.side], cut.place == upper[cut.side]
        lower[cut.side] -= strip * is_low
        upper[cut.side] += strip * is_high
        whole = Part(lower, upper, self.faces, self.share)
        below, above = whole._divide(cut.side, cut.place, self.faces.divided(cut.side, cut.taken))
        if not (is_low or is_high):
            return below, above
        inside = above if is_low else below
        if np.all(cut.taken[:, int(is_low)]):
            inside.share = self.share
            return (inside,)
        return below, above

    def _divide(self, at: int, place: float, faces: tuple[Faces, Faces]) -> tuple[Part, Part]:
        below, above = self.upper.copy(), self.lower.copy()
        below[at] = above[at] = place
        low, middle, high = map(Fraction, (self.lower[at], place, self.upper[at]))
        share = self.share * (middle - low) / (high - low)
        return (
            Part(self.lower, below, faces[0], share),
            Part(above, self.upper, faces[1], self.share - share),
        )


def prove_over(
    claim: Claim,
    region: Region,
    most: float = MOST_WORK,
    note: Callable[[str], None] = lambda reason: None,
    where_defined: bool = True,
) -> RegionProof | None:
    """Where over `region` the formula of a claim is proved to be that of the derivative.

    Parameters
    ----------
    claim : Claim
        By somebody whose code can be recorded.
    region : Region
        Boxes of floats; of a subset of them nothing is known unless the claim is proved on all.
    most : float
        Operations that it may take.
    note : callable
        Told why a part is neither proved nor enclosed, once for each part and attempt.
    where_defined : bool
        Whether it is proved also on parts that are not all in the domain of the function.

    Returns
    -------
    RegionProof or None
        None where nothing is proved.
    """
    spaces = boxes_of(region)
    if not spaces or claim.accuracy is not None or claim.is_read:
        note("it is no box, or states an accuracy, or is of another framework")
        return None
    lower, upper = (np.concatenate(ends) for ends in zip(*map(find_ends, spaces), strict=True))
    whole = Part(lower, upper, Faces.none(lower.size))
    found = None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Pieces in one formula, or else each by itself, where less has to be proved at once; last
        # where the operations of the function are defined.
        has_pieces = has_domain = False
        for in_pieces, partial in ((True, False), (False, False), (False, True)):
            if (partial and not (has_domain and where_defined)) or not (
                in_pieces or partial or has_pieces
            ):
                continue
            attempt = _Attempt(claim, spaces, whole, in_pieces, partial, note)
            try:
                with meter_work(most, "a proof over the region"):
                    attempt.run()
            except BudgetSpent:
                note("it takes too much work")
            except _NotRecorded:
                note("the recording is not the function")
                return None
            proof = attempt.proof()
            if proof is not None and (found is None or _extent(proof) > _extent(found)):
                found = proof
            has_pieces, has_domain = attempt.has_pieces, has_domain or attempt.has_domain
            if found is not None and found.enclosed == 1:
                break
    partly = found is not None and found.covered < 1
    return None if partly and isinstance(region, Subset) else found


def _extent(proof: RegionProof) -> tuple[float, float, float]:
    return proof.covered, proof.enclosed, proof.share


def _add_shares(parts: Iterable[Part]) -> float:
    """How much of the region some parts are; below 1 if anything is left, however little."""
    share = sum(part.share for part in parts)
    return 1.0 if share == 1 else min(float(share), math.nextafter(1.0, 0.0))


class _NotRecorded(Exception):
    """A recording is not the function; whatever was proved of it is of something else."""


class _Attempt:
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
        self._cutter = Cutter(whole.lower, whole.upper, self._programs_at, self._arrays)
        self._steps: dict[int, frozenset[int]] = {}
        self._programs: list[tuple[Graph, Graph]] = []
        self._paths: dict[Any, Path | None] = {}
        self._everywhere: set[Any] = set()
        self._rounded: set[Any] = set()
        self._enclosed: set[Any] = set()
        self._proved: dict[Any, list[Part]] = {}
        self._proofs = 0

    def run(self) -> None:
        """Prove part by part, the largest first; what is not decided is cut in halves."""
        widths = self.whole.upper - self.whole.lower
        # What is linear in directions is not divided along them.
        sizes = [int(np.prod(space.shape)) for space in self.spaces]
        widths[sum(sizes[: len(sizes) - self.claim.quantity.directions]) :] = np.inf
        waiting = [(Fraction(-1), 0, self.whole)]
        for number in range(_MOST_BOXES):
            if not waiting:
                return
            part = heapq.heappop(waiting)[2]
            found = self._prove_part(part)
            if found is Found.NOT_PROVED and not self._proved:
                return
            if found is Found.CONDITIONAL and part.share > _LEAST_SHARE:
                cut = self._find_cut(part, widths) if part.turns else None
                for k, half in enumerate(part.cut(cut) if cut else part.halves(widths)):
                    heapq.heappush(waiting, (-half.share, 2 * number + k + 1, half))

    def proof(self) -> RegionProof | None:
        """What was proved."""
        parts = tuple(part for found in self._proved.values() for part in found)
        if not parts:
            return None
        everywhere = [part for part in parts if not part.conditions]
        return RegionProof(
            share=_add_shares(part for part in everywhere if not part.bits),
            paths=len(self._proved),
            rounded=bool(self._rounded),
            enclosed=_add_shares(everywhere),
            bits=min((part.bits for part in parts if part.bits), default=0),
            parts=parts,
            covered=_add_shares(parts),
            conditions=tuple(
                dict.fromkeys(self._spell(part.conditions) for part in parts if part.conditions)
            ),
        )

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
            x = self._arrays(part.inner.tolist())
            part.programs = self._programs_at(x)
            key, doubtful = self._choices_on(part, x)
            path = self._path(key, part, x)
            if path is None:
                self.note("its path is given up")
                return Found.NOT_PROVED
            part.doubtful = tuple(doubtful)
            if not path.is_defined(part.bounds, doubtful, part.taken):
                if part.taken:
                    self.note("it may be undefined")
                    return Found.CONDITIONAL
                domain = self._find_domain(path, part)
                if domain is None or domain.conditions:
                    return self._prove_where_defined(key, path, part, domain)
            found = self._prove_formula(key, path, part)
            if found is Found.NOT_PROVED and (bits := path.enclose(part.bounds)):
                part.bits, found = bits % ALL_BITS, Found.PROVED
                self._enclosed.add(key)
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
            self._check_fidelity(part, first=key not in self._proved)
            self._proved.setdefault(key, []).append(part)
        else:
            self.note(path.reason)
            if found is Found.NOT_PROVED:
                self._paths[key] = None
        return found

    def _arrays(self, numbers: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments that `numbers` are."""
        parts = separate_entries(np.array(numbers, dtype=object), [it.shape for it in self.spaces])
        if not isinstance(numbers[0], float):
            return tuple(part[()] for part in parts)
        return tuple(
            part.astype(space.dtype)[()] for part, space in zip(parts, self.spaces, strict=True)
        )

    def _balls(self, part: Part) -> list[Any]:
        return [enclose_interval(arb(low), arb(high)) for low, high in part.bounds]

    def _programs_at(self, x: tuple[Any, ...]) -> tuple[Graph, Graph]:
        """Function and claim as they are recorded at `x`.

        Raises
        ------
        Unsupported
            One of them is not all recorded, or there are too many.
        """
        for programs in self._programs:
            if all(program.holds(*x) for program in programs):
                return programs
        if len(self._programs) >= _MOST_RECORDED:
            raise Unsupported("it takes too many paths")
        calls = self.claim.calls
        with calls.limit_call("the function", x, BudgetSpent):
            function = record_all(self.claim.function, x)
        with calls.limit_call(self.claim.claimant, x, BudgetSpent):
            claimed = remove_stops(record_all(self.claim.derivative, x))
        made = function, claimed
        if not all(map(is_readable, made)):
            raise Unsupported("not all of it has a formula")
        self._programs.append(made)
        return made

    def _choices_on(self, part: Part, x: tuple[Any, ...]) -> Any:
        balls = self._arrays(self._balls(part))
        values = [graph.values(*x) for graph in part.programs]
        steps = [self._stepping_nodes(graph, x) for graph in part.programs]
        settled = [frozenset[int]()] * 2
        if part.taken:
            if any(steps):
                # A step at the face of a cut would have a side on which there is nothing.
                raise UndecidedOrder("a part that was cut has pieces")
            key = *map(id, part.programs), *map(choices_at, part.programs, values)
            path = self._path(key, part, x)
            settled = path.settled_nodes(part.taken) if path else settled
        chosen = [
            choices_over(graph, balls, floats, stepping, known)
            for graph, floats, stepping, known in zip(
                part.programs, values, steps, settled, strict=True
            )
        ]
        return (*map(id, part.programs), *(key for key, _ in chosen)), [at for _, at in chosen]

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

    def _prove_formula(self, key: Any, path: Path, part: Part) -> Found:
        if key in self._everywhere:
            return Found.PROVED
        if key in self._enclosed:
            return Found.NOT_PROVED
        found = Found.NOT_PROVED
        if key not in self._rounded:
            found = self._prove_formula_on(key, path, part, rounded=False)
        asked = found is Found.NOT_PROVED and path.has_rounded_constants
        if asked and (
            path.is_defined_as_meant(part.bounds)
            or path.find_domain(part.bounds, part.doubtful, number_meant)
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
        return path.find_domain(part.bounds, part.doubtful, assumes=True)

    def _prove_where_defined(
        self, key: Any, path: Path, part: Part, domain: Domain | None
    ) -> Found:
        """Whether the formula is that of the derivative where the function is defined."""
        found = Found.CONDITIONAL
        if domain is not None and self.partial:
            found = path.prove(part.bounds, domain=domain)
        if found is Found.NOT_PROVED and path.has_rounded_constants:
            domain = path.find_domain(part.bounds, part.doubtful, number_meant, assumes=True)
            if domain is not None and path.prove(part.bounds, True, domain) is Found.PROVED:
                part.rounded, found = True, Found.PROVED
                self._rounded.add(key)
        if domain is not None and not self.partial:
            self.has_domain, path.reason = True, "it may be undefined"
        if found is Found.PROVED and domain is not None:
            part.path, part.conditions = path, domain.conditions
            places = self._defined_places(part)
            if places:
                self._check_recordings(part, places)
                self._proved.setdefault(key, []).append(part)
                return found
            found, path.reason = Found.CONDITIONAL, "it is not known to be defined anywhere"
        self.note(path.reason)
        if found is Found.NOT_PROVED:
            self._paths[key] = None
        return found

    def _defined_places(self, part: Part) -> list[Any]:
        """Points of a part that meet its conditions."""
        random = np.random.default_rng(0)
        shares = random.random((_TRIED, part.lower.size))
        places = [part.inner, *(part.lower + shares * (part.upper - part.lower))]
        return list(itertools.islice(filter(part.is_defined_at, places), _ASKED))

    def _check_fidelity(self, part: Part, first: bool) -> None:
        """See that function and claim, on plain arrays, compute what was recorded of them.

        Raises
        ------
        _NotRecorded
        """
        random = np.random.default_rng(len(self._proved))
        places = [part.middle]
        for _ in range(_ASKED - 1 if first else 0):
            places.append(part.lower + random.random(part.lower.size) * (part.upper - part.lower))
        self._check_recordings(part, places)

    def _check_recordings(self, part: Part, places: Sequence[Any]) -> None:
        points = [self._arrays(place.tolist()) for place in places]
        for function, graph in zip((self.claim.value, self._claimed), part.programs, strict=True):
            if departure(function, graph, points, may_return) is not None:
                raise _NotRecorded

    def _claimed(self, *x: Any) -> list[Any]:
        with self.claim.calls.limit_call(self.claim.claimant, x, BudgetSpent):
            return flatten(self.claim.derivative(*x))


def record_all(function: Any, x: tuple[Any, ...]) -> Graph:
    """The graph of a function, run in a way in which no value leaves and may come back constant.

    Raises
    ------
    Unsupported
        There is no such way.
    Escaped
        A value comes back from where it was kept.
    """
    if not any(map(_keeps_values, ways_to_run(function), repeat(x))):
        raise Unsupported("a value leaves the recording")
    return symtape.record(function, *x, budget=_OPERATIONS)


def _keeps_values(way: Any, x: tuple[Any, ...]) -> bool:
    try:
        return not freeze.record(way, *x, budget=_OPERATIONS).escapes
    except BudgetSpent:
        raise
    except Exception:  # noqa: BLE001  # users' code, given tensors
        return False
