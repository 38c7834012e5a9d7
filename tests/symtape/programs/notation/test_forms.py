"""Forms in array notation: what is printed is true, and what is not readable is left to entries."""

import dataclasses
import warnings
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, optimize, special

import symtape
from symtape.primitives.primitive import PRIMITIVES
from symtape.programs.notation import evidence, functions, whole, words
from symtape.programs.notation.derivation import ArrayDerivation, ArrayForm
from symtape.programs.notation.evidence import Exact, PrintedForm, check_printed_form
from symtape.recording.structure import flatten
from verify.cli import cli

RNG = np.random.default_rng(0)
A, X, W = RNG.normal(size=(3, 4, 3))
x, c = RNG.normal(size=(2, 3))
b, p = RNG.normal(size=4), RNG.uniform(0.2, 0.8, size=4)
S = A.T @ A + np.eye(3)
STACK = RNG.normal(size=(2, 3, 3))
Y = np.eye(3)[[0, 1, 2, 0]]


def logistic(w, X, y):
    return np.mean(np.log1p(np.exp(-y * (X @ w))))


def poisson(w, X, y):
    return np.mean(np.exp(X @ w) - y * (X @ w))


def hinge(w, X, y):
    return np.mean(np.maximum(0, 1 - y * (X @ w))) + 0.5 * w @ w


def huber(r):
    return np.sum(np.where(np.abs(r) < 1, 0.5 * r**2, np.abs(r) - 0.5))


def attention(Q, K, V):
    return np.sum(special.softmax(Q @ K.T / 2, axis=1) @ V)


def cross_entropy(M, X, Y):
    return -np.mean(np.sum(Y * special.log_softmax(X @ M, axis=1), axis=1))


def gaussian(r, m, S):
    return -0.5 * (r - m) @ np.linalg.solve(S, r - m) - 0.5 * np.linalg.slogdet(S)[1]


def by_cholesky(r, m, S):
    factor = np.linalg.cholesky(S)
    scaled = linalg.solve_triangular(factor, r - m, lower=True)
    return -0.5 * scaled @ scaled - np.sum(np.log(np.diag(factor)))


def mixture(m, X):
    return np.sum(special.logsumexp(-np.sum((X[:, None, :] - m) ** 2, axis=2), axis=1))


def perceptron(V, b, w, x):
    hidden = np.tanh(V @ x + b)
    return (w @ hidden - 1) ** 2


ARRAYS = {
    "least squares": (lambda A, x, b: np.sum((A @ x - b) ** 2), A, x, b),
    "norm": (lambda A, x, b: np.linalg.norm(A @ x - b), A, x, b),
    "logistic": (logistic, x, A, np.sign(b)),
    "poisson": (poisson, x, A, np.abs(b)),
    "hinge": (hinge, x, A, np.sign(b)),
    "huber": (huber, b),
    "attention": (attention, A, X, W),
    "cross-entropy": (cross_entropy, S, A, Y),
    "gaussian": (gaussian, x, c, S),
    "mixture": (mixture, X[:2], A),
    "perceptron": (perceptron, A, b, b, x),
    "trace": (lambda A, B: np.trace(A @ B), A, X.T),
    "rayleigh": (lambda x: x @ S @ x / (x @ x), x),
    "cosine": (lambda x, c: x @ c / (np.linalg.norm(x) * np.linalg.norm(c)), x, c),
    "divergence": (lambda p: np.sum(p * np.log(p / 0.3)), p),
    "standardised": (lambda x: np.std(x) / np.mean(x), x),
    "extremes": (lambda x: np.max(x) - np.min(x), x),
    "determinant": (lambda S: np.linalg.det(S), S),
    "stack": (lambda B, x: np.sum((B @ x) ** 2), STACK, x),
    "stacked products": (lambda B: np.sum((B @ B) ** 2), STACK),
    "stacked inverses": (lambda B: np.sum(np.linalg.inv(B + 3 * np.eye(3))), STACK),
    "einsum": (lambda A, B: np.einsum("ij,kj->ik", A, B).sum(), A, X),
    "columns": (lambda A: np.sum(np.linalg.norm(A, axis=0)), A),
    "centred": (lambda A: np.sum((A - np.mean(A, axis=0, keepdims=True)) ** 2), A),
    "row of one": (lambda A: np.sum(A**2), np.ones((1, 3))),
    "broadcast": (lambda a, b: np.sum(a * b), np.ones((3, 1)), np.arange(3.0)[None]),
    "constants": (lambda x: np.sum((A @ x - b) ** 2) + 0.3 * np.sum(np.abs(x)), x),
    "power": (lambda x: np.sum(np.abs(x) ** 2.5), x),
    "float32": (lambda x: np.sum(0.1 * x**3), x.astype(np.float32)),
    "nothing": (lambda x: np.sum(x * 0), x),
    "empty": (lambda x: np.sum(x), np.zeros(0)),
    "closed over": (lambda x: np.sum(np.exp(-W @ x)), x),
}  # fmt: skip
"""Scalar functions whose value and gradient have a form."""

