"""What `pnsim run` does, once its options have been read."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from petri.analysis.sampling import exact_expectations
from petri.diagnostics import Diagnostic, LanguageError, Value
from petri.engine.interface import Limits
from petri.engine.native import available
from petri.exact.solution import Solution
from petri.experiment.design.warmup import find
from petri.language import check_with_sources
from petri.language.checking.conflicts import conflicts
from petri.measure.sequential import Precision
from petri.measure.trend import Drift
from petri.model import MOST_FOR_PRECISION, Model, imprecise
from petri.net import Net
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Units
from petri.report.telling.unsettled import cold_start_values, growth_text
from petri.report.terminal.solution import print_comparison
from petri.report.terminal.summary import print_summary
from petri.result import Result
from petri.result.export import number as told_number
from petri.run.going_on import Starts
from petri.run.plan import Plan, RunOptions
from petri.run.saved_run import NotSaved, SavedRun
from petri.run.stop import TimeLimit

from ..options import nets
from ..options.given import Given, read_pairs
from ..options.outlets import Outlets
from ..options.pages import check, write_page
from ..options.run_options import read_precision
from ..options.time_limit import tell_over
from ..options.trace import TraceFile
from ..terminal import exits
from ..terminal.console import always_shown, stdout_console, tell, tell_all, tell_missing, write_json
from ..terminal.exits import Refusal, refusal
from ..terminal.progress import ProgressLine
from .solve import comparison_rows, exact_libraries

if TYPE_CHECKING:
    from petri.bounds import Bound

MOST_OCCUPANCIES = 2_000  # places; a distribution of tokens for each would make a result of many more unwieldy
MOST_CHOICES = 2_000  # transitions of a net whose choices by chance are looked at before the text is checked
MOST_DRIFTS = 3  # figures that have not settled, of those that are shown


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the options of `pnsim run` ask for besides the plan of the run (`RunOptions`), by their names."""

    net: str | None
    given: Given
    precision: str | None
    max_replications: int | None
    time_limit: TimeLimit | None
    threads: int | None
    as_json: bool
    trace: str | None
    outs: tuple[str, ...]
    exact: bool
    bound: bool
    report: str | None
    every: bool
    quiet: bool
    max_tokens: int | None
    max_instant: int | None
    saving: tuple[str, str] | None
    saved: str | None
    streams: str | None

    @property
    def limits(self) -> Limits:
        standard = Limits()
        return Limits(self.max_instant or standard.firings_at_an_instant, self.max_tokens or standard.tokens)


def run(asked: Asked, planned: RunOptions) -> int:
    """Run the net and show what was found. Returns the exit status. Raises Refusal, LanguageError."""
    start = None if asked.saved is None else _saved(asked.saved)
    model = _with_streams(_model(asked, start), asked.streams, start)
    _check_engine(planned.get("engine", "auto"), asked.quiet)
    _check_outputs(asked, model)
    wanted = _precision(model, asked, planned.get("replications"))
    planned["save_at"] = asked.saving[0] if asked.saving else None
    planned["limits"] = asked.limits
    described = bool(asked.report or asked.as_json or asked.saving)
    planned["occupancy"] = described and len(model.net.places) <= MOST_OCCUPANCIES
    try:
        if planned.get("warmup") == "auto":
            planned["warmup"] = _find_warmup(model, planned, asked)
        # Errors in the times are reported before any file is written.
        plan, count, starts = _plan(model, start, asked, planned)
    except LanguageError as error:
        tell_all(error.diagnostics, error.sources)
        return exits.NOT_STARTED
    solution = _solved(model, plan) if asked.exact else None
    bounds = _bounds(model) if asked.bound else None
    started = time.perf_counter()
    if wanted is None:
        result, untraced = _simulate(model, plan, count, asked, starts)
    else:
        result, untraced = _replicate(model, plan, wanted, planned.get("replications"), asked), None
    seconds = time.perf_counter() - started
    with always_shown(lambda: _show(result, asked, seconds, solution, bounds)):
        if asked.report:
            _write_report(result, model, asked.report)
    if asked.saving is not None:
        _save(result, *asked.saving)
    if untraced is not None:
        raise untraced
    _tell_interruption(result, wanted, asked)
    if not asked.quiet:
        _tell_choices(model, asked)
    return _tell_ending(result, model, asked.quiet)


