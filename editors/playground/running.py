"""Runs of the page, in slices, and the drawing. Summaries have the colours of a terminal."""

from __future__ import annotations

import io
import math
import time
from collections.abc import Iterator
from typing import Any

from playground import Settings, options, parameters, written
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from petri.diagnostics import Diagnostic, LanguageError, RunError
from petri.engine.errors import ModelError
from petri.exact.libraries import INSTALL, NeedsExtra
from petri.measure.sequential import looks
from petri.model import MOST_FOR_PRECISION, Model, imprecise, load
from petri.report import picture
from petri.report.terminal.shown import shown
from petri.report.terminal.solution import print_solution
from petri.report.terminal.summary import print_summary
from petri.result import Result
from petri.run.driver import Driver
from petri.run.ensemble import Ensemble
from petri.run.progress import Progress
from petri.run.replications import batches_kept
from petri.run.stop import Slice

SLICE = 0.05  # seconds of a run between looks at messages of the page
LONGEST = 30.0  # seconds that a run may take
MOST_STATES = 30_000  # of which exact figures are computed


class _Screen(Console):
    """As wide as the page, with the colours of a terminal; texts are shown as `petri.visible` does."""

    def __init__(self, width: int) -> None:
        self.written = io.StringIO()
        plain = {"highlight": False, "markup": False, "emoji": False}
        super().__init__(file=self.written, width=width, force_terminal=True, color_system="standard", **plain)  # type: ignore

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Any:
        if isinstance(renderable, str | Text):
            renderable = shown(renderable, "utf-8")
        found: list[Segment] = list(super().render(renderable, options))
        return found


def drawing(name: str, source: str, settings: Settings) -> str:
    """Return the drawing as SVG. Raises LanguageError, ValueError."""
    model = load(written(name, source), **parameters(settings))
    drawn = picture.closed(picture.diagram(model.net, fold=True, sources=model.sources))
    return picture.svg(drawn, picture.layout(drawn))


def exact(name: str, source: str, settings: Settings, width: int) -> str:
    """Return what `pnsim solve` prints, or why it needs more than the page has. Raises LanguageError, ValueError."""
    file, started = written(name, source), time.perf_counter()
    model, screen = load(file, **parameters(settings)), _Screen(width)
    at_home = f"at home, type `{INSTALL}` and then `pnsim solve {file}`."
    try:
        solution = model.solve(states=MOST_STATES)
        print_solution(solution, screen, seconds=time.perf_counter() - started)
    except NeedsExtra as error:
        screen.print(f"The exact figures of this net need {error.name}, which a browser page does not have: {at_home}")
    except LanguageError as error:
        if error.diagnostics[0].id != "exact-many-states":
            raise
        screen.print(f"This net has more states than the {MOST_STATES:,} that a browser page explores: {at_home}")
    return screen.written.getvalue()


class Run:
    """A run in slices: `step` until it says that there is no more to do, and then `shown`."""

    def __init__(self, name: str, source: str, settings: Settings) -> None:
        """Raise LanguageError, ValueError."""
        self.started, self.stopped = time.perf_counter(), False
        self._sign, self._settings = Slice(), settings
        self.model: Model = load(written(name, source), **parameters(settings))
        self._steps = self._run()
        self.result: Result | None = None
        self.share = 0.0

    def step(self) -> bool:
        """Go on for a slice of time. Returns whether there is more to do. Raises LanguageError, ValueError."""
        now = time.perf_counter()
        self._sign.ends = now + SLICE
        self.stopped |= now - self.started > LONGEST
        return next(self._steps, None) is not None

    def stop(self) -> None:
        self.stopped = True

    def _run(self) -> Iterator[bool]:
        """As `Model.run`, on this thread alone."""
        model, asked = self.model, options(self._settings)
        net, (plan, count) = model.net, model.plan(**asked)
        precision = None if "replications" in asked else model.precision
        kept = batches_kept(net, count if precision is None else 2)
        ran: list[Ensemble] = []
        for look in [count] if precision is None else looks(model.first_look, MOST_FOR_PRECISION):
            progress = Progress(look, plan.until)
            while len(ran) < look and not self.stopped:
                try:
                    driver = Driver(net, plan, len(ran), self._sign, progress, kept)
                except ModelError as error:  # the key of an initial token
                    values = {name: str(value) for name, value in error.values.items()}
                    raise LanguageError([Diagnostic(error.id, error.span, values)], model.sources) from error
                driver.trial_threads = 1 if precision is not None or not ran else 0
                driver.longest, started = SLICE, time.perf_counter()
                while (ended := driver.end()) == "interrupted" and not self.stopped:
                    part = min(driver.now / plan.until, 1.0) if 0.0 < plan.until < math.inf else 0.0
                    self.share = (len(ran) + part) / look
                    yield True
                ran.append(driver.so_far(ended, time.perf_counter() - started))
            result = Result(net, plan, Ensemble.joined(ran), self.stopped, look, sequential=precision is not None)
            self.result = result
            if self.stopped or result.failure is not None or precision is None or not imprecise(result, precision):
                return

    def shown(self, width: int, every: bool = False) -> str:
        """Return the summary that `pnsim run` prints, and the error that ended the run."""
        assert self.result is not None
        screen = _Screen(width)
        print_summary(self.result, screen, seconds=time.perf_counter() - self.started, every=every)
        failure = self.result.failure
        return screen.written.getvalue() + (
            f"\n{RunError(failure, self.model.sources)}\n" if failure is not None else ""
        )

    def facts(self) -> dict[str, Any]:
        """Return the hash of each replication and all firings, for tests."""
        assert self.result is not None
        ran = self.result.replications
        return {"hashes": [f"{one.hash:016x}" for one in ran], "firings": sum(one.firings for one in ran)}
