"""A rich sample report: every verdict, every kind of plot, and text meant to break things."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from verify.model.accuracy import Accuracy
from verify.model.figures import HeatMap, Lines, Scatter
from verify.model.outcome import Enclosure, Float, Input
from verify.model.result import ClosedForm, Coverage, KinkFacts, PointOutcome, Result, Slope, Survey
from verify.model.source import Located, Source
from verify.model.verdict import Verdict
from verify.reporting import Report, RowRung, render

NASTY = (
    "<script>alert(1)</script> ]]> | `b` ``` </style></details> &amp; \"q\" 'a' $x_$ \\ "
    "π → ∂ 漢字 🙂 \x1b[31mred\x00 \u202egnp\u202c \ud800 @team #1 [red]bold[/red] {{ 7*7 }}"
)

_VERSIONS = {
    "symtape": "0.1.0",
    "python": "3.11.7",
    "numpy": "2.4.6",
    "sympy": "1.14.0",
    "python-flint": "0.8.0",
    "platform": "Linux-6.1-x86_64",
}

_ROSENBROCK = '''def rosenbrock(x):
    """The banana valley."""
    a, b = x[0], x[1]
    return (1 - a) ** 2 + 100 * (b - a**2) ** 2
'''

_MATHML = (
    "<mrow><mn>2</mn><mo>&InvisibleTimes;</mo><msub><mi>x</mi><mn>0</mn></msub><mo>-</mo>"
    "<mn>2</mn><mo>-</mo><mn>400</mn><mo>&InvisibleTimes;</mo><msub><mi>x</mi><mn>0</mn></msub>"
    "<mo>&InvisibleTimes;</mo><mrow><mo>(</mo><msub><mi>x</mi><mn>1</mn></msub><mo>-</mo>"
    "<msup><msub><mi>x</mi><mn>0</mn></msub><mn>2</mn></msup><mo>)</mo></mrow></mrow>"
)
_VECTOR = (
    f"<mrow><mo>[</mo><mtable><mtr><mtd>{_MATHML}</mtd></mtr><mtr><mtd><mrow><mn>200</mn>"
    "<mrow><mo>(</mo><msub><mi>x</mi><mn>1</mn></msub><mo>-</mo><msup><msub><mi>x</mi>"
    "<mn>0</mn></msub><mn>2</mn></msup><mo>)</mo></mrow></mrow></mtd></mtr></mtable><mo>]</mo></mrow>"
)


def correct() -> Result:
    """A correct case with everything that a case can have."""
    x = np.linspace(-10, 10, 201)
    s = 1 / (1 + np.exp(-x))
    hessian = np.add.outer(np.sin(np.arange(40.0)), np.cos(np.arange(40.0)))
    values = ((1.0, 2.0), (-1.2, 1.0), (0.3, -0.7))
    points = tuple(
        PointOutcome(
            Verdict.CORRECT,
            inputs=(Input.from_array("x", at),),
            entry=(number % 2,),
            claimed=Float.from_number(-215.6 + number),
            enclosure=Enclosure(
                f"-{215 - number}.59999999999999994315658113919198513031005859375011",
                f"-{215 - number}.59999999999999994315658113919198513031005859375002",
                300,
            ),
            ulps=0.4 + number,
            allowed_ulps=6.5,
            relative_error=3.1e-17,
        )
        for number, at in enumerate(values)
    )
    return Result(
        id="classics/rosenbrock",
        title="Rosenbrock's valley",
        suite="classics",
        quantity="gradient",
        claimant="symtape's tape",
        verdict=Verdict.CORRECT,
        basis="certified at 3 points to 2⁻³⁰⁰",
        points=points,
        closed_forms=(
            ClosedForm(
                "gradient",
                "[2*x0 - 2 - 400*x0*(x1 - x0**2), 200*(x1 - x0**2)]",
                latex=r"\left[\begin{matrix}2 x_0 - 2 - 400 x_0 (x_1 - x_0^2)\\ "
                r"200 (x_1 - x_0^2)\end{matrix}\right]",
                mathml=_VECTOR,
                conditions=("x0 > 0",),
            ),
            ClosedForm(
                "hessian", "let t0 = x1 - x0**2\nlet t1 = 200*t0\n[t0, t1]", straight_line=True
            ),
        ),
        plots=(
            Lines.from_arrays("Sigmoid", x, {"y": s, "dy/dx": s * (1 - s)}, x_label="x"),
            HeatMap.from_matrix("Hessian", hessian, x_label="column", y_label="row"),
            HeatMap.from_matrix(
                "All (batch, batch) slices", np.kron(hessian[:6, :5], np.eye(7)), patch=(7, 7)
            ),
            Scatter.from_arrays(
                "Error",
                np.arange(1.0, 60.0),
                {"ulps": np.abs(np.sin(np.arange(59.0))) * 4 + 0.01, "allowed": np.full(59, 6.5)},
                x_label="point",
                y_label="ulps",
                y_scale="log",
            ),
            HeatMap.from_matrix("Hessian at the minimum", [[802.0, -400.0], [-400.0, 200.0]]),
        ),
        path=(Located("x0 > 0 is true", "examples/rosenbrock.py:3"),),
        escapes=(Located("float(x0)", "examples/rosenbrock.py:3"),),
        source=Source("examples/rosenbrock.py", 1, _ROSENBROCK),
        seconds=0.184,
        replay="symtape verify examples/rosenbrock.py:rosenbrock --at '[1.0, 2.0]'",
    )


def wrong() -> Result:
    """A sign error, with its witness."""
    point = PointOutcome(
        Verdict.WRONG,
        inputs=(Input.from_array("x", [1.0, 2.0]), Input.from_array("scale", np.float32(0.1))),
        entry=(1,),
        wrt="x",
        claimed=Float.from_number(-0.8414709848078965),
        enclosure=Enclosure(
            "0.84147098480789650665250232163029899962256306079837",
            "0.84147098480789650665250232163029899962256306079838",
            300,
        ),
        ulps=1.5158e16,
        allowed_ulps=3.0,
        relative_error=2.0,
        op="cos",
        origin="examples/wave.py:12",
        message="The claimed value is -1 times the exact one: a sign is missing.",
        power="a fault of one part in 10¹⁵ would have been seen",
    )
    code = "def wave(x, scale):\n    y = np.cos(x)\n    return np.sum(scale * y)"
    return Result(
        "user/wave",
        "A wave",
        "user",
        "gradient",
        "my_grad",
        Verdict.WRONG,
        basis="certified at 1 point to 2⁻³⁰⁰",
        message="The rule of cos disagrees with the derivative of what was recorded.",
        points=(point,),
        source=Source("examples/wave.py", 11, code),
        seconds=0.02,
        replay="symtape verify examples/wave.py:wave --at '[1.0, 2.0]' 0.1",
    )


def others() -> tuple[Result, ...]:
    """A case of each other verdict."""
    inaccurate = PointOutcome(
        Verdict.INACCURATE,
        inputs=(Input.from_array("x", 19.0),),
        claimed=Float.from_number(0.0),
        enclosure=Enclosure("1.2551954658548374e-16", "1.2551954658548376e-16", 300),
        ulps=5.09e15,
        allowed_ulps=8.0,
        relative_error=1.0,
        op="multiply",
        origin="tails.py:4",
    )
    kink = PointOutcome(
        Verdict.KINK,
        inputs=(Input.from_array("x", 0.0),),
        claimed=Float.from_number(0.0),
        enclosure=Enclosure("-1", "1"),
        message="The one-sided derivatives are -1 and 1; 0 is between them.",
    )
    outside = PointOutcome(
        Verdict.OUTSIDE,
        inputs=(Input.from_array("x", [-1.0, math.nan, math.inf]),),
        claimed=Float.from_number(math.nan),
        message="sqrt is undefined at -1.0.",
        op="sqrt",
    )
    return (
        Result(
            "user/tail",
            "tanh' as 1 - y*y",
            "user",
            "gradient",
            "my_tanh",
            Verdict.INACCURATE,
            "certified at 1 point to 2⁻³⁰⁰",
            "1 - y*y cancels: all digits are lost.",
            points=(inaccurate,),
            seconds=0.004,
        ),
        Result(
            "primitives/abs",
            "abs",
            "primitives",
            "gradient",
            "symtape's tape",
            Verdict.KINK,
            "exact over Q",
            points=(kink,),
            seconds=0.002,
        ),
        Result(
            "primitives/sqrt",
            "sqrt",
            "primitives",
            "jacobian",
            "symtape's tape",
            Verdict.OUTSIDE,
            "sampled at 1 points",
            points=(outside,),
            seconds=0.001,
        ),
        Result(
            "user/loop",
            "A loop",
            "user",
            "hessian",
            "symtape's tape",
            Verdict.UNDECIDED,
            message="The budget of 10 s was spent on the closed form of a program with 182,340 "
            "statements.\nGive a larger one: --budget 60.",
            seconds=10.02,
        ),
    )


def survey(dtype: str = "float64", coordinates: int = 1) -> Survey:
    """Of tanh' claimed as 1 - y*y, which cancels; other coordinates do not matter."""
    near = np.ldexp(1.0, -np.arange(0, 1000, 7))
    x = np.concatenate([np.linspace(-60, 60, 1201), near, -near])
    claimed, exact = 1 - np.tanh(x) ** 2, 1 / np.cosh(x) ** 2
    ulps = np.abs(claimed - exact) / np.spacing(exact)
    others = [np.sin(np.arange(len(x)) * (k + 1.0)) for k in range(coordinates - 1)]
    names = ("x",) if coordinates == 1 else tuple(f"x[{k}]" for k in range(coordinates))
    return Survey(names, np.stack([x, *others], axis=1), ulps, claimed, exact, dtype)


