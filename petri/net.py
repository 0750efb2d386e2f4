"""The flat net: places, transitions, arcs and expressions with every module, array and parameter resolved.

Engines and analyses read nothing else. A colour is a tuple of scalar *slots*; records are laid out
field after field, so expressions and patterns use scalars only. Indices (of places, transitions, variables)
are positions in the tuples of the net. `docs/semantics.md` defines the meaning of a net.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from petri.catalogue.operations import OPERATIONS
from petri.structs import Part
from petri.ticks import Tick as Tick
from petri.tokens import Token as Token
from petri.tokens import Tokens

Scalar = int | float
Kind = Literal["int", "real", "bool"]
Discipline = Literal["bag", "fifo", "lifo", "key"]

# Limits that more than one room holds nets and runs to.
MOST_ARCS = 1_000  # on the input side of a transition; the native engine has the same limit
MOST_TOKENS = 10_000_000  # in a net, unless a run sets another limit (X3)
PRIORITIES = 2**31  # a priority is less, and more than its negative; schedules have the two highest
DECISION: Final = -PRIORITIES  # the priority of transitions that wait for a decision (I13)
MOST_REPLICATIONS = 100_000  # of one run, which stores the measures of each


class Span(Part):
    """A piece of source text: lines and columns count from 1; the end column is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class Slot(Part):
    """One scalar of a colour. Bounds are inclusive, `None` if there is none; a bool is an int in 0..1."""

    name: str = ""  # path within the record ("pkt.seq"), "" for a scalar colour
    kind: Literal["int", "real"] = "int"
    low: Scalar | None = None
    high: Scalar | None = None
    labels: tuple[str, ...] = ()  # names of the values from 0: an enumeration's, or false and true
    dimension: str = ""  # "Time", "Bytes", "Rate", "Freq", or "" for a plain number


class Colour(Part):
    """A colour set: the type's name as written, and its slots (none for black tokens)."""

    name: str = "token"
    slots: tuple[Slot, ...] = ()


class Expr(Part):
    """One operation. `kind` is the kind of its result; operands have the kinds that the operation requires.

    op          args                   value        meaning
    const                              the scalar
    var                                index        a variable of the transition (in a place's key: a slot)
    tokens                             place index  number of tokens in the place (E8)
    now, end                                        instants of the start and of the end, in ticks
    neg add sub mul min max abs                     int × int → int or real × real → real
    div                                             real; zero divisor is an error
    idiv mod                                        int, floored; zero divisor is an error
    within      index, length                       int: the index; an error if it is not from 0 to below the length
    real                                            int → real
    ticks                                factor     real → real: a time unit's time in ticks, multiplied by the factor
    units                                factor     real → real: divided by it, from ticks to time units
    floor ceil round                                real → int (round: half to even)
    sqrt ln                                         real → real
    pow                                             real × real → real; base >= 0
    eq ne lt le gt ge                               both int, both real or both bool → bool
    and or not                                      bool, short-circuit
    if          condition, then, else               bool, k, k → k
    distributions: their parameters (`petri/catalogue/operations.py`)  draws (R3), only in draws and times
    choice      v1, w1, v2, w2, …                   int or real values, real weights
    table                              table index  a draw from `Net.tables`
    empirical                          table index  real: a draw between the values of one of `Net.tables`
    """

    op: str
    kind: Kind
    args: tuple[Expr, ...] = ()
    value: Scalar | None = None
    span: Span | None = None


def operations(expressions: Iterable[Expr | None]) -> Iterator[Expr]:
    """Yield every operation within the expressions."""
    pending = [expression for expression in expressions if expression is not None]
    while pending:
        expression = pending.pop()
        yield expression
        pending.extend(expression.args)


def is_draw(part: Expr) -> bool:
    """Return whether an operation is a distribution, from which a random value is drawn."""
    return part.op in OPERATIONS and OPERATIONS[part.op].draws


