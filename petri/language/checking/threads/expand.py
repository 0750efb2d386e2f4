"""Threads to declarations: the places of their states, and transitions as a careful author would write them (T1)."""

from __future__ import annotations

from collections.abc import Sequence

from petri.language.checking.expressions.keys import Key
from petri.language.checking.expressions.names import names_in
from petri.language.checking.expressions.ranges import index_ranges, read_condition, read_loops
from petri.language.checking.expressions.reader import Reader, local
from petri.language.checking.expressions.scheduled import number as whole
from petri.language.checking.expressions.scheduled import value_of
from petri.language.checking.nets.terms import split_term
from petri.language.checking.nets.token_values import token_key
from petri.language.checking.state import CheckState
from petri.language.checking.threads.bindings import Bindings
from petri.language.checking.threads.compile import Compiler
from petri.language.checking.threads.graph import Output, State, Target, Transition
from petri.language.checking.threads.live import Measured, find_live
from petri.language.checking.threads.terms import closed, given_if, put_in
from petri.language.checking.threads.waiting import arrange, in_turn
from petri.language.meaning.nodes import Node, constant
from petri.language.meaning.scope import (
    ConstantSymbol,
    PlaceSymbol,
    ScheduleSymbol,
    Scope,
    ThreadSymbol,
    TransitionSymbol,
)
from petri.language.meaning.templates import Body, PlaceTemplate
from petri.language.meaning.types import CALLER, INT, MOST_SLOTS, SITE, Record, Request, Scalar
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Struct, field, replace

_OWN = "activation"  # what the token of an activation without values holds where it must be one of its own (T1)


class Expansion(Struct):
    """A thread as declarations; `symbols` are those by which measures name its transitions, in the same order."""

    thread: tree.Thread
    transitions: list[tree.Transition] = field(default_factory=list)
    symbols: list[TransitionSymbol] = field(default_factory=list)


def compile_thread(checker: CheckState, body: Body, symbol: ThreadSymbol, measured: Measured) -> Expander:
    """Return the first half of the work on a thread, after which requests know what their callers must remember.

    Raises CheckError.
    """
    thread = symbol.declaration
    indices: set[str] = set()
    for loop in thread.loops:
        if indices & set(names_in(loop.range)):
            raise CheckError("thread-range", loop.range.span, variable=loop.variable)
        indices.add(loop.variable)
    loops, _ = read_loops(checker, body.scope, thread.loops)
    scheduled = {
        name: tree.Paren(value_of(tree.Name(name, found.span), len(found.declaration.stages)), found.span)
        for name, found in body.scope.names.items()
        if isinstance(found, ScheduleSymbol)
    }
    thread = replace(thread, steps=put_in(thread.steps, scheduled))  # steps are asked whether they read `tokens(…)`
    compiler = Compiler(checker, Bindings(checker, body.scope, loops), thread)
    compiler.run()
    own = {step: mentioned for (name, step), mentioned in measured.items() if name == thread.name}
    find_live(compiler.states, compiler.transitions, own)
    arrange(compiler.states, compiler.transitions, compiler.bindings)
    compiler.limits.check(compiler.transitions)
    for state in compiler.states:
        if state.request is not None:
            state.fields = state.request.remember({name: state.scope[name].type for name in state.kept})
            if len(state.request.slots) > MOST_SLOTS:
                raise CheckError("record-too-large", state.span, limit=MOST_SLOTS)
    return Expander(checker, body, symbol, compiler)


