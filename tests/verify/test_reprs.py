"""What a prompt and a notebook show of every public result."""

import html
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import symtape
import verify
from verify.reporting import Report
from verify.reporting.comparison.compare import compare
from verify.reporting.of_results import report_of

LONG = "a_function_with_" + "very_" * 60 + "long_name"


def damped(t):
    return np.exp(-t) * np.sin(t)


def velocity(t):
    return np.exp(-t) * np.cos(t) + np.exp(-t) * np.sin(t)


def scaled(w, x):
    return np.sum(np.tanh(w @ x) ** 2)


def shapeless(x):
    return {"not": "an array"}


WEIGHTS, POINT = np.linspace(-1, 1, 600).reshape(20, 30), np.linspace(0, 1, 30)


def results():
    yield verify.gradient(damped, velocity, over=[0, 3])
    yield verify.gradient(damped, over=[0, 3])
    yield verify.gradient(damped, velocity, at=[0.5, 2.0])
    yield verify.gradient(scaled, at=[(WEIGHTS, POINT)])
    yield verify.gradient(np.abs, at=[0.0])
    yield verify.gradient(np.log, at=[-1.0])
    yield verify.gradient(damped, shapeless, at=[0.5])
    yield verify.gradient(damped, velocity, at=[0.5], evidence="sampled")
    for quantity in ("jacobian", "vjp", "jvp"):
        yield verify.derivative(quantity, lambda x: WEIGHTS @ x, at=[POINT])
    for quantity in ("hessian", "hvp"):
        yield verify.derivative(quantity, lambda x: np.sum(x**3), at=[POINT[:5]])


def parts_of(result):
    point = result.worst
    yield from (result, point, result.coverage, result.survey, result.evidence, result.case)
    yield from (point.inputs[0], point.worst, point.claimed, point.enclosure, point.kink)
    yield from (result.sampled, result.accuracy, *result.remedies)


def reported():
    report = report_of([verify.gradient(damped, velocity, over=[0, 3])], "a title")
    (case,) = report.cases
    yield from (report, case, case.source, case.claim, case.accuracy, *case.closed_forms)
    yield from (*case.remedies, *case.path, compare([report, report]))
    yield from (*report.not_judged, Report(LONG, (), "", {}, 0, ()))


def engines():
    for function, args in ((scaled, (WEIGHTS, POINT)), (damped, (1.0,))):
        graph = symtape.record(function, *args)
        yield from (graph, symtape.differentiate(graph), *graph.nodes[:40])
        derivation = symtape.derive(function, *args)
        yield from (derivation, derivation.value, derivation.gradient)
        yield from (f(function) for f in (symtape.compile, symtape.jit, symtape.grad))
    with symtape.GradientTape(persistent=True) as tape:
        x = symtape.Variable(WEIGHTS, name="weights")
        yield from (tape, x, x * x, x[0, :3], x.numpy() is not None)
    yield from (tape, symtape.constant(1.0), symtape.constant(np.arange(90.0)))
    yield symtape.Budget(seconds=3)


def regions():
    bounds = np.linspace(0, 1, 200)
    spaces = verify.box(bounds, bounds + 1), verify.box(-1, 1, shape=(3,))
    yield from spaces
    yield from (space.away_from(0.0) for space in spaces)
    yield spaces[1].where(lambda x: x[0] != x[1], "apart " * 60)
    yield from (verify.positive(shape=(3,)), verify.integers(0, 5), verify.simplex(3))
    yield from (verify.symmetric(3), verify.positive_definite(3), verify.product(*spaces))
    yield verify.broadcasting(*[verify.box(0, 1, shape=(3,))] * 2)


SOURCES = [results, reported, engines, regions]


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_a_repr_is_one_short_line(source):
    for value in source():
        for part in parts_of(value) if isinstance(value, verify.Result) else [value]:
            assert len(repr(part)) < 200, part
            assert "\n" not in repr(part), part


@pytest.mark.long
def test_a_long_repr_is_cut():
    region = verify.box(0, 1).where(lambda x: x > 0, LONG)
    shown = repr(verify.gradient(np.sin, over=region))
    assert len(shown) < 200
    assert shown.endswith("…>")


