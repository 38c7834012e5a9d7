"""Programs of findings: they print what the page says, computed as the page's numbers were."""

from __future__ import annotations

import importlib.metadata
import warnings
from pathlib import Path

import numpy as np
import pytest

from verify.auditing.libraries.claimants import CLAIMANTS, claimant
from verify.auditing.libraries.formats import FORMATS
from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.libraries.measuring import measure
from verify.auditing.libraries.reproducing import (
    COPIES,
    agrees,
    capture_output,
    literal,
    reproduce,
    shortest,
)
from verify.model.outcome import Float
from verify.reporting import load

ROOT = Path(__file__).parents[4]
AUDITS = sorted((ROOT / "reports" / "audits").glob("*/*.json"))
SHOWN = 12
"""Programs of each report that are run: they are of the gravest findings."""


def installed(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(name, reason=f"{name} is not installed")
    return claimant(name)


def told(case):
    """What the program of a case is said to print, and the program."""
    program, _, comment = case.remedies[0].line.rpartition("\n# prints ")
    return program, comment.partition(";")[0]


@pytest.mark.slow
@pytest.mark.parametrize("file", AUDITS, ids=lambda file: file.stem)
def test_the_programs_of_the_reports_print_what_the_reports_say(file):
    audit, name = load(file), file.stem
    installed(name)
    if importlib.metadata.version(name) != audit.versions[name]:
        pytest.skip(f"the report is of {name} {audit.versions[name]}")
    faults = [case for case in audit.cases_by_gravity if case.fails]
    for case in faults[:SHOWN]:
        program, comment = told(case)
        again, said = (float(it.split()[-1]) for it in (capture_output(program), comment))
        # Another processor may round differently, and move the value by as much as it is off.
        off = abs(said - float(case.points[0].enclosure.lower))
        same = np.array_equal(again, said, equal_nan=True)
        assert same or abs(again - said) <= off, (case.id, again, said)


@pytest.mark.release
@pytest.mark.parametrize("file", AUDITS, ids=lambda file: file.stem)
def test_the_programs_of_the_reports_are_those_of_today(file):
    library = CLAIMANTS[file.stem]()
    faults = [case for case in load(file).cases if case.fails]
    assert faults
    for case in faults:
        function, derivative, form = case.id.partition(":")[2].split(" ")
        row = FUNCTIONS[function]
        [wrt] = [
            by
            for order in (1, 2)
            for by in row.derivatives(order)
            if row.derivative_name(by) == derivative
        ]
        point = [literal(shortest(FORMATS[form], x.values[0])) for x in case.points[0].inputs]
        programs = [
            library.reproducer(case.title, point, wrt, form, copies) for copies in (1, COPIES)
        ]
        assert told(case)[0] in programs


@pytest.mark.parametrize("file", AUDITS, ids=lambda file: file.stem)
def test_a_report_never_contradicts_its_programs(file):
    for case in load(file).cases:
        if not case.fails:
            continue
        claimed, form = case.points[0].claimed, FORMATS[case.id.rpartition(" ")[2]]
        said = f"; among many numbers at once, as it was measured, it is {claimed.decimal}"
        assert agrees(told(case)[1], claimed, form) != (said in case.remedies[0].line)


MEASURED = {"jax": "sigmoid", "torch": "tanh", "autograd": "expm1", "symtape": "sinc"}


@pytest.mark.parametrize("name", CLAIMANTS)
@pytest.mark.parametrize("form", ["float64", "float32"])
def test_a_program_computes_what_was_measured(name, form):
    library, function = installed(name), FUNCTIONS[MEASURED[name]]
    found = measure(library, function, (0,), form, 100, 0)
    if name != "symtape":
        assert found.fails
    for point in found.points[:1] if found.fails else ():
        text = told(found)[1]
        assert agrees(text, point.claimed, FORMATS[form]), (text, point)
        at = [np.array([float.fromhex(x.hex[0])]) for x in point.inputs]
        with np.errstate(all="ignore"):
            _, [alone] = library.answer(found.title, at, (0,), form)
        assert agrees(text, Float.from_number(alone), FORMATS[form])


def test_what_jax_computes_under_jit_is_shown_under_jit():
    program = CLAIMANTS["jax"]().reproducer("jnp.tanh(x)", ["20.0"], (0, 0), "float32", 1)
    assert "jax.jit(jax.grad(jax.grad(lambda x: jnp.tanh(x))))" in program
    assert "jax_enable_x64" not in program


class Echo:
    """A claimant whose programs print a number for each input."""

    def __init__(self, answers, among_many=None):
        self.answers, self.among_many = answers, among_many or answers

    def reproducer(self, expression, point, wrt, form, copies):
        answers = self.answers if copies == 1 else self.among_many
        return f"print({answers[float(point[0])]!r})"


def test_a_number_that_is_the_same_alone_is_shown_before_others(made_point):
    at = [made_point(x, 2.0) for x in (1.0, 2.0, 3.0)]
    [form] = [FORMATS["float64"]]
    first, _, text = reproduce(Echo({1.0: 2.5, 2.0: 2.0, 3.0: 2.0}), "f", (0,), form, at)
    assert (first, text) == (at[1], "2.0")
    first, _, text = reproduce(Echo({1.0: 1.0, 2.0: 2.5, 3.0: 1.0}), "f", (0,), form, at)
    assert (first, text) == (at[1], "2.5")
    first, _, text = reproduce(Echo({1.0: "?", 2.0: "?", 3.0: "?"}), "f", (0,), form, at)
    assert (first, text) == (at[0], "?")


def test_a_number_that_is_the_same_only_among_many_is_shown_among_many(made_point):
    at = [made_point(x, 2.0) for x in (1.0, 2.0)]
    echo = Echo({1.0: 2.5, 2.0: 2.5}, {1.0: 2.25, 2.0: 2.0})
    first, _, text = reproduce(echo, "f", (0,), FORMATS["float64"], at)
    assert (first, text) == (at[1], "2.0")


@pytest.mark.parametrize("name", CLAIMANTS)
@pytest.mark.parametrize(("wrt", "exact"), [((1,), 9.0), ((0, 1), 6.0), ((0, 0), 10.0)])
def test_a_number_alone_and_among_many_have_the_same_derivative(name, wrt, exact):
    library = installed(name)
    for copies in (1, 8):
        program = library.reproducer("x * x * y", ["3.0", "5.0"], wrt, "float64", copies)
        assert float(capture_output(program)) == exact, program


def test_an_error_is_no_number():
    text = capture_output("raise ValueError('nan')")
    assert text == "ValueError: nan"
    assert not agrees("ValueError: here", Float.from_number(float("nan")), FORMATS["float64"])