class Expander:
    """Writes the declarations of one thread."""

    def __init__(self, checker: CheckState, body: Body, symbol: ThreadSymbol, compiler: Compiler) -> None:
        self.checker = checker
        self.body = body
        self.symbol = symbol
        self.compiler = compiler
        self.thread = symbol.declaration
        self.steps = Scope()
        symbol.steps = self.steps
        self.condition = self._place_condition()

    def run(self) -> Expansion:
        expansion = Expansion(self.thread)
        for state in self.compiler.states:
            if state.name:
                self._place(state)
        for number, made in enumerate(self.compiler.transitions):
            doc = made.doc or ("" if number else self.thread.doc)
            written = replace(self._transition(made), doc=doc)
            inside = TransitionSymbol(made.name, made.name_span, replace(written, loops=()))
            self.steps.names[made.name] = inside
            expansion.transitions.append(written)
            expansion.symbols.append(inside)
        return expansion

    def _place_condition(self) -> Node | None:
        """Return the condition of the thread, for its places, unless it depends on the index."""
        condition, indices = self.thread.condition, {loop.variable for loop in self.thread.loops}
        if condition is None or indices & set(names_in(condition)):
            return None
        return read_condition(Reader(self.checker, self.body.scope, "a thread"), condition)

    def _full(self, name: str) -> str:
        return f"{self.thread.name}.{name}"

    # ------------------------------------------------------------ places

    def _place(self, state: State) -> None:
        scope = self.body.scope
        symbol = PlaceSymbol(self._full(state.name), state.span, scope.place_count)
        scope.place_count += 1
        if state.request is not None:
            symbol.type = state.request
        elif state.kept:
            symbol.type = Record({name: state.scope[name].type for name in state.kept})
        elif state.distinct:
            zero = constant(0, "int", state.span)
            symbol.type = Record({_OWN: Scalar("int", low=zero, high=zero)})
        symbol.discipline = state.discipline
        reader = Reader(self.checker, scope, "the range of a loop")
        symbol.indices = index_ranges(reader, [loop.range for loop in self.thread.loops])
        scope.names[symbol.name] = symbol
        inside = PlaceSymbol(state.name, state.span, symbol.number, symbol.type)
        self.steps.names[state.name] = inside
        waiting = replace(symbol, name=self.thread.name)
        made = PlaceTemplate(waiting, state.span, self.condition, self._key(state, symbol), step=f".{state.name}")
        if state.request is not None:
            symbol.given = True
            made.site = scope.new_local()
            number = self._number(state)
            scope.names[number] = ConstantSymbol(
                number,
                "constant",
                state.span,
                type=INT,
                node=local(made.site, INT, state.span),
                used=True,
                state="done",
            )
        self.body.places.append(made)

    def _key(self, state: State, symbol: PlaceSymbol) -> Key | None:
        """Return by what the activations that wait at a place are ordered, if they are."""
        if state.order is None or state.order.key is None:
            return None
        if not state.kept:
            span = state.order.key.span
            self.checker.problems.error("order-by-nothing", span, known=sorted(state.scope) or None)
            return None
        attempt, scope, key = self.checker.problems.attempt, self.body.scope, state.order.key
        return attempt(token_key, self.checker, scope, symbol.name, symbol.type, key, "the key of a step", {})

    def _number(self, state: State) -> str:
        """Return the name of the number of the place where a reply arrives."""
        return f"{self._full(state.name)}.number"

    def _term(self, state: State, span: Span) -> tree.Expr:
        """Return the place of a state: for an array of threads, that of the same indices."""
        term: tree.Expr = tree.Name(self._full(state.name), span)
        for index in self._indices(span):
            term = tree.Index(term, index, span)
        return term

    def _indices(self, span: Span) -> tuple[tree.Name, ...]:
        return tuple([tree.Name(loop.variable, span) for loop in self.thread.loops])

    # ------------------------------------------------------------ transitions

    def _transition(self, t: Transition) -> tree.Transition:
        arcs = list(t.arcs)
        if t.source is not None:
            ordered = t.source.discipline != "bag"
            term = self._taken(t.source, t.span)
            arcs.insert(0, tree.Arc("take", ordered, term, t.span, in_turn=ordered and in_turn(t)))
        return tree.Transition(
            name=self._full(t.name),
            loops=self.thread.loops,
            condition=self.thread.condition,
            inputs=tuple(arcs),
            outputs=tuple(_from_end(output, t) for output in map(self._output, t.outputs)),
            draws=tuple(t.draws),
            lets=tuple(t.lets),
            time=t.time,
            clock=t.clock,
            servers=_servers(t),
            memory=None,
            speed=None,
            guard=t.guard,
            priority=t.priority,
            weight=t.weight,
            decide=None,
            prefer=t.prefer,
            doc=t.doc,
            name_span=t.name_span,
            span=t.span,
        )

    def _taken(self, state: State, span: Span) -> tree.Expr:
        """Return the arc's term that takes an activation and its values from a place."""
        place = self._term(state, span)
        if state.distinct:
            return place
        if state.request is None:
            values = [(name, tree.Name(name, state.scope[name].span), span) for name in state.kept]
            return tree.Call(place, (tree.Record(tuple(values), span),), span) if values else place
        values = [(state.fields[name], tree.Name(name, state.scope[name].span), span) for name in state.kept]
        parts = list(state.reply.fields) if state.reply is not None else []
        if values:
            parts.append((CALLER, tree.Record(tuple(values), span), span))
        return tree.Call(place, (tree.Record(tuple(parts), span) if parts else tree.Name("_", span),), span)

    def _output(self, output: Output) -> tree.Expr:
        if not output.targets:
            assert output.term is not None
            return given_if(output.condition, output.term)
        if output.term is not None:
            return given_if(output.condition, self._request(output))
        *others, term = [self._going(target, output.span) for target in output.targets]
        for target, other in zip(reversed(output.targets[:-1]), reversed(others), strict=True):
            assert target.condition is not None
            term = tree.If(target.condition, other, term, output.span)
        return given_if(output.condition, term)

    def _going(self, target: Target, span: Span) -> tree.Expr:
        """Return the output that passes an activation on to a place."""
        state = target.state
        place = self._term(state, span)
        values = [(name, _value(target, name, span)) for name in state.kept]
        if state.distinct:
            values = [(_OWN, whole(0, span))]
        if state.request is None:
            record = tree.Record(tuple((name, value, span) for name, value in values), span)
            return tree.Call(place, (record,), span) if values else place
        caller = state.request.fields[CALLER]
        assert isinstance(caller, Record)
        given = {state.fields[name]: value for name, value in values}
        inner = tree.Record(tuple((name, given.get(name) or tree.Least(span), span) for name in caller.fields), span)
        parts = [(name, tree.Least(span), span) for name in state.request.fields if name != CALLER]
        return tree.Call(place, (tree.Record((*parts, (CALLER, inner, span)), span),), span)

    def _request(self, output: Output) -> tree.Expr:
        """Return the request that a `call` puts into the place of a service, with what its caller remembers (T6)."""
        span, request = output.span, output.targets[0].state.request
        assert request is not None
        assert output.term is not None
        _, place, arguments = split_term(output.term)
        if len(arguments) > 1:
            return output.term  # the check of the transition says what is wrong
        given = arguments[0] if arguments else tree.Record((), span)
        if isinstance(given, tree.Record):
            parts = list(given.fields)
        else:
            asked = [name for name in request.fields if name != CALLER and name not in request.reply]
            parts = [(name, tree.Field(given, name, given.span), given.span) for name in asked]
        parts += [(name, tree.Least(span), span) for name in request.reply]
        parts.append((CALLER, self._caller(output.targets, request, span), span))
        return tree.Call(place, (tree.Record(tuple(parts), given.span),), output.term.span)

    def _caller(self, targets: Sequence[Target], request: Request, span: Span) -> tree.Expr:
        """Return what the request remembers: the place where the caller goes on, and its values there."""
        caller = request.fields[CALLER]
        assert isinstance(caller, Record)
        fields = []
        for name in caller.fields:
            choices: list[tree.Expr] = []
            for target in targets:
                own = next((own for own, field in target.state.fields.items() if field == name), "")
                known: tree.Expr = _value(target, own, span) if own else tree.Least(span)
                choices.append(self._site(target.state, span) if name == SITE else known)
            fields.append((name, _first(targets, choices, span), span))
        return tree.Record(tuple(fields), span)

    def _site(self, state: State, span: Span) -> tree.Expr:
        number = tree.Name(self._number(state), span)
        if not self.thread.loops:
            return number
        position = tree.Position(self._full(state.name), self._indices(span), span)
        return tree.Binary("+", number, position, span)


