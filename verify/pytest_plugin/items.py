"""A marked function of a test file as an item of pytest's own."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

import pytest

from verify.model.marks import MARK, marks_of
from verify.pytest_plugin.errors import is_ours


class CaseItem(pytest.Function):
    """One mark of a function.

    It is a test without arguments, so that fixtures which all tests use, and marks like ``skip``
    and ``xfail``, count for it as for any other.
    """

    marked: Callable[..., Any]

    @classmethod
    def from_mark(
        cls, parent: pytest.Collector, name: str, function: Callable[..., Any], number: int
    ) -> CaseItem:
        """The item for a mark of `function`, by its place among them, from 0."""
        shown = f"{name}[{number + 1}]" if number else name

        def assert_case() -> None:
            __tracebackhide__ = True
            _assert(function, number)

        assert_case.__dict__.update({k: v for k, v in vars(function).items() if k != MARK})
        assert_case.__dict__.pop("__wrapped__", None)
        item = cls.from_parent(parent, name=shown, callobj=assert_case)
        item.marked = function
        item.add_marker("symtape")
        return item

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Where the function is defined."""
        code = getattr(inspect.unwrap(self.marked), "__code__", None)
        if code is None:
            return self.path, None, self.name
        return code.co_filename, code.co_firstlineno - 1, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """The message alone, where it is one of ours."""
        if is_ours(excinfo.value) and not self.config.getoption("fulltrace", False):
            return excinfo.getrepr(style="value", chain=False)
        return super().repr_failure(excinfo)


def _assert(function: Callable[..., Any], number: int) -> None:
    from verify.assertions import assert_derivative

    __tracebackhide__ = True
    terms = dict(marks_of(function)[number])
    quantity, claimed = terms.pop("quantity"), terms.pop("claimed")
    terms.pop("title")
    # A mark without points, or with the seed that all have, has said nothing of them.
    terms["at"] = terms["at"] or None
    terms["seed"] = terms["seed"] or None
    assert_derivative(quantity, function, claimed, **terms)
