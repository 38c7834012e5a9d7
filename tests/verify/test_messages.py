"""What people read when something is wrong, as snapshots to be read aloud."""

from __future__ import annotations

import re
import shlex
import sys
import textwrap
import warnings

import numpy as np
import pytest
from click.testing import CliRunner

import verify
from symtape.process.budget import Budget
from verify.campaign.importing import find_function
from verify.cli import cli

SAMPLES = """
    import struct

    import numpy as np

    import symtape
    import verify


    def energy(x):
        return np.sum(np.exp(x) * x)


    def energy_gradient(x):
        return np.exp(x) * (1 + x)


    def wrong_sign(x):
        return -energy_gradient(x)


    def lost_digits(x):
        return 1 - np.tanh(x) ** 2


    def saturating(x):
        return np.tanh(x)


    @symtape.custom_gradient
    def cube(x):
        def grad(upstream):
            return upstream * 3 * x
        return x**3, grad


    def through_custom_gradient(x):
        scaled = 2 * x
        return np.sum(cube(scaled))


    def distance(x):
        return np.sqrt(np.sum(np.abs(x)))


    def relu(x):
        return np.sum(np.where(x > 0, x, 0))


    def halves(x):
        if x > 1:
            return 2 * x
        return x**2 / 2


    def logarithm(x):
        return np.log(x - 1)


    def escaping(x):
        return x * np.sin(struct.unpack("d", struct.pack("d", x))[0])


    def opaque(x):
        return np.sum(x * np.spacing(x))


    def forever(x):
        while x > 0:
            x = x + 1
        return x


    def steps(x):
        while x < 100:
            x = 2 * x
        return x


    def nothing(x):
        x**2


    def pair(x):
        return x, x


    def text(x):
        return "text"


    def whole(x):
        return np.argmax(x)


    def vector(x):
        return 2 * x


    def branching(x):
        if x > 0:
            return np.sum(x)
        return 0.0


    def product(x):
        return np.sum(x @ np.ones((3, 2)))


    def missing_key(x):
        return {}["weight"] * x


    def singular(x):
        return np.linalg.solve(np.ones((2, 2)) * x, np.ones(2))[0]


    def no_number(x):
        return "no number"


    def returns_none(x):
        energy_gradient(x)


    def raises(x):
        return energy_gradient(x)[5]


    def turned(x):
        return np.array([[x[1], 1.0, 0.0], [x[0], 0.0, 1.0]])


    def three(x):
        return np.stack([x[0] * x[1], x[0], x[1]])


    def writing(x):
        result = energy_gradient(x)
        x[0] = 0.0
        return result
"""


@pytest.fixture
def samples(tmp_path, monkeypatch):
    """The sample functions, in a file of the present folder."""
    (tmp_path / "samples.py").write_text(textwrap.dedent(SAMPLES).lstrip())
    monkeypatch.chdir(tmp_path)

    class Samples:
        def __getattr__(self, name):
            return find_function(f"samples.py:{name}")

    return Samples()


def told(entries):
    text = "".join(f"### {label}\n{text.rstrip()}\n\n" for label, text in entries)
    return on_any_machine(text)


def on_any_machine(text):
    """Without the last digits, in which libraries of mathematics differ."""
    text = re.sub(r"(claimed +-?\d\.\d{12})\d+", r"\1", text)
    text = re.sub(r"error +0\.\d+ ulps", "error      0.N ulps", text)
    text = re.sub(r"relative \S+ × 10⁻¹.*", "relative N × 10⁻ᴺ", text)
    text = re.sub(r"excludes faults above \S+", "excludes faults above N", text)
    return re.sub(r"; \S+ allowed", "; N allowed", text)


def results(s):
    x = [0.5, -1.0]
    yield "correct", verify.gradient(s.energy, at=[x])
    yield "correct, by others", verify.gradient(s.energy, claimed=s.energy_gradient, at=[x])
    yield "correct, on a path", verify.gradient(s.steps, at=[3.0])
    yield "wrong, it writes into its argument", verify.gradient(s.energy, claimed=s.writing, at=[x])
    yield "wrong", verify.gradient(s.energy, claimed=s.wrong_sign, at=[x])
    yield "wrong, by a custom gradient", verify.gradient(s.through_custom_gradient, at=[x])
    yield "wrong, no number", verify.gradient(s.energy, claimed=s.no_number, at=[x])
    yield "wrong, returns None", verify.gradient(s.energy, claimed=s.returns_none, at=[x])
    yield "wrong, raises", verify.gradient(s.energy, claimed=s.raises, at=[x])
    yield (
        "wrong, transposed shape",
        verify.jacobian(s.three, claimed=s.turned, at=[x]),
    )
    yield "inaccurate", verify.gradient(s.saturating, claimed=s.lost_digits, at=[19.0])
    yield "kink", verify.gradient(s.distance, at=[[0.0, 2.0]])
    yield "kink, on a boundary", verify.gradient(s.relu, at=[[0.5, 0.0]])
    yield "kink, at an if", verify.gradient(s.halves, at=[1.0])
    yield "outside", verify.gradient(s.logarithm, at=[0.5])
    yield "outside, nan", verify.gradient(s.energy, at=[[1.0, float("nan")]])
    yield "outside, raised", verify.gradient(s.singular, at=[2.0])
    yield "undecided, escape", verify.gradient(s.escaping, at=[0.5])
    yield "undecided, opaque", verify.gradient(s.opaque, at=[x])
    yield "undecided, budget", verify.gradient(s.energy, at=[x], budget=Budget(60, statements=5))


