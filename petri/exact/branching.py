"""A stream of random numbers that takes every outcome, one after the other, with its probability."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from petri.engine.random import RandomStream
from petri.exact.chain import Unsolvable

MOST_OUTCOMES = 100_000  # of one firing

T = TypeVar("T")


class BranchingStream(RandomStream):
    """Stands in for the stream of a replication: each choice takes the outcome that is next in `outcomes`.

    Choices with finitely many outcomes can be enumerated; any other draw makes the net unsolvable.
    """

    def __init__(self) -> None:
        self.path: list[int] = []  # outcomes to take again
        self.taken: list[tuple[int, list[float]]] = []  # outcomes taken, and the probabilities to choose from
        self.drawing: Callable[[], int | None] = lambda: None  # the transition that draws, for messages

    def outcomes(self, work: Callable[[], T]) -> Iterator[tuple[float, T]]:
        """Yield every result of `work`, which draws from this stream, with its probability, if that is not 0."""
        self.path = []
        for _ in range(MOST_OUTCOMES):
            self.taken = []
            result = work()
            probability = 1.0
            for outcome, weights in self.taken:
                probability *= weights[outcome]
            yield probability, result
            if not self._next():
                return
        raise Unsolvable("exact-many-outcomes", self.drawing(), most=MOST_OUTCOMES)

    def _next(self) -> bool:
        """Go to the next outcome: the last choice that has another one takes it."""
        while self.taken:
            outcome, weights = self.taken.pop()
            others = (other for other in range(outcome + 1, len(weights)) if weights[other] > 0.0)
            if (following := next(others, None)) is not None:
                self.path = [*(one for one, _ in self.taken), following]
                return True
        return False

    def _choose(self, weights: list[float]) -> int:
        depth = len(self.taken)
        outcome = self.path[depth] if depth < len(self.path) else next(i for i, w in enumerate(weights) if w > 0.0)
        self.taken.append((outcome, weights))
        return outcome

    def equal_choice(self, n: int) -> int:
        if n > MOST_OUTCOMES:
            raise Unsolvable("exact-many-outcomes", self.drawing(), most=MOST_OUTCOMES)
        return 0 if n == 1 else self._choose([1.0 / n] * n)

    def weighted_choice(self, weights: Sequence[float]) -> int:
        total = sum(weights)
        return 0 if len(weights) == 1 else self._choose([weight / total for weight in weights])

    def chance(self, p: float) -> bool:
        return self._choose([1.0 - p, p]) == 1

    def _refuse(self, *_: Any) -> Any:
        raise Unsolvable("exact-continuous-draw", self.drawing())

    word = uniform = exponential = normal = _refuse
