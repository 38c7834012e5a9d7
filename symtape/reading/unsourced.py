"""Functions without source, as of ``exec`` or the plain prompt: copies whose names are answered.

Their calls cannot be rewritten. But a name that a function loads from its globals is asked of
these, so that a copy of it with other globals calls what the reader has for a name. Methods of
plain arrays are out of its reach.
"""

from __future__ import annotations

import builtins
import dis
import functools
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

_OF_LISTS: Final = (type(np.sum), np.ufunc)
"""NumPy's functions, which take lists of tensors where the reader calls them."""


class Scope(dict[str, Any]):
    """Globals of a function, in which the reader answers.

    Parameters
    ----------
    around : dict
        The globals of the function.
    reader : Reader
    """

    def __init__(self, around: dict[str, Any], reader: Any) -> None:
        super().__init__(__builtins__=around.get("__builtins__", builtins))
        self._around, self._reader = around, reader

    def __getitem__(self, name: str) -> Any:
        value = self._around[name] if name in self._around else vars(builtins)[name]
        return answer_name(value, self._reader)


class Answers:
    """A module, or a function of one, whose calls are the reader's to answer."""

    def __init__(self, of: Any, reader: Any) -> None:
        self._of, self._reader = of, reader

    def __getattr__(self, name: str) -> Any:
        return answer_name(getattr(self._of, name), self._reader)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """What the reader has in place of it."""
        plain = {name: unwrap_answer(x) for name, x in keywords.items()}
        return self._reader.call(self._of, *map(unwrap_answer, args), **plain)

    def __getitem__(self, key: Any) -> Any:
        return self._reader.item(self._of, key)

    def __instancecheck__(self, x: object) -> bool:
        return isinstance(x, self._of)

    def __eq__(self, other: object) -> bool:
        return bool(self._of == unwrap_answer(other))

    def __hash__(self) -> int:
        return hash(self._of)


def answer_name(value: Any, reader: Any) -> Any:
    """What code without source meets where it loads `value` by a name."""
    if isinstance(value, ModuleType) or type(value) in _OF_LISTS or reader.is_answered(value):
        return Answers(value, reader)
    return reader.twin(value) if isinstance(value, FunctionType) else value


def unwrap_answer(x: Any) -> Any:
    """What stands behind an answer that code hands on, as a dtype."""
    return x._of if isinstance(x, Answers) else x


def copy_with_answers(function: FunctionType, reader: Any) -> FunctionType | None:
    """A copy of a function whose names the reader answers; None of one that assigns globals.

    Examples
    --------
    >>> from symtape.reading.reader import READER
    >>> scope = {"scale": 2.0}
    >>> exec("def f(x): return scale * abs(x)", scope)
    >>> copy_with_answers(scope["f"], READER)(-3.0)
    6.0
    """
    if _assigns_globals(function.__code__):
        return None
    scope = Scope(function.__globals__, reader)
    return copy_with_globals(function, scope)


def copy_with_globals(function: FunctionType, scope: dict[str, Any]) -> FunctionType:
    """The same function, whose global names mean what they do in `scope`."""
    copy = FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


@functools.lru_cache(maxsize=4096)  # code
def _assigns_globals(code: CodeType) -> bool:
    if any(step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") for step in dis.get_instructions(code)):
        return True
    return any(_assigns_globals(x) for x in code.co_consts if isinstance(x, CodeType))
