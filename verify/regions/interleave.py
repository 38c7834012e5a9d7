"""Taking turns: one of each kind, again and again, and nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import cycle, islice
from typing import Any, TypeVar

T = TypeVar("T")


def turns(streams: Iterable[Iterable[T]]) -> Iterator[T]:
    """One of each stream in turn, until all are spent.

    Examples
    --------
    >>> "".join(turns(["abc", "x", "12"]))
    'ax1b2c'
    """
    left = [iter(stream) for stream in streams]
    order = iter(left)
    for count in range(len(left), 0, -1):
        order = cycle(islice(order, count))
        yield from map(next, order)


def distinct(items: Iterable[T], key: Callable[[T], Hashable]) -> Iterator[T]:
    """The items whose `key` was not there before.

    Examples
    --------
    >>> list(distinct([1, -1, 2], abs))
    [1, 2]
    """
    seen: set[Any] = set()
    for item in items:
        mark = key(item)
        if mark not in seen:
            seen.add(mark)
            yield item


def spread(first: int, last: int) -> Iterator[int]:
    """The whole numbers from `first` to `last`, ends first and then always halving the gaps.

    A search that stops early has seen the whole range, coarsely.

    Examples
    --------
    >>> list(spread(0, 8))
    [0, 8, 4, 2, 6, 1, 3, 5, 7]
    """
    if first > last:
        return
    yield first
    if last > first:
        yield last
    gaps = [(first, last)]
    while gaps:
        halves = []
        for low, high in gaps:
            middle = (low + high) // 2
            if low < middle < high:
                yield middle
                halves += [(low, middle), (middle, high)]
        gaps = halves
