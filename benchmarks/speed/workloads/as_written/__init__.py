"""Gradients of code as users of each library write it, whose arguments are trees.

The other workloads are written once for all namespaces, which keeps filled arrays, objects and
loops of a library's own out of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.speed.engines.prepared import NotHad
from benchmarks.speed.trees import map_leaves
from benchmarks.speed.workload import Workload

__all__ = ["AsWritten", "workloads"]

SPELLINGS = {"numpy": "with_numpy", "jax.numpy": "with_jax", "torch": "with_torch"}

FIELDS = {
    "mechanics": {
        "arm_ik": "inverse kinematics of an arm",
        "cartpole_mpc": "cart and pole, 50 controls",
        "se3_huber": "pose from 20,000 points",
        "bundle": "bundle adjustment 8,000",
        "chamfer": "Chamfer distance 600x500",
        "lennard_jones": "Lennard-Jones 216",
        "nbody": "N-body, 40 steps",
    },
    "life": {
        "seir": "SEIR, 160 days",
        "robertson": "Robertson, implicit steps",
        "lotka_volterra": "Lotka-Volterra, data interpolated",
        "dose_pk": "doses of a drug",
        "huckel": "Hückel energies 40",
        "cox": "Cox regression 5,000x20",
        "mixed_model": "mixed model, 30 groups",
    },
    "finance": {
        "binomial_put": "American put, 200 steps",
        "heston_asian": "Heston, 10,000 paths",
        "sabr": "SABR smile",
        "cvar_portfolio": "portfolio by its tail",
        "garch_t": "GARCH 400, Student's t",
        "arma": "ARMA 300",
    },
    "imaging": {
        "radon": "Radon transform 64x64",
        "perona_malik": "Perona-Malik 128x128",
        "phase_retrieval": "phase retrieval 128x128",
        "planck_sed": "Planck spectra",
        "pseudo_voigt": "eight pseudo-Voigt peaks",
    },
    "physics": {
        "magnetotelluric": "magnetotelluric layers",
        "gravity_inversion": "gravity 400x2000",
        "wave_inversion": "wave equation 100x100",
        "nls_splitstep": "Schrödinger, split steps",
        "phi4": "lattice of four dimensions",
        "mps_norm": "matrix product state",
    },
    "inference": {
        "kalman": "Kalman filter 100",
        "particle_filter": "particle filter 50x500",
        "hmm_poisson": "Poisson HMM 200",
        "gp_kernels": "Gaussian process, sum of kernels",
        "natural_spline": "natural spline 1,000",
        "vi_elbo": "variational logistic regression",
        "student_mixture": "mixture of Student's t 200,000",
        "negbin_glm": "negative binomial regression",
    },
    "learning": {
        "transformer": "transformer, two blocks",
        "cnn": "convolutional network 28x28",
        "graph_net": "graph network 8,000 edges",
        "lstm": "LSTM 40x16",
        "quantile_mlp": "quantile network 2,048",
        "matrix_factorization": "matrix factors 20,000",
        "pagerank": "PageRank 15,000 edges",
    },
    "structures": {
        "truss": "truss of 36 bars",
        "fem_poisson": "finite elements 15x15",
        "contact_springs": "springs with contact, 40 steps",
        "power_flow": "power flow of 57 buses",
        "ac_ladder": "ladder of impedances",
        "pose_graph": "graph of 500 poses",
        "gps": "positions from satellites",
        "orbit_fit": "orbit by Runge-Kutta",
    },
    "sequences": {
        "crf": "conditional random field",
        "ctc": "connectionist loss 60x28",
        "soft_dtw": "soft time warping 30x25",
        "hawkes": "Hawkes process 400",
        "gillespie_path": "path of reactions 300",
        "lindley": "queue of 800",
        "theta_logistic": "theta-logistic states 300",
    },
    "waves": {
        "adi_heat": "heat by alternating directions",
        "shallow_water": "shallow water 96x96",
        "dg_advection": "advection, discontinuous Galerkin",
        "lens_rays": "3,000 rays through lenses",
        "thin_film": "thin films",
        "chan_vese": "Chan-Vese 160x160",
        "grape": "pulses of two qubits",
        "vqc": "circuit of six qubits",
    },
    "signals": {
        "unmixing": "unmixing 800 spectra",
        "nmf_kl": "non-negative factors 300x200",
        "ica": "independent components 8x5,000",
        "equalizer": "equalizer of 8 bands",
        "biquad_time": "biquad over 600 samples",
        "wavelet_packet": "wavelet packets 4,096",
        "cp_tensor": "tensor of rank 6",
    },
    "statistics": {
        "irt": "item responses 1,000x40",
        "frailty": "survival with frailty 3,000",
        "hier_normal": "hierarchical regression 4,000",
        "mvt_groups": "multivariate Student's t",
        "black_litterman": "Black-Litterman portfolio",
        "yield_curve": "yield curve of 40 bonds",
        "local_vol": "local volatility, implicit steps",
        "equilibrium": "chemical equilibrium",
        "climate_box": "climate in boxes",
    },
    "networks": {
        "lista": "unrolled shrinkage, 12 layers",
        "graph_attention": "graph attention 2,800 edges",
        "sinkhorn": "Sinkhorn 80x70",
        "tsne": "t-SNE 250",
        "volume_render": "volume rendering 256x48",
    },
}
"""The functions of each field's file, and their names in the table."""

MADE_OF_DATA = {"arm_ik", "gravity_inversion", "vi_elbo", "power_flow", "truss", "grape"}
"""Functions which make what is differentiated of their data, and which take nothing else."""


@dataclass(frozen=True)
class AsWritten(Workload):
    """A gradient by the first argument of a function that each library has its own spelling of."""

    field: str = ""
    spelling: str = ""

    def bind(self, xp: Any, convert: Callable[[Any], Any]) -> tuple[Any, list[Any]]:
        """The function of a namespace and its arguments, of which those of data may be in it."""
        if xp.__name__ not in SPELLINGS:
            raise NotHad("not written for it")
        home = f"{__name__}.{SPELLINGS[xp.__name__]}.{self.field}"
        function = getattr(importlib.import_module(home), self.spelling)
        args = [map_leaves(convert, x) for x in self.args]
        return (
            (function(*args[1:]), args[:1]) if self.spelling in MADE_OF_DATA else (function, args)
        )


def refuse(xp: Any, *args: Any) -> Any:
    """Say that there is no one function for all namespaces."""
    raise NotHad("not written for it")


def workloads() -> list[Workload]:
    """All of them, in the order of their fields."""
    found: list[Workload] = []
    for field, names in FIELDS.items():
        arguments = importlib.import_module(f"{__name__}.arguments.{field}")
        for spelling, name in names.items():
            tree, data = getattr(arguments, spelling)()
            found.append(AsWritten(name, refuse, (tree, *data), field=field, spelling=spelling))
    return found
