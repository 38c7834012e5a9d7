"""What a framework's transform of a function is called, read off what the transform returned.

``jax.grad(f)`` keeps the name of `f`, so it would be spoken of as though it were `f` itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

_PUBLIC: Final = {"jax": "jax", "torch": "torch.func"}
"""Where the transforms of a framework are found."""

_NAMES: Final = {"grad_and_value_impl": "grad_and_value"}

_COMPOSED: Final = {"jacfwd": ("jacrev", "hessian")}
"""Transforms that are made of two others: by the outer one the inner one, and the name of both."""

_SAME: Final = frozenset({"jit", "pjit", "checkpoint", "remat", "compile", "custom_jvp"})
"""Transforms whose results compute what the function does, and mostly are decorators."""

_COMPILED: Final = {"PjitFunction": "jax.jit"}

_CELLS: Final = ("fun", "func", "f")
"""The names under which a wrapper keeps what it wraps."""

_LAYERS: Final = 8


def name_transform(function: Any, called: Callable[[Any], str]) -> str:
    """``"jax.grad(f)"``, for what a framework's transform made of `f`; empty if none did.

    Parameters
    ----------
    function : callable
    called : callable
        Names a function that is no such thing.

    Examples
    --------
    >>> name_transform(len, repr)
    ''
    """
    framework, name = _made_by(function)
    if not framework:
        return ""
    inner = _find_wrapped(function)
    if inner is None:
        return ""
    if name in _SAME:
        said = name_transform(inner, called)
        compiler = _COMPILED.get(type(function).__name__, "")
        return f"{compiler}({said})" if said and compiler else said
    said = name_transform(inner, called) or called(inner)
    home = _PUBLIC[framework]
    if not hasattr(sys.modules.get(home), name):
        return f"a {framework} function wrapping {said}"
    outer, both = _COMPOSED.get(name, ("", ""))
    if both and _made_by(inner) == (framework, outer):
        innermost = _find_wrapped(inner)
        return f"{home}.{both}({name_transform(innermost, called) or called(innermost)})"
    return f"{home}.{name}({said})"


def _made_by(function: Any) -> tuple[str, str]:
    """The framework and the transform that returned `function`; empty if none did."""
    if type(function).__name__ in _COMPILED:
        return "jax", "jit"
    code = _code(function)
    if code is None:
        return "", ""
    framework = code.__globals__.get("__name__", "").partition(".")[0]
    if framework not in _PUBLIC or not hasattr(function, "__wrapped__"):
        return "", ""
    name = code.__code__.co_qualname.partition(".")[0]
    name = "compile" if name == "_TorchDynamoContext" else name
    return framework, _NAMES.get(name, name)


def _code(function: Any) -> FunctionType | None:
    """The function of a transform that runs, under JAX's filter of tracebacks."""
    for _ in range(_LAYERS):
        if not isinstance(function, FunctionType):
            return None
        if function.__code__.co_name != "reraise_with_filtered_traceback":
            return function
        function = _cell(function, ("fun",))
    return None


def _cell(function: FunctionType, names: tuple[str, ...]) -> Any:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return next((cell.cell_contents for name, cell in cells if name in names), None)


def _find_wrapped(function: Any) -> Any:
    """What was transformed: as the wrapper keeps it, since ``__wrapped__`` may look through it."""
    code = _code(function)
    kept = None if code is None else _cell(code, _CELLS)
    return kept if callable(kept) else getattr(function, "__wrapped__", None)
