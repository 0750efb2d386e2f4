"""Checked declarations, ready to be instantiated: the data between `check` and `flatten`.

A *body* is the net itself or a module. Its places, ports and locals are numbered; an instance supplies a value for
each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from petri import net
from petri.language.meaning.nodes import LOCAL, PLACES, Node
from petri.language.meaning.scope import ConstantSymbol, PlaceSymbol, Scope
from petri.language.meaning.types import Request, Type
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Struct, field, fields


class PlaceUse(Struct):
    """A place or an element of an array of places, by the place's number in its body."""

    symbol: PlaceSymbol
    indices: tuple[Node, ...]
    span: Span

    @property
    def fixed(self) -> bool:
        """Whether it is known before the run which place is meant."""
        return all(index.fixed for index in self.indices)


class LoopTemplate(Struct):
    """`[i in low..high]`; `local` is the number of i. `labels` are the names of an enumeration's values, from 0."""

    local: int
    low: Node
    high: Node
    span: Span
    labels: tuple[str, ...] = ()


Wanted = int | Node | None
"""What a pattern wants of a slot: it binds the variable of this number, or equals a value, or may be anything."""


class InputTemplate(Struct):
    """A taking or reading arc, or (with `threshold`) an inhibitor arc.

    `in_turn`: it takes those that come first in the order of the place (I4).
    """

    place: PlaceUse
    pattern: tuple[Wanted, ...]
    count: Node | None
    keep: bool
    span: Span
    any: bool = False
    in_turn: bool = False
    shared: tuple[net.Match, ...] | None = None


TOKEN = 1 << 20
"""In the expressions of a set: slot k of one of its tokens is variable TOKEN + k until the net is flat."""


class SetTemplate(Struct):
    """`all cache(…)`. number: the variable with how many it takes. totals: variables that it gives values to (E11).

    most: of `all up to 8 * cache(…)`. least: the transition is enabled only while other arcs leave so many there.
    """

    place: PlaceUse
    number: int
    condition: Node | None
    totals: list[tuple[int, Node]]
    span: Span
    most: Node | None = None
    least: Node | None = None


class OutputTemplate(Struct):
    """Name a place; with `indices`, it is an array, and they pick the element when the firing starts.

    The arc of `reply(r)` has the type of the request as its place: it leads to where the caller waits. Its index is the
    number of that place. `delay` is how long after the start of the firing its tokens arrive, None when it ends.
    `each` is the number of the set for each of whose tokens it gives one.
    """

    place: PlaceUse | Request
    indices: tuple[Node, ...]
    values: tuple[Node, ...]
    count: Node | None
    condition: Node | None
    span: Span
    delay: Node | None = None
    each: int | None = None


class ClockTemplate(Struct):
    """`servers`: None is 1, or with `unlimited` the enabling degree. `valued`: an arc whose tokens have values.

    moving: of a clock whose speed reads its token, what is 0 if it stands still (C5).
    """

    time: Node | None
    memory: Literal["restart", "resume", "repeat"]
    servers: Node | None
    unlimited: bool
    valued: InputTemplate | None
    speed: Node | None
    moving: Node | None


class TransitionTemplate(Struct):
    """`step` is the end of its full name, after the indices: `.trie` of a step of a thread."""

    name: str
    loops: tuple[LoopTemplate, ...]
    condition: Node | None
    variables: tuple[net.Variable, ...]
    inputs: tuple[InputTemplate, ...]
    inhibitors: tuple[InputTemplate, ...]
    resets: tuple[PlaceUse, ...]
    sets: Sequence[SetTemplate]
    guard: Node | None
    draws: tuple[tuple[int, Node], ...]
    time: Node | None
    clock: ClockTemplate | None
    outputs: tuple[OutputTemplate, ...]
    priority: Node | None
    weight: Node | None
    prefer: tuple[Node, Node | None, bool] | None  # a key, perhaps another, and whether the greatest is preferred
    names: dict[str, tuple[Type, tuple[Node, ...]]]  # its variables, as measures see them
    doc: str
    span: Span
    step: str = ""
    lets: tuple[tuple[net.Variable, Node], ...] = ()
    decides: bool = False

    @property
    def alike(self) -> bool:
        """Whether it has the same expressions in each element and instance: none depends on an index or an argument."""
        if any(arc.least is not None for arc in self.sets):  # of a place, which may be another
            return False
        arcs = (self.inputs, self.inhibitors, self.sets, self.outputs)
        parts = (self.guard, self.draws, self.time, self.clock, self.weight, self.prefer, self.lets, arcs)
        return not any(node.flags & (LOCAL | PLACES) for node in _nodes(parts))

    @property
    def seen(self) -> bool:
        """Whether measures see variables of it that depend on an index or an argument, of each element its own."""
        return any(node.op == "firing" for _, nodes in self.names.values() for node in nodes)


