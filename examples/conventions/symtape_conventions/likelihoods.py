"""Likelihoods of statistical models: ``loglike``, ``score``, ``hessian``, as of statsmodels."""

from __future__ import annotations

import importlib
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import numpy as np

from symtape_conventions.making import described
from symtape_conventions.neighbourhood import Argument, Method, case_near
from symtape_conventions.small_data import Data, data_sets
from verify import Case, box
from verify.auditing import (
    NotPosed,
    Pair,
    Unpaired,
    classes_of,
    has_methods,
    member,
    shorten_error,
    silence,
)

_PAIRS: Final = (
    ("loglike", "score", "gradient"),
    ("score", "hessian", "jacobian"),
    ("loglikeobs", "score_obs", "jacobian"),
    ("loglikeobs", "score_factor", "jacobian"),
)
"""A method, what claims to be its derivative, and which derivative."""

_VARIANTS: Final[Mapping[str, tuple[Any, ...]]] = {
    "loglike_method": ("nb2", "nb1", "geometric"),
    "inflation": ("logit", "probit"),
    "p": (1, 2),
    "dist": ("poisson", "negbin"),
    "zerodist": ("poisson", "negbin"),
    "ties": ("breslow", "efron"),
    "family": (
        *("Gaussian", "Binomial", "Poisson", "Gamma", "InverseGaussian", "NegativeBinomial"),
        "Tweedie",
    ),
}
"""Options of constructors that choose other formulas."""

_FAMILIES: Final = "families"
"""The module beside that of a model, or of the package of models, that has the families."""

_START: Final = (0.9, 0.3, -0.2, 0.7, 0.25, -0.35, 0.55, 0.15, 0.45, 0.35, 0.65, 0.5)
"""Parameters to begin with; such as come behind coefficients are positive."""


class Likelihoods:
    """``score`` of ``loglike``, ``hessian`` of ``score``, and ``score_obs`` of ``loglikeobs``."""

    name = "likelihoods"
    summary = "score, score_obs, score_factor and hessian of statistical models, by parameters"

    def find(self, module: ModuleType) -> Iterator[Pair | Unpaired]:
        """Pairs of each model, with each option that chooses other formulas."""
        for kind in classes_of(module):
            for function, claim, quantity in _PAIRS:
                if not has_methods(kind, function, claim) or not _takes_data(kind):
                    continue
                place = f"{module.__name__}:{kind.__qualname__}.{claim}"
                for options in _variants(kind, claim):
                    yield Pair(
                        id=place + described(options),
                        convention=self.name,
                        module=module.__name__,
                        function=kind.__qualname__,
                        claim=claim,
                        quantity=quantity,
                        settings={"of": function, "options": options},
                    )

    def pose(self, pair: Pair) -> Case:
        """One method by all parameters together, for a small data set that suits the model."""
        kind, of = member(pair.module, pair.function), pair.settings["of"]
        options = dict(pair.settings["options"])
        scale = options.pop("scale", None)
        given = {} if scale is None else {"scale": scale}
        fitted = _fitted(kind, options, given)

        def bound(name: str) -> Callable[..., Any]:
            method = getattr(fitted.model, name)
            taken = inspect.signature(method).parameters
            known = {key: value for key, value in given.items() if key in taken}
            return lambda params: method(params, **known)

        claim = bound(pair.claim)
        if pair.claim == "score_factor":
            factor = claim

            def claim(params: Any) -> Any:
                return _by_regressors(factor(params), fitted.data.regressors)

        return case_near(
            pair,
            Method(bound(of), getattr(kind, of)),
            Method(claim, getattr(kind, pair.claim)),
            [Argument("params", fitted.start, space=_near(fitted.start))],
        )


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A model with data, and parameters at which its likelihood is finite."""

    model: Any
    data: Data
    start: Any


def _takes_data(kind: type) -> bool:
    return "endog" in inspect.signature(kind).parameters


def _variants(kind: type, claim: str) -> Iterator[dict[str, Any]]:
    """Options of a constructor, in all combinations; and the scale, if it may be held."""
    names = [name for name in inspect.signature(kind).parameters if name in _VARIANTS]
    method = getattr(kind, claim)
    scaled = "scale" in inspect.signature(method).parameters
    for values in itertools.product(*(_VARIANTS[name] for name in names)):
        options = dict(zip(names, values, strict=True))
        if scaled:
            yield {**options, "scale": 1.0}
        # What is claimed where the scale follows the parameters is said, or is not this.
        if not scaled or "profile" in (inspect.getdoc(method) or ""):
            yield options


def _fitted(kind: Any, options: Mapping[str, Any], given: Mapping[str, Any]) -> _Fitted:
    """A model on the first data set on which its likelihood and its score are finite."""
    matter = "there is no data set"
    for data in data_sets():
        try:
            with silence():
                model = kind(data.response, data.regressors, **data.more, **_made(kind, options))
        except Exception as error:  # noqa: BLE001  # theirs: other data may suit
            matter = f"{type(error).__name__}: {shorten_error(error)}"
            continue
        start, why = _start(model, given)
        if start is not None:
            return _Fitted(model, data, start)
        matter = why or matter
    raise NotPosed(f"no small data set suits {kind.__name__}; the last: {matter}")


def _made(kind: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the constructor takes them: a family by its name is one of that class."""
    if "family" not in options:
        return dict(options)
    families = importlib.import_module(f"{kind.__module__.rpartition('.')[0]}.{_FAMILIES}")
    return {**options, "family": getattr(families, options["family"])()}


def _start(model: Any, given: Mapping[str, Any]) -> tuple[Any, str]:
    """Parameters that a model takes: as many as make its likelihood and its score finite."""
    why = ""
    for count in range(1, len(_START) + 1):
        start = np.array(_START[:count])
        try:
            with silence():
                known = given if "scale" in inspect.signature(model.loglike).parameters else {}
                value = np.asarray(model.loglike(start.copy(), **known))
                score = np.asarray(model.score(start.copy(), **known))
        except NotImplementedError as error:
            return None, f"it is not implemented: {shorten_error(error)}"
        except Exception as error:  # noqa: BLE001  # theirs: another count may be right
            why = f"{type(error).__name__}: {shorten_error(error)}"
            continue
        if value.shape == () and score.shape == start.shape and np.isfinite(value):
            return start, ""
    return None, why


def _near(start: Any) -> Any:
    """About the start, with its signs: likelihoods are cut off where a dispersion is negative."""
    ends = np.round(start * 0.6, 3), np.round(start * 1.4, 3)
    return box(np.minimum(*ends), np.maximum(*ends))


def _by_regressors(factor: Any, regressors: Any) -> Any:
    """The derivative of each observation by all parameters, from that by the linear predictor."""
    parts = factor if isinstance(factor, tuple) else (factor,)
    first, *others = (np.reshape(part, (-1, 1)) for part in parts)
    return np.concatenate([first * regressors, *others], axis=1)


CONVENTION: Final = Likelihoods()
