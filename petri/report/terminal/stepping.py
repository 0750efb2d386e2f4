"""The commands of `pnsim step`, and what they print."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from petri.analysis.enabling import explain
from petri.diagnostics import LanguageError, did_you_mean, render
from petri.engine.lets import Known
from petri.model import Model
from petri.net import Place, Transition
from petri.report.telling.clock_text import ClockText
from petri.report.telling.columns import Column
from petri.report.telling.quantities import counted
from petri.report.telling.token_text import Values
from petri.report.terminal.tables import print_prose, print_table
from petri.report.terminal.why import print_why
from petri.result import run_failure
from petri.run.instant import Moment
from petri.run.walk import Enabled, Step, Walk
from petri.views import Why

MOST_LISTED: Final = 20  # enabled bindings, and steps, that are listed
MOST_SHOWN: Final = 12  # tokens of a place
_COMPARISONS: Final[dict[str, Callable[[int, int], bool]]] = {
    "<=": operator.le, ">=": operator.ge, "==": operator.eq, "<": operator.lt, ">": operator.gt, "=": operator.eq,
}  # fmt: skip
_CONDITION: Final = re.compile(r"(\S+?)\s*(<=|>=|==|<|>|=)\s*(\d+)$")
HELP: Final = (
    ("3", "fire the third of the listed bindings"),
    ("Enter, n, n 10", "let chance choose, once or ten times"),
    ("b, b 10", "go back one firing, or ten"),
    ("c 3 ms", "continue until that time"),
    ("c buffer >= 8", "continue until the place holds so many tokens"),
    ("c send", "continue until the transition has fired"),
    ("c", "continue to the end of the run"),
    ("p, p buffer", "show the places that hold tokens, or one of them"),
    ("w send", "say why the transition is enabled or not"),
    ("l", "list the enabled bindings again"),
    ("q", "quit"),
)


class Wrong(Exception):
    """A command that cannot be done; the text says what could."""


class Stepper:
    """Does one command after the other on a walk. `until`: the end of the run [ticks]."""

    def __init__(self, model: Model, walk: Walk, console: Console, until: float) -> None:
        self.model = model
        self.net = model.net
        self.walk = walk
        self.console = console
        self.until = until
        self.values = Values(model.net)
        self.listed: list[Enabled] = []

    def begin(self) -> None:
        """Say where the walk stands."""
        self._say(f"{self.net.name}: h shows the commands", "dim")
        self._list()

    def do(self, line: str) -> bool:
        """Do a command; False to quit."""
        word, _, rest = line.strip().partition(" ")
        if word in ("q", "quit", "exit"):
            return False
        try:
            self._command(word, rest.strip())
        except Wrong as wrong:
            self._say(str(wrong), "red")
        return True

    def _command(self, word: str, rest: str) -> None:
        if word.isdecimal() and not rest:
            self._choose(int(word))
        elif word in ("", "n", "next"):
            self._next(self._count(rest))
        elif word in ("b", "back"):
            undone = self.walk.back(self._count(rest))
            self._say(f"back by {counted(undone, 'firing')}")
            self._list()
        elif word in ("c", "continue"):
            self._continue(rest)
        elif word in ("p", "place", "places"):
            self._places(rest)
        elif word in ("w", "why", "t"):
            self._why(rest)
        elif word in ("l", "list"):
            self._list()
        elif word in ("h", "help", "?"):
            commands, what = zip(*HELP, strict=True)
            print_table(self.console, [Column("", commands, "name"), Column("", what, "prose")], tell=False)
        else:
            raise Wrong(f"there is no command {word}; h shows the commands")

    # ------------------------------------------------------------ steps

    def _choose(self, number: int) -> None:
        if not 1 <= number <= len(self.listed):
            raise Wrong(f"the list has no binding {number}; l shows it")
        choice = self.listed[number - 1]
        if choice.waits:
            raise Wrong("this one waits: an enabled transition of higher priority goes before it (I2)")
        self._tell(self.walk.fire(choice))
        self._list()

    def _next(self, count: int) -> None:
        if self.walk.reason != "budget":
            raise Wrong(self._standing())
        for left in range(count, 0, -1):
            if self.walk.reason != "budget":
                break
            steps = self.walk.fire()
            if left <= MOST_LISTED:
                self._tell(steps)
        self._list()

    def _continue(self, text: str) -> None:
        stop = self._condition(text)
        begun = self.walk.firings
        self.walk.steps = []
        try:
            self.walk.run(stop)
        except KeyboardInterrupt:
            self._say("stopped")
        self._say(f"{counted(self.walk.firings - begun, 'firing')} later")
        self._list()

    def _condition(self, text: str) -> Callable[[], bool]:
        """Return when to stop: at a time, at a number of tokens in a place, or when a transition has fired."""
        walk, tick = self.walk, self.net.tick
        if not text:
            return lambda: walk.now > self.until
        names = [transition.name for transition in self.net.transitions]
        if text in names:
            number = names.index(text)
            return lambda: any(step.kind == "starts" and step.transition == number for step in walk.steps)
        found = _CONDITION.match(text)
        if found:
            place, holds, least = self._place(found[1]), _COMPARISONS[found[2]], int(found[3])
            return lambda: holds(len(walk.engine.marking[place]), least)
        try:
            end = tick.ticks(self.model.duration(text))
        except (LanguageError, ValueError) as error:
            near = did_you_mean(text, names)
            hint = f"did you mean {near}?" if near else "give a time, PLACE >= NUMBER, or a transition"
            raise Wrong(f"{text} does not say how far: {hint}") from error
        return lambda: walk.now >= end

    # ------------------------------------------------------------ looking

    def _places(self, name: str) -> None:
        marking = self.walk.engine.marking
        wanted = [self._place(name)] if name else [n for n, row in enumerate(marking) if row]
        if not wanted:
            self._say("all places are empty")
            return
        rows = []
        for number in wanted:
            slots = self.net.places[number].colour.slots
            tokens = [self.values.token(token.value, slots) for token in marking[number][:MOST_SHOWN]] if slots else []
            more = ["…"] if slots and len(marking[number]) > MOST_SHOWN else []
            rows.append((self.net.places[number].name, str(len(marking[number])), "; ".join([*tokens, *more])))
        names, sizes, texts = zip(*rows, strict=True)
        columns = [Column("Place", names, "name"), Column("tokens", sizes), Column("", texts, "prose")]
        print_table(self.console, columns)

    def _why(self, name: str) -> None:
        number = _number("transition", name, self.net.transitions)
        state = self.walk.state()
        explanation = explain(self.net, state, number)
        why = Why(explanation, Moment(state, self.walk.reason), None, "", self.model.sources)
        print_why(why, self.console)

    def _place(self, name: str) -> int:
        return _number("place", name, self.net.places)

    # ------------------------------------------------------------ telling

    def _tell(self, steps: Sequence[Step]) -> None:
        """Print the firings that started and ended; a firing that takes no time is listed once."""
        for step in steps:
            name = self.net.transitions[step.transition].name
            if step.kind == "ends":
                if step.now > steps[0].now:
                    self._say(f"  {self.values.time(step.now)}  {name} ends")
                continue
            bound = self.values.variables(
                self.net.transitions[step.transition], step.variables, Known(step.now, step.end)
            )
            until = f", ends at {self.values.time(step.end)}" if step.end > step.now else ""
            self._say(f"  {self.values.time(step.now)}  {name}{f' ({bound})' if bound else ''}{until}")

    def _list(self) -> None:
        """Print where the walk stands, and what is enabled there."""
        self.listed = self.walk.enabled()
        text = Text(f"at {self.values.time(self.walk.now)}", style="bold")
        text.append(f", after {counted(self.walk.firings, 'firing')}", "not bold")
        print_prose(self.console, text)
        if not self.listed:
            self._say(self._standing(), "red")
            self._tell_fault()
            return
        shown = self.listed[:MOST_LISTED]
        numbers = [f"{number}" for number in range(1, len(shown) + 1)]
        names = [self.net.transitions[one.transition].name for one in shown]
        texts = [self._binding(one) for one in shown]
        print_table(
            self.console, [Column("", numbers), Column("", names, "name"), Column("", texts, "prose")], tell=False
        )
        if len(self.listed) > MOST_LISTED:
            self._say(f"and {len(self.listed) - MOST_LISTED:,} more", "dim")
        self._list_clocks()

    def _list_clocks(self) -> None:
        """Print the clocks that run, a line for each transition."""
        state = self.walk.state()
        clocks = ClockText(self.net, state)
        for number in list(clocks.of)[:MOST_LISTED]:
            self._say(f"{self.net.transitions[number].name}: {clocks.all(number)}", "dim")

    def _binding(self, one: Enabled) -> str:
        transition = self.net.transitions[one.transition]
        later = {draw.variable for draw in transition.draws}  # known only when it fires, as what sets take
        later.update(variable for arc in transition.sets for variable in arc.variables)
        bound = [None if number in later else value for number, value in enumerate(one.variables)]
        known = Known(self.walk.now, tokens=lambda place: len(self.walk.engine.marking[place]))
        return self.values.variables(transition, bound, known) + (" waits: lower priority" if one.waits else "")

    def _standing(self) -> str:
        if self.walk.fault is not None:
            return "the run stops here with an error of the net; b goes back"
        return "nothing can fire any more: the net is dead; w TRANSITION says why, b goes back"

    def _tell_fault(self) -> None:
        if self.walk.fault is not None:
            told = render(run_failure(self.net, self.walk.fault).diagnostic, self.model.sources)
            self.console.print(Text(told), soft_wrap=True)

    def _count(self, text: str) -> int:
        if text and (not text.isdecimal() or not int(text)):
            raise Wrong(f"{text} is not a number of firings")
        return int(text or 1)

    def _say(self, text: str, style: str = "") -> None:
        print_prose(self.console, Text(text, style=style))


def _number(what: str, name: str, known: Sequence[Place | Transition]) -> int:
    names = [one.name for one in known]
    if name not in names:
        near = did_you_mean(name, names)
        raise Wrong(f"there is no {what} {name}" + (f"; did you mean {near}?" if near else ""))
    return names.index(name)