def searched() -> Result:
    """What a search found of tanh' as 1 - y*y."""
    point = PointOutcome(
        Verdict.INACCURATE,
        inputs=(Input.from_array("x", 19.0625),),
        claimed=Float.from_number(0.0),
        enclosure=Enclosure("1.1080e-16", "1.1081e-16", 300),
        ulps=5.1e15,
        allowed_ulps=8.0,
        relative_error=1.0,
        op="subtract",
        origin="tails.py:4",
        severity=1e-9,
        note="below the last digit of the value",
        power="excludes faults above one part in 10⁴",
    )
    return Result(
        "user/tanh",
        "tanh' as 1 - y*y",
        "user",
        "gradient",
        "my_tanh",
        Verdict.INACCURATE,
        message="1 - y*y cancels: all digits are lost.",
        points=(point, dataclasses.replace(point, verdict=Verdict.CORRECT, ulps=0.5)),
        replay="symtape verify tails.py:tanh --over '[-60, 60]'",
        coverage=Coverage(
            "x in [-60, 60]",
            0,
            3412,
            214,
            3,
            2,
            (5, 6),
            2,
            "the time of 10 s was spent",
            reasons=("rounding may cost all of the value here",),
        ),
        accuracy=Accuracy.from_survey(survey()),
    )


