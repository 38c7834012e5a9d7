"""The checker of certificates: what it accepts, what it does not, and that it stands alone."""

import ast
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from verify.certificates import checker
from verify.certificates.checker import Rejected, check, digest

SOURCE = Path(checker.__file__)
X, Y = ["input", 0], ["input", 1]
ONE, TWO, MINUS, HALF = (["number", text] for text in ("1", "2", "-1", "1/2"))
SQUARE = ["mul", X, X]


def rows_of(*formulas):
    """The rows of nested formulas, and where each of them is."""
    rows = []

    def place(formula):
        name, *parts = formula
        row = [name, *(place(part) if isinstance(part, list) else part for part in parts)]
        if row not in rows:
            rows.append(row)
        return rows.index(row)

    places = [place(formula) for formula in formulas]
    return rows, places


def seal(certificate):
    return {**certificate, "digest": digest(certificate)}


def certificate_of(
    function, claimed, call, box=((1, 2),), quantity="gradient", by=(0,), directions=(), asked=()
):
    """The certificate of a function of one number, by hand."""
    rows, places = rows_of(function, *claimed, *(formula for formula, _ in asked))
    region = [[str(Fraction(end)) for end in ends] for ends in box]
    part = {
        "boxes": [region],
        "program": rows,
        "function": places[:1],
        "claimed": places[1 : 1 + len(claimed)],
        "defined": [],
        "conditions": [
            [at, value] for at, (_, value) in zip(places[1 + len(claimed) :], asked, strict=True)
        ],
        "call": [[str(Fraction(each)) for each in numbers] for numbers in call],
    }
    claim = {"case": "a", "quantity": quantity, "by": [*by], "directions": [*directions]}
    return seal({"format": checker.FORMAT, "claim": claim, "region": region, "parts": [part]})


