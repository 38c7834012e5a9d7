"""Calls of scipy.signal by its plain names: a function and its arguments for each."""

from __future__ import annotations

import numpy as np
from scipy import signal

X = np.array([0.5, 2.0, -0.75, 1.25, 0.3, -1.1, 0.9, 0.2])
LONG = np.concatenate([X, X[::-1] * 0.5 + 0.1])
KERNEL = np.array([0.5, -1.0, 0.3])
IMAGE = np.array([[0.3, -0.5, 1.1, 0.7], [1.3, 0.2, -0.9, 0.4], [0.6, -1.2, 0.8, -0.1]])
BOX = np.array([[0.5, -1.0], [0.2, 0.7], [0.1, -0.4]])
B, A = np.array([0.3, 0.5, 0.1]), np.array([1.0, -0.4, 0.2])
STATE = np.array([0.1, 0.2])
SOS = np.array([[0.3, 0.5, 0.1, 1.0, -0.4, 0.2], [0.2, 0.1, 0.05, 1.0, 0.3, 0.1]])

CALLS = {
    "convolve": (signal.convolve, X, KERNEL),
    "convolve by the direct method": (
        lambda x, v: signal.convolve(x, v, "valid", method="direct"),
        X,
        KERNEL,
    ),
    "convolve of a shorter first argument": (lambda x, v: signal.convolve(v, x, "same"), X, KERNEL),
    "convolve of matrices": (lambda x, v: signal.convolve(x, v, "same"), IMAGE, BOX),
    "fftconvolve": (lambda x, v: signal.fftconvolve(x, v, mode="same"), X, KERNEL),
    "fftconvolve along an axis": (
        lambda x, v: signal.fftconvolve(x, v, axes=1),
        IMAGE,
        BOX[:1],
    ),
    "oaconvolve": (lambda x, v: signal.oaconvolve(x, v, mode="valid"), X, KERNEL),
    "correlate": (lambda x, v: signal.correlate(x, v, mode="same"), X, KERNEL[:2]),
    "correlate of a shorter first argument": (
        lambda x, v: signal.correlate(v, x, "valid", method="direct"),
        X,
        KERNEL,
    ),
    "convolve2d": (signal.convolve2d, IMAGE, BOX),
    "convolve2d with a fill": (
        lambda x, v: signal.convolve2d(x, v, "same", "fill", 0.5),
        IMAGE,
        BOX,
    ),
    "convolve2d wrapped": (lambda x, v: signal.convolve2d(x, v, "full", "wrap"), IMAGE, BOX),
    "correlate2d": (lambda x, v: signal.correlate2d(x, v, "same", "symm"), IMAGE, BOX),
    "correlate2d of a smaller matrix": (
        lambda x, v: signal.correlate2d(v, x, "valid"),
        np.tile(IMAGE, (1, 2)),
        BOX,
    ),
    "lfilter": (signal.lfilter, B, 2 * A, X),
    "lfilter without recursion": (lambda b, x: signal.lfilter(b, [2.0], x), B, X),
    "lfilter along an axis": (lambda b, a, x: signal.lfilter(b, a, x, axis=0), B, A, IMAGE),
    "lfilter from a state": (
        lambda *args: signal.lfilter(*args[:3], zi=args[3])[0],
        B,
        A,
        X,
        STATE,
    ),
    "lfilter to a state": (lambda *args: signal.lfilter(*args[:3], zi=args[3])[1], B, A, X, STATE),
    "lfilter_zi": (signal.lfilter_zi, B, A),
    "lfiltic": (signal.lfiltic, B, A, STATE, STATE + 0.4),
    "sosfilt": (lambda x: signal.sosfilt(SOS, x), X),
    "sosfilt by coefficients": (
        lambda c, x: signal.sosfilt(np.concatenate([c[:3], np.ones(1), c[3:]])[None], x),
        np.delete(SOS[0], 3),
        X,
    ),
    "sosfilt from a state": (
        lambda x, z: np.concatenate([np.ravel(y) for y in signal.sosfilt(SOS, x, zi=z)]),
        X,
        np.ones((2, 2)),
    ),
    "sosfiltfilt": (lambda x: signal.sosfiltfilt(SOS, x, padlen=5), LONG),
    "filtfilt": (lambda b, a, x: signal.filtfilt(b, a, x, padlen=5), B, A, LONG),
    "savgol_filter": (lambda x: signal.savgol_filter(x, 5, 2), X),
    "savgol_filter, slope": (lambda x: signal.savgol_filter(x, 5, 2, deriv=1, delta=0.5), X),
    "savgol_filter, wrapped": (lambda x: signal.savgol_filter(x, 5, 2, mode="wrap"), X),
    "detrend": (signal.detrend, X),
    "detrend, constant": (lambda x: signal.detrend(x, type="constant", axis=0), IMAGE),
    "detrend, broken": (lambda x: signal.detrend(x, bp=[4]), X),
    "medfilt": (lambda x: signal.medfilt(x, 3), X),
    "medfilt2d": (lambda x: signal.medfilt2d(x, [1, 3]), IMAGE),
    "order_filter": (lambda x: signal.order_filter(x, np.ones(3), 2), X),
    "wiener": (lambda x: signal.wiener(x, 3), X),
    "upfirdn": (lambda h, x: signal.upfirdn(h, x, 3, 2), B, X),
    "upfirdn, extended": (lambda h, x: signal.upfirdn(h, x, 2, 1, mode="edge"), B, X),
    "resample_poly": (lambda x: signal.resample_poly(x, 3, 2), X),
    "decimate": (lambda x: signal.decimate(x, 2, ftype="fir"), X),
    "chirp": (lambda t, f: signal.chirp(t, f, 2.0, 5.0), X, np.array(1.5)),
    "gausspulse": (lambda t: signal.gausspulse(t, 2.0), X),
    "sweep_poly": (lambda t: signal.sweep_poly(t, [1.0, 2.0]), X),
    "windows.gaussian": (lambda s: signal.windows.gaussian(5, s), np.array(1.5)),
    "windows.general_gaussian": (
        lambda p, s: signal.windows.general_gaussian(6, p, s),
        np.array(1.5),
        np.array(2.0),
    ),
    "windows.kaiser": (lambda s: signal.windows.kaiser(5, s), np.array(1.5)),
    "windows.exponential": (lambda t: signal.windows.exponential(5, tau=t), np.array(2.5)),
    "windows.general_cosine": (
        lambda a: signal.windows.general_cosine(5, a),
        np.array([0.5, 0.3, 0.2]),
    ),
    "windows.general_hamming": (lambda a: signal.windows.general_hamming(5, a), np.array(0.5)),
    "find_peaks": (lambda x: x[signal.find_peaks(x)[0]], X),
    "argrelmax": (lambda x: x[signal.argrelmax(x)[0]], X),
}

UNDECIDED: dict[str, str] = {}
"""Calls without a certificate, and why."""
