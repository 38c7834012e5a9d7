"""Small libraries that keep to the protocols of large ones, with lies among their derivatives."""

import types

import numpy as np


class _Parameter:
    def __init__(self, value):
        self.value = value


class Bell:
    """A model as of Astropy; what it says of `width` lacks a factor."""

    inputs = ("x",)
    param_names = ("height", "centre", "width")
    bounds = types.MappingProxyType({"width": (1e-38, None)})
    height, centre, width = _Parameter(1.0), _Parameter(0.0), _Parameter(1.0)

    @staticmethod
    def evaluate(x, height, centre, width):
        return height * np.exp(-(((x - centre) / width) ** 2))

    @staticmethod
    def fit_deriv(x, height, centre, width):
        bell = np.exp(-(((x - centre) / width) ** 2))
        far = (x - centre) / width
        return [bell, 2 * height * bell * far / width, height * bell * far**2 / width]


class Swapped(Bell):
    """The same, with two derivatives in each other's place."""

    @staticmethod
    def fit_deriv(x, height, centre, width):
        bell = np.exp(-(((x - centre) / width) ** 2))
        far = (x - centre) / width
        return [bell, 2 * height * bell * far**2 / width, 2 * height * bell * far / width]


class Divided(Bell):
    """The same, with a derivative that divides by the height."""

    @staticmethod
    def fit_deriv(x, height, centre, width):
        bell = height * np.exp(-(((x - centre) / width) ** 2))
        far = (x - centre) / width
        return [bell / height, 2 * bell * far / width, 2 * bell * far**2 / width]


class Turned:
    """A model that is finite where its width is zero, and has no derivative there."""

    inputs = ("x",)
    param_names = ("width",)
    bounds = types.MappingProxyType({})
    width = _Parameter(1.0)

    @staticmethod
    def evaluate(x, width):
        return np.arctan(x / width)

    @staticmethod
    def fit_deriv(x, width):
        return [-x / (x**2 + width**2)]


class LogOdds:
    """A link as of statsmodels; the derivative of its inverse has the wrong sign."""

    def __call__(self, p):
        p = np.clip(p, 1e-12, 1 - 1e-12)
        return np.log(p / (1 - p))

    def deriv(self, p):
        return 1 / (p * (1 - p))

    def deriv2(self, p):
        return (2 * p - 1) / (p * (1 - p)) ** 2

    def inverse(self, z):
        return 1 / (1 + np.exp(-z))

    def inverse_deriv(self, z):
        return -np.exp(-z) / (1 + np.exp(-z)) ** 2


class Pseudo:
    """A robust norm that needs what it says how to call, and differentiates numerically."""

    def __init__(self, df):
        self.df = df

    def rho(self, z):
        return np.log(1 + z**2 / self.df)

    def psi(self, z):
        return 2 * z / (self.df + z**2)

    def psi_deriv(self, z):
        return approx_fprime(z, self.psi)


def approx_fprime(z, function):
    return (function(z + 1e-7) - function(z - 1e-7)) / 2e-7


class Counts:
    """A likelihood of counts; its Hessian has a factor too much, its parameters are two."""

    def __init__(self, endog, exog, p=1):
        if (endog % 1).any():
            raise ValueError("counts are whole numbers")
        self.endog, self.exog, self.p = endog, exog, p

    def loglikeobs(self, params):
        predicted = self.exog @ params
        return self.endog * predicted - self.p * np.exp(predicted)

    def loglike(self, params):
        return np.sum(self.loglikeobs(params))

    def score_factor(self, params):
        return self.endog - self.p * np.exp(self.exog @ params)

    def score_obs(self, params):
        return self.score_factor(params)[:, None] * self.exog

    def score(self, params):
        return self.score_factor(params) @ self.exog

    def hessian(self, params):
        return -(self.exog.T * (self.p**2 * np.exp(self.exog @ params))) @ self.exog


class Cloud:
    """A kernel as of scikit-learn, by the logarithm of its length; of `nu` 1.5 a term lacks."""

    def __init__(self, length=1.0, nu=0.5):
        self.length, self.nu = length, nu

    @property
    def theta(self):
        return np.log([self.length])

    @property
    def bounds(self):
        return np.log([[1e-5, 1e5]])

    def clone_with_theta(self, theta):
        return type(self)(np.exp(theta[0]), self.nu)

    def __call__(self, X, Y=None, eval_gradient=False):
        far = np.sum((X[:, None] - X[None]) ** 2, axis=2) / self.length**2
        kernel = np.exp(-far) + (far if self.nu == 1.5 else 0)
        gradient = 2 * far * np.exp(-far)
        return (kernel, gradient[:, :, None]) if eval_gradient else kernel


class Mixture:
    """Excess energies as of thermo; the second derivative by temperature has the wrong sign."""

    def __init__(self, *, T, xs, Vs):
        self.T, self.xs, self.Vs = T, xs, Vs

    def to_T_xs(self, T, xs):
        return Mixture(T=T, xs=xs, Vs=self.Vs)

    def GE(self):
        return self.T**2 * 1e-3 * self.xs[0] * self.xs[1] * sum(self.xs)

    def dGE_dT(self):
        return 2e-3 * self.T * self.xs[0] * self.xs[1]

    def d2GE_dT2(self):
        return -2e-3 * self.xs[0] * self.xs[1]

    def dGE_dxs(self):
        first, second, _ = self.xs
        both = first * second
        return [self.T**2 * 1e-3 * each for each in (second + both, first + both, both)]


class Gas:
    """An equation of state as of thermo, P V = 8 T; the derivative by pressure lacks a factor."""

    def __init__(self, Tc=None, T=None, P=None, V=None):
        self.T = T if T is not None else P * V / 8
        self.P = P if P is not None else 8 * T / V
        self.V_g = V if V is not None else 8 * T / P

    def a_alpha_and_derivatives_pure(self, T):
        return np.sqrt(T), 0.5 / np.sqrt(T), -0.25 * T**-1.5


class Ideal(Gas):
    """The first class of its kind, whose states are asked for."""

    def to(self, T=None, P=None, V=None):
        return type(self)(T=T, P=P, V=V)

    @property
    def dV_dT_g(self):
        return 8 / self.P

    @property
    def dV_dP_g(self):
        return -self.T / self.P**2


class Named(Ideal):
    """What inherits the states of another."""
