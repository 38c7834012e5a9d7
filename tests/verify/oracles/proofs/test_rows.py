"""The rules of the vocabulary are proved; wrong ones, planted, are not."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from symtape.primitives.primitive import PRIMITIVES, Rule
from symtape.primitives.vocabulary import vocabulary
from symtape.symbolic.boxes import boxes, lie_inside
from verify.oracles.proofs import known
from verify.oracles.proofs.row import prove_row

ROWS = vocabulary()
NO_CLOSED_FORM = (
    *("gamma_by_shape", "owens_t", "wofz_real", "wofz_imag", "hyperu"),
    *("stdtr", "ncx2_pdf", "vonmises_cdf", "kolmogorov"),
)
"""Elementwise rows without a closed form in SymPy."""

REASONS = {
    "its row has no closed form in SymPy to differentiate": NO_CLOSED_FORM,
    "its derivative by a parameter has no closed form that the ring reads": (
        *("gammainc", "gammaincc", "betainc", "betaincc", "hurwitz_zeta"),
    ),
    "its degree is a whole number, which the ring takes for any number": (
        *("eval_gegenbauer", "eval_jacobi", "eval_genlaguerre"),
        *("eval_chebyt", "eval_hermite", "eval_hermitenorm"),
    ),
    "its cotangent is complex, and rules are recorded on real ones": ("fft", "rfft", "irfft"),
    "the symbolic engine has no reading of it": ("dct", "dst"),
}
CERTIFIED = {
    "svd": "nested roots of quartic polynomials",
    "singular_values": "the same, of 3x2 matrices",
    "qr": "3x3 matrices",
    "eig": "nested roots, under which the polynomials grow too long",
    "expm": "no closed form of its derivative, a larger exponential",
    "sqrtm": "nested roots, under which the polynomials grow too long",
    **{name: reason for reason, names in REASONS.items() for name in names},
}
ASSUMING = {
    "mills_slope": "the repeated integrals of the normal law's tail are not 0",
    "normal_tail_quotient": "the same",
}
SLOW = {"eigh", "cholesky", "pinv"}
QUICK = [row.name for row in ROWS if row.name not in {*CERTIFIED, *SLOW}]


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_a_rule_is_proved(name):
    row = PRIMITIVES[name]
    if known.find_shipped_proof(row) is None:
        return  # a row that says something else than when it was proved is certified
    found = prove_row(row)
    assert found.proved, found
    assert bool(found.assuming) == (name in ASSUMING) or not row.elementwise, found


@pytest.mark.parametrize("name", ["eval_hermite", "eval_hermitenorm", "eval_chebyt"])
def test_what_is_not_provable_is_told_in_words(name):
    found = prove_row(PRIMITIVES[name])
    assert not found.proved
    assert found.reason.startswith("by "), found


def replaced(rule, row, change):
    names = list(inspect.signature(rule.function).parameters)
    given = ", ".join(names)
    made = eval(
        f"lambda {given}: _change(_rule({given}))", {"_change": change, "_rule": rule.function}
    )
    return Rule(made, row.inputs, row.outputs)


FAULTS = {
    "sign": lambda c: -c,
    "factor": lambda c: c * (1 + 2.0**-40),
    "term": lambda c: c + 2.0**-60,
}
ZERO = {("imag", 0), ("heaviside", 1)}
"""Rules whose answer is 0, which no factor changes."""


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_rule_is_never_proved(fault, monkeypatch):
    """Of every fifth row; each fault is planted in others."""
    refuse_with(fault, QUICK[[*FAULTS].index(fault) :: 5], monkeypatch)


@pytest.mark.campaign
@pytest.mark.parametrize("fault", FAULTS)
def test_no_wrong_rule_of_any_row_is_proved(fault, monkeypatch):
    refuse_with(fault, QUICK, monkeypatch)


def refuse_with(fault, names, monkeypatch):
    for row in map(PRIMITIVES.get, names):
        for k, rule in enumerate(row.rules):
            if rule is None or rule.missing or ((row.name, k) in ZERO and fault != "term"):
                continue
            rules = list(row.rules)
            rules[k] = replaced(rule, row, FAULTS[fault])
            with monkeypatch.context() as patch:
                patch.setattr(row, "rules", tuple(rules))
                assert not prove_row(row).proved, (row.name, k)


WRONG = {
    "sign": ("cos", [lambda g, x: g * np.sin(x)]),
    "one of two forms": ("cos", [lambda g, x: g * np.where(x < -1, np.sin(x), -np.sin(x))]),
    "factor 2": ("sqrt", [lambda g, y: g / y]),
    "term of 1e-40": ("sin", [lambda g, x: g * np.cos(x) + g * 1e-40 * x]),
    "dropped term": ("power", [lambda g, a, b: g * b * a ** (b - 1), lambda g, a: g * 0 * a]),
    "dropped term of a square": ("hypot", [lambda g, a, y: g * a / y, lambda g, b, y: g * b]),
    "wrong argument": ("divide", [lambda g, b: g / b, lambda g, a, b: -g * b / a**2]),
    "transposed": ("matmul", [lambda g, a, b: g @ np.swapaxes(b, -1, -2), lambda g, a: a @ g]),
    "mean instead of sum": ("broadcast_to", [lambda g, x: np.zeros_like(x) + np.mean(g)]),
    "other branch": (
        "maximum",
        [lambda g, a, b: g * np.less(a, b), lambda g, a, b: g * np.greater(a, b)],
    ),
    "both branches": ("where", [None, lambda g: g, lambda g: g]),
    "stale value": ("tanh", [lambda g: g * (1 - np.tanh(0.75 + 1e-9) ** 2)]),
    "no rule": ("arctan", [lambda g: g * 0]),
    "nan": ("log", [lambda g, x: g / x + np.nan]),
    "raises": ("expm1", [lambda g, y: g * y.no_such_method()]),
    "branches on values": ("exp", [lambda g, y: g * y if y > 0 else g]),
    "leaves the tape": ("exp", [lambda g, y: g * float(y)]),
    "right on one side only": ("absolute", [lambda g, x: g + 0 * x]),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_planted_rule_is_not_proved(fault, monkeypatch):
    name, vjp = WRONG[fault]
    row = PRIMITIVES[name]
    monkeypatch.setattr(row, "rules", row._rules(vjp))
    found = prove_row(row)
    assert not found.proved
    assert found.reason


GRID = [-9.25, -2.0, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 40.0]


@pytest.mark.parametrize("name", [row.name for row in ROWS if row.over])
def test_the_region_lies_in_the_domain_and_off_the_kinks(name):
    row = PRIMITIVES[name]
    assert boxes(row.over)
    mesh = np.meshgrid(*[np.array(GRID)] * len(row.inputs), indexing="ij")
    values = [axis.ravel() for axis in mesh]
    within = lie_inside(row.over, row.inputs, values)
    assert np.any(within)
    with np.errstate(all="ignore"):
        if row.domain is not None:
            assert np.all(np.broadcast_to(row.domain(*values), within.shape)[within])
        if row.kinks is not None and name not in STEPS:
            assert not np.any(np.broadcast_to(row.kinks(*values), within.shape)[within])


STEPS = {"remainder", "fmod"}
"""Rows that jump along lines, which their proofs except."""


@pytest.mark.parametrize("name", sorted(STEPS))
def test_jumps_are_excepted_in_words(name):
    assert any("is no integer" in words for words in prove_row(PRIMITIVES[name]).where)
