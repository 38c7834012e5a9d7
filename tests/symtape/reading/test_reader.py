"""A reader is seen by nobody else, and leaves nothing behind."""

from __future__ import annotations

import importlib
import math
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from math import exp
from types import ModuleType

import numpy as np
import pytest
import scipy.spatial
import scipy.special

import symtape
from symtape.errors import ArgumentWarning

X = np.array([0.5, 2.0])
ASARRAY, EXP, VECTORIZE, JOIN = np.asarray, math.exp, np.vectorize.__call__, np.r_.__getitem__
LOGSUMEXP = scipy.special.logsumexp


def untouched():
    return (
        np.asarray is ASARRAY
        and type(np) is type(math) is ModuleType
        and math.exp is EXP is exp
        and np.vectorize.__call__ is VECTORIZE
        and scipy.special.logsumexp is LOGSUMEXP
    )


def converts(x):
    return float(np.asarray(x)[0]) * exp(x[1])


SLOPE = np.array([math.exp(2.0), 0.5 * math.exp(2.0)])


def raises(x):
    np.asarray(x)
    raise KeyError("unknown")


@pytest.mark.parametrize("function", [converts, raises, lambda x: symtape.grad(converts)(x)[0]])
def test_everything_is_as_before(function):
    code = function.__code__
    try:
        symtape.grad(function)(X)
    except KeyError:
        assert function is raises
    assert untouched()
    assert function.__code__ is code
    assert converts.__code__.co_consts.count(float) == 0


def test_another_thread_sees_the_modules_as_they_are():
    originals, seen = (np.asarray, np.zeros, math.exp), []
    begun, looked = threading.Event(), threading.Event()

    def look():
        begun.wait()
        seen.append((np.asarray, np.zeros, math.exp) == originals and exp(1.0) == math.e)
        looked.set()

    def f(x):
        y = np.asarray(x) ** 2
        begun.set()
        looked.wait()
        return np.sum(y)

    other = threading.Thread(target=look)
    other.start()
    np.testing.assert_array_equal(symtape.grad(f)(X), 2 * X)
    other.join()
    assert seen == [True]


def test_a_thread_of_the_function_records_too():
    def f(x):
        with ThreadPoolExecutor(2) as pool:
            return sum(pool.map(lambda t: math.exp(float(t)), list(x)))

    np.testing.assert_allclose(symtape.grad(f)(X), np.exp(X))
    assert untouched()


def test_many_record_at_once():
    def work(scale):
        return [symtape.grad(lambda x: scale * converts(x))(X) for _ in range(20)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, [1.0, 2.0, 3.0, 4.0]))
    for scale, slopes in zip([1.0, 2.0, 3.0, 4.0], found, strict=True):
        np.testing.assert_allclose(slopes, [scale * SLOPE] * 20)
    assert untouched()


def test_recordings_nest():
    def outer(x):
        inner = symtape.grad(converts)(np.asarray(x))
        return math.fsum(inner) * float(x[0])

    found = symtape.grad(outer)(X)
    e = math.exp(2.0)
    np.testing.assert_allclose(found, [e * (1 + 2 * 0.5), 0.5 * e * 1.5])
    assert untouched()


