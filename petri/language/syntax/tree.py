"""The syntax tree of a `.net` file: what was written and where, without its meaning.

Arcs are expressions (`2 * credit`, `queue(j)`; `no p(x) >= 3` is mode `no` with a comparison): which names are places,
variables or constants is known only after the declarations have been collected.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from petri.net import Span
from petri.structs import Part

# ---------------------------------------------------------------- expressions


class Number(Part):
    """A literal: `3`, `2.5 Gbps`, `5%` (the value is then 1/20). `text` is as written, without the unit."""

    value: Fraction
    text: str
    unit: str | None
    span: Span


class Text(Part):
    value: str
    span: Span


class Name(Part):
    """A name, or one of the words `token all now end true false nothing _`."""

    name: str
    span: Span


class Field(Part):
    base: Expr
    name: str
    span: Span


class Index(Part):
    """`base[index]`, of an array or a list; `index` is None in `base[*]`, which means all elements in a measure."""

    base: Expr
    index: Expr | None
    span: Span


class Call(Part):
    """`function(arguments)`: a record, a pattern on a place, a function, a distribution or a measure."""

    function: Expr
    arguments: tuple[Expr, ...]
    span: Span


class Record(Part):
    """`{cls: gold, at}` — a field without an expression is the variable of its name."""

    fields: tuple[tuple[str, Expr | None, Span], ...]
    span: Span


class List(Part):
    """`[4, 1, 1]`"""

    items: tuple[Expr, ...]
    span: Span


class Over(Part):
    """`x in l.s`: a name for each element of a vector or a list, or for each value of a range or a type."""

    variable: str
    source: Expr
    span: Span


class ListFor(Part):
    """`[2 * i for i in 0..3]`"""

    value: Expr
    over: Over
    span: Span


class Each(Part):
    """`x in l.s: x == shared` within `count(…)`, `sum(…)`, `any(…)` and `all(…)`."""

    over: Over
    value: Expr
    span: Span


class Element(Part):
    """The value of the field in `{s[p]: shared}`: of the element p of the vector s; of `{s[p, q]: …}` another is in it.

    `index` is None in `{s[*]: …}`, which is an error.
    """

    index: Expr | None
    value: Expr
    span: Span


class With(Part):
    """`p with {hop: 3}`: a record with some fields replaced."""

    base: Expr
    changes: Record
    span: Span


class Unary(Part):
    operator: Literal["-", "not"]
    operand: Expr
    span: Span


class Binary(Part):
    operator: str  # + - * / div mod == != < <= > >= and or
    left: Expr
    right: Expr
    span: Span


class If(Part):
    """`if c then a else b`; `otherwise` is optional only in an output."""

    condition: Expr
    then: Expr
    otherwise: Expr | None
    span: Span


class Range(Part):
    low: Expr
    high: Expr
    span: Span


class Paren(Part):
    """Parentheses as written: the formatter keeps them, and `(2 * 3)` is one value where `2 * (3)` is two tokens."""

    inner: Expr
    span: Span


class Weighted(Part):
    """`64 B: 7` within `choice(…)`."""

    value: Expr
    weight: Expr
    span: Span


class Passage(Part):
    """`a -> b` within `time(…)`."""

    start: Expr
    end: Expr
    span: Span


class By(Part):
    """`by k`, `by (k, l)`, `by k -> l` (keys at either end of a passage) within `time(…)` and `reorder(…)`."""

    keys: tuple[Expr, ...]
    end_keys: tuple[Expr, ...] | None
    span: Span


class Ordered(Part):
    """`order p.seq` within `reorder(…)`."""

    value: Expr
    span: Span


class At(Part):
    """`now - p.born at send when p.class == gold` as a measure's formula."""

    value: Expr
    event: Expr
    condition: Expr | None
    span: Span


class Asked(Part):
    """`tokens(q) == 8 before tokens(q) == 0 within 5 s of tokens(up) < 2` within `probability(…)`.

    stop, within and begin: None where they are not written.
    """

    hit: Expr
    stop: Expr | None
    within: Expr | None
    begin: Expr | None
    span: Span


