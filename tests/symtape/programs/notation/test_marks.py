"""LaTeX and MathML group what the text groups; what is printed is defined; it compiles."""

import ast
import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import symtape
from symtape.programs.notation.mathematics import Mathematics
from symtape.programs.notation.tree import Call, Chain, Name, Part, Times, Transpose
from symtape.symbolic.latex import LATEX
from tests.symtape.programs.notation.test_forms import ARRAYS

u, q = np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 4.0])
alone, large = np.array([1.0, 3.0, 4.0]), np.arange(60.0)
X = np.arange(12.0).reshape(4, 3) + np.eye(4, 3)

ATOM = re.compile(
    r"\\(?:begin|end)\{\w+\}|\\\\|"
    r"\\left|\\right|\\(?:mathbf|boldsymbol)\{(?:[^{}]|\{[^{}]*\})*\}|\\[a-zA-Z]+|[_^]\{|[{}]|\S"
)


def groups(text):
    """The contents of all braces and brackets, and the outermost text, without inner ones.

    Entries of a tuple and sides and lines of equations are each on their own.
    """
    stack, found = [[]], []
    for token in ATOM.findall(text):
        if token in ("{", "\\left", "_{", "^{"):
            stack.append([token])
        elif token in ("}", "\\right"):
            inner = stack.pop()
            found.append(inner)
            called = stack[-1] and re.match(r"\\(operatorname|frac|exp|log|t?anh?)", stack[-1][-1])
            index = inner[0] in ("_{", "^{")
            stack[-1] += [] if index or called else ["GROUP"]
        elif token not in ("(", ")", "[", "]") and not re.match(r"\\(begin|end)\{", token):
            stack[-1].append(token)
    return [part for group in [*found, *stack] for part in parts_of(group)]


def parts_of(group):
    """A group between its commas, signs of equality, and ends of lines."""
    bounds = [k for k, token in enumerate(group) if token in (",", "=", "&", "\\\\")]
    return [group[a + 1 : b] for a, b in itertools.pairwise([-1, *bounds, len(group)])]


def is_array(token):
    return token == "GROUP" or token.startswith(("\\mathbf", "\\boldsymbol"))


def mixes(text):
    """Whether a product of matrices stands beside one of elements, in no brackets of its own."""
    for group in groups(text):
        if not {"\\odot", "\\oslash"} & set(group):
            continue
        if any(is_array(a) and is_array(b) for a, b in itertools.pairwise(group)):
            return True
    return False


def test_the_check_sees_what_is_not_grouped():
    assert mixes(r"\mathbf{X}^{\top} \mathbf{v} \odot \mathbf{y}")
    assert mixes(r"\mathbf{1} \mathbf{x}^{\top} \odot \mathbf{X}")
    assert not mixes(r"\mathbf{X}^{\top} \left( \mathbf{v} \odot \mathbf{y} \right)")
    lines = (
        r"\begin{aligned} \mathbf{a} &= %s \\ "
        r"&\phantom{=}\; \left( 2 \mathbf{a}, %s \right) \end{aligned}"
    )
    mixed, plain = r"\mathbf{X} \mathbf{v} \odot \mathbf{y}", r"\mathbf{v} \odot \mathbf{y}"
    assert mixes(lines % (mixed, plain))
    assert mixes(lines % (plain, mixed))
    assert not mixes(lines % (plain, plain))
    assert not mixes(lines % (plain, r"\mathbf{X} \mathbf{v}"))
    assert not mixes(r"\mathbf{x}^{\odot 2} \mathbf{y}")


@pytest.mark.parametrize("name", ARRAYS)
def test_products_of_matrices_and_of_elements_are_grouped(name):
    function, *point = ARRAYS[name]
    derivation = symtape.derive(function, *point)
    first = derivation.gradient if np.ndim(function(*point)) == 0 else derivation.jacobian
    for form in (derivation.value, first):
        if form.evidence is not None:
            assert not mixes(form.latex()), form.latex()
            ET.fromstring(form.mathml())


