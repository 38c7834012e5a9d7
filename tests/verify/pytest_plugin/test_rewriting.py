"""pytest leaves our modules as they are."""

import sys

from _pytest.assertion.rewrite import AssertionRewritingHook

import verify
from verify.pytest_plugin.rewriting import leave_alone


def test_modules_of_ours_are_not_rewritten(pytestconfig, monkeypatch):
    hook = AssertionRewritingHook(pytestconfig)
    hook._must_rewrite |= {"other", "verify", "symtape"}  # as for a plugin that is installed
    monkeypatch.setattr(sys, "meta_path", [hook, *sys.meta_path])

    def rewritten():
        return hook.find_spec("verify.reporting.as_junit", verify.reporting.__path__) is not None

    assert rewritten()
    leave_alone()
    assert not rewritten()
    assert hook._must_rewrite == {"other"}
