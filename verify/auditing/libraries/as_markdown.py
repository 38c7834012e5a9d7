"""Audits as Markdown: an index, and for each function a section ready to paste into an issue."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from verify.auditing.libraries.entries import WORDS, Audit, Entry, Witness, rank
from verify.auditing.libraries.formats import FORMATS
from verify.auditing.libraries.reproducing import agrees
from verify.model.accuracy import Coordinate
from verify.reporting import tables, wording
from verify.reporting.generated import COMMENT
from verify.reporting.markdown import code, table


def headline(audit: Audit) -> str:
    """The outcome in one sentence.

    Examples
    --------
    >>> headline(Audit("jax", {"jax": "1"}, "", 0, 0, 0.0, ()))
    'No derivative was audited.'
    """
    if not audit.entries:
        return "No derivative was audited."
    functions = audit.functions
    faulty = sum(any(it.is_fault for it in found) for found in functions.values())
    if not faulty:
        return f"All derivatives of {wording.counted(len(functions), 'function')} are right."
    has = "has" if faulty == 1 else "have"
    return (
        f"{faulty} of {wording.counted(len(functions), 'function')} {has} a derivative that is "
        "wrong or inaccurate somewhere."
    )


def title_of(audit: Audit) -> str:
    """``jax 0.10.2``."""
    version = audit.versions.get(audit.claimant, "")
    return f"{audit.claimant} {version}".strip()


def summary_of(entry: Entry) -> str:
    """What is wrong in how many points, or why nothing is known.

    Examples
    --------
    >>> from verify.model.verdict import Verdict
    >>> summary_of(Entry("f", "f(x)", "d/dx", "float64", Verdict.WRONG, kinds={"wrong zero": 3}))
    'wrong zero ×3'
    """
    return ", ".join(f"{kind} ×{count:,}" for kind, count in entry.kinds.items()) or entry.note


def worst_of(entries: Sequence[Entry]) -> Entry:
    """The gravest of a function's entries."""
    return min(entries, key=rank)


def issue(audit: Audit, entries: Sequence[Entry]) -> str:
    """A function's faults as GitHub's Markdown.

    Parameters
    ----------
    audit : Audit
        For the versions.
    entries : sequence of Entry
        Of one function; at least one at fault.
    """
    faults = [entry for entry in entries if entry.is_fault]
    worst = worst_of(faults)
    return "\n\n".join(_sections(audit, faults, worst))


def _sections(audit: Audit, faults: Sequence[Entry], worst: Entry) -> Iterator[str]:
    first = worst.witnesses[0]
    kind = first.kind
    yield f"### {worst.derivative} of `{worst.expression}`: {kind} in {worst.format}"
    at = ", ".join(x.decimal for x in first.x)
    measured = first.claimed.decimal if among_many(worst) else worst.printed
    yield (
        f"At {code(at)} it is {code(measured)}; exactly it is {code(first.exact)}. "
        f"{_size(first)} {_value(first)}{_feasible(first)}"
    )
    yield f"```python\n{worst.reproducer}\n```"
    yield f"prints {code(worst.printed, 200)}{among_many(worst)}."
    if worst.closed_form:
        yield f"Exact derivative: {code(worst.closed_form, 400)}."
    if worst.accuracy:
        for coordinate in worst.accuracy.coordinates:
            yield table(segments_of(worst, coordinate))
    yield table(_faults(faults))
    yield _measured(audit, worst)


def among_many(entry: Entry) -> str:
    """Where the program for one number prints another one than was measured: words for that."""
    first = entry.witnesses[0]
    if agrees(entry.printed, first.claimed, FORMATS[entry.format]):
        return ""
    return f"; among many numbers at once, as it was measured, it is {first.claimed.decimal}"


def _size(witness: Witness) -> str:
    relative = "" if math.isnan(witness.relative) else f"{wording.quantity(witness.relative)} of it"
    if math.isinf(witness.ulps):
        return "Nothing of it is left."
    return f"That is off by {wording.quantity(witness.ulps)} ulps, {relative or 'all of it'}."


def _value(witness: Witness) -> str:
    off = wording.quantity(witness.value_ulps)
    if witness.value_ulps <= 16:
        return f"The function itself is right there, to {off} ulps."
    if math.isfinite(witness.value_ulps):
        return f"The function itself is off there, too, by {off} ulps."
    return "The function itself is not finite there, either."


