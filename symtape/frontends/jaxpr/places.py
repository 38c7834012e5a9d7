"""Where in the user's source an equation of a jaxpr comes from."""

from __future__ import annotations

import functools
import importlib
import os
from typing import Any, Final

from symtape.recording.origin import Origin

_OURS: Final[tuple[str, ...]] = tuple(
    os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))), name)
    + os.sep
    for name in ("symtape", "verify")
)


@functools.cache
def _source_info() -> Any:
    try:
        return importlib.import_module("jax._src.source_info_util")
    except ImportError:
        return None


def origin_of(equation: Any, caller: Origin | None = None, within: str = "") -> Origin | None:
    """The innermost line of the user's that led to an equation.

    Parameters
    ----------
    equation : JaxprEqn
    caller : Origin, optional
        Where the jaxpr that it is in was called; stands in for what JAX did not keep.
    within : str
        The name of the function that was compiled to that jaxpr. JAX keeps compiled functions of
        its own from other calls of theirs, whose lines say nothing of this one.
    """
    frames = _frames(equation)
    if not frames or (within and not any(_is_in(frame, within) for frame in frames)):
        return caller
    frame = frames[0]
    return Origin(str(frame.file_name), int(frame.start_line), str(frame.function_name))


def _is_in(frame: Any, name: str) -> bool:
    return name in str(frame.function_name).replace("<locals>", "").split(".")


def _frames(equation: Any) -> list[Any]:
    """The user's frames; older versions of JAX take the whole, newer ones the traceback of it."""
    source, info = _source_info(), getattr(equation, "source_info", None)
    if source is None or info is None:
        return []
    for argument in (getattr(info, "traceback", None), info):
        try:
            found = list(source.user_frames(argument))
        except (AttributeError, TypeError):
            continue
        return [frame for frame in found if not str(frame.file_name).startswith(_OURS)]
    return []
