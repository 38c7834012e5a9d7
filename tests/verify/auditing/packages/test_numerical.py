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
