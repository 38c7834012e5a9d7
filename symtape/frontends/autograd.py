"""HIPS autograd on tensors: its functions and its derivatives are NumPy calls that record.

``autograd.numpy`` calls NumPy with what it is given, and autograd differentiates by calling its
own rules, which are ``autograd.numpy`` code again. So a function and its ``autograd.grad`` are
both read by running them. A few of autograd's functions go around NumPy's protocols; while a
program is read they are spelt in another way when a tensor takes part.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from symtape.frontends.placing import spread
from symtape.primitives.factorisations import EighResult, QRResult, SVDResult
from symtape.primitives.linear_algebra import SlogdetResult
from symtape.process.extras import find_loaded, load
from symtape.reading.arrays import NUMPY_OF_TENSORS
from symtape.reading.unsourced import copy_with_globals
from symtape.recording.custom import stop_gradient
from symtape.recording.nested import holds_tensor
from symtape.recording.origin import pass_over
from symtape.recording.tensor import Tensor, tensor_of

Function = Callable[..., Any]

_MACHINERY: Final = (
    "tracer.py",
    "core.py",
    "wrap_util.py",
    "util.py",
    "differential_operators.py",
    "numpy/numpy_wrapper.py",
    "numpy/numpy_boxes.py",
)
"""Files of autograd that only hand on what the user's code, or one of its rules, asks for."""


def read(function: Function, *arguments: Any) -> Any:
    """What a function written for autograd computes of tensors.

    Parameters
    ----------
    function : callable
        In ``autograd.numpy``; ``autograd.grad(f)`` and its like as well.
    *arguments : Tensor or array_like

    Returns
    -------
    Tensor, or tuples and lists of them
    """
    _register()
    with _respelt():
        return _that_stops(function)(*arguments)


def _that_stops(function: Function) -> Function:
    """A user's function, in which ``getval`` of a tensor is a constant to derivatives."""
    getval = importlib.import_module("autograd.tracer").getval
    if not isinstance(function, FunctionType):
        return function
    names = [name for name, value in function.__globals__.items() if value is getval]
    if not names:
        return function

    def stop_value(x: Any) -> Any:
        return stop_gradient(x) if isinstance(x, Tensor) else getval(x)

    return copy_with_globals(function, function.__globals__ | dict.fromkeys(names, stop_value))


def _rebind_numpy(raw: Function) -> Function:
    """The same code, in which NumPy is the one that keeps tensors."""
    if not isinstance(raw, FunctionType):
        return raw
    scope = raw.__globals__ | {"onp": NUMPY_OF_TENSORS, "_np": NUMPY_OF_TENSORS}
    return copy_with_globals(raw, scope)


def _reshape(raw: Function) -> Function:
    def reshape(x: Any, shape: Any, order: Any = None) -> Any:
        whole = tuple(int(n) for n in shape) if np.ndim(shape) else int(shape)
        return np.reshape(x, whole, order=order or "C")

    return reshape


def _concatenate(raw: Function) -> Function:
    def concatenate_args(axis: Any, *arrays: Any) -> Any:
        return np.concatenate(arrays, axis)

    return concatenate_args


def _parse_einsum(raw: Function) -> Function:
    def parse_einsum_input(*operands: Any) -> Any:
        # Only their shapes are asked for.
        return raw(*[np.zeros(x.shape) if isinstance(x, Tensor) else x for x in operands])

    return parse_einsum_input


