"""What audits say of modules that tests write."""

from __future__ import annotations

import sys
import textwrap

import pytest

from verify.auditing.answers import read_answer
from verify.auditing.packages.walking import find_pairs
from verify.auditing.packages.work import PairWork


@pytest.fixture
def judge_pairs(tmp_path, monkeypatch):
    """The answers to the pairs of a module, by the part of their ids behind its name.

    `words` are filled into its text.
    """

    def judge(text, *conventions, **words):
        source = textwrap.dedent(text)
        for word, value in words.items():
            source = source.replace(f"{{{word}}}", value)
        name = f"audited_{abs(hash((source, str(tmp_path)))) % 10**8}"
        (tmp_path / f"{name}.py").write_text(source)
        monkeypatch.syspath_prepend(tmp_path)
        found = find_pairs(name, *conventions, jobs=0)
        answers = {
            pair.id.partition(":")[2]: read_answer(PairWork(pair, effort=0.05).run(60.0))
            for pair in found.pairs
        }
        sys.modules.pop(name, None)
        return answers

    return judge
