"""`pnsim tune`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click
from rich.text import Text

from petri.experiment.design.definition import Definition
from petri.experiment.tuning import Calibration, Tuned, Tuning, calibrate, tune
from petri.experiment.tuning.calibration import read_measured
from petri.experiment.tuning.evaluation import Setting, Stopped
from petri.experiment.tuning.space import read_over
from petri.report.telling import tune as telling
from petri.report.terminal.tables import print_prose, print_table
from petri.result.export import number

from ..options.experiments import net_of, study_options, with_files
from ..options.net_options import complete_net, given_options
from ..options.option_groups import Grouped
from ..options.ranges import Share
from ..options.run_options import COUNT, engine_option, output_options
from ..options.time_limit import tell_over, time_limit_option
from ..terminal import exits
from ..terminal.console import remark, stdout_console, write_json
from ..terminal.exits import check_output, refusal
from .solve import exact_libraries


@click.command(name="tune", cls=Grouped)
@click.argument("what", metavar="NET", shell_complete=complete_net)
@click.option(
    "--over", multiple=True, metavar="NAME=VALUES", help="What varies: 'n=1..64', 'rate=1..10 Gbps', 'kind=a,b'."
)
@click.option("--least", multiple=True, metavar="FIGURE", help="The figure that is to be least. Of two, the front.")
@click.option("--greatest", multiple=True, metavar="FIGURE", help="The same for the greatest.")
@click.option("--where", metavar="CONDITION", default="", help="What must hold: 'loss < 1% and wait.p99 < 9 us'.")
@click.option("--match", metavar="FILE.csv", help="Instead: find the parameters at which figures are as measured.")
@click.option(
    "--trials", type=COUNT, metavar="N", help="Settings that are proposed.  [default: 60, or an eighth of all]"
)
@click.option(
    "--within", type=Share(0, 1), default=0.01, metavar="SHARE", help="A difference that does not matter.",
    show_default=True,
)  # fmt: skip
@click.option(
    "--max-replications", type=COUNT, default=256, metavar="N", help="Limit for a setting.", show_default=True
)
@click.option("--simulate", is_flag=True, help="Run replications also where there is an exact solution.")
@click.option("--store", metavar="FILE.db", help="Keep all replications here; the same call goes on from them.")
@given_options
@study_options(Definition, shared=True)
@engine_option
@time_limit_option
@click.option("--threads", type=COUNT, metavar="N", help="Replications run in parallel (default: all cores).")
@output_options
def command(what: str, over: Sequence[str], match: str | None, **options: Any) -> int:
    """Find the setting of a net's parameters at which a figure is best.

    NET is a file, a net of the library, or `-` for stdin. Settings are proposed by optuna, and compared by replications
    with the same seeds, or exactly where the net is a Markov chain and runs have a warm-up.

    \b
    pnsim tune mm1k --least queue --where 'refused < 1%' --over load=0.1..1
    pnsim tune mm1k --match measured.csv --over load=0.1..1

    FILE.csv has a line `measure,value,error`, and then one for each figure: `wait,12.3 us,0.2 us`.

    Exit status: 0 found, 1 no setting meets the condition or the net has errors, 2 could not start, 3 a run stopped
    with an error in the model, 130 interrupted.
    """
    if options["store"]:
        check_output(options["store"])
    if match and (options["least"] or options["greatest"] or options["where"]):
        raise refusal("tune-match-and-aim")
    tuning = _tuning(what, over, options)
    how = {name: options[name] for name in ("engine", "threads", "time_limit")}
    quiet = options["quiet"]
    if match:
        with exact_libraries():
            try:
                found = calibrate(tuning, read_measured(match), options["store"], **how)
            except Stopped:
                tell_over(options["time_limit"])
                return exits.INTERRUPTED
        _show_match(found, options["as_json"], quiet)
        return exits.DONE
    tuned = tune(tuning, options["store"], watch=None if quiet else _progress, **how)
    _show(tuned, options["as_json"], quiet)
    if tuned.interrupted:
        tell_over(options["time_limit"])
        return exits.INTERRUPTED
    return exits.DONE if tuned.best is not None or tuned.front else exits.FAILED


def _tuning(what: str, over: Sequence[str], options: dict[str, Any]) -> Tuning:
    given = options["given"]
    shared = {name: options[name] for name in ("until", "warmup", "seed", "streams")}
    runs = Definition(net_of(what)).with_overrides(
        fixed=dict(given.settings), max_replications=options["max_replications"], **shared
    )
    names = ("least", "greatest", "where", "trials", "within", "simulate")
    return Tuning(runs=with_files(runs, given), over=read_over(over), **{name: options[name] for name in names})


def _progress(done: int, trials: int) -> None:
    if done == trials or done % 20 == 0:
        remark(f"{done} of {trials} settings")


def _show(tuned: Tuned, as_json: bool, quiet: bool) -> None:
    if as_json:
        write_json(
            {
                "best": None if tuned.best is None else _as_dict(tuned.best),
                "front": [_as_dict(one) for one in tuned.front],
                "tried": [_as_dict(one) for one in tuned.tried],
                "certain": tuned.certain,
                "replications": tuned.replications,
                "interrupted": tuned.interrupted,
            }
        )
        return
    console = stdout_console()
    print_prose(console, Text(f"{tuned.net.name}: {telling.heading(tuned)}", style="dim"))
    if tuned.tried:
        console.print()
        print_table(console, telling.setting_columns(tuned))
    console.print()
    print_prose(console, Text(telling.answer(tuned), style="bold"))
    for text in () if quiet else telling.remarks(tuned):
        print_prose(console, text)


def _as_dict(one: Setting) -> dict[str, object]:
    figures = {
        name: {"mean": number(one.mean(name)), "half_width": number(one.half_width(name))} for name in one.figures
    }
    return {"parameters": dict(one.values), "exact": one.exact, "replications": one.replications, "figures": figures}


def _show_match(found: Calibration, as_json: bool, quiet: bool) -> None:
    if as_json:
        widths = {name: one if math.isfinite(one) else None for name, one in found.half_widths.items()}
        write_json(
            {
                "parameters": dict(found.values),
                "half_widths": widths,
                "alike": [list(names) for names in found.alike],
                "figures": {
                    name: dict(zip(("measured", "error", "net"), of, strict=True)) for name, of in found.figures.items()
                },
                "probability": number(found.probability),
                "exact": found.exact,
                "replications": found.replications,
            }
        )
        return
    console = stdout_console()
    print_table(console, telling.parameter_columns(found))
    console.print()
    print_table(console, telling.match_columns(found))
    for text in () if quiet else telling.match_remarks(found):
        console.print()
        print_prose(console, text)
