"""Manifest: what discovery cannot know of a package, written down in TOML."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from symtape.one_line import OneLineRepr
from verify.auditing.packages.pair import Pair, Unpaired
from verify.errors import UsageError
from verify.regions import parse

NAME: Final = "manifest"
"""The convention of pairs that a manifest declares."""

_TOP: Final[dict[str, type]] = {"package": str, "pair": list, "region": dict, "exclude": list}
_PAIR: Final[dict[str, type | tuple[type, ...]]] = {
    "id": str,
    "function": str,
    "claim": str,
    "by": (str, list),
    "quantity": str,
    "element": int,
    "of": int,
    "factor": (int, float),
    "constants": dict,
    "over": dict,
    "zero": (str, list),
}
_EXCLUDE: Final[dict[str, type]] = {"pair": str, "reason": str}
_QUANTITIES: Final = ("gradient", "jacobian", "hessian")


@dataclass(frozen=True, slots=True, repr=False)
class Manifest(OneLineRepr):
    """What a manifest says.

    Attributes
    ----------
    package : str
        What is audited; empty where the command says it.
    pairs : tuple of Pair
    regions : dict
        By a part of the names of pairs: a region for each argument, as text.
    exclusions : dict
        By a part of the names of pairs: why they are left out.
    """

    package: str = ""
    pairs: tuple[Pair, ...] = ()
    regions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    exclusions: Mapping[str, str] = field(default_factory=dict)

    def find_exclusion(self, pair: Pair | Unpaired) -> Unpaired | None:
        """A pair that is left out, with the reason."""
        for part, reason in self.exclusions.items():
            if part in pair.id:
                return Unpaired(pair.id, pair.convention, f"excluded by the manifest: {reason}")
        return None

    def region_of(self, pair: Pair) -> Mapping[str, str]:
        """The regions that it has for a pair, by argument."""
        found: dict[str, str] = {}
        for part, regions in self.regions.items():
            if part in pair.id:
                found |= regions
        return found


def load(file: Path) -> Manifest:
    """The manifest in a file.

    Raises
    ------
    UsageError
        It cannot be read, or says something that is not understood; names the key.
    """
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there is no manifest {str(file)!r}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read the manifest {str(file)!r}: {error}") from error
    return read(data, str(file))


def read(data: Mapping[str, Any], name: str = "the manifest") -> Manifest:
    """What the data of a manifest say; `name` is for messages.

    Raises
    ------
    UsageError
        Names the key and its place.

    Examples
    --------
    >>> made = read({"pair": [{"function": "math:sin", "claim": "math:cos", "by": "x"}]})
    >>> made.pairs[0].id
    'math:cos'
    >>> read({"pairs": []})
    Traceback (most recent call last):
    verify.errors.UsageError: the manifest: unknown key 'pairs'; did you mean 'pair'? ...
    """
    _check(data, _TOP, name)
    pairs = tuple(_pair(each, f"{name}: pair[{k}]") for k, each in enumerate(data.get("pair", [])))
    ids = [pair.id for pair in pairs]
    for k, one in enumerate(ids):
        if one in ids[:k]:
            raise UsageError(f"{name}: pair[{k}]: there are two pairs {one!r}; give one an id")
    return Manifest(
        package=data.get("package", ""),
        pairs=pairs,
        regions={
            part: _regions(over, f"{name}: region.{part!r}")
            for part, over in data.get("region", {}).items()
        },
        exclusions=dict(
            _exclusion(each, f"{name}: exclude[{k}]")
            for k, each in enumerate(data.get("exclude", []))
        ),
    )


def _check(data: Any, known: Mapping[str, Any], place: str) -> None:
    if not isinstance(data, Mapping):
        raise UsageError(f"{place} is {data!r}; expected a table with {', '.join(known)}")
    for key, value in data.items():
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise UsageError(
                f"{place}: unknown key {key!r}; {hint}The keys are {', '.join(known)}."
            )
        kinds = known[key] if isinstance(known[key], tuple) else (known[key],)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            words = " or ".join(_KINDS[kind] for kind in kinds)
            raise UsageError(f"{place}: {key} = {value!r}; expected {words}")


_KINDS: Final = {
    str: "a text",
    list: "a list",
    dict: "a table",
    int: "a whole number",
    float: "a number",
}


def _pair(data: Any, place: str) -> Pair:
    _check(data, _PAIR, place)
    for key in ("function", "claim"):
        if key not in data:
            raise UsageError(f'{place} lacks {key}; expected {key} = "package.module:name"')
        module, colon, name = data[key].partition(":")
        if not (colon and module and name):
            raise UsageError(f'{place}: {key} = {data[key]!r}; expected "package.module:name"')
    quantity = data.get("quantity", "gradient")
    if quantity not in _QUANTITIES:
        raise UsageError(
            f"{place}: quantity = {quantity!r}; expected one of {', '.join(_QUANTITIES)}"
        )
    module, _, function = data["function"].partition(":")
    settings = {key: data[key] for key in ("element", "of", "factor", "constants") if key in data}
    settings |= {key: _names(data[key], f"{place}: {key}") for key in ("by", "zero") if key in data}
    settings["over"] = _regions(data.get("over", {}), f"{place}: over")
    return Pair(
        id=data.get("id", data["claim"]),
        convention=NAME,
        module=module,
        function=function,
        claim=data["claim"],
        quantity=quantity,
        settings=settings,
    )


def _names(given: Any, place: str) -> list[str]:
    names = [given] if isinstance(given, str) else given
    if not names or not all(isinstance(name, str) for name in names):
        raise UsageError(
            f"{place} = {given!r}; expected the name of an argument, or a list of them"
        )
    return list(names)


def _regions(given: Any, place: str) -> dict[str, str]:
    """Regions by argument, as texts that are known to be understood."""
    if not isinstance(given, Mapping):
        raise UsageError(f'{place} = {given!r}; expected a table, such as {{x = "[0, 1]"}}')
    found = {}
    for argument, region in given.items():
        text = region if isinstance(region, str) else repr(region)
        try:
            parse(text, [argument])
        except UsageError as error:
            raise UsageError(f"{place}: {argument} = {region!r}: {error}") from error
        found[argument] = text
    return found


def _exclusion(data: Any, place: str) -> tuple[str, str]:
    _check(data, _EXCLUDE, place)
    for key in _EXCLUDE:
        if not data.get(key):
            raise UsageError(
                f'{place} lacks {key}; expected pair = "part of a name", reason = "why"'
            )
    return data["pair"], data["reason"]