def constant_count(count: Expr | None) -> int | None:
    """Return the value of a number of tokens if it is the same for all bindings."""
    if count is None:
        return 1
    return int(count.value) if count.op == "const" and count.value is not None else None


class Match(Part):
    """The pattern of one slot: bind a variable, equal an expression, or (neither) match anything."""

    bind: int | None = None
    equal: Expr | None = None


class InputArc(Part):
    """Takes a token (or, on a black place, `count` of them); with `keep` it is a read arc, and the tokens stay.

    With `any` it sees all tokens of a place whose discipline shows only one. in_turn: of several bindings, those are
    chosen from whose token the discipline would show first (I4); only of the first arc, and with `any`.
    """

    place: int
    pattern: tuple[Match, ...] = ()
    count: Expr | None = None  # int; only on black places; None is 1
    keep: bool = False
    any: bool = False  # only on coloured places that are no bags
    span: Span | None = None
    in_turn: bool = False

    @property
    def takes_from(self) -> tuple[int, ...]:
        """The places that lose tokens by this arc."""
        return () if self.keep else (self.place,)


class Total(Part):
    """`variable` is 0, and for each token of a set, in their order, becomes `value`, which may use it."""

    variable: int
    value: Expr


class SetArc(Part):
    """Takes all tokens of a place that other arcs leave and for which the condition holds, or the first of them; it
    enables nothing (E11).

    In its condition and totals, and in what `each` gives, slot k of a token is variable len(transition.variables) + k.
    """

    place: int
    number: int  # the variable that receives how many it takes
    condition: Expr | None = None  # bool; None is true
    totals: tuple[Total, ...] = ()
    span: Span | None = None
    most: Expr | None = None  # int: of no more than so many, in the order of the place; None is all

    @property
    def variables(self) -> list[int]:
        """Return the variables that receive their values by this arc."""
        return [self.number, *(total.variable for total in self.totals)]


class InhibitorArc(Part):
    """Enabled only while fewer than `threshold` tokens of the place match the pattern (which binds nothing)."""

    place: int
    pattern: tuple[Match, ...] = ()
    threshold: Expr | None = None  # int; None is 1
    span: Span | None = None


class OutputArc(Part):
    """Deposits `count` tokens of the given values in `places[index]`, if the condition holds.

    delay: how long after the start of the firing they arrive; None is when it ends (I5). each: the set for each of
    whose tokens there is one, with its own values; `count` is then their number, and the firing is immediate (E11).
    """

    places: tuple[int, ...]
    values: tuple[Expr, ...] = ()
    index: Expr | None = None  # int from 0; None if there is one place
    count: Expr | None = None  # int; None is 1
    condition: Expr | None = None  # bool; None is true
    delay: Expr | None = None  # real, in ticks; the engine rounds it to a whole number (S1)
    span: Span | None = None
    each: int | None = None


class Variable(Part):
    name: str
    kind: Literal["int", "real"]
    labels: tuple[str, ...] = ()
    dimension: str = ""


class Draw(Part):
    """A named random value: `variable` receives the value of `expression`."""

    variable: int
    expression: Expr


class Let(Part):
    """A value that a transition names, for people: what uses the name has the expression itself."""

    name: str
    expression: Expr
    labels: tuple[str, ...] = ()
    dimension: str = ""

    @property
    def kind(self) -> Kind:
        return self.expression.kind


class Stream(Part):
    """A file whose rows come to a place, one after the other (S6). `petri/traffic/` reads it."""

    name: str = ""  # as written; "" if it must be given for each run
    path: str = ""  # its path; "" if not given yet
    columns: tuple[tuple[str, str], ...] = ()  # (slot, column of the file), if the names differ
    digest: str = ""  # SHA-256 of its contents, if a result must contain it