AT = 1.5
EXP, LOG, SIN, COS = (
    2.718281828459045**AT,
    0.4054651081081644,
    0.9974949866040544,
    0.0707372016677029,
)
SINE, COSINE = ["sin", X], ["cos", X]
RIGHT = {
    "a square": (SQUARE, [["mul", TWO, X]], [[AT], [AT**2], [2 * AT]]),
    "a quotient": (
        ["power", X, "-1"],
        [["mul", MINUS, ["power", SQUARE, "-1"]]],
        [[AT], [1 / AT], [-1 / AT**2]],
    ),
    "exponentials": (
        ["exp", SQUARE],
        [["mul", ["mul", TWO, X], ["power", ["exp", ["mul", X, ["mul", HALF, X]]], "2"]]],
        [[AT], [2.718281828459045 ** (AT**2)], [2 * AT * 2.718281828459045 ** (AT**2)]],
    ),
    "roots": (
        ["power", SQUARE, "3/2"],
        [["mul", ["number", "3"], SQUARE]],
        [[AT], [AT**3], [3 * AT**2]],
    ),
    "logarithms": (
        ["log", ["mul", TWO, X]],
        [["power", X, "-1"]],
        [[AT], [LOG + 0.6931471805599453], [1 / AT]],
    ),
    "sines": (
        ["mul", SINE, SINE],
        [["sin", ["mul", TWO, X]]],
        [[AT], [SIN**2], [2 * SIN * COS]],
    ),
    "a power of a logarithm": (
        ["exp", ["mul", X, ["log", X]]],
        [["mul", ["exp", ["mul", X, ["log", X]]], ["add", ONE, ["log", X]]]],
        [[AT], [AT**AT], [AT**AT * (1 + LOG)]],
    ),
    "an absolute value": (
        ["mul", X, ["add", ["mul", TWO, ["step", X, 1]], MINUS]],
        [["add", ["step", X, 0], ["mul", MINUS, ["step", ["mul", MINUS, X], 0]]]],
        [[AT], [AT], [1]],
    ),
}
WRONG = {
    "a factor": (SQUARE, [["mul", ["number", "2000000001/1000000000"], X]]),
    "a sign": (["cos", X], [["sin", X]]),
    "a term": (["exp", X], [["add", ["exp", X], ["power", X, "-40"]]]),
    "another power": (["power", X, "1/2"], [["mul", HALF, ["power", X, "-1/3"]]]),
    "another argument": (["log", X], [["power", ["add", X, ONE], "-1"]]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_accepted(name):
    function, claimed, call = RIGHT[name]
    proof = check(certificate_of(function, claimed, call))
    assert (proof.share, proof.assumptions) == (1, [])


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_not(name):
    function, claimed = WRONG[name]
    rows, _ = rows_of(function, *claimed)
    made = certificate_of(function, claimed, [[AT], [1], [1]])
    with pytest.raises(Rejected, match="does not compute what was returned"):
        check(made)
    p = checker._Program(1)
    places = p.read(rows)
    values = p.enclose(((Fraction(AT), Fraction(AT)),), p.needed(places))
    part = made["parts"][0]
    told = [
        [str(Fraction(float(values[at].mid))) for at in part[it]] for it in ("function", "claimed")
    ]
    part["call"] = [[str(Fraction(AT))], *told]
    with pytest.raises(Rejected, match="entry 0 is not shown to be the derivative"):
        check(seal(made))


def test_second_derivatives_and_products():
    product = ["mul", SQUARE, Y]
    box, by, values = ((1, 2), (1, 2)), (0, 1), [[AT, 1], [AT**2], None]
    twice = [["mul", TWO, Y], ["mul", TWO, X], ["mul", TWO, X], ["number", "0"]]
    values[2] = [2, 2 * AT, 2 * AT, 0]
    assert check(certificate_of(product, twice, values, box, "hessian", by)).share == 1
    box, tangent = ((1, 2), (-1, 1)), [["mul", ["mul", TWO, X], Y]]
    for quantity in ("jvp", "vjp"):
        values = [[AT, 0.5], [AT**2], [AT]]
        assert check(certificate_of(SQUARE, tangent, values, box, quantity, (0,), (1,))).share == 1
    curved = [["mul", TWO, Y]]
    values = [[AT, 0.5], [AT**2], [1]]
    assert check(certificate_of(SQUARE, curved, values, box, "hvp", (0,), (1,))).share == 1


def test_what_intervals_do_not_show_is_an_assumption():
    absolute, signs, call = RIGHT["an absolute value"]
    proof = check(certificate_of(absolute, signs, call, box=((-1, 2),)))
    assert proof.assumptions == ["x0 is not 0", "mul(-1, x0) is not 0"]
    root, slope = ["power", X, "1/2"], [["mul", HALF, ["power", X, "-1/2"]]]
    call = [[1], [1], [0.5]]
    assert (
        check(certificate_of(root, slope, call, box=((0, 2),))).assumptions
        == [
            "x0 is not negative",
            "x0 is positive",
        ][1:]
    )


OPERATIONS = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "power": lambda a, n: a ** (mpmath.mpf(n.numerator) / n.denominator),
    "exp": mpmath.exp,
    "log": mpmath.log,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "atan": mpmath.atan,
    "asin": mpmath.asin,
    "erf": mpmath.erf,
    "loggamma": lambda a, order: mpmath.psi(order - 1, a) if order else mpmath.loggamma(a),
}
numbers = st.fractions(-3, 3, max_denominator=8)
formulas = st.recursive(
    st.one_of(st.sampled_from([X, Y]), numbers.map(lambda q: ["number", str(q)])),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["add", "mul"]), inner, inner).map(list),
        st.tuples(st.sampled_from(["exp", "log", "sin", "cos", "atan", "asin", "erf"]), inner).map(
            list
        ),
        st.tuples(
            st.just("power"), inner, st.sampled_from(["-2", "-1", "-1/2", "1/2", "2/3", "2", "3"])
        ).map(list),
        st.tuples(st.just("loggamma"), inner, st.integers(0, 2)).map(list),
    ),
    max_leaves=8,
)


def to_float(text):
    number = Fraction(text)
    return mpmath.mpf(number.numerator) / number.denominator


def value_of(formula, x):
    """The value of a formula at a point; None where it is not defined, or too large to say."""
    name, *parts = formula
    if name in ("input", "number"):
        return x[parts[0]] if name == "input" else to_float(parts[0])
    given = [value_of(part, x) if isinstance(part, list) else part for part in parts]
    if any(each is None for each in given):
        return None
    if name == "power":
        given[1] = Fraction(given[1])
    positive = name in ("log", "loggamma") or (name == "power" and given[1].denominator > 1)
    if (positive and given[0] <= 0) or (name == "asin" and abs(given[0]) > 1):
        return None
    if (name == "power" and given[0] == 0) or abs(given[0]) > 50:
        return None
    return OPERATIONS[name](*given)


@given(formulas, st.floats(-2, 2), st.floats(-2, 2), st.floats(0, 1))
def test_intervals_hold_the_values_of_formulas(formula, a, b, width):
    p = checker._Program(2)
    rows, [place] = rows_of(formula)
    places = p.read(rows)
    box = tuple((Fraction(low), Fraction(low) + Fraction(width)) for low in (a, b))
    checker.iv.prec = 120
    found = p.enclose(box, p.needed([places[place]]))[places[place]]
    with mpmath.workdps(50):
        for share in (0, 0.375, 1):
            x = [mpmath.mpf(low) + mpmath.mpf(share) * mpmath.mpf(width) for low in (a, b)]
            value = value_of(formula, x)
            # One that is narrower than the precision at which it is compared is widened.
            slack = mpmath.mpf("1e-25") * (1 + abs(value or 0))
            assert value is None or checker.iv.mpf([value - slack, value + slack]) in (
                found + checker.iv.mpf([-slack, slack]) * 4
            )


