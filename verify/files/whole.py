"""Files that appear whole, and all of them or none, however large they are."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path


@contextlib.contextmanager
def write_atomically() -> Iterator[Callable[[Path, Iterable[str]], None]]:
    """Inside, files are written under other names; at the end they get their own.

    Yields
    ------
    callable ``(file, parts) -> None``
        Writes the text that `parts` are together, in a folder that is there.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with write_atomically() as write:
    ...     write(folder / "a.txt", ["one ", "two"])
    ...     (folder / "a.txt").exists()
    False
    >>> (folder / "a.txt").read_text()
    'one two'
    """
    written: dict[Path, Path] = {}

    def write(file: Path, parts: Iterable[str]) -> None:
        new = file.with_name(f".{file.name}.{uuid.uuid4().hex}")
        written[new] = file
        with new.open("x", encoding="utf-8", newline="\n") as stream:
            stream.writelines(parts)
            stream.flush()
            os.fsync(stream.fileno())

    try:
        yield write
        for new, file in written.items():
            new.replace(file)
    finally:
        for new in written:
            new.unlink(missing_ok=True)
