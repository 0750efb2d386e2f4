"""`pnsim reach`."""

from __future__ import annotations

import time

import click

from petri import language
from petri.atomic_file import write_text
from petri.diagnostics import Diagnostic, LanguageError
from petri.engine.errors import ModelError
from petri.exact.reach import Reachability
from petri.report.terminal import reach
from petri.report.terminal.reach import print_reach, print_way, reach_dict, way_list

from ..options import nets
from ..options.given import Given
from ..options.net_options import net_argument, settings_option
from ..terminal import exits
from ..terminal.console import stdout_console, write_json
from ..terminal.exits import refusal, writing
from .solve import exact_libraries, states_option


@click.command(name="reach")
@net_argument
@settings_option
@click.option("--find", metavar="CONDITION", help="Look for a state: 'tokens(buffer) == 8 and tokens(line) == 0'.")
@click.option("--always", metavar="CONDITION", help="Does this hold in every state? If not, show one.")
@click.option("--untimed", is_flag=True, help="Let every time be anything; then any net can be explored.")
@click.option("--all-values", is_flag=True, help="Tell states apart also by values of tokens that decide nothing.")
@states_option
@click.option("--graph", metavar="FILE.graphml", help="Write the graph of the states.")
@click.option("--svg", metavar="FILE.svg", help="Draw the graph of at most 200 states.")
@click.option("--json", "as_json", is_flag=True, help="Print the same as JSON.")
def command(
    net: str,
    given: Given,
    find: str | None,
    always: str | None,
    untimed: bool,
    all_values: bool,
    states: int | None,
    graph: str | None,
    svg: str | None,
    as_json: bool,
) -> int:
    """Explore every state that NET can reach.

    NET is a file, the name of a net of the library, or `-` for stdin. Printed are the numbers of states and arcs, the
    most tokens of each place, dead states with a shortest way to one, transitions that never fire, and sums of tokens
    that never change. A state is the tokens, without the order in a bag, and the firings in progress;
    values of tokens that decide nothing are left out.

    Exit status: 0 done, 1 a state was not found or a condition does not always hold, 2 could not start.
    """
    model = nets.load(net, given)
    started = time.perf_counter()
    with exact_libraries():
        found = model.reach(states=states, untimed=untimed, all_values=all_values)
        wanted = {"find": find, "always": always}
        answers = {kind: _answer(found, kind, text) for kind, text in wanted.items() if text is not None}
        seconds = time.perf_counter() - started
        _write(found, graph, svg)
        if as_json:
            _print_json(found, answers)
        else:
            _print(found, answers, seconds)
    if found.space.ended == "stopped":
        return exits.INTERRUPTED
    return exits.DONE if all(good for good, _ in answers.values()) else exits.FAILED


def _answer(found: Reachability, kind: str, text: str) -> tuple[bool, int | None]:
    """Return whether the answer is yes, and a state that shows why: the one found, or the one where it does not
    hold.
    """
    condition = language.condition(text, found.net)
    try:
        holds = found.where(condition)
    except ModelError as error:
        values = {name: str(value) for name, value in error.values.items()}
        raise LanguageError([Diagnostic(error.id, values=values)]) from error
    state = found.nearest(holds if kind == "find" else ~holds)
    return (state is not None) == (kind == "find"), state


def _write(found: Reachability, graph: str | None, svg: str | None) -> None:
    if svg is not None and len(found.space) > reach.MOST_DRAWN:
        raise refusal("exact-graph-size", states=len(found.space))
    for path, text in ((graph, reach.graphml), (svg, reach.svg)):
        if path is not None:
            with writing(path):
                write_text(path, text(found))


def _print(found: Reachability, answers: dict[str, tuple[bool, int | None]], seconds: float) -> None:
    console = stdout_console()
    if not answers:
        print_reach(found, console, seconds=seconds)
        return
    explored = "" if found.space.complete else f", of the {len(found.space):,} states explored"
    for kind, (good, state) in answers.items():
        said = {
            ("find", True): "yes, there is such a state",
            ("find", False): f"no state is like that{explored}",
            ("always", True): f"yes, it holds in every state{explored}",
            ("always", False): "no, there is a state in which it does not hold",
        }
        console.print(said[kind, good])
        if state is not None:
            print_way(found, state, console)


def _print_json(found: Reachability, answers: dict[str, tuple[bool, int | None]]) -> None:
    contents = reach_dict(found)
    for kind, (good, state) in answers.items():
        contents[kind] = {"answer": good, "way": None if state is None else way_list(found, state)}
    write_json(contents)
