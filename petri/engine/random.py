"""The random numbers of one replication (rules R1 to R3)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from petri import portable
from petri.engine.seeds import own_words, seed_words
from petri.net import Net

# Ziggurat for the exponential density with 256 layers (Marsaglia & Tsang 2000): the right edge of the
# lowest full layer, and the area of each layer.
LAYERS = 256
EDGE = 7.69711747013104972
AREA = 0.0039496598225815571993
SEEDED = 13  # the counter of SFC64 before the first word
_MASK = 2**64 - 1


def layers() -> tuple[list[float], list[float]]:
    """Right edges x₀ > x₁ = EDGE > … > x₂₅₆ = 0 of the layers, and exp(−x) at each. x₀·exp(−x₁) = AREA."""
    edges = [AREA / portable.exp(-EDGE), EDGE]
    while len(edges) < LAYERS:
        x = edges[-1]
        edges.append(-portable.ln(portable.exp(-x) + AREA / x))
    edges.append(0.0)
    return edges, [portable.exp(-x) for x in edges]


EDGES, HEIGHTS = layers()


class RandomStream:
    """Draws, in the order in which a run requests them. `state` is that of SFC64 before the next word.

    SFC64 is Chris Doty-Humphrey's (PractRand 0.94); numpy's of this name has the same words.
    """

    state: tuple[int, int, int, int]

    def __init__(self, seed: int, *key: int) -> None:
        """key: the number of the replication, and perhaps of a branch of it (`petri.engine.seeds`)."""
        self.restart(seed_words(seed, *key))

    @property
    def drawn(self) -> int:
        """How many words have been drawn."""
        return self.state[3] - SEEDED

    def restart(self, words: tuple[int, int, int]) -> None:
        """Begin as SFC64 begins with three words: with twelve words that are not used."""
        self.state = (*words, 1)
        for _ in range(12):
            self.word()

    def word(self) -> int:
        """Return the next 64-bit word."""
        a, b, c, counter = self.state
        word = a + b + counter & _MASK
        turned = (c << 24 | c >> 40) & _MASK
        self.state = b ^ b >> 11, c + (c << 3) & _MASK, turned + word & _MASK, counter + 1 & _MASK
        return word

    def uniform(self) -> float:
        """Return the u of R1: the upper 53 bits of a word, in [0, 1)."""
        return (self.word() >> 11) * 2.0**-53

    def equal_choice(self, n: int) -> int:
        """Return one of 0 … n−1, each equally likely; draws nothing if n is 1 (R2)."""
        return 0 if n == 1 else (self.word() >> 11) * n >> 53

    def weighted_choice(self, weights: Sequence[float]) -> int:
        """Return a position, with probability proportional to its weight; draws nothing if there is only one (R2)."""
        if len(weights) == 1:
            return 0
        total = 0.0
        for weight in weights:
            total += weight
        threshold = self.uniform() * total
        reached = 0.0
        for position, weight in enumerate(weights):
            reached += weight
            if threshold < reached:
                return position
        return len(weights) - 1

    def chance(self, p: float) -> bool:
        """Return True with probability p."""
        return self.uniform() < p

    def exponential(self) -> float:
        """Return a standard exponential. One word gives the layer (low 8 bits) and the position in it (upper 53)."""
        tail = 0.0
        while True:
            word = self.word()
            layer = word & 0xFF
            x = (word >> 11) * 2.0**-53 * EDGES[layer]
            if x < EDGES[layer + 1]:
                return tail + x
            if layer == 0:
                tail += EDGE  # beyond the edge the density is a scaled copy of itself
            else:
                low, high = HEIGHTS[layer], HEIGHTS[layer + 1]
                if low + self.uniform() * (high - low) < portable.exp(-x):
                    return tail + x

    def normal(self) -> float:
        """Return a standard normal by Marsaglia's polar method."""
        while True:
            a = 2.0 * self.uniform() - 1.0
            b = 2.0 * self.uniform() - 1.0
            s = a * a + b * b
            if 0.0 < s < 1.0:
                return a * math.sqrt(-2.0 * portable.ln(s) / s)


def own_streams(net: Net, words: tuple[int, int, int]) -> list[RandomStream]:
    """Return those of the transitions of a net in which each has one (R5); none of other nets.

    `words`: as in `own_stream`.
    """
    return [own_stream(words, transition.name) for transition in net.transitions if net.own_streams]


def own_stream(words: tuple[int, int, int], name: str) -> RandomStream:
    """Return the stream of a transition (R5), given the words that initialise that of the replication."""
    stream = RandomStream(0)
    stream.restart(own_words(words, name))
    return stream