def kinked() -> Result:
    """A kink in two inputs, at which one claimed entry is not admissible."""
    slopes = (
        Slope("x", (0,), -1.0, 1.0, -1.0, 1.0, 0.0),
        Slope("scale", (), None, 2.5, 0.25, 2.5, 3.0),
    )
    point = PointOutcome(
        Verdict.WRONG,
        inputs=(Input.from_array("x", [0.0, 1.0]), Input.from_array("scale", 0.5)),
        message="The claim lies outside of what is admissible.",
        kink=KinkFacts(slopes, False, "0 at 0"),
        severity=0.5,
    )
    return Result("user/kink", "A kink", "user", "gradient", "mine", Verdict.WRONG, points=(point,))


def surveyed_report() -> Report:
    """Of searches and kinks, with proofs and the score of a self-test."""
    right = dataclasses.replace(
        correct(),
        coverage=Coverage("x in [-5, 5]^3", 7, 1000, 40),
        accuracy=Accuracy.from_survey(
            dataclasses.replace(survey(coordinates=3), ulps=np.full(1487, 0.5))
        ),
    )
    return of(
        right,
        searched(),
        kinked(),
        selftest="of 0.1.0: 1,612 planted faults: 1,600 refuted, 12 equivalent, none survived",
        rungs=(
            RowRung("sin", "proved", "all reals"),
            RowRung("matmul", "proved at the tested shapes", "(2,3) (3,4)"),
            RowRung("erfcx", "certified", "", "a power series is not proven"),
        ),
    )


