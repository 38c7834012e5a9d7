"""The collector of cycles stands aside, and comes back."""

import gc

import pytest

from symtape.process.work import suspend_collector


def test_it_comes_back_after_an_error():
    @suspend_collector
    def failing():
        assert not gc.isenabled()
        raise KeyError

    with pytest.raises(KeyError):
        failing()
    assert gc.isenabled()


def test_who_does_without_it_is_not_given_it():
    gc.disable()
    try:
        assert not suspend_collector(gc.isenabled)()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_inside_of_another_it_stays_away():
    assert suspend_collector(lambda: (suspend_collector(gc.isenabled)(), gc.isenabled()))() == (
        False,
        False,
    )
    assert gc.isenabled()
