"""Arms with links at right angles, whose cosine is 6e-17 in floats: what vanishes but for that."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify import Verdict

RIGHT = np.pi / 2


class Arm:
    """Joints in a row, each with its length, its turn to the next and its offset."""

    def __init__(self, links):
        self.links = links

    def frames(self, q):
        found = [np.eye(4)]
        for angle, (length, turn, offset) in zip(q, self.links, strict=True):
            c, s, a, b = np.cos(angle), np.sin(angle), np.cos(turn), np.sin(turn)
            link = [[c, -s * a, s * b, length * c], [s, c * a, -c * b, length * s]]
            found.append(found[-1] @ np.array([*link, [0, b, a, offset], [0, 0, 0, 1]]))
        return found

    def position(self, q):
        return self.frames(q)[-1][:3, 3]

    def jacobian(self, q, factor=1.0):
        *frames, last = self.frames(q)
        columns = [np.cross(frame[:3, 2], last[:3, 3] - frame[:3, 3]) for frame in frames]
        return np.stack([factor * columns[0], *columns[1:]], axis=1)


ARMS = {
    "of four joints": Arm(
        [(0.3, RIGHT, 0.1), (0.5, 0.0, 0.0), (0.2, -RIGHT, 0.05), (0.1, 0.0, 0.4)]
    ),
    "with a wrist": Arm(
        [(0.0, RIGHT, 0.6), (0.4, 0.0, 0.0), (0.02, -RIGHT, 0.15), (0.0, RIGHT, 0.4)]
    ),
    "of crossed axes": Arm(
        [(0.2, -RIGHT, 0.3), (0.0, RIGHT, 0.1), (0.4, RIGHT, 0.2), (0.1, 0.0, 0.0)]
    ),
}

POSES = [
    np.array(q) for q in ((1.0, 0, 2, 0), (0, 0, 1, 0), (0, RIGHT, 0, 0), (0.1, 0.2, 0.3, 0.4))
]


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_columns_by_cross_products_are_right_in_all_poses(arm):
    found = verify.jacobian(arm.position, arm.jacobian, at=POSES)
    assert [point.verdict for point in found.points] == [Verdict.CORRECT] * len(POSES), str(found)


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_a_column_that_is_too_large_is_wrong_in_all_poses(arm):
    found = verify.jacobian(arm.position, lambda q: arm.jacobian(q, 1.001), at=POSES)
    assert all(point.verdict is Verdict.WRONG for point in found.points), str(found)
