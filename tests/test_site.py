"""The site, once it is built: every link in it leads to a page, and to a place on the page."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

SITE = Path(__file__).parents[1] / "docs" / "_build" / "html"
BUILD = "sphinx-build -W --keep-going -b html docs docs/_build/html"


class Page(HTMLParser):
    """The places of a page that can be linked to, and its links."""

    def __init__(self, text):
        super().__init__()
        self.places, self.links = {""}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places |= {found.get("id", ""), found.get("name", "") if tag == "a" else ""}
        self.links += [found[name] for name in ("href", "src") if found.get(name)]


def dead_links(site):
    """The links of all pages below a folder that lead nowhere, those to other sites apart."""
    pages = {file: Page(file.read_text()) for file in site.rglob("*.html")}
    for file, page in pages.items():
        for link in page.links:
            if re.match(r"\w+:|//", link):
                continue
            path, _, place = unquote(link).partition("#")
            target = (file.parent / path.split("?")[0]).resolve() if path else file
            if not target.exists() or (target in pages and place not in pages[target].places):
                yield f"{file.relative_to(site)}: {link}"


def test_no_link_of_the_site_is_dead():
    if not SITE.exists():
        pytest.skip(f"the site is not built: {BUILD}")
    assert list(dead_links(SITE.resolve())) == []


def test_a_dead_link_is_found(tmp_path):
    (tmp_path / "index.html").write_text(
        '<a href="#here">1</a><p id="here"><a href="#gone">2</a><img src="no.png">'
        '<a href="other.html#there">3</a><a href="other.html#gone">4</a><a href="https://a.b">5</a>'
    )
    (tmp_path / "other.html").write_text('<p id="there">')
    assert list(dead_links(tmp_path)) == [
        "index.html: #gone",
        "index.html: no.png",
        "index.html: other.html#gone",
    ]
