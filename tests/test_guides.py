"""The guides' scripts run, draw their pictures, and print what the site shows."""

import io
import runpy
from contextlib import redirect_stdout
from pathlib import Path

import matplotlib as mpl
import pytest

GUIDES = Path(__file__).parents[1] / "examples" / "guides"
PICTURES = {"introduction": 1, "advanced": 6, "scientific": 7, "solvers": 2}


SOLVERS = pytest.param("solvers", marks=pytest.mark.campaign)  # the longest


@pytest.mark.long
@pytest.mark.parametrize("name", ["introduction", "advanced", "scientific", SOLVERS])
def test_a_guide_prints_and_draws(name, snapshot, monkeypatch, tmp_path):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    mpl.use("agg")
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: None)
    printed = io.StringIO()
    with mpl.rc_context(), redirect_stdout(printed):
        runpy.run_path(str(GUIDES / f"{name}.py"))
    drawn = plt.get_fignums()
    plt.close("all")
    assert len(drawn) == PICTURES[name]
    snapshot(f"guides/{name}", printed.getvalue())
