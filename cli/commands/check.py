"""`pnsim check`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import click

from petri import language
from petri.analysis import sampling
from petri.analysis.cautions import coarse
from petri.analysis.speed import notes
from petri.diagnostics import Diagnostic, LanguageError, has_errors, render_all, summary
from petri.net import Net

from ..options import nets
from ..options.given import Given
from ..options.net_options import complete_net, settings_option
from ..terminal.console import has_colour, is_quiet, printing, remark, write, write_json
from ..terminal.exits import DONE, FAILED, language_status

Report = tuple[str, list[Diagnostic], dict[str, str]]
"""A file, what was found in it, and the texts that were read."""


@click.command(name="check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_net)
@settings_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(files: tuple[str, ...], given: Given, form: str) -> int:
    """Report all errors and warnings in .net files. In a folder, all .net files are checked; `-` is stdin.

    Exit status: 0 no errors (possibly warnings), 1 a net has errors, 2 a file cannot be read.
    """
    files = tuple(found for file in files for found in nets.in_folder(file))
    reports = [(file, *_check(file, given.settings)) for file in files]
    if is_quiet():
        reports = [(file, [one for one in told if one.severity != "note"], texts) for file, told, texts in reports]
    found = [diagnostic for _, diagnostics, _ in reports for diagnostic in diagnostics]
    with printing():
        _print(reports, form)
    if form == "text":
        what = f"{len(files)} nets" if len(files) > 1 else _shown(files[0])
        remark(f"{what}: {summary(found) or 'no problems found'}")
    statuses = {language_status(LanguageError(diagnostics)) for _, diagnostics, _ in reports if has_errors(diagnostics)}
    return FAILED if FAILED in statuses else max(statuses, default=DONE)


def _check(file: str, settings: Mapping[str, object]) -> tuple[list[Diagnostic], dict[str, str]]:
    def more(net: Net) -> list[Diagnostic]:
        return [*coarse(net), *sampling.notes(net), *notes(net)]

    if file == nets.STDIN:
        return language.checks_with_sources(nets.read_stdin(), settings, name=nets.SHOWN_STDIN, more=more)
    return language.check_with_sources(nets.find(file, missing_is_file=True), settings, more=more)


def _shown(file: str) -> str:
    return nets.SHOWN_STDIN if file == nets.STDIN else file


def _print(reports: Sequence[Report], form: str) -> None:
    if form == "json":
        write_json(
            [{"file": _shown(file), "diagnostics": [one.to_dict() for one in found]} for file, found, _ in reports]
        )
        return
    for _, diagnostics, sources in reports:
        if diagnostics:
            write(render_all(diagnostics, sources, colour=has_colour(sys.stdout)) + "\n\n")
