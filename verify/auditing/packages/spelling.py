"""Spelling calls of functions and methods of a package, with what was held and what was made."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from verify.auditing.packages.instances import construction_of
from verify.model.source import Spelling, spelling_of

Function = Callable[..., Any]


def spell_call(
    function: Function, leading: Sequence[str], given: Mapping[str, str], behind: Sequence[str] = ()
) -> Spelling | None:
    """A call by place of the `leading` arguments and of those `behind`, by name of the others.

    None if the function cannot be imported, or its object not be written down.

    >>> spell_call(np.interp, ["x", "xp"], {"x": "{0}", "xp": "{1}", "left": "0.0"}).call
    'interp({0}, {1}, left=0.0)'
    """
    if hasattr(function, "spelled"):
        inner = spelling_of(function, len(leading))
        return None if inner is None or behind else inner.give([given[name] for name in leading])
    called = _spell_method(function) or spelling_of(function, 0)
    if called is None:
        return None
    named = [f"{name}={text}" for name, text in given.items() if name not in leading]
    texts = ", ".join([*(given[name] for name in leading), *behind, *named])
    name = called.call.removesuffix("()").removesuffix(".__call__")
    return Spelling(called.imports, called.setup, f"{name}({texts})")


def _spell_method(function: Function) -> Spelling | None:
    """A call without arguments of a method of a class, or of an instance that an audit made."""
    above, _, name = getattr(function, "__qualname__", "").rpartition(".")
    owner = getattr(function, "__self__", None)
    bound = inspect.ismethod(function)
    kind = owner if inspect.isclass(owner) else type(owner) if bound else None
    module = getattr(kind or function, "__module__", "")
    home = sys.modules.get(module)
    above = kind.__qualname__ if kind else above
    found = getattr(home, above, None) if above.isidentifier() else None
    if found is None or (kind and found is not kind):
        return None
    if kind is None or owner is kind:
        is_it = getattr(found, name, None) == function
        return Spelling(((module, above),), (), f"{above}.{name}()") if is_it else None
    for each, value in vars(home).items():  # An object that the module makes.
        if value is owner:
            return Spelling(((module, each),), (), f"{each}.{name}()")
    made = construction_of(owner)
    texts = [(key, spell_value(x)) for key, x in made.items()] if made is not None else [("", None)]
    if not all(text for _, text in texts):
        return None
    given = ", ".join(f"{key}={text}" for key, text in texts)
    return Spelling(((module, above),), (f"instance = {above}({given})",), f"instance.{name}()")


def spell_value(value: Any) -> str | None:
    """A constant as it is written; None for what has no such form."""
    if isinstance(value, np.ndarray | np.generic):
        plain = repr(value.tolist())
        return f"np.array({plain})" if np.ndim(value) else plain
    if isinstance(value, list | tuple):
        return repr(value) if all(spell_value(each) for each in value) else None
    return repr(value) if value is None or type(value) in (bool, int, float, str) else None
