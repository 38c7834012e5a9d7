"""Files of the package that hold data: read whole, or an error that says what to do.

A verdict must not be weaker because a file is missing, so no caller may go on without one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from verify.errors import IncompleteInstallation


def text(file: Path) -> str:
    """What a text file of the package holds.

    Raises
    ------
    IncompleteInstallation
        It is missing, or cannot be read.

    Examples
    --------
    >>> text(Path(__file__)).splitlines()[0][3:23]
    'Files of the package'
    """
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise damage_error(file, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise damage_error(file, str(error)) from error


def data(file: Path) -> Any:
    """What a JSON file of the package holds.

    Raises
    ------
    IncompleteInstallation
        It is missing, cannot be read, or is no JSON.
    """
    try:
        return json.loads(text(file))
    except (ValueError, RecursionError) as error:
        raise damage_error(file, f"it is no JSON: {error}") from error


def damage_error(file: Path, reason: str) -> IncompleteInstallation:
    """The error of a file that is not what the package came with."""
    return IncompleteInstallation(
        f"cannot read {str(file)!r}, which is part of symtape: {reason}. Without it verdicts would "
        "be weaker than they should be, so nothing is verified. Reinstall symtape from where it "
        "came, with pip install --force-reinstall --no-deps."
    )
