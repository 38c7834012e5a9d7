"""Who puts results into words: the reports, which are made of results and so stand above them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol


class Renderer(Protocol):
    """What there is to say of a result."""

    def render_one_line(self, result: Any) -> str:
        """In fewer than 200 characters."""

    def render_point_line(self, point: Any) -> str:
        """The same of what was found at a point."""

    def render_brief(self, result: Any) -> str:
        """In about ten lines."""

    def render_full(self, result: Any) -> str:
        """Everything."""

    def prepare_report(self, result: Any) -> Any:
        """The same result, which needs its functions no more."""

    def render_json(self, result: Any) -> str:
        """The case, in the schema of the reports."""

    def render_html(self, result: Any) -> str:
        """The case as a report's page shows it, for notebooks."""

    def save(self, results: Iterable[Any], path: str | Path, title: str) -> Path:
        """Write a report of results, in the format that the ending of `path` names."""

    def plot(self, result: Any) -> Any:
        """A figure of the error."""


_loaders: list[Callable[[], Renderer]] = []


def render_by(load: Callable[[], Renderer]) -> None:
    """Let what `load` gives render results; it is asked when there is one to render."""
    _loaders[:] = [load]


def renderer() -> Renderer:
    """The renderer."""
    return _loaders[0]()
