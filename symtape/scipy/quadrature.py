"""Integrals as sums that are recorded: the Leibniz rule, for all orders of derivatives.

Between its limits an integral is a sum over Gauss's nodes, on panels so small that doubling the
nodes changes nothing that floats show, of the integrand and of its slopes by what it holds. The
limits, and the nodes with them, are held where they are; that the limits move is what short
integrals next to them say, from where a limit is held to where it is. Their length is 0, their
slope is the integrand there, and three nodes have its slopes up to the fifth.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError, Unsupported
from symtape.graph.freeze import differentiate
from symtape.graph.graph import Graph
from symtape.recording.in_place import lift_tensors
from symtape.recording.nested import holds_tensor, join_nested, lower_buffers
from symtape.recording.stack import Recorder
from symtape.scipy.captured import CapturedFunction, Function, Plain, plain_value, record_alone
from symtape.scipy.solutions import Held, held_at, make_returned

_RULES: Final = tuple(np.polynomial.legendre.leggauss(n) for n in (8, 16, 32))
_SHORT: Final = np.polynomial.legendre.leggauss(3)

_NEGLIGIBLE: Final = 1e-20
_EXPECTED: Final = 1e-19
_GEOMETRIC: Final = 1e-3
"""From one rule to the next errors of analytic functions are squared. So the next one's can be
told, as long as this one's is that small a part."""

_MOST_PANELS: Final = 80
_FEW_PANELS: Final = 8
_MOST_SLOPES: Final = 64
_MOST_SINGLE: Final = 1500
"""Nodes at which an integrand that takes no arrays is recorded one by one."""

_HARMLESS: Final = frozenset(["found", "isfinite", "isnan", "isinf"])

_SPAN: Final = 4.4
_LEVELS: Final = (4, 8, 16, 32)
_CONVERGED: Final = 1e-9


class Nodes:
    """Where an integrand is evaluated between two limits, and with what weights.

    Parameters
    ----------
    low, high : float
        Limits, which may be infinite, of ascending order.
    points : sequence of float
        Where a panel ends in any case.

    Raises
    ------
    Unsupported
        The integrand is not resolved by as many panels as are taken.
    """

    def __init__(
        self, low: float, high: float, points: Sequence[float], integrand: Function, what: str
    ) -> None:
        self._what = what
        inner = sorted(float(x) for x in points if low < x < high)
        if not inner and np.isinf(low) and np.isinf(high):
            inner = [0.0]
        self._inner = inner
        self._pieces: list[Any] = []
        for piece in itertools.pairwise([low, *inner, high]):
            self._pieces.append(self._resolve_piece(piece, integrand))

    def place(self, low: float, high: float, integrand: Function | None) -> Any:
        """Nodes and weights, as two rows; between other limits those that are alike.

        Raises
        ------
        ValueError
            They do not resolve the integrand there.
        """
        ends = [low, *self._inner, high]
        rows = []
        for piece, edges in zip(itertools.pairwise(ends), self._pieces, strict=True):
            if integrand is not None and not self._is_resolved(piece, edges, integrand):
                raise ValueError(f"{self._what}: the panels do not resolve the integrand there")
            rows.append(_rows(piece, edges))
        return np.concatenate(rows, axis=1)

    def _resolve_piece(self, piece: tuple[float, float], integrand: Function) -> Any:
        """Panels for one piece, in the variable of integration; or a level for all of it."""
        whole = _moments(piece, (0.0, 1.0), integrand)
        scale = np.maximum(whole[1], np.max(whole[1], initial=0.0) * 1e-3)
        waiting, done = [(0.0, 1.0)], list[tuple[float, float]]()
        most = _FEW_PANELS
        while waiting:
            if len(done) + len(waiting) > most:
                if most == _MOST_PANELS:
                    break
                if (level := self._level(piece, integrand)) is not None:
                    return level
                most = _MOST_PANELS
            panel = waiting.pop()
            found = _moments(piece, panel, integrand)
            scale = np.maximum(scale, found[1])
            if _is_fine(found, scale):
                done.append(panel)
            else:
                middle = (panel[0] + panel[1]) / 2
                waiting += [(middle, panel[1]), (panel[0], middle)]
        if not waiting:
            return [done[0][0], *(end for _, end in done)]
        raise Unsupported(
            f"{self._what}: the integrand is not resolved by {_MOST_PANELS} panels between "
            f"{piece[0]:.6g} and {piece[1]:.6g}; break it up at points=, or where it is singular"
        )

    def _level(self, piece: tuple[float, float], integrand: Function) -> int | None:
        """How many nodes between 0 and 1 a doubly exponential rule takes, if it converges."""
        if not np.all(np.isfinite(piece)):
            return None
        before = None
        for level in _LEVELS:
            x, w = _double_exponential(piece, level)
            try:
                found = np.tensordot(w, integrand(x), 1)
            except ValueError:
                return None
            size = np.max(np.abs(found), initial=0.0)
            if before is not None and np.all(np.abs(found - before) <= _CONVERGED * size):
                return level
            before = found
        return None

    def _is_resolved(self, piece: tuple[float, float], edges: Any, integrand: Function) -> bool:
        if isinstance(edges, int):
            found = self._level(piece, integrand)
            return found is not None and found <= edges
        panels = [_moments(piece, panel, integrand) for panel in itertools.pairwise(edges)]
        scale = np.sum([size for _, size in panels], axis=0)
        scale = np.maximum(scale, np.max(scale, initial=0.0) * 1e-3)
        return all(_is_fine(found, scale) for found in panels)


