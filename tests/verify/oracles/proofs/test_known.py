"""Proofs are kept by content, inherited by programs, and made in a process that can be killed."""

from __future__ import annotations
import __future__

import dataclasses
import inspect
import json
import os
import time
from types import CodeType, FunctionType

import numpy as np
import pytest

import symtape
import verify
from symtape.primitives.primitive import PRIMITIVES, STAND_INS, Primitive
from symtape.primitives.vocabulary import vocabulary
from verify.oracles.proofs import content, known
from verify.oracles.proofs import row as rows
from verify.oracles.proofs.content import fingerprint
from verify.oracles.proofs.inherit import rung_of
from verify.oracles.proofs.known import RowProof

ROWS = vocabulary()
FLAGS = __future__.annotations.compiler_flag


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(known, "_FOUND", {})
    return tmp_path / "home"


def a_row(rule=lambda g, x: g * 3 * x**2, over=""):
    return Primitive(
        name="cube_of_tests",
        inputs="x",
        evaluate=lambda x: x**3,
        vjp=[rule],
        elementwise=True,
        symbolic=lambda sp, x: x**3,
        ball=lambda ball, x: x * x * x,
        over=over,
        example=(0.75,),
    )


@pytest.mark.long
@pytest.mark.usefixtures("proofs")
def test_a_replaced_rule_is_not_the_one_that_was_proved(monkeypatch):
    row = PRIMITIVES["exp"]
    assert known.find_proof(row).proved
    with monkeypatch.context() as patch:
        patch.setattr(row, "rules", row._rules([lambda g, y: g * y]))
        assert known.find_proof(row) is None
    assert known.find_proof(row).proved
    subtract = PRIMITIVES["subtract"]
    monkeypatch.setattr(subtract, "rules", subtract.rules[::-1])
    assert not getattr(known.find_proof(subtract), "proved", False)


RULES = """
def scaled(g, x):
    return g * 3 * x**2

rule, other = lambda g, x: scaled(g, x), lambda g, x: g * x
"""


@pytest.fixture
def content_of(tmp_path, monkeypatch):
    """Has the content of a row whose rule is written in a file of the package."""
    monkeypatch.setattr(content, "_PACKAGE", tmp_path)
    texts = iter(range(100))

    def hash_of(text):
        file = tmp_path / f"rules_{next(texts)}.py"
        file.write_text(text, encoding="utf-8")
        space = {"__name__": "symtape.primitives.rules"}
        exec(compile(text, str(file), "exec", dont_inherit=True), space)
        return content.content_hash([a_row(space["rule"])])

    return hash_of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\ndef", "\n# A remark.\n\ndef"),
        ("x**2\n", "(x ** 2)  # by hand\n"),
        ("    return g", '    """The rule."""\n    return g'),
        ("g * x\n", "g * 2 * x\nunrelated = 3\n"),
        ("rule, other", "rule, another"),
    ],
)
def test_an_edit_that_changes_no_rule_voids_no_proof(content_of, old, new):
    assert old in RULES
    assert content_of(RULES.replace(old, new)) == content_of(RULES)


@pytest.mark.parametrize(("old", "new"), [("3 *", "2 *"), ("scaled(g, x)", "scaled(x, g)")])
def test_an_edit_of_a_rule_or_of_what_it_calls_voids_its_proof(content_of, old, new):
    assert content_of(RULES.replace(old, new)) != content_of(RULES)


@pytest.mark.usefixtures("proofs")
def test_a_row_that_is_not_proved_at_present_is_certified(monkeypatch):
    monkeypatch.setitem(known._entries()["tanh"], "content", "another")
    assert known.find_shipped_proof(PRIMITIVES["tanh"]) is None
    assert inherited(np.tanh, 0.5) is None


def constants(code):
    return {repr(it) for it in code.co_consts if not isinstance(it, CodeType)} - {
        "None",
        "Ellipsis",
    }


