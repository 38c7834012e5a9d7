"""Closed forms and source of a user's derivative as text, and the test that verifies the source."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from symtape.errors import BudgetSpent
from symtape.programs.emitted.derivative import QUANTITIES
from symtape.symbolic.naming import argument_names
from verify.campaign.importing import find_function
from verify.campaign.load import parse_point
from verify.errors import UsageError
from verify.limits.processes import call_in_processes
from verify.model.case import check_arity, to_points

Notation: TypeAlias = Literal["array", "entries"]


def formulas(
    target: str,
    at: str,
    what: Sequence[str],
    language: str,
    budget: float,
    notation: Notation | None = None,
) -> list[str]:
    """One text for each formula.

    Parameters
    ----------
    target : str
        ``FILE.py:function`` or ``module:function``.
    at : str
        The point, as :func:`verify.campaign.load.parse_point` takes it.
    what : sequence of str
        ``value``, ``gradient``, ``jacobian``, ``hessian``; when empty the value and the first
        derivative.
    language : str
        ``text``, ``latex``, ``mathml`` or a language of code.
    budget : float
        Seconds.
    notation : {"array", "entries"}, optional
        As :func:`symtape.derive` takes it.

    Raises
    ------
    UsageError
        Target or point cannot be used.
    BudgetSpent
        Time ran out.
    """
    check_arity(find_function(target), to_points([parse_point(at)])[0])
    given = target, at, tuple(what), language, notation
    [(_, future)] = call_in_processes(_derive, [given], 1, budget)
    try:
        return list(future.result())
    except TimeoutError as error:
        raise BudgetSpent(
            f"deriving {target}: the time budget of {budget:g} s ran out; give more with --budget"
        ) from error


def _derive(
    target: str, at: str, what: tuple[str, ...], language: str, notation: Notation | None
) -> list[str]:
    import symtape

    (point,) = to_points([parse_point(at)])
    function = find_function(target)
    try:
        derivation = symtape.derive(function, *point, notation=notation)
    except (ValueError, TypeError, IndexError) as error:
        raise UsageError(
            f"{target} cannot be derived at {at}: {type(error).__name__}: {error}"
        ) from None
    wanted = what or ("value", "gradient" if _is_scalar(function, point) else "jacobian")
    texts = [_format_formula(name, getattr(derivation, name), language) for name in wanted]
    conditions = [str(condition) for condition in derivation.where]
    if language == "text" and conditions:
        texts.append("where\n" + textwrap.indent("\n".join(conditions), "  ") + "\n")
    return texts


def _is_scalar(function: Any, point: tuple[Any, ...]) -> bool:
    import symtape

    graph = symtape.record(function, *point)
    return len(graph.outputs) == 1 and graph.nodes[graph.outputs[0]].shape == ()


def _format_formula(name: str, form: Any, language: str) -> str:
    match language:
        case "text":
            return f"{name}\n{textwrap.indent(str(form), '  ')}\n"
        case "latex":
            return str(form.latex())
        case "mathml":
            return str(form.mathml())
        case _:
            return str(form.code(language))


def emit_derivative(
    target: str, at: str, language: str, what: str | None, wrt: tuple[str, ...]
) -> str:
    """The source of a derivative.

    Parameters
    ----------
    target, at : str
        As :func:`verify.campaign.formulas.formulas` takes them.
    language : str
        As ``Derivation.code`` takes it.
    what : str, optional
        The same.
    wrt : tuple of str
        The arguments by which it is differentiated; all where there is none.

    Raises
    ------
    UsageError
        Target, point, derivative or argument cannot be used.
    """
    from symtape.programs.emitted.source import source_at

    function = find_function(target)
    (point,) = to_points([parse_point(at)])
    check_arity(function, point)
    try:
        return source_at(function, point, language, what, wrt or None)
    except (ValueError, TypeError, IndexError) as error:
        raise UsageError(
            f"{target} cannot be derived at {at}: {type(error).__name__}: {error}"
        ) from None


def verifying_test(
    target: str, at: str, source: str, module: Path, wrt: tuple[str, ...] = ()
) -> str:
    """The test, beside `module`, that verifies what is in it.

    Raises
    ------
    UsageError
        There is no test to be written of such a derivative.
    """
    name = source.partition("\ndef ")[2].partition("(")[0] or source[4:].partition("(")[0]
    quantity = next((q for q in _ASSERTED if name.startswith(QUANTITIES[q].prefix + "_")), None)
    if quantity is None:
        raise UsageError(f"--test: {name} has no assertion; use --what {', '.join(_ASSERTED)}")
    file, _, function = target.rpartition(":")
    path = Path(file).resolve()
    names = argument_names(find_function(target), len(to_points([parse_point(at)])[0]))
    places = [names.index(one) for one in wrt]
    by = f", argnums={places[0] if len(places) == 1 else tuple(places)}" if places else ""
    ours = ["import verify", f"from {module.stem} import {name}"]
    if path.suffix == ".py":
        found = f"{function} = runpy.run_path({str(path)!r})[{function!r}]"
        head = ["import runpy", "", *ours, "", found]
    else:
        head = [*ours, f"from {file} import {function}"]
    call = f"verify.assert_{quantity}({function}, {name}, at=[({at.strip().rstrip(',')},)]{by})"
    return "\n".join([*head, "", "", f"def test_{name}():", f"    {call}", ""])


_ASSERTED: Final = ("gradient", "jacobian", "hessian")


def write_derivative(
    target: str,
    at: str,
    language: str,
    what: str | None,
    wrt: tuple[str, ...],
    out: Path | None,
    test: bool,
    force: bool,
) -> str:
    """Write the source of a derivative, and a test of it beside, into files that are not there yet.

    Returns
    -------
    str
        What was written; the source itself where there is no file to write.

    Raises
    ------
    UsageError
        A file is there, and `force` is not said; or it cannot be written.
    """
    source = emit_derivative(target, at, language, what, wrt)
    if out is None:
        return source
    texts = {out: source}
    if test:
        beside = out.with_name(f"test_{out.stem}.py")
        texts[beside] = verifying_test(target, at, source, out, wrt)
    for path in texts:
        if path.exists() and not force:
            raise UsageError(f"{path} exists and is left as it is; use --force to overwrite it")
    for path, text in texts.items():
        try:
            path.write_text(text)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    return "".join(f"wrote {path}\n" for path in texts)
