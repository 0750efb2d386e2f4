"""What `pnsim run` does, once its options have been read."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TypedDict, Unpack

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
from petri.run.going_on import Starts
from petri.run.plan import Plan, RunOptions
from petri.run.saved_run import NotSaved, SavedRun
from petri.run.stop import TimeLimit

from ..options import nets
from ..options.given import Given
from ..options.pages import check, write_page
from ..options.run_options import read_precision
from ..options.time_limit import tell_over
from ..options.trace import TraceFile
from ..terminal import exits
from ..terminal.console import always_shown, stdout_console, tell, tell_all, tell_missing, write_json
from ..terminal.exits import Refusal, refusal
from ..terminal.progress import ProgressLine
from .solve import comparison_rows, exact_libraries


class How(TypedDict):
    """How replications are run."""

    threads: int | None
    time_limit: TimeLimit | None


MOST_OCCUPANCIES = 2_000  # places; a distribution of tokens for each would make a result of many more unwieldy
MOST_CHOICES = 2_000  # transitions of a net whose choices by chance are looked at before the text is checked
MOST_DRIFTS = 3  # figures that have not settled, of those that are shown


def run(
    net: str | None,
    given: Given,
    *,
    precision: str | None = None,
    max_replications: int | None = None,
    time_limit: TimeLimit | None = None,
    threads: int | None = None,
    as_json: bool = False,
    trace: str | None = None,
    exact: bool = False,
    report: str | None = None,
    every: bool = False,
    quiet: bool = False,
    max_tokens: int | None = None,
    max_instant: int | None = None,
    saving: tuple[str, str] | None = None,
    saved: str | None = None,
    random_streams: str | None = None,
    **planned: Unpack[RunOptions],
) -> int:
    """Run the net and show what was found. Returns the exit status. Raises Refusal, LanguageError."""
    start = None if saved is None else _saved(saved)
    model = _with_streams(_model(net, given, start, quiet), random_streams, start)
    _check_engine(planned.get("engine", "auto"), quiet)
    _check_outputs(report, saving, model)
    with_state = start is not None or saving is not None
    wanted = _precision(model, precision, planned.get("replications"), trace is not None, with_state)
    planned["save_at"] = saving[0] if saving else None
    planned["limits"] = _limits(max_tokens, max_instant)
    planned["occupancy"] = bool(report or as_json or saving) and len(model.net.places) <= MOST_OCCUPANCIES
    try:
        if planned.get("warmup") == "auto":
            planned["warmup"] = _find_warmup(model, planned, quiet, time_limit)
        # Errors in the times are reported before any file is written.
        plan, asked, starts = _plan(model, start, trace is not None, planned, quiet)
    except LanguageError as error:
        tell_all(error.diagnostics, error.sources)
        return exits.NOT_STARTED
    solution = _solved(model, plan) if exact else None
    how: How = {"threads": threads, "time_limit": time_limit}
    started = time.perf_counter()
    if wanted is None:
        result, untraced = _simulate(model, plan, asked, trace, quiet, how, starts)
    else:
        first = planned.get("replications")
        result, untraced = _replicate(model, plan, wanted, first, max_replications, quiet, how), None
    seconds = time.perf_counter() - started
    with always_shown(lambda: _show(result, net, seconds, as_json, every, solution)):
        if report:
            _write_report(result, model, report)
    if saving is not None:
        _save(result, *saving)
    if untraced is not None:
        raise untraced
    _tell_interruption(result, wanted, time_limit, quiet)
    if not quiet:
        _tell_choices(model, net, given)
    return _tell_ending(result, model, quiet)


def _check_outputs(report: str | None, saving: tuple[str, str] | None, model: Model) -> None:
    """Raises Refusal for a report or a saved state that cannot be written, before anything is computed."""
    if report is not None:
        check(report)
    if saving is not None:
        exits.check_output(saving[1], model.sources)


def _model(net: str | None, given: Given, start: SavedRun | None, quiet: bool) -> Model:
    """The net that is named, or that of the saved state. Raises Refusal, and MissingParameter if there is neither."""
    if net is not None:
        return nets.load(net, given, quiet=quiet)
    if start is None:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    if given != Given():
        raise refusal("state-with-parameters")
    return Model(start.net)


def _with_streams(model: Model, streams: str | None, start: SavedRun | None) -> Model:
    """The model with the random streams of the option; without it, those of the saved state."""
    before = model.net if start is None else start.net
    return model.with_own_streams(before.own_streams if streams is None else streams == "per-transition")


def _saved(path: str) -> SavedRun:
    """Raises Refusal for a file that is not a saved state."""
    try:
        return SavedRun.load(path)
    except OSError as error:
        raise refusal("state-unreadable", path=path, reason=error.strerror or str(error)) from error
    except NotSaved as error:
        raise refusal("state-unreadable", path=path, reason=str(error)) from error


def _plan(
    model: Model, start: SavedRun | None, trace: bool, planned: RunOptions, quiet: bool
) -> tuple[Plan, int, Starts | None]:
    """The plan, the number of replications, and where they begin if not at time 0. Reports what a state lacks."""
    if start is None:
        return *model.plan(trace=trace, **planned), None
    going_on = model.going_on(start, trace=trace, **planned)
    starts = going_on.starts
    if starts.left_out and not quiet:
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
    model: Model, plan: Plan, asked: int, trace: str | None, quiet: bool, how: How, starts: Starts | None
) -> tuple[Result, Refusal | None]:
    """The result, and why the trace could not be written, if so."""
    with (
        _trace_file(trace, model.net, plan, asked, how) if trace else nullcontext() as sink,
        ProgressLine(Units.of(model.net), quiet) as progress,
    ):
        result = model.run_plan(plan, asked, progress=progress, trace=sink, starts=starts, **how)
    return result, None if sink is None else sink.failure


def _trace_file(path: str, net: Net, plan: Plan, asked: int, how: How) -> TraceFile:
    how["threads"] = 1
    how["time_limit"] = limit = TimeLimit.of(how["time_limit"])
    return TraceFile(path, net, plan.until, asked, limit)


def _replicate(
    model: Model, plan: Plan, wanted: Precision, first: int | None, most: int | None, quiet: bool, how: How
) -> Result:
    """Replicate until the intervals are as narrow as wanted."""
    with ProgressLine(Units.of(model.net), quiet) as progress:
        first, most = first or model.first_look, most or MOST_FOR_PRECISION
        return model.run_precisely(plan, wanted, first, most, progress=progress, **how)


def _limits(tokens: int | None, firings_at_an_instant: int | None) -> Limits:
    standard = Limits()
    return Limits(firings_at_an_instant or standard.firings_at_an_instant, tokens or standard.tokens)


def _precision(
    model: Model, text: str | None, replications: int | None, trace: bool, with_state: bool
) -> Precision | None:
    """The value of `--precision`, or that of the net where nothing else decides how often it is run. Raises Refusal.

    with_state: whether a state is saved, or the run goes on from one.
    """
    if text is None:
        decided = replications is not None or trace or with_state
        return None if decided else model.precision
    if trace:
        raise refusal("precision-of-trace")
    wanted = read_precision(text)
    if with_state:
        raise refusal("state-with-precision")
    return wanted


def _find_warmup(model: Model, planned: RunOptions, quiet: bool, limit: TimeLimit | None) -> str:
    """Determine the end of the warm-up from pilot runs, and report it."""
    try:
        found = find(
            model,
            until=planned.get("until"),
            seed=planned.get("seed"),
            engine=planned.get("engine", "auto"),
            limit=TimeLimit.of(limit),
        )
    except ValueError as error:
        raise refusal("warmup-without-end", net=model.net.name) from error
    if not quiet:
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
    """The exact figures to compare a run with: without a warm-up and with an end, those up to there."""
    up_to = plan.until if plan.warmup == 0.0 and math.isfinite(plan.until) and not plan.firings else None
    with exact_libraries():
        return model.solve(at=up_to)


def _show(
    result: Result, source: str | None, seconds: float, as_json: bool, every: bool, solution: Solution | None
) -> None:
    if as_json:
        contents = result.to_dict()
        if solution is not None:
            contents["exact"] = comparison_rows(solution, result)
        if source is not None:
            contents["manifest"]["source"] = source
        write_json(contents)
        return
    print_summary(result, stdout_console(), seconds=seconds, every=every)
    if solution is not None:
        print_comparison(solution, result, stdout_console())


def _write_report(result: Result, model: Model, path: str) -> None:
    """A page with the figures, if there are any. Raises Refusal."""
    if result.counted:
        from petri.report.html import run_report  # a third of a start, which few runs need

        write_page(run_report(result, model.sources), path)


def _tell_interruption(result: Result, wanted: Precision | None, limit: TimeLimit | None, quiet: bool) -> None:
    """Say that the time was over, or which measures have not become as precise as they should."""
    if result.interrupted:
        tell_over(limit)
    elif wanted is not None and not quiet:
        _tell_imprecise(result, wanted)


def _tell_imprecise(result: Result, wanted: Precision) -> None:
    missed = imprecise(result, wanted)
    if missed:
        values: dict[str, Value] = {"count": len(result.replications), "measures": missed}
        tell(Diagnostic("run-imprecise", severity="note", values=values))


def _drift_note(units: Units, drift: Drift, more: int) -> Diagnostic:
    """That a figure has not settled; `more` others are not told."""
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
    """Which of the expectations that failed ask for a number that no random figure meets."""
    failed = [expectation.span for expectation, verdict in result.judged if not verdict.passed]
    tell_all([note for note in exact_expectations(model.net) if note.span in failed], model.sources)


def _tell_cold_start(result: Result) -> list[Drift]:
    """That runs begin empty; the drifts that this does not explain."""
    cold = result.cold_start
    if cold is not None:
        tell(Diagnostic("begins-cold", severity="note", values=cold_start_values(cold)))
    return [one for one in result.drifts if cold is None or one.name != cold.place]


def _tell_cautions(result: Result, model: Model, quiet: bool) -> None:
    for told in result.cautions:
        if told.severity == "warning" or not quiet:
            tell(told, model.sources)


def _tell_choices(model: Model, net: str | None, given: Given) -> None:
    """Warn of transitions that compete by chance, where the check of the text finds that this is probably a slip.

    The text is read again only for the few nets in which there are such transitions.
    """
    if net in (None, nets.STDIN) or len(model.net.transitions) > MOST_CHOICES:
        return
    if next(conflicts(model.net), None) is None or not model.sources:
        return
    found, sources = check_with_sources(next(iter(model.sources)), given.settings)
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
