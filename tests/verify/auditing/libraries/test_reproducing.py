"""Programs of findings: they print what the page says, computed as the page's numbers were."""

from __future__ import annotations

import importlib.metadata
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from verify.auditing.libraries.as_json import read
from verify.auditing.libraries.as_markdown import issue, worst_of
from verify.auditing.libraries.claimants import CLAIMANTS, claimant
from verify.auditing.libraries.entries import name_of
from verify.auditing.libraries.formats import FORMATS
from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.libraries.measuring import measure
from verify.auditing.libraries.reproducing import COPIES, agrees, literal, printed, reproduced
from verify.model.outcome import Float

ROOT = Path(__file__).parents[3]
PAGES = sorted((ROOT / "reports" / "audits").glob("*/audit.json"))
SHOWN = 12
"""Programs of each page that are run: they are of the findings that the page has first."""


def installed(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(name, reason=f"{name} is not installed")
    return claimant(name)


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.parent.name)
def test_the_programs_of_the_pages_print_what_the_pages_say(file):
    audit = read(file.read_text())
    installed(audit.claimant)
    version = audit.versions[audit.claimant]
    if importlib.metadata.version(audit.claimant) != version:
        pytest.skip(f"the page is of {audit.claimant} {version}")
    faults = [worst_of(found) for found in audit.functions.values() if worst_of(found).is_fault]
    for entry in faults[:SHOWN]:
        again, said = (float(it.split()[-1]) for it in (printed(entry.reproducer), entry.printed))
        # Another processor may round differently, and move the value by as much as it is off.
        off = abs(said - float(entry.witnesses[0].exact))
        same = np.array_equal(again, said, equal_nan=True)
        assert same or abs(again - said) <= off, (entry.function, again, said)


@pytest.mark.release
@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.parent.name)
def test_the_programs_of_the_pages_are_those_of_today(file):
    audit = read(file.read_text())
    library = CLAIMANTS[audit.claimant]()
    faults = [it for it in audit.entries if it.is_fault]
    assert faults
    for entry in faults:
        function, first = FUNCTIONS[entry.function], entry.witnesses[0]
        [wrt] = [
            by
            for order in (1, 2)
            for by in function.derivatives(order)
            if name_of(by, function.is_binary) == entry.derivative
        ]
        point = [literal(x.decimal) for x in first.x]
        programs = [
            library.reproducer(entry.expression, point, wrt, entry.format, copies)
            for copies in (1, COPIES)
        ]
        assert entry.reproducer in programs


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.parent.name)
def test_a_page_never_contradicts_its_programs(file):
    audit = read(file.read_text())
    for found in audit.functions.values():
        entry = worst_of(found)
        if not entry.is_fault:
            continue
        text, claimed = issue(audit, found), entry.witnesses[0].claimed
        [told] = re.findall("^At `.*?` it is `(.*?)`; exactly", text, re.MULTILINE)
        form = FORMATS[entry.format]
        assert agrees(told, claimed, form)
        said = f"; among many numbers at once, as it was measured, it is {claimed.decimal}"
        assert agrees(entry.printed, claimed, form) != (said in text)


MEASURED = {"jax": "sigmoid", "torch": "tanh", "autograd": "expm1", "symtape": "sinc"}


@pytest.mark.parametrize("name", CLAIMANTS)
@pytest.mark.parametrize("form", ["float64", "float32"])
def test_a_program_computes_what_was_measured(name, form):
    library, function = installed(name), FUNCTIONS[MEASURED[name]]
    found = measure(library, function, (0,), form, 100, 0)
    if name != "symtape":
        assert found.is_fault
    for witness in found.witnesses[:1]:
        assert agrees(found.printed, witness.claimed, FORMATS[form]), (found.printed, witness)
        point = [np.array([float.fromhex(x.hex)]) for x in witness.x]
        with np.errstate(all="ignore"):
            _, [alone] = library.answer(found.expression, point, (0,), form)
        assert agrees(found.printed, Float.of(alone), FORMATS[form])


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


def test_a_number_that_is_the_same_alone_is_shown_before_others(made_witness):
    at = [made_witness(x, 2.0) for x in (1.0, 2.0, 3.0)]
    [form] = [FORMATS["float64"]]
    first, _, text = reproduced(Echo({1.0: 2.5, 2.0: 2.0, 3.0: 2.0}), "f", (0,), form, at)
    assert (first, text) == (at[1], "2.0")
    first, _, text = reproduced(Echo({1.0: 1.0, 2.0: 2.5, 3.0: 1.0}), "f", (0,), form, at)
    assert (first, text) == (at[1], "2.5")
    first, _, text = reproduced(Echo({1.0: "?", 2.0: "?", 3.0: "?"}), "f", (0,), form, at)
    assert (first, text) == (at[0], "?")


def test_a_number_that_is_the_same_only_among_many_is_shown_among_many(made_witness):
    at = [made_witness(x, 2.0) for x in (1.0, 2.0)]
    echo = Echo({1.0: 2.5, 2.0: 2.5}, {1.0: 2.25, 2.0: 2.0})
    first, _, text = reproduced(echo, "f", (0,), FORMATS["float64"], at)
    assert (first, text) == (at[1], "2.0")


@pytest.mark.parametrize("name", CLAIMANTS)
@pytest.mark.parametrize(("wrt", "exact"), [((1,), 9.0), ((0, 1), 6.0), ((0, 0), 10.0)])
def test_a_number_alone_and_among_many_have_the_same_derivative(name, wrt, exact):
    library = installed(name)
    for copies in (1, 8):
        program = library.reproducer("x * x * y", ["3.0", "5.0"], wrt, "float64", copies)
        assert float(printed(program)) == exact, program


def test_an_input_that_matters_less_is_not_preferred_for_that(made_witness):
    at = [made_witness(x, 2.0) for x in (1.0, 1e300)]
    echo = Echo({1.0: 2.5, 1e300: 2.0})
    assert reproduced(echo, "f", (0,), FORMATS["float64"], at)[0] is at[0]


def test_an_error_is_no_number():
    text = printed("raise ValueError('nan')")
    assert text == "ValueError: nan"
    assert not agrees("ValueError: here", Float.of(float("nan")), FORMATS["float64"])
