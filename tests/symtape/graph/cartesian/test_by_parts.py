"""A graph of complex numbers and the one of their parts are the same function."""

import numpy as np
import pytest

import symtape
from symtape.errors import Unsupported
from symtape.graph.cartesian.lower import split_complex_nodes
from symtape.rigorous.floats import may_return

NAMES = """
exp exp2 expm1 log log1p log2 log10 sqrt sin cos tan sinh cosh tanh arcsin arccos arccosh arcsinh
arctanh arctan reciprocal sign square conjugate negative
"""
ELEMENTARY = {
    **{name: getattr(np, name) for name in NAMES.split()},
    "a cube": lambda z: z**3,
    "an inverse square": lambda z: z**-2,
    "a real power": lambda z: z**0.7,
    "a complex power": lambda z: z ** (0.3 + 0.4j),
    "of a complex base": lambda z: (1 + 2j) ** z,
    "of a negative base": lambda z: (-2.5) ** z,
    "to itself": lambda z: z**z,
    "a quotient": lambda z: z / (2 - 1j + z * z),
    "a reciprocal": lambda z: (3 - 1j) / z,
    "by a real number": lambda z: z / 3.7,
    "a product with the conjugate": lambda z: z * np.conj(z) * z,
    "parts": lambda z: np.real(z) + 1j * np.imag(z) ** 2,
}
NUMBERS = {
    "any": lambda x, y: x + 1j * y,
    "real, above the cut": lambda x, y: x + 0j,
    "real, below the cut": lambda x, y: np.conj(x + 0j),
    "imaginary": lambda x, y: 1j * y,
}

WEIGHTS = np.array([[3, 1j, 0.2], [-1j, 4, 0.3 - 0.1j], [0.2, 0.3 + 0.1j, 5]])
ARRAYS = {
    "sum": lambda a: np.sum(a, axis=0),
    "mean": lambda a: np.mean(a, axis=1),
    "cumsum": np.cumsum,
    "prod": np.prod,
    "prod of an axis": lambda a: np.prod(a, axis=0),
    "prod kept": lambda a: np.prod(a, axis=(0, 1), keepdims=True),
    "cumprod": lambda a: np.cumprod(a[0]),
    "var": lambda a: np.var(a, axis=0) + 0j,
    "std": lambda a: np.std(a) + 0j,
    "norm": lambda a: np.linalg.norm(a) + 0j,
    "norm of rows": lambda a: np.linalg.norm(a, axis=1) + 0j,
    "norm of order 3": lambda a: np.linalg.norm(a[0], 3) + 0j,
    "norm of order 1": lambda a: np.linalg.norm(a[0], 1) + 0j,
    "largest": lambda a: np.linalg.norm(a[0], np.inf) + 0j,
    "adjoint": lambda a: a.conj().T @ a,
    "matrix times vector": lambda a: a @ a[0],
    "vector times matrix": lambda a: a[0] @ a,
    "vectors": lambda a: a[0] @ a[1],
    "real times complex": lambda a: np.real(a) @ a[1],
    "stacks": lambda a: np.stack([a, a * 1j]) @ np.stack([a, a.T]),
    "vdot": lambda a: np.vdot(a, a * 1j),
    "outer": lambda a: np.outer(a[0], a[1]),
    "kron": lambda a: np.kron(a, a),
    "einsum": lambda a: np.einsum("ij,jk,k->i", a, a.conj(), a[0]),
    "trace": np.trace,
    "diag": np.diag,
    "tril": np.tril,
    "where": lambda a: np.where(np.real(a) > 0, a, 1j),
    "concatenate": lambda a: np.concatenate([a, np.real(a), np.ones((1, 3)) * 1j]),
    "indices": lambda a: a[[0, 2], [1, 1]],
    "convolve": lambda a: np.convolve(a[0], a[1]),
    "cross": lambda a: np.cross(a[0], a[1]),
    "padded": lambda a: np.pad(a, 1, constant_values=2.0),
    "polynomial": lambda a: np.polyval(a[0], a[1]),
    "solve": lambda a: np.linalg.solve(a, a[0]),
    "solve for columns": lambda a: np.linalg.solve(a, a.conj()),
    "solve a real matrix": lambda a: np.linalg.solve(np.real(a), a),
    "inv": np.linalg.inv,
    "det": lambda a: np.linalg.det(a) + 0j,
    "slogdet": lambda a: np.linalg.slogdet(a)[0] * np.linalg.slogdet(a)[1],
    "cholesky": lambda a: np.linalg.cholesky(a @ a.conj().T + WEIGHTS),
    "matrix power": lambda a: np.linalg.matrix_power(a, 3),
    "cast": lambda a: np.real(a).astype(complex) * 1j,
    "finite": lambda a: np.where(np.isfinite(a), a, 0),
    "equal": lambda a: np.where(a == a.T, a, 1j),
}


def both_parts(function):
    """The real and the imaginary part of a function, as one array."""

    def stacked(*x):
        value = function(*x)
        return np.stack([np.real(value), np.imag(value)])

    return stacked


def check(function, *x):
    """The graph of parts gives what the function gives, as far as its rounding says."""
    with np.errstate(all="ignore"):
        expected = function(*x)
        graph = split_complex_nodes(symtape.record(function, *x))
        (found,) = graph.evaluate(*x)
    assert not any(node.dtype.kind == "c" for node in graph.nodes)
    assert found.dtype == expected.dtype
    if not np.all(np.isfinite(expected)):
        return
    eps = np.finfo(expected.dtype).eps
    # Logarithms near 1 and poles magnify; the last digits are for `may_return`.
    assert np.max(np.abs(found - expected)) <= 2**14 * eps * np.max(np.abs(expected))
    assert may_return(graph, x, [expected])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", ELEMENTARY)
def test_elementary_functions(name, number, dtype):
    random = np.random.default_rng(len(name) + len(number))
    function = both_parts(lambda x, y: ELEMENTARY[name](NUMBERS[number](x, y)))
    for _ in range(12):
        sizes = 10.0 ** random.uniform(-2, 0.7, 2)
        check(function, *(sizes * random.choice([-1, 1], 2)).astype(dtype))


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name):
    random = np.random.default_rng(len(name))
    for _ in range(2):
        check(both_parts(lambda x: ARRAYS[name](x[0] + 1j * x[1])), random.normal(size=(2, 3, 3)))


def test_what_has_no_reading_is_refused_by_name():
    graph = symtape.record(lambda x: np.real(np.sort(np.stack([x * 1j, x + 1j])))[0], 0.5)
    with pytest.raises(Unsupported, match=r"sort at .* of complex numbers has no reading"):
        split_complex_nodes(graph)


def test_a_real_graph_stays_the_same():
    graph = symtape.record(np.sin, 0.5)
    assert split_complex_nodes(graph) is graph


def test_decisions_and_lines_are_kept():
    def function(x):
        z = np.exp(1j * x)
        return np.abs(z + 1) if np.real(z) > 0 else np.imag(z)

    recorded = symtape.record(function, 0.5)
    graph = split_complex_nodes(recorded)
    assert [step.outcome for step in graph.path] == [True]
    assert graph.holds(0.5)
    assert not graph.holds(3.0)
    assert {str(node.origin) for node in graph.nodes if node.primitive} <= {
        str(node.origin) for node in recorded.nodes
    }
