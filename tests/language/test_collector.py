"""The garbage collector rests while a net is read, and only then."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import petri
from petri.diagnostics import LanguageError
from petri.language.collector import at_rest

NET = "net n\nplace p = token\ntransition t: p -> p takes 1.0\n"


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    collecting = gc.isenabled()
    yield
    if collecting:
        gc.enable()
    else:
        gc.disable()


@pytest.mark.parametrize("collecting", [True, False])
@pytest.mark.parametrize("text", [NET, NET + "place p"])
def test_it_goes_on_as_before(text: str, collecting: bool) -> None:
    if collecting:
        gc.enable()
    else:
        gc.disable()
    before = gc.get_threshold()
    try:
        petri.loads(text)
    except LanguageError:
        assert text != NET
    assert (gc.isenabled(), gc.get_threshold()) == (collecting, before)


def test_it_rests_meanwhile() -> None:
    """Also while the text is parsed, which makes most of the objects."""
    gc.enable()
    begun = []
    gc.callbacks.append(lambda phase, info: begun.append(phase))
    try:
        petri.loads("\n".join([NET, *(f"place p{i} : int = {i}" for i in range(500))]))
    finally:
        gc.callbacks.pop()
    assert len(begun) <= 2  # one collection, behind it


def test_it_goes_on_when_the_last_of_several_threads_has_read_its_net() -> None:
    before = gc.get_threshold()
    one, other = at_rest(), at_rest()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert gc.get_threshold() != before
    other.__exit__(None, None, None)
    assert gc.get_threshold() == before
