"""From a form to a Python function over floats: one line a statement, however many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symtape.symbolic.language import Signature
from symtape.symbolic.languages import LANGUAGES
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.writing import write


def compiled_function(
    shadow: Shadow, parts: Sequence[Any], title: str, of: str
) -> Callable[..., list[Any]]:
    """The function of the arguments of `shadow` that computes some of its statements.

    Parameters
    ----------
    shadow : Shadow
    parts : sequence of int arrays
        The statements, whose values are returned as one list.
    title, of : str
        What is computed, of which function.
    """
    program = shadow.program
    shapes = [ids.shape for ids in shadow.inputs]
    flat = _compiled(shadow, parts, f"<{title} of {of}>")

    def function(*args: Any) -> list[Any]:
        if len(args) != len(shapes):
            raise TypeError(f"{title} takes {len(shapes)} arguments, got {len(args)}")
        numbers: list[Any] = []
        for name, shape, arg in zip(shadow.names, shapes, args, strict=True):
            array = np.asarray(arg, dtype=np.float64)
            if array.shape != shape:
                raise ValueError(
                    f"{name} has shape {array.shape}, expected {shape}; derive the function "
                    "again for another shape"
                )
            numbers += list(array.ravel())
        with np.errstate(all="ignore"):
            return flat(numbers)

    function.__name__ = title
    function.__doc__ = f"The {title} of {of}, of {len(program.inputs)} numbers."
    return function


def _compiled(shadow: Shadow, parts: Sequence[Any], name: str) -> Callable[[list[Any]], list[Any]]:
    program = shadow.program
    ids = [at for part in parts for at in part.ravel().tolist()]
    writer = LANGUAGES["numpy"](Signature("flat", "", [("a", (len(program.inputs),))]))
    places = {at: sp.Symbol(f"a[{k}]", real=True) for k, at in enumerate(program.inputs)}
    written = write(program, ids, writer, places.__getitem__, "v", inline=False)
    body = [f"    {name} = {text}" for name, text in written.lets]
    source = "\n".join(["def flat(a):", *body, f"    return [{', '.join(written.results)}]"])
    names: dict[str, Any] = {"np": np, "inf": np.inf, "nan": np.nan}
    if "scipy." in source:
        import scipy.special

        names["scipy"] = scipy
    exec(compile(source, name, "exec"), names)
    function: Callable[[list[Any]], list[Any]] = names["flat"]
    return function
