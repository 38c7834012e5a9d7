"""Products along directions: right ones pass, each usual mistake is found and named."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify.errors import UsageError
from verify.model.lifted import LiftedFunction, direction_names
from verify.model.verdict import Verdict
from verify.regions import as_region
from verify.regions.directions import RegionWithDirections, plain_directions

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])
VECTOR = verify.box(-2, 2, shape=(3,))
MATRIX = verify.box(-1, 1, shape=(2, 3))
EFFORT = 0.05


@pytest.fixture(autouse=True)
def no_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def cubes(x):
    return np.sum(x**3) + x[0] * x[1]


def scaled(a, b):
    return a * b + np.sin(b)


def hvp_of_cubes(x, v):
    mixed = np.zeros_like(x)
    mixed[0], mixed[1] = v[1], v[0]
    return 6 * x * v + mixed


RIGHT = {
    "tape's vjp": ("vjp", np.sin, [-3, 3], None),
    "tape's jvp": ("jvp", np.sin, [-3, 3], None),
    "tape's hvp": ("hvp", cubes, VECTOR, None),
    "vjp": ("vjp", np.tanh, [-60, 60], lambda x, g: g / np.cosh(x) ** 2),
    "jvp": ("jvp", np.tanh, [-60, 60], lambda x, t: t / np.cosh(x) ** 2),
    "hvp": ("hvp", cubes, VECTOR, hvp_of_cubes),
    "linear vjp": ("vjp", lambda x: A @ x, VECTOR, lambda x, g: A.T @ g),
    "linear jvp": ("jvp", lambda x: A @ x, VECTOR, lambda x, t: A @ t),
    "two arguments": (
        "vjp",
        scaled,
        (MATRIX, verify.box(-1, 1, shape=(3,))),
        lambda a, b, g: (g * b, np.sum(g * (a + np.cos(b)), axis=0)),
    ),
    "two tangents": (
        "jvp",
        scaled,
        ([-1, 1], [-1, 1]),
        lambda a, b, s, t: s * b + t * (a + np.cos(b)),
    ),
    "two vectors": (
        "hvp",
        lambda x, y: x * y**2,
        ([-1, 1], [-1, 1]),
        lambda x, y, v, w: (2 * y * w, 2 * y * v + 2 * x * w),
    ),
    "two outputs": ("vjp", lambda x: (np.sin(x), x**2), [-1, 1], None),
    "two outputs forward": (
        "jvp",
        lambda x: (np.sin(x), x**2),
        [-1, 1],
        lambda x, t: (np.cos(x) * t, 2 * x * t),
    ),
    "a function with an argument g": ("vjp", lambda g: g**2, [-1, 1], lambda g, c: 2 * g * c),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_right_products_pass(name):
    quantity, function, over, claimed = RIGHT[name]
    found = verify.derivative(quantity, function, over=over, claimed=claimed, effort=EFFORT)
    assert found.verdict is Verdict.CORRECT, str(found)


WRONG = {
    "sign": ("vjp", np.sin, [-3, 3], lambda x, g: -g * np.cos(x), "the sign is wrong"),
    "factor": ("jvp", lambda x: np.sin(2 * x), [-3, 3], lambda x, t: t * np.cos(2 * x), "2 times"),
    "cotangent not used": (
        "vjp",
        np.sin,
        [-3, 3],
        lambda x, g: np.cos(x),
        "the cotangent g is not used",
    ),
    "tangent not used": (
        "jvp",
        np.sin,
        [-3, 3],
        lambda x, t: np.cos(x),
        "the tangent t is not used",
    ),
    "vector not used": (
        "hvp",
        cubes,
        VECTOR,
        lambda x, v: hvp_of_cubes(x, np.ones(3)),
        "the vector v is not used",
    ),
    "transposed": ("vjp", lambda x: A @ x, VECTOR, lambda x, g: A @ g, "not transposed"),
    "transposed forward": (
        "jvp",
        lambda x: A @ x,
        VECTOR,
        lambda x, t: A.T @ t,
        "transposed Jacobian",
    ),
    "not zero along zeros": (
        "vjp",
        np.sin,
        [-3, 3],
        lambda x, g: g * np.cos(x) + 1,
        "",
    ),
    "sum over a broadcast axis": (
        "vjp",
        scaled,
        (MATRIX, verify.box(-1, 1, shape=(3,))),
        lambda a, b, g: (g * b, g * (a + np.cos(b))),
        "is the sum over the axes missing",
    ),
    "first row of a broadcast axis": (
        "vjp",
        lambda a, b: a * b,
        (MATRIX, verify.box(-1, 1, shape=(3,))),
        lambda a, b, g: (g * b, (g * a)[0]),
        "",
    ),
    "missing term": ("hvp", cubes, VECTOR, lambda x, v: 6 * x * v, ""),
    "one of two tangents": (
        "jvp",
        scaled,
        ([-1, 1], [-1, 1]),
        lambda a, b, s, t: s * b,
        "",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_mistakes_are_found_from_a_region_alone(name):
    quantity, function, over, claimed, words = WRONG[name]
    found = verify.derivative(quantity, function, over=over, claimed=claimed, effort=EFFORT)
    assert found.verdict is Verdict.WRONG, str(found)
    assert words in found.witness.message
    assert f"{found.verdict.value}  {quantity} of " in str(found)


def test_what_is_not_linear_is_told_at_a_zero_direction():
    found = verify.vjp(np.sin, claimed=lambda x, g: g * np.cos(x) + 0.25, at=[(0.5, 0.0)])
    assert "the cotangent g is zero here, and the product is not" in found.witness.message


KINKED = {
    "vjp of abs": ("vjp", np.abs, [-1, 1], lambda x, g: g * np.sign(x)),
    "vjp of relu": ("vjp", lambda x: np.maximum(x, 0), [-1, 1], lambda x, g: g * (x >= 0)),
    "jvp of abs": ("jvp", np.abs, [-1, 1], lambda x, t: t * np.sign(x)),
    "jvp of max": ("jvp", np.max, VECTOR, lambda x, t: t[np.argmax(x)]),
    "vjp of max": ("vjp", np.max, VECTOR, lambda x, g: g * np.eye(3)[np.argmax(x)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KINKED)
def test_products_at_a_kink_are_admissible(name):
    quantity, function, over, claimed = KINKED[name]
    found = verify.derivative(quantity, function, over=over, claimed=claimed, effort=EFFORT)
    assert bool(found), str(found)


REFUSED_AT_KINKS = {
    "twice a slope": ("vjp", lambda x: np.maximum(x, 0), (0.0, 3.0), lambda x, g: 2 * g * (x >= 0)),
    "nan": ("vjp", np.abs, (0.0, 3.0), lambda x, g: np.nan * x),
    "a constant": ("jvp", np.abs, (0.0, 1.0), lambda x, t: 2.0 + 0 * x),
    "nan along zeros": ("vjp", np.abs, (0.0, 0.0), lambda x, g: g * x / np.abs(x)),
}


@pytest.mark.parametrize("name", REFUSED_AT_KINKS)
def test_what_no_convention_gives_is_refused(name):
    quantity, function, point, claimed = REFUSED_AT_KINKS[name]
    with np.errstate(all="ignore"):
        found = verify.derivative(quantity, function, at=[point], claimed=claimed)
    assert found.verdict is Verdict.WRONG, str(found)


@pytest.mark.parametrize("quantity", ["vjp", "jvp"])
def test_zero_times_an_infinite_slope_is_nobodys_fault(quantity):
    def claimed(x, d):
        return d / (2 * np.sqrt(x))

    with np.errstate(all="ignore"):
        found = verify.derivative(quantity, np.sqrt, at=[(0.0, 0.0)], claimed=claimed)
    assert found.verdict is Verdict.KINK
    assert "infinite" in found.witness.message


def test_second_products_at_a_kink_that_is_none_of_theirs():
    found = verify.hvp(lambda x: np.sum(np.abs(x) ** 3), over=VECTOR, effort=EFFORT)
    assert found.verdict is Verdict.CORRECT, str(found)


SIZES = [1e-300, 1e-30, 1e30, 1e250]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("quantity", ["vjp", "jvp"])
def test_directions_of_any_size_give_no_false_alarm(quantity, size):
    points = [(x, np.array([size, -size / 3, 0.1 * size])) for x in ([0.5, 1.0, -2.0], [1e-9] * 3)]

    def claimed(x, d):
        return d * np.cos(x)

    for claim in (None, claimed):
        found = verify.derivative(quantity, np.sin, at=points, claimed=claim)
        assert found.verdict is Verdict.CORRECT, str(found)


@pytest.mark.parametrize("size", SIZES)
def test_vectors_of_any_size_give_no_false_alarm(size):
    vector = np.array([size, -size / 3, 0.1 * size])
    points = [([0.5, 1.0, -2.0], vector)]
    for claim in (None, hvp_of_cubes):
        assert verify.hvp(cubes, at=points, claimed=claim).verdict is Verdict.CORRECT


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("quantity", ["vjp", "jvp"])
def test_products_in_the_dtype_of_the_arguments(quantity, dtype):
    over = verify.box(-1, 1, shape=(2,), dtype=np.dtype(dtype).name)
    found = verify.derivative(
        quantity, np.exp, over=over, claimed=lambda x, d: d * np.exp(x), effort=EFFORT
    )
    assert found.verdict is Verdict.CORRECT, str(found)
    assert all(part.dtype == dtype for part in found.points[0].x)


PARTS = {
    "gradient": (lambda x, y: x * y**2, lambda x, y: 2 * x * y, 1),
    "jacobian": (lambda x, y: np.abs(x) * y**2, lambda x, y: 2 * np.abs(x) * y, 1),
    "hessian": (lambda x, y: np.abs(x) * y**3, lambda x, y: 6 * np.abs(x) * y, 1),
    "vjp": (lambda x, y: np.sin(x) * y, lambda x, y, g: g * np.sin(x), 1),
    "jvp": (lambda x, y: np.sin(x) * y, lambda x, y, t: t * np.sin(x), 1),
    "hvp": (lambda x, y: x * y**3, lambda x, y, v: 6 * x * y * v, 1),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("quantity", PARTS)
def test_by_some_of_the_arguments_alone(quantity):
    function, claimed, argnums = PARTS[quantity]
    for claim in (None, claimed):
        found = verify.derivative(
            quantity,
            function,
            over=([-1, 1], [-1, 1]),
            claimed=claim,
            argnums=argnums,
            effort=EFFORT,
        )
        assert bool(found), str(found)

    def off(*xs):
        return 1.5 * claimed(*xs)

    found = verify.derivative(
        quantity, function, over=([-1, 1], [-1, 1]), claimed=off, argnums=argnums, effort=EFFORT
    )
    assert found.verdict is Verdict.WRONG


def test_a_hessian_of_rows_and_columns():
    from dataclasses import replace

    from verify.judging.judge import verify_case
    from verify.model.case import Case

    def function(x, y):
        return np.sin(x) * y**2

    case = Case("f", "f", function, ((0.5, 2.0),), "hessian", wrt=((0,), (1,)))
    assert verify_case(case).verdict is Verdict.CORRECT
    right = replace(case, claimed=lambda x, y: 2 * y * np.cos(x))
    assert verify_case(right).verdict is Verdict.CORRECT
    wrong = verify_case(replace(case, claimed=lambda x, y: 2 * y * np.sin(x)))
    assert wrong.verdict is Verdict.WRONG


def test_directions_that_are_given():
    over, along = [-1, 1], verify.box(0.5, 0.75)
    found = verify.vjp(np.sin, over=over, directions=along, effort=EFFORT)
    assert all(0.5 <= point.x[1] <= 0.75 for point in found.points)
    assert "g in [0.5, 0.75]" in found.coverage.region


def test_points_without_directions_are_tried_with_several():
    found = verify.jvp(np.exp, at=[[0.0, 1.0]])
    assert len(found.points) > 3
    assert not any(np.any(point.x[1]) for point in found.points[1:2])


def test_a_report_names_the_directions():
    found = verify.vjp(np.sin, claimed=lambda x, g: 2 * g * np.cos(x), at=[(0.5, 3.0)])
    said = str(found)
    assert "g = 3.0" in said
    assert "vjp with respect to x" in said
    assert '"quantity": "vjp"' in found.to_json()


def test_the_line_of_the_user_is_blamed():
    def function(x, y):
        return np.exp(x) * np.sin(y)

    def claimed(x, y, g):
        return g * np.exp(x) * np.sin(y), -g * np.exp(x) * np.cos(y)

    found = verify.vjp(function, claimed=claimed, over=([-1, 1], [-1, 1]), effort=EFFORT)
    assert found.witness.op == "negative"
    line = claimed.__code__.co_firstlineno + 1
    assert found.witness.origin == f"{__file__}:{line}"


USAGE = [
    (lambda: verify.gradient(np.sin, at=[1.0], argnums=3), "argnums=3; expected indices"),
    (lambda: verify.vjp(np.sin, at=[([1.0, 2.0], 3.0)]), "the cotangent g has shape"),
    (lambda: verify.jvp(np.sin, at=[(1.0, 2.0, 3.0)]), "expected the 1 arguments"),
    (lambda: verify.hvp(np.sin, at=[([1.0, 2.0],)]), "the hvp is that of a scalar function"),
    (
        lambda: verify.derivative("gradient", np.sin, at=[1.0], directions=[0, 1]),
        "directions= are for a vjp",
    ),
]


@pytest.mark.parametrize(("call", "words"), USAGE)
def test_what_does_not_fit_is_refused_in_words(call, words):
    with pytest.raises(UsageError, match=words):
        call()


def test_a_marked_product_is_a_case_of_its_file(tmp_path):
    from verify.campaign.load import Target
    from verify.judging.judge import verify_case

    path = tmp_path / "products.py"
    path.write_text(
        "import numpy as np, verify\n"
        "@verify.case(over=[-1, 1], quantity='vjp', claimed=lambda x, g: -g * np.cos(x))\n"
        "@verify.case(over=([-1, 1]), quantity='jvp')\n"
        "def f(x):\n"
        "    return np.sin(x)\n"
    )
    verdicts = [verify_case(case, effort=EFFORT).verdict for case in Target(str(path)).cases()]
    assert verdicts == [Verdict.WRONG, Verdict.CORRECT]


def test_names_of_directions_are_free():
    assert direction_names("hvp", ["x"], ["x"]) == ["v"]
    assert direction_names("vjp", ["x", "g"], ["0", "1"]) == ["g0", "g1"]
    assert direction_names("vjp", ["g0"], ["0", "1"]) == ["cotangent0", "cotangent1"]
    assert LiftedFunction(lambda x: 2 * x, ["x"], ["g"])(3.0, 5.0) == 6.0


def test_a_directed_region_keeps_its_promises():
    region = RegionWithDirections(
        as_region(([0, 4], [-1, 1]), ["x", "y"]), ["g"], lambda x: (((2,), np.dtype(float)),)
    )
    random = np.random.default_rng(0)
    points = [region.draw(random, manner, 1) for manner in ("uniform", "mixed", "whole")]
    for point in points:
        assert region.contains(point)
        numbers, names = region.coordinates(point)
        assert names == ["x", "y", "g[0]", "g[1]"]
        for k, number in enumerate(numbers):
            low, high = region.bounds(k, point)
            assert low <= number <= high
            assert region.replace_coordinate(point, k, low) is not None
        assert all(region.contains(simpler) for simpler in region.simpler(point))


def test_plain_directions_hold_zeros_ones_and_unit_vectors():
    found = [np.ravel(flat).tolist() for (flat,) in plain_directions((((3,), np.dtype(float)),))]
    assert {tuple(flat) for flat in found} >= {(0, 0, 0), (1, 1, 1), (1, 0, 0), (0, 0, 1)}


WHERE_NOT_LINEAR = {
    "beyond 5": lambda g: np.where(np.abs(g) > 5, 1.5 * g, g),
    "clipped": lambda g: np.clip(g, -1e3, 1e3),
    "below a hundredth": lambda g: np.where(np.abs(g) < 1e-2, 0, g),
    "of one sign": lambda g: np.where(g < -30, 0, g),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", WHERE_NOT_LINEAR)
def test_a_product_that_is_not_linear_in_its_direction_is_found(name):
    turned = WHERE_NOT_LINEAR[name]
    found = [
        verify.vjp(np.sin, lambda x, g: turned(g) * np.cos(x), over=VECTOR, effort=0.15),
        verify.jvp(np.sin, lambda x, t: np.cos(x) * turned(t), over=VECTOR, effort=0.15),
        verify.hvp(cubes, lambda x, v: hvp_of_cubes(x, turned(v)), over=VECTOR, effort=0.15),
    ]
    assert [one.verdict for one in found] == [Verdict.WRONG] * 3
