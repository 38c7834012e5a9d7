"""Case: a function, the points, and the derivative that is claimed of it there."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np

from symtape.errors import NotOnTape
from symtape.one_line import OneLineRepr
from symtape.primitives.primitive import check_width
from symtape.recording.of_leaves import tree_of
from symtape.recording.structure import flatten
from symtape.recording.tensor import check_plain
from verify.errors import UsageError
from verify.files import places
from verify.model.foreign import name_transform, original_of
from verify.model.marks import MARK as MARK
from verify.model.quantity import PRODUCTS, Quantity, to_quantity
from verify.model.quantity import QUANTITIES as QUANTITIES
from verify.model.stated_accuracy import Approximation, StatedAccuracy
from verify.options.signatures import Effort, add_sections, explain_keywords, to_effort
from verify.regions import Region, arity, as_region

TAPE: Final = "symtape's tape"
"""Who claims a derivative when nobody else does."""

_KINDS: Final = {
    "U": "text",
    "S": "bytes",
    "O": "objects",
    "c": "complex numbers",
    "b": "truth values",
    "M": "dates",
    "m": "spans of time",
}

Point = tuple[Any, ...]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, repr=False)
class Case(OneLineRepr):
    """One claim to verify.

    Attributes
    ----------
    id : str
        ``"classics/rosenbrock"``.
    title : str
        For people.
    function : callable
        Of array arguments: NumPy code, or that of a framework whose arrays it takes.
    at : tuple of points
        Each a tuple of arguments; none where the points are to be found in a region.
    quantity : str
        One of ``QUANTITIES``.
    claimed : callable, optional
        Takes the same arguments and returns the derivative; by default symtape's own tape.
        With several arguments it returns a tuple, one derivative for each.
    plots : callable ``() -> list of plots``, optional
        What the report shows beside the verdict.
    suite : str
        The suite or the file that the case is from.
    over : Region, optional
        Where to search for points.
    seed : int
        Of the search.
    wrt : tuple, optional
        By which arguments: their indices; of a Hessian two such tuples, of its rows and of its
        columns. By all of them if None.
    directions : int
        How many directions stand behind the arguments at each point, of a product.
    modes : dict of callables
        Further claims of the same derivative, by name: each is compared with what is exact.
    mode : str
        What `claimed` is called beside these.
    effort : float, optional
        Of the search; that of the run if None.
    accuracy : StatedAccuracy, optional
        What `claimed` is held to, of one that states it; taken from there.
    strict : bool
        Whether errors at extreme values fail as well: see ``verify.model.grade``.
    """

    id: str
    title: str
    function: Callable[..., Any]
    at: tuple[Point, ...]
    quantity: str = "gradient"
    claimed: Callable[..., Any] | None = None
    plots: Callable[[], list[Any]] | None = None
    suite: str = ""
    over: Region | None = None
    seed: int = 0
    wrt: Any = None
    directions: int = 0
    modes: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    mode: str = "reverse"
    effort: float | None = None
    accuracy: StatedAccuracy | None = None
    strict: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.claimed, Approximation):
            object.__setattr__(self, "accuracy", self.claimed.accuracy)
            object.__setattr__(self, "claimed", self.claimed.derivative)

    @property
    def claimed_quantity(self) -> Quantity:
        """Which derivative is claimed."""
        return Quantity(self.quantity, self.wrt, self.directions)

    @property
    def count(self) -> int:
        """How many arguments and directions a point has."""
        return len(self.at[0]) if self.at or self.over is None else len(self.over.arguments)

    @property
    def lifted(self) -> Callable[..., Any]:
        """The function, as one of the points of the case: directions are not looked at."""
        if not self.directions:
            return self.function
        from verify.model.lifted import LiftedFunction, named_along

        names = argument_names(self.function, self.count - self.directions)
        along = named_along(self.quantity, names, self.wrt, self.directions)
        return LiftedFunction(self.function, names, along)


@add_sections
@explain_keywords
def case(
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    quantity: str = "gradient",
    title: str | None = None,
    seed: int = 0,
    argnums: int | Sequence[int] | None = None,
    directions: Any = None,
    effort: Effort | None = None,
    strict: bool | None = None,
    allow_undecided: bool = False,
) -> Callable[[F], F]:
    """Mark a function for ``symtape verify FILE.py``, and for pytest; may be repeated.

    Examples
    --------
    >>> @case(at=[0.5, 2.0])
    ... def cube(x):
    ...     return x**3
    >>> getattr(cube, MARK)[0]["at"]
    ((0.5,), (2.0,))
    """
    if at is None and over is None:
        raise UsageError(
            "verify.case needs points, at=[x1, x2] or at=[(x1, y1), (x2, y2)], or a region to "
            "search, over=[lower, upper]"
        )
    check_quantity(quantity)
    check_seed(seed)
    check_flags(strict=strict is not None and strict, allow_undecided=allow_undecided)
    if title is not None and not isinstance(title, str):
        raise UsageError(f"title={title!r}; expected a text")
    if claimed is not None:
        check_callable("claimed", claimed)
    points = () if at is None else to_points(at)
    marked = {
        "at": points,
        "over": over,
        "seed": seed,
        "claimed": claimed,
        "quantity": quantity,
        "title": title,
        "argnums": argnums,
        "directions": directions,
        "effort": None if effort is None else to_effort(effort),
        "strict": strict,
        "allow_undecided": allow_undecided,
    }

    def mark(function: F) -> F:
        check_callable("function", function)
        for point in points if quantity not in PRODUCTS else ():
            check_arity(function, point)
        if over is not None:
            region_of(function, over)
        setattr(function, MARK, [marked, *getattr(function, MARK, [])])
        return function

    return mark


def region_of(function: Callable[..., Any], over: Any, beside: str = "") -> Region:
    """The region that `over` describes for the arguments of `function`.

    Raises
    ------
    UsageError
        It describes none, or one for other arguments.

    Examples
    --------
    >>> region_of(lambda x, y: x * y, ([0, 1], [2, 3])).describe()
    'x in [0, 1], y in [2, 3]'
    """
    count = arity(over)
    region = as_region(over, argument_names(function, count))
    if misfit := _misfit(function, tuple(region.arguments)):
        raise UsageError(
            f"over={_brief(over)} has regions for {_arguments(count)}, but {misfit}; give a "
            f"tuple with one region an argument, or a dict by name{beside}"
        )
    return region


def check_callable(what: str, function: Any) -> None:
    """Refuse a function, or a claim, that cannot be called.

    Examples
    --------
    >>> check_callable("claimed", np.cos)
    """
    if not callable(function):
        raise UsageError(
            f"{what}={_brief(function)}; expected a function of the point, called as f(x)"
        )


def check_seed(seed: Any) -> None:
    """Refuse a seed that is no whole number from 0."""
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not whole or seed < 0:
        raise UsageError(f"seed={seed!r}; expected a whole number from 0")


def check_flags(**flags: Any) -> None:
    """Refuse a flag that is neither True nor False: a text is true, "no" as well."""
    for name, flag in flags.items():
        if not isinstance(flag, bool | np.bool_):
            raise UsageError(f"{name}={flag!r}; expected True or False")


def check_quantity(quantity: str) -> None:
    """Refuse a quantity that is not in ``QUANTITIES``."""
    if quantity not in QUANTITIES:
        raise UsageError(f"quantity={quantity!r}; expected one of {', '.join(QUANTITIES)}")


def to_points(at: Sequence[Any], keep_integers: bool = False) -> tuple[Point, ...]:
    """Points as tuples of float arguments; trees as they are, and integers of NumPy's if asked.

    Raises
    ------
    UsageError
        No points, or an argument that is no number, rectangular array of numbers, or tree of them.

    Examples
    --------
    >>> to_points([1, (2.5, [3, 4])])
    ((1.0,), (2.5, [3.0, 4.0]))
    """
    if not isinstance(at, list | tuple) or not at:
        either = ""
        if isinstance(at, np.ndarray) and at.ndim:
            each = f"is {len(at)} points, its rows or numbers"
            either = f"; of this array x, at=[x] is one point, the whole of it, and at=[*x] {each}"
        raise UsageError(
            f"at={at!r}; expected a list of points, at=[x1, x2], with one at least{either}"
        )
    return tuple(
        tuple(
            x if keep_integers and is_integers(x) else _argument(x, point)
            for x in (point if isinstance(point, tuple) else (point,))
        )
        for point in at
    )


def _argument(x: Any, point: Any) -> Any:
    if is_tree(x):
        return x
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise UsageError(
            f"{_which(x, point)} is not a rectangular array of numbers; give every row the same "
            "length, and several arguments as a tuple"
        ) from error
    try:
        check_plain(x)
        check_width(array.dtype)
    except NotOnTape as error:
        raise UsageError(f"{_which(x, point)}: {error}") from None
    if array.dtype.kind not in "iufc":
        raise UsageError(
            f"{_which(x, point)} holds {kind_of(array.dtype)}; expected numbers: a "
            "number, or a nested list or an array of them"
        )
    if array.dtype.kind == "c":
        return array[()]
    if array.dtype.kind == "f" and not isinstance(x, list | tuple):
        return x
    return np.asarray(array, dtype=np.float64).tolist()


def is_integers(x: Any) -> bool:
    """Whether `x` is an array of integers, or a number of NumPy's of such a dtype."""
    return isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "iu"


