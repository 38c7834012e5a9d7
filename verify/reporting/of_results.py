"""A report of results that are at hand, without a run of the command."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Final

from verify.errors import UsageError
from verify.model.result import Result
from verify.options.defaults import present
from verify.reporting.as_html import anchor_cases, context, template
from verify.reporting.files import FORMATS, write
from verify.reporting.model import Report, versions
from verify.reporting.reported import prepare_report


def report_of(results: Iterable[Result], title: str) -> Report:
    """The report of a few results."""
    cases = tuple(prepare_report(result) for result in results)
    return Report(
        title=title,
        suites=tuple(dict.fromkeys(case.suite for case in cases if case.suite)),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions=versions(),
        seed=present().seed,
        cases=cases,
        elapsed=sum(case.seconds for case in cases),
    )


def report(results: Iterable[Result], path: str | Path, title: str = "Verification") -> Path:
    """Write one report of all `results`, in the format that the ending of `path` names.

    Parameters
    ----------
    results : iterable of Result
    path : str or Path
        Ends in ``.html``, ``.json``, ``.md``, ``.xml`` (JUnit), ``.sarif`` or ``.txt``.
    title : str
        The heading of the report.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    UsageError
        Another ending, or what is not a list of results.

    Examples
    --------
    >>> import numpy as np, tempfile, verify
    >>> results = [verify.gradient(f, at=[0.5]) for f in (np.sin, np.exp)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verify.report(results, f"{folder}/functions.html").name
    'functions.html'
    """
    path, results = Path(path), [results] if isinstance(results, Result) else list(results)
    if not all(isinstance(result, Result) for result in results):
        raise UsageError("verify.report needs a list of results, such as verify.gradient returns")
    formats = {ending: name for name, ending in FORMATS.items() if name != "issue"}
    if path.suffix not in formats:
        expected = ", ".join(formats)
        raise UsageError(f"{path.name!r} has no ending of a report; expected one of {expected}")
    (file,) = write(report_of(results, title), path.parent, [formats[path.suffix]], path.stem)
    return file


_FIT: Final = "this.style.height = this.contentDocument.documentElement.scrollHeight + 4 + 'px'"
"""Makes the frame as high as what it holds."""


def frame_case(result: Result) -> str:
    """The case of a report's page, with its plots.

    Examples
    --------
    >>> import numpy as np, verify
    >>> verify.gradient(np.sin, at=[0.5])._repr_html_()[:15]
    '<iframe srcdoc='
    """
    page = template("notebook.html.j2")
    report = report_of([result], result.title)
    text = page.render(cases=list(anchor_cases(report.cases)), **context(report))
    style = "width: 100%; height: 30em; border: 0"
    return f'<iframe srcdoc="{escape(text)}" style="{style}" onload="{_FIT}"></iframe>'
