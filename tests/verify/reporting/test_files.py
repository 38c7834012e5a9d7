"""Reports as files: whole or not at all, and a folder that refuses is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from verify.reporting import FORMATS, Report, UnwritableFolder, load, render, write


@pytest.mark.long
def test_every_format_is_written_and_read_back(hostile: Report, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "reports"
    paths = write(hostile, folder, FORMATS)
    assert [path.name for path in paths] == [f"report{suffix}" for suffix in FORMATS.values()]
    assert sorted(paths) == sorted(folder.iterdir())
    for path, form in zip(paths, FORMATS, strict=True):
        assert path.read_bytes().decode("utf-8") == render(hostile, form)
    assert repr(load(folder / "report.json")) == repr(hostile)


def test_files_are_named_and_overwritten(sample: Report, empty: Report, tmp_path: Path) -> None:
    write(sample, tmp_path, ["markdown"], name="seeds")
    [path] = write(empty, tmp_path, "markdown", name="seeds")
    assert path == tmp_path / "seeds.md"
    assert "No cases were run." in path.read_text(encoding="utf-8")


def test_an_unknown_format_writes_nothing(sample: Report, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"format must be one of json, junit.*; got 'pdf'"):
        write(sample, tmp_path / "reports", ["markdown", "pdf"])
    assert not (tmp_path / "reports").exists()


def test_a_failed_write_leaves_what_was_there(
    sample: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [path] = write(sample, tmp_path, ["markdown"])
    before = path.read_text(encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnwritableFolder, match="No space left on device; choose another folder"):
        write(sample, tmp_path, ["markdown"])
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text(encoding="utf-8") == before


def test_a_folder_that_is_a_file(sample: Report, tmp_path: Path) -> None:
    path = tmp_path / "reports"
    path.write_text("")
    with pytest.raises(UnwritableFolder, match=r"cannot write a report into .*reports"):
        write(sample, path, ["markdown"])


def test_importing_reports_imports_no_renderer() -> None:
    code = (
        "import sys, verify.reporting; "
        "print({'jinja2', 'matplotlib', 'rich', 'sympy', 'flint'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
