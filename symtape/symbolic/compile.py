"""From a form to a Python function over floats: one line a statement, or a loop over them.

Python takes ten microseconds to compile a line, a hundred times what running it takes. So only
the templates of a long program are compiled, and a loop applies them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np

from symtape.symbolic.languages import LANGUAGES, Signature
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.template import ARITHMETIC, Template
from symtape.symbolic.writing import template_pieces

Flat: TypeAlias = Callable[[list[Any]], list[Any]]
Made = TypeVar("Made")

LINES: Final = 20_000
"""Most statements that are compiled, each as a line."""


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
    steps = _steps(program, [at for part in parts for at in part.ravel().tolist()])
    flat = (
        _make_loop_function(steps)
        if len(steps.places) > LINES
        else _make_line_function(steps, f"<{title} of {of}>")
    )

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


@dataclass(frozen=True, slots=True)
class _Steps:
    """What is computed, in order, each step in the next place of a list of values.

    Attributes
    ----------
    inputs : int
        How many places the inputs take, which come first.
    constants : list of float64
        What stands in the next places.
    templates : list of Template
        What each step applies.
    places : list of tuple of int
        To the values at which places.
    results : list of int
        The places of what is asked for.
    """

    inputs: int
    constants: list[Any]
    templates: list[Template]
    places: list[tuple[int, ...]]
    results: list[int]

    def map_templates(self, function: Callable[[Template], Made]) -> list[Made]:
        """For each step what `function` makes of its template, asked once for each of these."""
        made = {template: function(template) for template in set(self.templates)}
        return [made[template] for template in self.templates]


def _steps(program: Program, ids: Sequence[int]) -> _Steps:
    needed = program.list_needed(ids)
    constants = [at for at in needed if at in program.constants]
    place = {at: k for k, at in enumerate([*program.inputs, *constants])}
    templates, places = [], []
    for at in needed:
        template = program.templates[at]
        if template is not None:
            templates.append(template)
            places.append(tuple([place[a] for a in program.arguments[at]]))
            place[at] = len(place)
    numbers = [np.float64(program.constants[at]) for at in constants]
    return _Steps(len(program.inputs), numbers, templates, places, [place[at] for at in ids])


def _make_loop_function(steps: _Steps) -> Flat:
    """A loop over the steps, of functions of which each is compiled once."""
    functions = steps.map_templates(_function)

    def flat(numbers: list[Any]) -> list[Any]:
        values = numbers + steps.constants
        append = values.append
        for function, places in zip(functions, steps.places, strict=True):
            if len(places) == 2:
                first, second = places
                append(function(values[first], values[second]))
            elif len(places) == 1:
                append(function(values[places[0]]))
            else:
                append(function(*[values[k] for k in places]))
        return [values[k] for k in steps.results]

    return flat


def _function(template: Template) -> Callable[..., Any]:
    """`template` as a function of floats."""
    known = ARITHMETIC.get(template)
    if known is not None:
        return known
    names = [f"a{k}" for k in range(template.arity)]
    text = _fill_holes(_pieces(template), names)
    return _define_flat(f"def flat({', '.join(names)}): return {text}", str(template), [])


def _make_line_function(steps: _Steps, name: str) -> Flat:
    """Source with a line for each step."""
    texts = [f"a[{k}]" for k in range(steps.inputs)]
    texts += [f"c[{k}]" for k in range(len(steps.constants))]
    lines = ["def flat(a):"]
    for pieces, places in zip(steps.map_templates(_pieces), steps.places, strict=True):
        line = _fill_holes(pieces, [texts[k] for k in places])
        texts.append(f"v{len(texts)}")
        lines.append(f"    {texts[-1]} = {line}")
    lines.append(f"    return [{', '.join([texts[k] for k in steps.results])}]")
    return _define_flat("\n".join(lines), name, steps.constants)


def _pieces(template: Template) -> list[str]:
    return template_pieces(template, LANGUAGES["numpy"](Signature("flat", "", [])))


def _fill_holes(pieces: Sequence[str], arguments: Sequence[str]) -> str:
    parts = list(pieces)
    parts[1::2] = [arguments[int(hole)] for hole in parts[1::2]]
    return "".join(parts)


def _define_flat(source: str, name: str, constants: list[Any]) -> Callable[..., Any]:
    """The function ``flat`` that `source` defines, which calls `constants` ``c``."""
    known: dict[str, Any] = {"np": np, "inf": np.inf, "nan": np.nan, "c": constants}
    if "scipy." in source:
        import scipy.special

        known["scipy"] = scipy
    exec(compile(source, name, "exec"), known)
    function: Callable[..., Any] = known["flat"]
    return function
