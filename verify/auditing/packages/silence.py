"""Silence: what the code of others says while it is tried must not mix with the output."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator

import numpy as np


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """No warnings, and nothing printed."""
    with (
        np.errstate(all="ignore"),
        warnings.catch_warnings(action="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        yield