def is_tree(x: Any) -> bool:
    """Whether `x` is a tree with numbers in it, and no list of rows of unequal lengths."""
    if isinstance(x, np.ndarray | np.generic | float | int):
        return False
    tree = tree_of(x)
    if tree is None or not any(tree.moves):
        return False
    leaves = flatten(x)
    plain = type(x) in (list, tuple) and all(isinstance(leaf, float | int) for leaf in leaves)
    return not plain


def _which(x: Any, point: Any) -> str:
    several = isinstance(point, tuple) and len(point) > 1
    of = f" of the point {_brief(point)}" if several else ""
    return f"the {'argument' if of else 'point'} {_brief(x)}{of}"


def kind_of(dtype: np.dtype[Any]) -> str:
    """What arrays of a dtype hold, in words."""
    return _KINDS.get(dtype.kind, str(dtype))


def _brief(value: Any) -> str:
    return _cut(" ".join(repr(value).split()))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def check_arity(function: Callable[..., Any], point: Point) -> None:
    """Refuse a point whose number of arguments `function` does not take."""
    misfit = _misfit(
        function, point, f"the point {_format_point(point)}, which has {_arguments(len(point))}"
    )
    if misfit:
        raise UsageError(
            f"{misfit}; separate arguments by commas and put arrays in brackets, as in "
            "'1.0, [2.0, 3.0]'"
        )


