"""Complex arguments as pairs of real ones, and claims as derivatives by these.

The gradient of a real function by ``z = x + iy`` is ``df/dx + i df/dy``, as TensorFlow and PyTorch
have it, or the conjugate of that, as JAX does. That of a complex function is ``f'(z)`` in all of
them, where there is one; where there is none, no claim is right.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from symtape.recording.structure import flatten
from symtape.recording.tensor import Tensor
from verify.errors import UsageError
from verify.model.case import Case, argument_names, called
from verify.model.foreign import original_of
from verify.model.quantity import PRODUCTS
from verify.regions import arity
from verify.regions.rectangle import Rectangle

CONVENTIONS: Final = ("conjugate", "transpose")
"""What the gradient of a real function may be: ``df/dx + i df/dy``, or its conjugate."""

_WHOSE: Final = {"conjugate": "TensorFlow's and PyTorch's", "transpose": "JAX's"}

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which of the arguments are complex.

    Attributes
    ----------
    names : tuple of str
        Of the arguments as people write them.
    flags : tuple of bool
        Whether each is complex.
    """

    names: tuple[str, ...]
    flags: tuple[bool, ...]

    def places(self, at: int) -> tuple[int, ...]:
        """Where the parts of an argument are."""
        first = at + sum(self.flags[:at])
        return (first, first + 1) if self.flags[at] else (first,)

    def of_parts(self) -> list[str]:
        """What the real arguments are called."""
        pairs = ((f"re_{name}", f"im_{name}") for name in self.names)
        return [
            part
            for flag, name, pair in zip(self.flags, self.names, pairs, strict=True)
            for part in (pair if flag else (name,))
        ]

    def joined(self, xs: Sequence[Any]) -> list[Any]:
        """The arguments as people write them."""
        rest = iter(xs)
        return [_joined(next(rest), next(rest)) if flag else next(rest) for flag in self.flags]

    def apart(self, point: Sequence[Any]) -> tuple[Any, ...]:
        """The real arguments of a point."""
        return tuple(
            part
            for flag, x in zip(self.flags, point, strict=True)
            for part in (_apart(x) if flag else (x,))
        )


def _joined(re: Any, im: Any) -> Any:
    if isinstance(re, Tensor) or isinstance(im, Tensor):
        return re + 1j * im
    # Not by a sum, which loses the sign of a zero.
    joined = np.empty(np.shape(re), np.result_type(np.asarray(re).dtype, np.complex64))
    joined.real, joined.imag = re, im
    return joined[()]


def _apart(x: Any) -> tuple[Any, Any]:
    array = np.asarray(x)
    array = array if array.dtype.kind == "c" else array.astype(np.complex128)
    return array.real.copy()[()], array.imag.copy()[()]


class _Named:
    """A callable with names for its arguments, standing for one that people wrote."""

    def __init__(self, function: Function, names: Sequence[str]) -> None:
        self.__wrapped__ = function
        self.__name__ = self.__qualname__ = called(function)
        self.names = tuple(names)

    @property
    def __signature__(self) -> inspect.Signature:
        kind = inspect.Parameter.POSITIONAL_ONLY
        return inspect.Signature([inspect.Parameter(name, kind) for name in self.names])


class OfParts(_Named):
    """A function of complex arguments as one of their parts; a complex result by its parts."""

    def __init__(self, function: Function, pairing: Pairing) -> None:
        super().__init__(function, pairing.of_parts())
        self._pairing = pairing

    def __call__(self, *xs: Any) -> Any:
        """The function, its result real."""
        returned = self.__wrapped__(*self._pairing.joined(xs))
        return _stacked(returned) if _is_complex(returned) else returned


