"""The words and tables that describe a search: for the terminal, the page and the notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from petri.diagnostics import Diagnostic, Value
from petri.experiment.design.definition import point_label, shown
from petri.experiment.design.sampling import Value as Parameter
from petri.experiment.design.sampling import Values
from petri.experiment.forwarding.procedure import Measured
from petri.experiment.threshold.outcome import Found, SearchOutcome, Trial
from petri.experiment.threshold.procedure import State
from petri.measure.figures import Figure
from petri.report.telling.columns import Column
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.progress import fitting
from petri.report.telling.quantities import NOTHING, Units, number
from petri.report.telling.unsettled import estimate, marked
from petri.structs import replace

VERDICTS: Final = {"holds": "green", "fails": "red", "grows": "red"}


def question(outcome: SearchOutcome) -> str:
    """`largest load with loss <= 1%`."""
    return f"{'smallest' if outcome.down else 'largest'} {outcome.find} with {outcome.condition.text}"


def answer(outcome: SearchOutcome, found: Found) -> str:
    """`load = 0.86; at 0.87 it fails. Right with a probability of at least 97%`."""
    if found.status == "found" and found.last is not None and found.next is not None:
        text = f"{outcome.find} = {shown(found.last.value)}; it fails at {shown(found.next.value)}. "
        return text + f"Right with a probability of at least {share(found.probability)}"
    if found.status == "unfinished":
        between = [shown(one.value) for one in (found.last, found.next) if one is not None]
        return f"unfinished{': between ' + ' and '.join(between) if len(between) == 2 else ''}"
    return f"not found: it {found.status.replace('the start', 'the first value')}"


def verdict(trial: Trial) -> str:
    """Return `holds`, `fails`, `grows`; with `?` where it is not certain."""
    word = "grows" if trial.grows is not None else "holds" if trial.holds else "fails"
    return word if trial.certain else f"{word}?"


def share(probability: float) -> str:
    """Round a share down: `97%`, `99.8%`."""
    percent = 100.0 * probability
    digits = 0 if percent < 99.0 else 1
    scale = 10.0**digits
    return f"{int(percent * scale + 1e-9) / scale:.{digits}f}%"


def remarks(outcome: SearchOutcome) -> list[Diagnostic]:
    """Return notes on what was found; one that is the same at several points names all of them."""
    alike: dict[str, list[Diagnostic]] = {}
    for note in (note for found in outcome.found for note in _remarks_at(outcome, found)):
        rest = {name: value for name, value in note.values.items() if name != "point"}
        alike.setdefault(repr((note.id, rest)), []).append(note)
    return [
        replace(notes[0], values={**notes[0].values, "point": ", ".join(str(one.values["point"]) for one in notes)})
        if len(notes) > 1
        else notes[0]
        for notes in alike.values()
    ]


def _remarks_at(outcome: SearchOutcome, found: Found) -> Iterator[Diagnostic]:
    """Yield notes on decisions that make the answer less certain than asked, and on a value that only a place fails.

    It grows until the end of the runs.
    """
    point = where(found.parameters)
    doubtful = [trial for trial in found.trials if not trial.certain]
    if doubtful and found.probability < outcome.confidence:
        values: dict[str, Value] = {
            "values": [f"{outcome.find} = {shown(one.value)}" for one in doubtful],
            "count": max(one.replications for one in doubtful),
            "share": share(found.probability),
            "point": point,
        }
        yield Diagnostic("search-uncertain", severity="note", values=values)
    grows = None if found.next is None else found.next.grows
    if found.next is not None and grows is not None:
        values = {
            "value": f"{outcome.find} = {shown(found.next.value)}",
            "condition": outcome.condition.text,
            "place": grows.name,
            "early": number(grows.early),
            "late": number(grows.late),
            "point": point,
        }
        yield Diagnostic("search-grows", severity="note", values=values)


def ending(outcome: SearchOutcome, found: Found) -> Iterator[Diagnostic]:
    """Yield the error of a search that found nothing."""
    point = where(found.parameters)
    if found.status == "fails at the start" and found.next is not None:
        first, last = found.trials[0], found.trials[-1]
        values: dict[str, Value] = {
            "condition": outcome.condition.text,
            "value": f"{outcome.find} = {shown(first.value)}",
            "reason": measured(outcome, first),
            "turned": f"{shown(last.value)}..{shown(first.value)}" if last.holds else None,
            "begin": None if last.holds else "where it holds",
            "point": point,
        }
        yield Diagnostic("search-fails-at-start", values=values)
    elif found.status == "holds to the end" and found.last is not None:
        values = {
            "condition": outcome.condition.text,
            "value": f"{outcome.find} = {shown(found.last.value)}",
            "point": point,
        }
        yield Diagnostic("search-holds-to-end", values=values)


def where(parameters: Values) -> str | None:
    return point_label(parameters) if parameters else None


def measured(outcome: SearchOutcome, trial: Trial) -> str:
    """Return the measures of the condition at a value: `loss 5.25 ± 0.11 %`; or the place that grows."""
    if trial.grows is not None:
        early, late = number(trial.grows.early), number(trial.grows.late)
        return f"{trial.grows.name} grows from {early} to {late} until the end"
    units = Units.of(outcome.outcome.net)
    texts = []
    for comparison in outcome.condition.comparisons:
        found = trial.point.intervals[comparison.figure.name]
        texts.append(
            f"{comparison.figure.name} {units.show_interval(found, shown_dimension(comparison.figure.dimension))}"
        )
    return ", ".join(dict.fromkeys(texts))


# ---------------------------------------------------------------- tables


def tried_columns(outcome: SearchOutcome, found: Found) -> list[Column]:
    trials = found.trials
    verdicts = [(verdict(trial), VERDICTS[verdict(trial).rstrip("?")]) for trial in trials]
    return [
        Column(outcome.find, [shown(trial.value) for trial in trials], style="cyan"),
        Column("", [Text(word, style=style) for word, style in verdicts], left=True),
        Column("n", [str(trial.replications) for trial in trials]),
        *_measure_columns(outcome, trials),
    ]


def found_columns(outcome: SearchOutcome) -> list[Column]:
    """Return what was found at each point, and with which probability it is right."""
    found = outcome.found
    axes = dict.fromkeys(name for one in found for name in one.parameters)
    return [
        *(Column(axis, [_value(one.parameters.get(axis)) for one in found], style="cyan") for axis in axes),
        Column(outcome.find, [_value(one.value) for one in found], style="bold"),
        Column("fails at", [_value(None if one.next is None else one.next.value) for one in found]),
        Column("right", [share(one.probability) if one.status == "found" else NOTHING for one in found], rank=1),
        Column("n", [number(one.replications) for one in found], rank=2),
        *_measure_columns(outcome, [one.last for one in found]),
    ]


def _value(value: Parameter | None) -> str:
    return NOTHING if value is None else shown(value)


def figures_in_order(outcome: SearchOutcome) -> list[Figure]:
    """Return the measures of the condition, then the others."""
    return sorted(outcome.outcome.figures, key=lambda one: one.name not in outcome.condition.names)


def _measure_columns(outcome: SearchOutcome, trials: Sequence[Trial | None]) -> list[Column]:
    """Return the columns of measures; those that are not in the condition are left out first on a narrow terminal."""
    units, asked = Units.of(outcome.outcome.net), outcome.condition.names
    points = [None if trial is None else trial.point for trial in trials]
    made = []
    for rank, one in enumerate(figures_in_order(outcome), 3):
        dimension = shown_dimension(one.dimension)
        full = [NOTHING if point is None else estimate(point, one.name, dimension, units) for point in points]
        brief = [
            NOTHING
            if point is None
            else marked(units.show(point.intervals[one.name].mean, dimension), one.name in point.unsettled)
            for point in points
        ]
        made.append(Column(one.name, full, brief=brief, rank=0 if one.name in asked else rank))
    return made


# ---------------------------------------------------------------- progress


def tried_text(state: State) -> str:
    """`seats=5  load=0.75  n 5  holds`: a value that has just been decided."""
    trial = state.finished
    assert trial is not None
    at = point_label({**state.parameters, state.find: trial.value})
    return "  ".join([_points(state), at, f"n {trial.replications}", verdict(trial)]).strip()


def measured_text(what: Measured) -> str:
    """`size=64 B load=0.4  n 10  delay`: a point of a study that has just been measured."""
    return f"{point_label(what.parameters)}  n {what.replications}  {what.what}"


def progress_text(state: State, room: int) -> str:
    """Return what is running, in at most `room` columns."""
    value = f"{state.find}={shown(state.value)}"
    at = point_label({**state.parameters, state.find: state.value})
    tried = f"value {state.tried + 1} of at most {state.most_tried}"
    runs = f"{state.replications} replications"
    points = _points(state)
    return fitting([(points, at, tried, runs), (at, tried, runs), (value, tried), (value,)], room)


def _points(state: State) -> str:
    return f"{state.points_done + 1} of {state.points} points" if state.points > 1 else ""
