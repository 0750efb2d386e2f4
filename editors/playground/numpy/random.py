"""What seeds the random numbers of a replication: `SeedSequence` of numpy (after M. E. O'Neill's `seed_seq`)."""

from collections.abc import Sequence

import numpy

MASK = 2**32 - 1


class SeedSequence:
    def __init__(self, entropy: int, spawn_key: Sequence[int] = ()) -> None:
        own, more = _words(entropy), [word for number in spawn_key for word in _words(number)]
        words = own + [0] * (4 - len(own)) * bool(more) + more
        self._constant = 0x43B0D7E5
        pool = [self._hashed(word) for word in [*words[:4], 0, 0, 0, 0][:4]]
        for source in range(4):
            for other in range(4):
                if source != other:
                    pool[other] = _mixed(pool[other], self._hashed(pool[source]))
        for word in words[4:]:
            pool = [_mixed(one, self._hashed(word)) for one in pool]
        self._pool = pool

    def _hashed(self, value: int) -> int:
        value ^= self._constant
        self._constant = self._constant * 0x931E8875 & MASK
        value = value * self._constant & MASK
        return value ^ value >> 16

    def generate_state(self, count: int, dtype: object) -> "numpy.ndarray":
        """Return words of 64 bits."""
        constant, halves = 0x8B51F9DD, []
        for number in range(2 * count):
            value = self._pool[number % 4] ^ constant
            constant = constant * 0x58F38DED & MASK
            value = value * constant & MASK
            halves.append(value ^ value >> 16)
        words = [low | high << 32 for low, high in zip(halves[::2], halves[1::2], strict=True)]
        return numpy.array(words, numpy.uint64)


def _words(number: int) -> list[int]:
    return [number >> shift & MASK for shift in range(0, max(number.bit_length(), 1), 32)]


def _mixed(value: int, other: int) -> int:
    value = value * 0xCA01F9DD - other * 0x4973F715 & MASK
    return value ^ value >> 16
