"""Shared by the commands that run a net at several points: its grids, and where its results go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from petri import language
from petri.experiment.design import sampling
from petri.experiment.design.definition import Definition
from petri.experiment.design.options import Option, options_of, shared_options
from petri.experiment.design.sampling import Value
from petri.experiment.design.settings import parse_best, parse_confidence, parse_tolerance
from petri.experiment.design.study import Study as AnyStudy
from petri.experiment.procedure.workers import Dask, Workers
from petri.experiment.results.tables import SUFFIXES, check_format
from petri.experiment.tuning.space import read_over
from petri.experiment.yaml.study import load_study
from petri.measure.selection import Best
from petri.model import Model

from ..terminal.exits import check_output, refusal
from . import nets
from .given import Given
from .net_options import Command, options
from .pages import report_option
from .ranges import Whole
from .run_options import COUNT, engine_option, output_options, read_precision
from .time_limit import time_limit_option

FILES = (".yaml", ".yml")


def net_of(what: str) -> Path | Callable[..., Model]:
    """Return the net that is named, or that of stdin."""
    return _net_of_stdin() if what == nets.STDIN else Path(nets.find(what))


def _net_of_stdin() -> Callable[..., Model]:
    """Make the net from its parameters, from a text that can be read only once."""
    text = nets.read_stdin()

    def make(**values: object) -> Model:
        return Model(*language.loads_with_sources(text, values, name=nets.SHOWN_STDIN))

    return make


def root_of(what: str, root: str | None) -> Path | None:
    """Return the folder of `--root`. Raises Refusal where no experiment file could name files in it."""
    if root is None:
        return None
    if not what.endswith(FILES):
        raise refusal("root-of-net", name=what)
    if not Path(root).is_dir():
        raise refusal("root-not-folder", path=root)
    return Path(root)


def read_grids(grids: tuple[str, ...], fixed: Mapping[str, Any]) -> list[dict[str, Value]]:
    """Return the points of `--grid name=values` options. Raises Refusal."""
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


def read_points(what: str, grids: tuple[str, ...], fixed: Mapping[str, Any]) -> list[dict[str, Value]] | None:
    """Return the points of `--grid` options, None without any. Raises Refusal where they are wrong or beside a file."""
    if grids and what.endswith(FILES):
        raise refusal("grid-of-file")
    return read_grids(grids, fixed) if grids else None


BEST: Final = {
    "greatest": click.option(
        "--greatest", metavar="NAME", help="Replicate until the point with the greatest mean is known."
    ),
    "least": click.option("--least", metavar="NAME", help="The same for the least."),
    "within": click.option(
        "--within", metavar="SHARE", help="A difference from the best that does not matter.  [default: 1%]"
    ),
    "confidence": click.option(
        "--confidence", metavar="SHARE", help="Probability that the best is found.  [default: 95%]"
    ),
}


def read_best(given: Mapping[str, str | None], before: Best | None) -> Best | None:
    """Return the best point that is wanted: of `BEST` as options, besides that of a file. Raises ExperimentError."""
    return parse_best({name: text for name, text in given.items() if text is not None}, before)


def check_export(path: str | None, suffixes: Sequence[str] | None = None) -> None:
    """Refuse an unsuitable file name before anything runs: one with another suffix, or in no folder."""
    if path is None:
        return
    check_format(Path(path), suffixes or SUFFIXES)
    check_output(path)


Runs = TypeVar("Runs", bound="Definition")
Study = TypeVar("Study", bound=AnyStudy)

root_option = click.option(
    "--root", metavar="FOLDER", help="Let EXPERIMENT.yaml name files in this folder.  [default: its own folder]"
)


class StudyOption(click.Option):
    """An option of a study, in a group of its own in the help."""

    group = "What is varied and asked"


def study_options(study: type, *, shared: bool = False) -> Callable[[Command], Command]:
    """Return the options that the fields of a study declare, or those that it shares with others.

    Their values are None where they are not on the command line.
    """
    declared = shared_options(study) if shared else options_of(study)
    return options(*(part for name, one in declared.items() for part in _click_options(name, one)))


def _click_options(name: str, one: Option) -> Iterator[Callable[[Any], Any]]:
    if one.kind == "best":
        yield from BEST.values()
        return
    kinds: dict[str, dict[str, Any]] = {
        "count": {"type": COUNT},
        "seed": {"type": Whole(0, 2**63 - 1)},
        "choice": {"type": click.Choice(one.choices)},
        **{kind: {"multiple": True} for kind in ("names", "figures", "ranges")},
    }
    kind = kinds.get(one.kind, {"is_flag": one.kind == "switch"})

    def read(_: click.Context, __: click.Parameter, text: Any) -> Any:
        return None if text in (None, False, ()) else _read(one, text)

    flags = [flag for flag in (one.flag, one.short) if flag]
    yield click.option(*flags, name, cls=StudyOption, metavar=one.metavar, help=one.help, callback=read, **kind)


def _read(one: Option, written: Any) -> Any:
    """Return the value of an option that was given. Raises Refusal, ExperimentError."""
    match one.kind:
        case "switch":
            return False
        case "share":
            return parse_confidence(written)
        case "values":
            return _listed(written)
        case "names" | "figures":
            return list(written)
        case "ranges":
            return read_over(written)
        case "tolerance":
            return parse_tolerance(written)
        case "precision":
            return read_precision(written)
    return written


def _listed(text: str) -> list[Value]:
    try:
        found = [value for value in sampling.parse_values(text) if value != ""]
    except sampling.BadRange as bad:
        raise refusal(bad.reason, text=bad.text.strip(), meant=bad.meant) from bad
    if not found:
        raise refusal("rfc-sizes", text=text)
    return found


dask_option = click.option(
    "--dask", metavar="ADDRESS", help="Run on a Dask cluster; `local` starts one on this machine."
)


@contextmanager
def crew(dask: str | None, count: int | None) -> Iterator[Workers | int | None]:
    """Return what performs replications while the block runs: a cluster, or so many workers of this machine."""
    if dask is None:
        yield count
        return
    cluster = Dask(dask, count)
    try:
        yield cluster
    finally:
        cluster.close()


# How long the runs are, on what, and where their results go.
run_options = options(
    root_option,
    study_options(Definition, shared=True),
    report_option,
    engine_option,
    time_limit_option,
    click.option("--threads", type=COUNT, metavar="N", help="Replications run in parallel (default: all cores)."),
    output_options,
)


def study_of(
    study: type[Study],
    what: str,
    options: Mapping[str, Any],
    points: Sequence[Mapping[str, Value]] = ({},),
) -> Study:
    """Return the study of a file, or one of a net, with the options that were given. Raises Refusal."""
    declared, given = options_of(study), options["given"]
    fields = {name: options[name] for name in declared if options[name] is not None}
    root = root_of(what, options["root"])
    read = load_study(study, Path(what), root) if what.endswith(FILES) else None
    missing = (
        [] if read is not None else [one.flag for name, one in declared.items() if one.required > (name in fields)]
    )
    if missing:
        raise refusal("search-option-missing", option=missing[0])
    runs = Definition(net_of(what), points) if read is None else read.runs
    overrides = {name: options[name] for name in shared_options(Definition)}
    overrides["measures"] = list(options.get("measures", ())) or None
    runs = with_files(runs.with_overrides(fixed={**runs.fixed, **given.settings}, **overrides), given)
    return study(runs=runs, **fields) if read is None else replace(read, runs=runs, **fields)


def with_files(runs: Runs, given: Given) -> Runs:
    """Return the runs with the given files for streams and tables besides their own."""
    return runs.with_overrides(
        recordings={**runs.recordings, **given.streams},
        columns={**runs.columns, **given.columns},
        tables={**runs.tables, **given.tables},
    )
