"""The studies that `pnsim validate` knows, with the processor time that each usually takes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from petri.report.telling.columns import Column
from petri.report.terminal.tables import print_prose, print_table
from petri.validation.study import Study, read_study
from petri.validation.suite import experiments
from petri.validation.wording import processor_time

from ..terminal.console import stdout_console

RUNNING_OPTIONS: Final = ("stores", "report", "engine", "workers", "time_limit", "quiet")


def list_studies(known: Mapping[str, Path]) -> None:
    """Print them in alphabetical order, with the time of all. Raises StudyError."""
    studies = {name: read_study(folder) for name, folder in known.items()}
    files = {name: list(experiments(folder)) for name, folder in known.items()}
    works = [studies[name].usual(files[name]) for name in known]
    total = sum(work for work in works if work is not None)
    columns = [
        Column("study", [*known, "all"], "name", style="cyan"),
        Column("experiments", [str(len(files[name])) for name in known] + [str(sum(map(len, files.values())))]),
        Column("processor time", [processor_time(one) for one in [*works, None if None in works else total]]),
        Column("", [*(studies[name].title for name in known), ""], "prose"),
    ]
    console = stdout_console()
    print_table(console, columns, heading="bold")
    console.print()
    if total:
        print_prose(console, origin(studies))
    print_prose(console, f"`pnsim validate {next(iter(known))}` runs a study, `pnsim validate all` runs all of them.")


def origin(studies: Mapping[str, Study]) -> str:
    """Return what the times mean on this machine, and where they were measured."""
    processors = os.cpu_count() or 1
    measured = dict.fromkeys(study.measured for study in studies.values() if study.seconds and study.measured)
    said = f" Measured: {'; '.join(measured)}." if measured else ""
    share = f"; the {processors} processors of this machine, if idle, share it" if processors > 1 else ""
    return f"Processor time is that of all processors together{share}.{said}"


def refuse_running_options(context: click.Context) -> None:
    """Refuse an option that only a run reads: it means that a study was to be named. Raises UsageError."""
    default = click.core.ParameterSource.DEFAULT
    given = [name for name in RUNNING_OPTIONS if context.get_parameter_source(name) is not default]
    if given:
        option = "--" + given[0].replace("_", "-")
        raise click.UsageError(f"{option} is for a run: name a study, or run all with `pnsim validate all {option} …`")