def _servers(t: Transition) -> tree.Expr | None:
    """Let as many clocks of black activations run as there are (C1)."""
    source = t.source
    black = t.clock is not None and source is not None and not (source.kept or source.distinct or source.request)
    return tree.Name("all", t.span) if black else None


def _from_end(output: tree.Expr, t: Transition) -> tree.Expr:
    """Return an output whose delays begin when the transition ends (T3), as one whose delays begin when it starts."""
    if t.time is None:
        return output
    match output:
        case tree.If():
            otherwise = None if output.otherwise is None else _from_end(output.otherwise, t)
            return replace(output, then=_from_end(output.then, t), otherwise=otherwise)
        case tree.Delayed(delay=delay, span=span):
            lasted = tree.Binary("-", tree.Name("end", span), tree.Name("now", span), span)
            return replace(output, delay=tree.Binary("+", lasted, closed(delay), span))
        case _:
            return output


def _value(target: Target, name: str, span: Span) -> tree.Expr:
    return target.values.get(name) or tree.Name(name, span)


def _first(targets: Sequence[Target], choices: Sequence[tree.Expr], span: Span) -> tree.Expr:
    """Return the choice of the first target whose condition holds. One that does not need the value takes any."""
    wanted = [choice for choice in choices if not isinstance(choice, tree.Least)]
    if all(choice == wanted[0] for choice in wanted):
        return wanted[0] if wanted else choices[0]
    found = choices[-1]
    for target, choice in zip(reversed(targets[:-1]), reversed(choices[:-1]), strict=True):
        assert target.condition is not None
        if isinstance(choice, tree.Least) or isinstance(found, tree.Least):
            found = found if isinstance(choice, tree.Least) else choice
        elif choice != found:
            found = tree.Paren(tree.If(target.condition, choice, found, span), span)
    return found


def expand_threads(
    checker: CheckState, bodies: Sequence[tuple[Body, Sequence[tree.Declaration]]], measured: Measured
) -> dict[int, Expansion]:
    """Return the expansions of all threads, by the identity of their symbols.

    First all are compiled: what a request carries depends on all its callers.
    """
    found = []
    for body, declarations in bodies:
        for declaration in declarations:
            symbol = body.scope.names.get(declaration.name) if isinstance(declaration, tree.Thread) else None
            if isinstance(symbol, ThreadSymbol) and symbol.declaration is declaration:
                expander = checker.problems.attempt(compile_thread, checker, body, symbol, measured)
                if expander is not None:
                    found.append(expander)
    return {id(expander.symbol): expander.run() for expander in found}
