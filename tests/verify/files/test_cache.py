"""What is kept between runs: read back, forgotten, and never in the way."""

import json

from verify.files import cache


def test_what_is_kept_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "deep" / "home"))
    assert cache.load("section", "name") is None
    assert cache.store("section", "name", {"x": [1.5, "0x1p-3"]})
    assert cache.load("section", "name") == {"x": [1.5, "0x1p-3"]}
    assert cache.store("section", "name", None)
    assert cache.load("section", "name") is None


def test_the_folder_is_in_the_working_directory_by_default(tmp_path, monkeypatch):
    monkeypatch.delenv("SYMTAPE_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    cache.store("section", "name", 1)
    assert json.loads((tmp_path / ".symtape/section/name.json").read_text()) == 1
    assert (tmp_path / ".symtape/.gitignore").read_text() == "*\n"


def test_what_cannot_be_read_counts_as_absent(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    cache.store("section", "name", 1)
    (tmp_path / "section/name.json").write_bytes(b"\xff{")
    assert cache.load("section", "name") is None


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "file"))
    assert not cache.store("section", "name", 1)
    assert cache.load("section", "name") is None


def test_no_half_written_file_is_left(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    for number in range(3):
        cache.store("section", "name", number)
    assert [file.name for file in (tmp_path / "section").iterdir()] == ["name.json"]
