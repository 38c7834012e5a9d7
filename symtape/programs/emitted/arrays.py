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


def _make_reduction_writer(name: str) -> Writer:
    def write(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
        (x,) = args
        along, axis = s.write_axes(node), node.params["axis"]
        everything = axis is None or (isinstance(axis, tuple) and len(axis) == len(x.node.shape))
        if everything and not node.params["keepdims"]:
            along = {}
        elif everything and s.dialect.of_tensors:
            along[s.dialect.axis] = repr(tuple(range(len(x.node.shape))))
        return s.call(name, x, **along)

    return write


def _make_axis_writer(name: str) -> Writer:
    def write(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
        axis = node.params["axis"]
        if isinstance(axis, tuple) and len(axis) == 1:
            (axis,) = axis
        if s.dialect.of_tensors and not isinstance(axis, int):
            return None
        return s.call(name, *args, **{s.dialect.axis: repr(axis)})

    return write


def _prod(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    axis = node.params["axis"]
    if s.dialect.of_tensors and isinstance(axis, tuple) and len(axis) > 1:
        return None
    return _make_reduction_writer("prod")(s, node, args)


def _variance(name: str) -> Writer:
    def write(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
        word, ddof = "correction" if s.dialect.of_tensors else "ddof", node.params["ddof"]
        named = {word: repr(ddof)} if ddof or s.dialect.of_tensors else {}
        return s.call(name, *args, **s.write_axes(node), **named)

    return write


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
    return s.call(name, f"[{', '.join(given)}]", **{s.dialect.axis: repr(node.params["axis"])})


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


def _linear_algebra(name: str, **named: str) -> Writer:
    def write(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
        return call(f"{s.dialect.module}.linalg.{name}", *(x.written for x in args), **named)

    return write


def _cholesky(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    named = {"upper": "True"} if node.params["upper"] else {}
    return _linear_algebra("cholesky", **named)(s, node, args)


def _eigh(name: str) -> Writer:
    def write(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
        named = {"UPLO": '"U"'} if node.params["UPLO"] == "U" else {}
        return _linear_algebra(name, **named)(s, node, args)

    return write


def _triangular(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    trans, lower = node.params["trans"], node.params["lower"]
    if s.dialect.of_tensors:
        return _triangular_of_tensors(node, args)
    named = {"trans": repr(trans)} if trans else {}
    named |= {"lower": "True"} if lower else {}
    named |= {"unit_diagonal": "True"} if node.params["unit_diagonal"] else {}
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


def _einsum(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    return s.call("einsum", f'"{node.params["subscripts"]}"', *(_tensor(s, x) for x in args))


def _diagonal(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    word = "dim" if s.dialect.of_tensors else "axis"
    offset = {"offset": repr(node.params["offset"])} if node.params["offset"] else {}
    axes = {} if len(args[0].node.shape) == 2 else {f"{word}1": "-2", f"{word}2": "-1"}
    return s.call("diagonal", *args, **offset, **axes)


def _diagonal_matrix(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    size, k = args[0].node.shape[-1], node.params["offset"]
    if len(args[0].node.shape) > 1 or node.shape != (size + abs(k),) * 2:
        return None
    return s.call("diag", *args, *([repr(k)] if k else []))


def _triangle(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    return s.call(node.name, *args, *([repr(node.params["k"])] if node.params["k"] else []))


def _write_sorting(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    axis = {s.dialect.axis: repr(node.params["axis"])}
    if not s.dialect.of_tensors:
        steady = {"kind": '"stable"'} if s.dialect.decides else {}
        return s.call(node.name, *args, **axis, **steady)
    found = s.call(node.name, *args, **axis, stable="True")
    return found and (Written(f"{found.text}.values") if node.name == "sort" else found)


def _write_roll(s: Spelling, node: Node, args: Sequence[Argument]) -> Written | None:
    shift, axis = node.params["shift"], node.params["axis"]
    return s.call("roll", *args, repr(shift), **{s.dialect.dims: repr(axis)})


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
    return call(f"{s.dialect.module}.{name}", args[0].written, **s.write_axes(node))


ARRAYS: Final[Mapping[str, Writer]] = {
    "all": _make_reduction_writer("all"),
    "any": _make_reduction_writer("any"),
    "argmax": _make_axis_writer("argmax"),
    "argmin": _make_axis_writer("argmin"),
    "argsort": _write_sorting,
    "astype": _cast,
    "astype_discrete": _cast,
    "broadcast_to": _broadcast,
    "cholesky": _cholesky,
    "concatenate": _write_joining,
    "count_nonzero": _make_reduction_writer("count_nonzero"),
    "cumprod": _make_axis_writer("cumprod"),
    "cumsum": _make_axis_writer("cumsum"),
    "det": _linear_algebra("det"),
    "diagonal": _diagonal,
    "diagonal_matrix": _diagonal_matrix,
    "eig": _linear_algebra("eig"),
    "eigh": _eigh("eigh"),
    "eigvals": _linear_algebra("eigvals"),
    "eigvalsh": _eigh("eigvalsh"),
    "einsum": _einsum,
    "euclidean_norm": _norm,
    "expm": lambda s, node, args: s.call("expm", *args),
    "flip": lambda s, node, args: s.call(
        "flip", *args, **{s.dialect.dims: repr(node.params["axis"])}
    ),
    "getitem": _item,
    "getitem_by": _item_by,
    "inv": _linear_algebra("inv"),
    "log_softmax": _make_axis_writer("log_softmax"),
    "logsumexp": _make_reduction_writer("logsumexp"),
    "matmul": lambda s, node, args: matrix_product("@", *(x.written for x in args)),
    "max": _make_reduction_writer("max"),
    "mean": _make_reduction_writer("mean"),
    "min": _make_reduction_writer("min"),
    "one": _make_filled_writer("ones"),
    "ones_like": _make_filled_writer("ones"),
    "outer": lambda s, node, args: s.call("outer", *args),
    "pinv": _linear_algebra("pinv"),
    "prod": _prod,
    "qr": _linear_algebra("qr"),
    "real": lambda s, node, args: Written(f"{args[0].written.parenthesise(Binding.ATOM)}.real"),
    "imag": lambda s, node, args: Written(f"{args[0].written.parenthesise(Binding.ATOM)}.imag"),
    "reshape": _write_reshape,
    "roll": _write_roll,
    "singular_values": _linear_algebra("svdvals"),
    "slogdet": _linear_algebra("slogdet"),
    "softmax": _make_axis_writer("softmax"),
    "solve": _linear_algebra("solve"),
    "solve_triangular": _triangular,
    "sort": _write_sorting,
    "stack": _write_joining,
    "std": _variance("std"),
    "stop_gradient": lambda s, node, args: args[0].written,
    "sum": _make_reduction_writer("sum"),
    "svd": _linear_algebra("svd", full_matrices="False"),
    "transpose": _write_transpose,
    "tril": _triangle,
    "triu": _triangle,
    "var": _variance("var"),
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
