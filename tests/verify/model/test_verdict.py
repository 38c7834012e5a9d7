"""Verdicts by gravity, what they exit with, and the words for evidence."""

from __future__ import annotations

import itertools

import pytest

from verify.model.verdict import Evidence, ExitStatus, Rung, Verdict, exit_status, gravest

GRAVITY = ["CORRECT", "KINK", "OUTSIDE", "UNDECIDED", "INACCURATE", "WRONG"]


def test_the_gravest_of_any_two_is_the_later_in_the_order():
    for first, second in itertools.product(GRAVITY, repeat=2):
        worse = GRAVITY[max(GRAVITY.index(first), GRAVITY.index(second))]
        assert gravest([Verdict(first), Verdict(second)]) is Verdict(worse)
    assert gravest([]) is Verdict.CORRECT


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [
        ("", 0),
        ("CORRECT", 0),
        ("CORRECT KINK OUTSIDE", 0),
        ("CORRECT UNDECIDED KINK", 3),
        ("UNDECIDED INACCURATE", 1),
        ("WRONG UNDECIDED CORRECT", 1),
    ],
)
def test_exit_status(verdicts, status):
    found = exit_status(Verdict(word) for word in verdicts.split())
    assert found is ExitStatus(status)


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (Evidence(Rung.PROVED), "proved"),
        (Evidence(Rung.EXACT), "exact over Q"),
        (Evidence(Rung.CERTIFIED, 1, 300), "certified at 1 point to 2⁻³⁰⁰"),
        (Evidence(Rung.CERTIFIED, 12, 4098), "certified at 12 points to 2⁻⁴⁰⁹⁸"),
        (Evidence(Rung.SAMPLED, 2), "sampled at 2 points"),
    ],
)
def test_the_words_for_evidence(evidence, words):
    assert str(evidence) == words
