"""Walking a package: all of its modules, imported in a process of their own, and their pairs.

What a module does when it is imported, hanging, printing, ending the process, stays in that
process; a module that does so is named, and the others are looked at.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from symtape.one_line import OneLineRepr
from verify.auditing.packages.convention import Convention
from verify.auditing.packages.isolation import isolate
from verify.auditing.packages.modules import name_modules
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.registry import find_conventions
from verify.auditing.packages.silence import silence
from verify.campaign.importing import see
from verify.errors import UsageError
from verify.limits.limit import limit_time
from verify.limits.processes import call_in_processes

PATIENCE: Final = 60.0
"""Seconds that a module may take to be imported and looked at."""

_BATCH: Final = 24
"""Modules that one process imports; if it fails they are imported one by one."""

BEHAVIOUR: Final = "behaviour"
"""The convention that calls functions, in a process for each module."""

_CALLING: Final = 600.0
"""Seconds for the calls of one module; what was found until then is kept."""

_RETURNING: Final = 30.0
"""Seconds more, after which a process that does not return is ended."""


@dataclass(frozen=True, slots=True, repr=False)
class Found(OneLineRepr):
    """What was found in a package.

    Attributes
    ----------
    package : str
    distribution : str
        What is installed, of which it is a part; empty where that is not known.
    version : str
    pairs : tuple of Pair
    unpaired : tuple of Unpaired
    modules : int
        That were looked at.
    unimported : tuple of (str, str)
        Modules that were not, and why.
    left_out : tuple of str
        Tests, examples and benchmarks of the package.
    broken : tuple of str
        Conventions that do not load.
    """

    package: str
    distribution: str = ""
    version: str = ""
    pairs: tuple[Pair, ...] = ()
    unpaired: tuple[Unpaired, ...] = ()
    modules: int = 0
    unimported: tuple[tuple[str, str], ...] = ()
    left_out: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


@dataclass(slots=True)
class _Seen:
    """What came of some modules, in the process that imported them."""

    pairs: list[Pair] = field(default_factory=list)
    unpaired: list[Unpaired] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    unimported: list[tuple[str, str]] = field(default_factory=list)

    def add(self, other: _Seen) -> None:
        """What another process has seen."""
        self.pairs += other.pairs
        self.unpaired += other.unpaired
        self.modules += other.modules
        self.unimported += other.unimported


def find_pairs(
    package: str,
    conventions: Sequence[str] = (),
    jobs: int | None = None,
    patience: float = PATIENCE,
    include: Sequence[str] = (),
) -> Found:
    """The pairs of a package.

    Parameters
    ----------
    package : str
        The dotted name of a package or module that is installed, or in this folder.
    conventions : sequence of str
        Those that are asked, by name; all by default.
    jobs : int, optional
        Processes; 0 imports in this one, without a limit of time.
    patience : float
        Seconds for a module.
    include : sequence of str
        Which of "tests", "examples" and "benchmarks" are looked at too.

    Raises
    ------
    UsageError
        There is no such package, or no such convention.
    """
    registry = find_conventions()
    for name in conventions:
        if name not in registry.conventions:
            raise UsageError(
                f"there is no convention {name!r}; there are {', '.join(registry.conventions)}; "
                "others come with plugins"
            )
    folder = os.getcwd()
    told = _call(_name_modules, [(package, folder, include)], jobs, patience)[0]
    if isinstance(told, str):
        raise UsageError(told)
    names, left_out = told
    asked = conventions or tuple(registry.conventions)
    seen = _Seen()
    for each in _looked_at(names, tuple(asked), jobs, patience, folder):
        seen.add(each)
    if BEHAVIOUR in asked:
        seen.add(_find_by_behaviour(sorted(seen.modules), seen, jobs, folder))
    paired = {_claim_of(pair.id) for pair in seen.pairs}
    left = [each for each in seen.unpaired if each.id not in paired]
    distribution, version = _find_version(package)
    return Found(
        package,
        distribution,
        version,
        tuple(_iterate_once(sorted(seen.pairs, key=lambda it: it.id))),
        tuple(_iterate_once(sorted(left, key=lambda it: it.id))),
        len(seen.modules),
        tuple(sorted(seen.unimported)),
        tuple(sorted(left_out)),
        registry.broken,
    )


def _iterate_once(found: Sequence[Any]) -> Iterator[Any]:
    """Each id once: a class is met in the module that defines it, and a pair by one convention."""
    taken: set[str] = set()
    for each in found:
        if each.id not in taken:
            taken.add(each.id)
            yield each


def _find_version(package: str) -> tuple[str, str]:
    """The distribution that a package is of, and its version; empty where none is installed."""
    top = package.partition(".")[0]
    if top not in importlib.metadata.packages_distributions():
        return "", ""
    return distribution_of(top), importlib.metadata.version(distribution_of(top))


def distribution_of(module: str) -> str:
    """The distribution that a top module is of, installed or not.

    Examples
    --------
    >>> distribution_of("flint"), distribution_of("no_such_module")
    ('python-flint', 'no-such-module')
    """
    known = importlib.metadata.packages_distributions().get(module)
    return known[0] if known else _DISTRIBUTIONS.get(module, module.replace("_", "-"))


def _name_modules(
    package: str, folder: str, include: Sequence[str]
) -> tuple[list[str], list[str]] | str:
    """The names of the modules and of those that are left out; or why there are none.

    No more than packages are imported.
    """
    see(folder)
    try:
        root = importlib.import_module(package)
    except BaseException as error:  # noqa: BLE001  # a package may end the process
        return _not_there(package, error)
    return name_modules(package, [*map(Path, getattr(root, "__path__", []))], include)


def _not_there(package: str, error: BaseException) -> str:
    if package.endswith(".py"):
        path = Path(package).with_suffix("")
        module = path.name if path.is_absolute() else ".".join(path.parts)
        return f"{package!r} is a file; audit takes the name of a module: symtape audit {module}"
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing and f"{package}.".startswith(f"{missing}."):
        return (
            f"there is no package {package!r} here or among the installed ones; install it into "
            f"the environment of symtape ({sys.prefix}), or run symtape in the environment that "
            "has it"
        )
    return f"package {package!r} does not import: {_words(error)}"


def _words(error: BaseException) -> str:
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing:
        top, _, inner = missing.partition(".")
        if inner:  # What lacks a module is there, in another version.
            return f"it needs {missing}, which the installed {distribution_of(top)} does not have"
        return f"it needs {missing}, which is not installed: pip install {distribution_of(top)}"
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words[:300]}" if words else type(error).__name__


_DISTRIBUTIONS: Final = {
    "cv2": "opencv-python",
    "PIL": "Pillow",
    "attr": "attrs",
    "dateutil": "python-dateutil",
    "past": "future",
    "pkg_resources": "setuptools",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "skopt": "scikit-optimize",
    "yaml": "PyYAML",
}
"""Distributions of another name than their module."""


def _import(name: str) -> tuple[ModuleType | None, str]:
    """A module, or why there is none: its error, or the last that it said before it ended."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return importlib.import_module(name), ""
    except SystemExit as error:
        lines = said.getvalue().strip().splitlines()
        behind = f"; it said: {lines[-1].strip()[:300]}" if lines else ""
        return None, f"{_words(error)}{behind}"
    except BaseException as error:  # noqa: BLE001  # a module may end the process
        return None, _words(error)


