"""The page of executors: its words are those that tasks are told by, and its program runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documents import blocks
from tests.verify.campaign.executors.test_hostile import ENDED, SPECIAL

PAGE = (Path(__file__).parents[4] / "docs" / "executors.md").read_text()


def test_the_page_of_executors_has_the_words_of_each_hazard():
    table = PAGE.partition("| what a task does |")[2].partition("\n\n")[0]
    told = [line.split("|")[2].strip() for line in table.splitlines()[2:]]
    patterns = [re.escape(words).replace(r"\.\.\.", ".*") for words in told]
    for words in {*ENDED.values(), *SPECIAL.values()}:
        assert any(re.fullmatch(it, words) for it in patterns), words
    for it, shown in zip(patterns, told, strict=True):
        assert any(re.fullmatch(it, w) for w in (*ENDED.values(), *SPECIAL.values())), shown


@pytest.mark.long
def test_the_program_with_a_pool_runs(capsys):
    [program] = [it.text for it in blocks(PAGE) if "ThreadPoolExecutor" in it.text]
    exec(compile(program, "executors.md", "exec"), {})
    assert capsys.readouterr().out == "CORRECT\n"
