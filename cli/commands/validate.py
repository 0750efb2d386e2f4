"""`pnsim validate`."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.text import Text

from petri.report.html import run_report, sweep_report
from petri.report.telling.columns import Column
from petri.report.terminal.tables import print_prose, print_table
from petri.run.stop import TimeLimit
from petri.validation import StatementError, StudyError, Validation, only_run, run_folder
from petri.validation.account import account
from petri.validation.estimate import Estimate
from petri.validation.page import summary_page
from petri.validation.statements import short
from petri.validation.study import read_study
from petri.validation.suite import FigureCheck, experiments, folders
from petri.validation.wording import (
    basis,
    by_origin,
    counted_figures,
    counted_statements,
    doubt,
    ours,
    percent,
    unsettled_figures,
)

from ..options.pages import write_page
from ..options.ranges import Whole
from ..options.run_options import engine_option
from ..options.time_limit import tell_over, time_limit_option
from ..terminal import exits
from ..terminal.console import printing, stdout_console
from ..terminal.validate_progress import ValidationProgress
from .validate_list import list_studies, refuse_running_options


@click.command(name="validate")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--folder", metavar="DIR", help="Folder of the studies, at any depth. [default: validation]")
@click.option(
    "--stores", metavar="DIR", default="validation-results", show_default=True, help="Folder for the replications."
)
@click.option("--report", metavar="DIR", help="Folder for the pages with figures; start with index.html.")
@engine_option
@click.option("--workers", type=Whole(min=1), metavar="N", help="Replications run in parallel.")
@time_limit_option
@click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
@click.pass_context
def command(
    context: click.Context,
    names: tuple[str, ...],
    folder: str | None,
    stores: str,
    report: str | None,
    engine: str,
    workers: int | None,
    time_limit: TimeLimit | None,
    quiet: bool,
) -> int:
    """Compare the nets of the library with published figures.

    NAME is a study, which is a folder of experiments below `validation/`, one experiment in it such as
    reordering/figure_7, or `all`. Without a NAME, the studies are listed with their processor times. Results are
    stored, so the same command continues where it was stopped.

    Exit status: 0 every figure is within its tolerance and every statement holds, 1 some are not, 2 could not start,
    3 a run stopped with an error in the model, 130 interrupted.
    """
    if not names:
        refuse_running_options(context)
    begun = time.monotonic()
    try:
        known = _known(folder)
        if not names:
            list_studies(known)
            return exits.DONE
        validations = _run(_chosen(names, known), Path(stores), engine, workers, quiet, time_limit)
        if report:
            _write_pages(validations, Path(report))
    except (StatementError, StudyError) as error:
        raise click.ClickException(str(error)) from error
    with printing():
        console = stdout_console()
        for validation in validations:
            print_validation(validation, console)
        if len(validations) > 1:
            print_account(validations, console)
        console.print(f"{time.monotonic() - begun:.0f} s")
    if any(validation.interrupted for validation in validations):
        tell_over(time_limit)
    return _status(validations)


ALL: Final = "all"

Studies = dict[str, tuple[Path, dict[str, Path]]]
"""The folder and the experiments to run of each study, by its name."""


def _known(folder: str | None) -> dict[str, Path]:
    """Return the folders of the studies by name. Raises UsageError if there are none."""
    known = folders(Path(folder) if folder else None)
    if folder and not Path(folder).is_dir():
        raise click.UsageError(f"there is no folder {folder}")
    if not known:
        raise click.UsageError(f"there are no experiments (YAML files) in {folder or 'validation'} or below it")
    return known


def _chosen(names: Sequence[str], known: Mapping[str, Path]) -> Studies:
    chosen: Studies = {}
    for name in (one.strip("/") for one in (known if ALL in names and ALL not in known else names)):
        study, one = (name, "") if name in known else (name.rpartition("/")[0] or name, name.rpartition("/")[2])
        if study not in known:
            raise click.UsageError(f"there is no study `{study}`; there are {', '.join(known)}; `{ALL}` runs all")
        files = experiments(known[study])
        if one and one not in files:
            raise click.UsageError(f"`{study}` has no `{one}`; it has {', '.join(files)}")
        chosen.setdefault(study, (known[study], {}))[1].update({one: files[one]} if one else files)
    return chosen


def _run(
    chosen: Studies, stores: Path, engine: str, workers: int | None, quiet: bool, limit: TimeLimit | None
) -> list[Validation]:
    experiments = [(study, name) for study, (_, files) in chosen.items() for name in files]
    known = {study: read_study(folder).seconds for study, (folder, _) in chosen.items()}
    usual = [known[study].get(name) for study, name in experiments]
    validations = []
    with ValidationProgress(
        ["/".join(experiment) for experiment in experiments], Estimate(usual, workers or os.cpu_count() or 1), quiet
    ) as progress:
        for study, (folder, files) in chosen.items():
            (stores / study).mkdir(parents=True, exist_ok=True)
            one = run_folder(
                folder,
                stores / study,
                only=files,
                engine=engine,
                workers=workers,
                watch=progress.watch,
                name=study,
                time_limit=limit,
            )
            validations.append(one)
            if one.interrupted:
                break
    return validations


def print_validation(one: Validation, console: Console) -> None:
    """Print the stated figures with ours, then the statements."""
    print_prose(console, Text(one.name.replace("_", " "), style="bold"))
    console.print()
    if one.figures:
        for heading, checks in by_origin(one.figures):
            print_table(console, figures_table(checks, heading), heading="bold")
    if moving := unsettled_figures(one):
        print_prose(console, Text(moving, style="dim"))
    print_prose(console, counted_figures(one) + "\n")
    if one.statements:
        print_table(console, statements_table(one), heading="bold")
        print_prose(console, counted_statements(one) + "\n")


def print_account(validations: Sequence[Validation], console: Console) -> None:
    """Print how many of each kind of figures and statements are true, in all studies."""
    lines = account(validations)
    studies = [
        Column(one.name.replace("_", " "), [cells[number] for _, cells in lines])
        for number, one in enumerate(validations)
    ]
    print_table(console, [Column("account", [kind for kind, _ in lines], "prose"), *studies], heading="bold")
    console.print()


def figures_table(figures: Sequence[FigureCheck], heading: str) -> list[Column]:
    """heading: of the column of stated values."""
    return [
        Column("figure", [f"{check.title}: {check.point.label}" for check in figures], "prose"),
        Column("measure", [short(check.measure) for check in figures], "name"),
        Column(heading, [check.units.show(check.checked.value, check.dimension) for check in figures]),
        Column("ours", [ours(check, check.dimension) for check in figures]),
        Column("difference", [percent(check.difference, "+") for check in figures], rank=1, implied=True),
        Column("", [verdict(FIGURE_WORDS, check.verdict, check.certain) for check in figures], left=True),
        Column("basis", [basis(check) for check in figures], "prose"),
    ]


def statements_table(one: Validation) -> list[Column]:
    return [
        Column("statement", [judged.statement.says for judged in one.statements], "prose"),
        Column("", [verdict(STATEMENT_WORDS, judged.verdict) for judged in one.statements], left=True),
        Column("ours", [judged.values for judged in one.statements], "prose"),
        Column("source", [judged.statement.source for judged in one.statements], "prose"),
        Column("basis", [judged.statement.role for judged in one.statements]),
    ]


FIGURE_WORDS: Final = {"within": "within", "outside": "OUTSIDE", "noisy": "too noisy to judge"}
STATEMENT_WORDS: Final = {"holds": "holds", "fails": "FAILS", "undecided": "undecided at this length"}
STYLES: Final = ("green", "bold red", "yellow")  # in the order of the words


def verdict(words: Mapping[str, str], found: str, certain: bool | None = None) -> Text:
    said = Text(words[found], style=STYLES[list(words).index(found)])
    return said.append(doubt(certain), style="not bold dim")


def _write_pages(validations: Sequence[Validation], folder: Path) -> None:
    for validation in validations:
        (folder / validation.name).mkdir(parents=True, exist_ok=True)
        for name, outcome in validation.outcomes.items():
            write_page(sweep_report(outcome), str(folder / validation.name / f"{name}.html"))
            run = only_run(outcome)
            if run is not None:
                write_page(run_report(run.result, gaps=run.gaps), str(folder / validation.name / f"{name}_run.html"))
    write_page(summary_page(validations), str(folder / "index.html"))


def _status(validations: Sequence[Validation]) -> int:
    if any(validation.interrupted for validation in validations):
        return exits.INTERRUPTED
    if any(validation.failed for validation in validations):
        return exits.STOPPED
    good = all(
        validation.found == len(validation.figures) and validation.holding == len(validation.statements)
        for validation in validations
    )
    return exits.DONE if good else exits.FAILED
