"""`pnsim solve`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from petri.diagnostics import Diagnostic
from petri.exact.libraries import INSTALL, NeedsExtra
from petri.exact.solution import Solution
from petri.model import Model
from petri.report.telling.solution import compared
from petri.report.terminal.solution import print_comparison, print_solution
from petri.result import Result
from petri.result.export import number

from ..options import nets
from ..options.given import Given
from ..options.net_options import net_argument, settings_option
from ..options.pages import check as check_report
from ..options.pages import report_option, write_page
from ..options.ranges import Whole
from ..options.run_options import seed_option
from ..terminal import exits
from ..terminal.console import stdout_console, tell, write_json
from ..terminal.exits import refusal

MOST_STATES = 2**40
RUNS = 20  # of `--simulate --at`, where averages up to an instant have intervals only over replications

states_option = click.option(
    "--states",
    type=Whole(1, MOST_STATES),
    metavar="N",
    help="Stop at more than N states.  [default: 10,000,000]",
)


@contextmanager
def exact_libraries() -> Iterator[None]:
    """Refuse where scipy is missing in the block."""
    try:
        yield
    except NeedsExtra as error:
        raise refusal("exact-needs-library", library=error.name or "scipy", install=INSTALL) from error


@click.command(name="solve")
@net_argument
@settings_option
@click.option("--at", metavar="TIME", help="Averages and totals up to TIME, from the start, instead of the long run.")
@click.option("--simulate", is_flag=True, help="Simulate the net as well, and compare.")
@states_option
@seed_option
@click.option(
    "--no-symmetry",
    is_flag=True,
    help="Explore all states, also those that differ by an exchange of elements or values.",
)
@report_option
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
def command(
    net: str,
    given: Given,
    at: str | None,
    simulate: bool,
    states: int | None,
    seed: int | None,
    no_symmetry: bool,
    report: str | None,
    as_json: bool,
) -> int:
    """Compute the figures of NET exactly, from the Markov chain behind it.

    NET is a file, the name of a net of the library, or `-` for stdin. The net must have finitely many states, and
    times that are exponential, erlang or hyperexponential; or constants and geometric times. Each figure is shown with
    as many digits as are certain; --json has the bounds. What a chain does not give says why.

    Exit status: 0 done, 1 an expectation fails or the net cannot be solved, 2 could not start.
    """
    check_report(report)
    model = nets.load(net, given)
    started = time.perf_counter()
    with exact_libraries():
        solution = model.solve(at=at, states=states, symmetry=not no_symmetry)
    seconds = time.perf_counter() - started
    result = _simulated(model, solution, seed) if simulate else None
    show(solution, result, seconds, as_json)
    if report:
        from petri.report.html import solution_report  # which few commands need

        write_page(solution_report(solution, result, model.sources), report)
        tell(Diagnostic("report-written", severity="note", values={"path": report}))
    return exits.DONE if solution.passed else exits.FAILED


def _simulated(model: Model, solution: Solution, seed: int | None) -> Result:
    """Return the run of the net's `run` line; of a solution up to an instant, runs up to there."""
    if solution.at is None:
        return model.run(seed=seed)
    return model.run(until=solution.at, warmup=0.0, replications=RUNS, seed=seed)


def show(solution: Solution, result: Result | None, seconds: float, as_json: bool) -> None:
    """Print a solution, beside a simulation if there is one."""
    if as_json:
        contents = solution.to_dict()
        if result is not None:
            contents["simulated"] = comparison_rows(solution, result)
        write_json(contents)
        return
    console = stdout_console()
    print_solution(solution, console, seconds=seconds)
    if result is not None:
        print_comparison(solution, result, console)


def comparison_rows(solution: Solution, result: Result) -> list[dict[str, float | str | None]]:
    """Return each figure that both have, for JSON."""
    return [
        {
            "name": one.exact.name,
            "exact": number(one.exact.value),
            "simulated": number(one.simulated.mean),
            "half_width": number(one.simulated.half_width),
            "apart": number(one.apart),
        }
        for one in compared(solution, result)
    ]
