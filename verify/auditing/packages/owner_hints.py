"""What an object says of the arguments of its methods: bounds, support, limits by name."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from verify.auditing.packages.hints import Hint
from verify.auditing.packages.silence import silence

_BOUNDS: Final = ("bounds", "param_bounds", "parameter_bounds", "limits", "support", "domain")
_ENDS: Final = (
    ("lower_limit_default", "upper_limit_default"),
    *(("lower_bounds", "upper_bounds"), ("lower_bound", "upper_bound")),
    *(("lower", "upper"), ("lb", "ub"), ("xmin", "xmax"), ("min_value", "max_value")),
)


def owner_hints(owner: Any, names: Sequence[str]) -> dict[str, Hint]:
    """Bounds of arguments by their names, or of the first argument, from an object's attributes.

    Examples
    --------
    >>> class Valley:
    ...     bounds = [(-1.0, 2.0), (0.0, 3.0)]
    ...     lower_limit_default, upper_limit_default = {"width": 0.1}, {"width": 5.0}
    >>> found = owner_hints(Valley(), ["x", "width"])
    >>> found["x"].lower, found["x"].upper, found["x"].shape, found["width"].upper
    (0.0, 2.0, (2,), 5.0)
    """
    found: dict[str, Hint] = {}
    for lower, upper in _find_declared(owner):
        for name in names:
            if isinstance(lower, Mapping) or isinstance(upper, Mapping):
                ends = [
                    each.get(name) if isinstance(each, Mapping) else None for each in (lower, upper)
                ]
            else:
                ends = [lower, upper] if name == names[0] else [None, None]
            if name not in found and (hint := _hint(*ends)) is not None:
                found[name] = hint
    return found


def _find_declared(owner: Any) -> Iterator[tuple[Any, Any]]:
    """Lower and upper bounds, each a number, numbers, or those by name."""
    for first, second in _ENDS:
        ends = _ask_owner(owner, first), _ask_owner(owner, second)
        if ends != (None, None):
            yield ends
    for name in _BOUNDS:
        said = _ask_owner(owner, name)
        if isinstance(said, Mapping):
            pairs = {key: tuple(value) for key, value in said.items() if _is_pair(value)}
            yield (
                {key: ends[0] for key, ends in pairs.items()},
                {key: ends[1] for key, ends in pairs.items()},
            )
        elif hasattr(said, "lb") and hasattr(said, "ub"):
            yield said.lb, said.ub
        elif isinstance(said, list | tuple | np.ndarray) and len(said):
            if all(map(_is_pair, said)):
                yield [pair[0] for pair in said], [pair[1] for pair in said]
            elif _is_pair(said):
                yield said[0], said[1]


def _ask_owner(owner: Any, name: str) -> Any:
    """An attribute, or what a method without arguments returns; None where there is none."""
    try:
        with silence():
            said = getattr(owner, name, None)
            if not inspect.isroutine(said):
                return said
            needed = inspect.signature(said).parameters.values()
            return said() if all(each.default is not each.empty for each in needed) else None
    except Exception:  # noqa: BLE001  # theirs, whatever it is
        return None


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray) and len(value) == 2


def _hint(lower: Any, upper: Any) -> Hint | None:
    """Bounds that all entries have in common, and the shape of an array of bounds.

    Bounds of one number may be meant for each of any number of them.
    """
    try:
        low = np.asarray(-np.inf if lower is None else lower, dtype=np.float64)
        high = np.asarray(np.inf if upper is None else upper, dtype=np.float64)
        shape = np.broadcast_shapes(low.shape, high.shape)
    except (TypeError, ValueError):
        return None
    ends = float(np.max(low, initial=-np.inf)), float(np.min(high, initial=np.inf))
    if not ends[0] < ends[1]:
        ends = -np.inf, np.inf
    if not shape and not np.isfinite(ends).any():
        return None
    return Hint(*ends, None if shape == (1,) else shape or None)
