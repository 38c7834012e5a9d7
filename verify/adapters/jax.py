"""JAX: functions in ``jax.numpy``, what its transforms make of them, and their derivatives."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.frontends.jaxpr.library import precision
from symtape.frontends.jaxpr.program import from_jax
from symtape.process.extras import load
from verify.errors import UsageError
from verify.model.foreign import (
    Foreign,
    check_positional,
    halves,
    leaves_mapped,
    one_or_all,
    original_of,
    wrap_transform,
)

_NEEDED_BY: Final = "verify.adapters.jax"

_LAYERS: Final = 6
"""Wrappers under which a function is looked for."""

Function = Callable[..., Any]


def adapt(function: Function) -> Foreign:
    """A function in ``jax.numpy``, or a derivative by JAX, as one that can be verified.

    It is compiled where it can be. Points in float64 are computed with in double precision,
    whether or not ``jax_enable_x64`` is set; float32 ones as JAX is configured.

    Parameters
    ----------
    function : callable
        Takes arrays and returns an array, or a tuple of them. Of what ``jax.value_and_grad``
        gives the gradient is taken.

    Raises
    ------
    MissingExtra
        JAX is not installed.
    UsageError
        It needs arguments by keyword.
    """
    load("jax", _NEEDED_BY)
    check_positional(function)
    name = str(getattr(function, "__name__", type(function).__name__))
    called = _gradient_part(function)
    return Foreign(
        framework="jax",
        original=function,
        run=_Run(called, name),
        read=from_jax(called),
    )


def _gradient_part(function: Function) -> Function:
    """`function`, or, where that gives values and gradients, what gives the gradients alone."""
    if not _is_value_and_grad(function):
        return function

    @functools.wraps(function)
    def gradient(*xs: Any) -> Any:
        return function(*xs)[1]

    return gradient


def _is_value_and_grad(function: Any) -> bool:
    """Whether ``jax.value_and_grad`` made a function, under wrappers of JAX's own."""
    for _ in range(_LAYERS):
        code = getattr(function, "__code__", None)
        if code is None:
            function = getattr(function, "__wrapped__", None)
        elif code.co_name in ("value_and_grad_f", "value_and_grad_f_aux"):
            return True
        elif code.co_name == "reraise_with_filtered_traceback":
            cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
            function = cells["fun"].cell_contents if "fun" in cells else None
        else:
            return False
    return False


class _Run:
    """Calls a function of JAX with arrays of NumPy; compiled if it can be, and is pure."""

    def __init__(self, function: Function, name: str) -> None:
        self._function, self._name = function, name
        self._chosen: Function | None = None

    def __call__(self, *xs: Any) -> Any:
        arrays = [np.asarray(x) for x in xs]
        with precision(x.dtype for x in arrays):
            if self._chosen is None:
                self._chosen = self._choose(arrays)
            return leaves_mapped(self._chosen(*arrays), self._array, self._name)

    def _choose(self, arrays: Sequence[Any]) -> Function:
        """The compiled function, unless JAX cannot trace it or traces two programs of it."""
        jax = load("jax", _NEEDED_BY)
        plain = _unwrap_jit(self._function)
        try:
            # JAX remembers what it traced by the function, so each time it gets another one.
            first, second = (
                _program(jax.make_jaxpr(functools.partial(plain))(*arrays)) for _ in range(2)
            )
        except Exception:  # noqa: BLE001
            # What is wrong with it, calling it says as the user knows it.
            return functools.partial(_call_on_arrays, self._function)
        if first != second:
            return functools.partial(_run_uncompiled, self._function)
        return jax.jit(self._function)  # type: ignore[no-any-return]

    def _array(self, x: Any) -> Any:
        array = np.asarray(x)
        if array.dtype.kind == "V":
            raise UsageError(
                f"{self._name} returned {array.dtype}, for which NumPy has no type; let it return "
                "float32, as with .astype(jnp.float32)"
            )
        return array


def _call_on_arrays(function: Function, *arrays: Any) -> Any:
    return function(*map(load("jax.numpy", _NEEDED_BY).asarray, arrays))


def _run_uncompiled(function: Function, *arrays: Any) -> Any:
    """Run, not compile: what a function does besides, compiled code would do only once."""
    with load("jax", _NEEDED_BY).disable_jit():
        return _call_on_arrays(function, *arrays)


def _unwrap_jit(function: Function) -> Function:
    """What is under ``jax.jit``, which would trace it only once."""
    while not hasattr(function, "__code__") and hasattr(function, "lower"):
        function = function.__wrapped__  # type: ignore[attr-defined]
    return function


def _program(closed: Any) -> tuple[str, list[bytes]]:
    """A traced program as something to compare, without the addresses of objects in it."""
    constants = [np.asarray(each).tobytes() for each in closed.consts if hasattr(each, "dtype")]
    return re.sub(r"0x[0-9a-f]+", "", str(closed)), constants


