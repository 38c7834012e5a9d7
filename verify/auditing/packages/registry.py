"""Registry: the conventions that are installed, those of symtape and those of plugins."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from verify.auditing.packages import conventions
from verify.auditing.packages.convention import Convention

GROUP: Final = "symtape.conventions"
"""The group of entry points by which a plugin registers a convention."""

_ASKED: Final = ("name", "summary", "find", "pose")


@dataclass(frozen=True, slots=True)
class Registry:
    """The conventions that an audit asks.

    Attributes
    ----------
    conventions : dict of Convention
        By name, in the order of the names.
    broken : tuple of str
        What is registered and left out, and why, in words.
    """

    conventions: Mapping[str, Convention]
    broken: tuple[str, ...] = ()


def find_conventions(points: Iterable[EntryPoint] | None = None) -> Registry:
    """The conventions of symtape, and those of all that is installed.

    Parameters
    ----------
    points : iterable of EntryPoint, optional
        By default those of the group ``symtape.conventions``.

    Examples
    --------
    >>> find_conventions([EntryPoint("mine", "no_such_package:it", GROUP)]).broken
    ("the convention 'mine' (no_such_package:it) does not load: ModuleNotFoundError: No module \
named 'no_such_package'",)
    """
    found = {each.name: each for each in own()}
    broken = []
    for point in sorted(entry_points(group=GROUP) if points is None else points):
        try:
            convention = _check_convention(point.load())
        except Exception as error:  # noqa: BLE001  # a plugin's fault must not end the audit
            words = f"{type(error).__name__}: {error}"
            broken.append(f"{_name_entry_point(point)} does not load: {words}")
            continue
        if convention.name in found:
            broken.append(f"{_name_entry_point(point)} is left out: {convention.name!r} is taken")
            continue
        found[convention.name] = convention
    return Registry(dict(sorted(found.items())), tuple(broken))


def own() -> Iterator[Convention]:
    """The conventions that come with symtape."""
    for module in pkgutil.iter_modules(conventions.__path__):
        made = importlib.import_module(f"{conventions.__name__}.{module.name}")
        if hasattr(made, "CONVENTION"):
            yield made.CONVENTION


def _name_entry_point(point: EntryPoint) -> str:
    return f"the convention {point.name!r} ({point.value})"


def _check_convention(given: object) -> Convention:
    """An instance of a convention, or of a class of them that is made without arguments."""
    made = given() if isinstance(given, type) else given
    missing = [name for name in _ASKED if not hasattr(made, name)]
    if missing:
        raise TypeError(
            f"a {type(made).__name__} has no {' and no '.join(missing)}; expected an instance with "
            "name, summary, find(module) and pose(pair)"
        )
    convention: Convention = made  # type: ignore[assignment]
    return convention
