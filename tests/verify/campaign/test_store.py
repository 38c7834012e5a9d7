"""The store of a campaign: what is bad is refused in words, and what was done is never lost."""

from __future__ import annotations

import ctypes
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.verify.campaign.works import Here, record_in, run, squares, told
from verify.campaign import store as stores
from verify.campaign.record import CampaignIdentity, Record, records
from verify.campaign.schema import SCHEMA
from verify.campaign.store import BadStore, CorruptStore, Store
from verify.campaign.work import Outcome

ROOT = Path(__file__).parents[3]
COUNT, SIZE = 200, 3000


@pytest.fixture
def full(tmp_path):
    """A store with answers on many pages."""
    path = tmp_path / "campaign.sqlite"
    run(path, squares(COUNT, size=SIZE))
    return path


def changed(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def is_text(path):
    path.write_text("a diary, and no store\n" * 100)


def is_of_something_else(path):
    changed(path, "CREATE TABLE stamps (country TEXT)")


def is_newer(path):
    run(path, squares(1))
    changed(path, f"PRAGMA user_version = {SCHEMA + 1}")


def is_older(path):
    run(path, squares(1))
    changed(path, f"PRAGMA user_version = {SCHEMA - 1}")


def is_a_folder(path):
    path.mkdir()


BAD = (is_text, is_of_something_else, is_newer, is_older, is_a_folder)


@pytest.mark.parametrize("reading", [False, True])
@pytest.mark.parametrize("makes", BAD)
def test_another_file_is_left_as_it_is(tmp_path, makes, reading):
    path = tmp_path / "campaign.sqlite"
    makes(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(BadStore, match=r"campaign\.sqlite"):
        Store(path, reading=reading)
    assert before is None or path.read_bytes() == before


def test_the_messages_say_what_to_do(tmp_path, snapshot, monkeypatch):
    monkeypatch.setattr(stores, "PATIENCE", 0.01)
    said = []
    for makes in BAD:
        path = tmp_path / makes.__name__ / "campaign.sqlite"
        path.parent.mkdir()
        makes(path)
        said.append((makes.__name__, refusal(path)))
    said.append(("has no folder", refusal(tmp_path / "nowhere" / "campaign.sqlite")))
    said.append(("is not there", refusal(tmp_path / "campaign.sqlite", reading=True)))
    locked = tmp_path / "campaign.sqlite"
    run(locked, squares(1))
    with closing(sqlite3.connect(locked, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        said.append(("is locked", refusal(locked, lambda: run(locked, squares(1)))))
    text = "".join(f"{name.replace('_', ' ')}\n{words}\n\n" for name, words in said)
    snapshot("stores", text.replace(str(tmp_path), "HERE"))


def refusal(path, use=None, **given):
    with pytest.raises(BadStore) as caught:
        (use or (lambda: Store(path, **given)))()
    return str(caught.value)


def test_a_store_that_was_locked_goes_on_when_it_is_free(tmp_path, monkeypatch):
    monkeypatch.setattr(stores, "PATIENCE", 0.01)
    path = tmp_path / "campaign.sqlite"
    whole = run(tmp_path / "other.sqlite", squares(5))
    run(path, squares(2))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BadStore, match="locked by another process"):
            run(path, squares(5))
        other.execute("ROLLBACK")
    assert run(path, squares(5)) == whole


def without_rights():
    """Before a program begins: root, too, must ask whether a file may be written."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def driver(path, count, size=0, marks="", **given):
    """Run a campaign in a process of its own."""
    words = [sys.executable, "-m", "tests.verify.campaign.works", path, count, size, marks]
    return subprocess.run(
        [str(word) for word in words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        **given,
    )


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="rights are dropped otherwise there")
def test_a_store_that_cannot_be_written_can_be_read(full):
    full.chmod(0o444)
    full.parent.chmod(0o555)
    try:
        done = driver(full, 2 * COUNT, preexec_fn=without_rights)
        code = (
            "from pathlib import Path; from verify.campaign.store import Store; "
            f"store = Store(Path({str(full)!r}), reading=True); "
            "print(*store.one('SELECT count(*) FROM task'))"
        )
        read = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            preexec_fn=without_rights,
        )
    finally:
        full.parent.chmod(0o755)
    assert done.returncode == 1
    assert "cannot be written: attempt to write a readonly database" in done.stderr
    assert "choose another file with --store" in done.stderr
    assert read.stdout == f"{COUNT}\n"


def known(path):
    """How many answers a reader finds."""
    with Store(path, reading=True) as store:
        [record] = records(store)
        return len(told(record))


def test_a_full_disk_keeps_what_was_done(tmp_path):
    path, whole = (
        tmp_path / "campaign.sqlite",
        run(tmp_path / "x.sqlite", squares(COUNT, size=SIZE)),
    )

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))

    done = driver(path, COUNT, SIZE, preexec_fn=small)
    assert done.returncode == 1
    assert "The disk may be full. The answers so far are saved" in done.stderr
    assert "Traceback" not in done.stderr
    kept = known(path)
    assert 10 < kept < COUNT
    here = Here()
    assert run(path, squares(COUNT, size=SIZE), here) == whole
    assert len(here.begun) == COUNT - kept


def spoilt(path, start, end):
    """Overwrite a part of a file, given in parts of its size."""
    data = bytearray(path.read_bytes())
    where = slice(int(start * len(data)), int(end * len(data)))
    data[where] = b"\xa5" * (where.stop - where.start)
    path.write_bytes(data)


@pytest.mark.parametrize(("start", "end"), [(0.3, 0.5), (0.6, 0.62), (0.9, 1.0)])
def test_of_a_corrupt_store_is_kept_what_can_be_read(full, start, end):
    whole = run(full, squares(COUNT, size=SIZE))
    spoilt(full, start, end)
    before = full.read_bytes()
    with pytest.raises(CorruptStore, match=r"The \d+ answers that can be read are in") as caught:
        run(full, squares(COUNT, size=SIZE))
    assert full.read_bytes() == before
    new = full.with_name("campaign.salvaged.sqlite")
    with Store(new, reading=True) as store:
        (kept,) = store.one("SELECT count(*) FROM task")
    assert f"The {kept} answers that can be read are in {str(new)!r}" in str(caught.value)
    assert COUNT * (1 - (end - start)) - 20 < kept < COUNT
    here = Here()
    assert run(new, squares(COUNT, size=SIZE), here) == whole
    assert len(here.begun) == COUNT - kept
    with pytest.raises(CorruptStore, match=r"is in .* already"):
        Store(full)


def test_an_answer_that_was_damaged_unnoticed_is_judged_again_and_the_others_are_shown(full):
    whole = run(full, squares(COUNT, size=SIZE))
    changed(full, "UPDATE task SET text = replace(text, 'x', 'y') WHERE id = 'square/7'")
    with Store(full, reading=True) as store:
        [record] = records(store)
        assert told(record) == [one for one in whole if one[0] != "square/7"]
        assert record.done == record.planned_count - 1
        with pytest.raises(BadStore, match=r"square/7 .* was damaged"):
            record.answer(7)
    here = Here()
    assert run(full, squares(COUNT, size=SIZE), here) == whole
    assert here.begun == [7]


def test_campaigns_in_one_store_share_answers_and_nothing_else(tmp_path):
    path, here = tmp_path / "campaign.sqlite", Here()
    first = run(path, squares(4), title="first")
    second = run(path, squares(6), here, title="second")
    assert here.begun == [4, 5]
    with Store(path, reading=True) as store:
        assert [(it.identity.title, it.planned_count) for it in records(store)] == [
            ("first", 4),
            ("second", 6),
        ]
        assert [told(it) for it in records(store)] == [first, second]


def test_an_answer_is_not_lost_to_a_later_attempt_without_one():
    [work] = squares(1)
    with Store() as store:
        record = record_in(store)
        record.begin([work])
        for ended in ("died", "", "died"):
            record.keep(work, Outcome(work.key, f'"{ended}"', ended, 1.0), 60.0)
        assert told(record) == [("square/0", '""', "")]


def test_a_reader_sees_a_campaign_while_it_runs(tmp_path):
    path, seen = tmp_path / "campaign.sqlite", []

    def look(outcome):
        with Store(path, reading=True) as store:
            [record] = records(store)
            seen.append((record.done, record.planned_count))

    run(path, squares(3), on_outcome=look)
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_what_a_campaign_is_survives_the_file(tmp_path):
    about = CampaignIdentity(
        "cases", "Überprüfung", 7, ("a.py",), {"--at": ["1.0"], "--strict": True}
    )
    with Store(tmp_path / "a.sqlite") as store:
        Record.from_store(store, about, {"numpy": "2"}, "9 of 9")
        again = Record.from_store(store, about, {"numpy": "3"}, "9 of 9")
        assert len(records(store)) == 1
        assert (again.identity, again.versions, again.selftest) == (about, {"numpy": "3"}, "9 of 9")


@pytest.mark.long
def test_memory_stays_flat(tmp_path):
    """Of 40 MB of answers nothing stays in the process but the plan."""
    code = f"""
import resource
from pathlib import Path
from tests.verify.campaign.works import *
executor = Here()
with Store(Path({str(tmp_path / "a.sqlite")!r})) as store:
    record = record_in(store)
    campaign.run(squares(100, size=10_000), store=record, executor=executor, seconds=1.0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    works = squares(4000, size=10_000)
    campaign.run(works, store=record, executor=executor, seconds=1.0)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(after - before)
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 15_000 * (1024 if sys.platform == "darwin" else 1)