def value_of_form(ring, form, x):
    """The value of a form at a point, by what its generators stand for."""
    return mpmath.fsum(
        c.numerator
        * mpmath.fprod(value_of_power(ring, at, e, x) for at, e in monomial)
        / c.denominator
        for monomial, c in form.items()
    )


def value_of_power(ring, at, e, x):
    kind, argument = ring.generators[at]
    exponent = mpmath.mpf(e.numerator) / e.denominator
    if kind in ("input", "pi", "i"):
        return {"pi": mpmath.pi, "i": mpmath.j}.get(kind, x[argument or 0]) ** exponent
    if kind in ("exp", "turn"):
        power = exponent * value_of_form(ring, {argument: Fraction(1)}, x)
        return mpmath.exp(power if kind == "exp" else mpmath.j * power)
    inner = value_of_form(ring, argument, x)
    if kind in ("root", "below"):
        return (inner.real if kind == "root" else inner) ** exponent
    name, _, order = kind.partition(" ")
    return OPERATIONS[name](inner.real, *map(int, order.split())) ** exponent


@pytest.mark.long
@settings(max_examples=200)
@given(formulas, st.floats(-2, 2), st.floats(0.125, 2))
def test_forms_have_the_values_of_formulas(formula, a, b):
    p, ring = checker._Program(2), checker._Ring({1})
    rows, [place] = rows_of(formula)
    places, forms = p.read(rows), {}
    x = [mpmath.mpf(a), mpmath.mpf(b)]
    with mpmath.workdps(60):
        value = value_of(formula, x)
        assume(value is not None and abs(value) < 1e6)
        try:
            for at in p.needed([places[place]]):
                forms[at] = p.apply(at, checker._FORMS, forms, ring)
        except (Rejected, ValueError):  # too long, or 0 that divides
            assume(False)
        found = value_of_form(ring, forms[places[place]], x)
        assert abs(found - value) <= mpmath.mpf("1e-30") * (1 + abs(value))


def test_a_product_of_two_numbers_of_which_nothing_is_known_may_be_negative():
    unknown = checker._ANYTHING
    assert checker._BOUNDS["mul"](unknown, unknown).a < 0


def test_conditions_of_a_path_have_to_hold_all_over_the_boxes():
    function, claimed, call = RIGHT["a square"]
    step = ["step", ["add", X, ["number", "-1/2"]], 1]
    assert check(certificate_of(function, claimed, call, asked=[(step, 1)])).share == 1
    for box, value in (((0, 2), 1), ((1, 2), 0)):
        made = certificate_of(function, claimed, call, box=(box,), asked=[(step, value)])
        with pytest.raises(Rejected, match="a condition of its path"):
            check(made)


def test_a_rounded_constant_is_near_what_it_stands_for():
    for float_value, accepted in ((0.1, True), (0.1 + 2**-50, False)):
        tenth = ["rounded", ["number", "1/10"], str(Fraction(float_value))]
        claimed = ["mul", ["rounded", ["number", "1/5"], str(Fraction(0.2))], X]
        made = certificate_of(["mul", tenth, SQUARE], [claimed], [[1], [0.1], [0.2]])
        if accepted:
            assert check(made).share == 1
        else:
            with pytest.raises(Rejected, match="stands for another number"):
                check(made)


def test_boxes_are_in_the_region_and_apart():
    made = certificate_of(*RIGHT["a square"])
    part = made["parts"][0]
    for boxes, words in (
        ([[["1", "2"]], [["3/2", "2"]]], "overlap"),
        ([[["1", "3"]]], "not inside"),
        ([[["2", "1"]]], "not inside"),
        ([[["7/4", "2"]]], "not called in its boxes"),
    ):
        with pytest.raises(Rejected, match=words):
            check(seal({**made, "parts": [{**part, "boxes": boxes}]}))
    halves = {**part, "boxes": [[["1", "3/2"]], [["7/4", "2"]]]}
    assert check(seal({**made, "parts": [halves]})).share == Fraction(3, 4)


def test_it_is_small_and_imports_nothing_of_ours():
    text = SOURCE.read_text()
    modules = {
        (alias.name if isinstance(node, ast.Import) else node.module).partition(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert text.count("\n") <= 600
    assert modules - set(sys.stdlib_module_names) == {"mpmath"}


def test_it_runs_by_itself(tmp_path):
    good = certificate_of(*RIGHT["a square"])
    (tmp_path / "good.json").write_text(json.dumps(good))
    command = [sys.executable, "-I", str(SOURCE), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "good.json: gradient of a proved on 100.00%\n")
    (tmp_path / "other.json").write_text(json.dumps({**good, "region": [["1", "3"]]}))
    (tmp_path / "text.json").write_text("{")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.count("REJECTED") == 2