def _make_diagonal(raw: Function) -> Function:
    def make_diagonal(entries: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        raw(np.zeros(entries.shape), offset, axis1, axis2)
        return entries[..., None] * np.eye(entries.shape[-1])

    return make_diagonal


def _untake(raw: Function) -> Function:
    sparse = importlib.import_module("autograd.core").SparseObject

    def untake(g: Any, index: Any, space: Any) -> Any:
        if isinstance(index, list) and (not index or not isinstance(index[0], slice)):
            index = np.array(index, dtype=np.intp)
        return sparse(space, lambda total: total + spread(g, index, space.shape))

    return untake


def _unpermuter(raw: Function) -> Function:
    def unpermuter(g: Any, permutation: Any) -> Any:
        # An array would look at the values of an index that is a tensor.
        whole = tensor_of(g) if type(g) is np.ndarray else g
        return whole[np.argsort(permutation)]

    return unpermuter


def _find_boxes(raw: Function) -> Function:
    def find_boxes(arguments: Any) -> Any:
        # Since 1.9 with whether NumPy should ask a tensor first, which knows no boxes.
        found = raw(arguments)
        return (*found[:3], *(False for _ in found[3:]))

    return find_boxes


def _find_scipy_spelling(raw: Function) -> Function:
    spelt: Function = getattr(importlib.import_module("symtape.scipy.special"), raw.__name__)
    return spelt


_SPELLINGS: Final[dict[str, Callable[[Function], Function]]] = {
    "autograd.tracer.find_top_boxed_args": _find_boxes,
    "autograd.numpy.reshape": _reshape,
    "autograd.numpy.numpy_wrapper.concatenate_args": _concatenate,
    "autograd.numpy.numpy_wrapper.array_from_args": _rebind_numpy,
    "autograd.numpy.numpy_wrapper._array_from_scalar_or_array": _rebind_numpy,
    "autograd.numpy.numpy_wrapper.parse_einsum_input": _parse_einsum,
    "autograd.numpy.numpy_wrapper.make_diagonal": _make_diagonal,
    "autograd.numpy.numpy_vjps.untake": _untake,
    "autograd.numpy.numpy_vjps.unpermuter": _unpermuter,
    "autograd.numpy.numpy_vjps.dot_adjoint_0": _rebind_numpy,
    "autograd.numpy.numpy_vjps.dot_adjoint_1": _rebind_numpy,
    "autograd.scipy.special.logsumexp": _find_scipy_spelling,
    "autograd.scipy.special.polygamma": _find_scipy_spelling,
}
"""How functions of autograd that go around NumPy's protocols are spelt for tensors."""


@contextlib.contextmanager
def _respelt() -> Iterator[None]:
    """Autograd as it is, but for calls with tensors to the functions above."""
    with contextlib.ExitStack() as undo:
        for place, spelt in _SPELLINGS.items():
            module, _, name = place.rpartition(".")
            # What the user has not imported is not in use; what a version lacks is not called.
            function = getattr(find_loaded(module), name, None)
            if function is not None:
                undo.callback(_put(find_loaded(module), name, function, spelt))
        yield


def _put(
    module: ModuleType, name: str, function: Function, spelt: Callable[[Function], Function]
) -> Callable[[], None]:
    """Spell a function anew where autograd looks it up; returns what undoes it."""
    names = function.__code__.co_freevars
    if "f_raw" not in names:
        setattr(module, name, _choose_by_type(function, spelt(function)))
        return lambda: setattr(module, name, function)
    # A primitive calls what it wraps; rules are kept under the primitive itself.
    cell = (function.__closure__ or ())[names.index("f_raw")]
    raw = cell.cell_contents
    cell.cell_contents = _choose_by_type(raw, spelt(raw))
    return lambda: setattr(cell, "cell_contents", raw)


def _choose_by_type(raw: Function, spelt: Function) -> Function:
    """`raw` of arrays, `spelt` of tensors."""

    def call_either(*args: Any, **keywords: Any) -> Any:
        return spelt(*args, **keywords) if holds_tensor(args) else raw(*args, **keywords)

    return call_either


def _register() -> None:
    """Tell autograd that a tensor is an array, and what its zeros and its sums are."""
    extend = load("autograd.extend", "verify.adapters.autograd")
    if Tensor in extend.VSpace.mappings:
        return
    spaces = importlib.import_module("autograd.numpy.numpy_vspaces")

    class TensorSpace(spaces.ArrayVSpace):  # type: ignore[misc,name-defined]
        def __init__(self, value: Any) -> None:
            self.shape, self.dtype = value.shape, value.dtype

        def _mut_add(self, total: Any, more: Any) -> Any:
            return total + more

        def __eq__(self, other: object) -> bool:
            same = isinstance(other, spaces.ArrayVSpace)
            return same and (self.shape, self.dtype) == (other.shape, other.dtype)  # type: ignore[attr-defined]

        __hash__ = None  # type: ignore[assignment]  # as autograd's own

    importlib.import_module("autograd.numpy.numpy_boxes").ArrayBox.register(Tensor)
    extend.VSpace.register(Tensor, TensorSpace)
    _register_tuples()
    folder = os.path.dirname(importlib.import_module("autograd").__file__ or "")
    pass_over(*[os.path.join(folder, *name.split("/")) for name in _MACHINERY])


def _register_tuples() -> None:
    """Named results of NumPy's factorisations, as they are of tensors."""
    builtins = importlib.import_module("autograd.builtins")
    for kind in (EighResult, QRResult, SVDResult, SlogdetResult):
        builtins.SequenceBox.register(kind)
        space: Any = type(f"{kind.__name__}Space", (builtins.NamedTupleVSpace,), {"seq_type": kind})
        space.register(kind)