ENTRIES = {
    "slices": (optimize.rosen, x),
    "elements": (lambda x: x[0] * np.exp(x[1]), x),
    "joined": (lambda x: np.sum(np.concatenate([x, x**2]) ** 2), x),
    "sorted": (lambda x: np.sort(x)[0] * x[1], x),
    "rolled": (lambda x: np.roll(x, 1) @ x, x),
    "product": (lambda x: np.prod(x), x),
    "flattened": (lambda A: np.sum(A.reshape(2, 6) ** 2), A),
    "long loop": (lambda x: np.sum(_steps(x, 12)), x),
    "named as a function": (lambda exp: np.sum(np.exp(exp)), x),
}


def _steps(x, count):
    for _ in range(count):
        x = x + 0.1 * np.tanh(S @ x)
    return x


def lines(form):
    """The lets of a form and its parts, as they are printed, in Python's words."""
    printed = [line for line in str(form).split("\n") if line]
    return [line.split(" = ", 1) for line in printed[:-1]], printed[-1]


def in_numpy(derivation, form, point):
    """What NumPy makes of what is printed."""
    forms = derivation.forms
    scope = {**words.functions(), **forms.constants}
    scope |= zip(derivation.shadow.names, point, strict=True)
    lets, result = lines(form)
    for name, text in lets:
        scope[name] = eval(text, scope)
    found = eval(result, scope)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_printed_computes_the_derivative(name):
    function, *point = ARRAYS[name]
    derivation = symtape.derive(function, *point, order=1)
    assert derivation.uses_array_notation
    places = tuple(range(len(point)))
    (value,) = in_numpy(derivation, derivation.value, point)
    assert value == pytest.approx(function(*point), rel=1e-5, abs=1e-12)
    if None not in derivation.gradient.array_notation.parts:
        found = in_numpy(derivation, derivation.gradient, point)
        exact = symtape.grad(function, argnums=places)(*point)
        for one, other in zip(found, exact, strict=True):
            assert np.shape(one) == np.shape(other)
            assert one == pytest.approx(np.asarray(other), rel=1e-4, abs=1e-10)


@pytest.mark.parametrize("name", ARRAYS)
def test_every_form_is_well_formed(name):
    function, *point = ARRAYS[name]
    derivation = symtape.derive(function, *point)
    for form in (derivation.value, derivation.gradient):
        latex = form.latex()
        assert latex.count("{") == latex.count("}")
        assert latex.count(r"\left") == latex.count(r"\right")
        assert ET.fromstring(form.mathml()).tag.endswith("math")
    assert "in array notation, " in str(derivation)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENTRIES)
