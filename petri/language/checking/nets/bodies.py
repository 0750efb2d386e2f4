"""The bodies of the net and of modules: their constants, places and ports, transitions and instances."""

from __future__ import annotations

from collections.abc import Sequence

from petri.catalogue.units import PLAIN, dimension_name
from petri.language.checking.expressions.ranges import index_ranges, named_indices, read_condition, read_loops
from petri.language.checking.expressions.reader import Reader
from petri.language.checking.nets.instances import check_instance, module_defaults
from petri.language.checking.nets.per import read_per
from petri.language.checking.nets.streams import read_stream, stream_call
from petri.language.checking.nets.targets import Loops
from petri.language.checking.nets.token_values import token_key, token_value
from petri.language.checking.nets.transitions import TransitionReader
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Node
from petri.language.meaning.scope import (
    ConstantSymbol,
    InstanceSymbol,
    PlaceSymbol,
    Scope,
    ThreadSymbol,
    TransitionSymbol,
)
from petri.language.meaning.templates import Body, InitialTemplate, LoopTemplate, PlaceTemplate
from petri.language.meaning.types import INT, Black, Record, Request, Scalar, Type, Unknown, describe, plainly, quantity
from petri.language.problems import CheckError, Reported, needed
from petri.language.syntax import tree
from petri.net import Stream
from petri.structs import replace


def check_places(checker: CheckState, body: Body, declarations: Sequence[tree.Declaration]) -> None:
    """Types and sizes of all places and ports; arcs and instances need them."""
    scope = body.scope
    if scope.outer is not None:
        module_defaults(checker, body)
        checker.resolve_all(scope)
    for d in declarations:
        symbol = declared(scope, d)
        if not isinstance(symbol, PlaceSymbol) or not isinstance(d, (tree.Place, tree.Port)):
            continue
        symbol.type = checker.read_type(d.type, scope)
        reader = Reader(checker, scope, "the size of an array")
        symbol.indices = index_ranges(reader, [e.range if isinstance(e, tree.Loop) else e for e in d.size])
        if symbol.port:
            body.ports.append(symbol)


def declared(scope: Scope, d: tree.Declaration) -> object:
    """Return the symbol of a declaration; None if another declaration has its name."""
    symbol = scope.names.get(getattr(d, "name", ""))
    return symbol if getattr(symbol, "declaration", None) is d else None


def check_body(checker: CheckState, body: Body, declarations: list[tree.Declaration]) -> None:
    """Everything else, into templates. Of the trees of places and transitions, what measures ask for is left."""
    for position, d in enumerate(declarations):
        symbol = declared(body.scope, d)
        if isinstance(d, (tree.Place, tree.Port)) and isinstance(symbol, PlaceSymbol) and not symbol.port:
            body.places.append(_place(checker, body, d, symbol))
            if not checker.keeps_read and isinstance(d, tree.Place):
                symbol.declaration = declarations[position] = _head_of_place(d)
        elif isinstance(d, tree.Transition):
            template = TransitionReader(checker, body, d).read()
            if not checker.keeps_read:
                d = declarations[position] = _head(d)
            if isinstance(symbol, TransitionSymbol):
                symbol.declaration = d
                checker.transitions[id(symbol)] = template
                body.transitions.append(template)
        elif isinstance(d, tree.Thread) and isinstance(symbol, ThreadSymbol):
            _thread(checker, body, symbol)
        elif isinstance(d, tree.Instance):
            instance = checker.problems.attempt(check_instance, checker, body, d)
            if instance is not None and isinstance(symbol, InstanceSymbol):
                body.instances.append(instance)


def _head_of_place(d: tree.Place) -> tree.Place:
    return replace(d, size=(), type=None, key=None, per=None, capacity=None, weight=None, initial=())


def _head(d: tree.Transition) -> tree.Transition:
    return replace(
        d, inputs=(), outputs=(), draws=(), lets=(), time=None, clock=None, servers=None, speed=None, guard=None,
        priority=None, weight=None, decide=None, prefer=None,
    )  # fmt: skip


def _thread(checker: CheckState, body: Body, symbol: ThreadSymbol) -> None:
    """Add the transitions that a thread became; none if it had an error."""
    expansion = checker.expansions.get(id(symbol))
    if expansion is None:
        return
    for declaration, inside in zip(expansion.transitions, expansion.symbols, strict=True):
        template = TransitionReader(checker, body, declaration).read()
        template.name, template.step = symbol.name, f".{inside.name}"
        checker.transitions[id(inside)] = template
        body.transitions.append(template)


# ---------------------------------------------------------------- places