def _check_outputs(asked: Asked, model: Model) -> None:
    """Raise Refusal for a report or a saved state that cannot be written, before anything is computed."""
    check(asked.report)
    if asked.saving is not None:
        exits.check_output(asked.saving[1], model.sources)


def _model(asked: Asked, start: SavedRun | None) -> Model:
    """Return the net that is named, or that of the saved state.

    Raises Refusal, and MissingParameter if there is neither.
    """
    if asked.net is not None:
        return nets.load(asked.net, asked.given, quiet=asked.quiet)
    if start is None:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    if asked.given != Given():
        raise refusal("state-with-parameters")
    return Model(start.net)


def _with_streams(model: Model, streams: str | None, start: SavedRun | None) -> Model:
    """Return the model with the random streams of the option; without it, those of the saved state."""
    before = model.net if start is None else start.net
    return model.with_own_streams(before.own_streams if streams is None else streams == "per-transition")


def _saved(path: str) -> SavedRun:
    """Raise Refusal for a file that is not a saved state."""
    try:
        return SavedRun.load(path)
    except OSError as error:
        raise refusal("state-unreadable", path=path, reason=error.strerror or str(error)) from error
    except NotSaved as error:
        raise refusal("state-unreadable", path=path, reason=str(error)) from error


def _plan(model: Model, start: SavedRun | None, asked: Asked, planned: RunOptions) -> tuple[Plan, int, Starts | None]:
    """Return the plan, the number of replications, and where they begin if not at time 0.

    Reports what a state lacks.
    """
    trace = asked.trace is not None
    if start is None:
        return *model.plan(trace=trace, **planned), None
    going_on = model.going_on(start, trace=trace, **planned)
    starts = going_on.starts
    if starts.left_out and not asked.quiet:
        tell(Diagnostic("state-left-out", severity="warning", values={"parts": list(starts.left_out)}))
    return going_on.plan, len(starts.replications), starts


def _save(result: Result, time: str, path: str) -> None:
    """Write the saved state, if the run came so far. Raises Refusal."""
    saved = result.saved
    if saved is None:
        tell(Diagnostic("state-not-reached", severity="warning", values={"time": time}))
        return
    if ended := len(result.replications) - len(saved.replications):
        values: dict[str, Value] = {"ended": ended, "count": len(result.replications), "time": time}
        tell(Diagnostic("state-in-part", severity="warning", values=values))
    try:
        with exits.writing(path, exits.STOPPED):
            saved.save(path)
    except NotSaved as error:
        raise refusal("state-too-large", path=path, reason=str(error)) from error


def _simulate(
    model: Model, plan: Plan, count: int, asked: Asked, starts: Starts | None
) -> tuple[Result, Refusal | None]:
    """Return the result, and why the trace could not be written, if so."""
    limit, threads = asked.time_limit, asked.threads
    with ExitStack() as stack:
        sink = outlet = None
        if asked.outs:
            outlet = stack.enter_context(Outlets(model.net, read_pairs(asked.outs, "out"), count))
        if asked.trace:
            threads, limit = 1, TimeLimit.of(limit)
            sink = stack.enter_context(TraceFile(asked.trace, model.net, plan.until, count, limit))
        progress = stack.enter_context(ProgressLine(Units.of(model.net), asked.quiet))
        result = model.run_plan(
            plan, count, progress=progress, trace=sink, outlet=outlet, starts=starts, threads=threads, time_limit=limit
        )
    return result, None if sink is None else sink.failure


