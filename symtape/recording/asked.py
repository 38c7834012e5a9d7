"""What transforms ask of a run: derivatives of what it returned, by real or complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.recording.complex_numbers import (
    Convention,
    check_holomorphic,
    is_complex,
    refuse_complex_target,
)
from symtape.recording.run import Run
from symtape.recording.tensor import Tensor


def gradient_of(run: Run, holomorphic: bool, convention: Convention) -> list[Any]:
    """The gradient of a scalar output by each source of a run; its derivative, if holomorphic."""
    if holomorphic:
        return blocks_of(run, run.output, holomorphic, convention)
    if is_complex(run.output._value):
        refuse_complex_target(run.output, by_complex=False)
    return run.gradient(convention)


def blocks_of(run: Run, target: Tensor, holomorphic: bool, convention: Convention) -> list[Any]:
    """The Jacobian of an output by each source of a run, with zeros where there is no path."""
    if holomorphic:
        check_holomorphic(target, run.sources)
    parts = run.tape.blocks(target, run.sources, holomorphic=holomorphic, convention=convention)
    return [
        np.zeros(target.shape + source.shape, source.dtype)[()] if part is None else part
        for source, part in zip(run.sources, parts, strict=True)
    ]
