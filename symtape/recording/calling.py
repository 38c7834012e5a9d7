"""Which function a line of Python is calling just now, and whether it writes text.

C code that converts a tensor, as ``math.sin`` does, leaves no frame of its own: what it is can
only be read from the instruction that its caller is at.
"""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import linecache
from types import CodeType, FrameType
from typing import Any, Final

_READER: Final = "__reader__"
"""A free name of code that was rewritten, in which the source says what is called."""

_REMAINDERS: Final = frozenset(("%", "%="))
# With a check from Python 3.12 on, borrowed from 3.14 on.
_FAST_LOADS: Final = ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW")
_LOADS: Final = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLOSURE", *_FAST_LOADS))
_ATTRIBUTES: Final = frozenset(("LOAD_ATTR", "LOAD_METHOD"))


def find_called(frame: FrameType) -> tuple[str, Any]:
    """The function that `frame` is calling, as it spells it, and itself.

    Returns
    -------
    name : str
        Empty where it is not known, as of ``functions[0](x)``.
    function : object
        None where it is not known.
    """
    names = spell_call(frame.f_code, frame.f_lasti)
    if not names:
        return "", None
    first, *rest = names
    scopes = (frame.f_locals, frame.f_globals, vars(builtins))
    found = next((scope[first] for scope in scopes if first in scope), None)
    for name in rest:
        found = getattr(found, name, None)
    return ".".join(names), found


def calls(frame: FrameType) -> bool:
    """Whether `frame` is calling something, rather than looking up an attribute."""
    here = _instruction(frame.f_code, frame.f_lasti)
    return here is not None and _is_call(here)


def formats(frame: FrameType) -> bool:
    """Whether `frame` is at ``"..." % x``: of no other operation are numbers asked for."""
    here = _instruction(frame.f_code, frame.f_lasti)
    return here is not None and here.opname == "BINARY_OP" and here.argrepr in _REMAINDERS


@functools.lru_cache(maxsize=512)  # places in users' code
def _instruction(code: CodeType, at: int) -> dis.Instruction | None:
    """The one that runs; of a call, `at` may be behind it."""
    return max(
        (step for step in dis.get_instructions(code) if step.offset <= at),
        key=lambda step: step.offset,
        default=None,
    )


@functools.lru_cache(maxsize=512)  # places in users' code
def spell_call(code: CodeType, at: int) -> tuple[str, ...]:
    """The dotted name of what the call at an instruction calls."""
    here = _instruction(code, at)
    if here is None or not _is_call(here) or here.positions is None:
        return ()
    if _READER in code.co_freevars:
        return _read_call_source(code.co_filename, here.positions)
    start = (here.positions.lineno, here.positions.col_offset)
    names: tuple[str, ...] = ()
    for step in dis.get_instructions(code):
        if step.offset >= here.offset:
            break
        if step.positions is None or (step.positions.lineno, step.positions.col_offset) != start:
            continue
        if step.opname in _LOADS:
            names = (step.argval,)
        elif step.opname in _ATTRIBUTES and names:
            names = (*names, step.argval)
        elif _is_call(step) and step.positions != here.positions:
            names = ()
    return names


def _read_call_source(file: str, place: dis.Positions) -> tuple[str, ...]:
    """The dotted name of what the call at a place in a file calls."""
    if place.lineno is None or place.end_lineno is None:
        return ()
    lines = linecache.getlines(file)[place.lineno - 1 : place.end_lineno]
    if not lines:
        return ()
    # Columns are of bytes.
    text = [line.encode() for line in lines]
    text[-1] = text[-1][: place.end_col_offset]
    text[0] = text[0][place.col_offset :]
    try:
        found: ast.expr = ast.parse(b"".join(text).decode(), mode="eval").body
    except (SyntaxError, UnicodeDecodeError):
        return ()
    if isinstance(found, ast.Call):
        found = found.func
    names: tuple[str, ...] = ()
    while isinstance(found, ast.Attribute):
        names = (found.attr, *names)
        found = found.value
    return (found.id, *names) if isinstance(found, ast.Name) else ()


def _is_call(step: dis.Instruction) -> bool:
    return step.opname.startswith(("CALL", "PRECALL"))
