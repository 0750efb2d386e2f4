"""The exact figures of a net on a terminal, and beside those of a simulation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.text import Text

from petri.diagnostics import Diagnostic
from petri.exact.exchange import ValueSymmetry
from petri.exact.solution import Exact, Solution
from petri.measure.bounded import Bounded
from petri.measure.catalogue import PLACE_COLUMNS, TRANSITION_COLUMNS, FigureKind, transition_columns
from petri.measure.intervals import Interval
from petri.net import Expectation
from petri.report.telling.columns import Column
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.expected import holding, origin, verdict_text
from petri.report.telling.quantities import NOTHING, Units, counted
from petri.report.telling.source import first_sentence
from petri.report.telling.state_text import StateText
from petri.result import Result
from petri.structs import Frozen

DIGITS = 10  # of an exact figure, at most
MOST_ENDS = 10  # of a net that are shown
ROUNDING = 1e-12  # figures that are 0 are computed to this, at least
FINE = 1_000.0  # ticks up to the fastest event in the mean: below, it shows that times are rounded


class Compared(Frozen):
    """A figure twice. apart: by how many half-widths of the interval the simulated one differs; nan without one."""

    exact: Exact
    simulated: Interval

    @property
    def apart(self) -> float:
        width = self.simulated.half_width
        difference = self.simulated.mean - self.exact.value
        if abs(difference) <= self.exact.error + 1e-12 * abs(self.exact.value):
            return 0.0
        return difference / (width + self.exact.error) if width > 0.0 else math.nan  # it has not varied


def compared(solution: Solution, result: Result) -> list[Compared]:
    """Return the figures that both have."""
    simulated: dict[str, Interval] = {}
    for measured in result.measures:
        simulated[measured.name] = measured.interval
        simulated |= {f"{measured.name}.{field}": one for field, one in list(measured.recorded.items())[1:]}
    for names, figures, kinds in (
        (result.places.names, result.places, PLACE_COLUMNS),
        (result.transitions.names, result.transitions, transition_columns(solution.net)),
    ):
        for index, name in enumerate(names):
            simulated |= {f"{name}.{column}": getattr(figures, column).interval(index) for column in kinds}
    every = (*solution.measures, *solution.places, *solution.transitions)
    return [Compared(one, simulated[one.name]) for one in every if one.bounded is not None and one.name in simulated]


def figure_tables(solution: Solution, units: Units) -> Iterator[list[Column]]:
    """Yield the tables of measures, transitions and places, as far as the net has some.

    The first heading is the title.
    """
    if rows := _measure_rows(solution, units):
        yield _columns(rows)
    for title, figures, kinds in (
        ("Transitions", solution.transitions, TRANSITION_COLUMNS),
        ("Places", solution.places, PLACE_COLUMNS),
    ):
        if figures:
            yield _item_columns(title, figures, list(kinds.values()), units)


def heading(solution: Solution, units: Units, seconds: float | None) -> Iterator[Text]:
    """Yield what was solved. seconds: how long it took, if that is to be said."""
    title = Text(solution.net.name, style="bold")
    if solution.net.doc:
        title.append(f": {first_sentence(solution.net.doc)}", style="not bold")
    yield title
    when = "in the long run" if solution.at is None else f"up to {units.show(solution.at, 'Time')}"
    yield Text(
        f"exact, {when}: {counted(solution.states, 'state')}, in {solution.tangible:,} of which time passes, and "
        f"{counted(solution.arcs, 'arc')}" + ("" if seconds is None else f", in {Units(1.0).show(seconds, 'Time', 3)}"),
        style="dim",
    )
    if solution.unreduced > solution.states:
        yield Text(
            f"of {_unreduced(solution)} states, as {_exchanges(solution)}; --no-symmetry explores all", style="dim"
        )
    if solution.at is None and (len(solution.classes) > 1 or solution.classes[0].dead):
        yield from _ends(solution, units)


def _ends(solution: Solution, units: Units) -> Iterator[Text]:
    """Yield how the net may end, the most probable ends first."""
    states = StateText(solution.net)
    ends = sorted(solution.classes, key=lambda one: -one.probability.value)
    for one in ends[:MOST_ENDS]:
        example = states.state(one.example)
        what = (
            f"the net dies: {example}"
            if one.dead
            else f"it stays in {counted(one.states, 'state')}, such as: {example}"
        )
        yield Text(f"with {_probability(one.probability, units)} {what}")
    if others := ends[MOST_ENDS:]:
        rest = sum(one.probability.value for one in others)
        yield Text(f"and {len(others):,} other ends, with probability {rest:.3g} together")


def _unreduced(solution: Solution) -> str:
    keeps = all(symmetry.keeps_start for symmetry in solution.symmetries if isinstance(symmetry, ValueSymmetry))
    return f"{'' if keeps else 'at most '}{solution.unreduced:,.0f}"


def _exchanges(solution: Solution) -> str:
    """Return what may be exchanged: elements of arrays, and values of tokens in places."""
    names: dict[str, list[str]] = {}
    for symmetry in solution.symmetries:
        kind = "values" if isinstance(symmetry, ValueSymmetry) else "elements"
        names.setdefault(kind, []).extend(symmetry.names)
    return ", and ".join(f"{kind} may be exchanged: {', '.join(of)}" for kind, of in names.items())


def _probability(of: Bounded, units: Units) -> str:
    """Return its certain digits, or its bounds if no digit is certain."""
    if of.error >= of.value:
        return f"a probability between {of.low:.3g} and {of.high:.3g}"
    return f"probability {exact_text(Exact('', '', of), units)}"


def _measure_rows(solution: Solution, units: Units) -> list[tuple[str, str, Text]]:
    verdicts: dict[str, list[Text]] = {}
    others: list[tuple[str, str, Text]] = []
    by_text = {id(expectation): measure for measure in solution.net.measures for expectation in measure.expectations}
    for expectation, verdict in solution.judged:
        measure = by_text.get(id(expectation))
        dimension = shown_dimension(expectation.dimension or (measure.dimension if measure else ""))
        text = verdict_text(expectation, verdict, units, dimension, measure.name if measure else "")
        if measure is None:
            others.append(("expect", units.show(verdict.value, dimension), text))
        else:
            verdicts.setdefault(measure.name, []).append(text)
    rows = [(one.name, exact_text(one, units), remark(one, verdicts.pop(one.name, []))) for one in solution.measures]
    return [*rows, *others, *(("expect", NOTHING, unjudged_text(one, why)) for one, why in solution.unjudged)]


def unjudged_text(expectation: Expectation, why: Diagnostic) -> Text:
    """Return that `solve` does not judge an expectation, why, and what does."""
    return Text(f"`{origin(expectation.text)}` is not judged: {why.message}; `pnsim run` judges it", style="yellow")


def held(solution: Solution) -> str:
    """Return that the expectations that were judged hold: `both expectations hold exactly; 1 is not judged`."""
    rest = len(solution.unjudged)
    more = f"; {rest} {'is' if rest == 1 else 'are'} not judged" if rest else ""
    return f"{holding(len(solution.judged))} exactly{more}"


def remark(one: Exact, verdicts: Sequence[Text]) -> Text:
    """Return what was expected, or why there is no figure."""
    if one.reason is not None:
        said = "; ".join((one.reason.message, *one.reason.hints))
        return Text(said, style="dim")
    return Text("\n").join(verdicts)


def exact_text(one: Exact, units: Units, digits: int = DIGITS) -> str:
    """Return as many digits as are certain, ten at most; 0 where no digit is, but for rounding; else the bounds."""
    if one.bounded is None or math.isnan(one.value):
        return NOTHING
    dimension = shown_dimension(one.dimension)
    if is_zero(one):
        return units.show(0.0, dimension)
    if not math.isfinite(one.error):
        return NOTHING
    if is_vague(one):
        low, high = one.bounded.low, one.bounded.high
        outwards = ROUNDING * (high - low)  # bounds are rounded so
        low, high = (0.0 if abs(bound) < outwards else bound for bound in (low, high))
        return f"{units.show(low, dimension, 2)} to {units.show(high, dimension, 2)}"
    if one.error > 0.0:
        digits = min(math.floor(-math.log10(one.error / abs(one.value))), digits)
    return units.show(one.value, dimension, digits)


def is_vague(one: Exact) -> bool:
    """Return whether no digit of the figure is certain."""
    return not one.error <= 0.1 * abs(one.value) and not is_zero(one)


def is_zero(one: Exact) -> bool:
    """Return whether the figure is 0 as far as is known, and nearly so: a difference of equal numbers, say."""
    return abs(one.value) <= one.error <= ROUNDING


def _item_columns(title: str, figures: Sequence[Exact], kinds: Sequence[FigureKind], units: Units) -> list[Column]:
    """Return a row for each place or transition, a column for each of its figures."""
    rows: dict[str, dict[str, Exact]] = {}
    for figure in figures:
        owner, _, field = figure.name.rpartition(".")
        rows.setdefault(owner, {})[field] = figure
    columns = [Column(title, list(rows), "name")]
    for kind in kinds:
        of = [row.get(kind.name) for row in rows.values()]
        cells = [item_text(kind, one, units) for one in of]
        if any(cell not in ("", NOTHING) for cell in cells):
            columns.append(Column(kind.heading, cells, rank=kind.rank, implied=kind.implied))
    return columns


def item_text(kind: FigureKind, one: Exact | None, units: Units) -> str:
    """Return the figure of a place or transition; "" where it cannot have it."""
    if one is None or (kind.only == "timed" and one.value == one.error == 0.0):
        return ""
    if kind.only == "resources" and math.isnan(one.value):
        return ""
    return exact_text(one, units, 8)


def certainty(solution: Solution) -> str:
    """Return how much is certain of all figures; "" if there are none."""
    every = [*solution.measures, *solution.places, *solution.transitions]
    figures = [one for one in every if one.value and math.isfinite(one.value) and not is_zero(one)]
    shares = [figure.error / abs(figure.value) for figure in figures]
    known = [share for share, one in zip(shares, figures, strict=True) if not is_vague(one)]
    most = f"figure differs from the exact one by less than {max([*known, 1e-16]):.1g} of its value"
    if len(known) == len(shares):
        return f"every {most}" if known else ""
    vague = (
        f"{len(shares) - len(known)} of {counted(len(shares), 'figure')} are only known between bounds, as the "
        "equations could not be solved more closely: `pnsim run` estimates them"
    )
    return f"{vague}; every other {most}" if known else vague


def comparison(solution: Solution, result: Result, units: Units) -> tuple[list[Column], list[Text]]:
    """Return the same as a table, and what is to be said of it."""
    rows = []
    for one in compared(solution, result):
        if math.isnan(one.simulated.mean) or math.isnan(one.simulated.half_width) or not one.exact.value:
            continue
        dimension = shown_dimension(one.exact.dimension)
        apart = NOTHING if math.isnan(one.apart) else f"{one.apart:+.2f}"
        simulated = units.show_interval(one.simulated, dimension)
        rows.append((one.exact.name, exact_text(one.exact, units), simulated, apart))
    names, *figures = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns = [Column("", names, "name")]
    headings = ("exact", "simulated", "half-widths apart")
    columns += [Column(name, cells) for name, cells in zip(headings, figures, strict=True)]
    within = sum(abs(float(row[3])) <= 1.0 for row in rows if row[3] != NOTHING)
    text = f"{within} of {len(rows)} intervals contain the exact figure; 95% are expected to"
    remarks = [Text(text, style="dim")]
    if solution.shortest < FINE:
        tick = units.show(float(solution.net.tick.length), "Time")
        text = (
            f"simulated times are whole ticks of {tick}, and the fastest event comes after {solution.shortest:.3g} of "
            "them in the mean. The exact figures are without this rounding; `time … resolution …` sets a finer tick"
        )
        remarks.append(Text(text, style="yellow"))
    return columns, remarks


def _columns(rows: Sequence[tuple[str, str, Text]]) -> list[Column]:
    names, figures, remarks = zip(*rows, strict=True)
    columns = [Column("Measures", names, "name"), Column("exact", figures)]
    if any(str(text) for text in remarks):
        columns.append(Column("", remarks, "prose"))
    return columns