def _looked_at(
    names: Sequence[str],
    conventions: tuple[str, ...],
    jobs: int | None,
    patience: float,
    folder: str,
) -> Iterator[_Seen]:
    """What is in each module; where a process did not survive a batch, one by one."""
    batches = [tuple(names[k : k + _BATCH]) for k in range(0, len(names), _BATCH)]
    given = [(batch, conventions, folder) for batch in batches]
    answers = _call(_look, given, jobs, patience)
    failed = [batch for batch, it in zip(batches, answers, strict=True) if isinstance(it, str)]
    again = [name for batch in failed for name in batch]
    yield from (each for each in answers if isinstance(each, _Seen))
    given = [((name,), conventions, folder) for name in again]
    for name, each in zip(again, _call(_look, given, jobs, patience), strict=True):
        yield each if isinstance(each, _Seen) else _Seen(unimported=[(name, each)])


def _call(
    function: Callable[..., Any],
    given: Sequence[tuple[Any, ...]],
    jobs: int | None,
    patience: float,
) -> list[Any]:
    """The answers in their order; what became of a process that gave none, as a text."""
    if jobs == 0:
        return [function(*each) for each in given]
    if not given:
        return []
    answers: list[Any] = [None] * len(given)
    for place, future in call_in_processes(function, given, jobs, patience):
        try:
            answers[place] = future.result()
        except TimeoutError:
            answers[place] = f"importing it took longer than {patience:g} s"
        except Exception as error:  # noqa: BLE001  # the process ended, or its answer is none
            answers[place] = f"importing it ended the process: {_words(error)}"
    return answers


