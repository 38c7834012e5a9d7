"""From a name on the command line to cases: suites, files, modules, points.

A :class:`Target` is plain text, so that a worker process can find the same cases again;
functions, which may not pickle, never cross between processes.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import functools
import importlib
import importlib.util
import inspect
import math
import re
import sys
import traceback
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from verify.claimants.posing import posed
from verify.errors import UsageError
from verify.model.case import MARK, Case, argument_names, as_points, check_quantity, region_of
from verify.regions import Region, parse
from verify.sources import places
from verify.suites import SUITES

_FILE: Final = re.compile(r"(?P<place>.*\.py)(?::(?P<name>[\w.]+))?")
_MODULE: Final = re.compile(r"(?P<place>[^\W\d][\w.]*):(?P<name>[\w.]+)")
_MOST_LISTED: Final = 12
_NUMBERS: Final = {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e}
_HOW: Final = (
    "Give a suite, FILE.py, FILE.py:function or module:function; "
    "see 'symtape verify --help' for examples."
)


class NoCases(UsageError):
    """A file in which no function is marked; says how to mark one."""


@dataclass(frozen=True, slots=True)
class Target:
    """What to verify, as the user wrote it.

    Attributes
    ----------
    name : str
        A suite, ``FILE.py``, ``FILE.py:function`` or ``module:function``.
    at : tuple of str
        Points, each as :func:`parse_point` takes it; instead of those that are marked.
    quantity : str, optional
        Instead of the marked one; ``"gradient"`` where nothing is marked.
    claimed : str, optional
        The function that claims to be the derivative: ``FILE.py:function``,
        ``module:function``, or a function of the same file or module.
    over : str, optional
        The region to search, as :func:`verify.regions.parse` takes it; instead of those that are
        marked, and of their points.
    """

    name: str
    at: tuple[str, ...] = ()
    quantity: str | None = None
    claimed: str | None = None
    over: str | None = None

    @property
    def is_suite(self) -> bool:
        """Whether this names a built-in suite."""
        return self.name in SUITES

    @property
    def has_points(self) -> bool:
        """Whether the points, or the region, are from the command line."""
        return bool(self.at) or self.over is not None

    def cases(self) -> list[Case]:
        """Find the cases.

        Raises
        ------
        UsageError
            Whatever is wrong with the name, the file, the points or the claim.
        """
        if self.is_suite:
            self._refuse_options()
            return SUITES[self.name]()
        place, name = _split(self.name)
        module = _import(place)
        functions = _marked(module) if name is None else {name: _member(module, name, place)}
        if name is None and self.has_points:
            functions = _only_function(module, place)
        if not functions:
            raise _no_case(module, place)
        return [
            case for key, found in functions.items() for case in self._of(found, place, key, module)
        ]

    def _refuse_options(self) -> None:
        given = {
            "--at": self.at,
            "--over": self.over,
            "--quantity": self.quantity,
            "--claimed": self.claimed,
        }
        used = [option for option, value in given.items() if value]
        if used:
            raise UsageError(
                f"{' and '.join(used)}: meant for a function of yours, but {self.name!r} is a "
                "built-in suite, whose cases bring their own. Name a function, FILE.py:function, "
                "or leave the option out."
            )

    def _of(
        self, function: Callable[..., Any], place: str, name: str, module: ModuleType
    ) -> Iterator[Case]:
        marks = getattr(function, MARK, []) or [{}]
        points = as_points([parse_point(text) for text in self.at]) if self.at else None
        if not self.has_points and not marks[0]:
            raise _no_points(place, name)
        if self.quantity is not None:
            check_quantity(self.quantity)
        claimed = self._claimant(module) if self.claimed else None
        for number, mark in enumerate(marks, 1):
            suffix = f"#{number}" if len(marks) > 1 else ""
            case = Case(
                id=f"{place}:{name}{suffix}",
                title=mark.get("title") or name,
                function=function,
                at=points or (() if self.has_points else mark["at"]),
                quantity=self.quantity or mark.get("quantity", "gradient"),
                claimed=claimed or mark.get("claimed"),
                suite=place,
                seed=mark.get("seed", 0),
                effort=mark.get("effort"),
                strict=bool(mark.get("strict")),
            )
            region = self._region(function, mark)
            yield posed(case, region, mark.get("argnums"), mark.get("directions"))

    def _region(self, function: Callable[..., Any], mark: Mapping[str, Any]) -> Region | None:
        """The region to search: that of the command line, or else the marked one."""
        if self.over is not None:
            return spoken_region(function, self.over)
        over = None if self.has_points else mark.get("over")
        return None if over is None else region_of(function, over)

    def _claimant(self, module: ModuleType) -> Callable[..., Any]:
        assert self.claimed is not None
        if ":" in self.claimed or self.claimed.endswith(".py"):
            return find_function(self.claimed)
        return _member(module, self.claimed, _split(self.name)[0])


def find_function(text: str) -> Callable[..., Any]:
    """The function that ``FILE.py:function`` or ``module:function`` names.

    Raises
    ------
    UsageError
        It does not import, is not there, or no function is named.

    Examples
    --------
    >>> find_function("math:hypot")(3.0, 4.0)
    5.0
    """
    place, name = _split(text)
    module = _import(place)
    if name is None:
        ((_, function),) = _only_function(module, place).items()
        return function
    return _member(module, name, place)


def spoken_region(function: Callable[..., Any], text: str) -> Region:
    """The region that a text describes for the arguments of `function`.

    Raises
    ------
    UsageError
        The text is none, or is one for other arguments.

    Examples
    --------
    >>> spoken_region(lambda x, y: x * y, "[0, 1], [2, 3]").describe()
    'x in [0, 1], y in [2, 3]'
    """
    required = _required(function)
    try:
        return parse(text, required)
    except UsageError:
        every = argument_names(function, len(_positional(function)))
        if every == required:
            raise
    return parse(text, every)


def _required(function: Callable[..., Any]) -> list[str]:
    """The arguments of `function` that have no default."""
    found = _positional(function)
    if not found:
        return argument_names(function, getattr(function, "nin", 1))
    return [one.name for one in found if one.default is one.empty]


def _positional(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [one for one in parameters if one.kind in kinds]


def parse_point(text: str) -> tuple[Any, ...]:
    """A point from Python literals: the arguments of a function, separated by commas.

    Raises
    ------
    UsageError
        Not literals.

    Examples
    --------
    >>> parse_point("1.0, [2, 3]")
    (1.0, [2, 3])
    >>> parse_point("-inf")
    (-inf,)
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = ast.literal_eval(_Numbers().visit(tree))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise UsageError(
            f"--at {text!r} is no point: expected Python numbers and lists, one argument of the "
            "function after another, as in --at '1.0, [2.0, 3.0]'; inf, nan, pi and e are known. "
            "Quote it, so that the shell hands it on whole."
        ) from error
    return value if isinstance(value, tuple) else (value,)