def test_what_has_no_form_is_printed_by_entries(name):
    function, *point = ENTRIES[name]
    plain = symtape.derive(function, *point, notation="entries", order=1)
    assert str(symtape.derive(function, *point, order=1)) == str(plain)
    wanted = symtape.derive(function, *point, notation="array", order=1)
    assert str(wanted.gradient) == str(plain.gradient)
    assert wanted.gradient.evidence is None


@pytest.mark.parametrize("name", ARRAYS)
def test_code_in_other_languages_is_that_of_the_entries(name):
    function, *point = ARRAYS[name]
    forms = [symtape.derive(function, *point, notation=n).gradient for n in ("array", "entries")]
    assert forms[0].code("julia") == forms[1].code("julia")


FORMS = {
    "-X.T @ (y*v1)/n": (logistic, (x, A, np.sign(b))),
    "inv(S).T": (lambda S: np.linalg.slogdet(S)[1], (S,)),
    "2*(x - mean(x))/n": (lambda x: np.var(x), (x,)),
    "A.T @ x + A @ x": (lambda x, A: x @ A @ x, (x, S)),
    "x - 0.5": (lambda x: np.sum(x**2 - x) / 2, (x,)),
    "B.T @ X.T": (lambda A, X, B: np.trace(A @ X @ B), (A, S, A.T)),
    "-v1": (by_cholesky, (x, c, S)),
    "v1 @ diag(1/eigvalsh(S)) @ v1.T": (lambda S: np.sum(np.log(np.linalg.eigvalsh(S))), (S,)),
}


@pytest.mark.parametrize("text", FORMS)
def test_forms_are_those_of_textbooks(text):
    function, point = FORMS[text]
    assert text in str(symtape.derive(function, *point, order=1)).partition("gradient")[2]


HESSIANS = {
    "2*A.T @ A": (lambda x: np.sum((A @ x - b) ** 2), x),
    "diag(1/p)": (lambda p: np.sum(p * np.log(p)), p),
    "S + S.T": (lambda x: x @ S @ x, x),
    "v1 = expit(A @ x)\nA.T @ diag((1 - v1)*v1) @ A": (
        lambda x: np.sum(np.logaddexp(0, A @ x)),
        x,
    ),
}


@pytest.mark.parametrize("text", HESSIANS)
def test_hessians(text):
    function, point = HESSIANS[text]
    form = symtape.derive(function, point, notation="array").hessian
    alike = {text, " + ".join(reversed(text.split(" + ")))}
    assert str(form) in alike
    exact = symtape.hessian(function)(point)
    (found,) = in_numpy(form.owner, form, (point,))
    assert found == pytest.approx(exact, rel=1e-9)


def test_jacobians():
    derivation = symtape.derive(lambda A, x: np.tanh(A @ x), A, x)
    assert "df/dx = (1 - tanh(A @ x)**2)[:, None]*A" in str(derivation)
    assert "df/dA: by entries" in str(derivation)
    assert str(symtape.derive(lambda x: special.softmax(x), x).jacobian).startswith(
        "diag(softmax(x))"
    )


def test_names_are_the_users():
    def loss(w):
        residual = A @ w - b
        return residual @ residual / np.linalg.norm(residual)

    text = str(symtape.derive(loss, x, order=1))
    assert "residual = A @ w - b" in text
    assert "for w of shape (3,)" in text


def test_sizes_are_letters_only_where_the_recording_knows_them():
    named = symtape.derive(lambda n, w: np.mean(n * w), x, c, order=1)
    assert "with d = " in str(named)
    assert str(symtape.derive(lambda p: np.sum(p**3) / len(p), p).gradient) == "0.75*p**2"


def test_what_reads_a_half_says_so_and_knows_no_other_points():
    derivation = symtape.derive(by_cholesky, x, c, S)
    assert derivation.where == ["S == S.T"]
    assert "tril" in str(derivation.gradient)
    skew = S + np.triu(np.ones((3, 3)), 1)
    assert "S == S.T" not in symtape.derive(by_cholesky, x, c, skew).where


