"""Programs of vision and signal groups: registration, filters, bundle adjustment, transforms."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

VISION = Group("vision programs")
program = VISION.program

IMAGE = np.round(np.cos(np.arange(20.0)).reshape(4, 5), 1)
POINTS = np.array([[0.3, 0.1, 2.0], [-0.4, 0.6, 3.0], [0.2, -0.5, 2.5], [0.9, 0.3, 4.0]])
PIXELS = np.array([[0.2, 0.1], [-0.1, 0.2], [0.1, -0.3], [0.3, 0.1]])
FIELD = box(-1, 1, shape=(4, 5))
EIGHT = box(-1, 1, shape=(8,))


def denoise_image(u):
    dx, dy = np.diff(u, axis=1), np.diff(u, axis=0)
    smooth = np.sum(np.sqrt(dx**2 + 0.01)) + np.sum(np.sqrt(dy**2 + 0.01))
    return 0.5 * np.sum((u - IMAGE) ** 2) + 0.3 * smooth


@program(
    denoise_image,
    FIELD,
    ("g[:, :-1] -= px", "g[:, :-1] += px"),
    ("g[1:] += py", "g[1:-1] += py[:-1]"),
)
def denoise_image_gradient(u):
    dx, dy = np.diff(u, axis=1), np.diff(u, axis=0)
    px, py = 0.3 * dx / np.sqrt(dx**2 + 0.01), 0.3 * dy / np.sqrt(dy**2 + 0.01)
    g = u - IMAGE
    g[:, 1:] += px
    g[:, :-1] -= px
    g[1:] += py
    g[:-1] -= py
    return g


def perona_malik(u):
    return np.sum(0.25 * np.log1p(np.diff(u, axis=1) ** 2 / 0.25)) + 0.5 * np.sum((u - IMAGE) ** 2)


@program(perona_malik, FIELD, ("0.5 * d", "d"), ("0.25 + d**2", "0.2500001 + d**2"))
def perona_malik_gradient(u):
    d = np.diff(u, axis=1)
    f = 0.5 * d / (0.25 + d**2)
    return u - IMAGE + np.pad(f, ((0, 0), (1, 0))) - np.pad(f, ((0, 0), (0, 1)))


def deblur(u):
    k = np.array([0.1, 0.3, 0.6])
    y = np.convolve(u, k, mode="valid") - 0.2
    return 0.5 * np.sum(y**2)


@program(deblur, EIGHT, ("k[::-1]", "k"), ("- 0.2", "- 0.2000002"))
def deblur_gradient(u):
    k = np.array([0.1, 0.3, 0.6])
    r = np.convolve(u, k, mode="valid") - 0.2
    return np.convolve(r, k[::-1])


def camera_pose(p):
    c, s = np.cos(p[0]), np.sin(p[0])
    x = c * POINTS[:, 0] + s * POINTS[:, 2] + p[1]
    z = -s * POINTS[:, 0] + c * POINTS[:, 2] + p[2]
    r = np.stack([x / z, (POINTS[:, 1]) / z], axis=1) - PIXELS
    return 0.5 * np.sum(r**2)


@program(
    camera_pose,
    box(-0.5, 0.5, shape=(3,)),
    ("dz = -c * X - s * Z", "dz = c * X - s * Z"),
    ("/ z**2", "/ z**2.0000001"),
)
def camera_pose_gradient(p):
    X, Y, Z = POINTS.T
    c, s = np.cos(p[0]), np.sin(p[0])
    x, z = c * X + s * Z + p[1], -s * X + c * Z + p[2]
    rx, ry = x / z - PIXELS[:, 0], Y / z - PIXELS[:, 1]
    dx, dz = -s * X + c * Z, 0.0
    dz = -c * X - s * Z
    by_z = -(rx * x + ry * Y) / z**2
    return np.array([np.sum(rx / z * dx + by_z * dz), np.sum(rx / z), np.sum(by_z)])


def bundle_adjustment(p):
    f, points = p[0], p[1:].reshape(2, 3)
    total = 0.0
    for x, y, z in points:
        total = total + (f * x / z - 0.3) ** 2 + (f * y / z - 0.1) ** 2
    return total


@program(
    bundle_adjustment,
    box([0.5, -1, -1, 1.5, -1, -1, 1.5], [2, 1, 1, 3, 1, 1, 3]),
    ("[u, v, -(u", "[u, v, (u"),
    ("y / z - 0.1", "y / z - 0.1000001"),
)
def bundle_adjustment_gradient(p):
    f, points = p[0], p[1:].reshape(2, 3)
    g = np.zeros(7)
    for k, (x, y, z) in enumerate(points):
        u, v = 2 * (f * x / z - 0.3) * f / z, 2 * (f * y / z - 0.1) * f / z
        g[1 + 3 * k : 4 + 3 * k] = [u, v, -(u * x + v * y) / z]
        g[0] += (u * x + v * y) / f
    return g


def rigid_registration(p):
    c, s = np.cos(p[2]), np.sin(p[2])
    moved = PIXELS @ np.array([[c, s], [-s, c]]) + p[:2]
    return np.sum((moved - PIXELS[::-1]) ** 2)


@program(
    rigid_registration,
    box(-2, 2, shape=(3,)),
    ("[-c, -s]", "[c, -s]"),
    ("2 * r.sum(axis=0)", "2.000002 * r.sum(axis=0)"),
)
def rigid_registration_gradient(p):
    c, s = np.cos(p[2]), np.sin(p[2])
    r = PIXELS @ np.array([[c, s], [-s, c]]) + p[:2] - PIXELS[::-1]
    turn = 2 * np.sum(r * (PIXELS @ np.array([[-s, c], [-c, -s]])))
    return np.append(2 * r.sum(axis=0), turn)


def soft_histogram(x):
    centres = np.linspace(-1, 1, 5)
    w = np.exp(-0.5 * ((x[:, None] - centres) / 0.4) ** 2)
    h = w.sum(axis=0)
    return np.sum(h**2)


@program(soft_histogram, EIGHT, ("-2 * w", "2 * w"), ("/ 0.16", "/ 0.16000001"))
def soft_histogram_gradient(x):
    d = x[:, None] - np.linspace(-1, 1, 5)
    w = np.exp(-d * d / 0.32)
    return (-2 * w * d / 0.16) @ w.sum(axis=0)


def normalised_correlation(u):
    t = IMAGE[0, 0:4] - IMAGE[0, 0:4].mean()
    c = u - u.mean()
    return c @ t / (np.sqrt(c @ c + 0.01) * np.sqrt(t @ t))


@program(
    normalised_correlation, box(-1, 1, shape=(4,)), ("(c @ t) * c", "c"), ("+ 0.01", "+ 0.01000001")
)
def normalised_correlation_gradient(u):
    t = IMAGE[0, 0:4] - IMAGE[0, 0:4].mean()
    t = t / np.sqrt(t @ t)
    c = u - u.mean()
    n = np.sqrt(c @ c + 0.01)
    g = t / n - (c @ t) * c / n**3
    return g - g.mean()


def spectral_flatness(x):
    power = np.abs(np.fft.rfft(x)) ** 2 + 0.1
    return np.mean(np.log(power)) - np.log(np.mean(power))


@program(spectral_flatness, EIGHT, ("w[1:-1] *= 0.5", "w[1:] *= 0.5"), ("+ 0.1", "+ 0.1000001"))
def spectral_flatness_gradient(x):
    f = np.fft.rfft(x)
    power = np.abs(f) ** 2 + 0.1
    w = (1 / power - 1 / np.mean(power)) / 5 * 2
    w[1:-1] *= 0.5
    return 8 * np.fft.irfft(w * f, 8)


def autocorrelation(x):
    return np.sum(np.correlate(x, x, mode="full")[7:10] * np.array([0.1, 0.6, 0.3]))


@program(
    autocorrelation,
    EIGHT,
    ("w in ((1, 0.6), (2, 0.3))", "w in ((1, 0.3), (2, 0.6))"),
    ("0.2 * x", "0.2000002 * x"),
)
def autocorrelation_gradient(x):
    g = 0.2 * x
    for lag, w in ((1, 0.6), (2, 0.3)):
        g[lag:] += w * x[:-lag]
        g[:-lag] += w * x[lag:]
    return g


def dct_compression(x):
    n = np.arange(8)
    basis = np.cos(np.pi / 8 * (n + 0.5) * n[:, None])
    c = basis @ x
    return np.sum(np.sqrt(c**2 + 0.04))


@program(dct_compression, EIGHT, ("basis.T", "basis"), ("+ 0.04", "+ 0.04000001"))
def dct_compression_gradient(x):
    n = np.arange(8)
    basis = np.cos(np.pi / 8 * (n + 0.5) * n[:, None])
    c = basis @ x
    return basis.T @ (c / np.sqrt(c**2 + 0.04))


def haar_shrinkage(x):
    detail = (x[0::2] - x[1::2]) / np.sqrt(2)
    coarse = (x[0::2] + x[1::2]) / np.sqrt(2)
    soft = np.sign(detail) * np.maximum(np.abs(detail) - 0.3, 0)
    return np.sum(soft**2) + np.sum(coarse**4)


@program(haar_shrinkage, EIGHT, ("g[1::2] = c - d", "g[1::2] = c + d"), ("> 0.3", "> 0.31"))
def haar_shrinkage_gradient(x):
    r = np.sqrt(2)
    detail, coarse = (x[0::2] - x[1::2]) / r, (x[0::2] + x[1::2]) / r
    d = np.where(np.abs(detail) > 0.3, 2 * (detail - 0.3 * np.sign(detail)), 0.0) / r
    c = 4 * coarse**3 / r
    g = np.empty(8)
    g[0::2] = c + d
    g[1::2] = c - d
    return g


def optical_flow(v):
    ix, iy, it = np.round(np.sin(np.arange(36.0)).reshape(3, 3, 4), 1)
    u, w = v[0], v[1]
    data = np.sqrt((ix * u + iy * w + it) ** 2 + 0.01)
    return (
        np.sum(data) + 0.1 * np.sum(np.diff(u, axis=0) ** 2) + 0.1 * np.sum(np.diff(w, axis=1) ** 2)
    )


@program(
    optical_flow,
    box(-1, 1, shape=(2, 3, 4)),
    ("gw[:, :-1] -=", "gw[:, :-1] +="),
    ("0.2 * np.diff(w", "0.2000002 * np.diff(w"),
)
def optical_flow_gradient(v):
    ix, iy, it = np.round(np.sin(np.arange(36.0)).reshape(3, 3, 4), 1)
    u, w = v
    e = ix * u + iy * w + it
    psi = e / np.sqrt(e * e + 0.01)
    gu, gw = psi * ix, psi * iy
    du, dw = 0.2 * np.diff(u, axis=0), 0.2 * np.diff(w, axis=1)
    gu[1:] += du
    gu[:-1] -= du
    gw[:, 1:] += dw
    gw[:, :-1] -= dw
    return np.stack([gu, gw])


def lambert_shading(n):
    light = np.array([0.3, 0.1, 0.6])
    unit = n / np.linalg.norm(n)
    return np.maximum(unit @ light, 0) ** 2


@program(
    lambert_shading,
    box([-1, -1, 0.2], [1, 1, 1]),
    ("- shade * unit", ""),
    ("max(shade, 0)", "(shade if shade > 0.01 else 0)"),
)
def lambert_shading_gradient(n):
    light = np.array([0.3, 0.1, 0.6])
    length = np.linalg.norm(n)
    unit = n / length
    shade = unit @ light
    return 2 * max(shade, 0) * (light - shade * unit) / length


def phong_highlight(angle):
    cosine = np.maximum(np.cos(angle - 0.3), 0)
    return 0.6 * np.maximum(np.cos(angle), 0) + 0.3 * cosine**20


@program(
    phong_highlight, box(-1.2, 1.2), ("- 6 *", "- 0.3 *"), ("cosine**19", "cosine**19 * 1.000001")
)
def phong_highlight_slope(angle):
    cosine = np.cos(angle - 0.3)
    return -0.6 * np.sin(angle) - 6 * np.sin(angle - 0.3) * cosine**19


def volume_rendering(sigma):
    colour = np.array([0.9, 0.3, 0.6, 0.1])
    alpha = 1 - np.exp(-0.5 * sigma)
    light = np.concatenate([[1.0], np.cumprod(1 - alpha)[:-1]])
    return (np.sum(light * alpha * colour) - 0.4) ** 2


@program(volume_rendering, box(0.0, 3, shape=(4,)), ("k + 1 :", "k:"), ("- 0.4)", "- 0.4000001)"))
def volume_rendering_gradient(sigma):
    colour = np.array([0.9, 0.3, 0.6, 0.1])
    alpha = 1 - np.exp(-0.5 * sigma)
    light = np.concatenate([[1.0], np.cumprod(1 - alpha)])
    weight = light[:-1] * alpha
    r = 2 * (weight @ colour - 0.4)
    return np.array(
        [
            r * 0.5 * (light[k + 1] * colour[k] - np.sum((weight * colour)[k + 1 :]))
            for k in range(4)
        ]
    )


def spherical_harmonics(d):
    x, y, z = d / np.sqrt(np.sum(d**2))
    return 0.3 + 0.6 * z + 0.1 * (3 * z**2 - 1) + 0.2 * x * y


@program(
    spherical_harmonics,
    box(0.2, 2, shape=(3,)),
    ("- u * (u @ g)", ""),
    ("0.6 * z]", "0.6000001 * z]"),
)
def spherical_harmonics_gradient(d):
    r = np.sqrt(np.sum(d**2))
    u = d / r
    x, y, z = u
    g = np.array([0.2 * y, 0.2 * x, 0.6 + 0.6 * z])
    return (g - u * (u @ g)) / r


def warp_line(p):
    x = np.arange(5) + p[0] + p[1] * np.arange(5)
    samples = np.interp(x, np.arange(8.0), np.array([0.1, 0.3, 0.6, 0.2, 0.9, 0.5, 0.4, 0.0]))
    return np.sum((samples - 0.3) ** 2)


@program(
    warp_line,
    box([0.05, 0.01], [0.45, 0.1]),
    ("np.sum(r * np.arange(5))", "np.sum(r)"),
    ("0.9, 0.5", "0.9000001, 0.5"),
)
def warp_line_gradient(p):
    table = np.array([0.1, 0.3, 0.6, 0.2, 0.9, 0.5, 0.4, 0.0])
    x = np.arange(5) * (1 + p[1]) + p[0]
    k = np.minimum(x.astype(int), 6)
    slope = table[k + 1] - table[k]
    r = 2 * (table[k] + (x - k) * slope - 0.3) * slope
    return np.array([np.sum(r), np.sum(r * np.arange(5))])


def hough_vote(p):
    distance = PIXELS @ np.array([np.cos(p[0]), np.sin(p[0])]) - p[1]
    return -np.sum(np.exp(-0.5 * (distance / 0.2) ** 2))


@program(
    hough_vote, box(-1, 1, shape=(2,)), ("-np.sin(p[0])", "np.sin(p[0])"), ("25 *", "25.00002 *")
)
def hough_vote_gradient(p):
    d = PIXELS @ np.array([np.cos(p[0]), np.sin(p[0])]) - p[1]
    w = 25 * d * np.exp(-12.5 * d**2)
    turn = PIXELS @ np.array([-np.sin(p[0]), np.cos(p[0])])
    return np.array([w @ turn, -w.sum()])


def active_contour(p):
    d = np.roll(p, -1, axis=0) - p
    bend = np.roll(p, -1, axis=0) - 2 * p + np.roll(p, 1, axis=0)
    return 0.3 * np.sum(d**2) + 0.1 * np.sum(bend**2) + np.sum(np.exp(-np.sum(p**2, axis=1)))


@program(
    active_contour, box(-2, 2, shape=(5, 2)), ("- 2 * bend", "- bend"), ("0.6 *", "0.6000006 *")
)
def active_contour_gradient(p):
    after, before = np.roll(p, -1, axis=0), np.roll(p, 1, axis=0)
    bend = after - 2 * p + before
    g = 0.6 * (2 * p - after - before)
    g += 0.2 * (np.roll(bend, 1, axis=0) - 2 * bend + np.roll(bend, -1, axis=0))
    return g - 2 * p * np.exp(-np.sum(p**2, axis=1))[:, None]
