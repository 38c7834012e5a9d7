"""Releases of a package, from its index: each in a folder of its own, which an audit runs in."""

from __future__ import annotations

import importlib.machinery
import subprocess
import sys
from pathlib import Path

from verify.auditing.packages.walking import distribution_of
from verify.errors import UsageError


def install_release(package: str, version: str, folder: Path) -> None:
    """Install a release of a package into a folder, and nothing else.

    What it depends on is taken from this environment, so that releases that are compared differ in
    nothing else.

    Parameters
    ----------
    package : str
        The dotted name of the package or of one of its modules.
    version : str
        A version, or what pip calls the release: "scikit-learn==1.5".
    folder : Path

    Raises
    ------
    UsageError
        pip cannot have it, or it has no such package; says what to do.
    """
    top = package.partition(".")[0]
    release = version if "==" in version else f"{distribution_of(top)}=={version}"
    words = ["install", "--quiet", "--no-deps", "--no-input", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", *words, "--target", str(folder), release]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it does not say why"])[-1]
        raise UsageError(
            f"pip does not install {release}: {reason.removeprefix('ERROR: ')}. If no index is "
            "reachable, let PIP_INDEX_URL name one that is, or PIP_FIND_LINKS a folder of wheels; "
            "if the package has another name there, write --versions NAME==VERSION,..."
        )
    if importlib.machinery.PathFinder.find_spec(top, [str(folder)]) is None:
        raise UsageError(
            f"{release} has no package {top!r}; if it is in another distribution, write "
            "--versions NAME==VERSION,..."
        )
