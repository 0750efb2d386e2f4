"""The initial state of the random numbers of a replication (R1), for an engine with its own SFC64.

These are the words of `numpy.random.SeedSequence(seed, spawn_key=key)`, computed by its published algorithm
(O'Neill's seed_seq_fe with a pool of four 32-bit words). A run needs nothing else of `numpy.random`, and importing that
takes longer than a short run.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

from petri.engine.trajectory import splitmix

POOL = 4
LOW = 0xFFFFFFFF


def seed_words(seed: int, *key: int) -> tuple[int, int, int]:
    """The three 64-bit words that initialise SFC64. key: the number of the replication, and perhaps of a branch."""
    a, b, c, d, e, f = _words(_pool(seed, key), 6)
    return a | b << 32, c | d << 32, e | f << 32


def own_words(words: tuple[int, int, int], name: str) -> tuple[int, int, int]:
    """The words that initialise the stream of a transition (R5), given those of the replication's stream."""
    key = 0xCBF29CE484222325  # FNV-1a (Fowler, Noll and Vo)
    for byte in name.encode():
        key = (key ^ byte) * 0x00000100000001B3 & 0xFFFFFFFFFFFFFFFF
    a, b, c = (splitmix(key >> 1, word) for word in words)
    return a, b, c


def _pool(seed: int, key: Sequence[int]) -> list[int]:
    entropy = _split(seed)
    entropy += [0] * (POOL - len(entropy)) + [word for number in key for word in _split(number)]
    hashed = _Hash(0x43B0D7E5, 0x931E8875)
    pool = [hashed(word) for word in entropy[:POOL]]
    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                pool[target] = _mixed(pool[target], hashed(pool[source]))
    for word in entropy[POOL:]:
        for target in range(POOL):
            pool[target] = _mixed(pool[target], hashed(word))
    return pool


def _words(pool: list[int], count: int) -> list[int]:
    hashed = _Hash(0x8B51F9DD, 0x58F38DED)
    return [hashed(pool[number % POOL]) for number in range(count)]


def _split(number: int) -> list[int]:
    """A natural number in 32-bit words, the lowest first."""
    rest = index(number)
    if rest < 0:
        raise ValueError(f"a seed must be a natural number, not {rest}")
    words = [rest & LOW]
    while rest := rest >> 32:
        words.append(rest & LOW)
    return words


class _Hash:
    """A hash of one word that differs at each call."""

    def __init__(self, start: int, factor: int) -> None:
        self.state = start
        self.factor = factor

    def __call__(self, word: int) -> int:
        word ^= self.state
        self.state = self.state * self.factor & LOW
        word = word * self.state & LOW
        return word ^ word >> 16


def _mixed(x: int, y: int) -> int:
    word = (x * 0xCA01F9DD - y * 0x4973F715) & LOW
    return word ^ word >> 16
