"""Rules: Fourier transforms of real numbers compute the half of them that is not redundant."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.elementwise import REAL
from symtape.primitives.fourier import FFT
from symtape.primitives.indexing import GETITEM, SCATTER
from symtape.primitives.primitive import opaque
from symtape.primitives.shape import CAST
from symtape.programs.compiled.rewriting import Builder, applies_to

_OTHER_WAY: Final[dict[Any, Any]] = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _transform_reals(x: Any, axis: int, inverse: bool, norm: Any) -> Any:
    """The first half of the transform of real numbers."""
    if inverse:
        return np.conj(np.fft.rfft(x, axis=axis, norm=_OTHER_WAY[norm]))
    return np.fft.rfft(x, axis=axis, norm=norm)


def _transform_to_reals(half: Any, n: int, axis: int, inverse: bool, norm: Any) -> Any:
    """The real part of the transform of numbers of which the second half is 0."""
    doubled = np.full(half.shape[axis], 0.5)  # for their conjugates are transformed as well
    doubled[0] = 1.0
    if n % 2 == 0:
        doubled[-1] = 1.0
    weighted = half * doubled.reshape([-1 if k == axis else 1 for k in range(half.ndim)])
    if inverse:
        return np.fft.irfft(weighted, n, axis=axis, norm=norm)
    return np.fft.irfft(np.conj(weighted), n, axis=axis, norm=_OTHER_WAY[norm])


REALS_TO_HALF: Final = opaque("transform_reals", _transform_reals, 1)
HALF_TO_REALS: Final = opaque("transform_to_reals", _transform_to_reals, 1)


@applies_to(GETITEM)
def transform_half(build: Builder, node: Node) -> int | None:
    """The first half of a transform of real numbers, for all of it and then that half."""
    whole = build.nodes[node.inputs[0]]
    if whole.primitive is not FFT or not _is_half(node.params["index"], whole):
        return None
    (at,) = whole.inputs
    source = build.nodes[at]
    if source.primitive is CAST:
        (at,) = source.inputs
    if build.nodes[at].dtype != np.float64:
        return None
    return build.apply(REALS_TO_HALF, (at,), whole.params, node)


@applies_to(REAL)
def transform_half_back(build: Builder, node: Node) -> int | None:
    """The real part of a transform of a half spectrum, without the zeros behind it."""
    whole = build.nodes[node.inputs[0]]
    if whole.primitive is not FFT or node.dtype != np.float64:
        return None
    filled = build.nodes[whole.inputs[0]]
    if filled.primitive is not SCATTER or not _is_half(filled.params["index"], whole):
        return None
    params = {**whole.params, "n": whole.shape[whole.params["axis"]]}
    return build.apply(HALF_TO_REALS, filled.inputs, params, node)


def _is_half(index: Any, whole: Node) -> bool:
    """Whether an index takes all that a transform of real numbers does not repeat."""
    items = index if isinstance(index, tuple) else (index,)
    axis = whole.params["axis"] % len(whole.shape)
    if not all(isinstance(item, slice) for item in items) or axis >= len(items):
        return False
    wanted = [range(n // 2 + 1 if k == axis else n) for k, n in enumerate(whole.shape)]
    return all(
        range(n)[item] == kept for n, item, kept in zip(whole.shape, items, wanted, strict=False)
    )
