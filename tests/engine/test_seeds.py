"""`petri.engine.seeds` makes the words that numpy makes."""

from __future__ import annotations

import numpy as np
import pytest

from petri.engine.seeds import seed_words

SEEDS = [0, 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 2**64, 2**128 - 1, 2**128, 3**120]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_words_are_those_of_numpy(seed: int) -> None:
    for replication in (0, 1, 7, 2**32 - 1, 2**32, 2**40):
        sequence = np.random.SeedSequence(seed, spawn_key=(replication,))
        assert list(seed_words(seed, replication)) == sequence.generate_state(3, np.uint64).tolist()


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="natural number"):
        seed_words(-1, 0)
