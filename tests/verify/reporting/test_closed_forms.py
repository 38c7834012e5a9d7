"""Formulas of a case: where they are short enough, and soon found."""

from __future__ import annotations

import importlib

import numpy as np

import verify
from verify.reporting.reported import closed_forms


def test_formulas_are_without_the_frame_that_the_page_has():
    forms = closed_forms(verify.gradient(lambda x: 2 * np.tanh(x), at=[0.5]))
    assert forms
    assert not any("<math" in form.mathml or "&Inv" in form.mathml for form in forms)


def test_formulas_of_long_programs_are_not_looked_for(monkeypatch):
    result = verify.gradient(lambda x: np.sum(np.sin(x) * x), at=[np.ones(5)])
    assert closed_forms(result)
    monkeypatch.setattr("verify.reporting.reported._BUDGET", 20)
    assert closed_forms(result) == ()


def test_formulas_that_take_too_long_are_left_out(monkeypatch):
    def hang(*args, **kwargs):
        while True:
            pass

    result = verify.gradient(np.sin, at=[0.5])
    monkeypatch.setattr("verify.reporting.reported._SECONDS", 0.1)
    monkeypatch.setattr(importlib.import_module("symtape.deriving"), "derive", hang)
    assert closed_forms(result) == ()
