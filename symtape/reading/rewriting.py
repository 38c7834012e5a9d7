"""The source of a function with each call, attribute and item asked of a reader."""

from __future__ import annotations

import ast
from collections.abc import Set
from typing import Final

READER: Final = "__reader__"
"""The name that the reader has in a twin."""

_UNCHANGED: Final = frozenset(
    ("super", "locals", "globals", "vars", "dir", "eval", "exec", "breakpoint", READER)
)
"""Functions that look at the frame of whoever calls them."""

_OPERATORS: Final[dict[type, str]] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}

_UNARY: Final[dict[type, str]] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
_COMPARISONS: Final[dict[type, str]] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Gt: "gt",
    ast.GtE: "ge",
}


_WRITING_FUNCTIONS: Final = frozenset(
    ("at", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask")
)
"""NumPy's functions that write into their first argument."""

_WRITING_METHODS: Final = frozenset(("fill", "partition", "put", "resize", "sort"))
"""Methods of arrays that write into these."""

_HELD: Final = "__held__"
"""A name of the twin's own, for the object of which an attribute is changed."""


class Rewriter(ast.NodeTransformer):
    """Ask the reader for what the nodes of a function ask for.

    Parameters
    ----------
    owner : str
        The class around a method, by which its private names are mangled; empty for none.
    outer : set of str
        Names from around the function; of those that it writes entries into, it is given others.
    local : set of str
        Its own names for what it writes into.

    Examples
    --------
    >>> tree = ast.parse("np.sin(x[0])")
    >>> print(ast.unparse(Rewriter("").visit(tree)))
    __reader__.target_in(np, 'sin')(__reader__.item(x, 0))
    """

    def __init__(
        self, owner: str, outer: Set[str] = frozenset(), local: Set[str] = frozenset()
    ) -> None:
        self._owner, self._outer, self._local = owner, outer, local

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """``f(a)`` is ``reader.target(f)(a)``; of ``x.f(a)``, ``reader.target_in(x, "f")(a)``."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        # Where it is given its names, it looks at no frame.
        unchanged = name in _UNCHANGED and not (name == "eval" and len(node.args) > 1)
        called = node.func
        self.generic_visit(node)
        if unchanged:
            return node
        if isinstance(called, ast.Attribute):
            named = ast.Constant(called.attr)
            node.func = _ask("target_in", called, [called.value, named])
            _place_by_attribute(node, called)
        else:
            node.func = _ask("target", node.func, [node.func])
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """``x.a`` is ``reader.attribute(x, "a")``."""
        node.attr = self._mangle_name(node.attr)
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = _ask("holder", node.value, [node.value])
            return node
        return _ask("attribute", node, [node.value, ast.Constant(node.attr)])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """``x[k]`` is ``reader.item(x, k)``; what it writes into is ``reader.holder(x)``."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = _ask("holder", node.value, [node.value])
            return node
        return _ask("item", node, [node.value, _key(node.slice)])

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """``a + b`` is ``reader.binary("add", a, b)``."""
        self.generic_visit(node)
        name = _OPERATORS[type(node.op)]
        return _ask("binary", node, [ast.Constant(name), node.left, node.right])

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """``a += b`` is ``a = reader.operate_in_place("add", a, b)``, of ``x.a`` likewise."""
        target = node.target
        self.generic_visit(node)
        name = ast.Constant(_OPERATORS[type(node.op)])
        if isinstance(target, ast.Name):
            before: ast.expr = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            made = _ask("operate_in_place", node.value, [name, before, node.value])
            return ast.copy_location(ast.Assign([target], made), node)
        if not isinstance(target, ast.Attribute):
            return node
        # The object is evaluated once, before the value that is added to its attribute.
        held = ast.Name(_HELD, ast.Load())
        of = ast.NamedExpr(ast.Name(_HELD, ast.Store()), target.value)
        before = _ask("attribute", target, [of, ast.Constant(target.attr)])
        made = _ask("operate_in_place", node.value, [name, before, node.value])
        asked = _ask("set_attribute", node.value, [made, held, ast.Constant(target.attr)])
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(asked), node))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """``-a`` is ``reader.unary("neg", a)``."""
        constant = isinstance(node.operand, ast.Constant)
        self.generic_visit(node)
        if constant or isinstance(node.op, ast.Not):
            return node
        return _ask("unary", node, [ast.Constant(_UNARY[type(node.op)]), node.operand])

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """``a < b`` is ``reader.compare("lt", a, b)``; chains stay."""
        self.generic_visit(node)
        (kind, *more), (other, *_) = map(type, node.ops), node.comparators
        if more or kind in (ast.Is, ast.IsNot):
            return node
        if kind in (ast.In, ast.NotIn):
            found = _ask("contains", node, [node.left, other])
            inverted = ast.UnaryOp(ast.Not(), found)
            return found if kind is ast.In else ast.copy_location(inverted, node)
        return _ask("compare", node, [ast.Constant(_COMPARISONS[kind]), node.left, other])

    def visit_For(self, node: ast.For) -> ast.AST:
        """A loop goes over ``reader.iterate(x)``."""
        self.generic_visit(node)
        node.iter = _ask("iterate", node.iter, [node.iter])
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """So does a comprehension."""
        self.generic_visit(node)
        if not node.is_async:
            node.iter = _ask("iterate", node.iter, [node.iter])
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        """And ``*x``."""
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = _ask("iterate", node.value, [node.value])
        return node

    def visit_With(self, node: ast.With) -> ast.AST:
        """``with x`` enters ``reader.context(x)``."""
        self.generic_visit(node)
        for item in node.items:
            item.context_expr = _ask("context", item.context_expr, [item.context_expr])
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """``x[k] = v`` and ``x.a = v`` ask the reader; an unpacked value is iterated over."""
        self.generic_visit(node)
        target = node.targets[0]
        if isinstance(target, ast.Tuple | ast.List):
            node.value = _ask("iterate", node.value, [node.value])
        if len(node.targets) > 1:
            return node
        # What has a name already is nobody's own; Python 3.14 doesn't count that reference.
        named = isinstance(node.value, ast.Name)
        if isinstance(target, ast.Name) and target.id in self._local and not named:
            node.value = _ask("own", node.value, [node.value])
        if isinstance(target, ast.Subscript):
            asked = _ask("set_item", node.value, [node.value, target.value, _key(target.slice)])
            return ast.copy_location(ast.Expr(asked), node)
        if isinstance(target, ast.Attribute):
            given = [node.value, target.value, ast.Constant(target.attr)]
            asked = _ask("set_attribute", node.value, given)
            return ast.copy_location(ast.Expr(asked), node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Private names of a class are mangled, as the class would."""
        node.id = self._mangle_name(node.id)
        if node.id in self._outer and isinstance(node.ctx, ast.Load):
            return _ask("workspace", node, [node])
        return node

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.stmt:
        """What is bound to such a name is held by what is around the function."""
        nobody = ast.copy_location(ast.Constant(None), node)
        # A declaration holds wherever it stands before the name.
        return ast.copy_location(ast.If(_ask("holder", nobody, [nobody]), [node], []), node)

    visit_Nonlocal = visit_Global

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """So are those of parameters."""
        node.arg = self._mangle_name(node.arg)
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """An annotation of a local name is never evaluated."""
        node.target = self.visit(node.target)
        node.value = node.value and self.visit(node.value)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """In a class inside, private names are those of that class."""
        owner, self._owner = self._owner, node.name
        self.generic_visit(node)
        self._owner = owner
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        """A pattern names its class by a name or attributes, and by nothing else."""
        node.patterns = [self.visit(pattern) for pattern in node.patterns]
        node.kwd_patterns = [self.visit(pattern) for pattern in node.kwd_patterns]
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        """A pattern is a name with dots, and nothing else."""
        return node

    def _mangle_name(self, name: str) -> str:
        private = name.startswith("__") and not name.endswith("__") and self._owner.strip("_")
        return f"_{self._owner.lstrip('_')}{name}" if private else name


def names_written_into(node: ast.AST, local: Set[str] = frozenset()) -> set[str]:
    """Names of arrays into which a function writes: entries, or all of one that is `local`.

    Examples
    --------
    >>> tree = ast.parse("a[0] = b[0]; c[1][2] += 1; np.put(d, 0, x); np.sin(x, out=e); f.fill(x)")
    >>> sorted(names_written_into(tree, {"f"}))
    ['a', 'c', 'd', 'e', 'f']
    """
    names = {_base(written) for item in ast.walk(node) for written in _written_by(item)}
    methods = {
        _base(item.func.value)
        for item in ast.walk(node)
        if isinstance(item, ast.Call)
        and isinstance(item.func, ast.Attribute)
        and item.func.attr in _WRITING_METHODS
    }
    changed = {
        item.target.id
        for item in ast.walk(node)
        if isinstance(item, ast.AugAssign) and isinstance(item.target, ast.Name)
    }
    return (names | (methods | changed) & local) - {""}


def _written_by(node: ast.AST) -> list[ast.expr]:
    """What one node writes into."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return [node.value]
    if not isinstance(node, ast.Call):
        return []
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    first = node.args[:1] if name in _WRITING_FUNCTIONS else []
    return first + [keyword.value for keyword in node.keywords if keyword.arg == "out"]


def _base(node: ast.expr) -> str:
    """The name of the array that an expression shows a part of; empty if there is none."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _ask(what: str, node: ast.expr, args: list[ast.expr]) -> ast.Call:
    asked = ast.Attribute(ast.Name(READER, ast.Load()), what, ast.Load())
    for part in (asked, asked.value):
        ast.copy_location(part, node)
        part.end_lineno, part.end_col_offset = node.lineno, node.col_offset + 1
    return ast.copy_location(ast.Call(asked, args, []), node)


def _place_by_attribute(node: ast.Call, called: ast.Attribute) -> None:
    """Give a call the line on which the name of its method ends, as Python does."""
    if called.end_lineno != node.lineno:
        node.lineno = called.end_lineno or node.lineno
        node.col_offset = max((called.end_col_offset or 0) - len(called.attr), 0)


def _key(key: ast.expr) -> ast.expr:
    """A key as an expression: slices outside of brackets are calls."""
    if isinstance(key, ast.Slice):
        ends = [end or ast.Constant(None) for end in (key.lower, key.upper, key.step)]
        return _ask("slice", key, ends)
    if isinstance(key, ast.Tuple):
        return ast.copy_location(ast.Tuple([_key(item) for item in key.elts], ast.Load()), key)
    return key
