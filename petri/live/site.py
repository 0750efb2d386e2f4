"""What the server of a desk answers: the page, its parts, and files to take away."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from petri.live.answer import COLOURS
from petri.live.desk import Desk, Wish
from petri.live.server import Answers, LiveServer, Reply
from petri.live.tuning import AIMS
from petri.model import Model
from petri.report.html import run_report
from petri.report.html.live_page import live_page
from petri.report.html.picture import heat_of, picture
from petri.report.html.play import LARGEST, token_game
from petri.report.picture import closed, layout, svg
from petri.report.telling.record import of_result
from petri.report.telling.source import first_sentence
from petri.run.recording import record
from petri.structs import convert, fields

FIRINGS: Final = 10_000  # of the token game
FIRINGS_TO_INSTANT: Final = 100_000  # of one that is to contain an instant
BEYOND: Final = 1.01  # times that instant, it ends
LONGEST_TEXT: Final = 400_000  # characters that the page shows


def serve(desk: Desk, port: int = 0) -> LiveServer:
    """Return a server of the desk; it answers from `serve_forever` on. Raises OSError if the port is taken."""
    site = Site(desk)
    return LiveServer(desk, site.answers, site.change, port)


class Site:
    """What is answered about a desk, by a server or within a page."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.answers: Answers = {
            "": self.page,
            "net": self.net,
            "text": self.text,
            "part": self.part,
            "play.html": self.play,
            "report.html": self.report,
            "picture.svg": self.drawing,
        }

    def change(self, wanted: Any) -> None:
        """Raise ValueError or TypeError if that is not a wish."""
        if not isinstance(wanted, dict) or not wanted.keys() <= set(fields(Wish)):
            raise ValueError("not a wish")
        wish = convert(wanted, Wish)
        if wish.colours not in COLOURS:
            raise ValueError("no such colours")
        if wish.aim not in AIMS:
            raise ValueError("no such aim")
        self.desk.change(**{name: getattr(wish, name) for name in wanted})

    def page(self, _: dict[str, str]) -> Reply:
        model = self.desk.written
        if model is None:
            return Reply(live_page(self.desk.source.name, "").html())
        return Reply(live_page(model.net.name, first_sentence(model.net.doc)).html())

    def net(self, _: dict[str, str]) -> Reply | None:
        model = self._model()
        return None if model is None else Reply(picture(model.net, model.sources))

    def text(self, _: dict[str, str]) -> Reply | None:
        model = self.desk.written
        if model is None:
            return None
        source = next(iter(model.sources.values()), "")[:LONGEST_TEXT]
        found = {"doc": first_sentence(model.net.doc), "lines": source.splitlines()}
        return Reply(json.dumps(found), "application/json")

    def part(self, query: dict[str, str]) -> Reply | None:
        found = self.desk.part(query.get("id", ""))
        shown = None if found is None else dict(zip(("kind", "name", "html"), found, strict=True))
        return Reply(json.dumps(shown), "application/json")

    def play(self, query: dict[str, str]) -> Reply | None:
        """Return the token game of the first replication;

        `at`: an instant, in the net's time, that it contains if it can.
        """
        point, model = self.desk.now, self._model()
        if point is None or model is None or point.plan is None:
            return None
        net, seed = model.net, point.plan.seed
        if len(net.places) + len(net.transitions) > LARGEST:
            return None
        wanted = _instant(query.get("at", ""))
        until = point.plan.until if wanted is None else min(point.plan.until, wanted * BEYOND)
        recorded = record(net, seed, 0, net.tick.ticks(until), FIRINGS if wanted is None else FIRINGS_TO_INSTANT)
        return Reply(token_game(net, model.sources, recorded, f"seed {seed}"))

    def report(self, _: dict[str, str]) -> Reply | None:
        point, model = self.desk.now, self._model()
        result = None if point is None else point.result()
        if model is None or result is None:
            return None
        return Reply(run_report(result, model.sources), file=f"{model.net.name}.html")

    def drawing(self, _: dict[str, str]) -> Reply | None:
        point, model = self.desk.now, self._model()
        result = None if point is None else point.result()
        if model is None or result is None:
            return None
        whole = self.desk.drawing(model)
        drawn, heat = closed(whole), heat_of(whole, model.net, COLOURS[self.desk.wish.colours](of_result(result)))
        return Reply(svg(drawn, layout(drawn), heat), "image/svg+xml", f"{model.net.name}.svg")

    def _model(self) -> Model | None:
        point = self.desk.now
        return None if point is None else point.model


def _instant(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) and found >= 0.0 else None
