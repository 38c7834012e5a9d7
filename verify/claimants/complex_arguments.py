"""Complex arguments as pairs of real ones, and claims as derivatives by these.

The gradient of a real function by ``z = x + iy`` is ``df/dx + i df/dy``, as TensorFlow and PyTorch
have it, or the conjugate of that, as JAX does. That of a complex function is ``f'(z)`` in all of
them, where there is one; where there is none, no claim is right.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, Final

import numpy as np

import symtape
from symtape.recording.complex_numbers import CONJUGATE, Convention, opposite_convention
from symtape.recording.structure import flatten
from symtape.recording.tensor import Tensor
from verify.errors import UsageError
from verify.model.case import Case, argument_names, name_function
from verify.model.foreign import original_of
from verify.model.quantity import PRODUCTS
from verify.regions import arity
from verify.regions.rectangle import Rectangle

_WHOSE: Final = {"conjugate": "TensorFlow's and PyTorch's", "transpose": "JAX's"}

_COMPLEX_VALUE: Final = (
    "at the complex point {} the function returns a complex number, and the gradient is that of a "
    "real one; verify the gradient of its real or its imaginary part or of its size, or its "
    "jacobian; or give a real point"
)

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

    def part_names(self) -> list[str]:
        """What the real arguments are called."""
        pairs = ((f"re_{name}", f"im_{name}") for name in self.names)
        return [
            part
            for flag, name, pair in zip(self.flags, self.names, pairs, strict=True)
            for part in (pair if flag else (name,))
        ]

    def join(self, xs: Sequence[Any]) -> list[Any]:
        """The arguments as people write them."""
        rest = iter(xs)
        return [
            _join_complex(next(rest), next(rest)) if flag else next(rest) for flag in self.flags
        ]

    def apart(self, point: Sequence[Any]) -> tuple[Any, ...]:
        """The real arguments of a point."""
        return tuple(
            part
            for flag, x in zip(self.flags, point, strict=True)
            for part in (_split_complex(x) if flag else (x,))
        )


def _join_complex(re: Any, im: Any) -> Any:
    if isinstance(re, Tensor) or isinstance(im, Tensor):
        return re + 1j * im
    # Not by a sum, which loses the sign of a zero.
    joined = np.empty(np.shape(re), np.result_type(np.asarray(re).dtype, np.complex64))
    joined.real, joined.imag = re, im
    return joined[()]


def _split_complex(x: Any) -> tuple[Any, Any]:
    array = np.asarray(x)
    array = array if array.dtype.kind == "c" else array.astype(np.complex128)
    return array.real.copy()[()], array.imag.copy()[()]


@dataclass(frozen=True, slots=True)
class ByParts:
    """How a claim as people write it is made one of derivatives by the parts of arguments.

    Attributes
    ----------
    pairing : Pairing
        Of its arguments.
    rows : tuple of bool
        For each argument that the derivative is by, whether it is complex.
    has_complex_value : bool
        Whether the function's value is complex.
    convention : {"conjugate", "transpose"}
        Of the gradient of a real function: ``df/dx + i df/dy``, or its conjugate.
    """

    pairing: Pairing
    rows: tuple[bool, ...]
    has_complex_value: bool
    convention: Convention

    @property
    def imaginary(self) -> list[int]:
        """Which parts are gradients by an imaginary part."""
        if self.has_complex_value:
            return []
        return [k + sum(self.rows[: k + 1]) for k, flag in enumerate(self.rows) if flag]

    def parts(self, returned: Any) -> Any:
        """The derivatives by the parts; what does not fit as it is, for the judge to refuse."""
        given = [returned] if len(self.rows) == 1 else list(flatten(returned))
        if len(self.rows) == 1 and isinstance(returned, tuple) and len(returned) == 1:
            given = list(returned)
        if len(given) != len(self.rows):
            return returned
        found = [
            real
            for part, flag in zip(given, self.rows, strict=True)
            for real in self._split_derivative(part, flag)
        ]
        return found[0] if len(found) == 1 else tuple(found)

    def _split_derivative(self, part: Any, flag: bool) -> tuple[Any, ...]:
        if not _is_numeric(part):
            return (part, part) if flag else (part,)
        if self.has_complex_value:
            along = _stack_parts(part)
            return (along, np.stack([-np.imag(part), np.real(part)])) if flag else (along,)
        if not flag:
            return (part,)
        imaginary = np.imag(part)
        return np.real(part), imaginary if self.convention == CONJUGATE else -imaginary


def function_of_parts(function: Function, pairing: Pairing) -> Function:
    """A function of complex arguments as one of their parts; a complex result by its parts."""

    def real(*xs: Any) -> Any:
        returned = function(*pairing.join(xs))
        return _stack_parts(returned) if _is_complex(returned) else returned

    return _standing_for(function, real, pairing)


def claimed_by_parts(claimed: Function, how: ByParts) -> Function:
    """A claim as derivatives by the parts of the arguments."""

    def real(*xs: Any) -> Any:
        return how.parts(claimed(*how.pairing.join(xs)))

    made = _standing_for(claimed, real, how.pairing)
    made.by_parts = how  # type: ignore[attr-defined]
    return made


def _standing_for(original: Function, real: Any, pairing: Pairing) -> Function:
    """`real` under the name of `original`, with the names of the parts for its arguments.

    Its code is its own, for what recording learns of a function it keeps by the code.
    """
    made = FunctionType(
        real.__code__.replace(), real.__globals__, real.__name__, None, real.__closure__
    )
    kind = inspect.Parameter.POSITIONAL_ONLY
    parameters = [inspect.Parameter(name, kind) for name in pairing.part_names()]
    made.__name__ = made.__qualname__ = name_function(original)
    made.__wrapped__ = original  # type: ignore[attr-defined]
    made.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return made


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


def _stack_parts(value: Any) -> Any:
    return np.stack([np.real(value), np.imag(value)])


def to_real_arguments(
    case: Case, over: Any, argnums: Any, convention: Convention
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
    rows = _check_argnums(argnums, flags)
    at = tuple(pairing.apart(point) for point in case.at)
    function = function_of_parts(case.function, pairing)
    complex_value = _has_complex_value(case.function, case.at, specs)
    if complex_value and case.quantity == "gradient":
        raise UsageError(_COMPLEX_VALUE.format(_first_complex(case, specs)))

    how = ByParts(pairing, tuple(flags[k] for k in rows), complex_value, convention)
    if not complex_value:
        function.by_the_tape = claimed_by_parts(  # type: ignore[attr-defined]
            _tape_derivative(case, rows, convention), how
        )
    made = replace(
        case,
        function=function,
        claimed=None if case.claimed is None else claimed_by_parts(case.claimed, how),
        modes={mode: claimed_by_parts(derivative, how) for mode, derivative in case.modes.items()},
        at=at,
    )
    wrt = None if argnums is None else tuple(k for row in rows for k in pairing.places(row))
    return made, _split_specs(specs, flags), wrt


def _first_complex(case: Case, specs: list[Any] | None) -> str:
    points = [x for point in case.at for x in point] or list(specs or ())
    return str(next((x for x in points if np.asarray(x).dtype.kind == "c"), points[0]))


def _tape_derivative(case: Case, rows: tuple[int, ...], convention: Convention) -> Function:
    """What people call for the derivative by complex arguments."""
    transform = symtape.grad if case.quantity == "gradient" else symtape.jacobian
    return transform(case.function, argnums=rows, convention=convention)


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


def _check_argnums(argnums: Any, flags: Sequence[bool]) -> tuple[int, ...]:
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
        return _join_complex(spec.real.lower, spec.imag.lower)
    return spec[0] if isinstance(spec, list) else getattr(spec, "lower", 0.0)


def _split_specs(specs: list[Any] | None, flags: Sequence[bool]) -> Any:
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


def describe_conjugation(claimed: Function, parts: Sequence[Any], exact: Sequence[Any]) -> str:
    """Words, if a claim is the conjugate of what is exact; empty if it is not.

    Parameters
    ----------
    claimed : callable
        Which may be a claim by parts, or any other.
    parts, exact : sequences of float arrays
    """
    how = getattr(claimed, "by_parts", None)
    if not isinstance(how, ByParts) or not how.imaginary:
        return ""
    turned = [-part if at in how.imaginary else part for at, part in enumerate(parts)]
    if not any(np.any(np.asarray(exact[at])) for at in how.imaginary):
        return ""
    if not all(
        np.allclose(a, np.asarray(b, float), rtol=1e-8, atol=0)
        for a, b in zip(turned, exact, strict=True)
    ):
        return ""
    theirs = opposite_convention(how.convention)
    return f"conjugated: {_WHOSE[theirs]} convention, convention={theirs!r}"
