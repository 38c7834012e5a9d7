"""Jacobians of robots, cameras and coordinates, written entry by entry as papers print them."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

GEOMETRY = Group("geometry")

A = np.array([[0.5, 1.0], [-1.0, 0.25]])


def planar_arm(q):
    a, b = q[0], q[0] + q[1]
    return np.array([0.8 * np.cos(a) + 0.6 * np.cos(b), 0.8 * np.sin(a) + 0.6 * np.sin(b)])


def planar_arm_jacobian(q):
    s1, c1 = np.sin(q[0]), np.cos(q[0])
    s12, c12 = np.sin(q[0] + q[1]), np.cos(q[0] + q[1])
    return np.array([[-0.8 * s1 - 0.6 * s12, -0.6 * s12], [0.8 * c1 + 0.6 * c12, 0.6 * c12]])


def three_links(q):
    angles = np.cumsum(q)
    lengths = np.array([1.0, 0.7, 0.4])
    return np.array([lengths @ np.cos(angles), lengths @ np.sin(angles)])


def three_links_jacobian(q):
    lengths, angles = np.array([1.0, 0.7, 0.4]), np.cumsum(q)
    j = np.zeros((2, 3))
    for k in range(3):
        j[0, k] = -np.sum(lengths[k:] * np.sin(angles[k:]))
        j[1, k] = np.sum(lengths[k:] * np.cos(angles[k:]))
    return j


def three_links_reversed(q):
    lengths, angles = np.array([1.0, 0.7, 0.4]), np.cumsum(q)
    x, y = lengths * np.cos(angles), lengths * np.sin(angles)
    return np.stack([-np.cumsum(y[::-1])[::-1], np.cumsum(x[::-1])[::-1]])


def spherical(p):
    r, t, f = p
    return np.array([r * np.sin(t) * np.cos(f), r * np.sin(t) * np.sin(f), r * np.cos(t)])


def spherical_jacobian(p):
    r, t, f = p
    st, ct, sf, cf = np.sin(t), np.cos(t), np.sin(f), np.cos(f)
    return np.array(
        [
            [st * cf, r * ct * cf, -r * st * sf],
            [st * sf, r * ct * sf, r * st * cf],
            [ct, -r * st, 0],
        ]
    )


def to_polar(p):
    return np.array([np.hypot(p[0], p[1]), np.arctan2(p[1], p[0])])


def to_polar_jacobian(p):
    r2 = p[0] ** 2 + p[1] ** 2
    r = np.sqrt(r2)
    return np.array([[p[0] / r, p[1] / r], [-p[1] / r2, p[0] / r2]])


def unicycle(s):
    return np.stack([s[0] + 0.1 * s[3] * np.cos(s[2]), s[1] + 0.1 * s[3] * np.sin(s[2]), s[2]])


def unicycle_jacobian(s):
    j = np.eye(3, 4)
    j[0, 2] = -0.1 * s[3] * np.sin(s[2])
    j[1, 2] = 0.1 * s[3] * np.cos(s[2])
    j[0, 3] = 0.1 * np.cos(s[2])
    j[1, 3] = 0.1 * np.sin(s[2])
    return j


def range_bearing(s):
    dx, dy = 2.0 - s[0], 1.0 - s[1]
    return np.array([np.sqrt(dx**2 + dy**2), np.arctan2(dy, dx) - s[2]])


def range_bearing_jacobian(s):
    dx, dy = 2.0 - s[0], 1.0 - s[1]
    q = dx**2 + dy**2
    r = np.sqrt(q)
    return np.array([[-dx / r, -dy / r, 0.0], [dy / q, -dx / q, -1.0]])


def pinhole(p):
    return np.array([500 * p[0] / p[2] + 320, 500 * p[1] / p[2] + 240])


def pinhole_jacobian(p):
    x, y, z = p
    return np.array([[500 / z, 0, -500 * x / z**2], [0, 500 / z, -500 * y / z**2]])


def distorted(p):
    r2 = p @ p
    return p * (1 + 0.1 * r2 - 0.05 * r2**2)


def distorted_jacobian(p):
    r2 = p @ p
    return (1 + 0.1 * r2 - 0.05 * r2**2) * np.eye(2) + 2 * (0.1 - 0.1 * r2) * np.outer(p, p)


def rotation(t):
    return np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])


def rotation_slope(t):
    return rotation(t + np.pi / 2)


def rotation_slope_by_generator(t):
    return np.array([[0.0, -1.0], [1.0, 0.0]]) @ rotation(t)


def quaternion_rotates(q):
    w, x, y, z = q
    return np.array([w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)])


def quaternion_jacobian(q):
    w, x, y, z = q
    return 2 * np.array([[w, x, -y, -z], [z, y, x, w], [-y, z, -w, x]])


def normalised(v):
    return v / np.linalg.norm(v)


def normalised_jacobian(v):
    n = np.linalg.norm(v)
    u = v / n
    return (np.eye(len(v)) - np.outer(u, u)) / n


def euler(e):
    r, p, y = e
    cr, sr, cp, sp, cy, sy = (f(a) for a in (r, p, y) for f in (np.cos, np.sin))
    return np.array([cy * cp, sy * cp, -sp, cp * sr, cp * cr])


def euler_jacobian(e):
    r, p, y = e
    cr, sr, cp, sp, cy, sy = (f(a) for a in (r, p, y) for f in (np.cos, np.sin))
    return np.array(
        [
            [0, -cy * sp, -sy * cp],
            [0, -sy * sp, cy * cp],
            [0, -cp, 0],
            [cp * cr, -sp * sr, 0],
            [-cp * sr, -sp * cr, 0],
        ]
    )


def pendulum(s):
    return np.array([s[1], -9.81 * math.sin(s[0]) - 0.1 * s[1]])


def pendulum_numpy(s):
    return np.array([s[1], -9.81 * np.sin(s[0]) - 0.1 * s[1]])


def pendulum_jacobian(s):
    return np.array([[0.0, 1.0], [-9.81 * np.cos(s[0]), -0.1]])


def cross(v):
    return np.cross(np.array([0.3, -0.5, 0.8]), v)


def skew(v):
    a, b, c = 0.3, -0.5, 0.8
    return np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])


def volume(p):
    a, b, c = p
    return np.dot(a, np.cross(b, c)) / 6


def volume_gradient(p):
    a, b, c = p
    return np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)]) / 6


def triangle(p):
    (ax, ay), (bx, by), (cx, cy) = p
    return 0.5 * ((bx - ax) * (cy - ay) - (cx - ax) * (by - ay))


def triangle_gradient(p):
    (ax, ay), (bx, by), (cx, cy) = p
    return 0.5 * np.array([[by - cy, cx - bx], [cy - ay, ax - cx], [ay - by, bx - ax]])


def shoelace(p):
    return 0.5 * np.sum(p[:, 0] * np.roll(p[:, 1], -1) - p[:, 1] * np.roll(p[:, 0], -1))


def shoelace_gradient(p):
    after, before = np.roll(p, -1, axis=0), np.roll(p, 1, axis=0)
    d = 0.5 * (after - before)
    return np.column_stack([d[:, 1], -d[:, 0]])


def perimeter(p):
    d = np.roll(p, -1, axis=0) - p
    return np.sum(np.sqrt(np.sum(d**2, axis=1)))


def perimeter_gradient(p):
    d = np.roll(p, -1, axis=0) - p
    u = d / np.sqrt(np.sum(d**2, axis=1))[:, None]
    return np.roll(u, 1, axis=0) - u


def bezier(t):
    return (1 - t) ** 3 + 3 * 0.4 * t * (1 - t) ** 2 - 3 * 0.2 * t**2 * (1 - t) + t**3


def bezier_slope(t):
    u = 1 - t
    return 3 * u**2 * (0.4 - 1) + 6 * u * t * (-0.2 - 0.4) + 3 * t**2 * (1 - -0.2)


def homography(p):
    w = 0.1 * p[0] - 0.2 * p[1] + 3
    return np.array([(p[0] + 0.5 * p[1]) / w, (p[1] - 0.3) / w])


def homography_jacobian(p):
    w = 0.1 * p[0] - 0.2 * p[1] + 3
    u, v = (p[0] + 0.5 * p[1]) / w, (p[1] - 0.3) / w
    return np.array([[1 - 0.1 * u, 0.5 + 0.2 * u], [-0.1 * v, 1 + 0.2 * v]]) / w


def dihedral(p):
    b1, b2, b3 = p[1] - p[0], p[2] - p[1], p[3] - p[2]
    n1, n2 = np.cross(b1, b2), np.cross(b2, b3)
    return np.arctan2(np.sqrt(b2 @ b2) * (b1 @ n2), n1 @ n2)


def dihedral_gradient(p):
    b1, b2, b3 = p[1] - p[0], p[2] - p[1], p[3] - p[2]
    n1, n2, length = np.cross(b1, b2), np.cross(b2, b3), np.linalg.norm(b2)
    first = -length / (n1 @ n1) * n1
    last = length / (n2 @ n2) * n2
    s = (b1 @ b2) / length**2
    t = (b3 @ b2) / length**2
    return np.stack([first, -(1 + s) * first + t * last, s * first - (1 + t) * last, last])


def angle(p):
    u, v = p[0] - p[1], p[2] - p[1]
    return np.arccos((u @ v) / np.sqrt((u @ u) * (v @ v)))


def angle_gradient(p):
    u, v = p[0] - p[1], p[2] - p[1]
    a, b = np.linalg.norm(u), np.linalg.norm(v)
    c = u @ v / (a * b)
    s = np.sqrt(1 - c**2)
    du = (c * u / a - v / b) / (a * s)
    dv = (c * v / b - u / a) / (b * s)
    return np.stack([du, -du - dv, dv])


TWO = box(-2, 2, shape=(2,))
FAR = box([0.5, -1.0], [3.0, 1.0])
DEPTH = box([-1.0, -1.0, 1.0], [1.0, 1.0, 5.0])
APART = np.array([[0.1, -0.2, 0.0], [1.0, 0.3, 0.2], [1.4, 1.3, -0.1], [2.3, 1.6, 0.8]])
CHAIN = box(APART - 0.2, APART + 0.2)
BEND = box(APART[:3] - 0.2, APART[:3] + 0.2)
TABLE = {
    "two links": (planar_arm, planar_arm_jacobian, TWO),
    "three links, loop": (three_links, three_links_jacobian, box(-3, 3, shape=(3,))),
    "three links, reversed sums": (three_links, three_links_reversed, box(-3, 3, shape=(3,))),
    "spherical": (spherical, spherical_jacobian, box([0.1, 0.0, -3.0], [3.0, 3.0, 3.0])),
    "polar": (to_polar, to_polar_jacobian, FAR),
    "unicycle": (unicycle, unicycle_jacobian, box(-2, 2, shape=(4,))),
    "range and bearing": (range_bearing, range_bearing_jacobian, box(-3, 0.5, shape=(3,))),
    "pinhole": (pinhole, pinhole_jacobian, DEPTH),
    "radial distortion": (distorted, distorted_jacobian, box(-1, 1, shape=(2,))),
    "rotation by a quarter turn": (rotation, rotation_slope, box(-3, 3)),
    "rotation by its generator": (rotation, rotation_slope_by_generator, box(-3, 3)),
    "quaternion": (quaternion_rotates, quaternion_jacobian, box(-1, 1, shape=(4,))),
    "unit vector": (normalised, normalised_jacobian, box(0.2, 3, shape=(3,))),
    "Euler angles": (euler, euler_jacobian, box(-1.5, 1.5, shape=(3,))),
    "pendulum, math": (pendulum, pendulum_jacobian, TWO),
    "pendulum, NumPy": (pendulum_numpy, pendulum_jacobian, TWO),
    "cross product": (cross, skew, box(-2, 2, shape=(3,))),
    "homography": (homography, homography_jacobian, box(-2, 2, shape=(2,))),
}
for _name, (_f, _g, _over) in TABLE.items():
    GEOMETRY.add(_name, _f, _g, _over, quantity="jacobian")

GRADIENTS = {
    "volume of a tetrahedron": (volume, volume_gradient, box(-2, 2, shape=(3, 3))),
    "area of a triangle": (triangle, triangle_gradient, box(-2, 2, shape=(3, 2))),
    "area of a polygon": (shoelace, shoelace_gradient, box(-2, 2, shape=(5, 2))),
    "perimeter": (
        perimeter,
        perimeter_gradient,
        box(
            np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]) - 0.5,
            np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]) + 0.5,
        ),
    ),
    "Bezier curve": (bezier, bezier_slope, box(0, 1)),
    "dihedral": (dihedral, dihedral_gradient, CHAIN),
    "angle": (angle, angle_gradient, BEND),
}
for _name, (_f, _g, _over) in GRADIENTS.items():
    GEOMETRY.add(_name, _f, _g, _over)
