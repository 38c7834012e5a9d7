"""Proofs that are known: of a row, those that come with the package, and those of earlier runs.

``proved.json`` holds the proofs of the built-in rows, a line each, and ``python -m
verify.oracles.proofs`` proves the rows that changed since it was written. A proof in it stands only
for what its row says: where a rule was changed or replaced, the row is certified until it is proved
again. Proofs of other rows are kept by what their functions do.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from symtape.primitives.primitive import PRIMITIVES, Primitive
from verify.files import cache, package_data
from verify.oracles.proofs.content import PROVER, content_hash, fingerprint

FILE: Final = Path(__file__).with_name("proved.json")

_SECTION: Final = "proofs"
_FOUND: Final[dict[str, tuple[tuple[Any, ...], RowProof | None]]] = {}
"""By the name of a row, for the row that has it now."""


def find_proof(row: Primitive) -> RowProof | None:
    """What is known of `row` without proving anything; None if that is nothing."""
    parts = _parts(row)
    found = _FOUND.get(row.name)
    if found is None or any(a is not b for a, b in zip(found[0], parts, strict=True)):
        found = _FOUND[row.name] = (parts, find_shipped_proof(row) or _load_cached_proof(row))
    return found[1]


def check() -> None:
    """See, before anything relies on it, that the proofs of the package are there.

    Raises
    ------
    IncompleteInstallation
        They cannot be read.

    Examples
    --------
    >>> check()
    """
    _entries()


def remember(row: Primitive, proof: RowProof, lasting: bool = True) -> None:
    """Keep `proof` for this run and, if it is `lasting`, for later ones."""
    _FOUND[row.name] = (_parts(row), proof)
    if lasting:
        cache.store(_SECTION, fingerprint(row), dataclasses.asdict(proof))


def _parts(row: Primitive) -> tuple[Any, ...]:
    return (row, row.rules, row.symbolic, row.elements, row.select, row.evaluate, row.over)


def _load_cached_proof(row: Primitive) -> RowProof | None:
    try:
        return RowProof.from_data(cache.load(_SECTION, fingerprint(row)))
    except (KeyError, TypeError):
        return None


def find_shipped_proof(row: Primitive) -> RowProof | None:
    """The proof of `row` that came with the package, if the row still says what was proved."""
    entry = _entries().get(row.name)
    if entry is None or PRIMITIVES.get(row.name) is not row:
        return None
    proof = RowProof.from_data(entry["proof"])
    return proof if entry["content"] == _content_of(row, proof) else None


def _content_of(row: Primitive, proof: RowProof) -> str:
    """A hash of `row`, and of the rows that its rules are programs of."""
    used = [PRIMITIVES[name] for name in proof.uses if name in PRIMITIVES]
    return content_hash([row, *used])


@functools.cache
def _entries() -> dict[str, Any]:
    data = package_data.data(FILE)
    try:
        entries: dict[str, Any] = data["rows"]
        return entries if data["prover"] == PROVER else {}
    except (KeyError, TypeError) as error:
        raise package_data.damage_error(FILE, "it holds no proofs") from error


def format_proofs(proofs: dict[str, tuple[Primitive, RowProof]]) -> str:
    """What ``proved.json`` holds of `proofs`: a line for each row, so that changes merge."""
    entries = {
        name: {"content": _content_of(row, proof), "proof": dataclasses.asdict(proof)}
        for name, (row, proof) in sorted(proofs.items())
    }
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()]
    return f'{{"prover": {PROVER}, "rows": {{\n' + ",\n".join(lines) + "\n}}\n"


@dataclass(frozen=True, slots=True)
class RowProof:
    """What is known of the rules of a row.

    Attributes
    ----------
    proved : bool
        Every rule, everywhere in `over`.
    over : str
        In words; the shapes, for a row on whole arrays.
    shapes : tuple of str
        Of a row on whole arrays, the shapes and parameters it was proved at.
    where : tuple of str
        Conditions under which the function itself is smooth.
    assuming : tuple of str
        Conditions that were not proven.
    reason : str
        Why it is not proved: which rule, and what stopped the proof.
    uses : tuple of str
        The rows that the rules are programs of.
    params : tuple of str
        The static parameters that it holds for, each as :func:`setting_words` has it; of a row
        on whole arrays with their dimensions. A row that has none has one setting, ``""``.
    """

    proved: bool
    over: str = ""
    shapes: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    assuming: tuple[str, ...] = ()
    reason: str = ""
    uses: tuple[str, ...] = ()
    params: tuple[str, ...] = ()

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """From the fields, as JSON keeps them.

        Raises
        ------
        KeyError, TypeError
            They are others.
        """
        given: dict[str, Any] = {field.name: data[field.name] for field in fields(cls)}
        for name, value in given.items():
            given[name] = tuple(value) if isinstance(value, list) else value
        return cls(**given)

    @property
    def rung(self) -> str:
        """In words: proved, proved assuming ..., proved at the tested shapes; or certified."""
        if not self.proved:
            return "certified"
        words = "proved at the tested shapes" if self.shapes else "proved"
        return f"{words}, assuming {' and '.join(self.assuming)}" if self.assuming else words

    @property
    def domain(self) -> str:
        """Where, in words."""
        words = self.over + "".join(f", {words}" for words in self.where)
        settings = [] if self.shapes else [setting for setting in self.params if setting]
        return f"{words}, for {_format_settings(settings)}" if settings else words


def shape_words(arrays: Sequence[Any], params: Mapping[str, Any]) -> str:
    """The shapes of `arrays` and the static parameters, as one key.

    Examples
    --------
    >>> shape_words([np.ones((2, 3))], {"axis": 0})
    '(2,3) axis=0'
    """
    shown = [str(np.shape(x)).replace(" ", "") for x in arrays]
    shown += [f"{key}={value!r}" for key, value in params.items()]
    return " ".join(shown)


def setting_words(arrays: Sequence[Any], params: Mapping[str, Any]) -> str:
    """The dimensions of `arrays` and the static parameters, as one key.

    Examples
    --------
    >>> setting_words([np.ones((2, 3))], {"axis": 1})
    '2-d axis=1'
    >>> setting_words([], {"order": 2})
    'order=2'
    """
    shown = [f"{np.ndim(x)}-d" for x in arrays]
    shown += [f"{key}={value!r}" for key, value in params.items()]
    return " ".join(shown)


def _format_settings(settings: Sequence[str]) -> str:
    """Settings of one parameter as a list of its values; of several one after another."""
    names = {setting.partition("=")[0] for setting in settings}
    if len(names) > 1 or any(" " in setting for setting in settings):
        return "; ".join(settings)
    values = [setting.partition("=")[2] for setting in settings]
    numbers = all(value.lstrip("-").isdigit() for value in values)
    return f"{names.pop()} = {', '.join(sorted(values, key=int) if numbers else values)}"
