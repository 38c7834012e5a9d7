"""Jacobians of batches as images: every (batch, batch) slice a patch."""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.model.figures import HeatMap

__all__ = ["arrange_patches"]


def arrange_patches(title: str, full: Any, x_label: str = "input") -> HeatMap:
    """Arrange a Jacobian as patches, so that independent rows show as diagonals.

    Parameters
    ----------
    full : (batch, outputs, batch, inputs)
        A Jacobian of batches.

    Examples
    --------
    >>> full = np.eye(6).reshape(3, 2, 3, 2)
    >>> len(arrange_patches("identity", full).rows), arrange_patches("identity", full).patch
    (6, (3, 3))
    """
    batch, outputs, _, inputs = full.shape
    matrix = np.transpose(full, (1, 0, 3, 2)).reshape(outputs * batch, inputs * batch)
    return HeatMap.from_matrix(
        title,
        matrix,
        x_label=x_label,
        y_label="output",
        patch=(batch, batch),
        extent=(-0.5, inputs - 0.5, outputs - 0.5, -0.5),
    )
