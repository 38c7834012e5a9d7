"""The tape's own program, in place of a claim that fails: right where it failed, or not shown."""

import json

import numpy as np
import pytest

import verify
from verify.judging.judge import verify_case
from verify.model.case import Case
from verify.reporting.as_issue import issue
from verify.reporting.remedies import programs
from verify.reporting.remedies.trials import remedies
from verify.reporting.reported import prepare_report


def energy(x):
    return np.sum(x**2 * np.sin(x)) / 2


def forgets_a_term(x):
    return x * np.sin(x)


def product(a, b):
    return np.sum(a * np.exp(b))


def rectified(x):
    return np.sum(x * x) if x[0] > 0 else np.sum(x)


POINT = np.array([1.0, 2.0, 0.5])
CLAIMS = {
    "gradient": lambda: verify.gradient(energy, forgets_a_term, at=[POINT]),
    "by one argument": lambda: verify.gradient(
        product, lambda a, b: a * np.exp(a), at=[(POINT, POINT + 1)], argnums=1
    ),
    "by both": lambda: verify.gradient(
        product, lambda a, b: (np.exp(b), a), at=[(POINT, POINT + 1)]
    ),
    "jacobian": lambda: verify.jacobian(np.sin, lambda x: np.diag(np.sin(x)), at=[POINT]),
    "hessian": lambda: verify.hessian(energy, lambda x: np.eye(3), at=[POINT]),
    "of one path": lambda: verify.gradient(rectified, lambda x: x, at=[POINT]),
    "searched": lambda: verify.gradient(energy, forgets_a_term, over=verify.box(1, 2, shape=(3,))),
}


def replacing(result):
    return [remedy.line for remedy in remedies(result) if remedy.kind == "replace"]


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMS)
def test_what_is_shown_runs_alone_and_is_correct_where_the_claim_is_not(name):
    result = CLAIMS[name]()
    assert result.verdict.fails
    (text,) = replacing(result)
    space = {}
    exec(text, space)
    (made,) = [value for key, value in space.items() if key.startswith(("grad", "jac", "hess"))]
    at = (result.worst.x,)
    case = result.case
    again = Case(
        **{
            each: getattr(case, each)
            for each in ("id", "title", "suite", "function", "quantity", "wrt")
        },
        at=at,
        claimed=made,
    )
    assert verify_case(again).verdict is verify.Verdict.CORRECT


@pytest.mark.long
def test_texts(snapshot):
    told = []
    for name, claim in CLAIMS.items():
        told += [f"=== {name}", *replacing(claim()), ""]
    result = prepare_report(CLAIMS["gradient"]())
    told += ["=== in brief", str(result), "", "=== in full", result.explain()]
    told += ["", "=== in an issue", issue(result, {})]
    snapshot("programs", "\n".join(told) + "\n")


def test_reports_have_it():
    result = CLAIMS["gradient"]()
    (text,) = replacing(result)
    kept = json.loads(result.to_json())["remedies"]
    assert [it["line"] for it in kept if it["kind"] == "replace"] == [text]
    assert "with 7 lines of NumPy code that are correct at this point" in str(result)
    assert "return 0.5" in result.explain()
    assert text in issue(prepare_report(result), {})


def test_of_a_long_one_the_command_is_named_that_prints_it(monkeypatch):
    monkeypatch.setattr(programs, "_LINES", 5)
    result = verify.gradient(energy, forgets_a_term, at=[POINT])
    (line,) = replacing(result)
    assert line.startswith("symtape derive ")
    assert line.endswith("test_programs.py:energy --at '[1.0, 2.0, 0.5]' --code numpy")
    monkeypatch.setattr(programs, "_NUMBERS", 2)
    assert "--at 'POINT'" in replacing(result)[0]


def test_a_program_that_fails_too_is_not_shown(monkeypatch):
    lie = programs.source

    def lying(*args):
        return lie(*args).replace("np.cos", "np.sin")

    result = CLAIMS["gradient"]()
    assert replacing(result)
    monkeypatch.setattr(programs, "source", lying)
    assert replacing(result) == []


def test_a_line_that_mends_the_claim_is_enough():
    def length(x):
        return np.sqrt(np.sum(x**2))

    def direction(x):
        r = np.sqrt(np.sum(x**2))
        return x / r

    result = verify.gradient(length, direction, at=[np.zeros(2)])
    kinds = [remedy.kind for remedy in remedies(result)]
    assert "fix" in kinds
    assert "replace" not in kinds


NOTHING = {
    "a product": lambda: verify.jvp(np.sin, lambda x, t: t, at=[(POINT, POINT)]),
    "long to run": lambda: verify.gradient(
        lambda x: sum(np.sin(x[0] * k) for k in range(400)), lambda x: x, at=[np.ones(1)]
    ),
    "large": lambda: verify.gradient(
        lambda x: np.sum(np.sin(x) * np.cos(x)), lambda x: x, at=[np.ones(2000)]
    ),
    "right": lambda: verify.gradient(np.sin, np.cos, at=[0.5]),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_shown_of_what_nobody_reads(name):
    assert replacing(NOTHING[name]()) == []