V, Y, A, B = Name("v", 1), Name("y", 1), Name("A", 2), Name("B", 2)
BY_ELEMENTS = Times(1, (V, Y), (), 1)


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (
            Chain((Transpose(A, 2), BY_ELEMENTS), 1),
            r"\mathbf{A}^{\top} \left( \mathbf{v} \odot \mathbf{y} \right)",
        ),
        (
            Call("outer", (BY_ELEMENTS, V), 2),
            r"\left( \mathbf{v} \odot \mathbf{y} \right) \mathbf{v}^{\top}",
        ),
        (
            Times(1, (Call("outer", (V, Y), 2), A), (), 2),
            r"\left( \mathbf{v} \mathbf{y}^{\top} \right) \odot \mathbf{A}",
        ),
        (
            Part(Times(1, (), (V,), 1), (":", None), 2),
            r"\left( 1 \oslash \mathbf{v} \right) \mathbf{1}^{\top}",
        ),
        (
            Times(2, (Chain((V, A, Y), 0), Chain((A, V), 1)), (), 1),
            r"2 \left( \mathbf{v}^{\top} \mathbf{A} \mathbf{y} \right) \mathbf{A} \mathbf{v}",
        ),
        (Part(Part(V, (":", 0), 1), (0,), 0), r"{\mathbf{v}_{\mathtt{{:},0}}}_{0}"),
    ],
)
def test_structure_is_kept(tree, text):
    assert Mathematics(LATEX).write(tree) == text


def test_underscores_make_no_second_subscript_and_no_power():
    def f(x_1, x__2, y_):
        return x_1[0] * np.sin(x_1[1]) * np.sum(x__2) + y_[0]

    text = symtape.derive(
        f, np.ones(3), np.ones(3), np.ones(3), notation="entries"
    ).gradient.latex()
    assert not re.search(r"[^{]_\{[^{}]*\}_\{", text)
    assert not re.search(r"_\{[^{}]*\}_", text.replace("}}_", ""))
    assert "x^{2}" not in text
    assert r"\mathtt{y\_}" in symtape.derive(f, *[np.ones(3)] * 3).value.latex()


def printed(f, *args):
    return str(symtape.derive(f, *args))


def test_equal_arrays_are_not_exchanged():
    text = printed(lambda x: np.sum(u * x**2) + np.sum(q * np.sin(x)), np.ones(3))
    assert "with c1 = array([1.0, 2.0, 4.0])" in text
    assert not re.search(r"\b[uq]\b", text)
    assert "sum" in text or "@" in text


def test_one_array_keeps_its_name():
    text = printed(lambda x: np.sum(alone * x**2), np.ones(3))
    assert "alone" in text
    assert "with" not in text


COMPUTED = {
    "kernel": (lambda x: x @ np.linalg.solve(np.exp(-((u[:, None] - u) ** 2)), x), np.ones(3)),
    "doubled": (lambda x: np.sum((2 * u - x) ** 2), np.ones(3)),
    "part": (lambda x: np.sum((X[0] + 1) * x), np.ones(3)),
    "large": (lambda x: np.sum(np.sqrt(large) * x**2), np.ones(60)),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_nothing_printed_is_undefined(name):
    f, x = COMPUTED[name]
    derivation = symtape.derive(f, x)
    for form in (derivation.value, derivation.gradient):
        lines = str(form).splitlines()
        defined = {line.partition(" = ")[0] for line in lines[:-1]}
        used = {node.id for node in ast.walk(ast.parse(lines[-1])) if isinstance(node, ast.Name)}
        constants = {one for one in used if re.fullmatch(r"c\d+", one)}
        assert constants
        assert constants <= defined
        assert all(rf"\mathbf{{c_{{{c[1:]}}}}} &=" in form.latex() for c in constants)
        ET.fromstring(form.mathml())
    whole = str(derivation)
    assert all(f"with {c} = array([" in whole for c in constants)
