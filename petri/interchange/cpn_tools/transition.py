"""A transition of CPN Tools.

A timed token exists from its time stamp on, so a transition with a delay holds its tokens for this time (`takes`). A
token whose arc adds a delay of its own waits in a place beside the one that it comes to, and `after` the delay it
comes there. An input arc with this delay takes it from either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from petri.interchange.cpn_tools import ml
from petri.interchange.cpn_tools.declared import Declared
from petri.interchange.cpn_tools.terms import Colour, Item, Scope, items, number_of
from petri.interchange.reading.coloured import times
from petri.interchange.reading.foreign import Place, Transition
from petri.interchange.reading.infix import bare, value_of
from petri.interchange.reading.timing import guard
from petri.interchange.reading.tokens import InfixError, Node
from petri.interchange.reading.xml_tree import Element


@dataclass(slots=True)
class Socket:
    """A place. later: where tokens wait that come to it after a delay, by the text of the delay."""

    place: Place
    colour: Colour
    later: dict[str, str] = field(default_factory=dict)
    held: bool = False  # tokens come to it that a transition has held for its delay, and nothing more


class Step:
    def __init__(self, declared: Declared, element: Element, wanted: str) -> None:
        self.declared, self.foreign, self.element = declared, declared.foreign, element
        name = self.foreign.names.give("transition", (wanted, element.get("id")), wanted)
        self.made = Transition(name, doc=element.comments())
        self.foreign.transitions.append(self.made)
        self.scope = Scope(
            declared.constant, declared.variables, taken={name for name, _ in declared.variables.values()}
        )
        self.delay: Node | None = None
        self.early: list[tuple[int, Socket, str, Element]] = []  # inputs that are also taken while they wait

    def priority(self, normal: int) -> int:
        text = self.element.said("priority", "text")
        return self.declared.priority(text, self.element) if text else normal

    def read(self, arcs: Sequence[Element], sockets: dict[str, Socket]) -> None:
        for name, what in (("code", "a code segment"), ("channel", "a channel")):
            if self.element.said(name, "text"):
                self._refuse("foreign-construct", self.element, what=what)
        joined = [(arc, self._socket(arc, sockets), arc.get("orientation")) for arc in arcs]
        for arc, socket, way in joined:
            self.made.add_doc(arc.comments())
            if way in ("PtoT", "BOTHDIR"):
                self._input(arc, socket)
            elif way != "TtoP":
                self._refuse("foreign-arc-kind", arc, kind=way or "none")
        bound = set(self.scope.used)
        self._guard(bound)
        given = [
            (arc, socket, item) for arc, socket, way in joined if way != "PtoT" for item in self._items(arc, socket)
        ]
        self._draw_free([arc for arc, _, way in joined if way != "PtoT"], bound)
        held = self._delay(given)
        for arc, socket, item in given:
            self._output(arc, socket, item, held)
        if unbound := self.scope.used - bound:
            reason = f"no input arc binds `{min(unbound)}`"
            self._refuse("foreign-expression", self.element, text=self.made.name, reason=reason)
        if self.scope.draws:
            self.made.clauses["draw"] = ", ".join(self.scope.draws)

    def _socket(self, arc: Element, sockets: dict[str, Socket]) -> Socket:
        end = arc.first("placeend")
        key = end.get("idref") if end is not None else ""
        if key not in sockets:
            self._refuse("foreign-unknown-name", arc, name=key or "place")
        return sockets[key]

    def _items(self, arc: Element, socket: Socket) -> list[Item]:
        text = arc.said("annot", "text")
        if not text and socket.colour.name:
            self._refuse("foreign-no-inscription", arc)
        try:
            node = self.declared.node(text) if text else Node("tuple")
            return list(items(node, socket.colour))
        except InfixError as error:
            self._refuse("foreign-expression", arc, text=text[:80], reason=error.reason)

    def _input(self, arc: Element, socket: Socket) -> None:
        place = socket.place.name
        if not socket.colour.name and (number := self._number(arc)):
            self.made.inputs.append(times(number, place))
            return
        for item in self._items(arc, socket):
            if item.conditions:
                self._refuse("foreign-construct", arc, what="an input arc with a condition")
            count = value_of(item.count, {})
            if count is None or count.denominator != 1 or not 0 < count < 1000:
                self._refuse("foreign-number", arc, text=arc.said("annot", "text")[:40], most=999)
            if item.delay is not None:
                self.early.append((len(self.made.inputs), socket, self._text(item.delay, arc), arc))
            value = self._value(item, socket, arc)
            if value:
                self.made.inputs += [f"{place}({value})"] * int(count)
            else:
                self.made.inputs.append(times(int(count), place))

    def _number(self, arc: Element) -> str:
        """Return how many black tokens an arc takes, if this depends on a condition."""
        text = arc.said("annot", "text")
        try:
            node = self.declared.node(text) if text else Node("tuple")
            if not any(part.op == "if" for part in node.everywhere()):
                return ""
            return bare(self.scope.text(number_of(node)))
        except InfixError as error:
            self._refuse("foreign-expression", arc, text=text[:80], reason=error.reason)

    def _guard(self, bound: set[str]) -> None:
        text = self.element.said("cond", "text")
        if not text:
            return
        try:
            for node in ml.conditions(text):
                guard(self.made, self.scope.text(self.declared.written_out(node), 2))
        except InfixError as error:
            self._refuse("foreign-expression", self.element, text=text[:80], reason=error.reason)
        if self.scope.draws or not self.scope.used <= bound:
            self._refuse("foreign-expression", self.element, text=text[:80], reason="a variable is in no input arc")

    def _draw_free(self, arcs: Sequence[Element], bound: set[str]) -> None:
        """Draw the variables of output arcs that no input arc binds: each value of their set is as likely."""
        for arc in arcs:
            text = arc.said("annot", "text")
            nodes = self.declared.node(text).everywhere() if text else ()
            for part in nodes:
                name = part.text
                if part.op != "name" or name not in self.declared.variables or name in bound | self.scope.drawn.keys():
                    continue
                wanted, colour = self.declared.variables[name]
                self.scope.taken.discard(wanted)
                if colour.kind == "bool":
                    self.scope.drawn[name] = f"{self.scope.draw('bernoulli(0.5)', wanted)} == 1"
                elif colour.kind == "range":
                    self.scope.drawn[name] = self.scope.draw(f"uniform({'..'.join(colour.bounds)})", wanted)
                elif colour.kind == "values":
                    choices = ", ".join(f"{value}: 1" for value in colour.values)
                    self.scope.drawn[name] = self.scope.draw(f"choice({choices})", wanted)
                elif colour.name:
                    self._refuse("foreign-expression", arc, text=text[:80], reason=f"no input arc binds `{name}`")

    # ------------------------------------------------------------ delays

    def _delay(self, given: Sequence[tuple[Element, Socket, Item]]) -> str:
        """Return the delay of the transition, if its firings can hold their tokens for it: no output comes at once."""
        text = self.element.said("time", "text").removeprefix("@+").strip()
        if not text:
            return ""
        try:
            self.delay = self.declared.node(text)
        except InfixError as error:
            self._refuse("foreign-expression", self.element, text=text[:80], reason=error.reason)
        timed = [socket.colour.timed for _, socket, _ in given]
        if not any(timed):
            self.delay = None
            return ""
        if not all(timed):
            return ""
        held = self._text(self.delay, self.element)
        self.delay = None
        if held != "0":
            self.made.clauses["takes"] = held
        return held

    def _text(self, node: Node, element: Element) -> str:
        """Return a delay; a distribution stands alone, and is drawn where it is used."""
        try:
            if node.op == "call" and node.text in ml.RANDOM:
                return self.scope.distribution(node)
            return bare(self.scope.text(node))
        except InfixError as error:
            self._refuse("foreign-expression", element, text=node.text, reason=error.reason)

    def _output(self, arc: Element, socket: Socket, item: Item, held: str) -> None:
        delay = item.delay
        if self.delay is not None and socket.colour.timed:
            delay = self.delay if delay is None else Node("+", (self.delay, delay))
        try:
            conditions = [self.scope.text(node, 3) for node in item.conditions]
            count = self.scope.text(item.count, 7)
        except InfixError as error:
            self._refuse("foreign-expression", arc, text=arc.said("annot", "text")[:80], reason=error.reason)
        if delay is not None and not socket.colour.timed:
            self._refuse("foreign-construct", arc, what="a delay of tokens that have no time")
        socket.held = socket.held or (bool(held) and delay is None)
        place = self._later(arc, socket, delay) if delay is not None else socket.place.name
        value = self._value(item, socket, arc)
        written = f"{place}({value})" if value else place
        if count == "0":
            return
        counted = written if count == "1" else f"{count} * {written}"
        holds = bare(conditions[0]) if len(conditions) == 1 else " and ".join(conditions)
        self.made.outputs.append(f"if {holds} then {counted}" if holds else counted)

    def _later(self, arc: Element, socket: Socket, delay: Node) -> str:
        """Return the place in which tokens wait for this delay; it is made when it is first used."""
        before, used = len(self.scope.draws), set(self.scope.used)
        self.scope.used.clear()
        text = self._text(delay, arc)
        if self.scope.used or len(self.scope.draws) > before:
            self._refuse("foreign-construct", arc, what="a delay of one arc that depends on its tokens")
        self.scope.used |= used
        if self.delay is not None and any(part.text in ml.RANDOM for part in self.delay.everywhere()):
            self._refuse("foreign-construct", arc, what="a random delay of some of the outputs")
        if text == "0":
            return socket.place.name
        if text not in socket.later:
            names, target = self.foreign.names, socket.place
            socket.later[text] = later = names.fresh(f"{target.name}_later")
            doc = f"tokens that come to {target.name} later"
            self.foreign.places.append(Place(later, target.type, doc=doc))
            inside = f"({self.foreign.names.give('variable', '', 'waiting')})" if target.type else ""
            clauses = {"after": text} if target.type else {"after": text, "servers": "all"}
            arrival = Transition(
                names.fresh(f"{target.name}_arrives"), [later + inside], [target.name + inside], clauses
            )
            self.foreign.transitions.append(arrival)
        return socket.later[text]

    def add_early(self) -> None:
        """Add a transition for each input arc with a delay, which takes a token while it waits for this delay."""
        for at, socket, delay, arc in self.early:
            if socket.held or any(text != delay for text in socket.later):
                self._refuse(
                    "foreign-construct", arc, what="an input arc that takes tokens which wait for another delay"
                )
            for later in socket.later.values():
                inputs = list(self.made.inputs)
                inputs[at] = later + inputs[at].removeprefix(socket.place.name)
                name = self.foreign.names.fresh(f"{self.made.name}_early")
                made = Transition(name, inputs, list(self.made.outputs), dict(self.made.clauses))
                self.foreign.transitions.append(made)

    def _value(self, item: Item, socket: Socket, arc: Element) -> str:
        try:
            return self.scope.value(item.value, socket.colour)
        except InfixError as error:
            self._refuse("foreign-expression", arc, text=arc.said("annot", "text")[:80], reason=error.reason)

    def _refuse(self, identifier: str, element: Element, **values: str | int) -> NoReturn:
        self.declared.refuse(identifier, element, **values)


def label(element: Element) -> str:
    """Return the name that a node shows."""
    return " ".join(element.said("text").split())
