"""How accurate torch's own derivatives are, over [-60, 60]: ``python examples/torch_accuracy.py``.

Nothing but the region is told. Each of torch's derivatives is a claim about a function of NumPy
or SciPy, and is measured in units in the last place of the exact derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy import special

import verify

FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[[torch.Tensor], torch.Tensor]]] = {
    "tanh": (np.tanh, torch.tanh),
    "sigmoid": (special.expit, torch.sigmoid),
    "softplus": (lambda x: np.logaddexp(0, x), torch.nn.functional.softplus),
    "expm1": (np.expm1, torch.expm1),
    "erf": (special.erf, torch.erf),
    "logsigmoid": (special.log_expit, torch.nn.functional.logsigmoid),
    "sin": (np.sin, torch.sin),
}


def claimed_by(operation: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Any], float]:
    """What torch takes for the derivative of one of its functions."""

    def slope(x: Any) -> float:
        leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
        (gradient,) = torch.autograd.grad(operation(leaf), leaf)
        return gradient.item()

    slope.__qualname__ = f"torch.{operation.__name__}"
    return slope


def wrong_zeros(survey: Any) -> float:
    """The share of the interval on which the claim is 0 and the exact value a normal float."""
    x = survey.coordinates[:, 0]
    order = np.argsort(x)
    lost = (survey.claimed == 0) & (np.abs(survey.exact) >= np.finfo(float).tiny)
    middles = (x[order][1:] + x[order][:-1]) / 2
    lengths = np.diff(middles, prepend=x.min(), append=x.max())
    return float(np.sum(lengths[lost[order]]) / np.sum(lengths))


def accuracy(name: str, low: float = -60, high: float = 60) -> verify.Result:
    """Verify one of torch's derivatives over an interval."""
    function, operation = FUNCTIONS[name]
    return verify.gradient(function, claimed=claimed_by(operation), over=[low, high])


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    print(f"{'torch':12}{'verdict':12}{'ulps':>10}  {'at':>8}  wrong zeros")
    for name in FUNCTIONS:
        result = accuracy(name)
        survey = result.survey
        assert survey is not None
        worst = int(np.argmax(survey.ulps))
        print(
            f"{name:12}{result.verdict.value:12}{survey.ulps[worst]:10.3g}  "
            f"{survey.coordinates[worst, 0]:8.3f}  {wrong_zeros(survey):.1%}"
        )


if __name__ == "__main__":
    main()
