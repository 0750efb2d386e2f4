"""A run as terminal, page and notebook show it: of a result, or of its JSON (`petri.result.stored`).

What they say of a run comes from here; they differ in how they show it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from petri.analysis.cautions import Caution
from petri.analysis.dead import Lack
from petri.diagnostics import Diagnostic, RunFailure
from petri.file_read import FileRead
from petri.measure.formula import Judged
from petri.measure.intervals import Interval
from petri.measure.trend import ColdStart, Drift
from petri.net import Net
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.expected import holding
from petri.report.telling.lacks import Reason, reasons
from petri.report.telling.quantities import Units, counted
from petri.report.telling.run_length import doubt_notes, run_length_note
from petri.result import MeasureResult, Result
from petri.result.export import Manifest, manifest, unpack
from petri.result.history import History, history, lacks, occupancy_shares
from petri.result.stored import Failure, Ran, Recording, StoredResult
from petri.result.tables import Row, table
from petri.run.ensemble import Ensemble, Replication
from petri.run.plan import Ending, Plan
from petri.structs import Frozen, replace


class RunRecord(Frozen, kw_only=True):
    """What takes time to find is a function.

    rows: of "places" or "transitions", an array as one row or not. occupancy: for each place, the share of time with
    0, 1, 2 … tokens; None if the run did not record it. lacks: what each transition lacks, if the net died.
    """

    net: Net
    asked: int  # replications
    plan: Plan
    replications: Sequence[Replication | Ran]
    partial: bool
    failure: RunFailure | Failure | None
    measures: Sequence[MeasureResult]
    verdicts: Sequence[Judged]  # of expectations that do not belong to a measure
    drifts: Sequence[Drift]
    cold_start: ColdStart | None
    cautions: Sequence[Diagnostic | Caution]
    recordings: Sequence[FileRead | Recording]
    rows: Callable[[str, bool], Sequence[Row]]
    manifest: Callable[[], Manifest]
    history: Callable[[], History | None]
    occupancy: Callable[[], Sequence[Sequence[float]] | None]
    lacks: Callable[[], Sequence[Lack]]

    @property
    def units(self) -> Units:
        return Units.of(self.net)

    def time(self, value: float) -> str:
        return self.units.show(value, "Time")

    @property
    def end(self) -> str:
        """Until when it ran: `20 ms`, or a condition."""
        if math.isfinite(self.plan.until):
            return self.time(self.plan.until)
        stop = self.net.run_defaults.stop
        return stop.text if stop else "no transition can fire"

    @property
    def replications_text(self) -> str:
        return counted(self.asked, "replication")

    @property
    def firings(self) -> int:
        """Count the firings of trials as well."""
        if not isinstance(self.replications, Ensemble):
            return sum(replication.firings for replication in self.replications)
        trials: Iterable[int] = (
            tally.firings for more in self.replications.windows.more.values() for tally in more.get("chances", ())
        )
        return self.replications.firings + sum(trials)

    @property
    def judged(self) -> list[Judged]:
        """All expectations, those of measures first."""
        return [*(verdict for measured in self.measures for verdict in measured.verdicts), *self.verdicts]

    @property
    def failed(self) -> list[Judged]:
        return [(expectation, verdict) for expectation, verdict in self.judged if not verdict.passed]

    @property
    def holding(self) -> str:
        """Said where no expectation failed."""
        return holding(len(self.judged))

    @property
    def partial_notice(self) -> str:
        """What is missing from the run, "" if nothing is."""
        finished = [replication for replication in self.replications if replication.complete]
        if not self.partial and len(finished) == self.asked:
            return ""
        stopped = next((replication for replication in self.replications if not replication.complete), None)
        why = self._why_partial(None if stopped is None else stopped.ended)
        if self.asked == 1 and stopped:
            return f"{why} at time {self.time(stopped.time)}" + ("" if stopped.warm else ", still in the warm-up")
        if finished:
            return f"{why}; the figures are from {len(finished)} of {self.asked} replications"
        return f"{why} before any replication finished"

    def _why_partial(self, ended: Ending | None) -> str:
        """Return how the first incomplete replication ended; None if it never started."""
        if ended == "error":
            in_model = self.failure is not None and self.failure.in_model
            return f"stopped by an error in {'the model' if in_model else 'a recording'}"
        return "interrupted" if ended in (None, "interrupted") else "stopped by a limit"

    @property
    def dead(self) -> list[Replication | Ran]:
        return [replication for replication in self.replications if replication.ended == "dead"]

    @property
    def after_death(self) -> str:
        """What the figures of a net that died before its end cover (I10)."""
        return f"Its state lasts: figures cover the time until {self.end}."

    def reasons(self, *, fold: bool = True) -> list[Reason]:
        """Return why the net died. Raises ValueError where JSON tells of transitions that the net does not have."""
        if not (found := self.lacks()):
            return []
        try:
            return reasons(self.net, found, fold=fold)
        except (IndexError, AssertionError) as error:
            raise ValueError("the transitions and places of which it says what they lack") from error

    def interval_notes(self, shown: Iterable[Interval]) -> list[str]:
        """Return what `±?` means, of the figures that are shown."""
        shown = list(shown)
        counted = [
            replication for replication in self.replications if replication.complete and replication.warm
        ] or self.replications
        extensible = counted[0].ended != "dead" and math.isfinite(self.plan.until)
        moving = next((drift.name for drift in self.drifts), "")
        longer = (one.longer for one in shown)
        note = run_length_note(longer, self.plan.warmup, counted[0].time, extensible, self.time, moving, len(counted))
        return [*([note] if note else []), *doubt_notes(shown)]


def shown_figures(measured: MeasureResult) -> list[tuple[str | None, Interval, str]]:
    """Return what a measure shows, the figure of its verdicts first: the field that it records, if any, and its
    dimension.
    """
    dimension = measured.measure.dimension
    recorded = [(field, one, shown_dimension(dimension, field)) for field, one in measured.recorded.items()]
    return [*recorded] or [(None, measured.interval, shown_dimension(dimension))]


def left_out_text(measured: MeasureResult, units: Units) -> str:
    """`leaves out 94 of 5,004 that have not ended: …, the mean is 17.8 s`; "" if the mean shown is as good."""
    found = measured.left_out
    if found is None:
        return ""
    mean = units.show(found.mean, shown_dimension(measured.measure.dimension, "mean"))
    every = f"{found.open:,} of {found.open + found.ended:,}"
    return f"leaves out {every} that have not ended: with their time so far, the mean is {mean}"


def of_result(result: Result) -> RunRecord:
    return RunRecord(
        net=result.net,
        asked=result.asked,
        plan=result.plan,
        replications=result.replications,
        partial=result.partial,
        failure=result.failure,
        measures=() if result.empty else result.measures,
        verdicts=() if result.empty else result.verdicts,
        drifts=result.drifts,
        cold_start=result.cold_start,
        cautions=result.cautions,
        recordings=result.files,
        rows=cache(lambda kind, fold: table(result, kind, fold=fold)),
        manifest=cache(lambda: _manifest(result)),
        history=cache(lambda: history(result.counted)),
        occupancy=cache(lambda: occupancy_shares(result)),
        lacks=cache(lambda: lacks(result)),
    )


def _manifest(result: Result) -> Manifest:
    return manifest(result)


def of_stored(stored: StoredResult) -> RunRecord:
    """Make the record of the JSON of a result.

    Raises KeyError, TypeError or ValueError if what it packs is something else.
    """
    more, plan = unpack(stored.packed), stored.manifest.plan
    return RunRecord(
        net=more.net,
        asked=stored.manifest.replications,
        plan=plan,
        replications=[
            replace(replication, warm=replication.time >= plan.warmup) for replication in stored.replications
        ],
        partial=stored.partial,
        failure=stored.failure,
        measures=stored.measured(more.net),
        verdicts=stored.verdicts(more.net),
        drifts=stored.unsettled,
        cold_start=stored.cold_start,
        cautions=stored.cautions,
        recordings=stored.recordings,
        rows=stored.rows,
        manifest=lambda: stored.manifest,
        history=lambda: more.history,
        occupancy=lambda: more.occupancy,
        lacks=lambda: more.lacks,
    )
