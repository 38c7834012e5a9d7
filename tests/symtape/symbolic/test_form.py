"""Forms: text, LaTeX, MathML and code, of every shape; code that computes what the form says."""

import ctypes
import json
import shutil
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import sympy as sp
from scipy import special

import symtape
from symtape.errors import Unsupported
from symtape.symbolic.languages import LANGUAGES
from symtape.symbolic.precise import enclose

X, W = np.array([0.5, -0.75]), np.array([[0.1, 0.2], [0.3, 0.4]])


def mixed(x, w):
    inner = np.tanh(w @ x)
    return (
        np.sum(inner**2)
        + np.sqrt(0.1 + x[0] ** 2) * np.exp(-x[1]) / 3
        + np.abs(x[1]) ** 1.5
        + np.arctan2(x[0], x[1]) * 1e-3
        + 12345678901234.0 * w[0, 0]
        + np.sign(x[0]) * np.log(2 + x[0])
    )


def chain(x):
    for _ in range(60):
        x = np.sin(x) * x + 0.1
    return x


def big(x):
    return chain(x[0]) + x[1] ** 2


CASES = {
    "scalar": (symtape.derive(lambda x: x**2 / 3, 2.0), "value"),
    "scalar gradient": (symtape.derive(lambda x: np.exp(-x), 2.0), "gradient"),
    "vector": (symtape.derive(lambda x: np.sin(x), X), "value"),
    "matrix": (symtape.derive(lambda x: np.outer(x, x), X), "value"),
    "cube": (symtape.derive(lambda x: np.outer(x, x), X), "jacobian"),
    "several": (symtape.derive(mixed, X, W), "gradient"),
    "blocks": (symtape.derive(lambda x, y: x**2 * y, 2.0, 3.0), "hessian"),
    "straight line": (symtape.derive(chain, 0.5), "gradient"),
    "straight line vector": (symtape.derive(big, X), "gradient"),
    "empty": (symtape.derive(lambda x: x * 2, np.zeros(0)), "value"),
    "constant": (symtape.derive(lambda x: x * 0 + 1, 2.0), "gradient"),
}
FORMS = {name: getattr(derivation, what) for name, (derivation, what) in CASES.items()}
POINTS = {
    "several": (X, W), "scalar": (2.0,), "scalar gradient": (2.0,), "vector": (X,), "matrix": (X,),
    "cube": (X,), "blocks": (2.0, 3.0), "straight line": (0.5,), "straight line vector": (X,),
    "empty": (np.zeros(0),), "constant": (2.0,),
}  # fmt: skip


def exact(form, point):
    flat = np.array([at for part in form.parts for at in part.ravel()], dtype=int)
    return [float(b) for b in enclose(form.shadow.program, flat, point, 200)]


def flattened(value):
    if isinstance(value, tuple | list):
        return [x for part in value for x in flattened(part)]
    return np.ravel(value).tolist()


@pytest.mark.parametrize("name", FORMS)
def test_lambdify_computes_the_form(name):
    result = FORMS[name].lambdify()(*POINTS[name])
    assert flattened(result) == pytest.approx(exact(FORMS[name], POINTS[name]), rel=1e-11)
    tree = FORMS[name].tree
    if not isinstance(tree, tuple):
        assert np.shape(result) == tree.shape


@pytest.mark.parametrize("name", FORMS)
def test_every_notation_is_well_formed(name):
    form = FORMS[name]
    latex = form.latex()
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\left") == latex.count(r"\right")
    root = ET.fromstring(form.mathml())
    assert root.tag == "{http://www.w3.org/1998/Math/MathML}math"
    assert "ue000" not in ascii(form.mathml() + latex + str(form))
    assert form.straight_line == ("straight" in name)
    assert (" = " in str(form)) == form.straight_line


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", FORMS)
def test_every_language_writes_every_shape(name, language):
    code = FORMS[name].code(language, name="formula")
    assert "formula" in code
    assert not {"None", "zoo", "Decimal", "ue000"} & set(ascii(code).replace("\\", " ").split())
    assert all(code.count(a) == code.count(b) for a, b in ("()", "[]", "{}"))


@pytest.mark.parametrize("language", ["python", "numpy"])
@pytest.mark.parametrize("name", FORMS)
def test_python_code_computes_the_form(name, language):
    names = {}
    exec(FORMS[name].code(language), names)
    got = names[FORMS[name].title](*POINTS[name])
    assert flattened(got) == pytest.approx(exact(FORMS[name], POINTS[name]), rel=1e-11)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("name", ["several", "straight line vector", "cube"])
def test_c_code_computes_the_form(name, tmp_path):
    form = FORMS[name]
    source, library = tmp_path / "form.c", tmp_path / "form.so"
    source.write_text(form.code("c"))
    flags = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-shared", "-fPIC", "-O0"]
    subprocess.run(["gcc", *flags, "-o", library, source, "-lm"], check=True)
    pointers = [np.ascontiguousarray(p) for p in POINTS[name]]
    outs = [np.zeros(part.shape) for part in form.parts]
    getattr(ctypes.CDLL(str(library)), form.title)(
        *(ctypes.c_void_p(a.ctypes.data) for a in [*pointers, *outs])
    )
    assert flattened(outs) == pytest.approx(exact(form, POINTS[name]), rel=1e-11)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_javascript_code_computes_the_form():
    form, point = FORMS["several"], POINTS["several"]
    arguments = ", ".join(json.dumps(p.tolist()) for p in point)
    script = f"{form.code('js')}\nconsole.log(JSON.stringify(gradient({arguments})))"
    answer = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    assert flattened(json.loads(answer.stdout)) == pytest.approx(exact(form, point), rel=1e-11)


