"""The garbage collector rests while a net is read, and only then."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import petri
from petri.diagnostics import LanguageError

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
    try:
        petri.loads(text)
    except LanguageError:
        assert text != NET
    assert gc.isenabled() == collecting


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
