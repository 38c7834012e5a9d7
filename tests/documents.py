"""Documents as programs: their blocks of code, and how each kind of block is run.

A page is a project of its own, in an empty folder beside ``examples`` and ``reports``. From top to
bottom, in one namespace:

- a Python block of ``>>>`` lines is a doctest;
- a Python block that begins with ``# name.py`` is written to the file of that name;
- any other Python block is executed;
- a console block is run line by line: ``$ command`` is compared with what is shown below it, a
  line without ``$`` has to succeed. ``$ echo $?`` shows the exit status of the command before.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

ROOT = Path(__file__).parents[1]
EXTRAS = ("jax", "torch", "autograd", "tensorflow", "numdifftools")
TERMINAL = {"COLUMNS": "100", "NO_COLOR": "1"}
SET_UP = ("python3 -m venv", ".venv/bin/", ".ci/")
_FENCE = re.compile(r"^```([\w{}:-]*)[^\n]*\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"# ([\w./]+\.(?:py|toml|ini))\n")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    line: int

    @property
    def needs(self) -> tuple[str, ...]:
        """The optional packages that it imports, or audits."""
        line = r"^(?:(?:>>> |\.\.\. )?\s*(?:import|from)|\$ symtape audit) (\w+)"
        named = re.findall(line, self.text, re.MULTILINE)
        return tuple(name for name in EXTRAS if name in named)


def blocks(text: str) -> list[Block]:
    """Every fenced block, in order.

    Examples
    --------
    >>> blocks("words\\n```python\\nimport jax\\n```\\n")
    [Block(language='python', text='import jax\\n', line=3)]
    """
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start()) + 2)
        for found in _FENCE.finditer(text)
    ]


@dataclass
class Run:
    """One page that is being run in `folder`.

    Attributes
    ----------
    skipped : list of str
        Packages that are absent, whose blocks were left out.
    examples : int
        How many examples and commands were run.
    """

    page: Path
    folder: Path
    names: dict[str, object] = field(default_factory=lambda: {"__name__": "__main__"})
    status: int = 0
    examples: int = 0
    skipped: list[str] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)

    def all(self) -> None:
        """Run every block."""
        for name in ("examples", "reports"):  # copies: a command may write beside what it reads
            if f" {name}/" in self.page.read_text():
                shutil.copytree(ROOT / name, self.folder / name)
        for block in blocks(self.page.read_text()):
            self.block(block)

    def block(self, block: Block) -> None:
        """Run one block, or leave it out where a package that it needs is absent."""
        absent = [name for name in block.needs if importlib.util.find_spec(name) is None]
        if absent:
            self.skipped += absent
            self.left_out |= {found[1] for found in _NAME.finditer(block.text)}
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of frameworks while they are imported
            for name in block.needs:
                importlib.import_module(name)
        if block.language == "console":
            self.console(block)
        elif block.language == "python":
            self.python(block)

    def python(self, block: Block) -> None:
        """Run, or write to a file, a block of Python."""
        if ">>> " in block.text:
            self.doctest(block)
        elif named := _NAME.match(block.text):
            (self.folder / named[1]).write_text(block.text)
        else:
            exec(compile(block.text, f"{self.page.name}:{block.line}", "exec"), self.names)
            self.examples += 1

    def doctest(self, block: Block) -> None:
        """Compare every ``>>>`` line with what is shown below it."""
        test = doctest.DocTestParser().get_doctest(
            block.text, self.names, self.page.name, str(self.page), block.line - 1
        )
        said: list[str] = []
        outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
            test, out=said.append, clear_globs=False
        )
        self.names.update(test.globs)
        assert outcome.failed == 0, "".join(said)
        self.examples += outcome.attempted

    def console(self, block: Block) -> None:
        """Run every command, and compare where it is shown what it prints."""
        steps = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
        for line in steps[0].splitlines():
            self.command(line)
            assert self.status == 0, line
        for step in steps[1:]:
            line, _, shown = step.partition("\n")
            printed = self.command(line)
            if shown.strip() and printed is not None:
                checker = doctest.OutputChecker()
                example = doctest.Example(line, shown)
                same = checker.check_output(shown, printed, doctest.ELLIPSIS)
                assert same, checker.output_difference(example, printed, doctest.ELLIPSIS)

    def command(self, line: str) -> str | None:
        """What a command prints; None if it is not run here."""
        if line.startswith(SET_UP) or any(name in line for name in self.left_out):
            self.status = 0
            return None
        if line == "echo $?":
            return f"{self.status}\n"
        program, *words = shlex.split(line)
        self.status, printed = PROGRAMS[program](words, self.folder)
        self.examples += 1
        return without_trailing_blanks(printed)


def run_symtape(words: list[str], folder: Path) -> tuple[int, str]:
    """Run our command in this process, where what it imports is imported already."""
    from verify.cli import cli

    here = ["--jobs", "0"] if words[0] in ("verify", "audit") and "--jobs" not in words else []
    with contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("default")
        done = CliRunner(env=TERMINAL).invoke(cli, [*words, *here], prog_name="symtape")
    return done.exit_code, done.output


def run_pytest(words: list[str], folder: Path) -> tuple[int, str]:
    """Run pytest as the reader would, with our plugin."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugin(), *words]
    environment = os.environ | TERMINAL | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=environment, check=False
    )
    return done.returncode, done.stdout + done.stderr


PROGRAMS = {"symtape": run_symtape, "pytest": run_pytest}


def plugin() -> list[str]:
    """What loads our plugin in a checkout that is not installed."""
    entries = importlib.metadata.entry_points(group="pytest11")
    installed = any(entry.value == "verify.pytest_plugin" for entry in entries)
    return [] if installed else ["-p", "verify.pytest_plugin"]


def without_trailing_blanks(text: str) -> str:
    """`text`, as an editor would leave it."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())
