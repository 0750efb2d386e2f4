"""What is set, and what is known of it: one net, whose parameters and text change while it is looked at."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from petri.bounds import Bound
from petri.diagnostics import Diagnostic, LanguageError, render
from petri.exact.libraries import NeedsExtra
from petri.experiment.design.definition import shown as as_written
from petri.live import answer
from petri.live.draws import Draws
from petri.live.effects import Effects
from petri.live.knobs import along, knobs, leading
from petri.live.refine import MOST_OF_OTHERS, Point, Refinement
from petri.live.source import Source
from petri.live.surface import Surface
from petri.live.tuning import Search, ranges, search
from petri.live.watching import PAUSE, files_named, times
from petri.model import Model
from petri.report.html.markup import Markup, aside
from petri.report.html.page import Figure
from petri.report.html.picture import LARGEST
from petri.report.picture import Diagram, diagram
from petri.report.telling.record import of_result
from petri.result import Result
from petri.structs import Frozen, replace

KEPT: Final = 8  # settings whose replications are kept for when one returns to them
POINTS: Final = 13  # of a curve
GROWTH: Final = 1.25  # of the number of replications between two answers
BETWEEN: Final = 0.1  # seconds between two answers at least
SLOW: Final = 0.5  # seconds of reading the net, after which the page says what it waits for
ENOUGH: Final = 20  # replications for the colours of the drawing
MOST_PROBLEMS: Final = 5  # that are shown of a text with errors


class Wish(Frozen):
    """What the page shows. settings: values of parameters as texts of the language, of those that are not as written.

    parameter, measure: of the curve; "" for none. course: the measure or the place that is shown over time.
    colours: of the drawing, one of `COLOURS`. bounds: whether figures are compared with their bounds. effects: the
    measure whose change with each parameter is shown; "" for none. aim: "least" or "greatest" while the best setting is
    looked for, of a measure `aimed` over the parameters `varied`. drawn: the measure whose distribution is shown while
    each replication draws parameters from `draws`; "" for none. surface: the measure that is shown over the parameters
    `across` and `up`, whose points settle when half of their interval is a share `within` or less; "" for none.
    """

    settings: Mapping[str, str] = {}
    parameter: str = ""
    measure: str = ""
    course: str = ""
    colours: str = "use"
    pinned: bool = False
    bounds: bool = False
    effects: str = ""
    aim: str = ""
    aimed: str = ""
    varied: tuple[str, ...] = ()
    drawn: str = ""
    draws: Mapping[str, str] = {}
    surface: str = ""
    across: str = ""
    up: str = ""
    within: float = 0.05


class Desk:
    """Threads load the net as it is set, run it and write the answers; `wait` hands out the newest.

    Where there are no threads, `step` does what they do. path: the file to follow; None for a net of the library.
    Recordings that were given are followed as well.
    """

    def __init__(self, source: Source, path: Path | None = None, threads: int = 2) -> None:
        self.source, self.path, self.threads = source, path, threads
        self.closed = False
        self._lock = threading.Condition()
        self._wish, self._turns, self._fulfilled = Wish(), 1, 0
        self._refinement: Refinement | None = None
        self._written: Model | None = None  # with the values of its text
        self._pinned: Point | None = None
        self._others: list[Point] = []
        self._effects: Effects | None = None
        self._draws: Draws | None = None
        self._draws_of: object = None
        self._surface: Surface | None = None
        self._surface_of: object = None
        self._search: Search | None = None
        self._search_of: object = None
        self._bounding: Point | None = None  # whose bounds are computed
        self._curve_of: tuple[str, str] | None = None
        self._visited: OrderedDict[str, Point] = OrderedDict()
        self._problem = ""
        self._reading: float | None = None  # since when the net is read
        self._changed_text = False
        self._texts = 0  # how often the text has changed
        self._watchers = 0
        self._new = threading.Event()  # something to answer
        self._answer: dict[str, Any] = {}
        self._version = 0
        self._due = 0.0  # before which no other answer is written
        self._drawn: tuple[Model, Diagram] | None = None
        self._coloured: tuple[object, dict[str, tuple[float, str]]] = (None, {})
        self._course: tuple[object, tuple[str, Figure] | None] = (None, None)
        follows = path is not None or source.origin.streams
        work = (self._follow_wishes, self._write_answers, *([self._follow_files] if follows else []))
        self._threads = [threading.Thread(target=one, daemon=True) for one in work]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def step(self, seconds: float) -> bool:
        """Do what the threads do, for a slice of time, where there are none. Returns whether there is more to do."""
        if self._turns != self._fulfilled:
            self._fulfil_newest()
        refinement = self._refinement
        busy = refinement is not None and refinement.looking and refinement.step(seconds)
        if self._new.is_set() and (self._urgent or time.monotonic() >= self._due):
            self._answer_newest()
        return busy or self._new.is_set() or self._turns != self._fulfilled

    def close(self) -> None:
        """Ask all threads to end."""
        self.closed = True
        if self._refinement is not None:
            self._refinement.stop()
        if self._search is not None:
            self._search.look(False)
        self._new.set()
        with self._lock:
            self._lock.notify_all()

    # ---------------------------------------------------------------- asked from other threads

    def change(self, **wanted: Any) -> None:
        """Change the wish. If it needs other runs, those under way are stopped at once."""
        with self._lock:
            before, self._wish = self._wish, replace(self._wish, **wanted)
            if self._wish.pinned and not before.pinned:
                self._pinned = self.now
            if self._wish.settings != before.settings and self._refinement is not None:
                self._refinement.stop()
            self._turns += 1
            self._lock.notify_all()

    def change_text(self) -> None:
        """Load the text again: it has changed."""
        with self._lock:
            self._changed_text = True
            self._turns += 1
            self._lock.notify_all()

    @property
    def wish(self) -> Wish:
        return self._wish

    def wait(self, version: int, seconds: float) -> tuple[int, dict[str, Any]]:
        """Return the newest answer and its version, once there is one newer than `version` or the time is over."""
        with self._lock:
            self._lock.wait_for(lambda: self._version > version or self.closed, timeout=seconds)
            return self._version, self._answer

    def watched(self, more: int) -> None:
        """Count one more page that looks at the answers (1), or one fewer (-1). While none does, nothing runs."""
        with self._lock:
            self._watchers += more
            looking, refinement, found = self._watchers > 0, self._refinement, self._search
        if refinement is not None:
            refinement.look(looking)
        if found is not None:
            found.look(looking and bool(self._wish.aim))

    @property
    def now(self) -> Point | None:
        """The setting that is looked at: the last one that the net could have."""
        return None if self._refinement is None else self._refinement.main

    @property
    def written(self) -> Model | None:
        """The net as its text says, once it could be loaded."""
        return self._written

    def drawing(self, model: Model) -> Diagram:
        """Return the diagram of a model, made once."""
        drawn = self._drawn
        if drawn is None or drawn[0] is not model:
            drawn = (model, diagram(model.net, sources=model.sources))
            self._drawn = drawn
        return drawn[1]

    def part(self, identifier: str) -> tuple[str, str, Markup] | None:
        """Return a node of the drawing: "p" of a place or "t" of a transition, its name and its figures."""
        point = self.now
        result = None if point is None else point.result()
        if point is None or point.model is None or result is None:
            return None
        return answer.part(of_result(result), self.drawing(point.model), identifier)

    # ---------------------------------------------------------------- the thread of wishes

    def _follow_wishes(self) -> None:
        while not self.closed:
            with self._lock:
                while self._turns == self._fulfilled and not self.closed:
                    self._lock.wait()
            if self.closed:
                return
            reminder = threading.Timer(SLOW, self._new.set)
            reminder.daemon = True
            reminder.start()
            self._fulfil_newest()
            reminder.cancel()

    def _fulfil_newest(self) -> None:
        with self._lock:
            self._fulfilled, wish = self._turns, self._wish
        self._reading = time.monotonic()
        try:
            self._fulfil(wish)
        except Exception as error:  # a fault of pnsim must not end the page
            self._problem = _fault(error)
        self._reading = None
        self._new.set()

    def _fulfil(self, wish: Wish) -> None:
        try:
            if self._changed_text or self._written is None:
                self._changed_text = False
                wish = self._read(wish)
            point = self._point(wish.settings)
        except LanguageError as error:
            self._problem = problem(error)
            return
        self._problem = ""
        refinement = self._refinement
        if refinement is None or refinement.main is not point or refinement.stopped.is_set():
            if refinement is not None:
                refinement.stop()
            refinement = Refinement(point, self.source.load, self.threads, self._new.set)
        self._compare_and_draw(wish, refinement)
        self._look_for_the_best(wish)
        if refinement is not self._refinement:
            with self._lock:
                if self._wish.settings != wish.settings:
                    return  # changed again meanwhile
                refinement.looking = self._watchers > 0
                self._refinement = refinement
            refinement.start()

    def _read(self, wish: Wish) -> Wish:
        """Load the text, for the first time or again: what is known belongs to another net. Raises LanguageError."""
        again = self._written is not None
        self._written = self.source.load({})[0]
        if not again:
            return wish
        self._texts += 1
        self._visited.clear()
        self._pinned, self._curve_of, self._draws_of, self._surface_of = None, None, None, None
        if self._search is not None:
            self._search.look(False)
            self._search, self._search_of = None, None
        known = {parameter.name for parameter in self._written.net.parameters}
        with self._lock:
            settings = {name: value for name, value in self._wish.settings.items() if name in known}
            self._wish = replace(self._wish, settings=settings, pinned=False, aim="")
            return self._wish

    def _point(self, settings: Mapping[str, str]) -> Point:
        """Return the setting, with its replications if it was there before. Raises LanguageError."""
        key = repr(sorted(settings.items()))
        point = self._visited.pop(key, None)
        if point is None:
            model, plan = self.source.load(settings)
            point = Point(settings, model, plan)
            point.text = self._texts
        self._visited[key] = point
        while len(self._visited) > KEPT:
            self._visited.popitem(last=False)
        return point

    def _compare_and_draw(self, wish: Wish, refinement: Refinement) -> None:
        """Give the refinement the points of the curve, those next to the setting, and what it is compared with."""
        if not wish.pinned:
            self._pinned = None
        elif self._pinned is None:
            self._pinned = refinement.main
        fixed = {name: value for name, value in wish.settings.items() if name != wish.parameter}
        curve_of = (wish.parameter, repr(sorted(fixed.items())))
        if not wish.parameter or not wish.measure:
            self._others, self._curve_of = [], None
        elif self._curve_of != curve_of:
            self._others, self._curve_of = (
                [Point(fixed | {wish.parameter: value}) for value in self._values(wish)],
                curve_of,
            )
            for one in self._others:
                one.most = MOST_OF_OTHERS
        if wish.effects and (self._effects is None or self._effects.of is not refinement.main):
            self._effects = Effects(refinement.main)
        beside = self._effects.points if self._effects is not None and wish.effects else []
        partner = None if self._pinned is refinement.main else self._pinned
        self._draw_and_spread(wish, refinement.main)
        groups = [self._others, beside, *(one.points for one in (self._draws, self._surface) if one is not None)]
        refinement.set_others(groups, partner)

    def _draw_and_spread(self, wish: Wish, main: Point) -> None:
        """Make the draws and the surface that are wanted; turning a parameter that they vary does not matter."""
        assert self._written is not None
        assert main.model is not None
        assert main.plan is not None
        now = {one["name"]: one for one in knobs(self._written.net, main.model.net)}
        texts = {name: text for name, text in wish.draws.items() if name in now}
        draws_of = (texts, {name: value for name, value in wish.settings.items() if name not in texts})
        if not wish.drawn:
            self._draws, self._draws_of = None, None
        elif self._draws_of != draws_of:
            logarithmic = [name for name in texts if now[name].get("logarithmic")]
            self._draws = Draws(draws_of[1], texts, main.plan, self.source, main.model, logarithmic)
            self._draws_of = draws_of
        axes = (wish.across, wish.up)
        surface_of = (axes, {name: value for name, value in wish.settings.items() if name not in axes})
        if not wish.surface or wish.across == wish.up or not now.keys() >= set(axes):
            self._surface, self._surface_of = None, None
        elif self._surface_of != surface_of:
            self._surface = Surface(surface_of[1], now[wish.across], now[wish.up])
            self._surface_of = surface_of
        if self._surface is not None:
            self._surface.weigh({name: now[name]["text"] for name in axes})

    def _look_for_the_best(self, wish: Wish) -> None:
        """Begin the search that is wanted, or go on with it; turning a parameter that it varies does not matter."""
        assert self._written is not None
        fixed = {name: value for name, value in wish.settings.items() if name not in wish.varied}
        search_of = (wish.aim, wish.aimed, wish.varied, fixed)
        if wish.aim and self._search_of != search_of and self.threads:
            if self._search is not None:
                self._search.look(False)
            over = ranges(knobs(self._written.net, self._written.net), wish.varied)
            aim = (wish.aim, wish.aimed)
            self._search = search(self._written, self.source, fixed, aim, over, self._searched)
            self._search_of = search_of
        if self._search is not None:
            self._search.look(bool(wish.aim) and self._watchers > 0)

    def _searched(self, one: Search) -> None:
        """Show what a search has found. One that has ended is no longer wanted, whatever is turned then."""
        if one.ended and one is self._search:
            self.change(aim="")
        self._new.set()

    def _values(self, wish: Wish) -> list[str]:
        assert self._written is not None
        all_knobs = knobs(self._written.net, self._written.net)
        knob = next((one for one in all_knobs if one["name"] == wish.parameter), None)
        return [] if knob is None else along(knob, POINTS)

    # ---------------------------------------------------------------- the thread of the files

    def _files(self) -> list[Path]:
        """Return the text with what it names, and the recordings that were given for it."""
        given = [Path(file) for file in self.source.origin.streams.values()]
        return [*given, *(files_named(self.path) if self.path is not None else [])]

    def _follow_files(self) -> None:
        before = times(self._files())
        while not self.closed:
            time.sleep(PAUSE)
            now = times(self._files())
            if now != before:
                before = now
                self.change_text()

    # ---------------------------------------------------------------- the thread of answers

    def _write_answers(self) -> None:
        while not self.closed:
            self._new.wait()
            if self.closed:
                return
            self._answer_newest()
            while time.monotonic() < self._due and not self.closed and not self._urgent:
                time.sleep(0.003)

    def _answer_newest(self) -> None:
        self._new.clear()
        try:
            found = self._written_answer()
        except Exception as error:  # a fault of pnsim must not end the page
            found = self._answer | {"problem": _fault(error)}
        with self._lock:
            self._answer, self._version = found, self._version + 1
            self._lock.notify_all()
        self._due = time.monotonic() + BETWEEN

    @property
    def _urgent(self) -> bool:
        """Whether the next answer is the first of another setting, which does not wait."""
        now = self.now
        return now is not None and self._answer.get("point") != id(now)

    def _written_answer(self) -> dict[str, Any]:
        wish, refinement, written = self._wish, self._refinement, self._written
        since = self._reading
        slow = since is not None and time.monotonic() - since >= SLOW
        shown: dict[str, Any] = {"problem": self._problem, "slow": slow, "pinned": wish.pinned}
        shown |= {"course": wish.course, "parameter": wish.parameter, "measure": wish.measure}
        if refinement is None or written is None:
            return shown
        point = refinement.main
        before = {} if self._answer.get("point") != id(point) else self._answer
        if not refinement.stopped.is_set() or not before:
            result = point.result()
            if point.problem is not None:
                shown["problem"] = problem(point.problem)
        else:
            result = None  # it is to be replaced: nothing is worth a second look
        if result is None or point.model is None:
            kept = {name: value for name, value in self._answer.items() if name not in shown}
            return kept | shown
        shown |= {
            "point": id(point),
            "text": point.text,
            "places": answer.places(point.model.net),
            "knobs": knobs(written.net, point.model.net),
            "names": answer.names(point.model.net),
        }
        shown |= {"net": point.model.net.name, "settings": dict(point.settings)}
        shown["progress"] = answer.progress(point, result, refinement.progress.rate)
        shown["clock"] = answer.clock(result)
        shown |= self._figures(point, result, before)
        if before and refinement.stopped.is_set():  # the figures of another setting are more urgent than these charts
            return before | shown
        shown |= self._loads(point.model, result, (id(point), wish.colours, min(shown["count"], ENOUGH)), before)
        shown |= self._charts(wish, point, result, before)
        shown["compared"] = self._compared(point)
        effects = self._effects
        shown["effects"] = effects.told(wish.effects) if wish.effects and effects and effects.of is point else None
        shown["searches"] = self.threads > 0
        shown["tuned"] = None if self._search is None else self._search.told()
        shown["bounded"] = self._bounded(point, result) if wish.bounds else ""
        shown |= self._drawn_and_spread(wish, point, result, shown["knobs"])
        shown["copies"] = self.source.copies(point.settings, max(len(point.ran), 1), self._grid(wish, point))
        return shown

    def _drawn_and_spread(
        self, wish: Wish, point: Point, result: Result, now: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return what the draws and the surface show, each with its measure; and what parameters may be drawn from."""
        draws, surface = self._draws, self._surface
        found: dict[str, Any] = {"drawn": None, "surface": None}
        over = ranges(now, [one["name"] for one in now])
        texts = {name: one if isinstance(one, str) else ", ".join(map(as_written, one)) for name, one in over.items()}
        if wish.drawn and draws is not None:
            found["drawn"] = {"measure": wish.drawn, **draws.told(wish.drawn, point, result)}
        if wish.surface and surface is not None and point.plan is not None:
            here = {one["name"]: one["text"] for one in now}
            told = surface.told(wish.surface, wish.within, here, result.net, point.plan.seed)
            found["surface"] = {"measure": wish.surface, **told}
        return {**found, "ranges": texts}

    def _figures(self, point: Point, result: Result, before: dict[str, Any]) -> dict[str, Any]:
        """Return the measures, if enough replications have finished since they were computed last."""
        count, last = len(point.ran), before.get("count", -1)
        kept = ("count", "measures", "figures", "said", "first", "strip")
        if last > 0 and not before["first"] and (count in (last, 2, 3) or count < min(GROWTH * last, last + 100)):
            return {name: before[name] for name in kept}
        record = of_result(result)
        judged = bool(point.ran) or record.failure is not None
        found: dict[str, Any] = {"count": count, "measures": answer.told(record, judged)}
        found["figures"], found["strip"] = answer.figures_of(record), answer.strip(record)
        found["said"] = answer.said(record) if judged else ""
        found["first"] = not before
        return found

    def _loads(self, model: Model, result: Result, of: tuple[int, str, int], before: dict[str, Any]) -> dict[str, Any]:
        """Return which drawing there is, and its colours, made again only where they are of something else."""
        if not before:  # the first answer must be there soon
            self._new.set()
            return {"loads": {}, "picture": self._answer.get("picture")}
        whole = self.drawing(model)
        if self._coloured[0] != of:
            large = len(whole.nodes) > LARGEST
            loads = {} if large else answer.loads(of_result(_first(result, ENOUGH)), whole, of[1])
            self._coloured = (of, loads)
        picture = f"{hash((whole.nodes, whole.edges)):x}"
        return {"loads": self._coloured[1], "picture": picture, "colours": of[1]}

    def _charts(self, wish: Wish, point: Point, result: Result, before: dict[str, Any]) -> dict[str, Any]:
        if not before:  # the charts stay for a moment
            return {name: self._answer.get(name) for name in ("over_time", "curve")}
        return {"over_time": self._over_time(wish, point, result), "curve": self._curve(wish, point, result)}

    def _over_time(self, wish: Wish, point: Point, result: Result) -> tuple[str, Figure] | None:
        """Made again only where its replications, of which the first few tell the course, are others."""
        followed = [replication for replication in result.replications if len(replication.batches)]
        key = (id(point), wish.course, len(followed), followed[-1].time if followed else 0.0)
        if self._course[0] != key:
            some = _first(result, max(len(followed), 1))
            self._course = (key, answer.over_time(some, wish.course))
        return self._course[1]

    def _curve(self, wish: Wish, point: Point, result: Result) -> Figure | None:
        if not self._others or self._written is None:
            return None
        knob = next((one for one in knobs(self._written.net, self._written.net) if one["name"] == wish.parameter), None)
        return None if knob is None else answer.curve(self._others, knob, wish.measure, point, result)

    def _grid(self, wish: Wish, point: Point) -> dict[str, Sequence[str]]:
        """Return the values of the surface, or those of the curve in ascending order, with that of the setting."""
        if self._surface is not None:
            return {line.name: line.values for line in (self._surface.across, self._surface.up)}
        values = {one.settings[wish.parameter] for one in self._others}
        here = {value for name, value in point.settings.items() if name == wish.parameter}
        return {wish.parameter: sorted(values | here, key=leading)} if values else {}

    def _bounded(self, point: Point, result: Result) -> Markup:
        """Return the shares of bounds, which a thread computes once for each setting that is looked at for so long."""

        def work(model: Model) -> None:
            point.bounds = _bounds(model)
            self._new.set()

        if point.bounds is None and point.model is not None and self._bounding is not point:
            self._bounding = point
            threading.Thread(target=work, args=(point.model,), daemon=True).start()
        if point.bounds is None or isinstance(point.bounds, str):
            return aside(point.bounds or "They are computed.")
        return answer.bounded(point.bounds, result)

    def _compared(self, point: Point) -> Markup | None:
        pinned = self._pinned
        if pinned is point:
            return aside("Turn a parameter to see the difference.")
        return None if pinned is None else answer.compared(pinned, point)


def _bounds(model: Model) -> list[Bound] | str:
    """Return the bounds of the measures, or why there are none."""
    try:
        return model.bounds().measures
    except NeedsExtra as error:
        return str(error)


def _first(result: Result, count: int) -> Result:
    """Return the result of its first replications."""
    return Result(result.net, result.plan, result.replications[:count], asked=count)


def problem(error: LanguageError) -> str:
    """Return the errors as a terminal shows them: with the line, the culprit underlined, and hints."""
    return "\n\n".join(
        render(diagnostic, error.sources, colour=False) for diagnostic in error.diagnostics[:MOST_PROBLEMS]
    )


def _fault(error: Exception) -> str:
    return render(Diagnostic("program-fault", values={"what": f"{type(error).__name__}: {error}"}), {}, colour=False)
