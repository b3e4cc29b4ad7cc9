"""The collector is put off for as long as anyone wants it to be, and left as it was found."""

from __future__ import annotations

import gc
import threading

import pytest

from jaxnb.base.collection import collection_paused, collection_rare


def test_it_is_put_off_and_comes_back():
    assert gc.isenabled()
    with collection_paused():
        assert not gc.isenabled()
        with collection_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_brings_it_back():
    with pytest.raises(KeyError), collection_paused():
        raise KeyError
    assert gc.isenabled()


def test_where_it_was_off_it_stays_off():
    gc.disable()
    try:
        with collection_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_last_of_two_threads_brings_it_back():
    inside, leave = threading.Event(), threading.Event()

    def other():
        with collection_paused():
            inside.set()
            leave.wait(10)

    with collection_paused():
        thread = threading.Thread(target=other)
        thread.start()
        assert inside.wait(10)
    assert not gc.isenabled()
    leave.set()
    thread.join(10)
    assert gc.isenabled()


def test_it_comes_more_rarely_and_is_left_as_it_was():
    before = gc.get_threshold()
    with collection_rare():
        assert gc.get_threshold()[0] > 10 * before[0]
        with collection_rare():
            pass
        assert gc.get_threshold()[0] > 10 * before[0]
        assert gc.isenabled()
    assert gc.get_threshold() == before
