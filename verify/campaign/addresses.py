"""Addresses: what an answer depends on, as a hash under which a campaign's store keeps it.

A worker compares what it sees with what the driver saw: an answer for other sources, or by other
versions, would be kept under an address that is not its own.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Self, TypeAlias, get_args

from symtape.errors import SymtapeError
from verify.errors import IncompleteInstallation, UsageError
from verify.files import places
from verify.files.digest import digest, digest_of_file

_NUMERIC_PACKAGES: Final = ("numpy", "scipy", "sympy", "python-flint", "mpmath")
"""The distributions on which every answer depends."""

_PYTHON: Final = "Python"


class ChangedOrigin(SymtapeError, RuntimeError):
    """What work was planned for is not what is found where it is to be done; names it."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What answers depend on, as it was where the work was planned.

    Attributes
    ----------
    symtape : str
        Digest of its sources.
    versions : tuple of pairs
        Names and versions of distributions.
    files : tuple of pairs
        The files of the user, as seen from the present folder, and their digests.
    """

    symtape: str
    versions: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str], ...]

    @classmethod
    def from_environment(cls, packages: Iterable[str], files: Iterable[str]) -> Self:
        """As it is here and now."""
        seen = sorted(places.relative(file) for file in files)
        versions = tuple(versions_of(packages).items())
        return cls(digest(), versions, tuple((file, digest_of_file(file)) for file in seen))

    def check(self) -> None:
        """Refuse to work where it is not the same.

        Raises
        ------
        ChangedOrigin
        """
        if self.symtape != digest():
            raise ChangedOrigin(
                "symtape has other sources where the work is done than where the campaign was "
                "planned; install the same version for all workers, and run the same line again"
            )
        found = versions_of(name for name, _ in self.versions)
        for name, version in self.versions:
            if found[name] != version:
                raise ChangedOrigin(
                    f"{name} is {_spell(found[name])} where the work is done, and {_spell(version)}"
                    " where the campaign was planned; install the same version for all workers"
                )
        for file, known in self.files:
            if digest_of_file(file) != known:
                raise ChangedOrigin(
                    f"{file} has changed since the campaign was planned; run the same line again, "
                    "and it is judged as it is then"
                )


def _spell(version: str) -> str:
    return version or "not installed"


def address(kind: str, *parts: Any, packages: Iterable[str] = ()) -> str:
    """The content address of an answer.

    Parameters
    ----------
    kind : str
        Of work: answers of two kinds have no address in common.
    *parts
        What the answer depends on; plain values, and the digests of others.
    packages : iterable of str
        The distributions whose versions it depends on, beside symtape and those below it.

    Examples
    --------
    >>> address("sum", 1, 2) == address("sum", 1, 2), address("sum", 1, 2) == address("sum", 12)
    (True, False)
    """
    versions = [f"{name} {version}" for name, version in versions_of(packages).items()]
    text = repr((kind, digest(), versions, parts))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Of Python, of what is below symtape, and of `packages`; empty text of what is not there."""
    return {
        name: version_of(name)
        for name in dict.fromkeys([_PYTHON, *_NUMERIC_PACKAGES, *sorted(packages)])
    }


@functools.lru_cache(maxsize=1024)  # of packages
def version_of(name: str) -> str:
    """Of a distribution, or of Python; empty where it is not there."""
    if name == _PYTHON:
        return platform.python_version()
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def distributions_of(modules: Iterable[str]) -> tuple[str, ...]:
    """The names of the distributions that bring top-level modules.

    Examples
    --------
    >>> distributions_of(["numpy", "no_such_module"])
    ('numpy',)
    """
    known = _distributions()
    return tuple(sorted({name for module in modules for name in known.get(module, ())}))


@functools.cache
def _distributions() -> dict[str, list[str]]:
    return dict(importlib.metadata.packages_distributions())


_START: Final = '{"refused":'
Refusal: TypeAlias = UsageError | IncompleteInstallation | ChangedOrigin

_KINDS: Final = {kind.__name__: kind for kind in get_args(Refusal)}


def encode_refusal(error: Refusal) -> str:
    """The answer of work that cannot be done as it was asked for."""
    kind = next(name for name, kind in _KINDS.items() if isinstance(error, kind))
    return json.dumps({"refused": str(error), "kind": kind}, separators=(",", ":"))


def raise_refused(answer: str) -> None:
    """Raise what an answer refuses, if it does.

    Examples
    --------
    >>> raise_refused('{"verdict": "CORRECT"}')
    >>> raise_refused(encode_refusal(UsageError("no such point")))
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: no such point
    """
    if answer.startswith(_START):
        found = json.loads(answer)
        raise _KINDS[found["kind"]](found["refused"])
