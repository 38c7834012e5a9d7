"""The table of rows: a name is declared once, and what an installed library lacks is left out."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest

from symtape.primitives import primitive
from symtape.primitives.primitive import FUNCTIONS, PRIMITIVES, Primitive, declare, implements

ROW = 'declare(name="thrice", inputs="x", evaluate=lambda x: 3 * x, vjp=[lambda g: 3 * g])\n'
MODULE = f"""
import numpy as np
from symtape.primitives.primitive import declare, implements

{ROW}
@implements(np.busday_count)
def meaning(x):
    return x

"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """A folder of modules, whose rows are forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    for table in (PRIMITIVES, FUNCTIONS, primitive._DECLARERS):
        for key in ("thrice", np.busday_count, np.busday_offset):
            monkeypatch.delitem(table, key, raising=False)
    yield tmp_path
    for file in tmp_path.glob("*.py"):
        sys.modules.pop(file.stem, None)
    for table in (PRIMITIVES, FUNCTIONS, primitive._DECLARERS):
        for key in ("thrice", np.busday_count, np.busday_offset):
            table.pop(key, None)


def test_a_module_whose_import_failed_fails_for_the_same_reason_again(modules):
    (modules / "half_rows.py").write_text(MODULE + "np.a_name_of_another_version\n")
    for _ in range(3):
        with pytest.raises(AttributeError, match="a_name_of_another_version"):
            importlib.import_module("half_rows")


def test_a_module_that_was_mended_is_imported(modules):
    file = modules / "mended_rows.py"
    file.write_text(MODULE + "np.a_name_of_another_version\n")
    with pytest.raises(AttributeError):
        importlib.import_module("mended_rows")
    file.write_text(MODULE + "# and nothing that fails, so that the length differs as well\n")
    importlib.invalidate_caches()
    importlib.import_module("mended_rows")
    assert PRIMITIVES["thrice"](np.float64(2.0)) == 6.0


@pytest.mark.parametrize("text", [ROW, "implements(np.busday_count)(abs)\n"])
def test_a_name_that_another_module_took_is_refused(modules, text):
    (modules / "first_rows.py").write_text(MODULE)
    (modules / "second_rows.py").write_text(
        f"import numpy as np\nfrom symtape.primitives.primitive import declare, implements\n{text}"
    )
    importlib.import_module("first_rows")
    with pytest.raises(ValueError, match="declared twice"):
        importlib.import_module("second_rows")


def test_a_name_is_refused_the_second_time_in_one_module(modules):
    def row() -> Primitive:
        return declare(name="thrice", inputs="x", evaluate=abs, vjp=[lambda g: g])

    row()
    with pytest.raises(ValueError, match="primitive declared twice: thrice"):
        row()


def test_a_function_that_an_allowed_version_lacks_is_left_out():
    before = dict(FUNCTIONS)
    implements("a_name_of_another_version", "scipy.special._ufuncs._of_another_version")(abs)
    assert before == FUNCTIONS


def test_a_function_of_scipy_is_found_by_the_name_of_its_module(modules):
    implements("numpy.busday_offset")(abs)
    assert FUNCTIONS[np.busday_offset] is abs
