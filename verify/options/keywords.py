"""The keywords of a verification: what each is, said once for every place that takes it.

The calls and the assertions, :func:`verify.case`, the command ``symtape verify`` and the options of
the pytest plugin take the same keywords. Their types are in :mod:`verify.options.signatures`; their
signatures, their docstrings, the types of their options and the help of these are made of this
table. The plugin is loaded with every run of pytest, so nothing is imported here that a start would
feel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from verify.options.command_lines import EFFORTS, effort_from, seconds_from, seed_from
from verify.options.defaults import Defaults


class Keyword(NamedTuple):
    """One keyword.

    Attributes
    ----------
    name : str
    kind : str
        Its type, in words.
    brief : str
        What it is, in a sentence, which is all that the help of an option says of it.
    more : str
        What a docstring says besides.
    default : object
        Of a call.
    metavar : str
        Of an option, what stands for its value.
    read : callable, optional
        The value from the text of an option; raises ValueError and says what was expected.
    of_run : str
        The field of :class:`verify.options.defaults.Defaults` that an assertion goes by unless it
        is told.
    """

    name: str
    kind: str
    brief: str
    more: str = ""
    default: Any = None
    metavar: str = ""
    read: Callable[[str], Any] | None = None
    of_run: str = ""

    @property
    def default_of_run(self) -> Any:
        """What an assertion goes by where neither it nor the test run is told."""
        return getattr(Defaults(), self.of_run)


_NAMED: Final = ", ".join(f'"{name}" ({number:g})' for name, number in EFFORTS.items())

_EACH: Final = "returns an array, or a tuple with one array for each of several arguments"
_ELSE: Final = (
    "Default: symtape's own tape, or the reverse mode of the framework that the function belongs "
    "to. If it is not meant to be exact, state its accuracy: "
    "``verify.approximately(g, rtol=1e-9)``."
)

KEYWORDS: Final = {
    keyword.name: keyword
    for keyword in (
        Keyword(
            "quantity",
            '{"gradient", "jacobian", "hessian", "vjp", "jvp", "hvp"}',
            "The kind of derivative.",
            default="gradient",
        ),
        Keyword(
            "function",
            "callable",
            "The function: NumPy code, or code of a framework (JAX, PyTorch, autograd, TensorFlow) "
            "that takes the arrays of that framework.",
        ),
        Keyword(
            "claimed",
            "callable",
            "The function that claims to be the derivative.",
            "It takes the arguments of `function`, followed by the directions of a product, and "
            f"{_EACH}. {_ELSE}",
            metavar="FILE.py:FUNCTION",
        ),
        Keyword(
            "at",
            "sequence of points",
            "The points at which the claim is judged.",
            "A point is the argument itself, or a tuple if there are several. For a product it may "
            "also hold the directions, after the arguments; otherwise several are tried.",
            metavar="POINT",
        ),
        Keyword(
            "over",
            "region",
            "The region that is searched for points at which the claim fails.",
            "Beside `at`, or instead of it: ``[lower, upper]`` for a number, "
            "``verify.box(-1, 1, shape=(3,))`` for an array; a tuple with one for each "
            "argument, or a dict by name.",
            metavar="REGION",
        ),
        Keyword(
            "argnums",
            "int or sequence of int",
            "The positions of the arguments by which `function` is differentiated; by default all.",
        ),
        Keyword(
            "directions",
            "region",
            "The region from which the cotangents, tangents or vectors of a product are taken.",
            "By default short decimals, ones, zeros and unit vectors, in the shapes that fit.",
        ),
        Keyword(
            "seed",
            "int",
            "The random seed of the search. The same seed gives the same result.",
            default=0,
            metavar="N",
            read=seed_from,
            of_run="seed",
        ),
        Keyword(
            "budget",
            "float or Budget",
            "The time limit for one claim in seconds; beyond it the verdict is UNDECIDED.",
            "A ``verify.Budget`` also limits the statements of a symbolic step. A single call of a "
            "function or a claim may take half of the seconds; if it does not return, its point is "
            "UNDECIDED and the search continues elsewhere. A call into compiled code can only be "
            "stopped when it returns; ``symtape verify`` runs each case in a process of its own, "
            "which it can end.",
            default=60.0,
            metavar="SECONDS",
            read=seconds_from,
            of_run="seconds",
        ),
        Keyword(
            "effort",
            'float or {"quick", "normal", "thorough"}',
            "How thoroughly a region is searched, as a number (1 takes about three seconds for a "
            f"small function) or by name: {_NAMED}.",
            default=1.0,
            metavar="FACTOR",
            read=effort_from,
            of_run="effort",
        ),
        Keyword(
            "evidence",
            '{"certified", "sampled", "proved"}',
            "The kind of evidence: enclosures of the exact derivative, or floats alone for "
            "functions whose operations cannot be recorded.",
            'With "proved" the formula of the claim is proved as well wherever over the region '
            "that can be done, or its error enclosed; `Result.evidence` says on how much of it.",
            default="certified",
        ),
        Keyword(
            "strict",
            "bool",
            "Fail on errors that are otherwise only noted: errors at extreme values (beyond "
            "1e±100), below the last digit of the value, or by convention at ties.",
            default=False,
            of_run="strict",
        ),
        Keyword(
            "convention",
            '{"conjugate", "transpose"}',
            "The gradient of a real function by a complex argument x + iy: df/dx + i df/dy, as in "
            "PyTorch and TensorFlow, or its conjugate, as in JAX.",
            default="conjugate",
        ),
        Keyword("allow_undecided", "bool", "Pass even if no verdict could be reached.", "", False),
        Keyword(
            "title",
            "str",
            "The title of the case in the report; by default the name of the function.",
        ),
    )
}

_SCALAR: Final = "It returns one number."

_OF_QUANTITY: Final = {
    ("function", "gradient"): _SCALAR,
    ("function", "hessian"): _SCALAR,
    ("function", "hvp"): _SCALAR,
    ("claimed", "gradient"): f"Called as ``claimed(*args)``; {_EACH}. {_ELSE}",
    ("claimed", "jacobian"): f"Called as ``claimed(*args)``; {_EACH}. Its shape is that of the "
    f"value of `function`, followed by that of the argument. {_ELSE}",
    ("claimed", "hessian"): "Called as ``claimed(*args)``; returns an array, or with several "
    f"arguments a tuple of tuples, one block for each pair. {_ELSE}",
    ("claimed", "vjp"): "Called as ``claimed(*args, g)``, with a cotangent `g` of the shape of the "
    f"value of `function`, or one for each of several values; {_EACH}. {_ELSE}",
    ("claimed", "jvp"): "Called as ``claimed(*args, *tangents)``, with a tangent of the shape of "
    "each argument that the derivative is by; returns what has the shape of the value of "
    f"`function`. {_ELSE}",
    ("claimed", "hvp"): "Called as ``claimed(*args, *vectors)``, with a vector of the shape of "
    "each argument, which without further arguments is how "
    f"``scipy.optimize.minimize(hessp=...)`` calls it; {_EACH}. {_ELSE}",
}
"""What a docstring says of a keyword besides, where it is known of which quantity it is."""


def keyword(name: str, quantity: str = "") -> Keyword:
    """A keyword, as it is said of a quantity.

    Examples
    --------
    >>> keyword("function", "hessian").more
    'It returns one number.'
    >>> keyword("seed", "hessian") is keyword("seed")
    True
    """
    more = _OF_QUANTITY.get((name, quantity))
    return KEYWORDS[name]._replace(more=more) if more else KEYWORDS[name]


BACKENDS: Final = ("auto", "numpy", "fused", "llvm")
"""What makes the code: that which fits, NumPy, NumPy with loops of LLVM, or LLVM."""