def _is_fine(found: tuple[Any, Any], scale: Any) -> bool:
    """Whether the last of three rules is exact to more than what floats show."""
    (first, second, third), size = found
    before, last = np.abs(second - first), np.abs(third - second)
    size = np.maximum(size, np.finfo(float).tiny)
    negligible = last <= _NEGLIGIBLE * scale
    geometric = (before <= _GEOMETRIC * size) & (last**2 / size <= _EXPECTED * scale)
    small = (before <= 1e-9 * scale) & (last <= 1e-15 * scale)
    return bool(np.all(negligible | geometric | small))


def _moments(
    piece: tuple[float, float], panel: tuple[float, float], integrand: Function
) -> tuple[list[Any], Any]:
    """The integrals over a panel by three rules, and that of the absolute values."""
    sums, size = [], None
    for rule in _RULES:
        x, w = _map_nodes(piece, *_place_on_panel(panel, rule))
        y = integrand(x)
        sums.append(np.tensordot(w, y, 1))
        size = np.tensordot(np.abs(w), np.abs(y), 1)
    return sums, size


def _place_on_panel(panel: tuple[float, float], rule: Any) -> tuple[Any, Any]:
    half = (panel[1] - panel[0]) / 2
    return panel[0] + half * (1 + rule[0]), half * rule[1]


def _map_nodes(piece: tuple[float, float], t: Any, w: Any) -> tuple[Any, Any]:
    """Nodes and weights between 0 and 1 as such of the piece, as QUADPACK has it."""
    low, high = piece
    if np.isfinite(low) and np.isfinite(high):
        return low + (high - low) * t, (high - low) * w
    far = (1 - t) / t
    return (low + far if np.isfinite(low) else high - far), w / t**2


def _rows(piece: tuple[float, float], edges: Any) -> Any:
    if isinstance(edges, int):
        return np.stack(_double_exponential(piece, edges))
    panels = [
        _map_nodes(piece, *_place_on_panel(panel, _RULES[-1]))
        for panel in itertools.pairwise(edges)
    ]
    return np.stack([np.concatenate(row) for row in zip(*panels, strict=True)])


def _double_exponential(piece: tuple[float, float], level: int) -> tuple[Any, Any]:
    """Of singular ends: Takahasi and Mori 1974."""
    low, high = piece
    t = np.arange(-int(_SPAN * level), int(_SPAN * level) + 1) / level
    steep = np.pi / 2 * np.sinh(t)
    # From the nearer end, so that no digits are lost at 0.
    part = 1 / (1 + np.exp(2 * np.abs(steep)))
    x = np.where(t < 0, low + (high - low) * part, high - (high - low) * part)
    w = (high - low) * np.pi / 2 * np.cosh(t) / (2 * np.cosh(steep) ** 2) / level
    inside = (x > low) & (x < high)
    return x[inside], w[inside]