class _Numbers(ast.NodeTransformer):
    """Numbers that have a name become literals."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in _NUMBERS:
            return ast.copy_location(ast.Constant(_NUMBERS[node.id]), node)
        return node


def _split(text: str) -> tuple[str, str | None]:
    for pattern in (_FILE, _MODULE):
        if found := pattern.fullmatch(text):
            return found["place"], found["name"]
    beside = f" There is a file {text}.py." if Path(f"{text}.py").is_file() else ""
    raise UsageError(
        f"there is no suite {text!r}; the suites are {', '.join(SUITES)}."
        f"{_closest(text, SUITES)}{beside} {_HOW}"
    )


def _closest(name: str, known: Mapping[str, Any] | list[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""


def _import(place: str) -> ModuleType:
    if not place.endswith(".py"):
        return _import_module(place)
    path = Path(place)
    if not path.is_file():
        folder = path.parent
        beside = sorted(str(p) for p in folder.glob("*.py")) if folder.is_dir() else []
        known = f" The Python files there are {_listed(beside)}." if beside else ""
        raise UsageError(f"there is no file {place!r}.{_closest(place, beside)}{known}")
    path = path.resolve()
    return _import_packaged(path, place) or _import_file(path, path.stat().st_mtime_ns, place)


def _import_packaged(path: Path, place: str) -> ModuleType | None:
    """A file of a package by its dotted name, so that its relative imports work; else None."""
    root, parts = path.parent, [path.stem]
    while (root / "__init__.py").is_file():
        root, parts = root.parent, [root.name, *parts]
    if len(parts) == 1 or not all(part.isidentifier() for part in parts):
        return None
    _see(str(root))
    try:
        with _quiet():
            module = importlib.import_module(".".join(parts))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module may end itself: sys.exit(), pytest.skip()
        raise UsageError(f"{place} does not import:\n{_last_lines(error, str(path))}") from error
    return module if Path(module.__file__ or "").resolve() == path else None


@functools.lru_cache(maxsize=1024)  # of states of files; what is dropped runs again
def _import_file(path: Path, changed: int, place: str) -> ModuleType:
    """Run a file as a module, once for each state of it."""
    name = f"_symtape_{path.stem}_{zlib.crc32(f'{path} {changed}'.encode()):x}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    _see(str(path.parent))
    try:
        with _quiet():
            spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # as above
        del sys.modules[name]
        raise UsageError(f"{place} does not import:\n{_last_lines(error, str(path))}") from error
    return module


def _import_module(name: str) -> ModuleType:
    _see(str(Path.cwd()))
    try:
        with _quiet():
            return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # as above
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing and f"{name}.".startswith(f"{missing}."):
            raise UsageError(
                f"there is no module {name!r} here or among the installed ones. "
                f"For a file, write {name.replace('.', '/')}.py:function."
            ) from error
        raise UsageError(f"module {name} does not import:\n{_last_lines(error, '')}") from error


def _see(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What user code prints goes to the standard error, away from the output."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def _last_lines(error: BaseException, path: str) -> str:
    """The end of a traceback, from the user's file on."""
    whole = traceback.TracebackException.from_exception(error, compact=True)
    frames = list(whole.stack)
    start = next((i for i, frame in enumerate(frames) if frame.filename == path), None)
    shown = [f for f in frames if _is_theirs(f.filename)] if start is None else frames[start:]
    kept = traceback.StackSummary.from_list(shown[-4:]).format()
    lines = "".join([*kept, *whole.format_exception_only()]).rstrip()
    return "\n".join(f"  {line}" for line in lines.splitlines())


