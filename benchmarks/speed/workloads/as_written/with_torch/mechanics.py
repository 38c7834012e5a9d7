"""Robots, cameras and particles, as users of PyTorch write them."""

from __future__ import annotations

import math

import torch

pi = math.pi


DH = [
    (0.0, 0.34, pi / 2),
    (0.0, 0.0, -pi / 2),
    (0.0, 0.4, -pi / 2),
    (0.0, 0.0, pi / 2),
    (0.0, 0.4, pi / 2),
    (0.05, 0.126, 0.0),
]


def dh_transform(th, a, d, alpha):
    ct, st = torch.cos(th), torch.sin(th)
    ca, sa = math.cos(alpha), math.sin(alpha)
    z, o = torch.zeros(()), torch.ones(())
    return torch.stack(
        [
            ct,
            -st * ca,
            st * sa,
            a * ct,
            st,
            ct * ca,
            -ct * sa,
            a * st,
            z,
            o * sa,
            o * ca,
            o * d,
            z,
            z,
            z,
            o,
        ]
    ).reshape(4, 4)


def fk(q):
    T = torch.eye(4)
    for th, (a, d, al) in zip(q, DH):
        T = T @ dh_transform(th, a, d, al)
    return T


def arm_ik(q_goal):
    goal = fk(q_goal)

    def cost(q):
        T = fk(q)
        pos = T[:3, 3] - goal[:3, 3]
        rot = 0.5 * (torch.trace(goal[:3, :3].T @ T[:3, :3]) - 1)
        return pos @ pos + 0.1 * (1 - rot) ** 2 + 1e-3 * torch.sum(q**2)

    return cost


def cp_dyn(state, u, mc=1.0, mp=0.1, l=0.5, g=9.81):
    x, th, xd, thd = state
    s, c = torch.sin(th), torch.cos(th)
    total = mc + mp
    temp = (u + mp * l * thd**2 * s) / total
    thdd = (g * s - c * temp) / (l * (4 / 3 - mp * c**2 / total))
    return torch.stack([xd, thd, temp - mp * l * thdd * c / total, thdd])


def cartpole_mpc(us, s0):
    Q = torch.diag(torch.tensor([1.0, 10.0, 0.1, 0.1]))
    dt = 0.02
    s = s0
    cost = 0.0
    for u in us:
        cost = cost + s @ Q @ s + 0.01 * u**2
        k1 = cp_dyn(s, u)
        k2 = cp_dyn(s + 0.5 * dt * k1, u)
        k3 = cp_dyn(s + 0.5 * dt * k2, u)
        k4 = cp_dyn(s + dt * k3, u)
        s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return cost + 10 * s @ Q @ s


def chamfer(a, b):
    d = torch.sum((a[:, None] - b[None]) ** 2, dim=-1)
    return d.min(1).values.mean() + d.min(0).values.mean()


def se3_huber(x, src, dst):
    w = x[:3]
    th = torch.linalg.norm(w)
    v = w / th
    z = torch.zeros(())
    K = torch.stack([z, -v[2], v[1], v[2], z, -v[0], -v[1], v[0], z]).reshape(3, 3)
    R = torch.eye(3) + torch.sin(th) * K + (1 - torch.cos(th)) * K @ K
    d = torch.linalg.norm(src @ R.T + x[3:] - dst, dim=1)
    return torch.where(d <= 0.5, 0.5 * d**2, 0.5 * (d - 0.25)).mean()


def acc(x, m):
    d = x[None] - x[:, None]
    inv3 = (torch.sum(d**2, -1) + 0.05**2) ** -1.5
    return torch.einsum("ijk,ij->ik", d, inv3 * m)


def nbody(x, v, m):
    dt = 0.01
    a = acc(x, m)
    for _ in range(40):
        v = v + 0.5 * dt * a
        x = x + dt * v
        a = acc(x, m)
        v = v + 0.5 * dt * a
    com = (x * m[:, None]).sum(0) / m.sum()
    return torch.sum((x - com) ** 2) + 0.5 * torch.sum(m * torch.sum(v**2, 1))


def bundle(p, ci, pi, obs):
    P, cams = p["pts"][pi], p["cam"][ci]
    rot = cams[:, :3]
    th = torch.linalg.norm(rot, dim=1)[:, None]
    v = rot / th
    dot = torch.sum(P * v, 1)[:, None]
    c, s = torch.cos(th), torch.sin(th)
    q = c * P + s * torch.linalg.cross(v, P) + dot * (1 - c) * v + cams[:, 3:6]
    q = -q[:, :2] / q[:, 2:3]
    n = torch.sum(q**2, 1)
    q = q * ((1 + cams[:, 7] * n + cams[:, 8] * n**2) * cams[:, 6])[:, None]
    return torch.sum(torch.log1p(torch.sum((q - obs) ** 2, 1)))


def lennard_jones(x, box):
    i, j = torch.triu_indices(len(x), len(x), 1)
    d = x[i] - x[j]
    d = d - box * torch.round(d.detach() / box)
    r2 = torch.sum(d * d, 1)
    r2 = r2[r2 < 2.5**2]
    s6 = 1 / r2**3
    return torch.sum(4 * (s6**2 - s6))
