"""The pages that pnsim serves and writes, within this one: sliders, token game, report."""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playground import Settings, options, parameters, written
from running import Run

from petri import library
from petri.diagnostics import RunError
from petri.live.desk import Desk
from petri.live.site import Site
from petri.live.source import Source
from petri.model import LoadedFrom, load
from petri.report.html import run_report
from petri.report.html.play import LARGEST, played, token_game
from petri.result import run_failure
from petri.run.game import Game

SLICE = 0.03  # seconds between looks at messages of the page


def report(run: Run) -> str:
    """Return the report of a run that is over, as `pnsim run --report` writes it."""
    assert run.result is not None
    return run_report(run.result, run.model.sources)


class Sliders:
    """`pnsim live` without its server: wishes come in, answers go out between two slices."""

    def __init__(self, name: str, source: str, settings: Settings) -> None:
        """Raise ValueError."""
        file = os.path.abspath(written(name, source))
        given: Any = {key: value for key, value in options(settings).items() if key in ("until", "seed")}
        origin = LoadedFrom(file, "", parameters(settings))
        command = name if library.net(name) else os.path.basename(file)
        self.desk = Desk(Source(command, origin, given), threads=0)
        self.site = Site(self.desk)
        self.version = 0
        self.look(True)

    def page(self) -> str:
        return self.site.page({}).body

    def rewrite(self, name: str, source: str) -> None:
        """Follow the text, as `pnsim live` does when the file is saved."""
        written(name, source)
        self.desk.change_text()

    def look(self, looking: bool) -> None:
        """While nobody looks, nothing runs."""
        self.desk.watched(1 if looking else -1)

    def wish(self, text: str) -> None:
        self.site.change(json.loads(text))

    def ask(self, path: str) -> str | None:
        split = urlsplit(path)
        query = {key: values[0] for key, values in parse_qs(split.query).items()}
        reply = self.site.answers[split.path](query)
        return None if reply is None else reply.body

    def step(self) -> tuple[bool, str | None]:
        """Go on for a slice of time. Returns whether there is more to do, and the answer if it is a new one."""
        more = self.desk.step(SLICE)
        version, answer = self.desk.wait(0, 0.0)
        if version == self.version:
            return more, None
        self.version = version
        return more, json.dumps(answer, allow_nan=False)


class Play:
    """The token game, in which the reader fires."""

    def __init__(self, name: str, source: str, settings: Settings) -> None:
        """Raise LanguageError, ModelError, ValueError."""
        self.model = load(written(name, source), **parameters(settings))
        net = self.model.net
        if len(net.places) + len(net.transitions) > LARGEST:
            raise ValueError(f"The token game shows nets of at most {LARGEST} places and transitions.")
        self.seed = self.model.plan(until="dead", warmup=0.0, seed=options(settings).get("seed"))[0].seed
        self.game = Game(net, self.seed)

    def page(self) -> str:
        return token_game(self.model.net, self.model.sources, self.game.recording(), f"seed {self.seed}")

    def play(self, firings: int, which: int | None, count: int) -> str:
        """Fire after so many firings, or (-1) return to a branch; return what the page shows then."""
        if firings < 0:
            assert which is not None
            self.game.take(which)
        else:
            self.game.play(firings, which, count)
        fault = self.game.fault
        if fault is not None:
            return played(self.game, str(RunError(run_failure(self.model.net, fault), self.model.sources)))
        return played(self.game, "" if self.game.reason == "budget" else "Nothing can fire any more.")
