"""A callable of another framework, seen as one of NumPy arrays that can also be read.

What a framework's transform of a function is called, read off what the transform returned.
``jax.grad(f)`` keeps the name of `f`, so it would be spoken of as though it were `f` itself.
"""

from __future__ import annotations

import dis
import functools
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any, Final

from symtape.recording.tensor import Tensor
from verify.errors import UsageError

FRAMEWORKS: Final = {
    "jax": "jax",
    "jaxlib": "jax",
    "flax": "jax",
    "torch": "torch",
    "tensorflow": "tensorflow",
    "keras": "tensorflow",
    "autograd": "autograd",
}
"""The framework that a package belongs to."""

_LONGEST: Final = 300
"""Most characters of a framework's error that are repeated."""


@dataclass(frozen=True, eq=False)
class AdaptedCallable:
    """A callable that runs on arrays as it stands, and on tensors is read in its own way.

    Attributes
    ----------
    original : callable
        What the user wrote.
    run : callable
        Takes and returns NumPy arrays.
    read : callable
        Takes and returns Tensors.
    """

    original: Callable[..., Any]
    run: Callable[..., Any]
    read: Callable[..., Any]

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return self.original

    def __getattr__(self, name: str) -> Any:
        if name == "__name__":
            return str(getattr(self.original, "__name__", type(self.original).__name__))
        if name == "__qualname__":
            whole = str(getattr(self.original, "__qualname__", self.__name__))
            # A framework names what it makes of a function, and leaves the longer name alone.
            return whole if whole.endswith(self.__name__) else self.__name__
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __call__(self, *arguments: Any) -> Any:
        """Run on arrays, read on tensors."""
        if any(isinstance(x, Tensor) for x in arguments):
            return self.read(*arguments)
        return self.run(*arguments)


@dataclass(frozen=True, eq=False, kw_only=True)
class Foreign(AdaptedCallable):
    """A function, or a claimed derivative, that lives in another framework.

    Called with arrays it runs there, and what comes back are arrays; called with tensors of
    symtape its program is read and replayed on them, so that it is recorded like plain NumPy.

    Attributes
    ----------
    framework : str
        ``"jax"``.
    original : callable
        What the user wrote, as the framework wants to be called.
    run : callable
        Takes NumPy arrays and returns NumPy arrays, in the dtypes of the framework's answer.
    read : callable
        Takes Tensors and returns Tensors; raises what says which operation cannot be read.
    shared : callable, optional
        As `run`, and what is written into its arguments is found in the arrays afterwards.
    """

    framework: str
    shared: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Run on arrays, read on tensors."""
        if not any(isinstance(x, Tensor) for x in arguments):
            return self.run(*arguments)
        return leaves_mapped(self.read(*arguments), lambda x: x, self.__name__)


def is_any_loaded(function: Any) -> bool:
    """Whether a framework is imported, or will be when `function` runs."""
    if not FRAMEWORKS.keys().isdisjoint(sys.modules):
        return True
    code = function_of_python(function)
    return code is not None and any(framework_of_module(name) for name in code.__code__.co_names)


def framework_of_module(module: str | None) -> str:
    """The framework of a module's name; empty if it is of none."""
    return FRAMEWORKS.get((module or "").partition(".")[0], "")


def function_of_python(item: Any) -> FunctionType | None:
    """The function of Python that runs when `item` is called, under partials and methods."""
    while isinstance(item, functools.partial | MethodType):
        item = item.func if isinstance(item, functools.partial) else item.__func__
    if not isinstance(item, FunctionType | type):
        item = getattr(type(item), "__call__", None)  # noqa: B004 -- what runs, not whether it can
    return item if isinstance(item, FunctionType) else None


def original_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """What the user wrote, where `function` is what an adapter made of it.

    Examples
    --------
    >>> original_of(AdaptedCallable(abs, abs, abs)) is original_of(abs) is abs
    True
    """
    return function.original if isinstance(function, AdaptedCallable) else function


def wrap_transform(
    take: Callable[..., Any], function: Callable[..., Any], name: str
) -> Callable[..., Any]:
    """The derivative of `function` that ``take(function, *arguments)`` computes, called `name`.

    To whoever asks for its place or its signature it is `function`.

    Examples
    --------
    >>> wrap_transform(lambda function, x: function(x + 1) - function(x), abs, "difference")(-5)
    -1
    """

    @functools.wraps(function)
    def derivative(*arguments: Any) -> Any:
        return take(function, *arguments)

    derivative.__name__ = derivative.__qualname__ = name
    return derivative


def one_or_all(parts: Sequence[Any]) -> Any:
    """A derivative by one argument as an array, by several as a tuple.

    Examples
    --------
    >>> one_or_all([1.0]), one_or_all([1.0, 2.0])
    (1.0, (1.0, 2.0))
    """
    return parts[0] if len(parts) == 1 else tuple(parts)


