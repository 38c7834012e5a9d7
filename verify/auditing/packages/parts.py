"""Parts: objects of a package that its constructors take, as a network takes layers."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import pkgutil
import re
import sys
import typing
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

from verify.auditing.packages.names import is_derivative_named

_BEHIND: Final = re.compile(r"(_?(fn|func|function|object|obj|instance)|s|_?\d+)$", re.IGNORECASE)
"""What stands behind the word of a name that says what kind of thing it is."""

_IDLE: Final = re.compile("linear|identity|base|dummy|dropout", re.IGNORECASE)
"""Names of what hands on what it is given, or of what is random: with it little is seen."""

_SEVERAL: Final = re.compile(r"(list|tuple|Sequence|Iterable|Collection)\[")


def kinds_of_part(kind: type, name: str, said: Any) -> list[type]:
    """The classes of a package of which an argument takes instances; the plainest first.

    Those that its type `said` names, with what is derived of them; where it has no type, those that
    are called as the argument is, or are derived of such, or are in a module that is called so.
    Looked for in the module of `kind`, in those of the named classes, in the packages around them,
    and in modules called so.

    Examples
    --------
    >>> from fractions import Fraction
    >>> kinds_of_part(Fraction, "numerator", None), kinds_of_part(Fraction, "numerator", int)
    ([], [])
    """
    named = [each for each in _classes_in(said) if _package(each) == _package(kind)]
    if (said is not None and not named) or is_derivative_named(name):
        return []  # Of an activation and its derivative no two would belong together.
    homes = (home for each in (kind, *named) for home in _homes(each, name))
    seen = (value for home in homes for value in vars(home).values())
    own = [each for each in seen if inspect.isclass(each) and _package(each) == _package(kind)]
    meant = [
        each
        for each in dict.fromkeys((*named, *own))
        if not issubclass(each, (kind, BaseException))
        and (issubclass(each, tuple(named)) if named else _is_called(each, name))
    ]
    bases = {base for each in meant for base in each.__mro__[1:]}
    plain = [each for each in meant if not inspect.isabstract(each)]
    return sorted(plain, key=lambda it: (it in bases, *_measure(it), it.__qualname__))


def is_for_several(name: str, said: Any) -> bool:
    """Whether an argument is for a list of parts, by its type, else by its name.

    Examples
    --------
    >>> [is_for_several(*each) for each in (("layers", None), ("loss", None), ("net", list[int]))]
    [True, False, True]
    """
    return bool(_SEVERAL.search(str(said))) if said is not None else bool(re.search("[^s]s$", name))


def _classes_in(said: Any) -> Iterator[type]:
    """The classes that a type is made of; a `TypedDict` is a dictionary and has no instances."""
    if inspect.isclass(said) and not typing.get_args(said) and not typing.is_typeddict(said):
        yield said
    for each in typing.get_args(said):
        yield from _classes_in(each)


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _homes(kind: type, name: str) -> Iterator[ModuleType]:
    """The module of a class, the packages around it, and what is called as an argument in them."""
    above = kind.__module__
    while above:
        home = sys.modules.get(above)
        if home is not None:
            yield home
        for each in pkgutil.iter_modules(getattr(home, "__path__", ())):
            if _stem(each.name) == _stem(name):
                with contextlib.suppress(Exception):
                    yield importlib.import_module(f"{above}.{each.name}")
        above = above.rpartition(".")[0]


def _is_called(kind: type, name: str) -> bool:
    own = [each for each in kind.__mro__ if _package(each) == _package(kind)]
    words = [kind.__module__.rpartition(".")[2], *(each.__name__ for each in own)]
    lasts = [re.sub(r".*(?<=[a-z])(?=[A-Z])", "", word) for word in words]
    return _stem(name) in map(_stem, (*words, *lasts))


def _stem(name: str) -> str:
    """A name in lower case, without what stands behind its word.

    >>> _stem("loss_functions"), _stem("Activation"), _stem("layers2"), _stem("loss")
    ('loss', 'activation', 'layer', 'loss')
    """
    before = ""
    while name and name != before and not re.search("[^s]ss$", name):
        before, name = name, _BEHIND.sub("", name)
    return (name or before).replace("_", "").lower()


def _measure(kind: type) -> tuple[int, bool, int]:
    """How many arguments a class needs, whether it may do nothing, how long its source is."""
    try:
        parameters = inspect.signature(kind).parameters.values()
        needed, length = sum(it.default is it.empty for it in parameters), inspect.getsource(kind)
    except (TypeError, ValueError, OSError):
        return 0, True, 0
    return needed, bool(_IDLE.search(kind.__name__)), len(length)