def test_functions_without_formulas_of_entries_have_forms():
    derivation = symtape.derive(lambda S: np.sum(np.linalg.eigvalsh(S) ** 2), S)
    assert "eigvecsh(S)" in str(derivation)
    assert "eigh(S" in derivation.gradient.code()
    with pytest.raises(symtape.errors.Unsupported, match="closed form"):
        derivation.gradient.code("julia")
    with pytest.raises(symtape.errors.Unsupported, match="closed form"):
        symtape.derive(lambda S: np.sum(np.linalg.eigvalsh(S)), S, notation="entries")


LIES = [
    ("A.T", "A"), ("@ (", "@ -("), ("2*", "3*"), (" - b", " + b"), ("2*", ""), ("A.T @", "-A.T @"),
    ("2*A.T @ (A @ x - b)", "zeros(3)"), ("2*", "2.0000000001*"), ("- b", "- sum(b)/4"),
    ("2*A.T @ (A @ x - b)", "unknown"), ("2*A.T @ (A @ x - b)", "2*A.T @"),
    ("2*A.T @ (A @ x - b)", "2*A.T @ A @ (x - 1)"),
]  # fmt: skip


def exactly(derivation, title):
    form = getattr(derivation, title)
    return Exact(title, derivation.shadow.graph, derivation.shadow, lambda: flatten(form.tree))


@pytest.mark.parametrize(("old", "new"), LIES)
def test_lies_are_not_printed(old, new):
    derivation = symtape.derive(lambda x: np.sum((A @ x - b) ** 2), x)
    truth = str(derivation.gradient)
    assert old in truth
    honest = PrintedForm(["x"], derivation.forms.constants, [], [truth], [(3,)])
    exact = exactly(derivation, "gradient")
    assert check_printed_form(honest, exact, (x,), ()) is not None
    lie = dataclasses.replace(honest, parts=[truth.replace(old, new)])
    assert check_printed_form(lie, exact, (x,), ()) is None


def test_a_wrong_rule_is_not_printed(monkeypatch):
    monkeypatch.setitem(functions.SLOPES, "tanh", ("tanh(x)",))
    derivation = symtape.derive(lambda x: np.sum(np.tanh(x)), x)
    assert not derivation.uses_array_notation
    assert "df/dx[0] = 1 - tanh(x[0])**2" in str(derivation)


def test_evidence_is_the_weakest_of_what_is_shown():
    assert str(symtape.derive(lambda x: x @ x, x).evidence) == "proved at these shapes"
    found = str(symtape.derive(lambda Z: np.sum(special.logsumexp(Z, axis=1)), A).evidence)
    assert found.startswith(f"certified at {evidence._POINTS} points to 2^-")
    assert symtape.derive(optimize.rosen, x).evidence is None


POINTS = {"arccosh": 1 + p, "log_expit": x, "gammaln": 1 + p, "gamma": 1 + p}
STEPS = {"floor", "ceil", "sign"}
TRUTHS = {name for name, word in words.ELEMENTWISE.items() if name.startswith("logical")}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(functions.SLOPES) - words.COMPARISONS - TRUTHS - STEPS))
def test_every_slope_gives_a_form(name):
    row = PRIMITIVES[name]
    point = POINTS.get(name, p)
    others = [p[::-1] + 0.5] * (len(row.inputs) - 1)
    function = words.ELEMENTWISE[name].function

    def total(u, *rest):
        return np.sum(function(u > 0.5, u, *rest[1:]) if name == "where" else function(u, *rest))

    derivation = symtape.derive(total, point, *others, order=1)
    assert derivation.uses_array_notation
    assert derivation.gradient.evidence is not None


