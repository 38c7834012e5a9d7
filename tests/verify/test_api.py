"""The calls people write."""

from __future__ import annotations

import inspect
import pydoc
import re

import numpy as np
import pytest

import verify
from verify import Budget
from verify.api import derivative
from verify.commands.verify import verify as command
from verify.errors import UsageError
from verify.judging.judge import verify_case
from verify.limits.limit import DEFAULT_BUDGET
from verify.model.quantity import QUANTITIES
from verify.options import defaults
from verify.options.command_lines import EFFORTS
from verify.options.keywords import KEYWORDS

FAMILIES = [*QUANTITIES, "derivative", *(f"assert_{quantity}" for quantity in QUANTITIES)]
TAKERS = [*FAMILIES, "assert_optimize", "assert_ivp", "case"]


@pytest.mark.slow
@pytest.mark.parametrize("quantity", ["gradient", "jacobian", "hessian", "vjp", "jvp", "hvp"])
def test_each_call_is_the_general_one(quantity):
    call = getattr(verify, quantity)
    for claimed in (None, lambda x, *direction: 3.0 + 0 * x):
        one = call(lambda x: x**3, at=[1.0], claimed=claimed)
        other = derivative(quantity, lambda x: x**3, at=[1.0], claimed=claimed)
        assert one.case.quantity == other.case.quantity == quantity
        assert [p.verdict for p in one.points] == [p.verdict for p in other.points]
    known = inspect.signature(call).parameters
    general = set(inspect.signature(derivative).parameters) - {"quantity"}
    along = quantity in ("vjp", "jvp", "hvp")
    assert set(known) == general - (set() if along else {"directions"})


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (np.exp, "exp"),
        (lambda x: x, "the lambda at tests/verify/test_api.py:"),
        (type("Energy", (), {"__call__": lambda self, x: x})(), "Energy"),
    ],
)
def test_a_function_goes_by_its_name(function, name):
    assert verify.gradient(function, at=[0.5]).case.title.startswith(name)


def test_nothing_is_swallowed_that_the_function_raises():
    def broken(x):
        raise RuntimeError("my own")

    with pytest.raises(RuntimeError, match="my own"):
        verify.gradient(broken, at=[0.5])


def test_the_arguments_of_the_caller_are_left_alone():
    x = np.array([1.0, 2.0])
    assert verify.gradient(lambda x: np.sum(x**2), at=[x], budget=Budget(seconds=30))
    assert x.tolist() == [1.0, 2.0]


def parameters_told(name):
    """The names in the Parameters section of a docstring, each with what is said of it."""
    text = inspect.getdoc(getattr(verify, name))
    section = re.search(r"Parameters\n-+\n(.*?)\n\n\w+\n---", text, re.DOTALL)[1]
    entries = re.split(r"\n(?=\S)", section)
    return {entry.partition(" : ")[0]: entry.partition("\n")[2] for entry in entries}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_parameter_is_in_the_docstring_and_no_other(name):
    told = parameters_told(name)
    assert list(told) == list(inspect.signature(getattr(verify, name)).parameters)
    assert all(words.strip() for words in told.values())
    page = pydoc.render_doc(getattr(verify, name))
    assert "see :func:" not in page
    assert max(map(len, inspect.getdoc(getattr(verify, name)).splitlines())) < 100
    assert all(f"\n    {section}\n    ---" in page for section in ("Returns", "Raises", "Examples"))


def keywords_of(name):
    """The parameters of a function that the table has, by name."""
    parameters = inspect.signature(getattr(verify, name)).parameters.values()
    return {it.name: it for it in parameters if it.name in KEYWORDS}


@pytest.mark.parametrize("name", TAKERS)
def test_defaults_are_those_of_the_table_or_of_the_run(name):
    for found in keywords_of(name).values():
        keyword = KEYWORDS[found.name]
        from_run = keyword.of_run and name not in (*QUANTITIES, "derivative")
        required = found.default is inspect.Parameter.empty
        assert required or found.default in (keyword.default, *([None] if from_run else []))
        assert not required or found.name in ("function", "quantity")


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_a_keyword_has_the_same_type_wherever_it_is_taken(keyword):
    kinds = {
        str(found[keyword].annotation).removesuffix(" | None")
        for found in map(keywords_of, TAKERS)
        if keyword in found
    }
    assert len(kinds) == 1


def test_the_options_of_the_command_are_of_the_table():
    options = {option.name: option for option in command.params}
    for name in ("at", "over", "quantity", "claimed", "budget", "effort", "seed", "strict"):
        assert options[name].help.startswith(KEYWORDS[name].brief)
    assert float(options["budget"].default) == KEYWORDS["budget"].default


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_a_call_and_its_assertion_take_the_same_in_the_same_order(quantity):
    call, assertion = (
        list(inspect.signature(getattr(verify, name)).parameters.values())
        for name in (quantity, f"assert_{quantity}")
    )
    assert [it.name for it in assertion] == [*(it.name for it in call), "allow_undecided"]
    assert all(one.kind == other.kind for one, other in zip(call, assertion, strict=False))