class Splitting(Part):
    """`probability(…) splitting on tokens(q)` as a measure's formula."""

    value: Expr
    importance: Expr
    span: Span


class Delayed(Part):
    """`open(x) in tRCD`: an output that arrives this long after the start of the firing."""

    output: Expr
    delay: Expr
    span: Span


class ForEach(Part):
    """`each cache({p: q, s: invalid})`: an output that gives one token for each token that an arc `all` has taken."""

    output: Expr
    span: Span


class Keys(Part):
    """`(class, came)` of `by` and of `prefer`: each key decides among equal values of those before it."""

    parts: tuple[Expr, ...]
    span: Span


class Least(Part):
    """The least value of the type that is wanted (0 if it has no range). Only threads make it; it cannot be written."""

    span: Span


class Position(Part):
    """Which element of an array of places it is, from 0, the last index running fastest; only threads make it."""

    place: str
    indices: tuple[Expr, ...]
    span: Span


Expr = (
    Number | Text | Name | Field | Index | Call | List | ListFor | Each | Element | Record | With | Unary | Binary | If
    | Range | Paren | Weighted | Passage | By | Ordered | At | Asked | Splitting | Delayed | ForEach | Keys | Least
    | Position
)  # fmt: skip

# ---------------------------------------------------------------- types


class NamedType(Part):
    name: str
    span: Span


class RangeType(Part):
    low: Expr
    high: Expr
    span: Span


class EnumType(Part):
    names: tuple[tuple[str, Span], ...]
    span: Span


class RecordType(Part):
    fields: tuple[tuple[str, TypeExpr, Span], ...]
    span: Span


class VectorType(Part):
    """`State[procs]`, `State[Proc]`, `State[0..3]`; the element of `State[2, 3]`, or `State[2][3]`, is one, too."""

    element: TypeExpr
    index: Expr
    span: Span


class ServiceType(Part):
    """`service { bytes: Bytes } -> { port: int }`: a request, the fields that the reply adds, and who made it."""

    request: TypeExpr | None
    reply: TypeExpr | None
    span: Span


TypeExpr = NamedType | RangeType | EnumType | RecordType | VectorType | ServiceType

# ---------------------------------------------------------------- declarations
# `span` covers the declaration; `name_span` its name. `doc` is the text of its `##` comments. What has a `condition` is
# in the net only if that is true.


class Net(Part):
    name: str
    doc: str
    name_span: Span
    span: Span


class Time(Part):
    """`time ns resolution 1 ps`: the unit of the model's clock, and its tick where the net chooses it."""

    unit: str
    span: Span
    resolution: Expr | None = None


class Import(Part):
    """`import ixp2400.dram` (library, path None) or `import "my/part.net"` (path).

    `as voice` gives its names a scope of their own; `with rate = 2 Mbps` sets its parameters.
    """

    name: str
    path: str | None
    alias: str | None
    alias_span: Span | None
    settings: tuple[Let, ...]
    span: Span


class Param(Part):
    """`param load: real = 0.8 in 0..1`; a module's parameters are the same, their default optional."""

    name: str
    type: TypeExpr | None
    default: Expr | None
    bounds: Range | None
    doc: str
    name_span: Span
    span: Span


class Const(Part):
    """`const name = expression`; with `unit` true it is `unit cycle = 1 / clock`."""

    name: str
    value: Expr
    doc: str
    name_span: Span
    span: Span
    unit: bool = False


class Type(Part):
    name: str
    type: TypeExpr
    doc: str
    name_span: Span
    span: Span


class Dist(Part):
    name: str
    value: Expr
    doc: str
    name_span: Span
    span: Span


class Fn(Part):
    """`fn blocks(s: Bytes): int = ceil(s / 128 B)`; without `type` it is that of the value."""

    name: str
    parameters: tuple[tuple[str, TypeExpr, Span], ...]
    type: TypeExpr | None
    value: Expr
    doc: str
    name_span: Span
    span: Span


class Stage(Part):
    """`6 from 8 h` of a schedule."""

    value: Expr
    start: Expr
    span: Span


