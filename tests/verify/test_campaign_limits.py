"""Hanging steps and unfit functions, through the command: no case keeps another from a verdict."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]

FILE = """
    import time

    import numpy as np

    import verify
    from symtape.primitives.primitive import Primitive, table
    from symtape.recording.tensor import apply


    def hang(sp, x):
        time.sleep(600)


    (ROW,) = table(
        Primitive(name="hanging", inputs="x", evaluate=np.sin, elementwise=True,
                  vjp=[lambda g, x: g * np.cos(x)], symbolic=hang),
    )


    @verify.case(at=[1.0])
    def sympy_hangs(x):
        return apply(ROW, (x,), {})


    @verify.case(at=[1.0])
    def never_ends(x):
        while True:
            pass


    @verify.case(at=[1.0])
    def returns_nothing(x):
        x**2


    @verify.case(at=[1.0], quantity="gradient")
    def returns_two(x):
        return x, x


    @verify.case(at=[1.0])
    def fine(x):
        return x**2
"""


def test_each_case_has_a_verdict_whatever_the_others_do(tmp_path):
    (tmp_path / "hanging.py").write_text(textwrap.dedent(FILE))
    words = ["verify", "hanging.py", "--budget", "1", "--out", "out", "--format", "json"]
    result = subprocess.run(
        [sys.executable, "-m", "verify", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 3, result.stdout + result.stderr
    assert "Traceback" not in result.stdout + result.stderr
    cases = json.loads((tmp_path / "out" / "hanging.json").read_text())["cases"]
    said = {case["title"]: (case["verdict"], case["message"]) for case in cases}
    assert said["fine"] == ("CORRECT", "")
    assert {verdict for name, (verdict, _) in said.items() if name != "fine"} == {"UNDECIDED"}
    assert "the time budget of 1 s ran out, at hanging.py:12" in said["sympy_hangs"][1]
    assert "the function did not return within 0.5 s at x = " in said["never_ends"][1]
    assert "returned None; expected a number or an array" in said["returns_nothing"][1]
    assert "returned 2 outputs; verify one at a time" in said["returns_two"][1]
