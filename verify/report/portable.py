"""Results that leave their process: the functions stay behind, and are described.

A function may be a lambda or a closure, which cannot be pickled, or be imported from a file that is
not there where the result is read. So a pickled result carries its report, and of its functions
their names and sources.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from verify.errors import UsageError
from verify.model.case import Case, called
from verify.model.result import Result
from verify.report.model import Case as Report
from verify.report.model import Source
from verify.report.summary import report_case, source_of

__all__ = ["Described", "reduced"]


class Described:
    """A function that stayed behind.

    Attributes
    ----------
    source : Source or None
        Its code, and where it is from.

    Examples
    --------
    >>> import numpy as np, pickle, verify
    >>> r = verify.gradient(lambda x: np.sin(x), at=[0.5])
    >>> again = pickle.loads(pickle.dumps(r))
    >>> again.to_json() == r.to_json(), again.case.function.source.code.strip()
    (True, 'r = verify.gradient(lambda x: np.sin(x), at=[0.5])')
    """

    def __init__(self, name: str, source: Source | None) -> None:
        self.__name__ = self.__qualname__ = name
        self.source = source

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Described:
        """What is known of a function."""
        return function if isinstance(function, cls) else cls(called(function), source_of(function))

    def __call__(self, *args: Any) -> Any:
        """Refuse: there is no function to call.

        Raises
        ------
        UsageError
        """
        raise UsageError(
            f"{self.__name__} is not part of the pickled result, which has its source alone; "
            "verify again where it is defined"
        )

    def __repr__(self) -> str:
        return f"<{self.__name__}, described>"


def reduced(result: Result) -> tuple[Callable[..., Result], tuple[Any, ...]]:
    """A result as pickle takes it."""
    given = {it.name: getattr(result, it.name) for it in fields(result) if it.init}
    return _restored, (given | {"case": _without_functions(result.case)}, report_case(result))


def _restored(given: dict[str, Any], report: Report) -> Result:
    result = Result(**given)
    object.__setattr__(result, "_report", report)
    return result


def _without_functions(case: Case) -> Case:
    return replace(
        case,
        function=Described.of(case.function),
        claimed=None if case.claimed is None else Described.of(case.claimed),
        modes={name: Described.of(claim) for name, claim in case.modes.items()},
        plots=None,
        over=None,  # its predicates are functions; the words are in the coverage
    )
