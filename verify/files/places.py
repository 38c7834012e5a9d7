"""Places in source files, and paths through them, as a person in this folder would name them."""

from __future__ import annotations

import inspect
import linecache
import os
import re
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Container, Iterator
from typing import Any, Final

import symtape
from symtape.graph.graph import Decision, Graph
from symtape.primitives.comparison import COUNT_NONZERO, EQUAL

_ENGINES: Final = os.path.dirname(symtape.__file__) + os.sep
_VERIFIER: Final = os.path.dirname(os.path.dirname(__file__)) + os.sep
_SUITES: Final = os.path.join(_VERIFIER, "suites") + os.sep
_PYTHON: Final = os.path.dirname(os.__file__) + os.sep
_ROOT: Final = os.path.dirname(_ENGINES.rstrip(os.sep)) + os.sep


def is_users(file: str) -> bool:
    """Whether a file is neither the engines' nor the verifier's, whose suites count as users."""
    if _has_no_file(file):
        return False
    return file.startswith(_SUITES) or not file.startswith((_ENGINES, _VERIFIER))


def is_library(file: str) -> bool:
    """Whether a file is of Python itself or of an installed package."""
    # Of compiled modules the file is that of their sources, which are not installed.
    return "site-packages" in file or file.startswith(_PYTHON) or file.endswith(".pyx")


def relative(place: str) -> str:
    """A ``file:line`` seen from here, so that a report reads the same on every machine."""
    if place.startswith((_ENGINES, _VERIFIER)):
        return place.removeprefix(_ROOT)
    file, _, line = place.rpartition(":")
    if cell := cell_of(file):
        return format_place(cell, line)
    return cell_of(place) or place.removeprefix(os.getcwd() + os.sep)


def cell_of(file: str) -> str:
    """What IPython calls the cell that it compiled under the name `file`; empty for none.

    Examples
    --------
    >>> cell_of("waves.py")
    ''
    """
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    told = shell.compile.format_code_name(file) if shell is not None and file else None
    return " ".join(told) if told else ""


def format_place(file: str, line: int | str) -> str:
    """A place; of a cell as IPython writes it.

    Examples
    --------
    >>> format_place("waves.py", 3), format_place("Cell In[2]", 3)
    ('waves.py:3', 'Cell In[2], line 3')
    """
    return f"{file}{', line ' if file.startswith('Cell ') else ':'}{line}"


def parts_of(place: str) -> tuple[str, int] | None:
    """The file, or the cell, and the line of a place; None if it is none.

    Examples
    --------
    >>> parts_of("waves.py:3"), parts_of("Cell In[2], line 3"), parts_of("somewhere")
    (('waves.py', 3), ('Cell In[2]', 3), None)
    """
    found = re.fullmatch(r"(.+?)(?::|, line )(\d+)", place)
    return (found[1], int(found[2])) if found else None


def _has_no_file(file: str) -> bool:
    """Whether code was compiled from text that nobody can show: not so the cells of IPython."""
    return file.startswith("<") and not file.startswith("<ipython-input-")


def relativise_text(text: str) -> str:
    """`text`, in which places are seen from here."""
    return text.replace(_ROOT, "").replace(os.getcwd() + os.sep, "")


def place_of_origin(origin: Any) -> str:
    """The absolute ``file:line`` of an operation; empty where no line of a user's is known."""
    return str(origin) if origin is not None and is_users(origin.file) else ""


def place_of_function(function: Callable[..., Any]) -> str:
    """Where `function` is defined; empty if it is not in a file of Python."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or _has_no_file(code.co_filename):
        return ""
    return relative(f"{code.co_filename}:{code.co_firstlineno}")


def place_of_error(error: BaseException) -> str:
    """The innermost line of a user's that an error passed through; empty if there is none."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if is_users(f.filename)]
    own = [f for f in frames if not is_library(f.filename)] or frames
    return relative(f"{own[-1].filename}:{own[-1].lineno}") if own else ""


_LONGEST: Final = 100


def path_lines(graph: Graph) -> Iterator[str]:
    """Each line that decided, in order, with how often it went which way."""
    outcomes: dict[tuple[str, str], Counter[str]] = {}
    masks = {at for node in graph.nodes if "template" in node.params for at in node.inputs}
    for step in graph.path:
        verb, way = _describe_outcome(graph, step, masks)
        decision, place = _describe_step(graph, step)
        outcomes.setdefault((f"{decision} {verb}", place), Counter())[way] += 1
    for (decision, place), counts in outcomes.items():
        several = len(counts) > 1 or counts.total() > 1
        ways = (f"{way} {_times(n)}" if several else way for way, n in counts.items())
        yield f"{decision} {' and '.join(ways)}{place}"


def _describe_outcome(graph: Graph, step: Decision, masks: Container[int]) -> tuple[str, str]:
    """A verb and its complement; a mask decides by how many entries it picks."""
    number = _count_picked(graph, step, masks) if step.outcome else None
    if number is not None:
        return "picked", f"{number:,} {'entry' if number == 1 else 'entries'}"
    return "was", str(step.outcome)


def _count_picked(graph: Graph, step: Decision, masks: Container[int]) -> int | None:
    """How many entries of a mask of an index a decision found; None for another decision."""
    compared = graph.nodes[step.node]
    if compared.primitive is not EQUAL:
        return None
    count, number = (graph.nodes[at] for at in compared.inputs)
    if (
        count.primitive is not COUNT_NONZERO
        or number.constant is None
        or count.inputs[0] not in masks
    ):
        return None
    return int(number.constant)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _describe_step(graph: Graph, step: Decision) -> tuple[str, str]:
    name = graph.nodes[step.node].name
    if step.origin is None:
        return name, ""
    code = linecache.getline(step.origin.file, step.origin.line).strip()
    shown = code if 0 < len(code) <= _LONGEST else name
    return shown, f" at {relative(str(step.origin))}"
