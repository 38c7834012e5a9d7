"""Which line of the user's an ATen operation comes from, in forward and backward passes."""

from __future__ import annotations

import inspect
import os
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from symtape.frontends.aten.values import torch
from symtape.recording.origin import Origin

_HERE: Final = str(Path(__file__).resolve().parents[2])
_TORCH: Final = os.path.dirname(torch.__file__) + os.sep
_MODULES: Final = os.path.join(_TORCH, "nn", "modules") + os.sep
_OTHERS: Final = (
    _TORCH,
    _HERE + os.sep,
    os.path.join(os.path.dirname(_HERE), "verify", "adapters") + os.sep,
    os.path.dirname(np.__file__) + os.sep,
    "<",
)
_SWITCHES: Final = (
    os.path.join(_TORCH, "autograd", "grad_mode.py"),
    os.path.join(_TORCH, "utils", "_contextlib.py"),
)
"""Files of ``torch.no_grad`` and its like, as context managers and as decorators."""

_CALLER: Final = os.path.join(os.path.dirname(__file__), "calling.py")


class Lines:
    """Remembers the line that made each node of an autograd graph, and finds it again.

    Parameters
    ----------
    function : callable
        Whose place stands for what no line of the user's has called.

    A node is known by its sequence number; the operation that is dispatched next after a node was
    made is the one that it belongs to.
    """

    def __init__(self, function: Any) -> None:
        self._of_nodes: dict[int, Origin | None] = {}
        self._whole = _place_of(function)

    def here(self) -> Origin | None:
        """The line of the operation that is being dispatched."""
        node = torch._C._current_autograd_node()
        if node is None or isinstance(node, torch.autograd.function.BackwardCFunction):
            origin = _innermost() or self._whole
        else:
            origin = self._of_nodes.get(node._sequence_nr()) or _innermost() or self._whole
        self._of_nodes.setdefault(torch.autograd._get_sequence_nr() - 1, origin)
        return origin


def _place_of(function: Any) -> Origin | None:
    """Where a function begins, under partials and wrappers."""
    while not hasattr(function, "__code__"):
        inner = getattr(function, "__wrapped__", None) or getattr(function, "func", None)
        if inner is None:
            return None
        function = inner
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    if code is None or code.co_filename.startswith(_OTHERS):
        return None
    return Origin(code.co_filename, code.co_firstlineno, code.co_name)


def _innermost() -> Origin | None:
    """The innermost running line of the user's; of a module of torch's, if there is none."""
    module: Origin | None = None
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename != _CALLER:
        name = frame.f_code.co_filename
        if not name.startswith(_OTHERS):
            return Origin(name, frame.f_lineno, frame.f_code.co_name)
        if module is None and name.startswith(_MODULES) and frame.f_code.co_name == "forward":
            module = Origin(name, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return module


def is_called_by_user() -> bool:
    """Whether the function of torch that is being called was called by the user's code."""
    frame: Any = sys._getframe(2)
    return not frame.f_code.co_filename.startswith(_OTHERS)


def is_switched_by_user() -> bool:
    """Whether gradients are being switched off, or on again, by the user's code."""
    frame: Any = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename in _SWITCHES:
        frame = frame.f_back
    return not frame.f_code.co_filename.startswith(_OTHERS)
