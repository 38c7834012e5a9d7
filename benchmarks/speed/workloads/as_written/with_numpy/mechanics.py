"""Robots, cameras and particles, as users of NumPy write them."""

from __future__ import annotations

import numpy as np

DH = [
    (0.0, 0.34, np.pi / 2),
    (0.0, 0.0, -np.pi / 2),
    (0.0, 0.4, -np.pi / 2),
    (0.0, 0.0, np.pi / 2),
    (0.0, 0.4, np.pi / 2),
    (0.05, 0.126, 0.0),
]


def dh_transform(theta, a, d, alpha):
    ct, st = np.cos(theta), np.sin(theta)
    ca, sa = np.cos(alpha), np.sin(alpha)
    return np.array(
        [
            [ct, -st * ca, st * sa, a * ct],
            [st, ct * ca, -ct * sa, a * st],
            [0.0, sa, ca, d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def forward_kinematics(q):
    T = np.eye(4)
    for theta, (a, d, alpha) in zip(q, DH):
        T = T @ dh_transform(theta, a, d, alpha)
    return T


def arm_ik(q_goal):
    goal = forward_kinematics(q_goal)

    def cost(q):
        T = forward_kinematics(q)
        pos = T[:3, 3] - goal[:3, 3]
        rot = 0.5 * (np.trace(goal[:3, :3].T @ T[:3, :3]) - 1)
        return pos @ pos + 0.1 * (1 - rot) ** 2 + 1e-3 * np.sum(q**2)

    return cost


class CartPole:
    def __init__(self, m_cart=1.0, m_pole=0.1, length=0.5, g=9.81, dt=0.02):
        self.m_cart, self.m_pole, self.length, self.g, self.dt = m_cart, m_pole, length, g, dt

    def dynamics(self, state, u):
        x, th, xd, thd = state
        s, c = np.sin(th), np.cos(th)
        total = self.m_cart + self.m_pole
        temp = (u + self.m_pole * self.length * thd**2 * s) / total
        thdd = (self.g * s - c * temp) / (self.length * (4 / 3 - self.m_pole * c**2 / total))
        xdd = temp - self.m_pole * self.length * thdd * c / total
        return np.array([xd, thd, xdd, thdd])

    def step(self, s, u):
        k1 = self.dynamics(s, u)
        k2 = self.dynamics(s + 0.5 * self.dt * k1, u)
        k3 = self.dynamics(s + 0.5 * self.dt * k2, u)
        k4 = self.dynamics(s + self.dt * k3, u)
        return s + self.dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def cartpole_mpc(us, s0):
    model = CartPole()
    Q = np.diag([1.0, 10.0, 0.1, 0.1])
    s, cost = s0, 0.0
    for u in us:
        cost += s @ Q @ s + 0.01 * u**2
        s = model.step(s, u)
    return cost + 10 * s @ Q @ s


def chamfer(a, b):
    d = np.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1)
    return np.mean(np.min(d, axis=1)) + np.mean(np.min(d, axis=0))


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rodrigues(w):
    theta = np.linalg.norm(w)
    if theta < 1e-8:
        return np.eye(3) + skew(w)
    K = skew(w / theta)
    return np.eye(3) + np.sin(theta) * K + (1 - np.cos(theta)) * K @ K


def se3_huber(x, src, dst, delta=0.5):
    r = src @ rodrigues(x[:3]).T + x[3:] - dst
    d = np.linalg.norm(r, axis=1)
    return np.where(d <= delta, 0.5 * d**2, delta * (d - 0.5 * delta)).mean()


def acceleration(x, m, eps=0.05):
    d = x[None, :, :] - x[:, None, :]
    inv3 = (np.sum(d**2, axis=-1) + eps**2) ** -1.5
    return np.einsum("ijk,ij,j->ik", d, inv3, m)


def nbody(x, v, m, dt=0.01, steps=40):
    a = acceleration(x, m)
    for _ in range(steps):
        v = v + 0.5 * dt * a
        x = x + dt * v
        a = acceleration(x, m)
        v = v + 0.5 * dt * a
    com = np.average(x, axis=0, weights=m)
    return np.sum((x - com) ** 2) + 0.5 * np.sum(m * np.sum(v**2, axis=1))


def rotate(points, rot):
    theta = np.linalg.norm(rot, axis=1)[:, np.newaxis]
    with np.errstate(invalid="ignore"):
        v = rot / theta
        v = np.nan_to_num(v)
    dot = np.sum(points * v, axis=1)[:, np.newaxis]
    c, s = np.cos(theta), np.sin(theta)
    return c * points + s * np.cross(v, points) + dot * (1 - c) * v


def project(points, cams):
    p = rotate(points, cams[:, :3]) + cams[:, 3:6]
    p = -p[:, :2] / p[:, 2, np.newaxis]
    n = np.sum(p**2, axis=1)
    r = 1 + cams[:, 7] * n + cams[:, 8] * n**2
    return p * (r * cams[:, 6])[:, np.newaxis]


def bundle(p, ci, pi, obs):
    r = project(p["pts"][pi], p["cam"][ci]) - obs
    return np.sum(np.log1p(np.sum(r**2, axis=1)))


def lennard_jones(x, box, rc=2.5):
    i, j = np.triu_indices(len(x), k=1)
    d = x[i] - x[j]
    d = d - box * np.round(d / box)
    r2 = np.sum(d * d, axis=1)
    r2 = r2[r2 < rc**2]
    s6 = 1 / r2**3
    return np.sum(4 * (s6**2 - s6))
