"""The figures of a run as tables, for a terminal and for a page of the documents."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.speed.figures import Figure, Run
from benchmarks.speed.goals import GOALS

__all__ = ["as_markdown", "as_text", "between_markers"]

START, END = "<!-- measured -->", "<!-- end of measured -->"


def number(value: float | None, unit: float) -> str:
    """Two or three digits, whatever the size; a dash for what is not had."""
    if value is None:
        return "-"
    scaled = value / unit
    return f"{scaled:,.0f}" if scaled >= 100 else f"{scaled:.3g}"


def ratio(above: float | None, below: float | None) -> str:
    """A quotient of two figures, where both are had."""
    return "-" if above is None or not below else f"{above / below:.2g}"


def engines_of(run: Run) -> list[str]:
    """The engines of a run, in their order; those that were nowhere had are left out."""
    names = dict.fromkeys(name for row in run.figures.values() for name in row)
    return [name for name in names if any(row[name].seconds for row in run.figures.values())]


def least_rows(run: Run) -> list[list[str]]:
    """Least microseconds of a call, by engine."""
    engines = engines_of(run)
    rows = [["µs", *engines]]
    for name, row in run.figures.items():
        cells = [
            "wrong" if row[engine].note.startswith("wrong") else number(row[engine].least, 1e-6)
            for engine in engines
        ]
        rows.append([name, *cells])
    return rows


QUOTIENTS = (
    ("eager", "autograd"),
    ("eager", "torch"),
    ("eager", "torch.func"),
    ("auto", "eager"),
    ("auto", "hand"),
    ("auto", "jax.jit"),
    ("auto", "CasADi gcc"),
)


def ratio_rows(run: Run) -> list[list[str]]:
    """Ratios of medians; of least times, the table above has them."""
    rows = [["medians", *(f"{ours} / {theirs}" for ours, theirs in QUOTIENTS)]]
    for name, row in run.figures.items():
        pairs = ((row.get(ours), row.get(theirs)) for ours, theirs in QUOTIENTS)
        rows.append([name, *(ratio(*(one and one.median for one in pair)) for pair in pairs)])
    return rows


READY = ("eager", "auto", "jax.jit", "CasADi", "CasADi gcc")


def cost_rows(run: Run) -> list[list[str]]:
    """Milliseconds until the first derivative is there, and kilobytes of a call."""
    heads = [f"ready {name}, ms" for name in READY]
    rows = [["", *heads, "peak eager, KB", "peak auto, KB"]]
    for name, row in run.figures.items():
        ready = [number(row.get(engine, Figure()).ready, 1e-3) for engine in READY]
        peaks = [number(row.get(engine, Figure()).peak, 1e3) for engine in ("eager", "auto")]
        rows.append([name, *ready, *peaks])
    return rows


def goals(run: Run) -> list[str]:
    """A line for each goal: how many rows reach it, and by how much the others miss it."""
    lines = []
    for goal in GOALS:
        reached, missed = goal.judged(run)
        if not reached and not missed:
            continue
        rows = f"{len(reached)} of {len(reached) + len(missed)}"
        those = ", ".join(f"{name} {ratio:.2g}" for name, ratio in missed.items())
        lines.append(f"- {goal}: {rows}" + (f"; missed by {those}." if those else "."))
    return lines


def notes(run: Run) -> list[str]:
    """What was not had, and of whom."""
    told: dict[tuple[str, str], list[str]] = {}
    for name, row in run.figures.items():
        for engine, figure in row.items():
            if figure.note:
                told.setdefault((engine, figure.note), []).append(name)
    every = len(run.figures)
    return [
        f"- {engine}, {note}: {'everywhere' if len(names) == every else ', '.join(names)}."
        for (engine, note), names in told.items()
    ]


def about(run: Run) -> str:
    """The machine and the versions, in one line."""
    return ", ".join(f"{name} {value}" for name, value in run.about.items()) + "."


def piped(rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    lines.insert(1, "|-" + "|-:" * (len(rows[0]) - 1) + "|")
    return "\n".join(lines)


def aligned(rows: list[list[str]]) -> str:
    """A table of columns of one width each."""
    widths = [max(len(cells[k]) for cells in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if k else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        for cells in rows
    )


def sections(run: Run) -> Iterable[tuple[str, list[list[str]]]]:
    yield "Least CPU time of a call, in microseconds:", least_rows(run)
    yield "Ratios of medians of all rounds:", ratio_rows(run)
    yield "What it costs to be ready, and the most memory that a call holds:", cost_rows(run)


def lists(run: Run) -> Iterable[tuple[str, list[str]]]:
    yield "Goals, and how many rows reach them:", goals(run)
    yield "Not had, or not timed:", notes(run)


def as_text(run: Run) -> str:
    """All tables, as a terminal shows them."""
    parts = [about(run)]
    parts += [f"{head}\n{aligned(rows)}" for head, rows in sections(run)]
    parts += ["\n".join([head, *lines]) for head, lines in lists(run) if lines]
    return "\n\n".join(parts)


def as_markdown(run: Run) -> str:
    """The same for a page."""
    parts = [about(run)]
    parts += [f"{head}\n\n{piped(rows)}" for head, rows in sections(run)]
    parts += ["\n\n".join([head, "\n".join(lines)]) for head, lines in lists(run) if lines]
    return "\n\n".join(parts)


def between_markers(page: str, measured: str, start: str = START, end: str = END) -> str:
    """A page with other figures between its markers."""
    before, found, rest = page.partition(start)
    after = rest.partition(end)[2]
    if not found or end not in rest:
        raise ValueError(f"the page has no lines {start} and {end} to write the figures between")
    return f"{before}{start}\n{measured}\n\n{end}{after}"
