"""A stopwatch counts what the process computes, and a tenth of what it waits."""

import pytest

from verify.limits import limit


@pytest.mark.parametrize(("computed", "passed", "seconds"), [(3, 5, 3), (0, 50, 5), (4, 4, 4)])
def test_seconds(monkeypatch, computed, passed, seconds):
    now = {"process_time": 7.0, "monotonic": 100.0}
    for name in now:
        monkeypatch.setattr(limit.time, name, lambda name=name: now[name])
    watch = limit.Stopwatch()
    now["process_time"] += computed
    now["monotonic"] += passed
    assert watch.seconds == pytest.approx(seconds)
