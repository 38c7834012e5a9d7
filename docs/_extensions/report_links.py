"""The repository's reports in the site: copies of them, and links that lead to the copies.

The folder ``reports`` is copied into the site as it is (``html_extra_path``). A link to a file of
it would otherwise become a download of that file alone, whose own links lead nowhere. Of audits the
repository has the measurements; their pages are rendered into the site.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from verify.reporting import load, write
from verify.reporting.wording import headline

REPORTS: Final = Path(__file__).parents[2] / "reports"


class Copied(SphinxTransform):
    """Point links into ``reports`` at the copies."""

    default_priority = 400

    def apply(self, **options: Any) -> None:
        """Replace the downloads of a page that are of reports."""
        page = Path(self.env.doc2path(self.env.docname)).parent
        root = "../" * self.env.docname.count("/")
        for node in list(self.document.findall(addnodes.download_reference)):
            target = (page / node["reftarget"]).resolve()
            if target.is_relative_to(REPORTS):
                place = root + target.relative_to(REPORTS).as_posix()
                link = nodes.reference("", "", *node.children, refuri=place, internal=True)
                node.replace_self(link)


class Audits(Directive):
    """The audits that the repository has, each with its first sentence and a link to its pages."""

    def run(self) -> list[nodes.Node]:
        """A list with one item for each library."""
        measured = sorted(REPORTS.glob("audits/*/*.json"))
        return [nodes.bullet_list("", *(self._item(file) for file in measured))]

    def _item(self, file: Path) -> nodes.list_item:
        report = load(file)
        place = file.relative_to(REPORTS).with_suffix(".html").as_posix()
        library = report.title.removeprefix("Accuracy of the derivatives of ")
        link = nodes.reference("", library, refuri=place, internal=True)
        told = nodes.Text(f": {headline(report)}")
        return nodes.list_item("", nodes.paragraph("", "", link, told))


def render_audits(app: Any, failure: Exception | None) -> None:
    """Write the pages of the audits beside their copies."""
    if failure is None and app.builder.format == "html":
        for measured in REPORTS.glob("audits/*/*.json"):
            folder = Path(app.outdir) / measured.parent.relative_to(REPORTS)
            write(load(measured), folder, ["html"], measured.stem)


def setup(app: Any) -> dict[str, bool]:
    """Copy the reports, render the audits, and point at them."""
    app.config.html_extra_path.append(str(REPORTS))
    app.connect("build-finished", render_audits)
    app.add_transform(Copied)
    app.add_directive("audits", Audits)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
