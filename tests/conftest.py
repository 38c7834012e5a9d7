"""What all tests run in, and snapshots: messages as text files, to be read and compared."""

from __future__ import annotations

import collections
import functools
import gc
import os
import re
import sys
import tomllib
import zlib
from pathlib import Path

import numpy.fft  # noqa: F401  # whose rows wait for it
import pytest
from hypothesis import Phase, settings

from verify.pytest_plugin import rewriting

rewriting.leave_alone()  # pytest would rewrite the assertions of all our modules, as of a plugin

from symtape.primitives.protocol import load_late_rows  # noqa: E402

load_late_rows()  # tests loop over all rows that there are

# The same examples wherever the tests run, whatever earlier runs met, and no clock that fails them.
# `--hypothesis-profile=default` looks for new ones, and explains what fails: of `find`, which the
# doctests of strategies call, that phase takes three quarters of the time.
PHASES = [phase for phase in Phase if phase is not Phase.explain]
settings.register_profile("symtape", derandomize=True, database=None, deadline=None, phases=PHASES)
settings.load_profile("symtape")

SNAPSHOTS = Path(__file__).parent / "snapshots"
PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@functools.cache
def optional_packages():
    """A pattern of the packages that `.ci/run` installs beside what every installation has."""
    extras = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    wanted = [one for name in ("adapters", "dask", "docs", "llvm") for one in extras[name]]
    names = [re.match(r"[\w-]+", one)[0].replace("-", "_") for one in wanted]
    return re.compile(rf"\b({'|'.join(names)})\b")


@functools.cache
def names_an_optional_package(path):
    """Whether a file says the name of a package that a plain installation lacks."""
    return bool(optional_packages().search(path.read_text(encoding="utf-8")))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Tests by the thousand are no garbage: the collector would walk through them ever again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """A test file that does not import fails; that doctests ignore it would hide all its tests."""
    report = yield
    if report.skipped and "unable to import module" in str(report.longrepr):
        report.outcome = "failed"
    return report


LONG_TABLES = frozenset(
    f"{name}.py"
    for name in (
        *("test_families", "test_fft", "test_integrate", "test_linalg_names", "test_optimize"),
        *("test_sparse", "test_spatial", "test_stats", "test_complex", "test_fourier_calls"),
        *("test_complex_calls", "test_complex_intermediates", "test_idioms", "test_tree_idioms"),
    )
)
"""Files that loop over tables of calls of SciPy and of idioms, several seconds a row."""

QUICK_TABLES = frozenset(
    (
        *("faults/test_claims.py", "compiled/test_placements.py", "scipy/test_special.py"),
        *("reading/test_caches.py", "recording/test_dtypes.py", "recording/test_in_place.py"),
        *("recording/test_type_checks.py", "reading/test_own_arrays.py"),
        *("specialised/test_hostile.py", "symbolic/test_signs.py", "jets/test_rows.py"),
        *(
            f"primitives/test_{name}.py"
            for name in (
                *("contraction", "conventions", "einsum", "indexing", "nan_reductions", "power"),
                *("readings_of_moves", "reductions", "shape", "short_axes", "taking", "ufuncs"),
            )
        ),
    )
)
"""Files of which all rows are run, since all of them together take seconds."""

MANY = 10
"""Rows from which on a test in another file is one of a long table."""

EVERY = 5

VERY_MANY = 50
"""Rows from which on half as many of them are run."""

FEW = 3
"""Rows from which on a test that is marked as slow is one of a table, and of which one is run."""


def table_of(item):
    """What an item is a row of, by name."""
    return str(item.path) if item.path.name in LONG_TABLES else item.nodeid.partition("[")[0]


def one_in(count, item):
    """Of so many rows of the table that `item` is in, one is run."""
    if "/".join(item.path.parts[-2:]) in QUICK_TABLES:
        return 1
    is_slow = any(mark.name == "slow" for mark in item.own_markers)
    if item.path.name in LONG_TABLES or count >= MANY:
        return EVERY * (2 if count >= VERY_MANY else 1) * (2 if is_slow else 1)
    return FEW if is_slow and count >= FEW else 1


def of_long_tables(items):
    """All rows of the long tables but one in five, evenly spread; of slow ones fewer.

    Each table begins elsewhere, so that what several tables are of is in some of them. Tests beside
    this file are of the project as it stands: their rows are its pages and packages.
    """
    inner = [item for item in items if item.path.parent != Path(__file__).parent]
    rows = collections.Counter(map(table_of, inner))
    seen = {table: zlib.crc32(Path(table).name.encode()) for table in rows}
    for item in inner:
        table = table_of(item)
        every = one_in(rows[table], item)
        if every > 1:
            seen[table] += 1
            if seen[table] % every != 1:
                yield item


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what may do more where the optional packages are installed: ``-m frameworks``.

    Long tables are run in whole by ``-m campaign``, and else a few of their rows.
    """
    for item in items:
        if names_an_optional_package(item.path):
            item.add_marker("frameworks")
    for item in of_long_tables(items):
        item.add_marker("campaign")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A file's tests stay together, as what they share is made anew by each worker."""
    if config.option.dist != "load":
        return None
    from xdist.scheduler import LoadFileScheduling

    # Files come in the order of collection: those of few tests are often the long ones.
    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log)


@pytest.fixture(autouse=True, scope="session")
def home(tmp_path_factory):
    """What is kept between runs is kept outside of the folder that the tests run in."""
    folder = tmp_path_factory.mktemp("symtape-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMTAPE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """The folder of what all the workers of this session share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(autouse=True, scope="session")
def bytecode(shared):
    """Processes of tests compile a module once, also where nothing is written beside it."""
    with pytest.MonkeyPatch.context() as patch:
        if sys.dont_write_bytecode:  # a folder of our own has none of NumPy's, SciPy's and SymPy's
            patch.setenv("PYTHONPYCACHEPREFIX", str(shared / "bytecode"))
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def terminal():
    """Runs of pytest inside of tests print as they do for a person, who is no CI server."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CI", "BUILD_NUMBER"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def snapshot():
    """``snapshot(name, text)`` compares with a file; SYMTAPE_UPDATE_SNAPSHOTS=1 writes it."""

    def compare(name, text):
        file = SNAPSHOTS / f"{name}.txt"
        if os.environ.get("SYMTAPE_UPDATE_SNAPSHOTS"):
            file.write_text(text, encoding="utf-8")
        known = file.read_text(encoding="utf-8") if file.exists() else ""
        assert text == known, (
            f"{file} differs; read the change, and accept it with SYMTAPE_UPDATE_SNAPSHOTS=1"
        )

    return compare
