"""What is known of the rules of a row, and what a program inherits of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np


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