class ClaimedByParts(_Named):
    """A claim as people write it, as derivatives by the parts of the arguments.

    Parameters
    ----------
    claimed : callable
    pairing : Pairing
        Of its arguments, of which those behind the function's are directions.
    rows : sequence of bool
        For each argument that the derivative is by, whether it is complex; none of what is pushed
        forward.
    has_complex_value : bool
        Whether the function's value is complex.
    convention : {"conjugate", "transpose"}
        Of the gradient of a real function: ``df/dx + i df/dy``, or its conjugate.

    Attributes
    ----------
    imaginary : list of int
        Which parts are derivatives by an imaginary part.
    """

    def __init__(
        self,
        claimed: Function,
        pairing: Pairing,
        rows: Sequence[bool],
        has_complex_value: bool,
        convention: str,
    ) -> None:
        super().__init__(claimed, pairing.of_parts())
        self._pairing, self._rows = pairing, rows
        self._has_complex_value, self.convention = has_complex_value, convention
        starts = [k + sum(rows[:k]) for k in range(len(rows))]
        self.imaginary = [
            at + 1 for at, flag in zip(starts, rows, strict=True) if flag and not has_complex_value
        ]

    def __call__(self, *xs: Any) -> Any:
        """The derivatives by the parts."""
        returned = self.__wrapped__(*self._pairing.joined(xs))
        if not self._rows:
            return _stacked(returned) if self._has_complex_value else returned
        parts = [returned] if len(self._rows) == 1 else list(flatten(returned))
        if len(self._rows) == 1 and isinstance(returned, tuple) and len(returned) == 1:
            parts = list(returned)
        if len(parts) != len(self._rows):
            return returned
        found = [
            real
            for part, flag in zip(parts, self._rows, strict=True)
            for real in self._by_parts(part, flag)
        ]
        return found[0] if len(found) == 1 else tuple(found)

    def _by_parts(self, part: Any, flag: bool) -> tuple[Any, ...]:
        if not _is_numeric(part):
            return (part, part) if flag else (part,)
        if self._has_complex_value:
            along = _stacked(part)
            return (along, np.stack([-np.imag(part), np.real(part)])) if flag else (along,)
        if not flag:
            return (part,)
        return np.real(part), np.imag(part) if self.convention == CONVENTIONS[0] else -np.imag(part)


def _is_numeric(part: Any) -> bool:
    if isinstance(part, Tensor):
        return True
    try:
        return np.asarray(part).dtype.kind in "biufc"
    except ValueError:
        return False


def _is_complex(value: Any) -> bool:
    dtype = value.dtype if hasattr(value, "dtype") else None
    return isinstance(value, complex) if dtype is None else dtype.kind == "c"


def _stacked(value: Any) -> Any:
    return np.stack([np.real(value), np.imag(value)])


def by_real_arguments(
    case: Case, over: Any, argnums: Any, convention: str
) -> tuple[Case, Any, Any]:
    """A case, a region and indices of arguments, by real arguments alone.

    As they are, where nothing is complex.

    Raises
    ------
    UsageError
        A second derivative by complex arguments, or a region that does not fit.
    """
    specs = _specs(case, over)
    count = len(specs) if specs else len(case.at[0]) if case.at else 0
    if case.quantity in PRODUCTS and not specs:
        count = min(count, len(argument_names(case.function, count)) or count)
    flags = _flags(case, specs, count)
    if not any(flags):
        return case, over, argnums
    if case.quantity not in ("gradient", "jacobian"):
        raise UsageError(
            f"the {case.quantity} by complex arguments; verify that by the real and the imaginary "
            "part, as of lambda x, y: f(x + 1j * y)"
        )
    pairing = Pairing(tuple(argument_names(case.function, count)), flags)
    rows = _checked(argnums, flags)
    at = tuple(pairing.apart(point) for point in case.at)
    function = OfParts(case.function, pairing)
    complex_value = _has_complex_value(case.function, case.at, specs)

    def wrap(claimed: Function) -> Function:
        which = [flags[k] for k in rows]
        return ClaimedByParts(claimed, pairing, which, complex_value, convention)

    made = replace(
        case,
        function=function,
        claimed=None if case.claimed is None else wrap(case.claimed),
        modes={mode: wrap(derivative) for mode, derivative in case.modes.items()},
        at=at,
    )
    wrt = None if argnums is None else tuple(k for row in rows for k in pairing.places(row))
    return made, _by_parts(specs, flags), wrt


