"""Where things are kept from one run to the next: ``$SYMTAPE_HOME``, or the folder ``.symtape``.

What is kept only saves work, but for counterexamples: these are tried again, unless the variable
``$SYMTAPE_NO_MEMORY`` is set. A folder that cannot be written keeps nothing, a file that cannot be
read counts as absent, and deleting all of it loses nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from verify.files.whole import write_atomically
from verify.options import defaults

_NO_MEMORY: Final = "SYMTAPE_NO_MEMORY"
"""The variable of the environment that makes searches begin anew, in worker processes too."""


def folder() -> Path:
    """The folder, which need not exist."""
    return Path(os.environ.get("SYMTAPE_HOME") or defaults.present().home)


def is_enabled() -> bool:
    """Whether counterexamples of earlier runs are tried again, and new ones kept."""
    return not os.environ.get(_NO_MEMORY)


@contextlib.contextmanager
def disable_memory(really: bool = True) -> Iterator[None]:
    """Inside, no counterexamples of earlier runs are tried, and none is kept; if `really`.

    Examples
    --------
    >>> with disable_memory():
    ...     is_enabled()
    False
    """
    before = os.environ.get(_NO_MEMORY)
    if really:
        os.environ[_NO_MEMORY] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_NO_MEMORY, None)
        else:
            os.environ[_NO_MEMORY] = before


def load(section: str, name: str) -> Any:
    """What was kept as `name` in a section of the folder; None if there is nothing to be read.

    Examples
    --------
    >>> load("counterexamples", "of no claim") is None
    True
    """
    try:
        return json.loads(_file(section, name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def store(section: str, name: str, value: Any) -> bool:
    """Keep `value`, made of what JSON knows; None forgets. Whether that could be done."""
    file = _file(section, name)
    try:
        if value is None:
            file.unlink(missing_ok=True)
            return True
        file.parent.mkdir(parents=True, exist_ok=True)
        _write_gitignore(folder())
        write_whole(file, json.dumps(value))
    except OSError:
        return False
    return True


def _file(section: str, name: str) -> Path:
    return folder() / section / f"{name}.json"


def _write_gitignore(home: Path) -> None:
    """Tell git that nothing in here is of the project."""
    mark = home / ".gitignore"
    if not mark.exists():
        write_whole(mark, "*\n")


def write_whole(file: Path, text: str) -> None:
    """Write in one step, so that a reader beside us never sees half a file."""
    with write_atomically() as write:
        write(file, [text])
