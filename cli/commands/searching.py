"""What the commands do that search: run a study, show what was found, and write it to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from petri.diagnostics import Diagnostic, Value
from petri.experiment.design.sampling import Values
from petri.experiment.results.tables import SUFFIXES
from petri.experiment.threshold.definition import Bisected
from petri.experiment.threshold.outcome import Found, SearchOutcome
from petri.report.telling.search import ending, remarks

from ..options.experiments import check_export, study_of
from ..options.pages import check as check_report
from ..options.pages import write_page
from ..options.time_limit import tell_over
from ..terminal import exits
from ..terminal.console import always_shown, show, tell
from ..terminal.search_progress import SearchProgress


@dataclass(frozen=True)
class SearchCommand:
    """A command that searches: the class with its options, what runs it, and what shows and writes its outcome.

    suffixes: of the files of `--export`. search: of an outcome. fails: the searches in which there was nothing.
    """

    study: type[Bisected]
    run: Callable[..., Any]
    print: Callable[[Any, Console], None]
    report: Callable[[Any], str]
    export: Callable[[Any, str], None]
    suffixes: Sequence[str] = SUFFIXES
    search: Callable[[Any], SearchOutcome] = lambda outcome: outcome
    fails: Callable[[Found], bool] = lambda found: True


def carry_out(command: SearchCommand, what: str, options: Mapping[str, Any], points: Sequence[Values] = ({},)) -> int:
    """Run the study of a net or a file, with the options of the command line. Returns the exit status."""
    check_export(options["export"], command.suffixes)
    check_report(options["report"])
    study = study_of(command.study, what, options, points)
    how = {name: options[name] for name in ("engine", "threads", "time_limit")}
    with SearchProgress(options["quiet"]) as progress:
        outcome = command.run(study, watch=progress, **how)
    with always_shown(lambda: show(outcome, options["as_json"], command.print)):
        if options["export"]:
            command.export(outcome, options["export"])
        if options["report"]:
            write_page(command.report(outcome), options["report"])
    if outcome.interrupted:
        tell_over(options["time_limit"])
    search = command.search(outcome)
    _tell_ending(search, [one for one in search.found if command.fails(one)], options["quiet"])
    if outcome.interrupted:
        tell(_interrupted(search))
        return exits.INTERRUPTED
    return exits.DONE if outcome.done else exits.FAILED


def _tell_ending(search: SearchOutcome, failed: Sequence[Found], quiet: bool) -> None:
    """Report on stderr what is not certain, and what was not found."""
    for note in () if quiet else remarks(search):
        tell(note)
    for found in failed:
        for error in ending(search, found):
            tell(error)


def _interrupted(search: SearchOutcome) -> Diagnostic:
    """Return how far the search had come: all values that it decided, and where the last one lies."""
    values: dict[str, Value] = {"count": sum(len(found.trials) for found in search.found)}
    last = search.found[-1] if search.found else None
    if last is not None and last.status == "unfinished" and last.last is not None and last.next is not None:
        values |= {"low": str(last.last.value), "high": str(last.next.value)}
    return Diagnostic("search-interrupted", values=values)
