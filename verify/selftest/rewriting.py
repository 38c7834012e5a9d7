"""Small wrong changes of the source of a function: one place of it at a time.

The function is read from its file, one node of its tree is changed, and the result is compiled
again among the names that the function saw. What comes out takes the same arguments.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final

from verify.oracles.proofs.content import find_definition
from verify.reporting.remedies.rewriting import replace_node

_EACH_OTHER: Final = (
    *("sin cos", "sinh cosh", "exp expm1", "log log1p", "sum mean", "less greater", "tril triu"),
    *("less_equal greater_equal", "maximum minimum", "max min", "equal not_equal"),
    *("zeros_like ones_like",),
)
_NEIGHBOURS: Final = {
    **{name: other for pair in _EACH_OTHER for name, other in permutations(pair.split())},
    "tanh": "arctan",
    "sqrt": "cbrt",
    "isfinite": "isnan",
    "cumsum": "cumprod",
    "hypot": "arctan2",
}
"""Functions of NumPy that are taken for each other."""

_BRANCHES: Final = {"less", "greater", "less_equal", "greater_equal", "equal", "not_equal"}
_REDUCTIONS: Final = {"sum", "mean"}
_ANGLES: Final = {"sin", "cos", "tan"}
_DROPPABLE: Final = {
    "transposed": "transposed",
    "swapaxes": "transposed",
    "transpose": "transposed",
    "sum_to": "dropped broadcast sum",
    "broadcast_to": "dropped broadcast",
    "flip": "off-by-one axis",
    "roll": "off-by-one axis",
    "conj": "missing conjugate",
    "conjugate": "missing conjugate",
    "abs": "sign of a term",
}
"""Functions of an array whose loss is a fault with a name of its own."""

_COMPARED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


@dataclass(frozen=True, slots=True)
class MutatedSource:
    """A function with one place of it changed.

    Attributes
    ----------
    operator : str
        What kind of fault it is.
    words : str
        The old code and the new.
    function : callable
    watchers : callable ``() -> iterator of (words, callable)``
        Variants of `function` that show to :func:`watch_call` the values of an expression before
        and after the change: first of the changed one, then of those around it.
    """

    operator: str
    words: str
    function: Callable[..., Any]
    watchers: Callable[[], Iterator[tuple[str, Callable[..., Any]]]]


def rewritten(function: Callable[..., Any], names: tuple[str, ...] = ()) -> Iterator[MutatedSource]:
    """Every change of one place of `function` that this module knows.

    Parameters
    ----------
    function : callable
        A lambda or a function that a file of Python defines; of another nothing is made.
    names : tuple of str
        The parameters that are taken for each other.

    Examples
    --------
    >>> from fractions import Fraction
    >>> len(list(rewritten(Fraction.from_float)))
    0
    """
    code = getattr(function, "__code__", None)
    if code is None or (tree := find_definition(code)) is None:
        return
    places = [at for at, node in enumerate(_body(tree)) if isinstance(node, ast.expr)]
    for at in places:
        node = list(_body(tree))[at]
        for operator, new in _changes(node, names):
            words = f"{format_node(node)} → {format_node(new)}"
            watchers = functools.partial(_watchers, tree, at, new, function)
            yield MutatedSource(
                operator,
                words,
                _compile_function(replace_node(tree, at, new, _body), function),
                watchers,
            )


def _watchers(
    tree: ast.AST, at: int, new: ast.expr, function: Callable[..., Any]
) -> Iterator[tuple[str, Callable[..., Any]]]:
    """From the changed expression outward."""
    # Breadth first, whatever is around a node comes before it, so its number stays the same.
    before, after = list(_body(tree)), list(_body(replace_node(tree, at, new, _body)))
    around = [k for k, node in enumerate(before) if _holds(node, before[at])]
    for k in sorted(around, key=lambda k: len(list(ast.walk(before[k])))):
        old: Any = before[k]
        changed: Any = after[k] if k != at else new
        words = f"{format_node(old)} and {format_node(changed)}"
        yield (
            words,
            _compile_function(replace_node(tree, k, _watch_both(old, changed), _body), function),
        )


def _holds(node: ast.AST, inner: ast.AST) -> bool:
    return isinstance(node, ast.expr) and any(part is inner for part in ast.walk(node))


def format_node(node: ast.AST) -> str:
    """The source of a node in at most 60 characters."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _changes(node: ast.AST, names: tuple[str, ...]) -> Iterator[tuple[str, ast.expr]]:
    """The name of the fault and the expression that takes the place of `node`."""
    if isinstance(node, ast.BinOp):
        yield from _mutate_operator(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign of a term", node.operand
    elif isinstance(node, ast.Constant):
        yield from _mutate_constant(node)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _mutate_comparison(node)
    elif isinstance(node, ast.IfExp):
        yield "stale branch", ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
        for other in names:
            if other != node.id:
                yield "wrong argument", ast.Name(other, ast.Load())
    elif isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        yield "transposed", node.value
    elif isinstance(node, ast.Call):
        yield from _mutate_call(node)


def _mutate_operator(node: ast.BinOp) -> Iterator[tuple[str, ast.expr]]:
    left, right = node.left, node.right
    match node.op:
        case ast.Add():
            yield "sign of a term", ast.BinOp(left, ast.Sub(), right)
            yield "dropped term", left
            yield "dropped term", right
        case ast.Sub():
            yield "sign of a term", ast.BinOp(left, ast.Add(), right)
            yield "dropped term", left
            yield "dropped term", ast.UnaryOp(ast.USub(), right)
        case ast.Mult():
            yield "missing factor", left
            yield "missing factor", right
            yield "quotient for product", ast.BinOp(left, ast.Div(), right)
        case ast.Div():
            yield "missing divisor", left
            yield "product for quotient", ast.BinOp(left, ast.Mult(), right)
        case ast.MatMult():
            yield "swapped product", ast.BinOp(right, ast.MatMult(), left)
        case ast.Pow():
            yield "missing power", left


def _mutate_constant(node: ast.Constant) -> Iterator[tuple[str, ast.expr]]:
    value = node.value
    if isinstance(value, bool):
        yield "flag turned", ast.Constant(not value)
    elif isinstance(value, int):
        yield "off by one", ast.Constant(value + 1)
    elif isinstance(value, float):
        yield "constant 1 + 1e-12", ast.Constant(value * (1 + 1e-12) if value else 1e-12)


def _mutate_comparison(node: ast.Compare) -> Iterator[tuple[str, ast.expr]]:
    new = _COMPARED.get(type(node.ops[0]))
    if new is not None:
        yield "stale branch", ast.Compare(node.left, [new()], node.comparators)


def _mutate_call(node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    numpys = isinstance(owner, ast.Name) and owner.id in ("np", "xp")
    if numpys and name in _NEIGHBOURS:
        assert isinstance(node.func, ast.Attribute)
        function = ast.Attribute(node.func.value, _NEIGHBOURS[name], ast.Load())
        kind = "stale branch" if name in _BRANCHES else "another function"
        kind = "wrong reduction" if name in _REDUCTIONS else kind
        yield kind, ast.Call(function, node.args, node.keywords)
    if numpys and name in _ANGLES:
        assert isinstance(owner, ast.Name)
        turn = ast.Call(ast.Attribute(owner, "deg2rad", ast.Load()), node.args, [])
        yield "degrees for radians", ast.Call(node.func, [turn], node.keywords)
    if name == "where" and len(node.args) == 3:
        condition, first, second = node.args
        yield "stale branch", ast.Call(node.func, [condition, second, first], [])
    if name in _DROPPABLE:
        method = owner is not None and not numpys
        passed = owner if method else (node.args[0] if node.args else None)
        if passed is not None:
            yield _DROPPABLE[name], passed


# The tree of a function, and back.


def _body(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are evaluated when the function is called, always in the same order."""
    body = tree.body  # type: ignore[attr-defined]
    for part in body if isinstance(body, list) else [body]:
        yield from ast.walk(part)


_WATCH: Final = "__watched__"


def _watch_both(old: ast.AST, new: ast.expr) -> ast.expr:
    """An expression that has the value of `new` and shows both values."""

    def delay_expression(node: Any) -> ast.expr:
        nothing = ast.arguments([], [], None, [], [], None, [])
        return ast.Lambda(nothing, copy.deepcopy(node))

    return ast.Call(
        ast.Name(_WATCH, ast.Load()), [delay_expression(old), delay_expression(new)], []
    )


def _compile_function(tree: ast.AST, function: Callable[..., Any]) -> Callable[..., Any]:
    code: Any = function.__code__
    assert isinstance(tree, ast.Lambda | ast.FunctionDef)
    # Defaults were evaluated when the function was made, among names that may be gone.
    tree.args.defaults = [ast.Constant(None) for _ in tree.args.defaults]
    tree.args.kw_defaults = [d and ast.Constant(None) for d in tree.args.kw_defaults]
    if isinstance(tree, ast.Lambda):
        inner: ast.stmt = ast.Return(tree)
        body = [inner]
    else:
        tree.decorator_list = []
        body = [tree, ast.Return(ast.Name(tree.name, ast.Load()))]
    outer = ast.parse(f"def outer({', '.join((*code.co_freevars, _WATCH))}): pass")
    outer.body[0].body = body  # type: ignore[attr-defined]
    names: dict[str, Any] = {}
    exec(
        compile(ast.fix_missing_locations(outer), code.co_filename, "exec"),
        function.__globals__,
        names,
    )
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    made: Callable[..., Any] = names["outer"](*cells, _see_both)
    made.__defaults__ = function.__defaults__
    made.__kwdefaults__ = function.__kwdefaults__
    return made


_SEEN: Final[list[tuple[Any, Any]]] = []


def see(old: Any, new: Any) -> None:
    """Show the values of an expression before and after a change."""
    _SEEN.append((old, new))


def _see_both(old: Callable[[], Any], new: Callable[[], Any]) -> Any:
    value = new()
    try:
        see(old(), value)
    except Exception as error:  # noqa: BLE001  # whatever the expression raised is what it gave
        see(error, value)
    return value


def watch_call(call: Callable[[], Any]) -> list[tuple[Any, Any]]:
    """What was shown of both values while `call` ran."""
    _SEEN.clear()
    call()
    return list(_SEEN)