def test_every_verdict_explains_itself(samples, snapshot):
    entries = [(label, str(result)) for label, result in results(samples)]
    for label, words in entries:
        assert words.startswith(label.partition(",")[0].upper()), words
    text = told(entries)
    assert "Traceback" not in text
    snapshot("results", text)


def test_a_loop_that_never_ends_is_stopped_at_its_line(samples):
    result = verify.gradient(samples.forever, at=[1.0], budget=Budget(seconds=0.3))
    assert result.verdict is verify.Verdict.UNDECIDED
    lines = textwrap.dedent(SAMPLES).lstrip().splitlines()
    loop = lines.index("def forever(x):") + 2
    said = re.search(r"within 0\.15 s at x = 1\., samples\.py:(\d+); a single call", str(result))
    assert said is not None
    assert int(said[1]) in (loop, loop + 1)


REFUSED = {
    "no points": lambda s: verify.gradient(s.energy, at=[]),
    "a point that is no list": lambda s: verify.gradient(s.energy, at=0.5),
    "an array of points": lambda s: verify.gradient(s.energy, at=np.array([1.0, 2.0])),
    "a claim of more": lambda s: verify.gradient(s.energy, lambda x, y: x, at=[1.0]),
    "a claim of less": lambda s: verify.gradient(np.hypot, lambda x: x, at=[(1.0, 2.0)]),
    "a claim of less, over a region": lambda s: verify.gradient(
        s.energy, lambda: 0.0, over=[0, 1], effort="quick"
    ),
    "a claim without its direction": lambda s: verify.hvp(s.energy, lambda x: x, at=[1.0]),
    "a tolerance": lambda s: verify.gradient(s.energy, at=[1.0], rtol=1e-6),
    "a tolerance of an assertion": lambda s: verify.assert_hessian(s.energy, at=[1.0], atol=1e-6),
    "a tolerance of a mark": lambda s: verify.case(at=[1.0], eps=1e-6),
    "text": lambda s: verify.gradient(s.energy, at=["a"]),
    "text among arguments": lambda s: verify.gradient(s.energy, at=[(1.0, "a")]),
    "objects": lambda s: verify.gradient(s.energy, at=[[None, 1.0]]),
    "complex": lambda s: verify.gradient(s.energy, at=[1j]),
    "booleans": lambda s: verify.gradient(s.energy, at=[[True, False]]),
    "ragged": lambda s: verify.gradient(s.energy, at=[[[1.0], [1.0, 2.0]]]),
    "too many arguments": lambda s: verify.gradient(s.energy, at=[(1.0, 2.0)]),
    "an unknown quantity": lambda s: verify.derivative("slope", s.energy, at=[1.0]),
    "a region": lambda s: verify.case(over=[(0.0, 1.0)])(s.energy),
    "a mark without points": lambda s: verify.case(),
    "a function that is none": lambda s: verify.gradient("energy", at=[1.0]),
    "a claim that is not a function": lambda s: verify.gradient(s.energy, at=[1.0], claimed=3),
    "a mark with such a claim": lambda s: verify.case(at=[1.0], claimed="mine"),
    "a mark on no function": lambda s: verify.case(at=[1.0])(5),
    "no region": lambda s: verify.gradient(s.energy, over={}),
    "too few regions": lambda s: verify.gradient(np.hypot, over=[0, 1]),
    "regions for some arguments": lambda s: verify.gradient(lambda a, b: a * b, over={"a": [0, 1]}),
    "too many regions": lambda s: verify.gradient(s.energy, over=([0, 1], [0, 1])),
    "a negative seed": lambda s: verify.gradient(s.energy, over=[0, 1], seed=-1),
    "a seed that is text": lambda s: verify.case(over=[0, 1], seed="a"),
    "a budget that is text": lambda s: verify.gradient(s.energy, at=[1.0], budget="5"),
    "no time": lambda s: verify.gradient(s.energy, at=[1.0], budget=Budget(seconds=-1)),
    "no effort": lambda s: verify.gradient(s.energy, over=[0, 1], effort="slow"),
    "returns None": lambda s: verify.gradient(s.nothing, at=[1.0]),
    "returns a tuple": lambda s: verify.gradient(s.pair, at=[1.0]),
    "returns text": lambda s: verify.gradient(s.text, at=[1.0]),
    "returns an integer": lambda s: verify.gradient(s.whole, at=[[1.0, 2.0]]),
    "gradient of an array": lambda s: verify.gradient(s.vector, at=[[1.0, 2.0]]),
    "if over an array": lambda s: verify.gradient(s.branching, at=[[1.0, 2.0]]),
    "shapes that do not fit": lambda s: verify.gradient(s.product, at=[[1.0, 2.0]]),
    "an error of the function's own": lambda s: verify.gradient(s.missing_key, at=[1.0]),
}