class Place(Part):
    """Hold tokens. A capacity is for their number; with a `weight`, for the sum of their weights, and of its kind."""

    name: str
    colour: Colour = Colour()
    discipline: Discipline = "bag"
    key: Expr | None = None  # for discipline "key": an expression of the slots, int or real
    then: Expr | None = None  # another key, for tokens of equal keys
    per: tuple[int, ...] = ()  # slots: the discipline and the capacity are for the tokens of equal values in them
    capacity: Scalar | None = None
    weight: Expr | None = None  # an expression of the slots, int or real
    measured_in: str = ""  # the dimension of weight and capacity
    initial: Sequence[tuple[int, Token]] = ()  # (count, value), in order of arrival: a tuple, or `Tokens`
    stream: Stream | None = None  # of a port in, or of a coloured fifo place without initial tokens and capacity
    doc: str = ""
    span: Span | None = None
    port: Literal["", "in", "out"] = ""  # the environment fills it, or takes what comes into it (I12)

    @property
    def held(self) -> int:
        """The number of initial tokens."""
        return self.initial.held if isinstance(self.initial, Tokens) else sum(count for count, _ in self.initial)


def weighing_slots(place: Place) -> list[int]:
    """Return the slots that the weight of a token depends on."""
    return sorted({int(part.value or 0) for part in operations([place.weight]) if part.op == "var"})


def room_slots(place: Place) -> set[int]:
    """Return the slots of a token that tell whether there is room for it (E6): those of its weight and of its line."""
    return set() if place.capacity is None else {*weighing_slots(place), *place.per}


WEIGHT_PARTS = 10**6  # real weights are rounded to millionths, so that sums of them are exact
MOST_WEIGHT = 2**62


def whole_weight(value: Scalar) -> int:
    """Return a weight, or a capacity in weight, as the whole number that sums are made of (E6)."""
    if isinstance(value, float):
        value = value * WEIGHT_PARTS
        value = round(value) if value < MOST_WEIGHT else MOST_WEIGHT
    return min(max(value, 0), MOST_WEIGHT)


class Preference(Part):
    """Choose from the bindings with the least key, or from those with the greatest (I4)."""

    key: Expr  # int or real, of the variables that arcs bind
    most: bool = False
    then: Expr | None = None  # another key, for bindings of equal keys


ONE = Expr("const", "real", value=1.0)


class Clock(Part):
    """What a binding waits for before it fires, without holding its tokens (C1).

    memory: what becomes of a clock whose binding is disabled: it is forgotten, it goes on where it stopped, or it
    begins again with the same time. servers: how many clocks the binding of a transition without coloured input arcs
    has; None is as many as its enabling degree. A transition with coloured input arcs has 1.
    """

    time: Expr  # real, in ticks, of the variables that arcs bind; it may draw
    memory: Literal["restart", "resume", "repeat"] = "restart"
    servers: int | None = 1
    speed: Expr | None = None  # real, without variables and draws; None is 1


class Transition(Part):
    """`variables` are those bound by arcs, then numbers and totals of sets, and those drawn.

    `time` is an int 0 const if immediate, or with a clock.
    """

    name: str
    variables: tuple[Variable, ...] = ()
    inputs: tuple[InputArc, ...] = ()  # in binding order (E1)
    inhibitors: tuple[InhibitorArc, ...] = ()
    resets: tuple[int, ...] = ()
    guard: Expr | None = None
    draws: tuple[Draw, ...] = ()
    time: Expr = Expr("const", "real", value=0.0)  # real, in ticks; the engine rounds it to a whole number (S1)
    outputs: tuple[OutputArc, ...] = ()
    priority: int = 0
    weight: Expr = ONE  # real, without variables and draws; above 0 if it is a constant
    prefer: Preference | None = None
    clock: Clock | None = None
    doc: str = ""
    span: Span | None = None
    sets: tuple[SetArc, ...] = ()  # of different places
    lets: tuple[Let, ...] = ()

    @property
    def emptied(self) -> tuple[int, ...]:
        """The places that lose tokens however many they have: none of these arcs enables anything."""
        return self.resets + tuple([arc.place for arc in self.sets])

    @property
    def places(self) -> tuple[int, ...]:
        """The places of all arcs."""
        asked = *(arc.place for arc in self.inputs), *(arc.place for arc in self.inhibitors)
        return *asked, *self.emptied, *(place for arc in self.outputs for place in arc.places)