def test_a_module_that_is_loaded_meanwhile_keeps_what_it_imports(tmp_path, monkeypatch):
    (tmp_path / "loaded_late.py").write_text(
        "import numpy as np\nfrom math import exp\nfrom numpy import asarray, zeros\n"
        f"from {__name__} import exp as again\n"
        "def f(x):\n    y = zeros(2)\n    y[0] = exp(x[0])\n"
        "    return asarray(y)[0] + again(x[1])\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    def f(x):
        np.asarray(x)
        return importlib.import_module("loaded_late").f(x)

    np.testing.assert_allclose(symtape.grad(f)(X), np.exp(X))
    module = sys.modules.pop("loaded_late")
    assert (module.exp, module.again, module.asarray, module.zeros) == (
        EXP,
        EXP,
        ASARRAY,
        np.zeros,
    )
    assert untouched()


def test_a_write_into_an_argument_is_done_on_a_copy_and_told():
    def f(x):
        x[0] = x[1] ** 2
        x *= 2
        return np.sum(x)

    x = X.copy()
    with pytest.warns(ArgumentWarning, match="writes into its argument 0"):
        slope = symtape.grad(f)(x)
    np.testing.assert_array_equal(slope, [0.0, 10.0])
    np.testing.assert_array_equal(x, X)


def test_another_way_than_that_of_plain_arrays_is_refused():
    def f(x):
        y = np.asarray(x)
        return np.sum(y**2) if not hasattr(y, "numpy") else np.sum(y**3)

    with pytest.raises(symtape.errors.Escaped):
        symtape.grad(f)(X)


WORKSPACE = np.zeros(2)


def test_a_workspace_made_outside_takes_tensors_and_stays_an_array():
    local = np.empty(2)

    def f(x):
        WORKSPACE[:] = x
        local[:] = WORKSPACE**2
        return local @ WORKSPACE

    np.testing.assert_allclose(symtape.grad(f)(X), 3 * X**2)
    assert type(WORKSPACE) is type(local) is np.ndarray
    np.testing.assert_array_equal(WORKSPACE, X)


class Compiled:
    """As numba's dispatchers are: machine code that takes arrays alone."""

    __module__ = "numba.core.registry"

    def __init__(self, function):
        self.py_func = function

    def __call__(self, x):
        return self.py_func(np.frombuffer(memoryview(x)))


@Compiled
def compiled(x):
    return x[0] ** 2 * x[1]


def test_of_what_numba_compiled_the_function_in_python_is_recorded(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", ModuleType("numba"))
    np.testing.assert_allclose(symtape.grad(lambda x: compiled(x))(X), [2.0, 0.25])
    assert isinstance(compiled, Compiled)


LIBRARY = """
def of_lists(x):
    return np.max([x[0] ** 2, x[1]]) + np.sum(np.transpose([x, 2 * x])[0] ** 2)

def of_products(weights, x):
    return weights.dot(x) ** 2 + np.sum(x.__array__())
"""


def test_code_of_a_library_meets_numpy_so_too(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "library_of_tests.py").write_text(f"import numpy as np\n{LIBRARY}")
    monkeypatch.syspath_prepend(str(folder))
    library = importlib.import_module("library_of_tests")
    slope = symtape.grad(lambda x: library.of_lists(x))(X)
    np.testing.assert_allclose(slope, [10 * X[0], 1.0])
    slope = symtape.grad(lambda x: library.of_products(np.array([3.0, 1.0]), x))(X)
    np.testing.assert_allclose(slope, [22.0, 8.0])


class Elsewhere:
    """As some classes of pandas are, whose objects say that they are of another module."""

    @property
    def __module__(self):
        return "elsewhere"


ELSEWHERE = Elsewhere()


def test_a_class_may_have_no_text_for_the_name_of_its_module():
    slope = symtape.grad(lambda x, _: float(np.asarray(x)[0]) ** 2)(X, ELSEWHERE)
    np.testing.assert_array_equal(slope, [1.0, 0.0])


@pytest.mark.parametrize("hull", [scipy.spatial.ConvexHull, scipy.spatial.Delaunay])
def test_compiled_code_meets_numpy_as_it_is(hull):
    def f(x):
        points = hull(np.reshape([*x, 0.0, 0.0, 1.0, 3.0], (3, 2))).points
        return np.sum(points**2)

    with pytest.raises(symtape.errors.SymtapeError):
        symtape.grad(f)(X)


def test_two_recordings_are_alike():
    """Whatever was in the memory before that a library asks for and has not written yet."""

    def turned(x):
        kind = scipy.spatial.transform.Rotation
        return kind.from_matrix(kind.from_rotvec(x).as_matrix()).as_rotvec()

    def constants():
        np.full(4, 7.0)
        graph = symtape.record(turned, np.array([0.25, -0.5, 0.75]))
        return [node.constant for node in graph.nodes if node.constant is not None]

    for one, other in zip(constants(), constants(), strict=True):
        np.testing.assert_array_equal(one, other)


UNSOURCED = """
def by_names(x):
    y = np.zeros(2, dtype=float)
    y[0], y[1] = float(x[0]) ** 2, math.exp(x[1])
    return inner(y) + isinstance(x[0], float) * x[1]

def inner(y):
    return np.max([y[0], y[1]]) + sum(map(float, y))
"""


def test_without_source_names_are_answered():
    scope = {"np": np, "math": math, "__name__": "__main__"}
    exec(UNSOURCED, scope)
    slope = symtape.grad(scope["by_names"])(X)
    np.testing.assert_allclose(slope, [2 * X[0], 2 * math.exp(X[1]) + 1])


def test_what_leaves_without_source_is_refused_with_a_way_out():
    scope = {"np": np, "__name__": "__main__"}
    exec("def f(x): return np.linspace(0.0, 1.0, 2).dot(x)", scope)
    with pytest.raises(symtape.errors.Escaped, match="or write f into a file, or into a notebook"):
        symtape.grad(scope["f"])(X)


def test_a_function_whose_file_has_changed_is_not_read_from_it(tmp_path, monkeypatch):
    file = tmp_path / "changing_module.py"
    file.write_text("import math\ndef f(x):\n    return math.exp(x[0]) * 2.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("changing_module")
    file.write_text("import math\ndef f(x):\n    return math.exp(x[0]) * 3.0\n")
    np.testing.assert_allclose(symtape.grad(module.f)(X), [2 * math.exp(X[0]), 0.0])


REGISTRY = []


def keeps_functions(x):
    REGISTRY.append(converts)
    held = {"f": converts}
    held.setdefault("g", converts)
    assert held["f"] is held["g"] is REGISTRY[-1] is converts
    return held["g"](x)


def test_what_a_function_puts_away_is_what_it_was():
    np.testing.assert_allclose(symtape.grad(keeps_functions)(X), SLOPE)
    assert all(f is converts for f in REGISTRY)


class Answering:
    nothing = None

    def __getattr__(self, name):
        return f"asked for {name}"


def test_a_name_that_a_class_has_is_not_asked_of_its_lookup():
    def f(x):
        of = Answering()
        assert of.nothing is None
        assert of.other == "asked for other"
        return math.exp(x[0])

    np.testing.assert_allclose(symtape.grad(f)(X), [math.exp(X[0]), 0.0])


def test_a_class_without_a_module_is_read():
    scope = {"np": np}
    exec("class Made:\n    def __init__(self, x):\n        self.y = np.asarray(x) ** 2\n", scope)
    made = scope["Made"]
    np.testing.assert_allclose(symtape.grad(lambda x: float(made(x).y[1]))(X), [0.0, 2 * X[1]])


def test_a_chained_call_is_on_the_line_of_its_method():
    def f(x):
        y = (
            np.asarray(x)
            .reshape(2)
            .sum()
        )  # fmt: skip
        return float(y)

    (line,) = {node.origin.line for node in symtape.record(f, X).nodes if node.name == "sum"}
    assert line == f.__code__.co_firstlineno + 4


def test_a_traceback_shows_the_lines_of_the_function():
    def inner(x):
        return {}["absent"] * math.exp(x[0])

    def outer(x):
        return inner(x) + math.exp(x[1])

    with pytest.raises(KeyError) as raised:
        symtape.grad(outer)(X)
    frames = [entry.frame.code.name for entry in raised.traceback]
    assert frames[-2:] == ["outer", "inner"]
    assert [entry.lineno for entry in raised.traceback][-2:] == [
        outer.__code__.co_firstlineno,
        inner.__code__.co_firstlineno,
    ]
