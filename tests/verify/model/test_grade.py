"""Grades: what fails a test, what is noted, and that strictness makes a note fail."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import verify
from verify.judging.judge import verify_case
from verify.model.case import Case
from verify.model.result import PointOutcome
from verify.reporting.explain import note_lines
from verify.reporting.reported import prepare_report

PLANE = verify.box(-10, 10, shape=(2,))
EFFORTS = pytest.mark.parametrize("effort", [0.1, pytest.param(None, marks=pytest.mark.campaign)])


def _length(x):
    return np.sqrt(x[0] ** 2 + x[1] ** 2)


def _hypot(x):
    return np.hypot(x[0], x[1])


def _direction(x):
    return x / np.sqrt(x[0] ** 2 + x[1] ** 2)


def _by_cosh(x):
    return 1 / np.cosh(x) ** 2


def _all_of_the_largest(x):
    return (x == np.max(x)).astype(float)


def _not_below(x):
    return np.where(np.abs(x) > 1e-150, 2 * x, 0.0)


NOTED = {
    "an input that underflows": (_hypot, _direction, [1e-200, 2e-200], "the point contains"),
    "an input that overflows": (_hypot, _direction, [1e200, 2e200], "the point contains"),
    "a subnormal beside zero": (_hypot, _direction, [0.0, 5e-324], "the point contains"),
    "a branch far below": (np.square, _not_below, 1e-160, "the point contains"),
    "an entry by a tiny number": (
        lambda x: np.sum(x**2),
        _not_below,
        [3.0, 1e-160],
        "the input of the entry is 1.00e-160",
    ),
    "an exact entry that is tiny": (np.tanh, lambda x: 0.0 * x, 200.0, "the exact entry is"),
    "one beyond all floats": (np.tanh, lambda x: 1e-310 + x * 0, 400.0, "is 1.47e-347"),
    "an operation that underflows": (
        lambda x: np.exp(-x) * 2.0**400,
        lambda x: -((np.exp(-x / 2) * 2.0**-432) ** 2) * 2.0**632 * 2.0**632,
        270.0,
        "exp is 5.50e-118",
    ),
    "below the last digit": (
        np.tanh,
        lambda x: 1 - np.tanh(x) ** 2,
        50.0,
        "the last digit of the value",
    ),
    "below that of its output": (
        lambda x: np.stack([np.tanh(x), x]),
        lambda x: np.stack([0.0 * x, np.ones_like(x)]),
        50.0,
        "the last digit of the value",
    ),
    "from one side at a tie": (np.max, _all_of_the_largest, [1.0, 1.0, 0.0], "one-sided"),
    "from the other side": (np.max, np.zeros_like, [1.0, 1.0], "one-sided"),
    "in float32": (_hypot, _direction, np.array([1e-32, 1e-33], "f4"), "the point contains"),
}

FAILING = {
    "a wrong factor": (np.square, lambda x: 2.1 * x, 1.0),
    "a small factor": (np.square, lambda x: 2 * x * (1 + 1e-9), 1.0),
    "lost digits": (np.tanh, lambda x: 1 - np.tanh(x) ** 2, 15.0),
    "no number at a kink": (_length, _direction, [0.0, 0.0]),
    "no number at a smooth point": (np.square, lambda x: 2 * x**2 / x, 0.0),
    "a wrong number at a kink": (np.abs, lambda x: 2.0 + 0 * x, 0.0),
    "too much at a tie": (np.max, lambda x: 2.0 * _all_of_the_largest(x), [1.0, 1.0]),
    "a share of nobody": (np.max, lambda x: 0.4 * _all_of_the_largest(x), [1.0, 1.0]),
    "no number where the value is one": (
        lambda x: np.logaddexp(0, x),
        lambda x: np.exp(x) / (1 + np.exp(x)),
        800.0,
    ),
    "an ordinary entry beside a tiny number": (
        lambda x: np.sum(x**2),
        lambda x: np.stack([2.1 * x[0], 2 * x[1]]),
        [3.0, 1e-200],
    ),
    "an exact fault beside a tiny operation": (
        lambda x: np.log(np.exp(-(x**2))),
        lambda x: -2.1 * x,
        16.0,
    ),
    "float32 below float16": (_hypot, lambda x: 2 * x, np.array([1e-20, 1e-21], "f4")),
}


@pytest.mark.parametrize("name", NOTED)
def test_what_is_at_the_fringe_is_noted(name):
    """It passes if the claim is right elsewhere, keeps its verdict, and fails where strict."""
    function, claimed, x, words = NOTED[name]
    quantity = "jacobian" if np.ndim(function(np.asarray(x))) else "gradient"
    alone = verify.derivative(quantity, function, claimed, at=[x])
    (note,) = alone.points
    assert words in note.note
    assert note.verdict.fails
    assert (bool(alone), alone.verdict, alone.notes) == (False, note.verdict, ())
    right = PointOutcome.from_judgement((np.float64(1.0),), verify.Verdict.CORRECT)
    result = replace(alone, points=(note, right))
    assert (bool(result), result.verdict) == (True, verify.Verdict.CORRECT)
    assert list(map(id, result.notes)) == [id(note)]
    strict = replace(result, case=replace(result.case, strict=True))
    assert (bool(strict), strict.verdict, strict.notes) == (False, note.verdict, ())


@pytest.mark.parametrize("name", FAILING)
def test_what_matters_to_somebody_fails(name):
    """At ordinary points, and at kinks and degenerate ones with a wrong value or none."""
    function, claimed, x = FAILING[name]
    result = verify.gradient(function, claimed, at=[x])
    result = replace(
        result, points=(*result.points, PointOutcome.from_judgement((1.0,), verify.Verdict.CORRECT))
    )
    assert result.verdict.fails
    assert (bool(result), result.notes) == (False, ())


@pytest.mark.long
def test_an_assertion_warns_of_a_note():
    """The test passes; its warning says where, why, and how to have it fail."""
    with pytest.warns(verify.NotedWarning, match="strict=True") as told:
        result = verify.assert_gradient(_hypot, _direction, over=PLANE.away_from(0.0), effort=0.1)
    assert told[0].filename == __file__
    assert result.verdict is verify.Verdict.CORRECT
    with pytest.raises(verify.DerivativeError, match="the point contains"):
        verify.assert_gradient(
            _hypot, _direction, over=PLANE.away_from(0.0), strict=True, effort=0.1
        )


def test_no_note_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verify.assert_gradient(np.sin, np.cos, over=[-5, 5])


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_note_does_not_keep_a_search_from_what_fails(seed):
    """The fringe is full of notes, and the gross mistake at one tie in the middle is found."""

    def claimed(x):
        return x / np.sqrt(np.sum(x**2)) * np.where((x[0] == 2) & (x[1] > 0), 1.5, 1.0)

    result = verify.gradient(_hypot, claimed, over=PLANE.away_from(0.0), seed=seed, effort=0.5)
    assert result.verdict is verify.Verdict.WRONG
    assert result.coverage.noted
    assert result.witness.x[0][0] == 2


@pytest.mark.long
def test_the_shrinker_does_not_turn_a_failure_into_a_note():
    def claimed(x):
        return 2 * x * np.where(np.abs(x) < 1e-3, 1.5, 1.0)

    result = verify.gradient(np.square, claimed, over=[-1, 1])
    assert result.verdict is verify.Verdict.WRONG
    assert not result.witness.note
    assert abs(result.witness.x[0]) >= 1e-100


@pytest.mark.long
def test_notes_are_counted_and_kept_in_every_report():
    result = verify.gradient(_hypot, _direction, over=PLANE.away_from(0.0), effort=0.1)
    case = prepare_report(result)
    assert not case.strict
    assert len(case.notes) == len(result.notes) > 0
    assert f"{result.coverage.noted} noted" in str(result)
    assert "  noted      " in str(result)
    assert f"and {result.coverage.noted - len(set(map(str, case.notes)))} more" in "".join(
        note_lines(case)
    ) or result.coverage.noted == len(case.notes)
    for form in ("json", "junit", "markdown", "html", "text"):
        assert "noted" in _rendered(case, form) or "notes" in _rendered(case, form), form


def _rendered(case, form):
    from verify.reporting import Report, render

    whole = Report("r", ("s",), "2026-01-01T00:00:00+00:00", {}, 0, (case,))
    return render(whole, form)


def test_built_in_cases_are_strict():
    """Suites, audits and the self-test make their cases so."""
    case = Case("a", "a", _hypot, (([1e-200, 1e-200],),), claimed=_direction)
    found = verify_case(case)
    assert found.verdict is verify.Verdict.INACCURATE
    assert not found.notes


def test_a_sampled_finding_has_a_grade_too():
    """Of the point alone, as nothing was recorded."""

    def claimed(x):
        raise ValueError("too small")

    result = verify.gradient(np.square, claimed, at=[1e-200, 1.0], evidence="sampled")
    assert [bool(point.note) for point in result.points] == [True, False]


SLOPES = {
    "kink": (np.abs, lambda x: x / np.abs(x), verify.box(-1, 1)),
    "kink of an array": (lambda x: np.sum(np.abs(x)), lambda x: x / np.abs(x), PLANE),
    "norm": (_length, _direction, PLANE),
    "hypot": (_hypot, _direction, PLANE),
    "elsewhere": (
        lambda x: np.abs(x - 2.0),
        lambda x: (x - 2.0) / np.abs(x - 2.0),
        verify.box(-5, 5),
    ),
    "smooth": (
        lambda x: np.where(x == 0, 1.0, np.sin(x) / np.where(x == 0, 1.0, x)),
        lambda x: (x * np.cos(x) - np.sin(x)) / x**2,
        verify.box(0, 9),
    ),
    "entries": (
        lambda x: np.abs(x[0] - x[1]),
        lambda x: (x[0] - x[1]) / np.abs(x[0] - x[1]) * np.array([1.0, -1.0]),
        PLANE,
    ),
    "three entries": (
        lambda x: np.sum(np.abs(np.diff(x))),
        lambda x: (
            np.concatenate([[0.0], np.diff(x) / np.abs(np.diff(x))])
            - np.concatenate([np.diff(x) / np.abs(np.diff(x)), [0.0]])
        ),
        verify.box(-3, 3, shape=(3,)),
    ),
    "points": (
        lambda p, q: np.hypot(p[0] - q[0], p[1] - q[1]),
        lambda p, q: ((p - q) / np.hypot(*(p - q)), (q - p) / np.hypot(*(p - q))),
        (PLANE, PLANE),
    ),
    "numbers": (
        lambda a, b: np.abs(a - b),
        lambda a, b: ((a - b) / np.abs(a - b), (b - a) / np.abs(a - b)),
        (verify.box(0, 1), verify.box(0, 2)),
    ),
    "one of two": (
        lambda a, x: a * np.abs(x),
        lambda a, x: (np.abs(x), a * x / np.abs(x)),
        (verify.box(1, 2), verify.box(-1, 1)),
    ),
    "restricted already": (
        lambda x: np.sum(np.abs(x)),
        lambda x: x / np.abs(x),
        PLANE.excluding("ties"),
    ),
}


@pytest.mark.long
@EFFORTS
@pytest.mark.parametrize("name", SLOPES)
def test_the_region_that_is_printed_rules_the_finding_out(name, effort):
    """The line is run as it is printed."""
    function, claimed, over = SLOPES[name]
    with pytest.raises(verify.DerivativeError) as error:
        verify.assert_gradient(function, claimed, over=over, effort=effort)
    (line,) = re.findall(r"^  rule out   over=(.*)$", str(error.value), re.MULTILINE)
    promised = eval(line, {"verify": verify, "np": np})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", verify.NotedWarning)
        result = verify.assert_gradient(function, claimed, over=promised, effort=effort)
    assert result.verdict is verify.Verdict.CORRECT


def slope_of_abs(x):
    return x / np.abs(x)


def slope_of_norm(x):
    r = np.sqrt(np.sum(x**2))
    return x / r


def slope_of_spring(x):
    x = x.copy()
    r = np.hypot(x[0], x[1])
    x /= r
    return 2 * (r - 0.5) * x


FIXED = {
    "kink": (np.abs, slope_of_abs, verify.box(-1, 1)),
    "norm": (lambda x: np.hypot(x[0], x[1]), slope_of_norm, PLANE),
    "in place": (lambda x: (np.hypot(x[0], x[1]) - 0.5) ** 2, slope_of_spring, PLANE),
    "by the tape": (np.abs, lambda x: np.sqrt(x**2) / x, verify.box(-1, 1)),
}


@pytest.mark.slow
@EFFORTS
@pytest.mark.parametrize("name", FIXED)
def test_the_line_that_is_printed_mends_the_claim(name, effort):
    """It is put in the place of the old one, or the claim is taken from it."""
    import inspect
    import textwrap

    function, claimed, over = FIXED[name]
    with pytest.raises(verify.DerivativeError) as error:
        verify.assert_gradient(function, claimed, over=over, effort=effort)
    (line,) = re.findall(r"^  fix +(.*)$", str(error.value), re.MULTILINE)
    known = {"np": np, "symtape": __import__("symtape"), "absolute": np.abs, "sinc": np.sinc}
    if line.startswith("claimed="):
        fixed = eval(line.removeprefix("claimed="), known)
    else:
        line, _, place = line.rpartition("  (")
        code, first = inspect.getsourcelines(claimed)
        at = int(place.rstrip(")").rpartition(":")[2]) - first
        indent = code[at][: len(code[at]) - len(code[at].lstrip())]
        code[at] = f"{indent}{line}\n"
        exec(textwrap.dedent("".join(code)), known)
        fixed = known[claimed.__name__]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", verify.NotedWarning)
        verify.assert_gradient(function, fixed, over=over, effort=effort)


def test_findings_of_several_kinds_are_listed_the_gross_one_first():
    def function(x):
        return x**2 + np.abs(x - 1)

    def claimed(x):
        return 2 * x + np.where(x > 2, 0.01, 0.0) + (x - 1) / np.abs(x - 1)

    with pytest.raises(verify.DerivativeError) as error:
        verify.assert_gradient(function, claimed, over=[-5, 5])
    lines = str(error.value).splitlines()
    assert lines[1].startswith("  WRONG at x = 3.0: the gradient is 7.01")
    assert lines[2].startswith(
        "  WRONG at a kink, x = 1.0: the claim, nan, is not a number, although"
    )
    assert lines[3].startswith("  the gradient is 7.01; the exact value is 7.0")


@pytest.mark.parametrize(("off", "is_noted"), [(1.5e-14, True), (4e-14, True), (1.5e-13, False)])
def test_what_stops_within_a_thousand_roundings_is_noted_as_an_approximation(off, is_noted):
    def claim(x):
        return np.cos(x) * np.where(x > 0.2, 1 + off, 1.0)

    result = verify.gradient(np.sin, claim, at=[0.0, 0.5, 1.0])
    assert result.points[1].verdict is verify.Verdict.WRONG
    assert bool(result) is is_noted
    assert len(result.notes) == 2 * is_noted
    assert all("approximates the derivative" in point.note for point in result.notes)
    assert not verify.gradient(np.sin, claim, at=[0.0, 0.5], strict=True)
    assert not verify.gradient(np.sin, claim, at=[0.5])


SMOOTH = {
    "bells": (lambda x: np.sum(np.exp(-(x**2))), lambda x: -2 * x * np.exp(-(x**2))),
    "waves": (lambda x: np.sum(np.sin(x)), np.cos),
    "squares": (lambda x: np.sum(x**2), lambda x: 2 * x),
    "a product": (
        lambda x: x[0] * np.cos(x[1]),
        lambda x: np.stack([np.cos(x[1]), -x[0] * np.sin(x[1])]),
    ),
}
FACTORS = pytest.mark.parametrize("factor", [1e290, -1e290, 1e-290, 1e-120, 1 + 4e-14])


@pytest.mark.long
@pytest.mark.slow
@FACTORS
@pytest.mark.parametrize("name", SMOOTH)
def test_the_size_of_a_claim_excuses_nothing(name, factor):
    """The point and the exact entry are ordinary; that the claim is right where it is 0 as well."""
    function, right = SMOOTH[name]
    over = verify.box(-30, 30, shape=(2,))
    result = verify.gradient(function, lambda x: right(x) * factor, over=over, effort=0.1)
    assert result.verdict is verify.Verdict.WRONG
    assert verify.gradient(function, right, over=over, effort=0.1)


@FACTORS
def test_one_right_point_does_not_excuse_many(factor):
    points = [[0.0, 0.0], *np.linspace(0.5, 3.0, 12).reshape(6, 2)]
    result = verify.gradient(lambda x: np.sum(x**2), lambda x: 2 * x * factor, at=points)
    assert result.verdict is verify.Verdict.WRONG


@pytest.mark.parametrize("wrong", [5.0, 1e-3, 1e290])
def test_a_tiny_exact_entry_excuses_tiny_claims_alone(wrong):
    def claim(x):
        return np.where(np.abs(x) > 16, wrong, -2 * x * np.exp(-(x**2)))

    result = verify.gradient(SMOOTH["bells"][0], claim, at=[[20.0, 1.0], [0.5, 1.0]])
    assert result.verdict is verify.Verdict.WRONG
    assert not result.notes


def test_an_entry_that_is_always_off_is_no_note():
    result = verify.gradient(
        lambda x: x[0] ** 2 + np.sin(x[1]),
        lambda x: np.stack([2 * x[0] * (1 + 4e-14), np.cos(x[1])]),
        over=PLANE,
        effort=0.1,
    )
    assert result.verdict is verify.Verdict.WRONG


SECOND_OFF = {
    "relatively": lambda g: g * np.array([1 + 1e-10, 1 + 1e-10]),
    "the first by more": lambda g: g * np.array([2, 1 + 1e-9]),
    "of another sign": lambda g: g * np.array([-1, -1]),
    "no number": lambda g: np.array([np.nan, 0.5 * g[1]]),
}


@pytest.mark.parametrize("change", SECOND_OFF)
def test_an_entry_at_the_fringe_hides_no_other(change):
    def claim(x):
        return SECOND_OFF[change](2 * x)

    fringe = np.array([1e-200, 0.5])
    result = verify.gradient(lambda x: np.sum(x**2), claim, at=[fringe, np.zeros(2)])
    assert result.points[0].verdict is verify.Verdict.WRONG
    assert not result.points[0].note, str(result)
    assert result.points[0].entry == (1,)
    assert not result
    assert "gradient[1]" in result.points[0].message


QUANTITIES = {
    "jacobian": (lambda x: x**2, lambda x: np.diag(2 * x) * (1 + 1e-9)),
    "vjp": (lambda x: x**2, lambda x, g: 2 * x * g * (1 + 1e-9)),
    "hessian": (lambda x: np.sum(x**3), lambda x: np.diag(6 * x) * (1 + 1e-9)),
}


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_an_entry_at_the_fringe_hides_no_other_of_any_derivative(quantity):
    function, claim = QUANTITIES[quantity]
    x = np.array([1e-200, 0.5])
    at = [(x, np.ones(2)) if quantity == "vjp" else x]
    result = verify.derivative(quantity, function, claim, at=at)
    assert not result.points[0].note, str(result)
    assert result.points[0].entry[0] == 1


def test_an_argument_at_the_fringe_hides_no_other():
    result = verify.gradient(
        lambda a, b: a**2 + b**2,
        lambda a, b: (4 * a, 2 * b * (1 + 1e-9)),
        at=[(1e-200, 0.5)],
    )
    assert not result.points[0].note, str(result)
    assert result.points[0].wrt == "b"


def test_what_is_at_the_fringe_in_all_of_its_entries_is_noted():
    result = verify.gradient(
        lambda x: np.sum(x**2), lambda x: 2.1 * x, at=[np.array([1e-200, 1e-150]), np.zeros(2)]
    )
    assert result.points[0].note
    assert result


def test_a_claim_at_the_fringe_hides_no_mode():
    def of_the_fringe(x):
        return 2 * x * np.array([1.1, 1])

    case = Case(
        "",
        "",
        lambda x: np.sum(x**2),
        at=((np.array([1e-200, 0.5]),), (np.zeros(2),)),
        claimed=of_the_fringe,
        modes={"forward": lambda x: 2.1 * x},
    )
    assert verify_case(replace(case, modes={})).points[0].note
    found = verify_case(case).points[0]
    assert not found.note
    assert found.entry == (1,)
