"""A case as a notebook shows it: a page of its own in a frame, so that no styles meet."""

from __future__ import annotations

from html import escape
from typing import Final

from verify.model.result import Result
from verify.reporting.as_html import anchor_cases, context, template
from verify.reporting.of_results import report_of

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
