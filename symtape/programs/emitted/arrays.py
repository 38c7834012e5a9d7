"""How rows that are not of elements are written in libraries of arrays of Python."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.indexing import Slot
from symtape.programs.compiled.emitters import index
from symtape.programs.emitted.dialect import COMPARISONS
from symtape.programs.emitted.expression import Binding, Written, call, matrix_product, shape_text
from symtape.programs.emitted.spelling import Argument, Spelling, is_plain, promote_arguments

Writer = Callable[[Spelling, Node, Sequence[Argument]], Written | None]


_DEFAULTS: Final[Mapping[str, Any]] = {
    "axis": None,
    "keepdims": False,
    "ddof": 0,
    "upper": False,
    "UPLO": "L",
    "trans": 0,
    "lower": False,
    "unit_diagonal": False,
    "offset": 0,
}
"""What parameters are where they are not written."""


def _name_options(s: Spelling, node: Node, *options: str) -> dict[str, str]:
    """Parameters that are not what they are by default, as arguments by keyword."""
    named = {}
    for option in options:
        value = node.params[option]
        if option == "axis" and isinstance(value, tuple) and len(value) == 1:
            (value,) = value
        if value != _DEFAULTS[option]:
            text = f'"{value}"' if isinstance(value, str) else repr(value)
            named[s.dialect.keyword(option)] = text
    return named


def _make_call_writer(function: str, *options: str, **fixed: str) -> Writer:
    return lambda s, node, args: s.call(
        function, *args, **_name_options(s, node, *options), **fixed
    )


def _write_reduction(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    axis, rank = node.params["axis"], len(args[0].node.shape)
    if s.dialect.of_tensors and node.name == "prod" and isinstance(axis, tuple) and len(axis) > 1:
        return None
    along = _name_options(s, node, "axis", "keepdims")
    if axis is None or (isinstance(axis, tuple) and len(axis) == rank):
        if not node.params["keepdims"]:
            along = {}
        elif s.dialect.of_tensors:
            along[s.dialect.keyword("axis")] = repr(tuple(range(rank)))
    return s.call(node.name, *args, **along)


def _write_along_axis(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    axis = node.params["axis"]
    if isinstance(axis, tuple) and len(axis) == 1:
        (axis,) = axis
    if s.dialect.of_tensors and not isinstance(axis, int):
        return None
    return s.call(node.name, *args, **{s.dialect.keyword("axis"): repr(axis)})


def _write_spread(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    named = _name_options(s, node, "axis", "keepdims", "ddof")
    if s.dialect.of_tensors:  # which subtract 1 by default
        named[s.dialect.keyword("ddof")] = repr(node.params["ddof"])
    return s.call(node.name, *args, **named)


def _write_transpose(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    axes = tuple(node.params["axes"])
    if axes == (1, 0):
        return Written(f"{args[0].written.parenthesise(Binding.ATOM)}.T")
    return s.call("transpose", args[0], repr(axes))


def _broadcast(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    (x,), shape = args, repr(node.shape)
    if x.node.shape or (s.dialect.of_tensors and x.node.constant is None):
        return s.call("broadcast_to", x, shape)
    dtype = {} if x.node.dtype == np.float64 else {"dtype": s.dialect.dtype(x.node.dtype)}
    if s.dialect.of_tensors:
        dtype = {"dtype": s.dialect.dtype(x.node.dtype)}
    for number, filled in ((0.0, "zeros"), (1.0, "ones")):
        value = x.node.constant
        if value is not None and value == number and not np.signbit(float(value)):
            return s.call(filled, shape_text(node.shape), **dtype)
    return s.call("full", shape, x, **dtype)


def _item(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    at = node.params["index"]
    if s.dialect.of_tensors and _steps_back(at):
        return None
    return Written(f"{args[0].written.parenthesise(Binding.ATOM)}[{index(at, s.array)}]")


def _steps_back(at: Any) -> bool:
    items = at if isinstance(at, tuple) else (at,)
    return any(isinstance(item, slice) and (item.step or 1) < 0 for item in items)


def fill_index(template: Sequence[Any], arrays: Sequence[Argument]) -> str:
    """An index in which arrays of the program stand."""
    items = [arrays[part.number].written.text if type(part) is Slot else part for part in template]
    texts = [part if isinstance(part, str) else index(part, str) for part in items]
    return ", ".join(texts) + ("," if len(texts) == 1 else "")


def _item_by(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    template = node.params["template"]
    if any(isinstance(item, np.ndarray) for item in template):
        return None
    return Written(
        f"{args[0].written.parenthesise(Binding.ATOM)}[{fill_index(template, args[1:])}]"
    )


def _write_joining(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    given = [_tensor(s, x) for x in args]
    name = node.name
    return s.call(
        name, f"[{', '.join(given)}]", **{s.dialect.keyword("axis"): repr(node.params["axis"])}
    )


def _tensor(s: Spelling, x: Argument, dtype: np.dtype[Any] | None = None) -> str:
    """A plain number as a tensor, for a function that takes no other."""
    if not is_plain(x) or not s.dialect.of_tensors:
        return x.written.text
    return f"torch.tensor({x.written.text}, dtype={s.dialect.dtype(dtype or x.node.dtype)})"


def _write_choice(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    condition, a, b = args
    first = a.written.text
    if is_plain(a) and is_plain(b):
        single = node.dtype == np.float32 and not s.dialect.of_tensors
        first = f"{s.dialect.module}.float32({first})" if single else _tensor(s, a, node.dtype)
    return s.call("where", condition, first, b)


def _triangular(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    if s.dialect.of_tensors:
        return _triangular_of_tensors(node, args)
    named = _name_options(s, node, "trans", "lower", "unit_diagonal")
    return s.call("solve_triangular", *args, **named)


def _triangular_of_tensors(node: Node, args: Sequence[Argument]) -> Written | None:
    """Of matrices alone, and of a transposed one as it stands."""
    a, b = args
    turned, lower = node.params["trans"] in (1, "T"), node.params["lower"]
    if len(a.node.shape) != 2 or len(b.node.shape) != 2 or a.node.dtype.kind != "f":
        return None
    if node.params["trans"] not in (0, "N", 1, "T"):
        return None
    named = {"unitriangular": "True"} if node.params["unit_diagonal"] else {}
    matrix = f"{a.written.parenthesise(Binding.ATOM)}.T" if turned else a.written.text
    upper = {"upper": repr(bool(lower) == turned)}
    return call("torch.linalg.solve_triangular", matrix, b.written, **upper, **named)


def _banded(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    below, above = node.params["below"], node.params["above"]
    if s.dialect.function(node.name) is None:
        return None
    if node.params["definite"]:
        return s.call("solveh_banded", *args, lower=repr(above == 0))
    return s.call(node.name, repr((below, above)), *args)


def _einsum(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    return s.call("einsum", f'"{node.params["subscripts"]}"', *(_tensor(s, x) for x in args))


def _diagonal(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    word = s.dialect.keyword("axis")
    axes = {} if len(args[0].node.shape) == 2 else {f"{word}1": "-2", f"{word}2": "-1"}
    return s.call("diagonal", *args, **_name_options(s, node, "offset"), **axes)


def _diagonal_matrix(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    size, k = args[0].node.shape[-1], node.params["offset"]
    if len(args[0].node.shape) > 1 or node.shape != (size + abs(k),) * 2:
        return None
    return s.call("diag", *args, *([repr(k)] if k else []))


def _triangle(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    return s.call(node.name, *args, *([repr(node.params["k"])] if node.params["k"] else []))


def _write_sorting(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    axis = {s.dialect.keyword("axis"): repr(node.params["axis"])}
    if not s.dialect.of_tensors:
        steady = {"kind": '"stable"'} if s.dialect.decides else {}
        return s.call(node.name, *args, **axis, **steady)
    found = s.call(node.name, *args, **axis, stable="True")
    return found and (Written(f"{found.text}.values") if node.name == "sort" else found)


def _cast(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    return s.cast(args[0], node.dtype)


def _make_filled_writer(name: str) -> Writer:
    def write(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
        return s.call(name, shape_text(node.shape), dtype=s.dialect.dtype(node.dtype))

    return write


def _write_reshape(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    (x,), shape = args, node.shape
    before = x.node.shape
    if before == shape:
        return x.written
    if before and len(shape) == len(before) + 1:
        at = _new_axis(before, shape)
        if at is not None:
            return Written(f"{x.written.parenthesise(Binding.ATOM)}[{at}]")
    return s.method(x, "reshape", ", ".join(map(repr, shape)) or "()")


def _new_axis(before: tuple[int, ...], shape: tuple[int, ...]) -> str | None:
    """The index that puts one axis of length 1 among those that there are."""
    for k, length in enumerate(shape):
        if length == 1 and (*shape[:k], *shape[k + 1 :]) == before:
            return ", ".join([*[":"] * k, "None", *[":"] * (len(before) - k)])
    return None


def _norm(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    axis = node.params["axis"]
    count = len(args[0].node.shape) if axis is None else len(axis)
    if count != 1 and axis is not None:
        return None
    name = "linalg.vector_norm" if s.dialect.of_tensors else "linalg.norm"
    return s.call(name, *args, **_name_options(s, node, "axis", "keepdims"))


def _write_attribute(s: Spelling, node: Node, args: Sequence[Argument]) -> Written:
    return Written(f"{args[0].written.parenthesise(Binding.ATOM)}.{node.name}")


ARRAYS: Final[Mapping[str, Writer]] = {
    **dict.fromkeys(
        ("all", "any", "count_nonzero", "logsumexp", "max", "mean", "min", "prod", "sum"),
        _write_reduction,
    ),
    **dict.fromkeys(
        ("argmax", "argmin", "cumprod", "cumsum", "log_softmax", "softmax"), _write_along_axis
    ),
    **dict.fromkeys(("argsort", "sort"), _write_sorting),
    **dict.fromkeys(("astype", "astype_discrete"), _cast),
    **dict.fromkeys(("concatenate", "stack"), _write_joining),
    **dict.fromkeys(("real", "imag"), _write_attribute),
    **dict.fromkeys(("std", "var"), _write_spread),
    **dict.fromkeys(("tril", "triu"), _triangle),
    **{
        name: _make_call_writer(f"linalg.{name}")
        for name in ("det", "eig", "eigvals", "inv", "pinv", "qr", "slogdet", "solve")
    },
    **{name: _make_call_writer(name) for name in ("expm", "outer")},
    "broadcast_to": _broadcast,
    "cholesky": _make_call_writer("linalg.cholesky", "upper"),
    "diagonal": _diagonal,
    "diagonal_matrix": _diagonal_matrix,
    "eigh": _make_call_writer("linalg.eigh", "UPLO"),
    "eigvalsh": _make_call_writer("linalg.eigvalsh", "UPLO"),
    "einsum": _einsum,
    "euclidean_norm": _norm,
    "flip": lambda s, node, args: s.call(
        "flip", *args, **{s.dialect.keyword("axes"): repr(node.params["axis"])}
    ),
    "getitem": _item,
    "getitem_by": _item_by,
    "matmul": lambda s, node, args: matrix_product("@", *(x.written for x in args)),
    "one": _make_filled_writer("ones"),
    "ones_like": _make_filled_writer("ones"),
    "reshape": _write_reshape,
    "roll": lambda s, node, args: s.call(
        "roll",
        *args,
        repr(node.params["shift"]),
        **{s.dialect.keyword("axes"): repr(node.params["axis"])},
    ),
    "singular_values": _make_call_writer("linalg.svdvals"),
    "solve_banded": _banded,
    "solve_triangular": _triangular,
    "stop_gradient": lambda s, node, args: args[0].written,
    "svd": _make_call_writer("linalg.svd", full_matrices="False"),
    "transpose": _write_transpose,
    "where": _write_choice,
    "zeros_like": _make_filled_writer("zeros"),
}
"""A writer for each row; None of it where the library has nothing for these parameters."""


def _plain(name: str, args: Sequence[Argument]) -> list[Written]:
    """Arguments, of which whole numbers have no point where arithmetic is of floats anyway."""
    floats = [x for x in args if x.node.constant is None and x.node.dtype.kind == "f"]
    if name not in _ARITHMETIC or not floats:
        return [x.written for x in args]
    return [_write_integer(x) for x in args]


def _write_integer(x: Argument) -> Written:
    if not is_plain(x) or not x.written.text.endswith(".0"):
        return x.written
    return Written(x.written.text[:-2], x.written.binding)


_ARITHMETIC: Final = frozenset(("add", "subtract", "multiply", "divide", "power", *COMPARISONS))


def is_ufunc(node: Node) -> bool:
    """Whether a row is a ufunc of NumPy or SciPy, and so of the libraries that have its name."""
    function = node.row.evaluate
    return isinstance(function, np.ufunc) or function in vars(operator).values()


def write_operation(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    """An operation as an expression; None where the library has nothing for it."""
    row, args = node.row, promote_arguments(s, node, args)
    if row.name in s.dialect.operators and not node.params:
        return s.dialect.element(row.name, *_plain(row.name, args))
    if row.name in ARRAYS:
        return ARRAYS[row.name](s, node, args)
    # What else has a name of SciPy's computes it in a way of its own.
    if node.params or not is_ufunc(node):
        return None
    return s.dialect.element(row.name, *(Written(_tensor(s, x)) for x in args))
