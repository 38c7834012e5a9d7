"""Operations on whole arrays, as expressions with places for what is drawn.

``{x}``, ``{y}``, ``{z}`` are variables, ``{axis}`` an axis of ``{x}``, ``{k}`` a small whole
number, ``{c}`` a short fraction, ``{index}`` an index into ``{x}``, ``{n}`` the length of its last
axis, ``{count}`` its number of entries. What does not fit the shapes that are there is not drawn.
"""

from __future__ import annotations

from typing import Final

WHOLE: Final[dict[str, tuple[str, ...]]] = {
    "sum": ("np.sum({x})", "np.sum({x}, axis={axis})", "{x}.sum(axis={axis}, keepdims=True)"),
    "mean": ("np.mean({x})", "np.mean({x}, axis={axis})"),
    "prod": ("np.prod({x})", "np.prod({x}, axis={axis})"),
    "max": ("np.max({x})", "np.max({x}, axis={axis})"),
    "min": ("np.min({x})", "{x}.min(axis={axis}, keepdims=True)"),
    "var": ("np.var({x})", "np.var({x}, axis={axis})", "np.var({x}, ddof=1)"),
    "std": ("np.std({x})", "np.std({x}, axis={axis}, ddof=1)"),
    "cumsum": ("np.cumsum({x})", "np.cumsum({x}, axis={axis})"),
    "cumprod": ("np.cumprod({x})", "np.cumprod({x}, axis={axis})"),
    "sort": ("np.sort({x})", "np.sort({x}, axis={axis})"),
    "where": (
        "np.where({x} > {y}, {x}, {z})",
        "np.where({x} > {c}, {y}, np.sin({z}))",
        "{x} if np.sum({y}) > {c} else {z}",
    ),
    "clip": ("np.clip({x}, -{c}, {c})", "np.clip({x}, {y}, {c} + {y})"),
    "matmul": ("{x} @ {y}", "{x} @ {x}.T", "{x}.T @ {y}"),
    "einsum": (
        "np.einsum('ij,kj->ik', {x}, {y})",
        "np.einsum('i,i', {x}, {y})",
        "np.einsum('ij,ij->j', {x}, {y})",
        "np.einsum('ij,j,i->', {x}, {y}, {z})",
        "np.einsum('ii->i', {x})",
    ),
    "dot": ("np.dot({x}, {y})", "np.inner({x}, {y})", "np.vdot({x}, {y})"),
    "tensordot": ("np.tensordot({x}, {y}, axes=1)", "np.tensordot({x}, {y}, axes=2)"),
    "outer": ("np.outer({x}, {y})", "np.kron({x}, {y})"),
    "reshape": ("{x}.reshape(-1)", "np.reshape({x}, ({n}, -1))", "np.ravel({x})"),
    "transpose": ("{x}.T", "np.swapaxes({x}, 0, {axis})", "np.moveaxis({x}, {axis}, 0)"),
    "broadcast": (
        "{x}[..., None]",
        "np.broadcast_to({x}, (2, *{x}.shape))",
        "np.tile({x}, {k})",
        "np.repeat({x}, {k}, axis={axis})",
    ),
    "getitem": ("{x}[{index}]", "{x}[{index}]", "np.take({x}, [0, -1, 0], axis={axis})"),
    "concatenate": (
        "np.concatenate([{x}, {y}], axis={axis})",
        "np.stack([{x}, {y}], axis={axis})",
        "np.append({x}, {y})",
        "np.hstack([{x}, {y}, {z}])",
    ),
    "flip": ("np.flip({x}, axis={axis})", "np.roll({x}, {k})", "np.roll({x}, {k}, axis={axis})"),
    "diff": (
        "np.diff({x})",
        "np.diff({x}, axis={axis})",
        "np.gradient({x}, axis={axis})",
        "np.ediff1d({x})",
    ),
    "pad": ("np.pad({x}, {k})", "np.pad({x}, 1, mode='edge')"),
    "triangle": ("np.tril({x})", "np.triu({x}, k={k})", "np.trace({x})", "np.diagonal({x})"),
    "diag": ("np.diag({x})", "np.diagflat({x})"),
    "norm": (
        "np.linalg.norm({x})",
        "np.linalg.norm({x}, axis={axis})",
        "np.linalg.norm({x}, ord=1)",
        "np.linalg.norm({x}, ord=3, axis={axis})",
    ),
    "logsumexp": ("logsumexp({x})", "logsumexp({x}, axis={axis})"),
    "softmax": ("softmax({x}, axis={axis})", "log_softmax({x}, axis={axis})"),
    "solve": ("np.linalg.solve(np.tanh({x}) + 4 * np.eye({n}), {y})",),
    "inv": ("np.linalg.inv(np.tanh({x}) + 4 * np.eye({n}))",),
    "det": (
        "np.linalg.det(np.tanh({x}) + 2 * np.eye({n}))",
        "np.linalg.slogdet(np.tanh({x}) + 2 * np.eye({n}))[1]",
    ),
    "cholesky": ("np.linalg.cholesky({x} @ {x}.T + 2 * np.eye(len({x})))",),
    "eigvalsh": ("np.linalg.eigvalsh({x} + {x}.T + np.diag(3.0 * np.arange({n})))",),
    "svd": ("np.linalg.svd({x}, compute_uv=False)",),
    "median": ("np.median({x})", "np.percentile({x}, 30.0)", "np.ptp({x})"),
    "convolve": ("np.convolve({x}, {y})", "np.correlate({x}, {y}, mode='full')"),
    "cross": ("np.cross({x}, {y})",),
    "sinc": ("np.sinc({x})",),
    "polyval": (
        "np.polyval([{c}, -1.0, 2.0], {x})",
        "np.interp({x}, [-1.0, 0.0, 2.0], [0.0, 1.0, -1.0])",
    ),
    "scale": ("{c} * {x}", "{x} - {c}", "{x} ** 2", "{x} ** 3", "-{x}", "{x} / 4"),
}
"""Spellings by operation; an operation's first is its simplest."""
