"""Shared by the commands that run a net at several points: its grids, and where its results go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from petri import language
from petri.experiment.design import sampling
from petri.experiment.design.definition import Definition
from petri.experiment.design.sampling import Value
from petri.experiment.design.settings import parse_best, parse_confidence
from petri.experiment.forwarding.definition import Forwarding
from petri.experiment.results.tables import SUFFIXES, check_format
from petri.experiment.threshold.definition import Search
from petri.measure.selection import Best
from petri.model import Model

from ..terminal.exits import check_output, refusal
from . import nets
from .given import Given
from .net_options import options
from .pages import report_option
from .run_options import COUNT, engine_option, length_options, output_options
from .time_limit import time_limit_option

FILES = (".yaml", ".yml")


def net_of(what: str) -> Path | Callable[..., Model]:
    """The net that is named, or that of stdin."""
    return _net_of_stdin() if what == nets.STDIN else Path(nets.find(what))


def _net_of_stdin() -> Callable[..., Model]:
    """Makes the net from its parameters, from a text that can be read only once."""
    text = nets.read_stdin()

    def make(**values: object) -> Model:
        return Model(*language.loads_with_sources(text, values, name=nets.SHOWN_STDIN))

    return make


def root_of(what: str, root: str | None) -> Path | None:
    """The folder of `--root`. Raises Refusal where no experiment file could name files in it."""
    if root is None:
        return None
    if not what.endswith(FILES):
        raise refusal("root-of-net", name=what)
    if not Path(root).is_dir():
        raise refusal("root-not-folder", path=root)
    return Path(root)


def read_grids(grids: tuple[str, ...], fixed: Mapping[str, Any]) -> list[dict[str, Value]]:
    """The points of `--grid name=values` options. Raises Refusal."""
    axes: dict[str, list[Value]] = {}
    for text in grids:
        name, equals, values = text.partition("=")
        name = name.strip()
        if not equals or not name or not values.strip():
            raise refusal("grid-form", text=text)
        if name in axes:
            raise refusal("grid-twice", name=name)
        if name in fixed:
            raise refusal("experiment-same-parameter", name=name, where="--grid")
        try:
            axes[name] = sampling.parse_values(values)
        except sampling.BadRange as bad:
            raise refusal(bad.reason, text=bad.text.strip(), meant=bad.meant) from bad
    return sampling.without_duplicates(sampling.grid(axes))


BEST = ("greatest", "least", "within", "confidence")


def read_best(given: Mapping[str, str | None], before: Best | None) -> Best | None:
    """The best point that is wanted: of `BEST` as options, besides that of a file. Raises ExperimentError."""
    return parse_best({name: text for name, text in given.items() if text is not None}, before)


def check_export(path: str | None, suffixes: Sequence[str] | None = None) -> None:
    """Refuse an unsuitable file name before anything runs: one with another suffix, or in no folder."""
    if path is None:
        return
    check_format(Path(path), suffixes or SUFFIXES)
    check_output(path)


Runs = TypeVar("Runs", bound="Definition")
Study = TypeVar("Study", "Search", "Forwarding")

root_option = click.option(
    "--root", metavar="FOLDER", help="Let EXPERIMENT.yaml name files in this folder.  [default: its own folder]"
)
# How fine and how sure a search is.
search_options = options(
    click.option(
        "--resolution", metavar="STEP", help="How fine: a share of the greater end, or a length.  [default: 1%]"
    ),
    click.option("--confidence", metavar="SHARE", help="Probability that the answer is right.  [default: 95%]"),
    click.option(
        "--max-replications", type=COUNT, metavar="N", help="Limit for each value that is tried.  [default: 100]"
    ),
    click.option(
        "--no-growth-check", is_flag=True, help="Accept a value although a place still grows when its runs end."
    ),
)
# How long the runs are, on what, and where their results go.
run_options = options(
    root_option,
    length_options,
    report_option,
    engine_option,
    time_limit_option,
    click.option("--threads", type=COUNT, metavar="N", help="Replications run in parallel (default: all cores)."),
    output_options,
)


def study_of(
    what: str,
    given: Given,
    options: Mapping[str, Any],
    fields: dict[str, Any],
    *,
    load: Callable[[Path, Path | None], Study],
    make: Callable[..., Study],
    points: Sequence[Mapping[str, Value]] = ({},),
) -> Study:
    """The study that `load` reads from the file, with these fields; or that which `make` makes of a net and them."""
    root = root_of(what, options["root"])
    read = load(Path(what), root) if what.endswith(FILES) else None
    runs = Definition(net_of(what), points) if read is None else read.runs
    overrides = {name: options[name] for name in ("until", "warmup", "seed")}
    overrides["streams"] = options["random_streams"]
    overrides["measures"] = list(options.get("measures", ())) or None
    runs = with_files(runs.with_overrides(fixed={**runs.fixed, **given.settings}, **overrides), given)
    return make(runs, **fields) if read is None else replace(read, runs=runs, **fields)


def search_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """What `search_options` gave, as fields of a search; nothing for those that were not given."""
    given: dict[str, Any] = {}
    if options["resolution"] is not None:
        given["resolution"] = options["resolution"]
    if options["max_replications"] is not None:
        given["most"] = options["max_replications"]
    if options["confidence"] is not None:
        given["confidence"] = parse_confidence(options["confidence"])
    if options["no_growth_check"]:
        given["growth"] = False
    return given


def with_files(runs: Runs, given: Given) -> Runs:
    """The runs with the given files for streams and tables besides their own."""
    return runs.with_overrides(
        recordings={**runs.recordings, **given.streams},
        columns={**runs.columns, **given.columns},
        tables={**runs.tables, **given.tables},
    )
