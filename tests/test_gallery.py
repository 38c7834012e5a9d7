"""Each page of the gallery runs, finds the mistake that it is about, and draws a picture."""

import re
import runpy
from pathlib import Path

import matplotlib as mpl
import pytest

import verify

GALLERY = Path(__file__).parents[1] / "examples" / "gallery"
FOUND = {
    "gaussian_process": "the factor that exp contributes by the chain rule is missing",
    "hessian": "only the diagonal is filled",
    "jax_custom_vjp": "the rule of swish is wrong: the term through expit lacks the factor x",
    "jvp": "jvp[1] is 0.0; the exact value is -0.1111111",
    "log1mexp": "the formula is right in exact arithmetic, but the float value is off",
    "logistic_score": "1 of 4 entries is wrong: the sign is flipped",
    "matrix_function": "transposed",
    "ode_sensitivity": "the gradient is 0.01973981; the exact value is 0.3425437",
    "relu_kink": "the claim, 2, is not admissible",
    "scipy_jacobian": "1 of 4 entries is wrong: the sign is flipped",
    "sparse_jacobian": "the factor that exp contributes by the chain rule is missing",
    "spectrum": "6 times too small",
    "spline": "1.5 times too large",
    "torch_function": "the sum over what it was broadcast to is missing",
    "where_nan": "rule out   over=verify.box(-2.0, 2.0).away_from(0.0)",
}


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """The figures that a page draws: those of pyplot, and of results."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    mpl.use("agg")
    import matplotlib.pyplot as plt

    figures = []
    plot = verify.Result.plot
    monkeypatch.setattr(verify.Result, "plot", lambda result: figures.append(plot(result)))
    with mpl.rc_context():
        yield lambda: len(figures) + len(plt.get_fignums())
    plt.close("all")


def test_every_page_is_in_the_table():
    assert sorted(FOUND) == sorted(page.stem for page in GALLERY.glob("*.py"))


@pytest.mark.parametrize("name", FOUND)
def test_a_page_finds_its_mistake_and_draws_it(name, drawn, capsys):
    page = GALLERY / f"{name}.py"
    for framework in ("jax", "torch"):
        if re.search(rf"^import {framework}$", page.read_text(), re.MULTILINE):
            pytest.importorskip(framework)
    runpy.run_path(str(page))
    printed = capsys.readouterr().out
    assert FOUND[name] in printed
    assert re.search(r"^CORRECT|passes: True", printed, re.MULTILINE)
    assert drawn() == 1