def halves(arguments: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Arguments, and as many directions behind them.

    Examples
    --------
    >>> halves([1.0, 2.0, 0.1, 0.2])
    ((1.0, 2.0), (0.1, 0.2))
    """
    middle = len(arguments) // 2
    return tuple(arguments[:middle]), tuple(arguments[middle:])


def leaves_mapped(answer: Any, array_of: Callable[[Any], Any], who: str) -> Any:
    """What a framework returned, with `array_of` applied to each of its arrays.

    Tuples and lists keep their structure. A mapping has no order that a derivative could follow.

    Parameters
    ----------
    answer : object
        An array of the framework, or tuples and lists of them.
    array_of : callable
        Takes an array of the framework and returns one of NumPy.
    who : str
        Who returned it, for the message.

    Raises
    ------
    UsageError
        A mapping, or an object that holds arrays in some other way.

    Examples
    --------
    >>> leaves_mapped((1, [2, 3]), float, "f")
    (1.0, [2.0, 3.0])
    >>> leaves_mapped({"loss": 1.0}, float, "f")
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: f returned a dict with loss; expected an array, or a tuple of \
arrays: take the entry that is meant, as in lambda x: f(x)['loss']
    """
    if answer is None:
        return None
    if isinstance(answer, Mapping):
        who = "f" if who == "<lambda>" else who
        keys = [str(key) for key in answer]
        shown = ", ".join(keys[:4]) or "nothing in it"
        entry = repr(keys[0]) if keys else "..."
        raise UsageError(
            f"{who} returned a {type(answer).__name__} with {shown}; expected an array, or a "
            f"tuple of arrays: take the entry that is meant, as in lambda x: {who}(x)[{entry}]"
        )
    if isinstance(answer, tuple | list):
        items = [leaves_mapped(item, array_of, who) for item in answer]
        return items if isinstance(answer, list) else tuple(items)
    return array_of(answer)


def check_positional(function: Callable[..., Any]) -> None:
    """Refuse a function that a point cannot be given to.

    Raises
    ------
    UsageError
        It needs arguments by keyword, or looks up entries of an argument by name.

    Examples
    --------
    >>> check_positional(lambda x, *, scale=2.0: x)
    >>> def scaled(x, *, scale):
    ...     return scale * x
    >>> check_positional(scaled)
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: scaled needs scale by keyword, which a point cannot give; fix it, as \
in functools.partial(scaled, scale=...)
    >>> check_positional(lambda p: p["w"] ** 2)
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: f takes a mapping, p['w'], and is given arrays; give it points that \
are mappings, at=[{'w': ...}], or let it take one argument for each entry, as lambda w: f({'w': w})
    """
    name = str(getattr(function, "__name__", type(function).__name__))
    name = "f" if name == "<lambda>" else name
    if needed := _needed_by_keyword(function):
        fixed = ", ".join(f"{keyword}=..." for keyword in needed)
        raise UsageError(
            f"{name} needs {' and '.join(needed)} by keyword, which a point cannot give; fix "
            f"{'it' if len(needed) == 1 else 'them'}, as in functools.partial({name}, {fixed})"
        )
    entries = _entries(getattr(function, "__code__", None))
    if entries:
        argument, key = entries[0]
        keys = list(dict.fromkeys(k for a, k in entries if a == argument and k.isidentifier()))
        shown = ", ".join(f"{k!r}: {k}" for k in keys)
        given = ", ".join(f"{k!r}: ..." for k in keys)
        raise UsageError(
            f"{name} takes a mapping, {argument}[{key!r}], and is given arrays; give it points "
            f"that are mappings, at=[{{{given}}}], or let it take one argument for each entry, as "
            f"lambda {', '.join(keys)}: {name}({{{shown}}})"
        )


def _needed_by_keyword(function: Callable[..., Any]) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [x.name for x in parameters if x.kind is x.KEYWORD_ONLY and x.default is x.empty]


@functools.lru_cache(maxsize=256)  # code of functions
def _entries(code: CodeType | None) -> list[tuple[str, str]]:
    """The entries of its own arguments that code looks up by name."""
    if code is None or not any(isinstance(constant, str) for constant in code.co_consts[1:]):
        return []
    arguments = code.co_varnames[: code.co_argcount]
    steps = [step for step in dis.get_instructions(code) if step.opname != "CACHE"]
    return [
        (first.argval, second.argval)
        for first, second, third in zip(steps, steps[1:], steps[2:], strict=False)
        if first.opname.startswith("LOAD_FAST")
        and first.argval in arguments
        and isinstance(second.argval, str)
        and second.opname == "LOAD_CONST"
        and third.opname in ("BINARY_SUBSCR", "BINARY_OP")
        and (third.opname == "BINARY_SUBSCR" or "[]" in str(third.argrepr))
    ]


def shorten_error(error: BaseException) -> str:
    r"""What an error says, as a sentence: frameworks explain themselves on several screens.

    Examples
    --------
    >>> shorten_error(ValueError("no such axis\n\nSee the documentation of axes.\n"))
    'no such axis'
    """
    first = " ".join(str(error).strip().split("\n\n")[0].split())
    return first if len(first) <= _LONGEST else first[: _LONGEST - 3] + "..."


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