class _Integrand:
    """An integrand and its slopes by what it holds, on arrays of floats."""

    def __init__(self, function: Function, x: float, what: str) -> None:
        captured = CapturedFunction(
            function, (np.float64(x),), f"the function that {what} was given"
        )
        graph, self.tensors = captured.graph, captured.tensors
        self.graph: Graph = graph
        self._slopes = None
        if self.tensors and not graph.path and sum(t.size for t in self.tensors) <= _MOST_SLOPES:
            self._slopes = differentiate(graph)
        self._plain = Plain(function)

    def values(self) -> list[Any]:
        """What the tensors are."""
        return [tensor._value for tensor in self.tensors]

    def bind(self, values: Sequence[Any] | None) -> Callable[[Any], Any]:
        """The function of floats; with other values for the tensors, if they are given."""

        def function(x: Any) -> Any:
            with record_alone(Recorder()), np.errstate(all="ignore"):
                found = np.array([self._evaluate_point(one, values) for one in x])
            if not np.all(np.isfinite(found)):
                raise ValueError("the integrand is not finite")
            return found

        return function

    def _evaluate_point(self, x: Any, values: Sequence[Any] | None) -> Any:
        if self._slopes is None and values is None:
            return np.ravel(self._plain(x))
        given = self.values() if values is None else values
        found = np.ravel(np.stack(self.graph.evaluate(x, *given)))
        if self._slopes is None:
            return found
        slopes = self._slopes.evaluate(x, *given)[1:]
        return np.concatenate([found, *map(np.ravel, slopes)])


def _refuse_moving_kinks(graph: Graph, nodes: Any, values: Sequence[Any], what: str) -> None:
    """Refuse jumps and kinks at places that move: there the Leibniz rule has further terms."""
    place, moving = [False] * len(graph.nodes), [False] * len(graph.nodes)
    decided = {step.node for step in graph.path}
    suspects = []
    for at, node in enumerate(graph.nodes):
        place[at] = at == graph.inputs[0] or any(place[i] for i in node.inputs)
        moving[at] = at in graph.inputs[1:] or any(moving[i] for i in node.inputs)
        if node.primitive is not None and place[at] and moving[at]:
            row = node.row
            steps = row.cuts or row.compares or row.ties or at in decided
            suspects += [at] if steps and row.name not in _HARMLESS else []
    if not suspects:
        return
    found = set()
    with record_alone(Recorder()), np.errstate(all="ignore"):
        for x in nodes:
            known = graph.values(x, *values)
            found.add(tuple(_side(graph, at, known) for at in suspects))
    if len(found) > 1:
        sides = zip(*found, strict=True)
        at = next(at for at, side in zip(suspects, sides, strict=True) if len(set(side)) > 1)
        node = graph.nodes[at]
        raise Unsupported(
            f"{what}: the integrand has a kink or a jump, by {node.name} at {node.origin}, at a "
            "place that moves with a tensor; there the derivatives of the integral have further "
            "terms. Break it up there, as in quad(f, a, c) + quad(g, c, b)"
        )


def _side(graph: Graph, at: int, known: list[Any]) -> Any:
    """On which side of its kink or jump an operation is."""
    node = graph.nodes[at]
    inputs = [np.asarray(known[i]) for i in node.inputs]
    if node.row.ties == "inputs":
        return np.sign(inputs[0] - inputs[1]).tobytes()
    if node.row.ties == "zero":
        return np.sign(inputs[0]).tobytes()
    if node.row.ties:
        return np.argsort(inputs[0], axis=None).tobytes()
    return np.asarray(known[at]).tobytes()


