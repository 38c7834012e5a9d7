"""What is kept between runs: read back, forgotten, and never in the way."""

import json

from verify.files import cache as keeping


def test_what_is_kept_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "deep" / "home"))
    assert keeping.kept("room", "name") is None
    assert keeping.keep("room", "name", {"x": [1.5, "0x1p-3"]})
    assert keeping.kept("room", "name") == {"x": [1.5, "0x1p-3"]}
    assert keeping.keep("room", "name", None)
    assert keeping.kept("room", "name") is None


def test_the_folder_is_in_the_working_directory_by_default(tmp_path, monkeypatch):
    monkeypatch.delenv("SYMTAPE_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    keeping.keep("room", "name", 1)
    assert json.loads((tmp_path / ".symtape/room/name.json").read_text()) == 1
    assert (tmp_path / ".symtape/.gitignore").read_text() == "*\n"


def test_what_cannot_be_read_counts_as_absent(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    keeping.keep("room", "name", 1)
    (tmp_path / "room/name.json").write_bytes(b"\xff{")
    assert keeping.kept("room", "name") is None


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "file"))
    assert not keeping.keep("room", "name", 1)
    assert keeping.kept("room", "name") is None


def test_no_half_written_file_is_left(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    for number in range(3):
        keeping.keep("room", "name", number)
    assert [file.name for file in (tmp_path / "room").iterdir()] == ["name.json"]