RUST = {
    (lambda x: 2 * (1 - np.tanh(x) ** 2) * np.tanh(x)): "v1*(2.0 - 2.0*v1.powi(2))",
    (lambda x: 1 / (3 * x)): "(1_f64/3.0)/x",
    (lambda x: np.sqrt(x + 1) ** 3): "(x + 1.0).powf(3_f64/2.0)",
    (lambda x: (x + 0.1) ** -2): "(x + 0.1_f64).powi(-2)",
}


@pytest.mark.parametrize("function", RUST)
def test_rust_keeps_its_parentheses(function):
    code = symtape.derive(function, 0.5).value.code("rust")
    assert RUST[function] in code


def test_indices_follow_the_language():
    form = symtape.derive(lambda w: w[1, 0] * w[0, 1], W).value
    written = {"c": "w[2]", "julia": "w[2, 1]", "fortran": "w(2, 1)", "rust": "w[1][0]"}
    for language, text in written.items():
        assert text in form.code(language)


def test_words_of_the_language_are_avoided():
    code = symtape.derive(lambda double: double**2, 2.0).value.code("c")
    assert "double double_" in code
    with pytest.raises(Unsupported, match="ignores case"):
        symtape.derive(lambda x, X: x * X, 1.0, 2.0).value.code("fortran")


def test_a_function_that_a_language_lacks_is_unsupported():
    form = symtape.derive(lambda x: special.digamma(x), 2.0).value
    with pytest.raises(Unsupported, match=r"JavaScript has no function"):
        form.code("js")
    assert form.lambdify()(2.0) == pytest.approx(special.digamma(2.0), rel=1e-14)


SPECIAL = {
    "inverse of erf": (special.erfinv, 0.3),
    "inverse of erfc": (special.erfcinv, 0.3),
    "imaginary erf": (special.erfi, 0.3),
    "Dawson": (special.dawsn, 0.3),
    "exponential integral": (special.exp1, 0.7),
    "inverse of the normal": (special.ndtri, 0.3),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_functions_that_sympy_does_not_print_come_from_scipy(name):
    function, x = SPECIAL[name]
    derivation = symtape.derive(lambda x: function(x), x)
    for form in (derivation.value, derivation.gradient):
        assert form.lambdify()(x) == pytest.approx(exact(form, (x,))[0], rel=1e-12)


LACKING = [
    ("fortran", special.gammaln, "log_gamma(x)"),
    ("fortran", special.erfc, "erfc(x)"),
    ("fortran", np.arcsinh, "asinh(x)"),
    ("fortran", lambda x: np.fmod(x, 3.0), "real(floor("),
    ("julia", special.gammaln, "using SpecialFunctions"),
    ("julia", special.expi, "expinti(x)"),
    ("rust", np.sinc, "sin()"),
]


@pytest.mark.parametrize(("language", "function", "text"), LACKING)
def test_the_table_has_what_a_printer_lacks(language, function, text):
    assert text in symtape.derive(lambda x: function(x), 0.5).value.code(language)


def test_julia_uses_no_package_where_it_needs_none():
    assert "using" not in symtape.derive(lambda x: np.exp(x) * x, 0.5).value.code("julia")


@pytest.mark.skipif(shutil.which("rustc") is None, reason="needs a Rust compiler")
def test_rust_code_computes_what_its_table_says(tmp_path):
    form = symtape.derive(lambda x: np.sinc(x) + np.fmod(x, 3.0) + np.sign(x) * x, 7.25).value
    source = tmp_path / "form.rs"
    main = 'fn main() { println!("{:e}", value(7.25)); }'
    source.write_text(f"{form.code('rust')}\n{main}\n")
    subprocess.run(["rustc", "-o", tmp_path / "form", source], check=True, capture_output=True)
    answer = subprocess.run([tmp_path / "form"], check=True, capture_output=True, text=True)
    assert float(answer.stdout) == pytest.approx(exact(form, (7.25,))[0], rel=1e-11)


def test_unknown_languages_are_listed():
    with pytest.raises(ValueError, match=r"cobol.*numpy, jax, torch, c, python, julia"):
        FORMS["scalar"].code("cobol")


def test_lambdify_checks_its_arguments():
    gradient = FORMS["several"].lambdify()
    with pytest.raises(ValueError, match=r"x has shape \(3,\), expected \(2,\)"):
        gradient(np.zeros(3), W)
    with pytest.raises(TypeError, match="takes 2 arguments, got 1"):
        gradient(X)


def test_sympy_objects():
    x, y = sp.symbols("x y", real=True)
    form = symtape.derive(lambda x, y: x**2 * np.sin(y), 1.0, 2.0)
    assert form.gradient.sympy == (2 * x * sp.sin(y), x**2 * sp.cos(y))
    assert FORMS["matrix"].sympy.shape == (2, 2)
    assert FORMS["cube"].sympy.shape == (2, 2, 2)
    with pytest.raises(ValueError, match="lambdify"):
        _ = FORMS["straight line"].sympy


@pytest.mark.long
def test_a_very_long_text_is_cut():
    def long(x):
        for _ in range(1000):
            x = np.sin(x) * x + 0.1
        return x

    derivation = symtape.derive(long, 0.5)
    text = str(derivation.gradient)
    assert "more lines" in text
    assert len(text.splitlines()) <= 401
    assert len(str(derivation).splitlines()) < 60
    assert len(derivation.gradient.code().splitlines()) > 2000
    assert np.isfinite(derivation.gradient.lambdify()(0.5))
