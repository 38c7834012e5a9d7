"""The page: well-formed, self-contained, accessible, and only text where text was given."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import itertools
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import verify.reporting
from verify.model.source import Source
from verify.reporting import Report, render

VOID = {"meta", "link", "br", "hr", "img", "input"}
STYLE = Path(verify.reporting.__file__).with_name("templates") / "style.css"
NAMES = ["sample", "hostile", "empty", "large", "surveyed"]


class Page(HTMLParser):
    """Elements, ids and references of a page; fails on tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), (tag, attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data

    def all(self, name: str) -> list[str]:
        return [
            value or "" for _, attrs in self.elements for key, value in attrs.items() if key == name
        ]

    def tags(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def parsed(pages: dict[str, str]) -> dict[str, Page]:
    return {name: Page(text) for name, text in pages.items()}


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_and_references_lead_somewhere(parsed, name: str) -> None:
    page = parsed[name]
    ids = page.all("id")
    assert len(set(ids)) == len(ids)
    links = [link.removeprefix("#") for link in page.all("href") if link.startswith("#")]
    labels = [
        part
        for key in ("aria-labelledby", "for")
        for value in page.all(key)
        for part in value.split()
    ]
    assert {*links, *labels} <= set(ids)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_fetched(pages, parsed, name: str) -> None:
    assert set(re.findall(r"https?://[^\s\"'<]+", pages[name])) <= {"http://www.w3.org/2000/svg"}
    for key in ("src", "href", "action", "srcset", "poster"):
        assert all(value.startswith(("#", "data:image/png;")) for value in parsed[name].all(key))
    assert "@import" not in pages[name]
    assert "url(" not in STYLE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_only_our_script_may_run(pages, parsed, name: str) -> None:
    assert len(parsed[name].tags("script")) == 1
    assert not any(key.startswith("on") for _, attrs in parsed[name].elements for key in attrs)
    script = re.search(r"<script>(.*?)</script>", pages[name], re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    [policy] = [it["content"] for it in parsed[name].tags("meta") if "http-equiv" in it]
    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{digest}'" in policy


def test_hostile_text_is_only_text(pages, parsed) -> None:
    assert "<script>alert" not in pages["hostile"]
    assert parsed["hostile"].text.count("<script>alert(1)</script> ]]> | `b`") > 20
    assert "{{ 7*7 }}" in parsed["hostile"].text
    assert not re.search("[\x00-\x08\x1b\u202e\ud800-\udfff]", pages["hostile"])


def test_every_case_has_a_row_and_a_section(parsed, large: Report) -> None:
    rows = [it for it in parsed["large"].tags("tr") if "data-verdict" in it]
    sections = [it for it in parsed["large"].tags("details") if "data-verdict" in it]
    assert len(rows) == len(sections) == len(large.cases)
    verdicts = [case.verdict.value for case in large.cases_by_gravity]
    assert [row["data-verdict"] for row in rows] == verdicts
    assert [section["data-verdict"] for section in sections] == verdicts
    open_ones = {it["data-verdict"] for it in sections if "open" in it}
    assert open_ones == {"WRONG", "INACCURATE", "UNDECIDED"}


def test_a_case_shows_what_it_has(parsed) -> None:
    text = " ".join(parsed["sample"].text.split())
    for words in (
        "1 wrong and 1 inaccurate among 6 cases.",
        "1.52 × 10¹⁶ ulps; 3 allowed",
        "The claimed value is -1 times the exact one: a sign is missing.",
        "gradient[1] with respect to x",
        "cos at examples/wave.py:12",
        "y = np.cos(x)",
        "symtape verify examples/wave.py:wave --at '[1.0, 2.0]' 0.1",
        "[-1, 1]",
        "200*(x1 - x0**2)",
        "where x0 > 0",
        "float(x0)",
        "Sigmoid",
    ):
        assert words.replace(" ,", ",") in text.replace(" ,", ","), words
    assert len(parsed["sample"].tags("math")) == 1
    assert len([it for it in parsed["sample"].tags("svg") if it.get("class") == "plot"]) == 5


def test_digits_that_agree_stand_apart(pages) -> None:
    found = re.findall(r'<span class="agree">([^<]*)</span>', pages["sample"])
    assert any(digits.startswith("-213.59999999999999") for digits in found)


def test_the_line_to_blame_is_marked(pages) -> None:
    marked = re.findall(r'class="line blamed" data-line="(\d+)">([^<]*)', pages["sample"])
    assert [(number, text.strip()) for number, text in marked] == [("12", "y = np.cos(x)")]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_accessible_in_what_can_be_counted(parsed, name: str) -> None:
    page = parsed[name]
    assert page.tags("html")[0]["lang"] == "en"
    headings = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(headings))
    assert all("scope" in it for it in page.tags("th"))
    assert all("aria-sort" in it for it in page.tags("th") if it["scope"] == "col" and "role" in it)
    plots = [it for it in page.tags("svg") if it.get("class") == "plot"]
    assert all(it["role"] == "img" and it["aria-labelledby"] for it in plots)
    assert all(it.get("type") == "button" for it in page.tags("button"))


def test_150_cases_stay_below_2_megabytes(pages) -> None:
    assert len(pages["large"].encode()) < 2_000_000


@pytest.mark.long
def test_the_page_is_deterministic(pages, sample: Report) -> None:
    assert render(sample, "html") == pages["sample"]


def _colours() -> dict[str, tuple[str, str]]:
    style = STYLE.read_text(encoding="utf-8")
    return {
        f"{verdict}{name}": (light, dark)
        for verdict, rules in re.findall(r"^(?::root|\.v-(\w+)) \{(.*?)\}", style, re.M | re.S)
        for name, light, dark in re.findall(r"(--[\w-]+): light-dark\((#\w+), (#\w+)\)", rules)
    }


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [it / 12.92 if it <= 0.04045 else ((it + 0.055) / 1.055) ** 2.4 for it in parts]
    return sum(weight * it for weight, it in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _pairs() -> list[tuple[str, str]]:
    pairs = [
        (ink, on)
        for ink in ("--ink", "--ink-2", "--ink-3", "--accent")
        for on in ("--paper", "--surface", "--well")
    ]
    for verdict in ("CORRECT", "KINK", "OUTSIDE", "UNDECIDED", "INACCURATE", "WRONG"):
        pairs += [
            (f"{verdict}--tone", f"{verdict}--tint"),
            (f"{verdict}--tone", "--paper"),
            ("--ink", f"{verdict}--tint"),
            ("--ink-3", f"{verdict}--tint"),
        ]
    return pairs


@pytest.mark.parametrize(("ink", "on"), _pairs())
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_has_contrast_aa(ink: str, on: str, theme: int) -> None:
    colours = _colours()
    bright, dark = sorted((_luminance(colours[it][theme]) for it in (ink, on)), reverse=True)
    assert (bright + 0.05) / (dark + 0.05) >= 4.5


def test_what_is_wrong_in_exact_arithmetic_alone_has_no_bar_of_error(sample) -> None:
    [case] = [case for case in sample.cases if case.id == "user/wave"]
    point = dataclasses.replace(case.points[0], ulps=2.5, allowed_ulps=0.5, exactly="0.25")
    report = dataclasses.replace(sample, cases=(dataclasses.replace(case, points=(point,)),))
    page = render(report, "html")
    assert 'class="meter' not in page
    assert "2.5 ulps in exact arithmetic" in page
    assert 'class="meter exceeded"' in render(dataclasses.replace(report, cases=(case,)), "html")


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_the_source_of_the_claim_is_shown(sample, form: str) -> None:
    claim = Source("mine/slopes.py", 30, "def my_grad(x, scale):\n    return np.cos(x) * scale\n")
    cases = tuple(dataclasses.replace(case, claim=claim) for case in sample.cases if case.fails)
    text = render(dataclasses.replace(sample, cases=cases), form)
    assert "mine/slopes.py:30" in text
    assert "return np.cos(x) * scale" in text
