"""The progress of a validation on stderr: that of the current experiment, below how long the rest of all takes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from petri.experiment.procedure.campaign import State, Watcher
from petri.report.telling.progress import fitting, left_text
from petri.validation.estimate import Estimate

from .progress import Status
from .sweep_progress import SweepProgress


class ValidationProgress(Status):
    """Watches the experiments of a validation in their order. names: as `reordering/figure_7`."""

    def __init__(self, names: Sequence[str], estimate: Estimate, quiet: bool = False) -> None:
        super().__init__(quiet)
        self._names = names
        self._estimate = estimate
        self._stack = ExitStack()

    def close(self) -> None:
        self._stack.close()

    def watch(self, name: str, store: Path) -> Watcher:
        """Return the watcher of the next experiment (`petri.validation.run_folder`)."""
        self.close()
        self._estimate.begin()
        shown = self._stack.enter_context(SweepProgress(store, self.quiet, self.heading))

        def watcher(state: State) -> None:
            wanted = max(state.replications, 1)
            self._estimate.look(state.done / wanted, state.here / wanted, state.seconds)
            shown(state)

        return watcher

    def heading(self, room: int) -> str:
        """`reordering/figure_7  3 of 15 experiments  all: 6:12 left`, as much as there is room for.

        Of a single experiment only its name: the lines below have the rest.
        """
        position, left = self._estimate.position, self._estimate.left
        if len(self._names) == 1:
            return fitting([(self._names[0],)], room)
        name, rest = self._names[position], "" if left is None else f"all: {left_text(left)}"
        count = f"{position + 1} of {len(self._names)} experiments"
        return fitting([(name, count, rest), (count, rest), (rest,), (count,)], room)