def _replicate(model: Model, plan: Plan, wanted: Precision, first: int | None, asked: Asked) -> Result:
    """Replicate until the intervals are as narrow as wanted."""
    first, most = first or model.first_look, asked.max_replications or MOST_FOR_PRECISION
    with ProgressLine(Units.of(model.net), asked.quiet) as progress:
        return model.run_precisely(
            plan, wanted, first, most, threads=asked.threads, progress=progress, time_limit=asked.time_limit
        )


def _precision(model: Model, asked: Asked, replications: int | None) -> Precision | None:
    """Return the value of `--precision`, or that of the net where nothing else decides how often it is run.

    Raises Refusal.
    """
    with_state = asked.saved is not None or asked.saving is not None
    if asked.precision is None:
        decided = replications is not None or asked.trace is not None or bool(asked.outs) or with_state
        return None if decided else model.precision
    if asked.trace is not None or asked.outs:
        raise refusal("precision-of-trace")
    wanted = read_precision(asked.precision)
    if with_state:
        raise refusal("state-with-precision")
    return wanted


def _find_warmup(model: Model, planned: RunOptions, asked: Asked) -> str:
    """Determine the end of the warm-up from pilot runs, and report it."""
    try:
        found = find(
            model,
            until=planned.get("until"),
            seed=planned.get("seed"),
            engine=planned.get("engine", "auto"),
            limit=TimeLimit.of(asked.time_limit),
        )
    except ValueError as error:
        raise refusal("warmup-without-end", net=model.net.name) from error
    if not asked.quiet:
        where = Units.of(model.net).show(found.length, "Time")
        tell(Diagnostic("warmup-found", severity="note", values={"where": where, "series": found.decided_by}))
    if not found.settled:
        tell(Diagnostic("warmup-unsettled", severity="warning", values={"series": found.decided_by}))
    return f"{found.length!r} {model.net.time_unit}".strip()


def _check_engine(engine: str, quiet: bool) -> None:
    if engine == "reference" or available():
        return
    if engine == "native":
        raise refusal("native-missing")
    if not quiet:
        tell(Diagnostic("reference-only", severity="note"))


def _solved(model: Model, plan: Plan) -> Solution:
    """Return the exact figures to compare a run with: without a warm-up and with an end, those up to there."""
    up_to = plan.until if plan.warmup == 0.0 and math.isfinite(plan.until) and not plan.firings else None
    with exact_libraries():
        return model.solve(at=up_to)


def _bounds(model: Model) -> list[Bound]:
    """Return how large the measures can be in the long run."""
    with exact_libraries():
        return model.bounds().measures


def _show(
    result: Result, asked: Asked, seconds: float, solution: Solution | None, bounds: Sequence[Bound] | None
) -> None:
    if asked.as_json:
        contents = result.to_dict()
        if solution is not None:
            contents["exact"] = comparison_rows(solution, result)
        if bounds is not None:
            contents["bounds"] = _shares(bounds, result)
        if asked.net is not None:
            contents["manifest"]["source"] = asked.net
        write_json(contents)
        return
    print_summary(result, stdout_console(), seconds=seconds, every=asked.every)
    if solution is not None:
        print_comparison(solution, result, stdout_console())
    if bounds is not None:
        from petri.report.terminal.bounds import print_shares

        print_shares(bounds, result, stdout_console())


def _shares(bounds: Sequence[Bound], result: Result) -> list[dict[str, Any]]:
    """Return how much of their bounds measures have reached, for JSON."""
    from petri.report.telling.bounds import shares

    return [
        {"name": one.name, "at_most": told_number(one.high), "share": told_number(share.mean)}
        for one, share in shares(bounds, result)
    ]


def _write_report(result: Result, model: Model, path: str) -> None:
    """Write a page with the figures, if there are any. Raises Refusal."""
    if result.counted:
        from petri.report.html import run_report  # a third of a start, which few runs need

        write_page(run_report(result, model.sources), path)


