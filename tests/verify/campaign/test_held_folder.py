"""Held folders: known to be of a living process, and removed after the death of theirs."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from verify.campaign import held_folder
from verify.campaign.held_folder import HeldFolder, is_held

ROOT = Path(__file__).parents[3]

HOLDER = """
    from verify.campaign.held_folder import HeldFolder
    folder = HeldFolder()
    print(folder.name, flush=True)
    input()
"""


def holder(folder, code=HOLDER):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_folder_of_a_killed_process_is_removed_and_that_of_a_living_one_is_not(temporary):
    with holder(temporary) as killed, holder(temporary) as living:
        dead, alive = killed.stdout.readline().strip(), living.stdout.readline().strip()
        Path(dead, "kept").mkdir()
        Path(dead, "kept", "result.txt").touch()
        Path(dead, "kept").chmod(0)
        assert is_held(dead)
        assert is_held(alive)
        killed.kill()
        killed.wait()
        assert not is_held(dead)
        mine = HeldFolder()
        assert {str(each) for each in temporary.iterdir()} == {alive, mine.name}
        assert is_held(alive)
        mine.close()
        living.kill()
    HeldFolder().close()
    assert list(temporary.iterdir()) == []


def test_no_other_folder_is_removed(temporary):
    for name in ("symtape-work", "symtape-abc", "others.held"):
        (temporary / name).mkdir()
    (temporary / "home").mkdir()
    (temporary / "symtape-link.held").symlink_to(temporary / "home")
    (temporary / "symtape-file.held").touch()
    before = set(temporary.iterdir())
    HeldFolder().close()
    assert set(temporary.iterdir()) == before


def test_one_that_is_taken_for_abandoned_before_it_is_locked_is_made_again(temporary, monkeypatch):
    before, removed = fcntl.flock, []

    def flock(lock, kind):
        if not removed:
            [removed_now] = temporary.iterdir()
            removed.append(str(removed_now))
            held_folder.remove(removed_now)
        before(lock, kind)

    monkeypatch.setattr(fcntl, "flock", flock)
    folder = HeldFolder()
    assert removed != [folder.name]
    assert is_held(folder.name)
    folder.close()


def test_without_locks_every_folder_may_be_in_use(temporary, monkeypatch):
    def no_locks(*args):
        raise OSError("no locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    first, second = HeldFolder(), HeldFolder()
    assert is_held(first.name)
    first.close()
    second.close()
    assert list(temporary.iterdir()) == []


CAMPAIGN = """
    from tests.verify.campaign.executors.hostile import Call
    from verify.campaign.executors.local import LocalExecutor
    from verify.campaign.limits import Setup

    works = [Call("place"), Call("hangs")]
    for outcome in LocalExecutor(1, Setup(imports=())).outcomes(works, 600):
        print(outcome.text, flush=True)
"""


def test_the_folders_of_the_tasks_of_a_killed_driver_are_removed_by_the_next(temporary):
    with holder(temporary, CAMPAIGN) as driver:
        driver.stdout.readline()
        assert len(list(temporary.iterdir())) == 1
        driver.send_signal(signal.SIGKILL)
    assert len(list(temporary.iterdir())) == 1
    HeldFolder().close()
    assert list(temporary.iterdir()) == []