def enabling_expressions(transition: Transition, places: Sequence[Place]) -> Iterator[Expr | None]:
    """Yield the expressions that are evaluated before a firing starts."""
    yield transition.guard
    for arc in transition.inputs:
        yield arc.count
        yield from (match.equal for match in arc.pattern)
    for inhibitor in transition.inhibitors:
        yield inhibitor.threshold
        yield from (match.equal for match in inhibitor.pattern)
    for output in transition.outputs:
        if any(places[place].capacity is not None for place in output.places):
            yield from (output.condition, output.index, output.count)
            slots = {slot for place in output.places for slot in room_slots(places[place])}
            yield from (value for slot, value in enumerate(output.values) if slot in slots)


def time_of(transition: Transition) -> Expr:
    """Return the time of its firings; of one that races, that to which its clocks are set."""
    return transition.time if transition.clock is None else transition.clock.time


def times_of(transition: Transition) -> list[Expr]:
    """Return the time of its firings or its clocks, and then the delays of its outputs."""
    return [time_of(transition), *(arc.delay for arc in transition.outputs if arc.delay is not None)]


def lasts(transition: Transition) -> bool:
    """Return whether its firings are in progress for a time."""
    return transition.clock is None and not (transition.time.op == "const" and not transition.time.value)


def is_memoryless(transition: Transition) -> bool:
    """Return whether what is left of a clock does not depend on how long it has run (C4)."""
    clock = transition.clock
    return (
        clock is not None
        and clock.time.op == "exp"
        and clock.memory == "restart"
        and not any(_reads_time_or_draws(part) for part in operations(clock.time.args))
    )


def _reads_time_or_draws(part: Expr) -> bool:
    return part.op in ("now", "end") or is_draw(part)


def is_shared(transition: Transition) -> bool:
    """Return whether all bindings of the transition have one clock together (C4): equally fast, and none preferred."""
    clock = transition.clock
    return (
        clock is not None
        and is_memoryless(transition)
        and transition.prefer is None
        and not any(part.op == "var" for part in operations(clock.time.args))
    )


def place_of_clocks(net: Net, transition: Transition) -> int | None:
    """Return the place each of whose black tokens has a clock of the transition (C1)."""
    clock = transition.clock
    if clock is None or clock.servers is not None or is_shared(transition):
        return None
    taking = [arc for arc in transition.inputs if not arc.keep]
    black = not any(net.places[arc.place].colour.slots for arc in transition.inputs)
    return taking[0].place if black and [constant_count(arc.count) for arc in taking] == [1] else None


def constant_weight(transition: Transition) -> float | None:
    """Return the weight if it is the same in all markings."""
    weight = transition.weight
    return float(weight.value) if weight.op == "const" and weight.value is not None else None


class Event(Part):
    """A firing's start (`transition`; keys are of its variables) or a token's arrival (`place`; of its slots).

    An arrival happens at the deposit; initial tokens do not arrive.
    """

    transition: int | None = None
    place: int | None = None
    key: tuple[Expr, ...] = ()
    others: tuple[Event, ...] = ()  # each of these is the event as well; only of a passage

    @property
    def every(self) -> tuple[Event, ...]:
        return self, *self.others


class Counter(Part):
    """Sum of a quantity (None: 1) over the firings of a transition."""

    transition: int
    quantity: Expr | None = None


class Sample(Part):
    """The values of an expression at starts of firings, or arrivals of tokens in a place, where the condition holds."""

    transition: int | None  # None: `place`
    value: Expr
    condition: Expr | None = None
    others: tuple[Sample, ...] = ()  # the values of other transitions or places, which have no `others`
    place: int | None = None


class Passage(Part):
    """Time from one event to the next event of equal key at the other end."""

    start: Event
    end: Event


