"""What a score, or an answer, is of: a hash of the sources of the engines and of the verifier."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

import symtape


@functools.cache
def digest() -> str:
    """SHA-256 of every Python file of both packages, with their names.

    Examples
    --------
    >>> len(digest())
    64
    """
    found = hashlib.sha256()
    for folder in (Path(symtape.__file__).parent, Path(__file__).parents[1]):
        for path in sorted(folder.rglob("*.py"), key=lambda path: path.as_posix()):
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            text = path.read_bytes().replace(b"\r\n", b"\n")
            found.update(f"{name}\0{len(text)}\0".encode() + text)
    return found.hexdigest()


def digest_of_file(file: str) -> str:
    """SHA-256 of a file; empty where it cannot be read."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""
