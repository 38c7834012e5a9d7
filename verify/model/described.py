"""Functions that stay behind when a result leaves its process, and are described there.

A function may be a lambda or a closure, which cannot be pickled, or be imported from a file that is
not there where the result is read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from verify.errors import UsageError
from verify.model.case import Case, name_function
from verify.model.source import Source, source_of


class StandInFunction:
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
    def describe_function(cls, function: Callable[..., Any]) -> StandInFunction:
        """What is known of a function."""
        return (
            function
            if isinstance(function, cls)
            else cls(name_function(function), source_of(function))
        )

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


def describe_case(case: Case) -> Case:
    """A case without its functions."""
    return replace(
        case,
        function=StandInFunction.describe_function(case.function),
        claimed=None if case.claimed is None else StandInFunction.describe_function(case.claimed),
        modes={
            name: StandInFunction.describe_function(claim) for name, claim in case.modes.items()
        },
        plots=None,
        over=None,  # its predicates are functions; the words are in the coverage
    )