def integral(
    function: Function,
    limits: tuple[Any, Any],
    points: Sequence[float],
    computed: Any,
    what: str,
) -> Any:
    """The integral as a tensor; None if nothing moves it.

    Parameters
    ----------
    function : callable
        Of one number; returns a number or an array.
    limits : pair of numbers or tensors
    points : sequence of float
        Where panels end.
    computed : number or array
        What SciPy has computed.
    what : str
        The name of the function of SciPy, for messages.
    """
    low, high = (float(plain_value(end)) for end in limits)
    if low > high:
        found = integral(function, limits[::-1], points, -computed, what)
        return None if found is None else -found
    integrand = _Integrand(function, _choose_inner_point(low, high), what)
    ends = [end for end in limits if holds_tensor(end)]
    if not integrand.tensors and not ends:
        return None
    total = _boundary(function, limits[1]) - _boundary(function, limits[0])
    if low < high:
        nodes = _nodes(integrand, limits, points, what)
        total = total + _sum(function, nodes, what)
    value = plain_value(total)
    size = np.abs(np.where(value == 0, np.inf, value))
    off = 16 * np.abs(computed - value) / size
    return make_returned(total, float(np.max(off, initial=0.0)) + 1e-9)


def _choose_inner_point(low: float, high: float) -> float:
    if np.isfinite(low) and np.isfinite(high):
        return low + (high - low) * 0.4375
    return low + 0.75 if np.isfinite(low) else high - 0.75 if np.isfinite(high) else 0.4375


def _nodes(
    integrand: _Integrand, limits: tuple[Any, Any], points: Sequence[float], what: str
) -> Any:
    """Nodes and weights, held as functions of what moves the integral."""
    low, high = (float(plain_value(end)) for end in limits)
    moving = [number for number, end in enumerate(limits) if holds_tensor(end)]
    try:
        nodes = Nodes(low, high, points, integrand.bind(None), what)
    except ValueError as error:
        raise Unsupported(f"{what}: {error} between its limits; break it up at points=") from error

    def recompute_nodes(*values: Any) -> Any:
        ends = [low, high]
        for number, value in zip(moving, values, strict=False):
            ends[number] = float(value)
        return nodes.place(ends[0], ends[1], integrand.bind(values[len(moving) :]))

    rows = nodes.place(low, high, None)
    if integrand.tensors:
        _refuse_moving_kinks(integrand.graph, rows[0], integrand.values(), what)
    held = Held(recompute_nodes)
    tensors = [join_nested(limits[number]) for number in moving] + integrand.tensors
    held.keep([tensor._value for tensor in tensors], rows)
    return held_at(tensors, held)


def _sum(function: Function, nodes: Any, what: str) -> Any:
    x, w = nodes[0], nodes[1]
    if _takes_arrays(function, plain_value(x)):
        return np.sum(w * join_nested(lower_buffers(function(lift_tensors(x)))))
    count = np.shape(x)[0]
    if count > _MOST_SINGLE:
        raise Unsupported(
            f"{what}: the integrand takes no arrays, and {count} nodes are too many to be recorded "
            "one by one; write it with NumPy's functions, so that it takes arrays of places"
        )
    terms = [w[k] * join_nested(lower_buffers(function(lift_tensors(x[k])))) for k in range(count)]
    return np.sum(np.stack(terms), axis=0)


def _takes_arrays(function: Function, x: Any) -> bool:
    """Whether the function of an array of places is that of each of them."""
    plain = Plain(function)
    try:
        with np.errstate(all="ignore"):
            whole = np.asarray(plain(x))
    except (ArithmeticError, AttributeError, IndexError, SymtapeError, TypeError, ValueError):
        return False
    if whole.shape != x.shape:
        return False
    each = np.array([plain(one) for one in x])
    return each.shape == x.shape and bool(np.allclose(whole, each, rtol=1e-12, atol=0))


def _boundary(function: Function, end: Any) -> Any:
    """The integral from where a limit is held to where it is."""
    if not holds_tensor(end):
        return 0.0
    end = join_nested(end)
    start = held_at((end,), Held(lambda x: x, memory=False))
    step = end - start
    terms = [
        w / 2 * join_nested(lower_buffers(function(lift_tensors(start + step * ((1 + t) / 2)))))
        for t, w in zip(*_SHORT, strict=True)
    ]
    return step * (terms[0] + terms[1] + terms[2])
