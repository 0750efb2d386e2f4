"""The graph of a thread: the places where its activations wait, and the transitions that lead from one to another."""

from __future__ import annotations

from typing import Literal

from petri.language.meaning.types import Request, Type
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Frozen, Struct, field


class Variable(Struct):
    """A value that a step binds; `span` is where."""

    type: Type
    span: Span


Scope = dict[str, Variable]


class State(Struct):
    """A place where activations wait. `scope` are the values known there, `live` those that later steps use.

    At the place of a reply, `request` is its type, and the pattern `reply` binds `reply_names`. `fields` maps the live
    values that it keeps in the request to the fields of its `caller`. `late`: time limits lead there, so no reply may.
    `held`: by the activations that wait there. `order`: in which they go on, if a step says so; else `discipline` does.
    `distinct`: each is a token of its own although it keeps no value (T1).
    """

    scope: Scope
    span: Span
    name: str = ""
    request: Request | None = None
    reply: tree.Record | None = None
    reply_names: frozenset[str] = frozenset()
    live: frozenset[str] = frozenset()
    fields: dict[str, str] = field(default_factory=dict)
    late: bool = False
    held: tuple[Held, ...] = ()
    order: tree.Discipline | None = None
    discipline: Literal["bag", "fifo", "lifo", "by"] = "bag"
    distinct: bool = False

    @property
    def kept(self) -> list[str]:
        """The live values, in the order in which they were bound, without those that the reply brings."""
        return [name for name in self.scope if name in self.live and name not in self.reply_names]


class Target(Struct):
    """Where an activation goes on, if the condition holds (None: always), with the values that the steps have set."""

    condition: tree.Expr | None
    state: State
    values: dict[str, tree.Expr]


class Output(Struct):
    """An output arc under a condition (None: always).

    Without `targets` it is that of a step, `term`. Otherwise it passes the activation on to the first of the targets
    whose condition holds (the last has none); then `term` is the request, if it goes there through a service.
    """

    condition: tree.Expr | None
    term: tree.Expr | None
    span: Span
    targets: list[Target] = field(default_factory=list)


class Transition(Struct):
    """A transition of a thread. `label` is its name if the text gives one; otherwise its name is made of `word`.

    `own`: its step may not become part of the transition before it. `at_once`: a wait behind it is not its time.
    `interrupts`: it takes any activation from its place, and gives back what that one holds. `beside`: the transition
    after which it is called, with a `suffix`.
    """

    label: str
    word: str
    source: State | None
    span: Span
    name_span: Span
    doc: str
    arcs: list[tree.Arc] = field(default_factory=list)
    draws: list[tree.Draw] = field(default_factory=list)
    lets: list[tree.Let] = field(default_factory=list)
    time: tree.Expr | None = None
    clock: tree.Expr | None = None
    guard: tree.Expr | None = None
    priority: tree.Expr | None = None
    weight: tree.Expr | None = None
    prefer: tree.Preference | None = None
    outputs: list[Output] = field(default_factory=list)
    name: str = ""
    own: bool = False
    at_once: bool = False
    interrupts: bool = False
    beside: Transition | None = None
    suffix: str = ""


class End(Struct):
    """A point at the end of a transition, under a condition; `values` are those that steps since its start have set."""

    transition: Transition
    condition: tree.Expr | None
    values: dict[str, tree.Expr]


class Cursor(Struct):
    """Where the activation can be before the next step: at a place, and at the ends of transitions, or nowhere.

    `clauses` are those of the branch of a `choose` that starts here. `start`: no activation has begun.
    """

    state: State | None = None
    ends: list[End] = field(default_factory=list)
    clauses: tree.Step | None = None
    start: bool = False

    @property
    def reachable(self) -> bool:
        return self.start or self.state is not None or bool(self.ends)


class Held(Frozen):
    """Tokens that a `hold` took from `place`; `term` gives them back."""

    place: str
    term: tree.Expr
    span: Span
