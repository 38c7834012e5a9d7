"""What people read is plain English: pages, help, messages and public docstrings."""

import inspect
import re
from pathlib import Path

import pytest

import symtape
import verify
from verify.cli import cli

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(it for it in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in it.parts),
    *sorted((ROOT / "examples").rglob("*.rst")),
]
SCRIPTS = sorted((ROOT / "examples").glob("g*/*.py"))
MESSAGES = sorted((ROOT / "tests" / "snapshots").glob("*.txt"))
RIDDLES = {
    r"\b(is|are|was|were) told\b": "the report says, it prints",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\basks? (nobody|for nothing)\b": "say what happens",
    r"\bhanded on\b": "passed on",
    r"\bof use alone\b": "can be used on their own",
    r"\bwho asks\b": "say who does it",
    r"\bwhoever\b": "the user, you",
    r"\bof whom\b": "whose",
    r"\b(is|are) held against\b": "is compared with",
    r"\bis no matter of\b": "does not depend on",
    r"\b(it|that|which) (is|are) no (array|fault|function|mean|number|part|size|tensor)s?\b": (
        "is not a"
    ),
    r"\bnothing to say\b": "cannot decide",
    r"\b(is|are) gone through\b": "symtape tries",
    r"\b(is|was) asked (of|for|whether|once|one)\b": "say who asks, or that it is required",
    r"\b(is|are) said\b(?! to)": "the report says",
    r"[.;] (Nor) (does|has|is|can)\b": "neither ... nor, or a plain not",
    r"\bNor (does|has|is|can)\b": "a plain not",
    r"\bwhat of (it|them|which)\b": "the part of it that",
    r"\bunasked\b": "by default",
    r"\bin whole\b": "whole",
    r"\bwhat passes\b": "say what",
    r"\ba last stop\b": "a limit",
    r"\bof one number\b": "of a scalar",
    r"\bof which (nothing|it|the)\b": "whose, or two sentences",
    r"\b(and|or) its like\b": "and the others",
    r"\bfares?d? (worst|best|well)\b": "is the worst",
    r"\bknow nothing\b": "cannot show",
    r"\bgo(es)? by (evidence|its values|types|values)\b": "pass evidence=, use the values",
    r"\bof one's own\b": "your own",
    r"\bhas to be said\b": "you need to",
    r"\b(is|are|can|may) (to )?be had\b": "is available",
    r"\bof no consequence\b": "too small to matter",
    r"\b(answers?|chooses|computes|comes out) otherwise\b": "gives another value",
    r"\bdrawn by chance\b": "random",
    r"\bno trace of\b": "does not use",
    r"\bat the fringe\b": "at extreme values",
    r"\bround about\b": "in a circle",
    r"\bin no simple way\b": "not by a simple formula",
    r"\b(listens|hears it|what it heard)\b": "records",
    r"\bbeen? gone through\b": "symtape tries",
    r"\b(and|which) it has not\b": "it does not have",
    r"\bwithout a word\b": "silently",
    r"\bcomes? back to it\b": "its gradient",
    r"\bpicked? (them|entries|elements) by\b": "select",
    r"\bfor want of\b": "because there was no",
    r"\bsay(s)? (argnums|escapes|holomorphic|what|wrt)=": "pass",
    r"\bsay --": "use --",
    r"\bsays? nothing of\b": "has no, cannot judge",
    r"\bhas it fail\b": "makes it fail",
}
"""Phrases that readers stumbled over, as patterns, and what to write instead."""


def prose_of_markdown(text):
    """A page without its code."""
    text = re.sub(r"^```.*?^```$", lambda it: "\n" * it[0].count("\n"), text, flags=re.S | re.M)
    return re.sub(r"`[^`]*`", "`code`", text)


def prose_of_script(text):
    """The titles, texts and comments of a script."""
    strings = re.findall(r'"""(.*?)"""', text, re.DOTALL)
    return "\n".join([*strings, *re.findall(r"^# (.*)$", text, re.MULTILINE)])


def helps():
    """The help of each command."""
    for name, command in {"symtape": cli, **cli.commands}.items():
        with command.make_context(name, [], resilient_parsing=True) as context:
            yield f"symtape {name}", command.get_help(context)


def docstrings():
    """The docstrings of public names and their public methods, without examples."""
    for package in (symtape, verify):
        for name in package.__all__:
            value = getattr(package, name)
            members = vars(value).items() if inspect.isclass(value) else ()
            for label, it in [("", value), *members]:
                if not label.startswith("_") and isinstance(inspect.getdoc(it), str):
                    text = re.sub(r"^ *(>>>|\.\.\.).*$", "", inspect.getdoc(it), flags=re.M)
                    yield f"{package.__name__}.{name}.{label}".rstrip("."), text


READ = {
    **{str(it.relative_to(ROOT)): prose_of_markdown(it.read_text()) for it in PAGES},
    **{str(it.relative_to(ROOT)): prose_of_script(it.read_text()) for it in SCRIPTS},
    **{str(it.relative_to(ROOT)): it.read_text() for it in MESSAGES},
    **dict(helps()),
    **dict(docstrings()),
}


def riddles(text):
    """The phrases of a text that stand in the list, with what to write instead."""
    for pattern, instead in RIDDLES.items():
        for found in re.finditer(pattern.replace(" ", r"\s+"), text, re.IGNORECASE):
            around = text[max(0, found.start() - 40) : found.end() + 40]
            yield f"{' '.join(around.split())!r}: {instead}"


@pytest.mark.parametrize("name", READ)
def test_no_riddles(name):
    assert list(riddles(READ[name])) == []


@pytest.mark.parametrize("phrase", ["The error is\ntold.", "SciPy asks nobody", "Nor does NumPy"])
def test_a_riddle_is_found(phrase):
    assert len(list(riddles(phrase))) == 1


OFF = {
    "dates_times": "pm is the name of a unit",
    "lexical_illusions": "a heading and the sentence below it may begin alike",
    "misc.capitalization": "monday.sqlite is a file",
    "misc.preferred_forms": "it takes ne for French",
    "typography": "code, tables and formulas are not sentences",
    "weasel_words": "very is a word",
}
"""Checks of proselint that do not apply, and why."""


def proselint_findings(text):
    """What proselint has to say about a text."""
    import proselint.checks as known
    from proselint.config import DEFAULT
    from proselint.registry import CheckRegistry
    from proselint.tools import LintFile

    registry = CheckRegistry()
    if not registry.checks:
        registry.register_many(known.__register__)
    checks = dict.fromkeys(OFF, False) | DEFAULT["checks"] | dict.fromkeys(OFF, False)
    found = LintFile("page", content=text).lint({**DEFAULT, "checks": checks})
    return [f"{it.pos[0]}: {it.check_result.message}" for it in found]


def test_proselint_finds_nothing():
    pytest.importorskip("proselint")
    pages = {name: proselint_findings(text) for name, text in READ.items()}
    assert {name: found for name, found in pages.items() if found} == {}


def test_proselint_finds_a_cliche():
    pytest.importorskip("proselint")
    assert proselint_findings("At the end of the day it works.\n")