def test_a_result_says_what_is_wrong_and_where():
    shown = repr(verify.gradient(damped, velocity, at=[0.5, 2.0]))
    assert re.fullmatch(
        r"<Result WRONG: gradient of damped at t = 0\.5, .*test_reprs.py:\d+; "
        r"the gradient is 0\.823067; the exact value is 0\.2414944>",
        shown,
    )


@pytest.mark.long
def test_a_notebook_shows_the_case_with_its_plots():
    framed = verify.gradient(damped, velocity, over=[0, 3])._repr_html_()
    page = html.unescape(re.search('srcdoc="([^"]*)"', framed)[1])
    assert page.count('<details class="case v-WRONG"') == 1
    assert page.count('<svg xmlns="http://www.w3.org/2000/svg"') >= 1
    assert "How to read this" not in page


@pytest.mark.parametrize(
    ("function", "args", "lines"),
    [
        (lambda w, x: np.sum(np.exp(w @ x)), (WEIGHTS, POINT), 2),
        (lambda x: x * np.sin(x), (1.0,), 3),
        (lambda x: np.exp(x), (POINT,), 2),
    ],
)
def test_a_notebook_typesets_a_derivation(function, args, lines):
    shown = symtape.derive(function, *args)._repr_latex_()
    assert len(shown) < 4_100
    assert shown.count("&=") == lines
    assert shown.count("{") == shown.count("}")


def test_many_entries_are_not_typeset():
    hessian = symtape.derive(lambda x: np.sum(x[1:] * x[:-1] ** 2), POINT).hessian
    assert hessian._repr_latex_() is None


def test_a_result_writes_its_own_report(tmp_path):
    result = verify.gradient(damped, velocity, at=[0.5, 2.0])
    for ending in (".html", ".json", ".md", ".xml", ".txt"):
        file = result.report(tmp_path / f"x{ending}")
        assert file.stat().st_size > 0, ending
    kept = json.loads((tmp_path / "x.json").read_text())
    assert [case["id"] for case in kept["cases"]] == ["damped"]
    assert result.to_dict() == json.loads(result.to_json())


def test_several_results_share_a_report(tmp_path):
    results = [verify.gradient(f, at=[0.5]) for f in (damped, np.sin)]
    page = verify.report(results, tmp_path / "x.html", title="Two functions").read_text()
    assert page.count('<details class="case v-') == 2
    assert "<h1>Two functions</h1>" in page
    ElementTree.parse(verify.report(results, tmp_path / "x.xml"))


@pytest.mark.parametrize(
    ("results", "name", "words"),
    [
        ([], "x.pdf", "'x.pdf' has no ending of a report; expected one of .json, .xml"),
        ([1], "x.html", "verify.report needs a list of results, such as verify.gradient returns"),
    ],
)
def test_what_is_no_report_is_refused(results, name, words, tmp_path):
    with pytest.raises(verify.errors.UsageError, match=re.escape(words)):
        verify.report(results, tmp_path / name)


def test_a_plot_shows_which_entries_are_wrong():
    exact = np.diag([2.0, 4.0])

    def jac(x):
        return np.where(exact > 3, -1, 1) * np.diag(2 * x)

    drawn = verify.jacobian(lambda x: x**2, jac, at=[[1.0, 2.0]]).plot()
    assert drawn.get_suptitle() == "jacobian: 1 of 4 entries is wrong"
    (crosses,) = drawn.axes[0].lines
    assert crosses.get_xydata().tolist() == [[1.0, 1.0]]
    assert drawn._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize(("arguments", "parts"), [(([1.0, 2.0],), 1), (([1.0, 2.0], 3.0), 4)])
def test_a_plot_of_a_hessian_has_a_picture_for_each_pair_of_arguments(arguments, parts):
    def energy(x, y=1.0):
        return np.sum(x**3) * y**2

    exact = symtape.hessian(energy, argnums=tuple(range(len(arguments))))

    def halved(*x):
        return tuple(tuple(block / 2 for block in row) for row in exact(*x))

    drawn = verify.hessian(energy, halved, at=[arguments]).plot()
    assert len(drawn.axes) == parts + 1  # and the colours


@pytest.mark.long
def test_a_plot_of_a_search_shows_the_error_over_the_region():
    drawn = verify.gradient(damped, velocity, over=[0, 3]).plot()
    (axes,) = drawn.axes
    assert axes.get_xlabel() == "t"
    assert axes.lines[0].get_ydata().max() > 1e10