def _specs(case: Case, over: Any) -> list[Any] | None:
    """The region of each argument."""
    if over is None:
        return None
    if isinstance(over, Mapping):
        names = argument_names(case.function, arity(over))
        return [over[name] for name in names] if set(names) == set(over) else None
    if isinstance(over, tuple):
        return list(over)
    return [over]


def _flags(case: Case, specs: list[Any] | None, count: int) -> tuple[bool, ...]:
    flags = [False] * count
    for point in case.at:
        for at, x in enumerate(point[:count]):
            flags[at] = flags[at] or np.asarray(x).dtype.kind == "c"
    for at, spec in enumerate(specs or ()):
        flags[at] = flags[at] or isinstance(spec, Rectangle) or _has_complex_ends(spec)
    return tuple(flags)


def _has_complex_ends(spec: Any) -> bool:
    return isinstance(spec, list) and any(isinstance(end, complex) for end in spec)


def _checked(argnums: Any, flags: Sequence[bool]) -> tuple[int, ...]:
    if argnums is None:
        return tuple(range(len(flags)))
    given = argnums if isinstance(argnums, list | tuple) else (argnums,)
    if not all(isinstance(k, int) and -len(flags) <= k < len(flags) for k in given):
        raise UsageError(f"argnums={argnums!r}; expected indices of {len(flags)} arguments")
    return tuple(k % len(flags) for k in given)


def _has_complex_value(function: Function, at: Any, specs: list[Any] | None) -> bool:
    """Whether a function returns complex numbers, where it returns."""
    points = list(at[:1])
    if not points and specs is not None:
        points = [tuple(_middle(spec) for spec in specs)]
    for point in points:
        try:
            with np.errstate(all="ignore"):
                return _is_complex(original_of(function)(*map(np.array, point)))
        except Exception:  # noqa: BLE001  # users' code: the judge calls it again, and says so
            return False
    return False


def _middle(spec: Any) -> Any:
    if isinstance(spec, Rectangle):
        return _joined(spec.real.lower, spec.imag.lower)
    return spec[0] if isinstance(spec, list) else getattr(spec, "lower", 0.0)


def _by_parts(specs: list[Any] | None, flags: Sequence[bool]) -> Any:
    if specs is None:
        return None
    found: list[Any] = []
    for spec, flag in zip(specs, flags, strict=True):
        if isinstance(spec, Rectangle):
            found += [spec.real, spec.imag]
        elif _has_complex_ends(spec) and len(spec) == 2:
            ends = [complex(end) for end in spec]
            found += [[end.real for end in ends], [end.imag for end in ends]]
        elif flag:
            raise UsageError(
                f"over={spec!r} for a complex argument; expected [lower, upper] of complex "
                "numbers, or verify.rectangle(lower, upper)"
            )
        else:
            found.append(spec)
    return tuple(found)


def conjugated(claimed: Function, parts: Sequence[Any], exact: Sequence[Any]) -> str:
    """Words, if a claim is the conjugate of what is exact; empty if it is not.

    Parameters
    ----------
    claimed : callable
        Which may be a claim by parts, or any other.
    parts, exact : sequences of float arrays
    """
    if not isinstance(claimed, ClaimedByParts) or not claimed.imaginary:
        return ""
    turned = [-part if at in claimed.imaginary else part for at, part in enumerate(parts)]
    if not any(np.any(np.asarray(exact[at])) for at in claimed.imaginary):
        return ""
    if not all(
        np.allclose(a, np.asarray(b, float), rtol=1e-8, atol=0)
        for a, b in zip(turned, exact, strict=True)
    ):
        return ""
    other = CONVENTIONS[claimed.convention == CONVENTIONS[0]]
    return f"conjugated: {_WHOSE[other]} convention, convention={other!r}"
