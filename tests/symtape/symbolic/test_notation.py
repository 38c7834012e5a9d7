"""Arrays of entries, as the notations write them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from symtape.symbolic.mathml import MATHML

SHAPES = [(1,), (3,), (1, 1), (2, 3), (3, 2), (2, 2, 2), (2, 1, 3)]


@pytest.mark.parametrize("shape", SHAPES)
def test_arrays_in_mathml_have_their_rows_and_columns(shape):
    count = 1
    for length in shape:
        count *= length
    entries = [f"<mn>{k}</mn>" for k in range(count)]
    tree = ElementTree.fromstring(MATHML.array(entries, shape))
    assert [entry.text for entry in tree.iter("mn")] == [str(k) for k in range(count)]
    innermost = [table for table in tree.iter("mtable") if table.find("mtr/mtd/mn") is not None]
    rows, columns = (shape[-2], shape[-1]) if len(shape) > 1 else (shape[0], 1)
    for table in innermost:
        assert [len(row) for row in table.findall("mtr")] == [columns] * rows
    assert len(innermost) * rows * columns == count


def test_a_number_is_no_array():
    assert MATHML.array(["<mn>1</mn>"], ()) == "<mn>1</mn>"


def test_lines_of_a_document_stand_in_one_table():
    lines = [MATHML.equation("x", "<mn>1</mn>"), MATHML.equation("y", "<mn>2</mn>")]
    space = "{http://www.w3.org/1998/Math/MathML}"
    tree = ElementTree.fromstring(MATHML.document(lines, "<mn>3</mn>"))
    assert [len(row) for row in tree.iter(f"{space}mtr")] == [3, 3, 3]
    assert [entry.text for entry in tree.iter(f"{space}mn")] == ["1", "2", "3"]