def check_claim(case: Case, count: int) -> None:
    """Refuse a claim that does not take what it is called with, at points of `count` arguments."""
    along = PRODUCTS.get(case.quantity, "")
    given = count + (case.directions if along else 0)
    behind = f" and the {along}{'s' * (case.directions != 1)}" if along else ""
    what = f"the {_arguments(given)} that it is called with, those of the function{behind}"
    if case.claimed is not None and (words := _misfit(case.claimed, (None,) * given, what, False)):
        raise UsageError(
            f"the claim {words}; take these, and fix others, as in functools.partial(g, k=2.0)"
        )


def _misfit(
    function: Callable[..., Any], point: Point, what: str = "these", unwrapped: bool = True
) -> str:
    """Words for a number of arguments that `function` does not take; empty if it does.

    What wraps a function may take others than that does, so a wrapper can be asked for itself.
    """
    try:
        signature = inspect.signature(function, follow_wrapped=unwrapped)
    except (TypeError, ValueError):
        return ""
    try:
        signature.bind(*point)
    except TypeError as error:
        name = getattr(function, "__name__", "the function")
        name += _cut(str(signature))
        if next(iter(signature.parameters), "") == "self":
            raise UsageError(
                f"{name} takes self, and no point has an object to give; mark a function, or a "
                "@staticmethod"
            ) from None
        return f"{name} does not take {what} ({error})"
    return ""


def _arguments(count: int) -> str:
    return f"{count} argument{'s' * (count != 1)}"


def name_function(function: Callable[..., Any]) -> str:
    """What a person calls `function`; a lambda goes by its place.

    Examples
    --------
    >>> import numpy as np
    >>> name_function(np.exp), name_function(to_points)
    ('exp', 'to_points')
    """
    original = original_of(function)
    if said := name_transform(original, name_function):
        return said
    if isinstance(original, functools.partial):
        return name_function(original.func)
    # Ufuncs of SciPy have no qualified name.
    own = getattr(function, "__qualname__", "") or getattr(function, "__name__", "")
    name = str(own or type(function).__name__)
    name = name.rpartition("<locals>.")[2]
    place = places.place_of_function(function) if callable(function) else ""
    return f"the lambda at {place}" if name == "<lambda>" and place else name


def claimant(case: Case) -> str:
    """Who claims the derivative of a case."""
    return TAPE if case.claimed is None else name_function(case.claimed)


def argument_names(function: Callable[..., Any], count: int) -> list[str]:
    """What the first `count` positional parameters of `function` are called."""
    given = getattr(function, "argument_names", None)
    try:
        given = given or _parameter_names(function)
    except TypeError:  # Not hashable.
        given = _parameter_names.__wrapped__(function)
    return list(given[:count]) if len(given) >= count else [f"x{k}" for k in range(count)]


@functools.lru_cache(maxsize=64)  # functions
def _parameter_names(function: Callable[..., Any]) -> list[str]:
    return [parameter.name for parameter in positional_parameters(function)]


def positional_parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function that can be given by their places, as far as it tells."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [parameter for parameter in parameters if parameter.kind in positional]


def part_names(function: Callable[..., Any], count: int, quantity: str | Quantity) -> list[str]:
    """What each part of a derivative is by: an argument, or for a Hessian a pair of them.

    What is pushed forward is by none in particular.

    Examples
    --------
    >>> part_names(lambda x, y: x * y, 2, "hessian")
    ['x and x', 'x and y', 'y and x', 'y and y']
    """
    names = argument_names(function, count)
    quantity = to_quantity(quantity)
    if quantity.name == "jvp":
        return [""]
    return [" and ".join(names[i] for i in part) for part in quantity.parts(count)]


def _format_point(point: Point) -> str:
    return repr(point[0]) if len(point) == 1 else repr(point)
