"""Reproducing: programs that show a finding, run to see that they do."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from flint import arb

from symtape.process.extras import find_loaded
from verify.auditing.libraries.exact import Exact
from verify.auditing.libraries.formats import Format
from verify.model.outcome import Float, PointOutcome

if TYPE_CHECKING:
    from verify.auditing.libraries.claimants import Claimant

COPIES: Final = 64
"""Of a point, in an array that is long enough for instructions on many numbers at once."""


def reproduce(
    library: Claimant,
    expression: str,
    wrt: tuple[int, ...],
    form: Format,
    points: Sequence[PointOutcome],
) -> tuple[PointOutcome, str, str]:
    """The point to show first, a program for it, and what that prints.

    Libraries compute a number alone and one among many in different ways. A point is taken at
    which a number alone is what was measured; else one at which it is in an array, or is at fault
    all the same.

    Parameters
    ----------
    library : Claimant
    expression : str
    wrt : tuple of int
    form : Format
    points : sequence of PointOutcome
        Of equal importance; one at least.
    """
    tried = []
    for copies in (1, COPIES):
        for point in points:
            numbers = [literal(shortest(form, it.values[0])) for it in point.inputs]
            program = library.reproducer(expression, numbers, wrt, form.name, copies)
            tried.append((point, program, capture_output(program)))
            if point.claimed and agrees(tried[-1][2], point.claimed, form):
                return tried[-1]
    return next((it for it in tried if _is_fault(it[0], it[2], form)), tried[0])


def agrees(text: str, claimed: Float, form: Format) -> bool:
    """Whether what a program printed is the number of the format that was measured.

    Examples
    --------
    >>> from verify.auditing.libraries.formats import FORMATS
    >>> agrees("0.1", Float.from_number(0.1), FORMATS["float64"])
    True
    >>> agrees("0.1", Float.from_number(0.10000000000000002), FORMATS["float64"])
    False
    """
    number = _number(text)
    measured = form.round_numbers(float.fromhex(claimed.hex))
    return number is not None and np.array_equal(
        form.round_numbers(number), measured, equal_nan=True
    )


def shortest(form: Format, x: float) -> str:
    """The shortest decimal that reads back as this number of the format.

    Examples
    --------
    >>> from verify.auditing.libraries.formats import FORMATS
    >>> shortest(FORMATS["float32"], 0.1), shortest(FORMATS["float64"], 20.0)
    ('0.1', '20')
    """
    number = form.round_numbers(x)
    return str(number if form.name != "bfloat16" else float(number)).removesuffix(".0")


def capture_output(program: str) -> str:
    """What a program prints, run here and now."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), _settings(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with np.errstate(all="ignore"):
                exec(compile(program, "<reproducer>", "exec"), {})
        except Exception as error:  # noqa: BLE001  # what it raises is what it shows
            return f"{type(error).__name__}: {error}"
    return output.getvalue().strip()


def literal(decimal: str) -> str:
    """A decimal as a float in a program.

    Examples
    --------
    >>> literal("20"), literal("1e-05"), literal("inf")
    ('20.0', '1e-05', 'inf')
    """
    return decimal if any(c in decimal for c in ".en") else f"{decimal}.0"


def _number(text: str) -> float | None:
    """The last word of an output as a number, if it is one."""
    try:
        return float(text.split()[-1])
    except (ValueError, IndexError):
        return None


def _is_fault(point: PointOutcome, text: str, form: Format) -> bool:
    number = _number(text)
    if number is None or point.enclosure is None:
        return False
    ulps = Exact.take_middles([arb(point.enclosure.lower)]).ulps(np.array([number]), form)[0]
    return not ulps <= (point.allowed_ulps or 0.0)


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """JAX's precision as it was before."""
    jax = find_loaded("jax")
    before = jax.config.jax_enable_x64 if jax else None
    try:
        yield
    finally:
        if jax:
            jax.config.update("jax_enable_x64", before)