def _nodes(part: object) -> Iterator[Node]:
    """Yield the nodes in an arc or a clock, and in sequences of these.

    Places are left out: their indices are evaluated.
    """
    if isinstance(part, Node):
        yield part
    elif isinstance(part, (tuple, list)):
        for one in part:
            yield from _nodes(one)
    elif isinstance(part, (InputTemplate, SetTemplate, OutputTemplate, ClockTemplate)):
        for name in fields(type(part)):
            yield from _nodes(getattr(part, name))


class InitialTemplate(Struct):
    """`count` tokens of the given values for each iteration of the loops; `every` is `all`."""

    values: tuple[Node, ...]
    count: Node | None
    loops: tuple[LoopTemplate, ...]
    every: bool
    span: Span


class PlaceTemplate(Struct):
    """A place in which a thread waits for a step has the end `step` of its full name, after the index. `site` is the
    local with its number if it waits there for a reply.
    """

    symbol: PlaceSymbol
    span: Span
    condition: Node | None = None
    key: tuple[Node, Node | None] | None = None  # and another, for tokens of equal keys
    per: tuple[int, ...] = ()  # slots
    capacity: Node | None = None
    weight: Node | None = None
    measured_in: str = ""
    initial: tuple[InitialTemplate, ...] = ()
    stream: net.Stream | None = None
    doc: str = ""
    step: str = ""
    site: int | None = None
    indices: tuple[int | None, ...] = ()  # the locals of the indices that have names, if there are any

    @property
    def port(self) -> Literal["", "in", "out"]:
        """The direction of a port of the net itself."""
        direction = self.symbol.direction if self.symbol.outside else ""
        return "" if direction == "own" else direction


class ParameterTemplate(Struct):
    """`value` is the argument, in the scope outside; None means the default."""

    symbol: ConstantSymbol
    value: Node | None
    span: Span


class InstanceTemplate(Struct):
    """`ports` pairs each port with its place."""

    name: str
    loops: tuple[LoopTemplate, ...]
    condition: Node | None
    body: Body
    parameters: tuple[ParameterTemplate, ...]
    ports: tuple[tuple[PlaceSymbol, PortUse], ...]
    span: Span


class PortUse(Struct):
    """The connection of a port: a place or an element, or a whole array or a part of one.

    `indices` are the first ones of the place; `part` is a range of the next. listed: the places of `[a, b[2], c]`, of
    which the first is the symbol.
    """

    symbol: PlaceSymbol
    indices: tuple[Node, ...]
    part: tuple[Node, Node] | None
    span: Span
    listed: tuple[PortUse, ...] = ()

    @property
    def each(self) -> tuple[PortUse, ...]:
        return self.listed or (self,)


class Body(Struct):
    """The net, or a module. `constants` are evaluated in order, into their locals."""

    name: str
    scope: Scope
    parameters: list[tree.Param] = field(default_factory=list)
    defaults: dict[str, Node | None] = field(default_factory=dict)
    bounds: dict[str, tuple[Node, Node]] = field(default_factory=dict)
    constants: list[tuple[int, Node]] = field(default_factory=list)
    places: list[PlaceTemplate] = field(default_factory=list)
    ports: list[PlaceSymbol] = field(default_factory=list)
    transitions: list[TransitionTemplate] = field(default_factory=list)
    instances: list[InstanceTemplate] = field(default_factory=list)
