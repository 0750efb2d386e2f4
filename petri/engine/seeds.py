"""The initial states of random numbers (R1, R5), for engines with an SFC64 of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from petri.engine.trajectory import splitmix

_WORD: Final = 2**32 - 1


def seed_words(seed: int, *key: int) -> tuple[int, int, int]:
    """Return the three 64-bit words that initialise SFC64. key: the replication's number, perhaps a branch's too."""
    a, b, c = np.random.SeedSequence(seed, spawn_key=key).generate_state(3, np.uint64).tolist()
    return a, b, c


def own_words(words: tuple[int, int, int], name: str) -> tuple[int, int, int]:
    """Return the words that initialise the stream of a transition (R5), given those of the replication's stream."""
    key = 0xCBF29CE484222325  # FNV-1a (Fowler, Noll and Vo)
    for byte in name.encode():
        key = (key ^ byte) * 0x00000100000001B3 & 0xFFFFFFFFFFFFFFFF
    a, b, c = (splitmix(key >> 1, word) for word in words)
    return a, b, c


def many_seed_words(seed: int, numbers: Sequence[int]) -> NDArray[np.uint64]:
    """`seed_words` of many replications, [replication, word]: `numpy.random.SeedSequence` with arrays for numbers.

    One object of it for each took half of the time of an empty replication.
    """
    keys = np.array(numbers, dtype=np.uint32)
    given = [seed >> shift & _WORD for shift in range(0, max(seed.bit_length(), 1), 32)]
    entropy = [np.full(keys.shape, word, np.uint32) for word in given + [0] * (4 - len(given))] + [keys]
    constant = 0x43B0D7E5

    def hashed(value: Any, multiplier: int) -> Any:
        nonlocal constant
        value = value ^ np.uint32(constant)
        constant = constant * multiplier & _WORD
        value = value * np.uint32(constant)
        return value ^ value >> np.uint32(16)

    def mixed(value: Any, other: Any) -> Any:
        value = value * np.uint32(0xCA01F9DD) - other * np.uint32(0x4973F715)
        return value ^ value >> np.uint32(16)

    pool = [hashed(word, 0x931E8875) for word in entropy[:4]]
    for source in range(4):
        for other in range(4):
            if other != source:
                pool[other] = mixed(pool[other], hashed(pool[source], 0x931E8875))
    for word in entropy[4:]:
        pool = [mixed(one, hashed(word, 0x931E8875)) for one in pool]
    constant = 0x8B51F9DD
    halves = [hashed(pool[number % 4], 0x58F38DED).astype(np.uint64) for number in range(6)]
    words = [low | high << np.uint64(32) for low, high in zip(halves[::2], halves[1::2], strict=True)]
    return np.ascontiguousarray(np.stack(words, axis=1))
