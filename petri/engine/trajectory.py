"""The 64-bit hash of a trajectory (rule R4): equal for equal runs, on any engine."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from petri.net import Scalar

MASK = (1 << 64) - 1


def splitmix(index: int, state: int = 0) -> int:
    """Return the `index`-th output of SplitMix64 from a state (Steele, Lea & Flood 2014)."""
    z = (state + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


# Odd multipliers: for the firings, and for the words of one firing.
FIRINGS, WORDS = (splitmix(i) | 1 for i in range(2))


def bits(value: Scalar) -> int:
    """Return the 64 bits of a scalar: two's complement, or IEEE 754."""
    if isinstance(value, float):
        return int.from_bytes(struct.pack("<d", value), "little")
    return int(value) & MASK


def value_of(word: int, kind: str) -> Scalar:
    """Return the value of 64 bits, a float of kind "real" and otherwise an int."""
    if kind == "real":
        value: float = struct.unpack("<d", word.to_bytes(8, "little"))[0]
        return value
    return word - (1 << 64) if word >> 63 else word


class TrajectoryHash:
    """Hashes firings in the order in which they start."""

    def __init__(self) -> None:
        self.value = 0

    def add(self, transition: int, variables: Sequence[Scalar], start: int, end: int) -> None:
        """Add a firing as a number to the base `WORDS`: its digits are transition, start and end [ticks], variables."""
        word = transition + 1
        for value in (start, end, *variables):
            word = (word * WORDS + bits(value)) & MASK
        rotated = ((self.value << 23) | (self.value >> 41)) & MASK
        self.value = ((rotated ^ word) * FIRINGS) & MASK
