"""What a tape is asked, checked: targets, sources, weights, and what to do without a path."""

from __future__ import annotations

import enum
import warnings
from typing import Any, Literal

import numpy as np

from symtape.errors import NotOnTape
from symtape.recording.edges import ones_of
from symtape.recording.stack import STACK
from symtape.recording.structure import flatten, flatten_like
from symtape.recording.tensor import Tensor


class UnconnectedGradients(enum.Enum):
    """What :meth:`GradientTape.gradient` answers for a source the target does not depend on."""

    NONE = "none"
    ZERO = "zero"


Unconnected = UnconnectedGradients | Literal["none", "zero"]


def differentiable(tensor: Tensor, role: str, caller: str) -> bool:
    """Whether `tensor` is of real or complex floats; warns where it is not."""
    if tensor._value.dtype.kind in "fc":
        return True
    warnings.warn(
        f"The dtype of the {role} must be floating (e.g. float64) when calling {caller}, "
        f"got {tensor.dtype}; its gradient is None. Make it of floats, 10.0 rather than 10.",
        stacklevel=3,
    )
    return False


def sources_of(sources: Any) -> list[Tensor]:
    """The leaves of `sources`, all of them tensors."""
    return _tensors_of(
        sources,
        "source {} is not a tensor, so no tape can have watched it; expected symtape.Variable, or "
        "a symtape.constant given to tape.watch",
    )


def targets_of(target: Any) -> list[Tensor]:
    """The leaves of `target`, all of them tensors."""
    return _tensors_of(
        target,
        "target {} is not a tensor, so no tape recorded it; expected the result of operations on "
        "tensors",
    )


def _tensors_of(tree: Any, refusal: str) -> list[Tensor]:
    leaves = flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise NotOnTape(refusal.format(quote(leaf)))
    return leaves


def weights_of(output_gradients: Any, target: Any) -> list[Any]:
    """One entry for each leaf of `target`: an array_like, or None for ones."""
    if isinstance(target, Tensor):
        alone = isinstance(output_gradients, list | tuple) and len(output_gradients) == 1
        if alone and (output_gradients[0] is None or np.shape(output_gradients) != target.shape):
            return [output_gradients[0]]
        return [output_gradients]
    try:
        return flatten_like(output_gradients, target)
    except ValueError as error:
        weights, count = flatten(output_gradients), len(flatten(target))
        if isinstance(output_gradients, dict) or len(weights) != count:
            raise ValueError(
                f"output_gradients has {len(weights)} entries for {count} targets; give one "
                f"for each target, or None: {error}"
            ) from None
        return weights


def seed_of(target: Tensor, weight: Any) -> Any:
    """The cotangent that `weight` means for `target`, before it is conjugated."""
    value = target._value
    if weight is None:
        return ones_of(target)
    weight = weight._read() if isinstance(weight, Tensor) else np.asarray(weight)
    if not weight.ndim and value.ndim:
        weight = np.broadcast_to(weight, value.shape)
    if weight.shape != value.shape:
        raise ValueError(
            f"output_gradients has shape {weight.shape}, but its target has shape {value.shape}; "
            "they must be equal"
        )
    if weight.dtype.kind == "c" and value.dtype.kind != "c":
        raise NotOnTape(
            f"output_gradients is of complex numbers, {weight.dtype}, but its target is real, "
            f"{value.dtype}; give real numbers, np.real(...) of them"
        )
    return weight.astype(value.dtype) if weight.dtype != value.dtype else _bare(weight)


def _bare(weight: Any) -> Any:
    if isinstance(weight, Tensor) and not STACK.recorders:
        return weight._value
    return weight if isinstance(weight, Tensor) or weight.ndim else weight[()]


def wants_zero(unconnected: Unconnected) -> bool:
    """Whether zeros are wanted for what is not connected."""
    try:
        return UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: {unconnected!r}; expected 'none', 'zero' "
            "or a member of "
            "symtape.UnconnectedGradients"
        ) from None


def quote(value: Any) -> str:
    """`value` and its type, short enough for a message."""
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"
