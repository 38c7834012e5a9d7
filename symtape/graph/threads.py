"""An order of what threads decided that is the same each time, however they interleaved."""

from __future__ import annotations

import hashlib
from typing import TypeAlias

import numpy as np

from symtape.recording.recording import AppliedPrimitive, Recording

Made: TypeAlias = dict[int, tuple[AppliedPrimitive, int]]
"""The operation that made each value, and which of its outputs it is."""


def sort_decisions(recording: Recording, made: Made) -> None:
    """Sort the decisions and escapes of a recording by their lines, and what they are about."""
    known: dict[int, str] = {}

    def digest(index: int) -> str:
        for at in _last_first(index, made, known):
            known[at] = _digest(at, recording, made, known)
        return known[index]

    recording.decisions.sort(key=lambda it: (str(it[2]), digest(it[0]), it[1]))
    recording.escapes.sort(key=lambda it: (str(it[2]), digest(it[0]), it[1]))


def _last_first(index: int, made: Made, known: dict[int, str]) -> list[int]:
    """What a value is made of and is not known yet, the first made first."""
    found: set[int] = set()
    waiting = [index]
    while waiting:
        at = waiting.pop()
        if at in known or at in found:
            continue
        found.add(at)
        waiting.extend(made[at][0].inputs if at in made else ())
    # Whatever took part, it had to be there before.
    return sorted(found)


def _digest(at: int, recording: Recording, made: Made, known: dict[int, str]) -> str:
    if at in made:
        step, part = made[at]
        words = [step.primitive.name, repr(step.params), part, *(known[i] for i in step.inputs)]
    elif at in recording.constants:
        words = [np.asarray(recording.constants[at]).tolist()]
    else:
        words = [recording.inputs.index(at)]
    return hashlib.sha1(repr(words).encode(), usedforsecurity=False).hexdigest()