class Schedule(Part):
    """`schedule staff = 2 from 0 h, 6 from 8 h every 24 h`: a value that changes with time."""

    name: str
    stages: tuple[Stage, ...]
    every: Expr | None
    doc: str
    name_span: Span
    span: Span


class Loop(Part):
    """`[i in 0..n-1]` of a transition, instance, measure or place, `for i in 0..n-1` of an initial marking.

    A Name is that of a type: its values are counted, `[c in Class]`.
    """

    variable: str
    range: Range | Name
    span: Span


class Initial(Part):
    """One item of an initial marking: `2 * token`, `all`, `Job(i, 0) for i in 1..8`."""

    value: Expr
    loops: tuple[Loop, ...]
    span: Span


class Place(Part):
    """`place link[0..hops] : Packet fifo cap 8 = …`; without a type it holds black tokens.

    size: the values of its indices; a Name is that of a type. A Loop gives an index a name, for capacity, key, weight
    and initial tokens. Empty for a single place.
    weight: what the capacity is measured in, as in `cap 32 KB of size`.
    `service`: it was written as `service link[0..hops] : Packet …`, and `type` is the ServiceType.
    """

    name: str
    size: tuple[Range | Name | Loop, ...]
    type: TypeExpr | None
    discipline: Literal["bag", "fifo", "lifo", "by"]
    key: Expr | None
    per: Expr | Keys | None
    capacity: Expr | None
    weight: Expr | None
    initial: tuple[Initial, ...]
    condition: Expr | None
    doc: str
    name_span: Span
    span: Span
    service: bool = False


class Arc(Part):
    """`any`: it sees all tokens of its place. condition: of each token that `all` takes. The term of `all up to
    8 * q(x)` is `8 * q(x)`, and that of `2..8 * q(x)` a range from 2 to this. in_turn: those are chosen from that come
    first in the order of the place; only threads make it, it cannot be written.
    """

    mode: Literal["take", "read", "no", "reset", "all"]
    any: bool
    term: Expr
    span: Span
    condition: Expr | None = None
    in_turn: bool = False


class Draw(Part):
    """`draw s ~ imix`"""

    name: str
    distribution: Expr
    name_span: Span
    span: Span


class Let(Part):
    """`rest = p.size - header`, of a `let` or of an `import … with`."""

    name: str
    value: Expr
    name_span: Span
    span: Span


class Preference(Part):
    """`prefer least (p.queue - turn) mod 4`"""

    word: Literal["least", "most"]
    key: Expr
    span: Span


class Memory(Part):
    """`resume`"""

    word: Literal["restart", "resume", "repeat"]
    span: Span


class Decide(Part):
    """`decide`"""

    word: Literal["decide"]
    span: Span


class Transition(Part):
    name: str
    loops: tuple[Loop, ...]
    condition: Expr | None
    inputs: tuple[Arc, ...]
    outputs: tuple[Expr, ...]
    draws: tuple[Draw, ...]
    lets: tuple[Let, ...]
    time: Expr | None
    clock: Expr | None
    servers: Expr | None
    memory: Memory | None
    speed: Expr | None
    guard: Expr | None
    priority: Expr | None
    weight: Expr | None
    decide: Decide | None
    prefer: Preference | None
    doc: str
    name_span: Span
    span: Span


class Discipline(Part):
    """`lifo`, `by size` of a step: the order in which activations that wait there go on."""

    word: Literal["bag", "fifo", "lifo", "by"]
    key: Expr | None
    span: Span


class Limit(Part):
    """`within 200 ms else again`"""

    time: Expr
    label: str
    label_span: Span
    span: Span