def _feasible(witness: Witness) -> str:
    if math.isnan(witness.feasible_ulps) or witness.feasible_ulps > 64:
        return ""
    return (
        f" A rule that reaches {wording.quantity(witness.feasible_ulps)} ulps at the same input "
        "exists (symtape's)."
    )


def segments_of(entry: Entry, coordinate: Coordinate) -> tables.Table:
    """The table of segments, with what is claimed and what is exact at each worst input."""
    stretches = [it for it in entry.stretches if it.coordinate == coordinate.name]
    found = tables.of_segments(coordinate.segments, exactly=True)
    rows = tuple(
        (*row, it.claimed, it.exact) for row, it in zip(found.rows, stretches, strict=True)
    )
    header = (*found.header, "Claimed there", "Exact there")
    return tables.Table(header, rows, (*found.numbers, True, True))


def _faults(faults: Sequence[Entry]) -> tables.Table:
    header = ("Derivative", "Format", "Points", "At fault", "Max ULP", "Median ULP", "What")
    rows = tuple(
        (
            entry.derivative,
            entry.format,
            f"{entry.judged:,}",
            f"{entry.faults:,}",
            wording.quantity(entry.max_ulps),
            wording.quantity(entry.median_ulps),
            summary_of(entry),
        )
        for entry in faults
    )
    return tables.Table(header, rows, (False, False, True, True, True, True, False))


def _measured(audit: Audit, entry: Entry) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in audit.versions.items())
    flushed = (
        f" {entry.flushed:,} values flushed to zero below the normal numbers are not counted."
        if entry.flushed
        else ""
    )
    return (
        f"Exact values are enclosures by Taylor series in ball arithmetic; each one shown was "
        f"evaluated again from the formula by mpmath, at 60 digits and more.{flushed} "
        f"{code(versions, 300)}"
    )


def index(audit: Audit) -> str:
    """All of an audit as one Markdown file: a table, then a section for each function at fault."""
    return "\n\n".join([*_index(audit), COMMENT]) + "\n"


def _index(audit: Audit) -> Iterator[str]:
    yield f"# Accuracy of the derivatives of {title_of(audit)}"
    yield headline(audit)
    if audit.interrupted:
        yield "**Interrupted**: only what was done before is here."
    yield code(", ".join(f"{name} {value}" for name, value in audit.versions.items()), 400)
    yield f"Made by {code(audit.command)}."
    yield WORDS
    functions = audit.functions
    header = ("Function", "Verdict", "Severity", "Derivative", "At", "Claimed", "Exact", "What")
    rows = []
    for name, found in functions.items():
        worst = worst_of(found)
        if not worst.is_fault:
            continue
        first = worst.witnesses[0]
        at = ", ".join(x.decimal for x in first.x)
        where = f"{worst.derivative}, {worst.format}"
        shown = (first.claimed.decimal, first.exact, summary_of(worst))
        rows.append((name, worst.verdict.value, f"{worst.severity:.2g}", where, at, *shown))
    if rows:
        yield table(tables.Table(header, tuple(rows), (False,) * 2 + (True,) + (False,) * 5))
    right = [name for name, found in functions.items() if _is_right(found)]
    if right:
        yield f"No fault was found in: {', '.join(right)}."
    absent = [_absent(name, found) for name, found in sorted(functions.items())]
    if any(absent):
        yield f"Not available, or not decided: {', '.join(filter(None, absent))}."
    for found in functions.values():
        if any(it.is_fault for it in found):
            yield issue(audit, found)


def _is_right(entries: Sequence[Entry]) -> bool:
    """Whether something is known of a function, and nothing against it."""
    return any(not it.note for it in entries) and not any(it.is_fault for it in entries)


def _absent(name: str, entries: Sequence[Entry]) -> str:
    """A function of which something is not known, and what; empty if all is."""
    unknown: dict[str, list[str]] = {}
    for entry in entries:
        if entry.note:
            unknown.setdefault(entry.derivative, []).append(entry.format)
    if not unknown or all(it.note for it in entries):
        return name if unknown else ""
    parts = [f"{derivative} in {', '.join(forms)}" for derivative, forms in unknown.items()]
    return f"{name} ({'; '.join(parts)})"