def functions_of(row):
    return [each for each in content._functions(row) if isinstance(each, FunctionType)]


def test_the_source_of_a_function_compiles_to_its_bytecode():
    """So that no other lambda of the same line is taken for it."""
    asked = 0
    for row in ROWS:
        for function in functions_of(row):
            code = function.__code__
            if function.__closure__ or not content._is_of_package(code):
                continue
            made = compile(
                content._source(code), "source", "exec", FLAGS, dont_inherit=True
            ).co_consts
            [again] = [it for it in made if isinstance(it, CodeType) and it.co_name == code.co_name]
            assert again.co_names == code.co_names, row.name
            assert again.co_varnames == code.co_varnames, row.name
            assert constants(again) <= constants(code), row.name
            asked += 1
    assert asked > 300


@pytest.mark.long
def test_what_was_called_before_voids_no_proof():
    before = [content.content_hash([row]) for row in ROWS]
    inspect.signature(np.matmul)  # kept by NumPy as an attribute of its function
    verify.gradient(lambda x: np.sum(np.linalg.solve(x, np.ones(2))), at=[np.eye(2)])
    assert [content.content_hash([row]) for row in ROWS] == before


def test_what_later_imports_register_is_no_part_of_a_row(monkeypatch):
    before = content.content_hash([PRIMITIVES["maximum"]])
    monkeypatch.setitem(STAND_INS, type("Late", (), {}), 1)
    assert content.content_hash([PRIMITIVES["maximum"]]) == before


def test_lambdas_of_one_line_are_told_apart():
    first, second = (rule.function for rule in PRIMITIVES["subtract"].rules)
    assert content._source(first.__code__) != content._source(second.__code__)


def test_a_proof_is_kept_and_found_again(home, monkeypatch):
    row = a_row()
    assert known.find_proof(row) is None
    first = rows.prove_rows([row])[0]
    assert first.proved
    assert list(home.rglob("*.json"))
    monkeypatch.setattr(known, "_FOUND", {})
    monkeypatch.setattr(rows, "_run_proofs", lambda rows, seconds: [] if not rows else 1 / 0)
    assert rows.prove_rows([a_row()])[0] == first


def test_another_rule_template_or_region_misses(home):
    prints = {
        fingerprint(a_row()),
        fingerprint(a_row(lambda g, x: g * 2 * x**2)),
        fingerprint(a_row(over="x > 0")),
    }
    assert len(prints) == 3
    assert fingerprint(a_row()) == fingerprint(a_row())
    rows.prove_rows([a_row()])[0]
    assert not rows.prove_rows([a_row(lambda g, x: g * 2 * x**2)])[0].proved


class Holder:
    def __init__(self, number):
        self.held = [[float(number)]]


def test_all_that_a_rule_holds_is_in_its_content_where_ids_come_again():
    def rule(numbers):
        held = [Holder(number) for number in numbers]
        return lambda g, x: g * len(held)

    others = [[*range(k), -1, *range(k + 1, 10)] for k in range(10)]
    assert len({fingerprint(a_row(rule(numbers))) for numbers in (range(10), *others)}) == 11


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"proved": true}', "null", "\x00"])
def test_a_corrupt_file_is_ignored(text, home, monkeypatch):
    row = a_row()
    rows.prove_rows([row])[0]
    for file in home.rglob("*.json"):
        file.write_text(text)
    monkeypatch.setattr(known, "_FOUND", {})
    assert known.find_proof(row) is None
    assert rows.prove_rows([row])[0].proved


def test_where_nothing_can_be_written_proofs_are_made_all_the_same(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "file" / "home"))
    assert rows.prove_rows([a_row()])[0].proved


