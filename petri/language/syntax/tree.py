"""The syntax tree of a `.net` file: what was written, where, and nothing of what it means.

Arcs are kept as expressions (`2 * credit`, `queue(j)`, `no p(x) >= 3` is mode `no` with a comparison): which names
are places, variables or constants is known only after the declarations have been gathered.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from petri.net import Span

# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Number:
    """A literal: `3`, `2.5 Gbps`, `5%` (the value is then 1/20). `text` is as written, without the unit."""

    value: Fraction
    text: str
    unit: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Text:
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """A name, or one of the words `token all now end true false nothing _`."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Field:
    base: Expr
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Index:
    """`base[index]`; `index` is None in `base[*]`, which stands for all elements in a measure."""

    base: Expr
    index: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`: a record, a pattern on a place, a function, a distribution or a measure."""

    function: Expr
    arguments: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Record:
    """`{cls: gold, at}` — a field without an expression stands for the variable of its name."""

    fields: tuple[tuple[str, Expr | None, Span], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class With:
    """`p with {hop: 3}`: a record with some fields replaced."""

    base: Expr
    changes: Record
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    operator: Literal["-", "not"]
    operand: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    operator: str  # + - * / div mod == != < <= > >= and or
    left: Expr
    right: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """`if c then a else b`; `otherwise` may be missing only in an output."""

    condition: Expr
    then: Expr
    otherwise: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Range:
    low: Expr
    high: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Paren:
    """Parentheses as written: the formatter keeps them, and `(2 * 3)` is one value where `2 * (3)` is two tokens."""

    inner: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Weighted:
    """`64 B: 7` within `choice(…)`."""

    value: Expr
    weight: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Passage:
    """`a -> b` within `time(…)`."""

    start: Expr
    end: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class By:
    """`by k`, `by (k, l)`, `by k -> l` (keys at either end of a passage) within `time(…)` and `reorder(…)`."""

    keys: tuple[Expr, ...]
    end_keys: tuple[Expr, ...] | None
    span: Span


@dataclass(frozen=True, slots=True)
class Ordered:
    """`order p.seq` within `reorder(…)`."""

    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class At:
    """`now - p.born at send` as a measure's formula."""

    value: Expr
    transition: Expr
    span: Span


Expr = (
    Number | Text | Name | Field | Index | Call | Record | With | Unary | Binary | If | Range | Paren
    | Weighted | Passage | By | Ordered | At
)  # fmt: skip

# ---------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class NamedType:
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class RangeType:
    low: Expr
    high: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class EnumType:
    names: tuple[tuple[str, Span], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RecordType:
    fields: tuple[tuple[str, TypeExpr, Span], ...]
    span: Span


TypeExpr = NamedType | RangeType | EnumType | RecordType

# ---------------------------------------------------------------- declarations
# `span` covers the declaration; `name_span` its name. `doc` is the text of its `##` comments.


@dataclass(frozen=True, slots=True)
class Net:
    name: str
    doc: str
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Time:
    """`time ns`: the unit of the model's clock."""

    unit: str
    span: Span


@dataclass(frozen=True, slots=True)
class Import:
    """`import ixp2400.dram` (library, path None) or `import "my/part.net"` (path)."""

    name: str
    path: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Param:
    """`param load: real = 0.8 in 0..1`; a module's parameters are the same, their default optional."""

    name: str
    type: TypeExpr | None
    default: Expr | None
    bounds: Range | None
    doc: str
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Const:
    """`const name = expression`; with `unit` true it is `unit cycle = 1 / clock`."""

    name: str
    value: Expr
    unit: bool
    doc: str
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Type:
    name: str
    type: TypeExpr
    doc: str
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Dist:
    name: str
    value: Expr
    doc: str
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Loop:
    """`[i in 0..n-1]` of a transition or instance, `for i in 0..n-1` of an initial marking."""

    variable: str
    range: Range
    span: Span


@dataclass(frozen=True, slots=True)
class Initial:
    """One item of an initial marking: `2 * token`, `all`, `Job(i, 0) for i in 1..8`."""

    value: Expr
    loops: tuple[Loop, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Place:
    """`place link[0..hops] : Packet fifo cap 8 = …`; without a type it holds black tokens."""

    name: str
    size: Range | None
    type: TypeExpr | None
    discipline: Literal["bag", "fifo", "lifo", "by"]
    key: Expr | None
    capacity: Expr | None
    initial: tuple[Initial, ...]
    doc: str
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Arc:
    mode: Literal["take", "read", "no", "reset"]
    term: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Draw:
    """`draw s ~ imix`"""

    name: str
    distribution: Expr
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Transition:
    name: str
    loops: tuple[Loop, ...]
    inputs: tuple[Arc, ...]
    outputs: tuple[Expr, ...]
    draws: tuple[Draw, ...]
    time: Expr | None
    guard: Expr | None
    priority: Expr | None
    weight: Expr | None
    doc: str
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Port:
    """`port in work: Packet`; `size` as of a place array; direction "" is both ways."""

    name: str
    direction: Literal["in", "out", ""]
    size: Range | None
    type: TypeExpr | None
    doc: str
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    parameters: tuple[Param, ...]
    body: tuple[Declaration, ...]
    doc: str
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Argument:
    """`work = rbuf`, or positional when `name` is None."""

    name: str | None
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Instance:
    name: str
    loops: tuple[Loop, ...]
    module: str
    arguments: tuple[Argument, ...]
    doc: str
    name_span: Span
    module_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Measure:
    """`record` holds expressions: names (`mean`, `p99`, `histogram`) or the call `series(200 ms)`."""

    name: str
    formula: Expr
    record: tuple[Expr, ...]
    doc: str
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Expect:
    """`expect < 0.01` after a measure (`formula` None), or `expect delay.p99 < 10 us`, `expect == 4.0 within 5%`."""

    formula: Expr | None
    comparison: Literal["<", "<=", ">", ">=", "=="]
    bound: Expr
    within: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Run:
    """`run until 20 ms warmup 2 ms replications 20 seed 7`; `dead` stands for `until dead`."""

    until: Expr | None
    dead: bool
    warmup: Expr | None
    replications: Expr | None
    seed: Expr | None
    span: Span


Declaration = (
    Net | Time | Import | Param | Const | Type | Dist | Place | Transition | Port | Module | Instance
    | Measure | Expect | Run
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class File:
    """One source file, its declarations in order."""

    path: str
    declarations: tuple[Declaration, ...]
