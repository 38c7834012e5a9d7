"""Directions that a derivative is asked in, one for each argument, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.errors import NotOnTape
from symtape.recording.complex_numbers import is_complex
from symtape.recording.run import Run
from symtape.recording.tensor import Tensor


def check_sequences(primals: Any, tangents: Any) -> None:
    """Refuse what is not one tangent for each primal, in tuples or lists."""
    if not isinstance(primals, list | tuple) or not isinstance(tangents, list | tuple):
        raise TypeError(
            "primals and tangents must be tuples or lists, one entry for each argument of the "
            f"function; got {type(primals).__name__} and {type(tangents).__name__}"
        )
    if len(primals) != len(tangents):
        raise ValueError(f"{len(primals)} primals but {len(tangents)} tangents; give one for each")


def tangent_leaves(run: Run, tangents: Sequence[Any]) -> list[Any]:
    """`tangents` as arrays of the shapes and dtypes of the sources of `run`."""
    leaves: list[Any] = []
    for number, (tree, tangent) in enumerate(zip(run.within, tangents, strict=True)):
        for part in [tangent] if tree is None else tree.take_parts(tangent):
            source = run.sources[len(leaves)]
            if np.shape(part) != source.shape:
                raise ValueError(
                    f"tangents[{number}] has shape {np.shape(part)}, but primals[{number}] has "
                    f"shape {source.shape}; they must be equal"
                )
            if is_complex(part) and not is_complex(source):
                raise NotOnTape(
                    f"tangents[{number}] is complex, but primals[{number}] is of {source.dtype}; "
                    "a real number changes by real numbers"
                )
            leaves.append(part if isinstance(part, Tensor) else np.asarray(part, source.dtype))
    return leaves


def some_cotangent(output: Tensor) -> Any:
    """A cotangent to transpose a linear map at; by zeros its rules could check nothing."""
    numbers = np.cos(np.arange(1.0, 1.0 + output.size))
    if is_complex(output):
        numbers = numbers + np.sin(np.arange(1.0, 1.0 + output.size)) * 1j
    return numbers.reshape(output.shape).astype(output.dtype)[()]
