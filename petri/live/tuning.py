"""The search for the best setting, which goes on while one watches: `pnsim tune` on a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from petri.diagnostics import Diagnostic, LanguageError
from petri.experiment.design.definition import Definition, shown
from petri.experiment.errors import ExperimentError
from petri.experiment.tuning.definition import Range, Tuning
from petri.experiment.tuning.procedure import Tuned, run_tuning
from petri.live.knobs import least, written_value
from petri.live.source import IN_YAML, Source
from petri.model import Model
from petri.report.html import tables
from petri.report.telling.tune import heading, remarks, setting_columns
from petri.run.stop import TimeLimit

AIMS: Final = ("", "least", "greatest")


class Search:
    """Looks for the best setting while somebody looks; it goes on where it was stopped.

    changed: called with it when there is news. ended: whether there will be no more.
    """

    def __init__(self, tuning: Tuning, engine: str, changed: Callable[[Search], None]) -> None:
        self._tuning, self._engine, self._changed = tuning, engine, changed
        self._folder = TemporaryDirectory(prefix="pnsim-", ignore_cleanup_errors=True)
        self._limit, self._thread = TimeLimit(None), threading.Thread()
        self._found: Tuned | None = None
        self._problem = ""
        self._looking = self.ended = False

    def look(self, looking: bool) -> None:
        """Go on, or stop at once; what was found stays."""
        if looking == self._looking:
            return
        self._looking = looking
        if not looking:
            self._limit.end_now()
        elif not self.ended:
            before, self._limit = self._thread, TimeLimit(None)
            self._thread = threading.Thread(target=self._work, args=(before, self._limit), daemon=True)
            self._thread.start()

    def told(self) -> dict[str, Any]:
        """Return how far it is: texts, a table, and the values of the best setting so far."""
        found, running = self._found, self._looking and not self.ended
        if found is None or not found.tried:
            return {"running": running, "note": self._problem or "No setting has run yet.", "html": "", "best": {}}
        note = heading(found) + ("; it goes on" if running else "" if self.ended else "; stopped")
        said = [note, *([] if running else remarks(found)), self._problem]
        best = {} if found.best is None else {name: shown(value) for name, value in found.best.values.items()}
        html = tables.of_columns(setting_columns(found), "Settings that were tried")
        return {"running": running, "note": ". ".join(filter(None, said)), "html": html, "best": best}

    def _work(self, before: threading.Thread, limit: TimeLimit) -> None:
        if before.ident is not None:
            before.join()
        try:
            store = Path(self._folder.name) / "tune.db"
            found = run_tuning(
                self._tuning, store, engine=self._engine, workers=1, time_limit=limit, follow=self._follow
            )
            self._found, self.ended = found, not found.interrupted
        except Exception as error:  # a fault of pnsim must not leave the page waiting
            self._problem, self.ended = _message(error), True
        self._changed(self)

    def _follow(self, found: Tuned) -> None:
        self._found = found
        self._changed(self)


def _message(error: Exception) -> str:
    if isinstance(error, ExperimentError):
        return error.diagnostic.message
    if isinstance(error, LanguageError):
        return error.diagnostics[0].message
    return Diagnostic("program-fault", values={"what": f"{type(error).__name__}: {error}"}).message


def search(
    model: Model, source: Source, settings: Mapping[str, str], aim: tuple[str, str], over: Mapping[str, Range],
    changed: Callable[[Search], None],
) -> Search:  # fmt: skip
    """Return the search for the setting at which a measure is least or greatest. aim: which of them, and the measure.

    settings: of the other parameters. over: the ranges of those that vary.
    """
    options: Mapping[str, Any] = source.options
    given = {name: options[name] for name in IN_YAML if options.get(name) is not None}
    runs = Definition(net=model, fixed=dict(settings), **given)
    least, greatest = ([aim[1]] if aim[0] == which else () for which in AIMS[1:])
    tuning = Tuning(runs=runs, over=over, solve=False, least=least, greatest=greatest)
    return Search(tuning, options.get("engine") or "auto", changed)


def ranges(knobs: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Range]:
    """Return what parameters vary over: the ends of their sliders, or all their values."""
    found: dict[str, Range] = {}
    for knob in knobs:
        if knob["name"] in names and knob["kind"] == "range":
            low, high = (written_value(end, knob["whole"], "") for end in (least(knob), knob["high"]))
            found[knob["name"]] = f"{low}..{high} {knob['unit']}".strip()
        elif knob["name"] in names and knob["kind"] == "choice":
            found[knob["name"]] = list(knob["choices"])
        elif knob["name"] in names and knob["kind"] == "check":
            found[knob["name"]] = [False, True]
    return found