class Order(Part):
    """The order in which sequence numbers of each key arrive (RFC 4737, RFC 5236, duplicate ACKs)."""

    event: Event
    sequence: Expr  # int
    modulo: int | None = None  # at which the numbers wrap around, from 4 to 2^32
    displacement_threshold: int = 64  # DT of RFC 5236, from 1 to 1024
    buffer_threshold: int = 64  # BT of RFC 5236, from 1 to 1024


CONTENT_PARTS = 2.0**104  # real values of a content are rounded to parts, so that sums of them are exact
MOST_CONTENT = 2.0**53  # a real value counts as no more, and as no less than its negative


class Content(Part):
    """The sum of an expression, int or real, over the tokens of a coloured place; its variables are their slots."""

    place: int
    value: Expr


class Watched(Part):
    """A value of the marking: an int, a real or a bool, of numbers of tokens and of firings in progress alone (M6).

    firings: variable k of the value is how many firings of this transition, which has no clock, are in progress.
    """

    value: Expr
    firings: tuple[int, ...] = ()


Probe = Counter | Sample | Passage | Order | Content | Watched


class Chance(Part):
    """The probability that a trial hits: that `hit` holds before `stop`, and within a time of `begin` (Q1).

    share: it is the share of a run's time in which `hit` holds instead, without the other parts of a question (Q6).

    A trial is a run of its own from time 0. Conditions and the importance are of the marking (M6). stop, within, begin:
    None where the question does not have them. importance: what trials are split on, or None (Q3). trials: how many;
    None for as many as the half-width needs to be at most `precision` of the estimate, or as it takes to decide what is
    expected of the probability, wrongly with a probability of at most `error` (Q5).
    """

    hit: Watched
    stop: Watched | None = None
    within: Expr | None = None  # in ticks, constant
    begin: Watched | None = None
    importance: Watched | None = None
    trials: int | None = None
    precision: float = 0.1
    error: float | None = None
    share: bool = False
    text: str = ""  # as written
    span: Span | None = None


HOLDING: Final[Mapping[type, tuple[str, ...]]] = {
    Place: ("key", "then", "weight"),
    Transition: (
        "time", "clock", "draws", "guard", "prefer", "weight", "inputs", "inhibitors", "sets", "outputs", "lets",
    ),
    Preference: ("key", "then"),
    Clock: ("time", "speed"),
    InputArc: ("pattern", "count"),
    InhibitorArc: ("pattern", "threshold"),
    SetArc: ("most", "condition", "totals"),
    Total: ("value",),
    OutputArc: ("values", "index", "count", "condition", "delay"),
    Match: ("equal",),
    Draw: ("expression",),
    Let: ("expression",),
    Event: ("key", "others"),
    Counter: ("quantity",),
    Sample: ("value", "condition", "others"),
    Passage: ("start", "end"),
    Order: ("event", "sequence"),
    Content: ("value",),
    Watched: ("value",),
    Chance: ("hit", "stop", "within", "begin", "importance"),
}  # fmt: skip
"""The fields of a part of a net that hold expressions, or parts that do."""


def expressions(part: object) -> Iterator[Expr]:
    """Yield the expressions in a part of a net, each as a whole; `operations` yields what they consist of."""
    if isinstance(part, Expr):
        yield part
    elif isinstance(part, tuple):
        for one in part:
            yield from expressions(one)
    else:
        for name in HOLDING.get(type(part), ()):
            yield from expressions(getattr(part, name))


class Term(Part):
    """One operation of a measure's formula on the observations of a run.

    op                                     args      value        meaning
    const                                            the number
    elapsed                                                       length of the window
    counter                                          probe index  its sum
    sample passage order                             (probe index, field)   a figure of it, such as "mean", "p99"
    content                                          (probe index, field)   "integral" over time, or "max"
    watched                                          (probe index, field)   "integral" over time, "max", "min",
                                                                            "first": the time until it was true
    chance                                           number of a chance: the mean value of its trials
    quantile                                         args[0] in a replication; over replications the quantile `value`
    series                                 (measure index, field)   a figure of the windows it records, such as "max"
    firings in_progress active clocks_set …          transition   figures (M2, `petri.measure.catalogue`)
    mean max busy …                                  place        figures (M1), by their words
    neg add sub mul div min max2 min2                             arithmetic, in reals
    """

    op: str
    args: tuple[Term, ...] = ()
    value: float | int | tuple[int, str] | None = None


