"""From a form to a Python function over floats: one line a statement, however many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from symtape.symbolic.form import Form, as_arrays
from symtape.symbolic.language import Signature
from symtape.symbolic.languages import LANGUAGES
from symtape.symbolic.writing import write

__all__ = ["compiled_function"]


def compiled_function(form: Form) -> Callable[..., Any]:
    """The function of the arguments of `form` that computes it."""
    program = form.shadow.program
    shapes = [ids.shape for ids in form.shadow.inputs]
    flat = _compiled(form)

    def function(*args: Any) -> Any:
        if len(args) != len(shapes):
            raise TypeError(f"{form.title} takes {len(shapes)} arguments, got {len(args)}")
        numbers: list[Any] = []
        for name, shape, arg in zip(form.shadow.names, shapes, args, strict=True):
            array = np.asarray(arg, dtype=np.float64)
            if array.shape != shape:
                raise ValueError(
                    f"{name} has shape {array.shape}, expected {shape}; derive the function "
                    "again for another shape"
                )
            numbers += list(array.ravel())
        with np.errstate(all="ignore"):
            return as_arrays(form.tree, flat(numbers))

    function.__name__ = form.title
    function.__doc__ = f"The {form.title} of {form.function}, of {len(program.inputs)} numbers."
    return function


def _compiled(form: Form) -> Callable[[list[Any]], list[Any]]:
    program = form.shadow.program
    ids = [at for part in form.parts for at in part.ravel().tolist()]
    writer = LANGUAGES["numpy"](Signature("flat", "", [("a", (len(program.inputs),))]))
    places = {at: sp.Symbol(f"a[{k}]", real=True) for k, at in enumerate(program.inputs)}
    written = write(program, ids, writer, places.__getitem__, "v", inline=False)
    body = [f"    {name} = {text}" for name, text in written.lets]
    source = "\n".join(["def flat(a):", *body, f"    return [{', '.join(written.results)}]"])
    names: dict[str, Any] = {"np": np, "inf": np.inf, "nan": np.nan}
    if "scipy." in source:
        import scipy.special

        names["scipy"] = scipy
    exec(compile(source, f"<{form.title} of {form.function}>", "exec"), names)
    function: Callable[[list[Any]], list[Any]] = names["flat"]
    return function
