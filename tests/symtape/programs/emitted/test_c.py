"""Source in C99, compiled by the compiler of this machine, against the tape."""

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest

import symtape
from tests.symtape.programs.emitted.test_emitted_suites import (
    TRANSFORMS,
    argnums_of,
    assert_near,
    function_name,
    leaves,
    sources,
)

COMPILER = shutil.which("gcc") or shutil.which("cc")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler here")
POINTER = ctypes.POINTER(ctypes.c_double)


def compiled(folder, text):
    (folder / "f.c").write_text(text)
    strict = ("-std=c99", "-Wall", "-Werror", "-Wno-unused", "-ffp-contract=off")
    command = [COMPILER, *strict, "-O1", "-shared", "-fPIC", "-o", "f.so", "f.c", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "f.so"))


def called(function, point, shapes, text):
    """The status, and the results in their shapes."""
    arrays = [np.array(x, dtype=float, order="C") for x in point]
    given = [x.ctypes.data_as(POINTER) if x.shape else ctypes.c_double(float(x)) for x in arrays]
    results = [np.full(shape or (1,), 7.0) for shape in shapes]
    work = re.search(r"memory for (\d+) numbers", " ".join(text.split()))
    memory = [np.empty(int(work[1]))] if work else []
    status = function(*given, *(x.ctypes.data_as(POINTER) for x in [*results, *memory]))
    return status, tuple(x.reshape(shape) for x, shape in zip(results, shapes, strict=True))


@pytest.mark.long
@needs_compiler
def test_the_suites_agree_with_the_tape(tmp_path):
    made = sources("c")
    assert len(made) >= 150
    for k, (case, text) in list(enumerate(made.values()))[::16]:
        folder = tmp_path / str(k)
        folder.mkdir()
        with np.errstate(all="ignore"):
            wanted = TRANSFORMS[case.quantity](case.function, argnums_of(case))(*case.at[0])
        function = getattr(compiled(folder, text), function_name(case))
        shapes = [np.shape(x) for x in leaves(wanted)]
        status, got = called(function, case.at[0], shapes, text)
        assert status == 0
        assert_near(got, wanted)


def branching(x):
    return np.sum(np.sort(x * 1.0)) if x[0] < -5 else np.sum(x**2) if x[0] > 0 else np.sum(x)


@needs_compiler
def test_off_the_path_it_says_so_and_gives_nan(tmp_path):
    text = symtape.derive(branching, np.array([1.0, 2.0])).code("c")
    function = compiled(tmp_path, text).grad_branching
    assert called(function, [np.array([3.0, 4.0])], [(2,)], text)[0] == 0
    status, (got,) = called(function, [np.array([-1.0, 4.0])], [(2,)], text)
    assert status == 1
    assert np.isnan(got).all()


def test_what_c_has_not_is_refused_with_the_line():
    with pytest.raises(symtape.errors.Unsupported, match=r"solve at .*test_c.py:\d+ cannot be wr"):
        symtape.derive(lambda a: np.linalg.solve(a, a[0])[0], np.eye(2) + 1).code("c")
