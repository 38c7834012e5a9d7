"""What an audit keeps from the code that it imports, and gives back."""

from __future__ import annotations

import socket

import pytest

from verify.auditing.packages.isolation import isolate


def ask():
    """Ask for another machine; whether anybody knows it is the network's matter."""
    try:
        socket.getaddrinfo("example.invalid", 80)
    except socket.gaierror:
        return


def test_a_guard_within_another_ends_with_it():
    with isolate():
        with isolate(writes=False), pytest.raises(ConnectionRefusedError):
            ask()
        with pytest.raises(ConnectionRefusedError):
            ask()
    ask()


def test_what_may_be_written_is_said_by_the_inner_guard(tmp_path):
    with isolate():
        with isolate(writes=False), pytest.raises(PermissionError):
            (tmp_path / "made").write_text("")
        (tmp_path / "made").write_text("")
    assert (tmp_path / "made").exists()
