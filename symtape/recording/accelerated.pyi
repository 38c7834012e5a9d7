from collections.abc import Callable, Iterable, Sequence
from typing import Any

class Method:
    def __init__(
        self, name: str, row: Any, fallback: Callable[..., Any], reflected: bool = False
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def bind(
    tensor: type,
    recorder: type,
    rule: type,
    types: tuple[type, type, type],
    dtypes: tuple[Any, tuple[Any, ...], Any],
    no_params: Any,
    stack: Any,
    next_id: Callable[[], int],
    functions: tuple[Callable[..., Any], ...],
) -> None: ...
def apply(row: Any, inputs: Sequence[Any], params: Any) -> Any: ...
def sweep(
    edges: Iterable[tuple[Any, ...]], cotangents: dict[Any, Any], wanted: set[int], wrapper: Any
) -> dict[int, Any]: ...
