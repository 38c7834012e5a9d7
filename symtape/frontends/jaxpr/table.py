"""The table: what each primitive of JAX means on Tensors, or why it has no meaning here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Call:
    """One equation as it is replayed, without its operands.

    Attributes
    ----------
    name : str
        Of the primitive.
    params : dict
        Its static parameters.
    outputs : sequence of avals
        Shapes and dtypes of what it gives.
    run : callable ``(jaxpr, *values) -> list of values``
        Replays a jaxpr that is among the parameters.
    refuse : callable ``(words) -> Unreadable``
        What to raise where the operands are such that it cannot be read.
    """

    name: str
    params: dict[str, Any]
    outputs: Any
    run: Callable[..., list[Any]]
    refuse: Callable[[str], Exception]

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the first output."""
        return tuple(int(n) for n in self.outputs[0].shape)

    @property
    def dtype(self) -> Any:
        """Of the first output."""
        return self.outputs[0].dtype

    def replace_outputs(self, *outputs: Any) -> Call:
        """The same, as if it gave arrays of the shapes and dtypes of `outputs`."""
        return replace(self, outputs=outputs)


Reading: TypeAlias = Callable[..., Any]
"""``(call, *operands) -> value``, or a list of values for a primitive of several outputs."""

READINGS: Final[dict[str, Reading]] = {}
"""By name of the primitive; the operands are Tensors and NumPy arrays, at least one a Tensor."""

REFUSALS: Final[dict[str, str]] = {}
"""Why a primitive cannot be read when one of its operands depends on the inputs."""


def reads(*names: str) -> Callable[[Reading], Reading]:
    """Declare the reading of primitives; a decorator."""

    def declare(reading: Reading) -> Reading:
        for name in names:
            READINGS[name] = reading
        return reading

    return declare


def refuses(reason: str, names: str) -> None:
    """Declare that primitives, their names blank separated, cannot be read, and why."""
    for name in names.split():
        REFUSALS[name] = reason
