"""Wrong signs, lost factors and terms, exchanged arguments, derivatives of something else."""

from __future__ import annotations

import numpy as np
from scipy import special

from tests.faults.historical.fault import Fault
from verify import box

__all__ = ["FAULTS"]

DISTANCE = 3.0
SCORES = np.array([0.5, -1.0, 2.0])
DESIGN = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 4.0]])
RESPONSE = np.array([0.5, 2.0, 1.0, 5.0])
LIFETIME = 1.5


def hypot_slopes(x, y):
    r = np.hypot(x, y)
    return x / r, y / r


def arctan2_slopes(y, x):
    r = x * x + y * y
    return x / r, -y / r


def arctan2_curvature_by_quotient(y, x):
    q = y / x
    scale = x * x * (1 + q * q) ** 2
    return (-2 * q / scale, (q * q - 1) / scale), ((q * q - 1) / scale, 2 * q / scale)


def arctan2_curvature(y, x):
    r = (x * x + y * y) ** 2
    mixed = (y - x) * (y + x) / r
    return (-2 * x * y / r, mixed), (mixed, 2 * x * y / r)


def kernel(scale):
    return np.exp(-0.5 * (DISTANCE / scale) ** 2)


def weibull_density(shape, scale):
    power = (LIFETIME / scale) ** shape
    return shape / LIFETIME * power * np.exp(-power)


def weibull_slopes(shape, scale):
    power = (LIFETIME / scale) ** shape
    factor = power / LIFETIME * np.exp(-power)
    by_shape = factor * (1 + (1 - power) * shape * np.log(LIFETIME / scale))
    return by_shape, factor * (power - 1) * shape**2 / scale


def normal_density(z):
    return np.exp(-z * z / 2) / np.sqrt(2 * np.pi)


def profile_likelihood(coefficients):
    rest = RESPONSE - DESIGN @ coefficients
    return -len(RESPONSE) / 2 * np.log(rest @ rest)


def profile_curvature(coefficients, factor):
    rest = RESPONSE - DESIGN @ coefficients
    squares, slope = rest @ rest, -2 * DESIGN.T @ rest
    first = factor * DESIGN.T @ DESIGN / squares
    return -len(RESPONSE) / 2 * (first - np.outer(slope, slope) / squares**2)


def ordered_logit(cut):
    """Log-probability that all of the scores fall below the cut."""
    return -np.sum(np.logaddexp(0, SCORES - cut))


def power_curvature(x, y, mixed):
    return (
        (y * (y - 1) * x ** (y - 2), mixed),
        (x ** (y - 1) * (1 + y * np.log(x)), x**y * np.log(x) ** 2),
    )


def power_mixed(x, y):
    return x ** (y - 1) * (1 + y * np.log(x))


def i0_curvature(x):
    return (special.i0(x) + special.iv(2.0, x)) / 2


def i0_curvature_in_floats(x):
    """In Python's own floats: SciPy's iv is NaN for subnormal numbers."""
    x = float(x)
    return (special.i0(x) + (special.iv(2.0, x) if abs(x) > 1e-100 else 0.0)) / 2


