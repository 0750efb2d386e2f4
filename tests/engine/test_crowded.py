"""So many firings in progress that several end in one tick: machine code too ends them in the order of their starts."""

from __future__ import annotations

import math

import pytest

import petri
from petri.engine.interface import Limits
from petri.engine.native import available
from petri.run.session import begin

IN_PROGRESS = 140_000  # more than 2^17, from which machine code expects ties
FIRINGS = 450_000
LIMITS = Limits(firings_at_an_instant=1 << 40, tokens=1 << 32)

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")


@pytest.mark.slow
@pytest.mark.parametrize("times", ["takes exp(1.0)", "draw later ~ uniform(0..9)  takes 1.0 + later"])
def test_machine_code_ends_firings_of_one_tick_in_order(monkeypatch: pytest.MonkeyPatch, times: str) -> None:
    net = petri.loads(f"net crowded\nplace job = {IN_PROGRESS} * token\ntransition work: job -> job  {times}\n").net
    hashes = []
    for patience in (1 << 60, 2 * IN_PROGRESS):
        monkeypatch.setattr("petri.engine.native.PATIENCE", patience)
        session = begin(net, "native", 1, 0, limits=LIMITS)
        session.advance(math.inf, FIRINGS)
        hashes.append((session.hash, session.now, session.firings))
    assert hashes[0] == hashes[1]
