"""The words of the reference engine's random stream are those of numpy's SFC64."""

import numpy as np
import pytest

from petri.engine.random import RandomStream


@pytest.mark.parametrize("key", [(0,), (3,), (2, 1)])
def test_words_and_state_are_numpys(key: tuple[int, ...]) -> None:
    theirs = np.random.SFC64(np.random.SeedSequence(2**40 + 7, spawn_key=key))
    ours = RandomStream(2**40 + 7, *key)
    assert ours.drawn == 0
    assert [ours.word() for _ in range(600)] == theirs.random_raw(600).tolist()
    assert list(ours.state) == theirs.state["state"]["state"].tolist()
    assert ours.drawn == 600
    again = RandomStream(0)
    again.state = ours.state
    assert [again.word() for _ in range(10)] == theirs.random_raw(10).tolist()
