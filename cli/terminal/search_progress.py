"""What a search says while it goes on."""

from __future__ import annotations

from petri.experiment.forwarding.procedure import Measured
from petri.experiment.threshold.procedure import State
from petri.report.telling.search import measured_text, progress_text, tried_text

from .console import remark
from .progress import StatusLine, terminal_width


class SearchProgress(StatusLine):
    """Watches a search (`petri.experiment.threshold.procedure.run_search`), with a line for each value decided."""

    def __call__(self, state: State | Measured) -> None:
        if self.quiet:
            return
        if isinstance(state, State) and state.finished is None:
            if self.due():
                self.show(progress_text(state, terminal_width() - 1))
            return
        self.close()
        remark(tried_text(state) if isinstance(state, State) else measured_text(state))
