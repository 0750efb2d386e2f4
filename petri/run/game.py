"""A walk through a run that is recorded: what the token game of a page with an engine shows, and what it can do."""

from __future__ import annotations

from typing import Final

from petri.engine.reference import Engine
from petri.net import Net, Scalar
from petri.run.recording import Recorder, Recording
from petri.run.walk import Enabled, Walk
from petri.structs import Frozen

MOST_BRANCHES: Final = 20


class Branch(Frozen):
    """Firings that were played and left: transitions with their variables. chosen: those that chance did not choose."""

    firings: tuple[tuple[int, tuple[Scalar, ...]], ...]
    chosen: dict[int, tuple[int, int]]

    def parted(self, other: Branch) -> int:
        """Return with how many equal firings both begin."""
        pairs = zip(self.firings, other.firings, strict=False)
        return next(
            (at for at, (one, two) in enumerate(pairs) if one != two), min(len(self.firings), len(other.firings))
        )


class Game(Walk):
    """The walk of a player, who fires what is enabled, goes back, and returns to branches that were left."""

    def __init__(self, net: Net, seed: int) -> None:
        """Raise ModelError if the marking at the start cannot be computed, LanguageError for a wrong recording."""
        super().__init__(net, seed, 0)
        self.branches: list[Branch] = []
        self.could = [self.enabled()]  # after each number of firings: what was enabled
        self._fired: list[tuple[int, tuple[Scalar, ...]]] = []

    @property
    def branch(self) -> Branch:
        """What is played now."""
        return Branch(tuple(self._fired), dict(self._chosen))

    def recording(self) -> Recording:
        assert isinstance(self.engine, Recorder)
        return self.engine.recording(self.now, self.reason)

    def play(self, firings: int, which: int | None, count: int = 1) -> None:
        """Fire one of what was enabled after so many firings, or `count` by chance. What followed there is a branch."""
        choice = None if which is None else self.could[firings][which]
        if firings < self.firings:
            self._leave()
            self.back(self.firings - firings)
        self._go(firings + count, choice)

    def take(self, number: int) -> None:
        """Return to a branch; what was played last becomes one."""
        branch = self.branches.pop(number)
        self._leave()
        self.back(self.firings)
        self._chosen = dict(branch.chosen)
        self._go(len(branch.firings))

    def _leave(self) -> None:
        self.branches = [*self.branches, self.branch][-MOST_BRANCHES:]

    def _go(self, firings: int, choice: Enabled | None = None) -> None:
        """Fire until there are so many firings, or nothing can fire."""
        del self._fired[self.firings :]
        while self.reason == "budget" and self.firings < firings:
            steps, choice = self.fire(choice), None
            self._fired += [(one.transition, one.variables) for one in steps if one.kind == "starts"]
            self.could[self.firings :] = [self.enabled()]

    def _engine_at_start(self) -> Engine:
        return Recorder(self.net, self._seed, self._replication, self._limits)

    def _keep_copy(self) -> None:
        """Keep none: the record of clocks knows them as objects, which a copy would not have."""