def derivatives(function: Function, quantity: str) -> dict[str, Foreign]:
    """The derivatives that JAX itself takes of `function`, reverse mode first.

    Parameters
    ----------
    function : callable
        In ``jax.numpy``, or what :func:`adapt` made of it.
    quantity : str
        ``gradient``, ``jacobian``, ``hessian``, ``vjp``, ``jvp`` or ``hvp``.

    Returns
    -------
    dict
        By the name of the mode; each takes what a claim of that quantity takes. A mode that
        JAX refuses, as forward mode of a ``jax.custom_vjp``, raises what JAX raises.
    """
    jax, original = load("jax", _NEEDED_BY), original_of(function)
    return {
        mode: adapt(wrap_transform(functools.partial(take, jax), original, name))
        for mode, (name, take) in _MODES[quantity].items()
    }


def _all_argnums(xs: Sequence[Any]) -> Any:
    """By which arguments: the only one, or each of several."""
    return 0 if len(xs) == 1 else tuple(range(len(xs)))


def _compose_transforms(*transforms: str) -> Callable[..., Any]:
    """Transforms by name, the first one outermost."""

    def take(jax: Any, function: Function, *xs: Any) -> Any:
        for name in reversed(transforms):
            function = getattr(jax, name)(function, argnums=_all_argnums(xs))
        return function(*xs)

    return take


def _compose_batched(*transforms: str) -> Callable[..., Any]:
    """The same of a batch of two, both the point, under ``jax.vmap``; the first is taken."""
    plain = _compose_transforms(*transforms)

    def take(jax: Any, function: Function, *xs: Any) -> Any:
        pairs = [jax.numpy.stack([x, x]) for x in map(jax.numpy.asarray, xs)]
        answers = jax.vmap(functools.partial(plain, jax, function))(*pairs)
        return jax.tree_util.tree_map(lambda both: both[0], answers)

    return take


def _vjp(jax: Any, function: Function, *xs_and_cotangent: Any) -> Any:
    *xs, cotangent = xs_and_cotangent
    return one_or_all(jax.vjp(function, *xs)[1](cotangent))


def _jvp(jax: Any, function: Function, *xs_and_tangents: Any) -> Any:
    return jax.jvp(function, *halves(xs_and_tangents))[1]


def _linearize_at(jax: Any, function: Function, *xs_and_tangents: Any) -> Any:
    xs, tangents = halves(xs_and_tangents)
    return jax.linearize(function, *xs)[1](*tangents)


def _hvp_forward_over_reverse(jax: Any, function: Function, *xs_and_vectors: Any) -> Any:
    xs, vectors = halves(xs_and_vectors)
    return jax.jvp(jax.grad(function, argnums=_all_argnums(xs)), xs, vectors)[1]


def _hvp_reverse_over_forward(jax: Any, function: Function, *xs_and_vectors: Any) -> Any:
    xs, vectors = halves(xs_and_vectors)
    return jax.grad(lambda *at: jax.jvp(function, at, vectors)[1], argnums=_all_argnums(xs))(*xs)


def _hvp_reverse(jax: Any, function: Function, *xs_and_vectors: Any) -> Any:
    xs, vectors = halves(xs_and_vectors)

    def slope_along(*at: Any) -> Any:
        slopes = jax.grad(function, argnums=tuple(range(len(at))))(*at)
        return sum(jax.numpy.sum(s * v) for s, v in zip(slopes, vectors, strict=True))

    return jax.grad(slope_along, argnums=_all_argnums(xs))(*xs)


_MODES: Final[dict[str, dict[str, tuple[str, Callable[..., Any]]]]] = {
    "gradient": {
        "reverse": ("jax.grad", _compose_transforms("grad")),
        "forward": ("jax.jacfwd", _compose_transforms("jacfwd")),
        "batched": ("jax.vmap of jax.grad", _compose_batched("grad")),
    },
    "jacobian": {
        "reverse": ("jax.jacrev", _compose_transforms("jacrev")),
        "forward": ("jax.jacfwd", _compose_transforms("jacfwd")),
        "batched": ("jax.vmap of jax.jacrev", _compose_batched("jacrev")),
    },
    "hessian": {
        "reverse": ("jax.jacrev of jax.jacrev", _compose_transforms("jacrev", "jacrev")),
        "forward over reverse": ("jax.hessian", _compose_transforms("jacfwd", "jacrev")),
        "reverse over forward": (
            "jax.jacrev of jax.jacfwd",
            _compose_transforms("jacrev", "jacfwd"),
        ),
        "forward": ("jax.jacfwd of jax.jacfwd", _compose_transforms("jacfwd", "jacfwd")),
        "batched": ("jax.vmap of jax.hessian", _compose_batched("jacfwd", "jacrev")),
    },
    "vjp": {"reverse": ("jax.vjp", _vjp)},
    "jvp": {"forward": ("jax.jvp", _jvp), "linearized": ("jax.linearize", _linearize_at)},
    "hvp": {
        "reverse": ("jax.grad of jax.grad", _hvp_reverse),
        "forward over reverse": ("jax.jvp of jax.grad", _hvp_forward_over_reverse),
        "reverse over forward": ("jax.grad of jax.jvp", _hvp_reverse_over_forward),
    },
}
