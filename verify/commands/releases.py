"""Audits of released versions of a package: each by a command of its own, and then compared."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from verify.commands.compare import compare_files
from verify.commands.files import probe_folder
from verify.commands.refusals import Refusal
from verify.options.command_lines import option_words

_AUDITED: Final = (0, 1, 3)
"""What an audit exits with that came to its end."""


def compare_releases(
    package: str,
    versions: Sequence[str],
    options: Mapping[str, Any],
    folder: Path,
    written: Sequence[str],
) -> int:
    """Audit releases of a package, compare them as ``symtape compare`` does; the exit status.

    Parameters
    ----------
    package : str
    versions : sequence of str
        The oldest first.
    options : mapping
        Of each audit, by their names.
    folder : Path
        For the comparison; the reports of a release are in a folder below, of its name.
    written : sequence of str
        The formats of the reports and, but for those of findings alone, of the comparison.
    """
    if len(versions) < 2 or not all(versions):
        raise Refusal("a comparison needs two releases: --versions OLD,NEW")
    files = []
    for version in versions:
        out = probe_folder(folder / version)
        files.append(_audit_release(package, version, options, out, ("json", *written)))
        click.echo(f"wrote {files[-1]}")
    formats = tuple(name for name in written if name not in ("sarif", "issue"))
    return compare_files(files, formats, folder)


def _audit_release(
    package: str, version: str, options: Mapping[str, Any], out: Path, written: Sequence[str]
) -> Path:
    """Audit a release in a process of its own; the JSON report."""
    from verify.auditing.packages.releases import install_release

    given = {**options, "--out": out, "--format": written}
    # As they mean the same in another folder; 0 as a word, since it is given.
    given |= {name: str(it.resolve()) for name, it in given.items() if isinstance(it, Path)}
    given |= {name: "0" for name, it in given.items() if it == 0 and it is not False}
    words = [word for pair in option_words(given) for word in pair]
    with tempfile.TemporaryDirectory() as made:
        installed = Path(made) / "site-packages"  # Reports leave out what is before this name.
        click.echo(f"{package} {version}", err=True)
        install_release(package, version, installed)
        command = [sys.executable, "-m", "verify", "audit", package, *words]
        # What is in its folder comes before all that is installed.
        done = subprocess.run(command, cwd=installed, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in _AUDITED:
        raise Refusal(f"the audit of {package} {version} exited with {done.returncode}")
    return out / f"{package}.json"