@pytest.mark.parametrize("prefix", ["", "assert_"])
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_the_claim_may_stand_second(quantity, prefix):
    def claim(x, *direction):
        return 3.0 * x**2 * (direction[0] if direction else 1.0)

    curved = {"hessian": lambda x: 6 * x, "hvp": lambda x, v: 6 * x * v}
    call = getattr(verify, f"{prefix}{quantity}")
    result = call(lambda x: x**3, curved.get(quantity, claim), at=[2.0])
    assert result.verdict is verify.Verdict.CORRECT
    assert result.case.claimed is not None


CALLS = [verify.gradient, verify.assert_gradient]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("budget", [30, 0.5e3, np.float32(30), Budget(seconds=30)], ids=str)
def test_a_budget_is_seconds_or_a_budget(call, budget):
    assert call(np.sin, np.cos, at=[0.5], budget=budget)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "budget", [0, -1, True, "5", float("nan"), [5], Budget(seconds=0), Budget(seconds=-1)], ids=str
)
def test_what_is_no_budget_is_refused(call, budget):
    with pytest.raises(UsageError, match=r"budget=.*; expected seconds above 0, as in budget=30"):
        call(np.sin, np.cos, at=[0.5], budget=budget)


def test_the_seconds_by_default_are_those_of_everybody():
    [told] = {
        inspect.signature(getattr(verify, q)).parameters["budget"].default for q in QUANTITIES
    }
    assert told == DEFAULT_BUDGET.seconds == defaults.Defaults().seconds


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", EFFORTS)
def test_an_effort_by_name_searches_as_its_number_does(call, name, monkeypatch):
    efforts = []

    def noted(case, budget, effort, proved):
        efforts.append(effort)
        return verify_case(case, budget, EFFORTS["quick"])

    monkeypatch.setattr("verify.api.verify_case", noted)
    assert call(np.sin, np.cos, over=[-1, 1], effort=name)
    assert efforts == [EFFORTS[name]]


def test_efforts_are_named_in_their_order():
    assert EFFORTS["quick"] < EFFORTS["normal"] == 1.0 < EFFORTS["thorough"]


@pytest.mark.parametrize(
    "call", [*CALLS, lambda _, claimed, **terms: verify.case(claimed=claimed, **terms)]
)
@pytest.mark.parametrize(
    "effort", [0, -1, True, "slow", "1", float("nan"), float("inf"), [1]], ids=str
)
def test_what_is_no_effort_is_refused(call, effort):
    with pytest.raises(
        UsageError, match=r"effort=.*; expected a number above 0.*'quick', 'normal'"
    ):
        call(np.sin, np.cos, over=[0, 1], effort=effort)


def _square(x):
    return np.sum(x * x)


def _slope(x, *directions):
    return 2 * x


NOT_MEANT = {
    "strict": ["no", 1, 0, np.array([True, False]), []],
    "seed": ["0", 1.5, -1, True],
    "budget": ["5", 0, -1, float("nan"), True],
    "effort": ["slow", 0, -1, float("nan"), True],
    "evidence": ["yes", None, 1, []],
    "convention": ["no", None, 1, []],
    "argnums": ["y", 1.5, 5, [], [0, 0], True, {}],
    "at": [5, "x", [], {}, np.array([1.0, 2.0])],
    "over": ["x", 5, [1], [2, 1], {}, (1,)],
    "directions": ["x", 5, object()],
    "claimed": [5, "x", []],
    "allow_undecided": ["no", None, 1],
    "title": [5, b"energy"],
}
"""Values that no keyword of that name takes, among them such as are true or false in an `if`."""


@pytest.mark.parametrize("name", NOT_MEANT)
@pytest.mark.parametrize("call", [verify.gradient, verify.vjp, verify.assert_vjp, verify.case])
def test_each_keyword_is_checked_when_it_is_given(call, name):
    known = inspect.signature(call).parameters
    late = call is verify.case and name in ("argnums", "directions")  # they need the function
    if name not in known or late:
        pytest.skip("the call has none, or checks it with the function")
    own = {"claimed": _slope, "at": [np.array([1.0, 2.0])]}
    for value in NOT_MEANT[name]:
        with pytest.raises(UsageError) as refused:
            call(*([] if call is verify.case else [_square]), **{**own, name: value})(_square)
        assert name in str(refused.value)
        assert re.search("expected|give|an interval is", str(refused.value))