def _is_theirs(file: str) -> bool:
    return places.is_users(file) and not places.is_library(file)


def _member(module: ModuleType, name: str, place: str) -> Callable[..., Any]:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = _functions(module)
            listed = f" It has {_listed(known)}." if known else " It defines no function."
            raise UsageError(f"{place} has no {name!r}.{_closest(name, known)}{listed}")
        found = getattr(found, part)
    if not callable(found):
        known = _functions(module)
        listed = f"; it has {_listed(known)}" if known else ""
        raise UsageError(
            f"{name!r} of {place} is a {type(found).__name__}; expected a function{listed}."
        )
    function: Callable[..., Any] = found
    return function


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    more = f" and {len(shown) - _MOST_LISTED} others" if len(shown) > _MOST_LISTED + 1 else ""
    return ", ".join(shown[: _MOST_LISTED if more else None]) + more


def _functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The public functions that `module` itself defines, in their order."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and callable(value)
        and not isinstance(value, type)
        and getattr(value, "__module__", None) == module.__name__
    }


def _marked(module: ModuleType) -> dict[str, Callable[..., Any]]:
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value)
        and getattr(value, "__module__", None) == module.__name__
        and isinstance(getattr(value, MARK, None), list)
    }


def _only_function(module: ModuleType, place: str) -> dict[str, Callable[..., Any]]:
    known = _functions(module)
    if len(known) != 1:
        listed = f"it has {_listed(known)}" if known else "it defines no function"
        raise UsageError(f"which function of {place}? Write {place}:function; {listed}.")
    return known


def _no_case(module: ModuleType, place: str) -> NoCases:
    name = next(iter(_functions(module)), "f")
    return NoCases(
        f"{place} marks no case. Mark a function with @verify.case(at=[...]) or (over=[...]), "
        f"or give points here: symtape verify {place}:{name} --at '1.0, [2.0, 3.0]', "
        "or a region to search: --over '[-60, 60]'."
    )


def _no_points(place: str, name: str) -> UsageError:
    return UsageError(
        f"{place}:{name} is not marked with @verify.case(at=[...]), so it has no points. "
        f"Give some: symtape verify {place}:{name} --at '1.0, [2.0, 3.0]'; "
        "or a region to search: --over '[-60, 60]'."
    )
