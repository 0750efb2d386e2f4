"""The nets in which tokens of two places meet under a condition, B8 and B11 to B13, with SimPy."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable
from random import Random
from typing import Any

Count = Callable[[], int]
Range = Callable[[int], tuple[int, int]]


class Pairs:
    """Tokens of two sorted lists meet for a while; then the right one comes back, and any for the left one.

    rights_of, lefts_of: the least and the greatest token that fits one of the other list. Every pair that fits is
    equally likely.
    """

    def __init__(self, environment: Any, random: Random, tokens: list[int], rights_of: Range, lefts_of: Range) -> None:
        self.environment, self.random, self.tokens = environment, random, tokens
        self.rights_of, self.lefts_of = rights_of, lefts_of
        self.left: list[int] = []
        self.right: list[int] = []
        self.fired = 0
        for right in tokens:
            self.begin(right)

    def begin(self, right: int) -> None:
        self.environment.timeout(self.random.expovariate(1.0), right).callbacks.append(self.end)

    def end(self, event: Any) -> None:
        """Show that no waiting tokens fit each other, so that a pair has the left or right one that comes, or both."""
        left, right = self.random.choice(self.tokens), event.value
        self.fired += 1
        least, greatest = self.rights_of(left)
        both = least <= right <= greatest
        rights = (bisect_left(self.right, least), bisect_right(self.right, greatest))
        least, greatest = self.lefts_of(right)
        lefts = (bisect_left(self.left, least), bisect_right(self.left, greatest))
        of_left, of_right = rights[1] - rights[0], lefts[1] - lefts[0]
        choice = self.random.randrange(max(1, of_left + of_right + both))
        if both and choice >= of_left + of_right:
            self.begin(right)
            return
        found = self.right.pop(self.random.randrange(*rights)) if of_left else None
        if of_right:
            self.left.pop(self.random.randrange(*lefts))
            self.begin(right)
        else:
            insort(self.right, right)
        if found is not None:
            self.begin(found)
        else:
            insort(self.left, left)


def matching(environment: Any, random: Random, machines: int = 500) -> Count:
    """B8; counts jobs that are done."""
    shop = Pairs(environment, random, list(range(machines)), lambda j: (j, machines), lambda m: (0, m))
    return lambda: shop.fired


def classes(environment: Any, random: Random, machines: int = 500, each: int = 20) -> Count:
    """B11; counts jobs that are done. A token is its class times `each`, and its size."""
    shop = Pairs(
        environment,
        random,
        list(range(machines)),
        lambda job: (job, job // each * each + each - 1),
        lambda machine: (machine // each * each, machine),
    )
    return lambda: shop.fired


def tolerances(environment: Any, random: Random, bolts: int = 500) -> Count:
    """B12; counts bolts that fitted."""
    width = bolts // 10
    shop = Pairs(environment, random, list(range(bolts)), lambda b: (b - width, b), lambda low: (low, low + width))
    return lambda: shop.fired


def remainders(environment: Any, random: Random, tokens: int = 500) -> Count:
    """B13; counts pairs that have met. A token is its remainder times `tokens`, and its number."""
    coded = [number % 7 * tokens + number for number in range(tokens)]

    def partners(code: int) -> tuple[int, int]:
        least = -(code // tokens) % 7 * tokens
        return least, least + tokens - 1

    place = Pairs(environment, random, coded, partners, partners)
    return lambda: place.fired


NETS: dict[str, Callable[..., Count]] = {
    "matching": matching,
    "classes": classes,
    "tolerances": tolerances,
    "remainders": remainders,
}