WHOLE = {
    "max": lambda M: np.max(M, axis=1), "min": lambda M: np.min(M, axis=0),
    "norm": lambda M: np.linalg.norm(M, axis=1), "mean": lambda M: np.mean(M, axis=1),
    "logsumexp": lambda M: special.logsumexp(M, axis=0), "var": lambda M: np.var(M, axis=0),
    "std": lambda M: np.std(M, axis=1, ddof=1), "softmax": lambda M: special.softmax(M, axis=1),
    "log_softmax": lambda M: special.log_softmax(M, axis=0), "inv": np.linalg.inv,
    "det": np.linalg.det, "logdet": lambda M: np.linalg.slogdet(M)[1],
    "cholesky": np.linalg.cholesky, "eigenvalues": np.linalg.eigvalsh,
}  # fmt: skip


@pytest.mark.parametrize("name", whole.PULLS)
def test_every_function_of_whole_arrays_has_a_form(name):
    derivation = symtape.derive(lambda S: np.sum(WHOLE[name](S) ** 2), S, order=1)
    assert derivation.uses_array_notation
    assert derivation.gradient.evidence is not None


def test_every_word_is_a_function_of_its_module():
    for word in (*words.ELEMENTWISE.values(), *words.WHOLE.values()):
        assert not word.text.isidentifier() or callable(word.function)


STEPS_OF_PROGRAMS = [
    lambda u, v: A @ u, lambda u, v: A.T @ v, lambda u, v: u * c, lambda u, v: np.exp(0.1 * u),
    lambda u, v: u / (2 + v @ v), lambda u, v: S @ u + c, lambda u, v: np.outer(u, c) @ u,
    lambda u, v: u - np.mean(u), lambda u, v: np.tanh(v[:, None] * A).sum(axis=0),
    lambda u, v: np.linalg.solve(S, u), lambda u, v: special.softmax(u) * np.sum(v),
    lambda u, v: (A * c) @ u, lambda u, v: np.einsum("ij,i->j", A, v) + u,
]  # fmt: skip


@pytest.mark.long
@settings(max_examples=25)
@given(st.lists(st.sampled_from(range(len(STEPS_OF_PROGRAMS))), min_size=1, max_size=3))
def test_random_programs_are_true_or_by_entries(program):
    def function(x):
        u, v = x, A @ x
        for k in program:
            made = STEPS_OF_PROGRAMS[k](u, v)
            u, v = (made, v) if made.shape == (3,) else (u, made)
        return np.sum(u * c) + v @ v

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        derivation = symtape.derive(function, x, order=1)
        text = str(derivation)
    if derivation.uses_array_notation:
        assert isinstance(derivation.gradient, ArrayForm)
        (found,) = in_numpy(derivation, derivation.gradient, (x,))
        assert found == pytest.approx(symtape.grad(function)(x), rel=1e-9)
    else:
        assert "df/dx[0]" in text or "function/dx[0]" in text


def test_scalars_are_printed_as_ever():
    assert not isinstance(symtape.derive(lambda x, y: x * y, 1.0, 2.0), ArrayDerivation)


def test_large_arrays_derive_no_hessian_to_be_printed():
    M, m = RNG.normal(size=(60, 20)), RNG.normal(size=60)
    derivation = symtape.derive(lambda w: np.sum(np.logaddexp(0, -m * (M @ w))), np.ones(20))
    before = len(derivation.shadow.program)
    text = str(derivation)
    assert "20 x 20; print .hessian to see it" in text
    assert len(derivation.shadow.program) < 3 * before


def test_notations_are_checked():
    with pytest.raises(ValueError, match="notation='matrix': expected one of array, entries"):
        symtape.derive(np.sum, x, notation="matrix")


@pytest.mark.long
def test_the_command_takes_a_notation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loss.py").write_text("def loss(x):\n    return (x * x).sum()\n")
    command = ["derive", "loss.py:loss", "--at", "[1.0, 2.0]", "--notation", "entries"]
    assert "[2*x[0], 2*x[1]]" in CliRunner().invoke(cli, command).stdout