@pytest.mark.long
def test_a_proof_that_takes_too_long_is_killed_and_not_kept(home, monkeypatch):
    import verify.oracles.proofs.row as row_module

    def endless(row):
        from flint import fmpz_mpoly_ctx

        context = fmpz_mpoly_ctx.get(["x", "y", "z", "t"], "lex")
        x, y, z, t = context.gens()
        base = 1 + x + 2 * y + 3 * z + 5 * t
        (base**60).gcd((base + 1) ** 60 * (x - y) ** 7)
        time.sleep(600)

    monkeypatch.setattr(row_module, "prove_row", endless)
    found = rows.prove_rows([a_row()], seconds=1.0, again=True)[0]
    assert not found.proved
    assert found.reason == "not within 1 s"
    assert not list(home.rglob("*.json"))


def test_a_proof_that_dies_is_none(home, monkeypatch):
    import verify.oracles.proofs.row as row_module

    monkeypatch.setattr(row_module, "prove_row", lambda row: os._exit(3))
    assert not rows.prove_rows([a_row()], seconds=10.0, again=True)[0].proved
    assert not list(home.rglob("*.json"))


def inherited(function, *point):
    graph = symtape.record(function, *point)
    return rung_of(graph, graph.values(*point))


@pytest.mark.usefixtures("proofs")
def test_a_program_inherits_where_its_rules_are_proved():
    assert str(inherited(lambda x: np.tanh(x) * np.log(x), 0.5)) == ""
    assert str(inherited(lambda x: np.sum(np.exp(x)), [0.5, 1.0, 2.0])) in (
        "",
        ", sum at the tested shapes",
    )
    assert inherited(lambda x: np.hypot(x, 0.0), 0.5) is not None


def test_a_program_does_not_inherit_from_a_rule_that_is_not_proved(monkeypatch):
    assert inherited(lambda x: np.linalg.svd(x)[1], [[2.0, 1.0], [1.0, 3.0]]) is None
    assert inherited(lambda x: a_row()(x), 0.5) is None
    row = PRIMITIVES["exp"]
    monkeypatch.setattr(row, "rules", row._rules([lambda g, y: g * y]))
    assert inherited(np.exp, 0.5) is None


@pytest.mark.usefixtures("proofs")
def test_a_program_does_not_inherit_outside_the_region():
    assert inherited(lambda x: x ** y_of_tests(x), 0.5) is not None
    assert inherited(lambda x: x**2.0, -0.5) is None
    assert inherited(np.sinc, 0.0) is None


def y_of_tests(x):
    return 2.0 + 0 * x


def test_a_program_with_a_gradient_of_its_own_does_not_inherit():
    @symtape.custom_gradient
    def mine(x):
        return x * x, lambda g: 3 * g * x

    assert inherited(lambda x: mine(x), 0.5) is None


@pytest.mark.usefixtures("proofs")
def test_results_say_how_strong_their_evidence_is():
    proved = verify.gradient(lambda x: np.tanh(x), at=[0.5, 1.0])
    assert str(proved.evidence).startswith("proved; certified at 2 points to 2⁻")
    claimed = verify.gradient(np.tanh, at=[0.5], claimed=lambda x: 1 - np.tanh(x) ** 2)
    assert str(claimed.evidence).startswith("certified at 1 point")
    exact = verify.gradient(lambda x: x * x / (1 + x), at=[0.5])
    assert str(exact.evidence).startswith("proved; exact over Q at 1 point; certified at 1 point")


@pytest.mark.parametrize(
    ("proof", "rung", "domain"),
    [
        (RowProof(True, "x > 0"), "proved", "x > 0"),
        (RowProof(True, "everywhere", where=("b != 0",)), "proved", "everywhere, b != 0"),
        (RowProof(True, "", assuming=("x > 0",)), "proved, assuming x > 0", ""),
        (RowProof(True, "s", shapes=("(2,)",)), "proved at the tested shapes", "s"),
        (RowProof(False, "s", shapes=("(2,)",), assuming=("x",)), "certified", "s"),
    ],
)
def test_the_words_for_a_row(proof, rung, domain):
    assert proof.rung == rung
    assert proof.domain == domain
    assert RowProof.from_data(json.loads(json.dumps(dataclasses.asdict(proof)))) == proof