def _tell_interruption(result: Result, wanted: Precision | None, asked: Asked) -> None:
    """Say that the time was over, or which measures have not become as precise as they should."""
    if result.interrupted:
        tell_over(asked.time_limit)
    elif wanted is not None and not asked.quiet:
        _tell_imprecise(result, wanted)


def _tell_imprecise(result: Result, wanted: Precision) -> None:
    missed = imprecise(result, wanted)
    if missed:
        values: dict[str, Value] = {"count": len(result.replications), "measures": missed}
        tell(Diagnostic("run-imprecise", severity="note", values=values))


def _drift_note(units: Units, drift: Drift, more: int) -> Diagnostic:
    """Return the note that a figure has not settled; `more` others are not told."""
    early, late = (units.show(value, shown_dimension(drift.dimension)) for value in (drift.early, drift.late))
    values: dict[str, Value] = {"name": drift.name, "early": early, "late": late}
    identifier = "place-still-grows" if drift.kind == "place" else "measure-unsettled"
    if drift.kind == "place" and drift.steady:
        identifier, values["growth"] = "place-grows-steadily", growth_text(drift.growth, units)
    return Diagnostic(identifier, severity="note", values={**values, "more": more or None})


def _tell_drifts(drifts: Sequence[Drift], net: Net) -> None:
    shown, units = drifts[:MOST_DRIFTS], Units.of(net)
    for number, drift in enumerate(shown, 1):
        tell(_drift_note(units, drift, len(drifts) - number if number == len(shown) else 0))


def _tell_exact_expectations(result: Result, model: Model) -> None:
    """Say which of the expectations that failed ask for a number that no random figure meets."""
    failed = [expectation.span for expectation, verdict in result.judged if not verdict.passed]
    tell_all([note for note in exact_expectations(model.net) if note.span in failed], model.sources)


def _tell_cold_start(result: Result) -> list[Drift]:
    """Say that runs begin empty; return the drifts that this does not explain."""
    cold = result.cold_start
    if cold is not None:
        tell(Diagnostic("begins-cold", severity="note", values=cold_start_values(cold)))
    return [drift for drift in result.drifts if cold is None or drift.name != cold.place]


def _tell_cautions(result: Result, model: Model, quiet: bool) -> None:
    for told in result.cautions:
        if told.severity == "warning" or not quiet:
            tell(told, model.sources)


def _tell_choices(model: Model, asked: Asked) -> None:
    """Warn of transitions that compete by chance, where the check of the text finds that this is probably a slip.

    The text is read again only for the few nets in which there are such transitions.
    """
    if asked.net in (None, nets.STDIN) or len(model.net.transitions) > MOST_CHOICES:
        return
    if next(conflicts(model.net), None) is None or not model.sources:
        return
    found, sources = check_with_sources(next(iter(model.sources)), asked.given.settings)
    for one in found:
        if one.id in ("choice-by-chance", "patience-that-holds"):
            tell(one, sources)


def _tell_ending(result: Result, model: Model, quiet: bool) -> int:
    """Report on stderr why the run ended early, if it did, and what has not settled. Returns the exit status."""
    tell_missing(result.files)
    _tell_cautions(result, model, quiet)
    failure = result.failure
    if failure is not None:
        tell(failure.diagnostic, model.sources)
    if result.interrupted:
        tell(
            Diagnostic("interrupted", values={"done": sum(r.complete for r in result.replications), "of": result.asked})
        )
        return exits.INTERRUPTED
    if not quiet:
        _tell_drifts(_tell_cold_start(result), model.net)
    for measured in result.failed_measures:
        tell(Diagnostic("figure-failed", values={"name": measured.name, "reason": measured.failure}))
    if not (quiet or result.passed):
        _tell_exact_expectations(result, model)
    if failure is not None:
        return exits.STOPPED
    if any(replication.ended == "firings" for replication in result.replications):
        tell(Diagnostic("firings-limit", values={"limit": result.plan.firings}))
        return exits.STOPPED
    return exits.DONE if result.passed else exits.FAILED
