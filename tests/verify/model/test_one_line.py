"""Dataclasses that promise a repr of one line keep it, whatever else they inherit from."""

import importlib

from symtape.one_line import LONGEST, OneLineRepr
from verify.model.searched import Coverage

MODULES = ("verify.auditing.run", "verify.campaign.tasks", "verify.reporting.model")
"""They import all that promises it, but for a few."""


def list_kinds(kind):
    for one in kind.__subclasses__():
        yield one
        yield from list_kinds(one)


def test_no_base_takes_the_repr_over():
    for name in MODULES:
        importlib.import_module(name)
    kinds = {*list_kinds(OneLineRepr)}
    own = {kind for kind in kinds if "__repr__" in vars(kind)}
    assert len(kinds) > 20
    assert {kind.__repr__ for kind in kinds - own} == {OneLineRepr.__repr__}


def test_what_is_given_by_name_alone_comes_last():
    shown = repr(Coverage("x in [0, 1]", 0, 12, 3, share=0.5))
    assert shown == "Coverage(region='x in [0, 1]', seed=0, tried=12, judged=3, share=0.5)"
    assert len(repr(Coverage("x" * 400, 0, 12, 3))) <= LONGEST
