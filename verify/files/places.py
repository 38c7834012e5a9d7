"""Places in source files, as a person in the present folder would name them."""

from __future__ import annotations

import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable
from typing import Any, Final

import symtape

_ENGINES: Final = os.path.dirname(symtape.__file__) + os.sep
_VERIFIER: Final = os.path.dirname(os.path.dirname(__file__)) + os.sep
_SUITES: Final = os.path.join(_VERIFIER, "suites") + os.sep
_PYTHON: Final = os.path.dirname(os.__file__) + os.sep
_ROOT: Final = os.path.dirname(_ENGINES.rstrip(os.sep)) + os.sep


def is_users(file: str) -> bool:
    """Whether a file is neither the engines' nor the verifier's, whose suites count as users."""
    if _has_no_file(file):
        return False
    return file.startswith(_SUITES) or not file.startswith((_ENGINES, _VERIFIER))


def is_library(file: str) -> bool:
    """Whether a file is of Python itself or of an installed package."""
    # Of compiled modules the file is that of their sources, which are not installed.
    return "site-packages" in file or file.startswith(_PYTHON) or file.endswith(".pyx")


def relative(place: str) -> str:
    """A ``file:line`` seen from here, so that a report reads the same on every machine."""
    if place.startswith((_ENGINES, _VERIFIER)):
        return place.removeprefix(_ROOT)
    file, _, line = place.rpartition(":")
    if cell := cell_of(file):
        return format_place(cell, line)
    return cell_of(place) or place.removeprefix(os.getcwd() + os.sep)


def cell_of(file: str) -> str:
    """What IPython calls the cell that it compiled under the name `file`; empty for none.

    Examples
    --------
    >>> cell_of("waves.py")
    ''
    """
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    told = shell.compile.format_code_name(file) if shell is not None and file else None
    return " ".join(told) if told else ""


def format_place(file: str, line: int | str) -> str:
    """A place; of a cell as IPython writes it.

    Examples
    --------
    >>> format_place("waves.py", 3), format_place("Cell In[2]", 3)
    ('waves.py:3', 'Cell In[2], line 3')
    """
    return f"{file}{', line ' if file.startswith('Cell ') else ':'}{line}"


def parts_of(place: str) -> tuple[str, int] | None:
    """The file, or the cell, and the line of a place; None if it is none.

    Examples
    --------
    >>> parts_of("waves.py:3"), parts_of("Cell In[2], line 3"), parts_of("somewhere")
    (('waves.py', 3), ('Cell In[2]', 3), None)
    """
    found = re.fullmatch(r"(.+?)(?::|, line )(\d+)", place)
    return (found[1], int(found[2])) if found else None


def _has_no_file(file: str) -> bool:
    """Whether code was compiled from text that nobody can show: not so the cells of IPython."""
    return file.startswith("<") and not file.startswith("<ipython-input-")


def relativise_text(text: str) -> str:
    """`text`, in which places are seen from here."""
    return text.replace(_ROOT, "").replace(os.getcwd() + os.sep, "")


def place_of_origin(origin: Any) -> str:
    """The absolute ``file:line`` of an operation; empty where no line of a user's is known."""
    return str(origin) if origin is not None and is_users(origin.file) else ""


def place_of_function(function: Callable[..., Any]) -> str:
    """Where `function` is defined; empty if it is not in a file of Python."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or _has_no_file(code.co_filename):
        return ""
    return relative(f"{code.co_filename}:{code.co_firstlineno}")


def place_of_error(error: BaseException) -> str:
    """The innermost line of a user's that an error passed through; empty if there is none."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if is_users(f.filename)]
    own = [f for f in frames if not is_library(f.filename)] or frames
    return relative(f"{own[-1].filename}:{own[-1].lineno}") if own else ""
