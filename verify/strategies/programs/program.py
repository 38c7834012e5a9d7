"""Program: source text that can be called, recorded, and read again."""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from scipy import special

from symtape.graph.freeze import record
from symtape.graph.graph import Graph
from symtape.scipy.special import log_softmax, logsumexp, softmax

HEAD: Final = """\
import numpy as np
from scipy import special
from symtape.scipy.special import log_softmax, logsumexp, softmax


"""
"""What every source begins with."""

NAMES: Final[dict[str, Any]] = {
    "np": np,
    "special": special,
    "log_softmax": log_softmax,
    "logsumexp": logsumexp,
    "softmax": softmax,
}
"""What an expression of a program may name beside its own variables."""


@dataclass(frozen=True, eq=False)
class Program:
    r"""A program and a point at which it is defined.

    Attributes
    ----------
    source : str
        Python: imports, and a function ``program``. Running it gives the same function again.
    point : tuple of float64 arrays
        Its arguments, for ``program.function(*program.point)`` and ``at=[program.point]``.

    Examples
    --------
    >>> import numpy as np
    >>> p = Program("import numpy as np\ndef program(x):\n    return np.sum(x * x)\n", (3.0,))
    >>> float(p.function(*p.point)), [node.name for node in p.graph.nodes]
    (9.0, ['input', 'multiply', 'sum'])
    """

    source: str
    point: tuple[Any, ...]

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function, of arrays or of whatever stands in for them."""
        name = f"<program {hashlib.sha256(self.source.encode()).hexdigest()[:12]}>"
        # So that tracebacks and verdicts can show its lines.
        linecache.cache[name] = len(self.source), None, self.source.splitlines(True), name
        made: dict[str, Any] = {}
        exec(compile(self.source, name, "exec"), made)
        function: Callable[..., Any] = made["program"]
        return function

    @cached_property
    def graph(self) -> Graph:
        """What it computes at its point, recorded."""
        return record(self.function, *self.point)

    @property
    def lines(self) -> tuple[str, ...]:
        """The statements, the last of which returns."""
        return tuple(line.strip() for line in self.source.partition(":\n")[2].splitlines())

    def __repr__(self) -> str:
        body = self.source.removeprefix(HEAD).rstrip()
        shown = ", ".join(f"np.array({np.asarray(x).tolist()!r})" for x in self.point)
        return f"Program of\n{body}\nat ({shown},)"
