"""The errors that lie behind an error."""

from __future__ import annotations

from collections.abc import Iterator


def iterate_causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it was raised from, and so on; each once, for ``raise e from e`` is allowed.

    Examples
    --------
    >>> error = ValueError("outer")
    >>> error.__cause__ = error
    >>> list(iterate_causes(error))
    [ValueError('outer')]
    """
    met: set[int] = set()
    while error is not None and id(error) not in met:
        met.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
