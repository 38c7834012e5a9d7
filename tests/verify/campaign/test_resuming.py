"""A campaign that is stopped anyhow goes on, does each task once, and ends as if never stopped."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verify.campaign.works import Here, record_in, run, squares
from verify.campaign.executors import executor_of
from verify.campaign.store import BadStore, Store

ROOT = Path(__file__).parents[3]
ROUNDS = [*range(3), *(pytest.param(k, marks=pytest.mark.campaign) for k in range(3, 100))]


@settings(max_examples=12)
@given(
    count=st.integers(0, 12),
    stops=st.lists(st.integers(0, 12), max_size=2),
    failing=st.sets(st.integers(0, 11)),
)
def test_stopped_anywhere_it_goes_on(tmp_path_factory, count, stops, failing):
    path = tmp_path_factory.mktemp("stopped") / "campaign.sqlite"
    works, begun = squares(count), []
    for stop in stops:
        left = iter(range(stop))

        def interrupt(outcome, left=left):
            if next(left, None) is None:
                raise KeyboardInterrupt

        here = Here(failing)
        run(path, works, here, on_outcome=interrupt)
        begun += here.begun
    last = Here(failing)
    whole = run(path, works, last)
    assert sorted(begun + last.begun) == list(range(count))
    assert whole == run(path.with_name("whole.sqlite"), works, Here(failing))
    again = Here()
    assert run(path, works, again, retry=True) == run(path.with_name("x.sqlite"), works)
    assert again.begun == sorted(failing & set(range(count)))


def test_only_what_changed_is_done_again(tmp_path):
    path, works, here = tmp_path / "campaign.sqlite", squares(5), Here()
    run(path, works)
    [changed] = squares(1, version=2)
    changed = type(changed)(3, version=2)
    run(path, [*works[:3], changed, works[4]], here)
    assert here.begun == [3]
    run(path, works, here)  # what is as it was before is known still
    assert here.begun == [3]


def test_a_task_that_is_there_twice_is_done_once(tmp_path):
    here, works = Here(), squares(3)
    told = run(tmp_path / "campaign.sqlite", [*works, works[1]], here)
    assert here.begun == [0, 1, 2]
    assert [name for name, _, _ in told] == ["square/0", "square/1", "square/2", "square/1"]


def test_tasks_that_another_process_begins_take_nothing_away(tmp_path):
    path = tmp_path / "campaign.sqlite"

    class Disturbed(Here):
        def outcomes(self, works, seconds):
            with Store(path) as store:
                record_in(store).begin(squares(3))
            yield from super().outcomes(works, seconds)

    works, here = squares(5), Disturbed()
    assert run(path, works, here) == run(tmp_path / "whole.sqlite", works)
    assert here.begun == list(range(5))


def test_what_used_up_its_budget_is_done_again_if_asked_for(tmp_path):
    path, works = tmp_path / "campaign.sqlite", squares(3)
    run(path, works)
    with Store(path) as store, store.write_together() as connection:
        connection.execute("UPDATE task SET seconds = budget WHERE id = 'square/1'")
    for retry, begun in [(False, []), (True, [1])]:
        here = Here()
        run(path, works, here, retry=retry)
        assert here.begun == begun


def test_the_time_of_all_runs_is_counted_and_begins_anew_with_other_tasks(tmp_path):
    with Store(tmp_path / "campaign.sqlite") as store:
        record = record_in(store)
        [work] = squares(1)
        record.begin([work])
        outcome = next(Here().outcomes([work], 1.0))
        record.keep(work, outcome, 1.0)
        first = record.elapsed
        record.begin([work])
        record.keep(work, outcome, 1.0)
        assert 0 < first < record.elapsed
        record.begin(squares(2))
        assert record.elapsed == 0


COUNT, SIZE = 300, 2000


def started(path, count=COUNT, marks="", **given):
    words = [sys.executable, "-m", "tests.verify.campaign.works", path, count, SIZE, marks]
    return subprocess.Popen([str(word) for word in words], cwd=ROOT, **given)


def known(path):
    """How many answers are kept by now."""
    try:
        with Store(path, reading=True) as store:
            return store.one("SELECT count(*) FROM task")[0]
    except BadStore:
        return 0  # the driver has not come to make it


def wait_until(is_so, process):
    while process.poll() is None and not is_so():
        time.sleep(0.001)


@pytest.mark.parametrize("seed", ROUNDS)
def test_the_driver_may_be_killed_at_any_time(tmp_path, seed):
    path, chance = tmp_path / "campaign.sqlite", random.Random(seed)
    for _ in range(2):
        enough = known(path) + chance.randrange(COUNT // 2)
        with started(path) as process:
            wait_until(lambda enough=enough: known(path) >= enough, process)
            process.kill()
    kept, here = known(path), Here()
    works = squares(COUNT, size=SIZE)
    assert run(path, works, here) == run(tmp_path / "whole.sqlite", works)
    assert len(here.begun) == COUNT - kept
    with Store(path) as store:
        assert store.one("PRAGMA integrity_check") == ("ok",)


@pytest.mark.parametrize("seed", ROUNDS[2:])
def test_workers_may_be_killed_and_what_they_did_not_do_is_retried(tmp_path, seed):
    path, chance = tmp_path / "campaign.sqlite", random.Random(seed)
    marks = tmp_path / "deadly"
    marks.mkdir()
    works = squares(12, marks=str(marks))
    deadly = chance.sample(range(12), 2)
    for number in deadly:
        (marks / str(number)).touch()
    told = run(path, works, executor_of(jobs=2))
    ended = {name: words for name, _, words in told if words}
    assert set(ended) == {f"square/{number}" for number in deadly}
    assert all("SIGKILL" in words for words in ended.values())
    for number in deadly:
        (marks / str(number)).unlink()
    here = Here()
    assert run(path, works, here) == told
    assert run(path, works, here, retry=True) == run(tmp_path / "whole.sqlite", works)
    assert here.begun == sorted(deadly)


@pytest.mark.parametrize("seed", ROUNDS[2:])
def test_campaigns_may_run_at_once_on_one_store(tmp_path, seed):
    """Two of the same tasks, and a third of more, of which one is killed."""
    path, chance = tmp_path / "campaign.sqlite", random.Random(seed)
    processes = [started(path, count) for count in (COUNT, COUNT, COUNT + 50)]
    wait_until(lambda: known(path) >= chance.randrange(COUNT), processes[0])
    processes[0].kill()
    assert [process.wait() for process in processes][1:] == [0, 0]
    here, works = Here(), squares(COUNT + 50, size=SIZE)
    assert run(path, works, here) == run(tmp_path / "whole.sqlite", works)
    assert here.begun == []