def nasty() -> Result:
    """A case whose every text is hostile and whose every number is extreme."""
    slope = Slope(NASTY, (1, 2), math.nan, None, -math.inf, math.inf, 5e-324)
    point = PointOutcome(
        Verdict.WRONG,
        inputs=(Input.from_array(NASTY, np.array([1e308, 5e-324, math.nan, -math.inf] * 40)),),
        entry=(2**40, 7),
        wrt=NASTY,
        claimed=Float(NASTY, NASTY),
        enclosure=Enclosure("9" * 400, "1" + "0" * 400, 10_000),
        ulps=math.inf,
        allowed_ulps=math.nan,
        relative_error=1e308,
        op=NASTY,
        origin=NASTY,
        message=NASTY,
        power=NASTY,
        severity=math.nan,
        kink=KinkFacts((slope, slope), None, NASTY),
    )
    wild = np.array([[1e308, 5e-324], [-1e308, -0.0], [math.nan, 1.0], [0.0, math.inf]])
    claimed = np.array([math.nan, math.inf, 1.0, 0.0])
    series = {NASTY: [1e308, -1e308, math.nan], "_hidden": [math.inf, 0.0, 1.0], "": [0, 0, 0]}
    return Result(
        NASTY,
        NASTY,
        NASTY,
        NASTY,
        NASTY,
        Verdict.WRONG,
        NASTY,
        NASTY,
        points=(point, PointOutcome(Verdict.CORRECT)),
        closed_forms=(
            ClosedForm(NASTY, NASTY, NASTY, "<mi>x</mi><script>alert(1)</script>", (NASTY,)),
            ClosedForm("long", "x + " * 20_000, "y" * 20_000, "<mi>z</mi>" * 20_000),
        ),
        plots=(
            Lines.from_arrays(NASTY, [1.0, 2.0, 3.0], series, x_label=NASTY, y_label=NASTY),
            Scatter.from_arrays(NASTY, [0.0, -1.0, 5.0], series, x_scale="log", y_scale="symlog"),
            Lines("no series", ()),
            Lines.from_arrays("empty", [], {"nothing": []}),
            HeatMap("no rows", ()),
            HeatMap.from_matrix(NASTY, [[math.nan, math.inf], [-1e308, 1e-320]], x_label=NASTY),
            HeatMap.from_matrix("zeros", np.zeros((1, 30))),
            HeatMap.from_matrix("large", np.eye(250), extent=(0.0, 1.0, 0.0, 1.0), patch=(10, 10)),
        ),
        path=(Located(NASTY, NASTY),),
        escapes=(Located(NASTY, NASTY),),
        source=Source(NASTY, 1, NASTY + "\n" + NASTY),
        seconds=math.nan,
        replay=NASTY,
        coverage=Coverage(NASTY, -1, 10**30, 0, stopped=NASTY, reasons=(NASTY, NASTY)),
        accuracy=Accuracy.from_survey(
            Survey((NASTY, "y"), wild, np.abs(claimed), claimed, np.ones(4), NASTY)
        ),
    )


def of(*cases: Result, **changes: object) -> Report:
    """A report of `cases`."""
    given: dict[str, object] = {
        "title": "Built-in suites",
        "suites": tuple(dict.fromkeys(case.suite for case in cases)),
        "created": "2026-03-01T12:00:00+00:00",
        "versions": _VERSIONS,
        "seed": 0,
        "cases": cases,
        "elapsed": 48.2,
        "replay": "symtape verify",
    }
    return Report(**(given | changes))  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def sample() -> Report:
    """A case of each verdict."""
    return of(correct(), wrong(), *others())


@pytest.fixture(scope="session")
def hostile() -> Report:
    """Hostile text and numbers wherever there is text or a number."""
    return of(
        nasty(),
        title=NASTY,
        versions={NASTY: NASTY},
        replay=NASTY,
        interrupted=True,
        selftest=NASTY,
        rungs=(RowRung(NASTY, NASTY, NASTY, NASTY),),
    )


@pytest.fixture(scope="session")
def large() -> Report:
    """150 cases, a few of them with a plot."""
    model = correct()
    cases = (
        dataclasses.replace(
            model, id=f"primitives/op_{at}", plots=model.plots[:1] if at % 50 == 0 else ()
        )
        for at in range(145)
    )
    return of(*cases, wrong(), *others())


@pytest.fixture(scope="session")
def surveyed() -> Report:
    """Searches, kinks, proofs and a self-test."""
    return surveyed_report()


@pytest.fixture(scope="session")
def pages(
    sample: Report, hostile: Report, empty: Report, large: Report, surveyed: Report
) -> dict[str, str]:
    """The HTML page of each report, made once."""
    reports = {
        "sample": sample,
        "hostile": hostile,
        "empty": empty,
        "large": large,
        "surveyed": surveyed,
    }
    return {name: render(report, "html") for name, report in reports.items()}


@pytest.fixture(scope="session")
def empty() -> Report:
    """No cases."""
    return of()
