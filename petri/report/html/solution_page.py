"""The page of an exact solution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from petri.exact.solution import Solution
from petri.report.html import tables
from petri.report.html.markup import Content, Markup, aside, tag
from petri.report.html.page import Page
from petri.report.html.picture import Loads, picture
from petri.report.html.run_page import banner, capital
from petri.report.telling.expected import failing
from petri.report.telling.quantities import Units
from petri.report.telling.solution import certainty, comparison, figure_tables, heading, held
from petri.result import Result


def solution_page(solution: Solution, result: Result | None = None, sources: Mapping[str, str] | None = None) -> Page:
    """Exact figures, beside those of a simulation if there is one. `sources` are the net's texts, if available."""
    units = Units.of(solution.net)
    page = Page(solution.net.name, "Exact solution")
    page.head += [tables.prose(solution.net.doc), tables.facts(facts(solution, units)), *banners(solution)]
    for title, table in sections(solution, units):
        page.section(title.lower(), title, table)
    if result is not None:
        columns, remarks = comparison(solution, result, units)
        page.section(
            "simulated",
            "Exact and simulated",
            tables.of_columns(columns, "Exact and simulated"),
            *(aside(str(text)) for text in remarks),
        )
    page.section("net", "The net", picture(solution.net, sources, _busy(solution)))
    return page


def facts(solution: Solution, units: Units) -> list[Content]:
    """Return what was solved, and how certain it is."""
    _, *lines = heading(solution, units, None)
    return [*map(str, lines), certainty(solution)]


def banners(solution: Solution) -> list[Markup]:
    """Return whether the expectations hold."""
    count = len(solution.judged)
    failed = [expectation for expectation, verdict in solution.judged if not verdict.passed]
    if failed:
        texts = [tag("p", tag("code", one.text)) for one in failed]
        return [banner("fail", f"✗ {capital(failing(len(failed), count))} failed", *texts)]
    return [banner("pass", f"✓ {capital(held(solution))}")] if count else []


def sections(solution: Solution, units: Units) -> Iterator[tuple[str, Markup]]:
    """Yield the tables with their titles."""
    for columns in figure_tables(solution, units):
        yield columns[0].heading, tables.of_columns(columns, columns[0].heading)


def _busy(solution: Solution) -> Loads:
    """Return how much is used, as the picture of a run shows it."""
    values = {one.name: one.value for one in (*solution.places, *solution.transitions) if one.value == one.value}
    net = solution.net
    places = {i: values.get(f"{place.name}.utilisation") for i, place in enumerate(net.places)}
    transitions = {i: values.get(f"{one.name}.active") for i, one in enumerate(net.transitions)}
    return Loads(_known(places), _known(transitions))


def _known(values: Mapping[int, float | None]) -> dict[int, float]:
    return {at: value for at, value in values.items() if value is not None}
