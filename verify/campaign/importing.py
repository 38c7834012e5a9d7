"""Files and modules that a command names, imported, and the functions in them."""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib
import importlib.machinery
import importlib.util
import os
import re
import sys
import traceback
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from verify.errors import UsageError
from verify.files import places
from verify.model.case import MARK
from verify.suites import SUITES

_FILE: Final = re.compile(r"(?P<place>.*\.py)(?::(?P<name>[\w.]+))?")
_MODULE: Final = re.compile(r"(?P<place>[^\W\d][\w.]*):(?P<name>[\w.]+)")
_MOST_LISTED: Final = 12
_HOW: Final = (
    "Give a suite, FILE.py, FILE.py:function or module:function; "
    "see 'symtape verify --help' for examples."
)


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
    place, name = split_place(text)
    module = import_place(place)
    if name is None:
        ((_, function),) = only_function(module, place).items()
        return function
    return member(module, name, place)


def split_place(text: str) -> tuple[str, str | None]:
    """The file or module that a text names, and the function in it, if it names one.

    Raises
    ------
    UsageError
        It names neither.

    Examples
    --------
    >>> split_place("math:hypot")
    ('math', 'hypot')
    """
    for pattern in (_FILE, _MODULE):
        if found := pattern.fullmatch(text):
            return found["place"], found["name"]
    beside = f" There is a file {text}.py." if os.path.isfile(f"{text}.py") else ""
    raise UsageError(
        f"there is no suite {text!r}; the suites are {', '.join(SUITES)}."
        f"{_closest(text, SUITES)}{beside} {_HOW}"
    )


def _closest(name: str, known: Mapping[str, Any] | list[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""


def import_place(place: str) -> ModuleType:
    """The module that a file or a dotted name is.

    Raises
    ------
    UsageError
        It is not there, or does not import.
    """
    if not place.endswith(".py"):
        return _import_module(place)
    path = Path(place)
    if not os.path.isfile(path):  # which is false of a name that no file can have
        folder = path.parent
        beside = sorted(str(p) for p in folder.glob("*.py") if p.is_file())
        known = f" The Python files there are {_format_names(beside)}." if beside else ""
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
    see(str(root))
    with _explain_import_error(place, str(path)):
        module = importlib.import_module(".".join(parts))
    return module if Path(module.__file__ or "").resolve() == path else None


@functools.lru_cache(maxsize=1024)  # of states of files; what is dropped runs again
def _import_file(path: Path, changed: int, place: str) -> ModuleType:
    """Run a file as a module, once for each state of it."""
    name = f"_symtape_{path.stem}_{zlib.crc32(f'{path} {changed}'.encode()):x}"
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    see(str(path.parent))
    try:
        with _explain_import_error(place, str(path)):
            # Not from bytecode, which is that of a file of the same size and second.
            exec(loader.source_to_code(path.read_bytes(), str(path)), module.__dict__)
    except UsageError:
        del sys.modules[name]
        raise
    return module


def _import_module(name: str) -> ModuleType:
    see(str(Path.cwd()))
    try:
        with _explain_import_error(f"module {name}"):
            return importlib.import_module(name)
    except UsageError as error:
        cause = error.__cause__
        missing = cause.name if isinstance(cause, ModuleNotFoundError) else None
        if missing and f"{name}.".startswith(f"{missing}."):
            raise UsageError(
                f"there is no module {name!r} here or among the installed ones. "
                f"For a file, write {name.replace('.', '/')}.py:function."
            ) from cause
        raise


def see(folder: str) -> None:
    """Have modules of a folder be found, as those of the present one are by Python itself."""
    if folder not in sys.path:
        sys.path.insert(0, folder)


@contextlib.contextmanager
def _explain_import_error(what: str, path: str = "") -> Iterator[None]:
    """Say what kept a module from being imported; what it prints must not mix with the output."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module may end itself: sys.exit(), pytest.skip()
        raise UsageError(f"{what} does not import:\n{_last_lines(error, path)}") from error


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


def member(module: ModuleType, name: str, place: str) -> Callable[..., Any]:
    """The function `name` of a module, which was imported from `place`.

    Raises
    ------
    UsageError
        There is none.
    """
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = functions_of(module)
            listed = f" It has {_format_names(known)}." if known else " It defines no function."
            raise UsageError(f"{place} has no {name!r}.{_closest(name, known)}{listed}")
        found = getattr(found, part)
    if not callable(found):
        known = functions_of(module)
        listed = f"; it has {_format_names(known)}" if known else ""
        raise UsageError(
            f"{name!r} of {place} is a {type(found).__name__}; expected a function{listed}."
        )
    function: Callable[..., Any] = found
    return function


def _format_names(names: Iterable[str]) -> str:
    shown = list(names)
    more = f" and {len(shown) - _MOST_LISTED} others" if len(shown) > _MOST_LISTED + 1 else ""
    return ", ".join(shown[: _MOST_LISTED if more else None]) + more


def functions_of(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The public functions that `module` itself defines, in their order."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and callable(value)
        and not isinstance(value, type)
        and getattr(value, "__module__", None) == module.__name__
    }


def marked_functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The functions of `module` that are marked as cases, in their order."""
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value)
        and getattr(value, "__module__", None) == module.__name__
        and isinstance(getattr(value, MARK, None), list)
    }


def only_function(module: ModuleType, place: str) -> dict[str, Callable[..., Any]]:
    """The one public function of a module, by its name.

    Raises
    ------
    UsageError
        There are several, or none.
    """
    known = functions_of(module)
    if len(known) != 1:
        listed = f"it has {_format_names(known)}" if known else "it defines no function"
        raise UsageError(f"which function of {place}? Write {place}:function; {listed}.")
    return known
