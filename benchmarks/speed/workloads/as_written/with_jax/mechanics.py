"""Robots, cameras and particles, as users of JAX write them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

DH = jnp.array(
    [
        (0.0, 0.34, np.pi / 2),
        (0.0, 0.0, -np.pi / 2),
        (0.0, 0.4, -np.pi / 2),
        (0.0, 0.0, np.pi / 2),
        (0.0, 0.4, np.pi / 2),
        (0.05, 0.126, 0.0),
    ]
)


def dh_transform(theta, a, d, alpha):
    ct, st = jnp.cos(theta), jnp.sin(theta)
    ca, sa = jnp.cos(alpha), jnp.sin(alpha)
    return jnp.array(
        [
            [ct, -st * ca, st * sa, a * ct],
            [st, ct * ca, -ct * sa, a * st],
            [0.0, sa, ca, d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def fk(q):
    T = jnp.eye(4)
    for i in range(6):
        T = T @ dh_transform(q[i], *DH[i])
    return T


def arm_ik(q_goal):
    goal = fk(q_goal)

    def cost(q):
        T = fk(q)
        pos = T[:3, 3] - goal[:3, 3]
        rot = 0.5 * (jnp.trace(goal[:3, :3].T @ T[:3, :3]) - 1)
        return pos @ pos + 0.1 * (1 - rot) ** 2 + 1e-3 * jnp.sum(q**2)

    return cost


def cp_dyn(state, u, mc=1.0, mp=0.1, l=0.5, g=9.81):
    x, th, xd, thd = state
    s, c = jnp.sin(th), jnp.cos(th)
    total = mc + mp
    temp = (u + mp * l * thd**2 * s) / total
    thdd = (g * s - c * temp) / (l * (4 / 3 - mp * c**2 / total))
    return jnp.array([xd, thd, temp - mp * l * thdd * c / total, thdd])


def cartpole_mpc(us, s0):
    Q = jnp.diag(jnp.array([1.0, 10.0, 0.1, 0.1]))
    dt = 0.02

    def step(s, u):
        cost = s @ Q @ s + 0.01 * u**2
        k1 = cp_dyn(s, u)
        k2 = cp_dyn(s + 0.5 * dt * k1, u)
        k3 = cp_dyn(s + 0.5 * dt * k2, u)
        k4 = cp_dyn(s + dt * k3, u)
        return s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4), cost

    s, costs = lax.scan(step, s0, us)
    return costs.sum() + 10 * s @ Q @ s


def chamfer(a, b):
    d = jnp.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1)
    return jnp.mean(jnp.min(d, axis=1)) + jnp.mean(jnp.min(d, axis=0))


def skew(v):
    return jnp.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def se3_huber(x, src, dst):
    w = x[:3]
    th = jnp.linalg.norm(w)
    K = skew(w / th)
    R = jnp.eye(3) + jnp.sin(th) * K + (1 - jnp.cos(th)) * K @ K
    d = jnp.linalg.norm(src @ R.T + x[3:] - dst, axis=1)
    return jnp.where(d <= 0.5, 0.5 * d**2, 0.5 * (d - 0.25)).mean()


def acc(x, m, eps=0.05):
    d = x[None] - x[:, None]
    inv3 = (jnp.sum(d**2, -1) + eps**2) ** -1.5
    return jnp.einsum("ijk,ij,j->ik", d, inv3, m)


def nbody(x, v, m):
    dt = 0.01

    def step(c, _):
        x, v, a = c
        v = v + 0.5 * dt * a
        x = x + dt * v
        a = acc(x, m)
        return (x, v + 0.5 * dt * a, a), None

    (x, v, a), _ = lax.scan(step, (x, v, acc(x, m)), None, length=40)
    com = jnp.average(x, axis=0, weights=m)
    return jnp.sum((x - com) ** 2) + 0.5 * jnp.sum(m * jnp.sum(v**2, axis=1))


def project(points, cams):
    rot = cams[:, :3]
    th = jnp.linalg.norm(rot, axis=1)[:, None]
    v = rot / th
    dot = jnp.sum(points * v, axis=1)[:, None]
    c, s = jnp.cos(th), jnp.sin(th)
    p = c * points + s * jnp.cross(v, points) + dot * (1 - c) * v + cams[:, 3:6]
    p = -p[:, :2] / p[:, 2:3]
    n = jnp.sum(p**2, axis=1)
    return p * ((1 + cams[:, 7] * n + cams[:, 8] * n**2) * cams[:, 6])[:, None]


def bundle(p, ci, pi, obs):
    return jnp.sum(jnp.log1p(jnp.sum((project(p["pts"][pi], p["cam"][ci]) - obs) ** 2, axis=1)))


def lennard_jones(x, box):
    i, j = np.triu_indices(x.shape[0], k=1)
    d = x[i] - x[j]
    d = d - box * jnp.round(d / box)
    r2 = jnp.sum(d * d, axis=1)
    s6 = 1 / r2**3
    return jnp.sum(jnp.where(r2 < 2.5**2, 4 * (s6**2 - s6), 0.0))
