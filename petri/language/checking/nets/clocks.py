"""The clocks of transitions that race (`after`), checked into templates, and what clauses exclude one another."""

from __future__ import annotations

from collections.abc import Iterable

from petri.diagnostics import Label
from petri.language.checking.expressions.reader import Reader
from petri.language.checking.nets.speeds import Speed, split
from petri.language.meaning.nodes import NOW, Node
from petri.language.meaning.templates import ClockTemplate, InputTemplate
from petri.language.meaning.types import INT, REAL, Black, Unknown
from petri.language.problems import CheckError
from petri.language.syntax import tree


class ClockReader:
    """Reads `after` and the clauses that belong to it. reader: knows the values of the transition's arcs."""

    def __init__(self, reader: Reader, declaration: tree.Transition) -> None:
        self.reader = reader
        self.problems = reader.problems
        self.declaration = declaration

    def read(self, inputs: Iterable[InputTemplate]) -> ClockTemplate | None:
        """Return the clock; None if the transition has none. inputs: arcs that take or read."""
        d = self.declaration
        if d.clock is None:
            self._refuse_clauses()
            return None
        if d.time is not None:
            first, second = sorted((d.time.span, d.clock.span), key=lambda span: (span.line, span.column))
            self.problems.error("after-with-takes", second, Label(first, "first-here"))
        valued = next((arc for arc in inputs if not isinstance(arc.place.symbol.type, (Black, Unknown))), None)
        unlimited = isinstance(d.servers, tree.Name) and d.servers.name == "all"
        if d.servers is not None and unlimited and valued is not None:
            self.problems.fault(servers_of_tokens(d.servers, valued))
        servers = None
        if d.servers is not None and not unlimited:
            servers = self.reader.of_all_bindings("a number of servers").read_fixed(d.servers, INT)
        speed = (None if d.speed is None else self.problems.attempt(self._speed, d.speed)) or Speed()
        memory = "restart" if d.memory is None else d.memory.word
        time = self._time(d.clock)
        time = None if time is None else speed.divided(time)
        return ClockTemplate(time, memory, servers, unlimited, valued, speed.common, speed.moving)

    def _speed(self, e: tree.Expr) -> Speed:
        speed = self.reader.allowing("a speed", "tokens").read_scalar(e, REAL)
        return Speed() if speed is None else split(speed, e.span)

    def _refuse_clauses(self) -> None:
        """Clauses that say something of a clock, of a transition that has none."""
        d = self.declaration
        held = "takes" if d.time is not None else None
        for word, clause in (("servers", d.servers), ("", d.memory), ("speed", d.speed)):
            if clause is not None:
                word = clause.word if isinstance(clause, tree.Memory) else word
                self.problems.error("clause-without-after", clause.span, word=word, held=held)

    def _time(self, e: tree.Expr) -> Node | None:
        reader = self.reader.allowing("`after`", "draw", "now", "tokens")
        time = reader.read_scalar(e, reader.checker.units.time_type)
        # A step of a thread, whose name has a dot, begins at `now`, as a firing that lasts does.
        if time is not None and "." not in self.declaration.name and (rate := _rate_of_now(time)) is not None:
            self.problems.error("rate-of-now", rate.span)
        return time


def _rate_of_now(time: Node) -> Node | None:
    """Return an exponential time whose mean reads the instant: the clock does not follow it."""
    if time.op == "exp" and time.args[0].flags & NOW:
        return time
    return next((found for part in time.args if (found := _rate_of_now(part)) is not None), None)


def servers_of_tokens(servers: tree.Expr | Node, arc: InputTemplate) -> CheckError:
    """Return the error of several clocks for a binding that is a token (C1)."""
    return CheckError("servers-of-tokens", servers.span, Label(arc.span, "coloured-arc"), name=arc.place.symbol.name)
