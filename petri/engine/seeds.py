"""The initial states of random numbers (R1, R5), for engines with an SFC64 of their own."""

from __future__ import annotations

import numpy as np

from petri.engine.trajectory import splitmix


def seed_words(seed: int, *key: int) -> tuple[int, int, int]:
    """The three 64-bit words that initialise SFC64. key: the number of the replication, and perhaps of a branch."""
    a, b, c = np.random.SeedSequence(seed, spawn_key=key).generate_state(3, np.uint64).tolist()
    return a, b, c


def own_words(words: tuple[int, int, int], name: str) -> tuple[int, int, int]:
    """The words that initialise the stream of a transition (R5), given those of the replication's stream."""
    key = 0xCBF29CE484222325  # FNV-1a (Fowler, Noll and Vo)
    for byte in name.encode():
        key = (key ^ byte) * 0x00000100000001B3 & 0xFFFFFFFFFFFFFFFF
    a, b, c = (splitmix(key >> 1, word) for word in words)
    return a, b, c
