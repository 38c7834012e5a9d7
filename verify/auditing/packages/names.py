"""Names: what a function whose name says that it is a derivative would be the derivative of."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import Final

_LEIBNIZ: Final = re.compile(
    r"^(?P<head>(?:\w*?_)??)d(?P<n>\d?)_?(?P<f>[A-Za-z]\w*?)_d_?(?P<by>[A-Za-z]\w*?)(?P<m>\d?)"
    r"(?P<tail>(?:_[A-Za-z]\w*)?)$"
)
_BEHIND: Final = re.compile(
    r"^(?P<f>\w*[A-Za-z0-9])(?:_(?P<word>derivative|deriv|der(?=\d?$)|fprime|prime|gradient|grad|jacobian|"
    r"jac|hessian|hess)|(?P<close>prime|deriv))(?P<n>\d?)(?P<tail>(?:_[A-Za-z]\w*)?)$"
)
_BEFORE: Final = re.compile(
    r"^_?(?P<word>derivative_of|derivative|deriv|der|grad|gradient|jac|jacobian|hess|hessian|d)"
    r"(?P<n>\d?)_(?P<f>[A-Za-z]\w*)$"
)
_SHORT: Final = re.compile(r"^d(?P<f>[a-z])$")

_DATA: Final = re.compile(r"true|target|label|actual|expected|truth", re.IGNORECASE)

_ASKED: Final = re.compile(
    r"grads?|gradients?|derivs?|derivatives?|der|diff|f?prime|jac|jacobian|hess|hessian"
)
_ASKING: Final = re.compile(
    r"returns?|with|compute|calc|calculate|get|eval|evaluate|want|need|do|give|include|output|also|is"
)
_GIVEN: Final = re.compile(
    r"grads?|gradients?|jac|jacobian|hess|hessian|derivs|derivatives|outputs?"
)
"""First words of what is given, and no question, where no default says that it is one."""

_DOES: Final = re.compile(
    r"_*(approx|check|estimate|num|numerical|plot|print|warn|wrap|test|is|has|set|make|build|"
    r"construct|create|generate|default|define)(_|$|(?=[A-Z]))"
)


def does_something(name: str) -> bool:
    """Whether a name says what a function does, such as to check or to approximate derivatives.

    Examples
    --------
    >>> does_something("check_grad"), does_something("checkGrad"), does_something("rosen_der")
    (True, True, False)
    """
    return _DOES.match(name) is not None


def flags_of(parameters: Sequence[inspect.Parameter]) -> Iterator[str]:
    """Those of the parameters of a function that ask for a derivative, and are true or false.

    Examples
    --------
    >>> def wave(x, order=2, return_grad=False):
    ...     return x
    >>> list(flags_of([*inspect.signature(wave).parameters.values()]))
    ['return_grad']
    """
    for each in parameters[1:]:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", each.name).lower().split("_")
        others = [word for word in words if not _ASKED.fullmatch(word)]
        if len(others) == len(words) or not all(map(_ASKING.fullmatch, others)):
            continue
        told = each.annotation in (bool, "bool") or not _GIVEN.fullmatch(words[0])
        if isinstance(each.default, bool) or (each.default is each.empty and told):
            yield each.name


def is_data(name: str, names: Sequence[str]) -> bool:
    """Whether an argument is what a loss compares others with, and is not differentiated by.

    Examples
    --------
    >>> is_data("y_true", ["y_true", "y_pred"]), is_data("y_true", ["y_true"])
    (True, False)
    """
    return _DATA.search(name) is not None and not all(map(_DATA.search, names))


def readings(name: str) -> Iterator[str]:
    """What a function of this name may be the derivative of, the likeliest first.

    Examples
    --------
    >>> list(readings("d2Antoine_dT2")), list(readings("iapws97_dG_dpi_region1"))
    (['dAntoine_dT'], ['iapws97_G_region1'])
    >>> list(readings("rosen_hess"))
    ['rosen', 'rosen_der', 'rosen_grad']
    >>> list(readings("sine"))
    []
    """
    yield from _leibniz(name)
    yield from (it for it in _read_suffix(name) if it.rpartition("_")[2] not in _JOINING)
    if found := _BEFORE.match(name):
        word, order = found["word"], int(found["n"] or 1)
        if order == 1:
            yield found["f"]
        elif order > 1:
            yield f"{word}{'' if order == 2 else order - 1}_{found['f']}"
    if found := _SHORT.match(name):
        yield found["f"]


def variable(name: str) -> str:
    """The argument that a name says a derivative is by; empty where it says none.

    Examples
    --------
    >>> variable("d2Antoine_dT2"), variable("d_r_dxy"), variable("rosen_hess")
    ('T', 'y', '')
    """
    found = _LEIBNIZ.match(name)
    by = found["by"] if found else ""
    return by[1] if len(by) == 2 and set(by) <= set("xyz") else by


def _leibniz(name: str) -> Iterator[str]:
    """``dX_dT``, ``d2X_dT2``, ``d_r_dx``."""
    found = _LEIBNIZ.match(name)
    if found is None:
        return
    head, f, by, tail = found["head"], found["f"], found["by"], found["tail"]
    order, times = int(found["n"] or 1), int(found["m"] or 1)
    if order != times:
        return
    if order == 1:
        if len(by) == 2 and set(by) <= set("xyz"):  # d_r_dxy: twice, from d_r_dx.
            yield name.removesuffix(by + tail) + by[0] + tail
            return
        yield f"{head}{f}{tail}"
        return
    below = "" if order == 2 else str(order - 1)
    joint = "_" if name[len(head) :].startswith(f"d{order}_") else ""
    yield f"{head}d{below}{joint}{f}_d{by}{below}{tail}"


def _read_suffix(name: str) -> Iterator[str]:
    """``f_der``, ``f_prime``, ``fprime2``, ``f_hess``."""
    found = _BEHIND.match(name)
    if found is None:
        return
    f, word, tail = found["f"], found["word"] or found["close"], found["tail"]
    order = int(found["n"] or 1)
    if order > 1:
        below = "" if order == 2 else str(order - 1)
        stem = name[: max(found.end("word"), found.end("close"))]
        yield f"{stem}{below}{tail}"
    elif order == 1:
        yield f"{f}{tail}"
        if word in ("hess", "hessian"):
            yield from (f"{f}_{first}{tail}" for first in ("der", "grad"))


_WORD: Final = re.compile(
    r"grad|gradients?|derivs?|derivatives?|der\d?|jac|jacobians?|hess|hessians?|f?prime|diff|"
    r"partials?|scores?|slopes?|sensitivity|sensitivities|tangents?|forces?|adjoint|backward|vjp|jvp|"
    r"pdf|df|dfun|d2f|fp{1,3}|dd?[fgp-z]|d\d?[A-Z]\w*|\w*(?:prime|deriv|grad)\d?"
)
_JOINING: Final = frozenset(
    (
        *("and", "by", "fit", "for", "from", "in", "of", "on", "the", "to", "with", "wrt"),
        *("calc", "calculate", "compute", "eval", "evaluate", "get"),
    )
)
_SECOND: Final = re.compile(
    r"hess|(^|_)d2|2nd|second|deriv2|der2|prime2|2$|laplacian|ddf|curvature"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def kinship(function: str, claim: str) -> int:
    """How much the name of a claim says that it is the derivative of a function.

    Returns
    -------
    int
        3 if it names the function; 2 if it has a word for a derivative, and the rest of it is in
        the name of the function; 1 if it has such a word, and they share another; 0 otherwise.

    Examples
    --------
    >>> kinship("Wave.value", "Wave.value_grad"), kinship("Wave.value", "Wave.gradient")
    (3, 2)
    >>> kinship("f3_scaled", "slope_f3_other"), kinship("sine", "cosine")
    (1, 0)
    """
    of, name = function.rpartition(".")[2], claim.rpartition(".")[2]
    if not {of, of.lstrip("_")}.isdisjoint(readings(name)) or name == f"d{of}":
        return 3
    ours, theirs = ({each.lower() for each in _tokens(it)} for it in (of, name))
    rest = {each.lower() for each in _tokens(name) if not _is_word(each)}
    if len(rest) == len(theirs):
        return 0
    rest -= _JOINING
    if rest <= ours:
        return 2
    return 1 if rest & ours else 0


def is_derivative_named(name: str) -> bool:
    """Whether a name has a word for a derivative.

    Examples
    --------
    >>> is_derivative_named("Wave.jacobian"), is_derivative_named("wave_and_der")
    (True, True)
    >>> is_derivative_named("van_der_corput")
    False
    """
    last = name.rpartition(".")[2]
    words = [each for each in _tokens(last) if _is_word(each)]
    alone = words == ["der"] and "and" not in _tokens(last)
    return bool(words) and not does_something(last) and not alone


def share_of_words(one: str, other: str) -> float:
    """The part of the words of two names that both have.

    Examples
    --------
    >>> share_of_words("wave_height", "wave_slope")
    0.3333333333333333
    """
    ours, theirs = (_tokens(it.rpartition(".")[2].lower()) for it in (one, other))
    return len(ours & theirs) / max(len(ours | theirs), 1)


def says_second(name: str) -> bool:
    """Whether a name says that it is a second derivative.

    Examples
    --------
    >>> says_second("Wave.hessian"), says_second("wave_der")
    (True, False)
    """
    return _SECOND.search(name.rpartition(".")[2]) is not None


def _is_word(token: str) -> bool:
    return _WORD.fullmatch(token) is not None


def _tokens(name: str) -> set[str]:
    plain = re.sub(r"(^|_)d(\d?)_(?=[A-Za-z])", r"\1deriv\2_", name)
    return {each for part in plain.split("_") for each in _CAMEL.split(part) if each}
