"""The reference engine lists bindings anew only where something changed; that must not show."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petri.engine.interface import Limits
from petri.engine.reference import Binding, Engine
from petri.net import Net
from tests.engine.nets import nets


class Forgetful(Engine):
    """Lists every binding of every transition at every step."""

    def candidates(self) -> list[tuple[int, Sequence[Binding]]]:
        self.known = [None for _ in self.known]
        return super().candidates()


def assert_remembering_changes_nothing(net: Net, seed: int) -> None:
    limits = Limits(firings_at_an_instant=60, tokens=60)
    one, other = Engine(net, seed, 0, limits), Forgetful(net, seed, 0, limits)
    for until in (2.0, math.inf):
        assert one.advance(until, 60) == other.advance(until, 60)
        assert (one.firings, one.now, one.hash.value) == (other.firings, other.now, other.hash.value)
        assert one.error == other.error


FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=12)
RUNS = given(nets(), st.integers(0, 3))
test_remembering_bindings_changes_nothing = FEW(RUNS(assert_remembering_changes_nothing))
test_so_it_is_in_many_nets = pytest.mark.slow(settings(FEW, max_examples=60)(RUNS(assert_remembering_changes_nothing)))
