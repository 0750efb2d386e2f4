"""`pnsim play`."""

from __future__ import annotations

from pathlib import Path

import click

from petri.atomic_file import write_text
from petri.model import Model
from petri.report.html.play import LARGEST, token_game
from petri.result import run_failure
from petri.run.recording import Recording, record
from petri.run.stop import interruptible

from ..options import nets
from ..options.given import Given
from ..options.net_options import looking_options, net_argument
from ..options.ranges import Whole
from ..options.run_options import replication_option, seed_option
from ..terminal.console import remark, tell
from ..terminal.exits import refusal, writing

MOST = 1_000_000
USUAL = 10_000


@click.command(name="play")
@net_argument
@click.option("--output", "-o", metavar="FILE.html", help="Output file.  [default: the net's name and .play.html]")
@click.option("--until", metavar="TIME", help="End of the recording: '20 us'.  [default: the end of the run]")
@click.option(
    "--firings",
    type=Whole(1, MOST),
    default=USUAL,
    metavar="N",
    help=f"Record at most N firings.  [default: {USUAL:,}]",
)
@looking_options
@seed_option
@replication_option
def command(
    net: str, output: str | None, until: str | None, firings: int, given: Given, seed: int | None, replication: int
) -> None:
    """Record a run of NET as a token game: one HTML file that works offline.

    The page steps through the run, forwards and back, at any speed. It shows the tokens of each place with their age
    and their way, the conditions of each transition and what stands against it, and firings in progress with a clock.
    """
    model = nets.load(net, given)
    path = output or f"{model.net.name}.play.html"
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise refusal("output-suffix", path=path, suffixes=[".html"], suggestion=f"{path}.html")
    usual = model.net.run_defaults.until is None
    plan, _ = model.plan(until=until or ("dead" if usual else None), warmup=0.0, seed=seed)
    recording = _record(model, plan.seed, replication, model.net.tick.ticks(plan.until), firings)
    if len(model.net.places) + len(model.net.transitions) > LARGEST:
        raise refusal("play-too-large", most=LARGEST)
    run = f"seed {plan.seed}" + (f", replication {replication}" if replication else "")
    with writing(path):
        write_text(path, token_game(model.net, model.sources, recording, run))
    starts = sum(happening.transition >= 0 for happening in recording.happenings)
    more = {"firings": "; --firings records more", "error": "; an error of the net ended it:"}.get(recording.ended, "")
    remark(f"{path}: {starts:,} firings{more}")
    if recording.fault is not None:
        tell(run_failure(model.net, recording.fault).diagnostic, model.sources)


def _record(model: Model, seed: int, replication: int, until: float, firings: int) -> Recording:
    return interruptible(lambda stop: record(model.net, seed, replication, until, firings, stopped=stop.is_set))