class Step(Part):
    """One step of a thread. Its `verb` says which of the parts it has.

    - `take`, `hold`, `use`: `arcs`, `discipline`, `time`, `guard`, `priority`, `weight`, `prefer`, `within`
    - `wait`: `time`, `guard`, `priority`, `weight`, `prefer`
    - `give`, `release`: `outputs` (for `release` the places)
    - `call`: the request is the one of `outputs`; `value` is the pattern of the reply
    - `let`, `set`: `name`, `value`; `draw`: `draws`
    - `if`, `while`: `value` is the condition; `repeat`: `value` is the number; all have a `body`
    - `choose` and `or`: `clock`, `guard`, `priority`, `weight`, `body`; `do`: `body`; `choose`: `discipline`
    - `for` (each) and `unless`: `arcs`, `guard`, `priority`, `weight`, `prefer`, `body`; `for`: `discipline`
    - `others` are the `elif` (with a `value`) and the `else` of an `if`, the `or` of a `choose`, the `unless` of a `do`

    `name_span` is the position of the label, or of the verb where there is none.
    """

    verb: str
    span: Span
    name_span: Span
    doc: str = ""
    label: str = ""
    arcs: tuple[Arc, ...] = ()
    outputs: tuple[Expr, ...] = ()
    name: str = ""
    value: Expr | None = None
    draws: tuple[Draw, ...] = ()
    discipline: Discipline | None = None
    time: Expr | None = None
    clock: Expr | None = None
    guard: Expr | None = None
    priority: Expr | None = None
    weight: Expr | None = None
    prefer: Preference | None = None
    within: Limit | None = None
    body: tuple[Step, ...] = ()
    others: tuple[Step, ...] = ()


class Thread(Part):
    """`thread name[i in 0..3] … end`"""

    name: str
    loops: tuple[Loop, ...]
    condition: Expr | None
    doc: str
    name_span: Span
    span: Span
    steps: tuple[Step, ...] = ()


class Port(Part):
    """`port in work: Packet`; `size` as of a place array; direction "" is both ways.

    One of the net itself is a place, and has what a place may have: an order, and nothing else.
    """

    name: str
    size: tuple[Range | Name, ...]
    type: TypeExpr | None
    doc: str
    name_span: Span
    span: Span
    direction: Literal["in", "out", ""] = ""
    discipline: Literal["bag", "fifo", "lifo", "by"] = "bag"
    key: Expr | None = None
    per: Expr | Keys | None = None
    capacity: None = None
    weight: None = None
    initial: tuple[Initial, ...] = ()
    condition: None = None


class Module(Part):
    name: str
    parameters: tuple[Param, ...]
    doc: str
    name_span: Span
    span: Span
    body: tuple[Declaration, ...] = ()


class Argument(Part):
    """`work = rbuf`, or positional when `name` is None."""

    name: str | None
    value: Expr
    span: Span


class Instance(Part):
    name: str
    loops: tuple[Loop, ...]
    module: str
    arguments: tuple[Argument, ...]
    condition: Expr | None
    doc: str
    name_span: Span
    module_span: Span
    span: Span


class Measure(Part):
    """`record` holds expressions: names (`mean`, `p99`, `histogram`) or the call `series(200 ms)`.

    With `loops` it is an array. `unit` is the one to show it in, as in `measure load = rate(send, p.size) in MBps`.
    """

    name: str
    loops: tuple[Loop, ...]
    formula: Expr
    unit: str | None
    unit_span: Span | None
    record: tuple[Expr, ...]
    condition: Expr | None
    doc: str
    name_span: Span
    span: Span


class Expect(Part):
    """`expect < 0.01` after a measure (`formula` None), or `expect delay.p99 < 10 us`, `expect == 4.0 within 5%`."""

    formula: Expr | None
    comparison: Literal["<", "<=", ">", ">=", "=="]
    bound: Expr
    within: Expr | None
    condition: Expr | None
    span: Span


class Run(Part):
    """`run until 20 ms warmup 2 ms replications 20 precision 2% seed 7`; `dead` stands for `until dead`."""

    until: Expr | None
    dead: bool
    warmup: Expr | None
    replications: Expr | None
    precision: Expr | None
    seed: Expr | None
    span: Span


Declaration = (
    Net | Time | Import | Param | Const | Type | Dist | Fn | Schedule | Place | Transition | Thread | Port | Module
    | Instance | Measure | Expect | Run
)  # fmt: skip


class File(Part):
    """One source file, its declarations in order."""

    path: str
    declarations: tuple[Declaration, ...]
