"""Calls of ``float``, ``complex`` and ``type`` as they keep tensors: no other way leads there.

``float(t)`` must return a float, ``complex(t)`` a complex number, and ``type(t)`` the type that it
has. So the code of the functions that call them is changed while they are recorded: where it loads
one of them to call it, it loads a function that is the same of all but tensors. A method of plain
arrays, as ``array.dot(t)``, asks a tensor nothing either, and is exchanged for a function.
"""

from __future__ import annotations

import dis
import functools
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, Final

from symtape.recording.calling import spelled

_NULL_FIRST: Final = sys.version_info < (3, 13)
_ATTRIBUTES: Final = frozenset(("LOAD_ATTR", "LOAD_METHOD"))
_LOOKING_UP: Final = _ATTRIBUTES | {"IMPORT_FROM"}
_SWAP: Final = bytes((dis.opmap["SWAP"], 2))
_WIDTH: Final = 2
"""Bytes of an instruction."""


def is_called(frame: FrameType) -> bool:
    """Whether the attribute that `frame` is loading is called next."""
    return _loads_to_call(frame.f_code, frame.f_lasti)


def looks_up(frame: FrameType) -> bool:
    """Whether code of Python asks for an attribute, and no compiled code that it has called."""
    return _looks_up(frame.f_code, frame.f_lasti)


@functools.lru_cache(maxsize=8192)  # places in code
def _looks_up(code: CodeType, at: int) -> bool:
    here = next((step for step in dis.get_instructions(code) if step.offset == at), None)
    if here is not None and here.opname in _LOOKING_UP:
        return True
    return spelled(code, at) == ("getattr",)


@functools.lru_cache(maxsize=4096)  # places in code
def _loads_to_call(code: CodeType, at: int) -> bool:
    steps = list(dis.get_instructions(code))
    here = next((k for k, step in enumerate(steps) if step.offset == at), None)
    if here is None or steps[here].opname == "LOAD_METHOD":
        return here is not None
    if steps[here].opname != "LOAD_ATTR" or steps[here + 1].opname in _ATTRIBUTES:
        return False
    if sys.version_info >= (3, 12) and _to_call(steps[here]):
        return True
    while here and steps[here].opname == "LOAD_ATTR":
        here -= 1
    to_call = steps[here].opname == "LOAD_GLOBAL" and _to_call(steps[here])
    return to_call or (here > 0 and steps[here - 1].opname == "PUSH_NULL")


def assigns_entries(code: CodeType) -> bool:
    """Whether code writes into entries of arrays, or into whole ones in place."""
    return any(
        step.opname in ("STORE_SUBSCR", "STORE_SLICE")
        or (step.opname == "BINARY_OP" and step.argrepr.endswith("="))
        for step in dis.get_instructions(code)
    )


@functools.lru_cache(maxsize=8192)  # code, and a few sets of names
def replaces(code: CodeType, names: frozenset[str], methods: frozenset[str] = frozenset()) -> bool:
    """Whether code, or code inside it, calls one of `names` of the builtins, or a method."""
    if not names.isdisjoint(code.co_names) and any(True for _ in _sites(code, names)):
        return True
    if not methods.isdisjoint(code.co_names) and any(True for _ in _methods(code, methods)):
        return True
    inner = (item for item in code.co_consts if isinstance(item, CodeType))
    return any(replaces(item, names, methods) for item in inner)


def _sites(code: CodeType, names: frozenset[str]) -> Iterator[tuple[int, int, str, bool]]:
    """Where `names` are loaded to be called: first byte, byte after, name, and whether at once.

    ``map(float, x)`` calls later.
    """
    steps = list(dis.get_instructions(code))
    for number, step in enumerate(steps[:-1]):
        if step.opname != "LOAD_GLOBAL" or step.argval not in names:
            continue
        extended = number > 0 and steps[number - 1].opname == "EXTENDED_ARG"
        first = number - extended
        before = steps[first - 1] if first else None
        mapped = before is not None and before.opname == "LOAD_GLOBAL" and before.argval == "map"
        if _to_call(step) or mapped:
            yield steps[first].offset, steps[number + 1].offset, step.argval, _to_call(step)


def _methods(code: CodeType, names: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Where methods of these `names` are loaded to be called: first byte, byte after, name."""
    steps = list(dis.get_instructions(code))
    for number, step in enumerate(steps[:-1]):
        to_call = step.opname == "LOAD_METHOD" or (
            sys.version_info >= (3, 12) and step.opname == "LOAD_ATTR" and _to_call(step)
        )
        if to_call and step.argval in names:
            first = number - (number > 0 and steps[number - 1].opname == "EXTENDED_ARG")
            yield steps[first].offset, steps[number + 1].offset, step.argval


def _to_call(step: dis.Instruction) -> bool:
    return bool((step.arg or 0) & 1)


def replaced(
    code: CodeType, kept: dict[str, Any], methods: dict[str, Any] | None = None
) -> CodeType:
    """Code in which calls of the names in `kept` are calls of what is kept for them.

    What is kept for `methods` takes the object first.
    """
    methods = methods or {}
    inner = (replaced(x, kept, methods) if isinstance(x, CodeType) else x for x in code.co_consts)
    constants = list(inner)
    raw = bytearray(code.co_code)
    for start, end, name, at_once in _sites(code, frozenset(kept)):
        constants.append(kept[name])
        raw[start:end] = _loading(len(constants) - 1, end - start, at_once)
    for start, end, name in _methods(code, frozenset(methods)):
        constants.append(methods[name])
        # A method and its object stand in this order.
        raw[start:end] = _padded(_constant(len(constants) - 1) + _SWAP, end - start)
    return code.replace(co_code=bytes(raw), co_consts=tuple(constants))


def _loading(place: int, length: int, to_call: bool) -> bytes:
    """Instructions that load a constant, to be called or not, in so many bytes."""
    null = bytes((dis.opmap["PUSH_NULL"], 0)) if to_call else b""
    load = _constant(place)
    return _padded(null + load if _NULL_FIRST else load + null, length)


def _constant(place: int) -> bytes:
    load = bytes((dis.opmap["LOAD_CONST"], place & 255))
    return load if place < 256 else bytes((dis.opmap["EXTENDED_ARG"], place >> 8)) + load


def _padded(done: bytes, length: int) -> bytes:
    return done + bytes((dis.opmap["NOP"], 0)) * ((length - len(done)) // _WIDTH)
