"""A new project with one test file of ten lines: faults are caught and named, twins pass."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

PROJECTS = {
    "scipy": """
        import numpy as np, verify

        def residual(x):
            return np.array([x[0] ** 2 + x[1] - 1, np.sin(x[0]) - x[1] * x[2], x[2] ** 3])

        def jacobian(x):
            rows = [2 * x[0], 1, 0], [np.cos(x[0]), SIGN x[2], -x[1]], [0, 0, 3 * x[2] ** 2]
            return np.array(rows)

        def test_jacobian():
            verify.assert_jacobian(residual, jacobian, over=verify.box(-2, 2, shape=(3,)))
    """,
    "jax": """
        import jax, jax.numpy as jnp, verify

        @jax.custom_vjp
        def energy(x):
            return jnp.sum(x**3)

        energy.defvjp(lambda x: (energy(x), x), lambda x, g: (FACTOR g * x**2,))

        def test_gradient():
            verify.assert_gradient(energy, over=verify.box(-2, 2, shape=(3,)))
    """,
    "torch": """
        import torch, verify

        class Shift(torch.autograd.Function):
            forward = staticmethod(lambda ctx, x, b: x + b)
            backward = staticmethod(lambda ctx, g: (g, SUM))

        def test_gradient():
            loss = lambda x, b: torch.exp(Shift.apply(x, b)).sum()
            over = (verify.box(-2, 2, shape=(2, 3)), verify.box(-2, 2, shape=(3,)))
            verify.assert_gradient(loss, over=over)
    """,
}

TWINS = {
    "scipy": ("SIGN", "", "-", ("jacobian[1, 1] is ", "the sign is flipped")),
    "jax": ("FACTOR", "", "3 *", ("3 times too small",)),
    "torch": (
        "SUM",
        "g[0]",
        "g.sum(0)",
        (
            "the second argument of add is broadcast from shape (3,) to (2, 3), and the sum",
            "is missing",
        ),
    ),
}


def written(name, spelt):
    return textwrap.dedent(PROJECTS[name]).lstrip().replace(TWINS[name][0], spelt)


def run_in(folder):
    """What pytest says of a new project, whose only plugin is ours."""
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "SYMTAPE_HOME": str(folder / "home"),
    }
    command = [sys.executable, "-m", "pytest", "-p", "verify.pytest_plugin", "--color=no"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What was said of each failure, in the projects that can be run here."""
    folder = tmp_path_factory.mktemp("project")
    names = [name for name in PROJECTS if importlib.util.find_spec(name) is not None]
    for name in names:
        _, faulty, right, _ = TWINS[name]
        (folder / f"test_{name}_faulty.py").write_text(written(name, faulty))
        (folder / f"test_{name}_right.py").write_text(written(name, right))
    done = run_in(folder)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{len(names)} failed, {len(names)} passed" in done.stdout, done.stdout
    _, *parts = re.split(r"(?m)^_+ test_\w+ _+$", done.stdout)
    return parts


@pytest.mark.long
@pytest.mark.parametrize("name", PROJECTS)
def test_a_fault_is_caught_and_named_and_its_twin_passes(name, told):
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"needs {name}: pip install 'symtape[{name}]'")
    _, faulty, _, words = TWINS[name]
    assert len([line for line in written(name, faulty).splitlines() if line]) <= 10
    said = next(part for part in told if f"test_{name}_faulty.py" in part)
    for part in ("WRONG", *words):
        assert part in said, said
    assert len(said.splitlines()) <= 40, said
