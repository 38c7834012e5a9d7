"""Which files below a folder hold functions marked with ``verify.case``; read, and not executed."""

from __future__ import annotations

import ast
import os
import tomllib
import warnings
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

from verify.campaign.load import NoCases, Target
from verify.errors import UsageError

NOTHING_FOUND: Final = """no function here is marked for verification. Either
- mark one, and run symtape verify again:
    import verify
    @verify.case(over=[-1, 1], claimed=my_gradient)
    def energy(x): ...
- or name one:
    symtape verify energy.py:energy --over '[-1, 1]' --claimed my_gradient
- or run the suites that come with symtape:
    symtape verify --suites"""

_LEFT_OUT: Final = (
    ".*",
    "__pycache__",
    "_darcs",
    "build",
    "CVS",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
    "*.egg",
    "*.egg-info",
)
"""Folders that hold no sources of the project; pytest leaves out the same."""

_HOMES: Final = ("verify", "verify.model.case")
"""Where the mark is imported from."""


def marked_files(folder: Path) -> list[str]:
    """The files in which functions may be marked, as seen from `folder`, in order.

    Looked at are the ``paths`` of ``[tool.symtape]`` in its ``pyproject.toml``, or all of it.

    Raises
    ------
    UsageError
        ``pyproject.toml`` cannot be read, or names what is not there.

    Examples
    --------
    >>> marked_files(Path(__file__).parents[1] / "oracles")
    []
    """
    found = {file for path in _paths(folder) for file in _files(path) if _may_mark(file)}
    return sorted(Path(os.path.relpath(file, folder)).as_posix() for file in found)


def import_marked_files(files: Iterable[str]) -> tuple[list[str], list[str]]:
    """Those of `files` that mark functions, and what kept others from being imported.

    A file that marks nothing while it is imported, as one whose tests do, is neither.
    """
    marking, errors = [], []
    for file in files:
        try:
            Target(file).cases()
        except NoCases:
            continue
        except UsageError as error:
            errors.append(str(error))
        else:
            marking.append(file)
    return marking, errors


def is_own_checkout(folder: Path) -> bool:
    """Whether `folder` holds the sources of symtape itself.

    Examples
    --------
    >>> is_own_checkout(Path(__file__).parent)
    False
    """
    if not (folder / "verify" / "suites" / "__init__.py").is_file():
        return False
    project = _settings(folder).get("project")
    return isinstance(project, dict) and project.get("name") == "symtape"


def _settings(folder: Path) -> dict[str, Any]:
    file = folder / "pyproject.toml"
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {str(file)!r}: {error}") from error


def _paths(folder: Path) -> list[Path]:
    """The configured files and folders."""
    tool = _settings(folder).get("tool", {})
    named = tool.get("symtape", {}).get("paths", ["."])
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        raise UsageError(
            f"paths = {named!r} in [tool.symtape] of pyproject.toml; expected a list of files and "
            'folders, as paths = ["src", "examples/energy.py"]'
        )
    for name in named:
        if not (folder / name).exists():
            raise UsageError(
                f"paths in [tool.symtape] of pyproject.toml names {name!r}, which is not in "
                f"{str(folder)!r}; correct the name, or take it out"
            )
    return [Path(os.path.normpath(folder / name)) for name in named]


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for place, folders, files in os.walk(path):
        folders[:] = [name for name in folders if not _is_left_out(Path(place, name))]
        found = (Path(place, name) for name in files if name.endswith(".py"))
        yield from (file for file in found if file.is_file())  # no pipes, which never end


def _is_left_out(folder: Path) -> bool:
    named = any(fnmatch(folder.name, pattern) for pattern in _LEFT_OUT)
    return named or (folder / "pyvenv.cfg").exists()


def _may_mark(file: Path) -> bool:
    """Whether a file imports ``verify.case`` and uses it; a broken one that names it may."""
    try:
        source = file.read_bytes()
    except OSError:
        return False
    if b"verify" not in source or b"case" not in source:
        return False
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return b"verify.case" in source
    nodes = list(ast.walk(tree))
    packages, marks = _find_imported_names(nodes)
    return any(_is_mark(node, packages, marks) for node in nodes)


def _find_imported_names(nodes: Iterable[ast.AST]) -> tuple[set[str], set[str]]:
    """What a module calls the package ``verify``, and the mark itself."""
    packages, marks = set(), set()
    for node in nodes:
        if isinstance(node, ast.Import):
            ours = [one for one in node.names if one.name in _HOMES]
            packages |= {"verify" for one in ours if one.asname is None}
            packages |= {one.asname or one.name for one in ours}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module in _HOMES:
            names = {one.name: one.asname or one.name for one in node.names}
            marks |= {names.get("case", "case")} if {"case", "*"} & names.keys() else set()
    return packages, marks


def _is_mark(node: ast.AST, packages: set[str], marks: set[str]) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "case" and ast.unparse(node.value) in packages
    return isinstance(node, ast.Name) and node.id in marks