def test_bad_input_is_refused_in_words(samples, snapshot):
    said = []
    for label, call in REFUSED.items():
        with pytest.raises((ValueError, TypeError, KeyError)) as caught:
            call(samples)
        said.append((label, f"{caught.type.__name__}: {caught.value}"))
    snapshot("refused", told(said))


COMMANDS = [
    "verify nosuite",
    "verify primitive",
    "verify nofile.py",
    "verify samples.py",
    "verify broken.py",
    "verify exits.py",
    "verify samples.py:enrgy --at 1.0",
    "verify no.such.module:f --at 1.0",
    "verify samples.py:energy",
    "verify samples.py:energy --at oops",
    "verify samples.py:energy --over '[0, 1], [0, 1]'",
    "verify samples.py:energy --over '[1, 0]'",
    "verify samples.py:energy --over 'bax(0, 1)'",
    "verify samples.py:energy --over '[0, 1'",
    "verify samples.py:struct --at 1.0",
    "verify samples.py:energy --at '1.0, 2.0'",
    "verify samples.py:energy --at '[[1.0], [1.0, 2.0]]'",
    "verify samples.py:product --at '[1.0, 2.0]'",
    "verify samples.py:nothing --at 1.0",
    "verify samples.py:pair --at 1.0",
    "verify samples.py:branching --at '[1.0, 2.0]'",
    "verify samples.py:energy --at '[1.0, 2.0]' --claimed samples.py:nope",
    "verify samples.py:energy --at '[1.0, 2.0]' --quantity slope",
    "verify primitives --at 1.0",
    "verify primitives --case primitives/sine",
    "verify samples.py:energy --at '[1.0, 2.0]' --out taken/reports",
    "verify samples.py:energy --at '[1.0, 2.0]' --budget 0",
    "derive samples.py:nothing --at 1.0",
    "derive samples.py:opaque --at '[1.0, 2.0]'",
    "report nothere.json",
    "report samples.py",
]


def run(line):
    words = shlex.split(line)
    if words[0] == "verify":
        words += ["--jobs", "0"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CliRunner().invoke(cli, words, prog_name="symtape")


@pytest.mark.long
def test_the_command_refuses_in_words(samples, snapshot, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "broken.py").write_text("import numpy as np\n\ndef f(x)\n    return x\n")
    (tmp_path / "exits.py").write_text("raise SystemExit('no licence')\n")
    (tmp_path / "taken").write_text("")
    said = []
    for line in COMMANDS:
        result = run(line)
        assert result.exit_code in (2, 3), (line, result.output, result.exception)
        assert "Traceback" not in result.output
        said.append((f"symtape {line}", f"{result.output.rstrip()}\nexit {result.exit_code}"))
    snapshot("commands", told(said).replace(str(tmp_path), "HERE"))


FAILING = """
    import numpy as np
    import verify

    def by_hand(x):
        inner = x[1] - x[0] ** 2
        return np.stack([-400 * x[0] * inner - 2 * (1 - x[0]), 100 * inner])

    @verify.case(at=[[-1.2, 1.0], [1.0, 1.0]], claimed=by_hand)
    def rosenbrock(x):
        return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2

    @verify.case(at=[2.0])
    def unfinished(x):
        y = x**2

    @verify.case(at=[0.0])
    def corner(x):
        return np.maximum(x, 2 * x)

    @verify.case(at=[3.0])
    def fine(x):
        return x**2
"""


def test_the_terminal_shows_what_failed_and_how_to_see_it_again(
    samples, snapshot, tmp_path, monkeypatch
):
    # The table's columns are as wide as the longest time in them.
    monkeypatch.setattr("verify.reporting.wording.time", lambda seconds: "TIME")
    (tmp_path / "failing.py").write_text(textwrap.dedent(FAILING).lstrip())
    result = run("verify failing.py")
    assert result.exit_code == 1
    text = "\n".join(line.rstrip() for line in result.output.splitlines())
    text = re.sub(r"\n(symtape \d\.|self-test of ).*", "", text)  # versions, dates
    snapshot("terminal", on_any_machine(text.rstrip() + "\n"))
