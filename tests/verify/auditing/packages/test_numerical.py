"""Claims that differentiate numerically are known by the names of what they call."""

import pytest

from verify.auditing.packages.numerical import differentiating_numerically


@pytest.mark.parametrize(
    ("name", "numerically"),
    [
        ("approx_fprime", True),
        ("d2GE_dxixjs_numerical", True),
        ("finite_difference", True),
        ("_set_finite_difference_mode", False),
        ("is_numerical", False),
    ],
)
def test_what_differentiates_numerically_is_told_by_its_name(name, numerically):
    names = {}
    exec(f"def {name}():\n    return 7.0", names)
    assert differentiating_numerically(names[name]) == (7.0, name if numerically else "")


def value(x, k):
    return x**3 * k


def square(x):
    return x * x


@pytest.mark.parametrize(
    ("claim", "numerically"),
    [
        (lambda x, k: (value(x + 0.01, k) - value(x - 0.01, k)) / 0.02, "value"),
        (lambda x, k: (value(x + 1e-3, k) - 2 * value(x, k) + value(x - 1e-3, k)) / 1e-6, "value"),
        (lambda x, k: 3 * square(x) * k, ""),
        (lambda x, k: square(x + k) - square(x - k), ""),
        (lambda x, k: value(x, k + 1) + value(x, k), ""),
        (lambda x, k: square(1.01 * x + k) + square(x + k), ""),
    ],
)
def test_what_calls_a_function_on_both_sides_of_its_point_takes_differences(claim, numerically):
    assert differentiating_numerically(claim, (2.0, 1.5)) == (claim(2.0, 1.5), numerically)
