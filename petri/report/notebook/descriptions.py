"""Models and results in one line, for `repr`."""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Final

from petri.exact.solution import Solution
from petri.experiment.design.definition import shown
from petri.experiment.forwarding.outcome import ForwardingOutcome
from petri.experiment.results.outcome import Outcome
from petri.experiment.sensitivity.study import Sensitivity
from petri.experiment.threshold.outcome import SearchOutcome
from petri.measure.figures import recorded_fields
from petri.measure.intervals import Interval
from petri.model import Model
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Units, counted, parameter_text
from petri.report.telling.search import answer, question
from petri.report.telling.sensitivity import heading
from petri.report.telling.solution import exact_text
from petri.report.terminal.why import why_text
from petri.result import MeasureResult, Result
from petri.views import Why
from petri.visible import visible

MOST: Final = 4  # measures or parameters that are named; of more, the rest is counted


@singledispatch
def text(shown: object) -> str:
    """Return what `repr` of an object shows."""
    raise TypeError(type(shown))


text.register(Why, why_text)


@text.register
def describe_interval(interval: Interval) -> str:
    """`0.210 ± 0.013`, in the net's own units, which an interval does not know."""
    return Units().show_interval(interval)


@text.register
def describe_model(model: Model) -> str:
    """`Model mm1: 5 places, 3 transitions, 2 measures; load = 0.8`."""
    net, units = model.net, Units.of(model.net)
    counts = [
        counted(len(net.places), "place"),
        counted(len(net.transitions), "transition"),
        counted(len(net.measures), "measure"),
    ]
    values = [f"{parameter.name} = {parameter_text(units, parameter, parameter.value)}" for parameter in net.parameters]
    return visible(f"Model {net.name}: {', '.join(counts)}{listed(values)}")


@text.register
def describe_result(result: Result) -> str:
    """Return `Result mm1: 20 replications until 1 s, seed 7; L 3.98 ± 0.05, W 5.01 ± 0.06 s; 2 of 2 expectations
    hold`.
    """
    units, plan = Units.of(result.net), result.plan
    endless = result.net.run_defaults.stop.text if result.net.run_defaults.stop else "dead"
    until = f"until {endless}" if math.isinf(plan.until) else f"until {units.show(plan.until, 'Time')}"
    said = f"Result {result.net.name}: {counted(result.asked, 'replication')} {until}, seed {plan.seed}"
    said += (
        listed([f"{measure.name} {figure(measure, units)}" for measure in result.measures]) if not result.empty else ""
    )
    if result.judged:
        said += f"; {sum(one.passed for _, one in result.judged)} of {len(result.judged)} expectations hold"
    if result.failure is not None:
        said += f"; FAILED: {result.failure.diagnostic.message}"
    elif result.partial:
        said += "; PARTIAL"
    return visible(said)


@text.register
def describe_solution(solution: Solution) -> str:
    """`Solution mm1k: exact in the long run, 12 states; refused 0.0888195, …`."""
    units = Units.of(solution.net)
    when = "in the long run" if solution.at is None else f"up to {units.show(solution.at, 'Time')}"
    known = [
        f"{measure.name} {exact_text(measure, units)}" for measure in solution.measures if measure.bounded is not None
    ]
    return visible(f"Solution {solution.net.name}: exact {when}, {counted(solution.states, 'state')}{listed(known)}")


@text.register
def describe_outcome(outcome: Outcome) -> str:
    """`Outcome mm1: 9 points over load, 90 replications, in mm1.db`."""
    over = f" over {', '.join(outcome.axes)}" if outcome.axes else ""
    replications = sum(len(point.rows) for point in outcome.points)
    said = f"Outcome {outcome.title or outcome.net.name}: {counted(len(outcome.points), 'point')}{over}, "
    said += f"{counted(replications, 'replication')}, in {outcome.store.name}"
    said += "" if outcome.done else "; not finished"
    checked = [one for point in outcome.points for one in point.checked]
    if checked:
        said += f"; {sum(one.verdict.passed for one in checked)} of {len(checked)} expected values found"
    return visible(said)


@text.register
def describe_search(outcome: SearchOutcome) -> str:
    """`SearchOutcome mm1k: largest load with refused <= 1%: load = 0.55; it fails at 0.56. Right with …`."""
    said = f"SearchOutcome {outcome.outcome.net.name}: {question(outcome)}"
    if len(outcome.found) == 1:
        return visible(f"{said}: {answer(outcome, outcome.found[0])}")
    values = ["–" if one.value is None else shown(one.value) for one in outcome.found]
    return visible(said + listed(values))


@text.register
def describe_sensitivity(found: Sensitivity) -> str:
    """`Sensitivity mm1k: 12 nets, 10 replications of each, seed 1; refused: load, …`."""
    most = [f"{name}: {of[0].factor.name}" for name, of in found.effects.items() if of and of[0].certain]
    most += [f"{name}: {one.parameters[0].name}" for name, one in found.indices.items()]
    return visible(f"Sensitivity {found.net.name}: {heading(found)}{listed(most)}")


@text.register
def describe_forwarding(outcome: ForwardingOutcome) -> str:
    """`ForwardingOutcome npf: 2 frame sizes; 64 B 0.89, 512 B 1`."""
    pairs = [(row.size, row.found.value) for row in outcome.rows]
    values = [f"{'' if size is None else shown(size)} {'–' if load is None else shown(load)}" for size, load in pairs]
    sizes = counted(len(outcome.rows), "frame size")
    return visible(f"ForwardingOutcome {outcome.net.name}: {sizes}{listed([one.strip() for one in values])}")


def figure(measured: MeasureResult, units: Units) -> str:
    """Return the value of a measure with its interval, in a unit that suits it."""
    first = next(iter(recorded_fields(measured.measure)), None) if measured.recorded else None
    return units.show_interval(measured.interval, shown_dimension(measured.measure.dimension, first))


def listed(texts: list[str]) -> str:
    if not texts:
        return ""
    more = f", {len(texts) - MOST} more" if len(texts) > MOST else ""
    return f"; {', '.join(texts[:MOST])}{more}"