def _find_by_behaviour(names: Sequence[str], known: _Seen, jobs: int | None, folder: str) -> _Seen:
    """The pairs that behaviour tells, module by module, less those that a convention has."""
    taken = {_claim_of(pair.id) for pair in known.pairs}
    # Of what a flag asks for, its convention has the first derivative alone.
    flagged = {_claim_of(pair.id) for pair in known.pairs if pair.convention == "derivative-flags"}
    seen = _Seen()
    given = [((name,), (BEHAVIOUR,), folder, True) for name in names]
    for name, each in zip(names, _call(_look, given, jobs, _CALLING + _RETURNING), strict=True):
        if isinstance(each, _Seen):
            for pair in each.pairs:
                others = flagged if pair.function == pair.claim else set()
                if _claim_of(pair.id) not in taken - others:
                    seen.pairs.append(pair)
            seen.unpaired += [it for it in each.unpaired if _claim_of(it.id) not in taken]
        else:
            words = each.replace("importing it", "calling its functions")
            seen.unpaired.append(Unpaired(name, BEHAVIOUR, words))
    return seen


def _claim_of(name: str) -> str:
    """What claims, without its item or order."""
    return re.split(r"[\[(]", name, maxsplit=1)[0]


def _look(names: Sequence[str], wanted: Sequence[str], folder: str, calling: bool = False) -> _Seen:
    """The pairs of some modules, in this process; by their calls, or by all else."""
    see(folder)
    os.environ |= {"MPLBACKEND": "Agg", "PYGLET_HEADLESS": "1", "QT_QPA_PLATFORM": "offscreen"}
    conventions = find_conventions().conventions
    asked = [
        each
        for name, each in conventions.items()
        if name in wanted and (name == BEHAVIOUR) == calling
    ]
    seen = _Seen()
    with silence(), isolate():
        for name in names:
            module, words = _import(name)
            if module is None:
                seen.unimported.append((name, words))
                continue
            seen.modules.append(name)
            with isolate(writes=not calling):
                for convention in asked:
                    _find(convention, module, seen)
    return seen


class _TooLong(BaseException):
    """Passes through code that catches whatever the functions of others raise."""


def _find(convention: Convention, module: ModuleType, seen: _Seen) -> None:
    name = module.__name__
    try:
        with limit_time(_CALLING, lambda _: _TooLong()):
            for each in convention.find(module):
                (seen.pairs if isinstance(each, Pair) else seen.unpaired).append(each)  # type: ignore[arg-type]
    except _TooLong:
        words = f"it took longer than {_CALLING:g} s; what was found until then is kept"
        seen.unpaired.append(Unpaired(name, convention.name, words))
    except Exception as error:  # noqa: BLE001  # a convention of a plugin, or a strange module
        words = f"examining the module failed: {_words(error)}"
        seen.unpaired.append(Unpaired(name, convention.name, words))