FAULTS = [
    Fault(
        name="cosh",
        source="https://github.com/casadi/casadi/issues/2585",
        what="The sign is that of the cosine's slope.",
        function=np.cosh,
        wrong=lambda x: -np.sinh(x),
        right=np.sinh,
        over=[-10, 10],
        at=(1.0,),
    ),
    Fault(
        name="hyperbolic cotangent",
        source="https://github.com/sympy/sympy/pull/605",
        what="A minus sign is missing.",
        function=lambda x: 1 / np.tanh(x),
        wrong=lambda x: 1 / np.sinh(x) ** 2,
        right=lambda x: -1 / np.sinh(x) ** 2,
        over=[0.125, 5],
        at=(1.0,),
    ),
    Fault(
        name="hypot",
        source="https://github.com/JuliaDiff/ChainRules.jl/pull/74",
        what="The slopes by the two arguments are exchanged, and in the test of the rule too.",
        function=np.hypot,
        wrong=lambda x, y: hypot_slopes(x, y)[::-1],
        right=hypot_slopes,
        over=([0.5, 5], [-5, 5]),
        at=((3.0, 4.0),),
    ),
    Fault(
        name="arctan2, one factor short",
        source="https://github.com/ml-explore/mlx/issues/2451",
        what="The slope by the first argument lacks the second one as a factor.",
        function=np.arctan2,
        wrong=lambda y, x: (1 / (x * x + y * y), arctan2_slopes(y, x)[1]),
        right=arctan2_slopes,
        over=([0.5, 5], [0.5, 5]),
        at=((1.0, 2.0),),
    ),
    Fault(
        name="arctan2, exchanged",
        source="https://github.com/getkeops/keops/pull/155",
        what="The slopes by the two arguments are exchanged.",
        function=np.arctan2,
        wrong=lambda y, x: arctan2_slopes(y, x)[::-1],
        right=arctan2_slopes,
        over=([0.5, 5], [0.5, 5]),
        at=((1.0, 2.0),),
    ),
    Fault(
        name="arctan2, turned round",
        source="https://github.com/EnzymeAD/Enzyme-JAX/pull/2066",
        what="Both slopes have the wrong sign.",
        function=np.arctan2,
        wrong=lambda y, x: (-arctan2_slopes(y, x)[0], -arctan2_slopes(y, x)[1]),
        right=arctan2_slopes,
        over=([0.5, 5], [-5, 5]),
        at=((1.0, 2.0),),
    ),
    Fault(
        name="second derivative of arctan2 on the other axis",
        source="https://github.com/Hipparchus-Math/hipparchus/issues/411",
        what="It goes through the quotient of the arguments, which is infinite there.",
        function=np.arctan2,
        wrong=arctan2_curvature_by_quotient,
        right=arctan2_curvature,
        over=([0.5, 5], [-5, 5]),
        at=((1.0, 0.0),),
        quantity="hessian",
        long=True,
    ),
    Fault(
        name="load exponent",
        source="https://github.com/tenstorrent/tt-metal/issues/6533",
        what="e to the y, times log 2, stands in the place of 2 to the y.",
        function=lambda x, y: x * np.exp2(y),
        wrong=lambda x, y: (
            np.exp(y) * np.log(2.0),
            x * (np.exp(y) * np.log(2.0)) * np.log(2.0),
        ),
        right=lambda x, y: (np.exp2(y), x * np.exp2(y) * np.log(2.0)),
        over=([-3, 3], [-3, 3]),
        at=((1.0, 0.0),),
    ),
    Fault(
        name="power of a number",
        source="https://github.com/tenstorrent/tt-metal/pull/52144",
        what="The derivative is that of the power with base and exponent exchanged.",
        function=lambda x: 5.0**x,
        wrong=lambda x: 5 * x**4,
        right=lambda x: 5.0**x * np.log(5.0),
        over=[-3, 3],
        at=(1.0,),
    ),
    Fault(
        name="arcsinh of a tangent",
        source="https://github.com/autodiff/autodiff/issues/395",
        what="The slope of what is inside does not get into the result.",
        function=lambda x: np.arcsinh(np.tan(x)),
        wrong=lambda x: 1 / np.sqrt(1 + np.tan(x) ** 2),
        right=lambda x: 1 / np.cos(x),
        over=[-1.5, 1.5],
        at=(1.0,),
    ),
    Fault(
        name="arctanh of twice the argument",
        source="https://github.com/autodiff/autodiff/issues/396",
        what="The chain rule's factor is missing, which nobody sees where it is 1.",
        function=lambda x: np.arctanh(2 * x),
        wrong=lambda x: 1 / ((1 - 2 * x) * (1 + 2 * x)),
        right=lambda x: 2 / ((1 - 2 * x) * (1 + 2 * x)),
        over=[-0.4375, 0.4375],
        at=(0.1,),
    ),
    Fault(
        name="length scale of a kernel",
        source="https://github.com/scikit-learn/scikit-learn/issues/11113",
        what="The slope by the logarithm of the length scale is given as that by itself.",
        function=kernel,
        wrong=lambda scale: kernel(scale) * DISTANCE**2 / scale**2,
        right=lambda scale: kernel(scale) * DISTANCE**2 / scale**3,
        over=[0.5, 10],
        at=(2.0,),
    ),
    Fault(
        name="Weibull density",
        source="https://github.com/openturns/openturns/issues/1556",
        what="The slopes by scale and shape come in the wrong order.",
        function=weibull_density,
        wrong=lambda shape, scale: weibull_slopes(shape, scale)[::-1],
        right=weibull_slopes,
        over=([0.5, 5], [0.5, 5]),
        at=((2.0, 1.0),),
        long=True,
    ),
    Fault(
        name="probit link",
        source="https://github.com/statsmodels/statsmodels/pull/299",
        what="The density is taken at the probability, and not at its quantile.",
        function=special.ndtri,
        wrong=lambda p: 1 / normal_density(p),
        right=lambda p: 1 / normal_density(special.ndtri(p)),
        over=[0.0625, 0.9375],
        at=(0.25,),
    ),
    Fault(
        name="curvature of a profile likelihood",
        source="https://github.com/statsmodels/statsmodels/issues/9469",
        what="One of the two terms lacks its factor 2.",
        function=profile_likelihood,
        wrong=lambda coefficients: profile_curvature(coefficients, 1),
        right=lambda coefficients: profile_curvature(coefficients, 2),
        over=box(-3, 3, shape=(2,)),
        at=([0.5, 0.25],),
        quantity="hessian",
        long=True,
    ),
    Fault(
        name="ordered logit",
        source="https://github.com/stan-dev/math/issues/1248",
        what="What one observation adds to the gradient overwrites what the others did.",
        function=ordered_logit,
        wrong=lambda cut: special.expit(SCORES[-1] - cut),
        right=lambda cut: np.sum(special.expit(SCORES - cut)),
        over=[-10, 10],
        at=(0.5,),
    ),
    Fault(
        name="norm by a library of vectors",
        source="https://github.com/EnzymeAD/Enzyme/issues/2419",
        what="There is a square root too many in the denominator.",
        function=np.linalg.norm,
        wrong=lambda x: x / np.linalg.norm(x) / np.sqrt(np.linalg.norm(x)),
        right=lambda x: x / np.linalg.norm(x),
        over=box(0.5, 5, shape=(2,)),
        at=([5.0, 0.0],),
    ),
    Fault(
        name="mixed derivative of a power",
        source="https://github.com/jax-ml/jax/issues/12033",
        what="The guard for the exponent 0 also changes what is differentiated once more.",
        function=np.power,
        wrong=lambda x, y: power_curvature(x, y, np.where(y == 0, x, power_mixed(x, y))),
        right=lambda x, y: power_curvature(x, y, power_mixed(x, y)),
        over=([0.5, 30], [-3, 3]),
        at=((23.0, 0.0),),
        quantity="hessian",
        long=True,
    ),
    Fault(
        name="second derivative of i0 at 0",
        source="https://github.com/jax-ml/jax/issues/40627",
        what="The rule of the first derivative returns a constant 0 at 0.",
        function=special.i0,
        wrong=lambda x: np.where(x == 0, 0.0, i0_curvature(x)),
        right=i0_curvature_in_floats,
        over=[-5, 5],
        at=(0.0,),
        quantity="hessian",
    ),
]
