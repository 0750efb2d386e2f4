"""Goes to an instant of a run and looks: for `pnsim why` and `Model.why`."""

from __future__ import annotations

import math
from typing import Final, Unpack

from petri.analysis.enabling import explain
from petri.diagnostics import Diagnostic, LanguageError, Value, did_you_mean
from petri.model import Model
from petri.run.dropped import dropped
from petri.run.instant import Moment, ReplayedRun
from petri.run.plan import RunOptions, check_whole
from petri.views import Why

MOST_NAMED: Final = 12  # transitions of a net that a message lists


class Look:
    """A run that stands at an instant. `run` says which run it is; `stopped`, why it did not reach the instant."""

    def __init__(self, model: Model, course: ReplayedRun, moment: Moment, stopped: str | None) -> None:
        self.model = model
        self.course = course
        self.moment = moment
        self.stopped = stopped
        replication = f", replication {course.replication}" if course.replication else ""
        self.run = f" (seed {course.plan.seed}{replication})"

    def why(self, transition: int) -> Why:
        """Return the explanation of one transition, with its next firing and what stopped its clock.

        To be asked once.
        """
        explanation = explain(self.model.net, self.moment.state, transition)
        ended = self.moment.ended
        following = self.course.next_firing(transition, self.moment.following) if ended in ("until", "budget") else None
        stopped = None if explanation.enabled else dropped(self.course, self.moment, transition)
        return Why(explanation, self.moment, following, self.run, self.model.sources, stopped)


def look(
    model: Model,
    *,
    at: float | str | None = None,
    firing: int | str | None = None,
    replication: int = 0,
    **options: Unpack[RunOptions],
) -> Look:
    """Run to the end of the instant `at`, or to just before a firing; else to the run's end.

    at: in the net's time unit, or text with a unit. firing: a number, from 1, or a transition: its first firing after
    `at`. Raises LanguageError if the time is not one or below zero, or if the transition is unknown or does not fire.
    """
    if isinstance(firing, str):
        firing = _number(model, firing, at, replication, options)
    if firing is not None:
        check_whole("firing", firing, 1)
        options["until"] = math.inf
    elif at is not None:
        if model.duration(at) < 0.0:
            raise LanguageError([Diagnostic("run-below-zero", values={"name": "at", "text": str(at)})])
        options["until"] = at
    options["warmup"] = 0.0
    plan, _ = model.plan(trace=True, **options)
    course = ReplayedRun(model.net, plan, replication)
    until = model.net.tick.ticks(plan.until)
    ended = course.advance(until, None if firing is None else firing - 1)
    moment = course.moment(ended)
    return Look(model, course, moment, _why_short(model, moment, firing))


def _number(model: Model, name: str, at: float | str | None, replication: int, options: RunOptions) -> int:
    """Return the number of the first firing of a transition after `at`."""
    options["warmup"] = 0.0
    plan, _ = model.plan(trace=True, **options)
    after = -1.0 if at is None else model.net.tick.ticks(model.duration(at))
    found = ReplayedRun(model.net, plan, replication).number_of(transition_of(model, name), after)
    if found is None:
        values = {"name": name, "at": None if at is None else str(at)}
        raise LanguageError([Diagnostic("no-such-firing", values=values)], model.sources)
    return found


def transition_of(model: Model, name: str) -> int:
    """Return the number of a transition. Raises LanguageError."""
    names = [transition.name for transition in model.net.transitions]
    if name not in names:
        name = str(name)  # people ask by number as well
        place = name if any(name == one.name for one in model.net.places) else None
        suggestion = did_you_mean(name, names)
        known = None if suggestion or len(names) > MOST_NAMED else names
        values: dict[str, Value] = {"name": name, "net": model.net.name, "place": place, "suggestion": suggestion}
        raise LanguageError([Diagnostic("unknown-transition", values={**values, "known": known})], model.sources)
    return names.index(name)


def _why_short(model: Model, moment: Moment, firing: int | None) -> str | None:
    """Return why the run did not get to the instant that was asked for."""
    if moment.ended == "error":
        return "the run stopped with an error before that instant; this is what it left"
    if firing is not None and moment.ended != "budget":
        return f"the run has only {moment.state.firings:,} firings; this is its end"
    return None


def why(
    model: Model,
    transition: str,
    at: float | str | None = None,
    firing: int | str | None = None,
    replication: int = 0,
    **options: Unpack[RunOptions],
) -> Why:
    """`Model.why`."""
    number = transition_of(model, transition)
    return look(model, at=at, firing=firing, replication=replication, **options).why(number)