def in_unit(dimension: str, unit: str, size: float) -> str:
    """Return a dimension that is shown in one unit, of which one is `size` in the net's own: "Rate in MBps=1.0"."""
    return f"{dimension} in {unit}={size!r}"


def split_unit(dimension: str) -> tuple[str, str, float]:
    """Return the dimension without the unit that it is shown in, that unit, "" if there is none, and its size."""
    plain, _, unit = dimension.partition(" in ")
    name, _, size = unit.partition("=")
    return plain, name, float(size) if size else 1.0


class Expectation(Part):
    """`formula comparison bound`; for "==" the relative (or, with `absolute`, absolute) tolerance is `within`.

    `dimension` as of a measure: that of the formula and of its bound.
    """

    text: str  # as written
    formula: Term
    comparison: Literal["<", "<=", ">", ">=", "=="]
    bound: float
    within: float = 0.0
    absolute: bool = False
    span: Span | None = None
    dimension: str = ""


class Measure(Part):
    """A named figure. For a probe with many figures, `record` lists those to show (`formula` is the first).

    `dimension` is "Time", "Bytes", "Rate", "Freq", a product ("Bytes^2/Time"), "share", or "" for a plain number. It
    contains the unit to show the measure in, and its size, where the net says so (`in_unit`).
    """

    name: str
    formula: Term
    dimension: str = ""
    probe: int | None = None
    record: tuple[str, ...] = ()
    window: float | None = None  # length of the windows of `series(…)`, in the net's time unit
    expectations: tuple[Expectation, ...] = ()
    doc: str = ""
    span: Span | None = None


class Parameter(Part):
    name: str
    value: Scalar | bool | str  # an enumeration's value is its name
    kind: str  # "int", "real", "bool", or the enumeration's name
    dimension: str = ""
    low: Scalar | None = None
    high: Scalar | None = None
    text: str = ""  # the default as written
    doc: str = ""
    span: Span | None = None
    labels: tuple[str, ...] = ()  # names of an enumeration's values


class Table(Part):
    """A weighted list of values to draw from."""

    name: str
    values: tuple[Scalar, ...]
    weights: tuple[float, ...]


class RunDefaults(Part):
    """The net's `run` line, times in the net's unit; `until` is inf for `until dead`, None if not given.

    stop: the condition at which a run without an end in time ends. precision: replicate until the half-width of every
    measure is at most this share of its mean; 0 if that is not asked for.
    """

    until: float | None = None
    warmup: float = 0.0
    replications: int = 1
    seed: int = 1
    stop: Expectation | None = None
    precision: float = 0.0


class InexactTime(Part):
    """A constant time, in the net's unit, that is not a whole number of ticks, and the error that it has in a run."""

    time: float
    ppm: float
    span: Span | None = None

    @property
    def error(self) -> float:
        return self.time * self.ppm / 1e6


class Net(Part):
    name: str
    places: tuple[Place, ...] = ()
    transitions: tuple[Transition, ...] = ()
    measures: tuple[Measure, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    probes: tuple[Probe, ...] = ()
    chances: tuple[Chance, ...] = ()
    tables: tuple[Table, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    run_defaults: RunDefaults = RunDefaults()
    time_unit: str = ""  # as in `time ns`; "" if time is a plain number
    seconds: float | None = None  # length of the time unit [s]
    doc: str = ""
    tick: Tick = Tick()
    inexact: tuple[InexactTime, ...] = ()
    units: tuple[tuple[str, float], ...] = ()  # of time that the net declares, and their lengths in its time unit
    own_streams: bool = False  # each transition draws values from a random stream of its own (R5)
    stops_at_decisions: bool = False  # a program decides which of the transitions of priority DECISION fires (I13)
