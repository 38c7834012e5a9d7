"""What the workloads are called with: the tree that they are differentiated by, and their data."""

from __future__ import annotations

import numpy as np


def rng(seed=7):
    return np.random.default_rng(seed)