def _place(checker: CheckState, body: Body, d: tree.Place | tree.Port, symbol: PlaceSymbol) -> PlaceTemplate:
    loops, locals_of_indices = named_indices(checker, body.scope, d, symbol)

    def of_token(e: tree.Expr | None, what: str) -> tuple[Scalar, Node] | None:
        if e is None:
            return None
        return checker.problems.attempt(token_value, checker, body.scope, d.name, symbol.type, e, what, loops)

    weight = of_token(d.weight, "the weight of a token")
    unit = INT if weight is None or weight[0].kind == "int" else quantity(weight[0].dimension)
    capacity = None
    condition = read_condition(Reader(checker, body.scope, "a place"), d.condition)
    if d.capacity is not None and (d.weight is None) == (weight is None):
        reader = Reader(checker, body.scope, "a capacity", loops=loops)
        if weight is not None or not _of_no_weight(reader, d.capacity, symbol.type):
            capacity = reader.read_fixed(d.capacity, unit)
    key = None
    if d.key is not None:
        of_key = (d.name, symbol.type, d.key, "the key of a place", loops)
        key = checker.problems.attempt(token_key, checker, body.scope, *of_key)
    per = () if d.per is None else checker.problems.attempt(read_per, checker, body.scope, d, symbol) or ()
    if (call := stream_call(body.scope, d)) is not None:
        found = checker.problems.attempt(read_stream, checker, call, d, symbol)
        return PlaceTemplate(symbol, d.span, condition, stream=found or Stream(), doc=d.doc)
    initial = checker.problems.attempt_each(lambda written: _initial(checker, body, written, symbol, loops), d.initial)
    node, measured_in = (None, "") if weight is None else (weight[1], dimension_name(unit.dimension))
    template = PlaceTemplate(
        symbol, d.span, condition, key, per, capacity, node, measured_in, tuple(initial), doc=d.doc
    )
    template.indices = locals_of_indices
    return template


def _of_no_weight(reader: Reader, capacity: tree.Expr, kind: Type) -> bool:
    """Return whether a capacity is a quantity and not a number of tokens, as in `cap 32 KB`; then it is reported."""
    found = reader.read(capacity).type
    if not isinstance(found, Scalar) or found.dimension == PLAIN:
        return False
    fields = kind.fields if isinstance(kind, Record) else {"value": kind}
    alike = [name for name, field in fields.items() if isinstance(field, Scalar) and field.dimension == found.dimension]
    text = reader.problems.text(capacity.span)
    suggestion = f"cap {text} of {alike[0]}" if alike else None
    reader.problems.error("capacity-of-what", capacity.span, text=text, kind=plainly(found), suggestion=suggestion)
    return True


def _initial(
    checker: CheckState, body: Body, written: tree.Initial, symbol: PlaceSymbol, indices: Loops
) -> InitialTemplate:
    """Return one item of an initial marking, which may use the indices of its place that have names.

    Raises CheckError.
    """
    loops, templates = read_loops(checker, body.scope, written.loops, indices)
    reader = Reader(checker, body.scope, "an initial marking", loops=loops)
    problems = checker.problems
    count, value = None, written.value
    kind = symbol.type
    if isinstance(value, tree.Binary) and value.operator == "*":
        if _ambiguous(value, kind):
            left, right = problems.text(value.left.span), problems.text(value.right.span)
            raise CheckError("initial-ambiguous", value.span, left=left, right=right)
        count, value = needed(reader.read_fixed(value.left, INT)), value.right
    word = isinstance(value, tree.Name) and not isinstance(body.scope.find(value.name), ConstantSymbol)
    if isinstance(value, tree.Name) and word and value.name in ("all", "token"):
        return _initial_word(value, count, templates, symbol)
    if isinstance(kind, Unknown):
        raise Reported
    if isinstance(kind, Request):
        raise CheckError("request-without-caller", value.span)
    if isinstance(kind, Black):
        (found,) = reader.values(written.value)
        whole = found.type is INT and count is None
        suggestion = f"{problems.text(written.value.span)} * token" if whole else None
        raise CheckError("initial-of-black", value.span, name=symbol.name, suggestion=suggestion)
    nodes = needed(reader.read_as(value, kind))
    return InitialTemplate(nodes, count, templates, False, written.span)


def _ambiguous(value: tree.Binary, kind: Type) -> bool:
    """Return whether `a * b` could also be one number, as in a place of numbers."""
    return (
        isinstance(kind, Scalar)
        and kind.kind in ("int", "real")
        and not (
            isinstance(value.right, tree.Paren) or (isinstance(value.right, tree.Name) and value.right.name == "all")
        )
    )


def _initial_word(
    word: tree.Name, count: Node | None, loops: tuple[LoopTemplate, ...], symbol: PlaceSymbol
) -> InitialTemplate:
    kind = symbol.type
    if isinstance(kind, Unknown):
        raise Reported
    if word.name == "token":
        if not isinstance(kind, Black):
            raise CheckError("initial-black-in-coloured", word.span, name=symbol.name, kind=describe(kind))
        return InitialTemplate((), count, loops, False, word.span)
    if not isinstance(kind, (Scalar, Record)) or not kind.finite:
        raise CheckError("all-of-infinite", word.span, name=symbol.name, kind=describe(kind))
    return InitialTemplate((), count, loops, True, word.span)
