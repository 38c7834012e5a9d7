"""The list of names: each name that others differentiate is on it, or there is a reason."""

import csv
import io
import json
import pydoc
from pathlib import Path

import pytest
from click.testing import CliRunner

from symtape.primitives.primitive import PRIMITIVES
from verify.cli import cli
from verify.oracles.proofs import known
from verify.reporting.names import format_csv, format_json, names
from verify.reporting.ops import describe_row

GOALS = Path(__file__).with_name("goals.csv").read_text().split()[1:]

FOUND = {each.name: each for each in names()}

COMPLEX = "its result is complex"
LAPACK = "of LAPACK, without a name of its own here yet"
COMPILED = "compiled in SciPy, without a name of its own here yet"
STEPS = "a constant by steps: the gradient is None"
INTEGERS = "floats' neighbours, which are no function of real numbers"

REASONS = {
    **dict.fromkeys((name for name in GOALS if name.startswith("np.fft.")), COMPLEX),
    **dict.fromkeys((name for name in GOALS if name.startswith("scipy.linalg.")), LAPACK),
    **dict.fromkeys(
        (name for name in GOALS if name.startswith(("scipy.fft.", "scipy.signal."))), COMPILED
    ),
    "scipy.ndimage.map_coordinates": COMPILED,
    "scipy.integrate.odeint": COMPILED,
    "scipy.stats.multivariate_normal.entropy": "by the covariance it is scipy.linalg.eigh",
    "np.linalg.eig": COMPLEX,
    "np.linalg.eigvals": COMPLEX,
    "np.roots": COMPLEX,
    "scipy.special.sph_harm_y": COMPLEX,
    "np.linalg.matrix_rank": STEPS,
    "np.nextafter": INTEGERS,
    "np.spacing": INTEGERS,
    "np.kaiser": "np.i0 of the window's places, which are constants",
    "np.row_stack": "NumPy has it no more: np.vstack",
    "np.vectorize": "a class, whose calls are recorded",
    "scipy.special.bessel_jn": "JAX's name; SciPy's is jv",
    "scipy.special.factorial2": "by whole numbers",
}
"""Why a name is not on the list."""


@pytest.mark.parametrize("goal", GOALS)
def test_a_goal_is_had_or_there_is_a_reason(goal):
    assert goal in FOUND or REASONS.get(goal)


@pytest.mark.parametrize(
    "goal", [name for name in REASONS if name.startswith(("np.", "scipy.special."))]
)
def test_no_reason_is_left_over(goal):
    if REASONS[goal] != COMPLEX:
        assert goal not in FOUND


def test_what_is_had_is_said():
    assert FOUND["np.sin"].kind == "row"
    assert FOUND["np.sin"].first == FOUND["np.sin"].closed_form == FOUND["np.sin"].ball == "yes"
    assert FOUND["np.floor"].first == "no: constant by steps"
    assert FOUND["scipy.special.jv"].first == "by x"
    assert (FOUND["scipy.special.kolmogorov"].first, FOUND["scipy.special.kolmogorov"].second) == (
        "yes",
        "no",
    )
    assert FOUND["scipy.special.owens_t"].closed_form == "no"
    assert FOUND["scipy.stats.norm.logpdf"].kind == "SciPy's code"
    assert FOUND["scipy.special.chdtr"].kind == "composition"


@pytest.mark.long
@pytest.mark.usefixtures("proofs")
def test_how_well_a_rule_is_known_is_said(monkeypatch):
    def proof_of_sine():
        return next(it.proof for it in names() if it.name == "np.sin")

    assert proof_of_sine() == "proved"
    monkeypatch.setattr(known, "_FOUND", {})
    monkeypatch.setitem(known._entries()["sin"], "content", "another")
    assert proof_of_sine() == "certified"
    text = describe_row(PRIMITIVES["sin"])
    assert "proof             certified: it was added or changed" in text


def test_scipys_names_are_scipys():
    named = [name for name in FOUND if name.startswith("scipy.")]
    assert [name for name in named if pydoc.locate(name) is None or "._" in name] == []


def test_tables_say_the_same():
    found = names()
    rows = list(csv.DictReader(io.StringIO(format_csv(found))))
    assert rows == json.loads(format_json(found))
    assert [row["name"] for row in rows] == sorted(FOUND)


@pytest.mark.long
def test_the_command():
    shown = CliRunner().invoke(cli, ["ops"])
    assert shown.exit_code == 0
    assert "scipy.special.owens_t" in shown.stdout
    told = CliRunner().invoke(cli, ["ops", "--format", "csv"])
    assert told.stdout.startswith("name,kind,first,second,forward,complex,closed_form,ball,proof\n")
