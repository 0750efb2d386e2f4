"""The steps of a thread to its graph (T2, T4).

A step that waits for tokens or for a reply, or that lasts, makes a transition. All other steps belong to the transition
before them. They make one of their own where there is none before, where they have a label, where they put tokens into
a place with a capacity, and where they ask for `tokens(…)` after a transition that lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from petri.diagnostics import Label
from petri.language.checking.expressions.names import mentions, names_in
from petri.language.checking.nets.terms import split_term
from petri.language.checking.state import CheckState
from petri.language.checking.threads.bindings import Bindings
from petri.language.checking.threads.graph import Cursor, End, Held, Output, Scope, State, Target, Transition, Variable
from petri.language.checking.threads.interrupts import Interrupt, interrupted
from petri.language.checking.threads.limits import Limits
from petri.language.checking.threads.simplify import name_all, simplified
from petri.language.checking.threads.terms import asks, both, closed, negated, put_in, size
from petri.language.meaning.types import INT, Request, Scalar, Unknown, plainly
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import replace

_SIMPLE = (tree.Name, tree.Number, tree.Field)
_LONGEST = 20  # names, numbers and operations of a value that is written where it is used
Fork = list[tuple[End, tree.Expr]]
_ACTIVATING = ("take", "hold", "use", "choose")


class Compiler:
    """Compiles one thread; afterwards `transitions` and `states` are its graph."""

    def __init__(self, checker: CheckState, bindings: Bindings, thread: tree.Thread) -> None:
        self.problems = checker.problems
        self.bindings = bindings
        self.thread = thread
        self.transitions: list[Transition] = []
        self.states: list[State] = []
        self.scope: Scope = {}
        self.held: list[Held] = []
        self._gone: dict[str, Span] = {}  # values of blocks that have ended
        self._labels: dict[str, Span] = {}
        self.limits = Limits(self.problems, thread)
        self._interrupts: list[Interrupt] = []
        self._open = 0  # how many `do` have begun and not ended

    def run(self) -> None:
        """Raises CheckError if the thread has an error."""
        self._collect_labels(self.thread.steps)
        if not self.thread.steps or self.thread.steps[0].verb not in _ACTIVATING:
            first = self.thread.steps[0].name_span if self.thread.steps else self.thread.name_span
            raise CheckError("thread-begins", first, name=self.thread.name)
        cursor = self._steps(self.thread.steps, Cursor(start=True))
        if cursor.state is not None:
            self._ends(cursor, replace(self.thread.steps[-1], verb="end", label=""))
        self.transitions += self.limits.late(self.transitions)
        for held in self.held:
            raise CheckError("held-at-end", held.span, place=held.place, name=self.thread.name)
        self.transitions, self.states = simplified(self.transitions, self.states)
        self.transitions = interrupted(self.transitions, self._interrupts)
        kept = {id(transition.source) for transition in self.transitions}
        self.states = [state for state in self.states if id(state) in kept]
        name_all(self.transitions)

    def _collect_labels(self, steps: Sequence[tree.Step]) -> None:
        for step in steps:
            if step.label:
                if step.label in self._labels:
                    first = Label(self._labels[step.label], "first-declared")
                    raise CheckError("label-twice", step.name_span, first, name=step.label)
                self._labels[step.label] = step.name_span
            self._collect_labels((*step.body, *step.others))

    # ------------------------------------------------------------ where the activation is

    def _steps(self, steps: Sequence[tree.Step], cursor: Cursor) -> Cursor:
        for step in steps:
            if not cursor.reachable:
                raise CheckError("step-unreachable", step.span)
            cursor = self._step(step, cursor)
        return cursor

    def _block(self, steps: Sequence[tree.Step], cursor: Cursor) -> Cursor:
        """Steps whose values end with them, and which must release what they hold, and only that."""
        scope, held = dict(self.scope), list(self.held)
        cursor = self._steps(steps, cursor)
        if cursor.state is not None and cursor.state.reply is not None:
            cursor = Cursor(ends=self._ends(cursor, replace(steps[-1], verb="end", label="")))
        for lost in (one for one in held if one not in self.held):
            raise CheckError("held-differs", steps[-1].span, Label(lost.span, "held-here"), place=lost.place)
        for extra in (one for one in self.held if one not in held):
            raise CheckError("held-in-block", extra.span, place=extra.place)
        self._gone.update((name, known.span) for name, known in self.scope.items() if name not in scope)
        self.scope = scope
        return cursor

    def _rest(self, cursor: Cursor, step: tree.Step) -> State | None:
        """The place where the activation waits before a step; None at the start of the thread."""
        if cursor.clauses is not None:
            cursor = Cursor(ends=self._ends(cursor, tree.Step("choose", step.span, step.name_span)))
        if cursor.start:
            return None
        state = cursor.state or self._state(step.name_span)
        for end in cursor.ends:
            self._go(end, state, None, step.span)
        return state

    def _state(self, span: Span) -> State:
        state = State(dict(self.scope), span, held=tuple(self.held))
        self.states.append(state)
        return state

    def _go(self, end: End, state: State, term: tree.Expr | None, span: Span) -> None:
        end.transition.outputs.append(Output(end.condition, term, span, [Target(None, state, dict(end.values))]))

    def _ends(self, cursor: Cursor, step: tree.Step, own: bool = False) -> list[End]:
        """The ends of the transitions before a step that neither waits nor lasts; `own`: it needs one of its own."""
        if own and cursor.ends:
            cursor = Cursor(state=self._rest(cursor, step))
        if cursor.state is None and not cursor.start:
            return cursor.ends
        alone = Cursor(state=cursor.state, clauses=cursor.clauses, start=cursor.start)
        made = self._transition(alone, step)
        made.own = own
        return [*cursor.ends, End(made, None, {})]

    def _transition(self, cursor: Cursor, step: tree.Step) -> Transition:
        """A new transition for a step, from the place where the cursor is."""
        state = self._rest(cursor, step) if cursor.ends else cursor.state
        made = Transition(step.label, self._word(step), state, step.span, step.name_span, step.doc)
        branch = cursor.clauses or step
        made.guard = step.guard if branch is step else both(branch.guard, step.guard)
        made.clock, made.priority, made.weight = (
            branch.clock,
            step.priority or branch.priority,
            step.weight or branch.weight,
        )
        made.prefer = step.prefer or branch.prefer
        self.transitions.append(made)
        self.limits.note(step, made, self.held)
        return made

    def _word(self, step: tree.Step) -> str:
        """The verb and its first place."""
        terms = [*(arc.term for arc in step.arcs), *step.outputs]
        symbol = self.bindings.place(terms[0]) if terms else None
        word = _WORDS.get(step.verb, step.verb)
        return word if symbol is None else f"{word}_{symbol.name}"

    def _know(self, found: Scope) -> None:
        self.scope |= found

    def _put(self, e: tree.Expr, end: End) -> tree.Expr:
        """An expression of a step at the end of a transition, in terms of the values at its start (T3)."""
        values = end.values
        if end.transition.time is not None:
            values = {**values, "now": tree.Name("end", e.span)}
        return put_in(e, values)  # type: ignore[no-any-return]

    def _bound(self, *parts: object) -> None:
        """Reports a value that was bound in a block which has ended."""
        for part in parts:
            for name, span in mentions(part):
                if name in self._gone and name not in self.scope:
                    raise CheckError("value-of-block", span, Label(self._gone[name], "bound-here"), name=name)

    # ------------------------------------------------------------ the steps

    def _step(self, step: tree.Step, cursor: Cursor) -> Cursor:
        self._bound(step.arcs, step.outputs, step.draws, step.time, step.guard, step.prefer and step.prefer.key)
        self._bound(step.within and step.within.time)
        if step.label in self.limits.labels and cursor.state is not None and cursor.state.request is not None:
            cursor = Cursor(ends=self._ends(cursor, replace(step, verb="end", label="", within=None)))
        if step.verb != "call":
            self._bound(step.value)
        handlers: dict[str, Callable[[tree.Step, Cursor], Cursor]] = {
            "take": self._take, "hold": self._hold, "use": self._use, "wait": self._wait, "give": self._give,
            "release": self._release, "call": self._call, "let": self._let, "set": self._set, "draw": self._draw,
            "if": self._if, "elif": self._if, "while": self._while, "repeat": self._repeat, "choose": self._choose,
            "for": self._for, "do": self._do, "unless": self._unless,
        }  # fmt: skip
        return handlers[step.verb](step, cursor)

    def _take(self, step: tree.Step, cursor: Cursor, held: Sequence[Held] = ()) -> Cursor:
        made = self._transition(cursor, step)
        known = dict(self.scope)
        for arc in step.arcs:
            self._know(self.bindings.of_arc(arc, known))
        self.held += held
        made.arcs = list(step.arcs)
        taken = Cursor(ends=[End(made, None, {})])
        if step.time is None or not self._open:
            made.time = step.time
            return taken
        cursor = self._lasting(tree.Step("wait", step.span, step.name_span, time=step.time), taken)
        cursor.ends[0].transition.beside, cursor.ends[0].transition.suffix = made, "_done"
        return cursor

    def _lasting(self, step: tree.Step, cursor: Cursor) -> Cursor:
        """A step that lasts and may be interrupted: a clock, which leaves the activation where it is (T9)."""
        if cursor.clauses or step.guard or step.priority or step.weight or step.prefer:
            cursor = Cursor(ends=[End(self._transition(cursor, step), None, {})])
            step = tree.Step("wait", step.span, step.name_span, time=step.time)
        made = self._transition(cursor, step)
        made.clock = step.time
        return Cursor(ends=[End(made, None, {})])

    def _hold(self, step: tree.Step, cursor: Cursor) -> Cursor:
        arcs, held = [], []
        for arc in step.arcs:
            named, term = self.bindings.given_back(arc)
            arcs.append(named)
            symbol = self.bindings.place(arc.term)
            if term is not None and symbol is not None:
                held.append(Held(symbol.name, term, arc.span))
        return self._take(replace(step, arcs=tuple(arcs)), cursor, held)

    def _use(self, step: tree.Step, cursor: Cursor) -> Cursor:
        before = list(self.held)
        cursor = self._hold(step, cursor)
        (end,) = cursor.ends
        for held in self.held[len(before) :]:
            end.transition.outputs.append(Output(None, held.term, held.span))
        self.held = before
        return cursor

    def _wait(self, step: tree.Step, cursor: Cursor) -> Cursor:
        assert step.time is not None
        if self._open:
            return self._lasting(step, cursor)
        end = cursor.ends[0] if len(cursor.ends) == 1 and cursor.state is None else None
        free = end is not None and end.transition.time is None and not end.transition.at_once
        alone = free and end is not None and end.condition is None and not end.transition.outputs
        if end is None or not alone or step.label or step.guard or step.priority or step.weight or step.prefer:
            end = End(self._transition(cursor, step), None, {})
        if not end.transition.arcs:
            end.transition.word = "wait"
        end.transition.time = put_in(step.time, end.values)
        return Cursor(ends=[end])

    def _give(self, step: tree.Step, cursor: Cursor) -> Cursor:
        ends = self._ends(cursor, step, self._apart(step, cursor))
        for output in step.outputs:
            for end in ends:
                end.transition.outputs.append(Output(end.condition, self._put(output, end), output.span))
        return Cursor(ends=ends)

    def _apart(self, step: tree.Step, cursor: Cursor) -> bool:
        """Whether a step needs a transition of its own, so that it takes effect when the one before it has ended."""
        lasts = any(end.transition.time is not None for end in cursor.ends)
        capped = any(self._capped(output) for output in step.outputs) and step.verb != "release"
        return bool(step.label) or capped or (lasts and asks((step.outputs, step.value, step.draws), "tokens"))

    def _capped(self, output: tree.Expr) -> bool:
        if isinstance(output, tree.Delayed):
            return self._capped(output.output)
        if isinstance(output, tree.If):
            return self._capped(output.then) or (output.otherwise is not None and self._capped(output.otherwise))
        symbol = self.bindings.place(output)
        return (
            symbol is not None
            and isinstance(symbol.declaration, tree.Place)
            and symbol.declaration.capacity is not None
        )

    def _release(self, step: tree.Step, cursor: Cursor) -> Cursor:
        ends = self._ends(cursor, step, bool(step.label))
        for output in step.outputs:
            symbol = self.bindings.place(output)
            place = symbol.name if symbol is not None else self.problems.text(output.span)
            if split_term(output)[2]:
                raise CheckError("release-with-value", output.span, place=place)
            found = [held for held in self.held if held.place == place]
            if not found:
                known = sorted({held.place for held in self.held})
                raise CheckError("release-not-held", output.span, place=place, held=known)
            self.held = [held for held in self.held if held.place != place]
            for end in ends:
                for held in found:
                    end.transition.outputs.append(Output(end.condition, self._put(held.term, end), output.span))
        return Cursor(ends=ends)

    def _call(self, step: tree.Step, cursor: Cursor) -> Cursor:
        (term,) = step.outputs
        if self._open:
            raise CheckError("call-in-do", step.span)
        symbol = self.bindings.place(term)
        request = symbol.type if symbol is not None else None
        if not isinstance(request, Request):
            if symbol is not None and not isinstance(symbol.type, Unknown):
                raise CheckError("call-of-place", term.span, name=symbol.name)
            text = self.problems.text(split_term(term)[1].span)
            raise CheckError("call-unknown", term.span, name=text)
        ends = self._ends(cursor, step, self._apart(step, cursor))
        state = self._state(step.span)
        self.bindings.checker.called.add(id(symbol))
        state.request = request
        if step.value is not None:
            if not isinstance(step.value, tree.Record):
                raise CheckError("reply-pattern", step.value.span, text=self.problems.text(step.value.span))
            state.reply = step.value
            replied = self.bindings.of_pattern(step.value, request, self.scope)
            state.reply_names = frozenset(replied)
            self._know(replied)
        for end in ends:
            self._go(end, state, self._put(term, end), step.span)
        return Cursor(state=state)

    # ------------------------------------------------------------ values

    def _new(self, name: str, span: Span) -> None:
        if name in self.scope:
            raise CheckError("let-again", span, Label(self.scope[name].span, "bound-here"), name=name)

    def _let(self, step: tree.Step, cursor: Cursor) -> Cursor:
        assert step.value is not None
        self._new(step.name, step.name_span)
        ends = self._ends(cursor, step, self._apart(step, cursor))
        kind = self.bindings.type_of(step.value, self.scope)
        for end in ends:
            value = self._put(step.value, end)
            shown = end.condition is None and end.transition.arcs and not isinstance(step.value, _SIMPLE)
            if shown and all(step.name != let.name for let in end.transition.lets):
                end.values.pop(step.name, None)
                end.transition.lets.append(tree.Let(step.name, value, step.name_span, step.span))
            else:
                end.values[step.name] = self._short(value, step.name, end)
        self._know({step.name: Variable(kind, step.name_span)})
        return Cursor(ends=ends)

    def _set(self, step: tree.Step, cursor: Cursor) -> Cursor:
        assert step.value is not None
        if step.name not in self.scope:
            near = self.problems.meant(step.name, self.scope)
            raise CheckError("set-unknown", step.name_span, name=step.name, suggestion=near)
        self._keeps_type(step)
        for held in self.held:
            if step.name in names_in(held.term):
                raise CheckError(
                    "set-of-held", step.name_span, Label(held.span, "held-here"), name=step.name, place=held.place
                )
        ends = self._ends(cursor, step, self._apart(step, cursor))
        for end in ends:
            end.values[step.name] = self._short(self._put(step.value, end), step.name, end)
        return Cursor(ends=ends)

    def _keeps_type(self, step: tree.Step) -> None:
        """A value has one type, as the places that keep it for later steps have."""
        known, value = self.scope[step.name], step.value
        assert value is not None
        found = self.bindings.misfit(value, known.type, self.scope)
        if found is None:
            return
        text, wanted = self.problems.text(value.span), plainly(known.type)
        raise CheckError(
            "set-other-type",
            value.span,
            Label(known.span, "bound-here"),
            name=step.name,
            text=text,
            found=plainly(found),
            wanted=wanted,
            whole=f"floor({text})" if (plainly(found), wanted) == ("real", "int") else None,
        )

    def _short(self, value: tree.Expr, name: str, end: End) -> tree.Expr:
        """A value for the expressions of later steps: a long one as a name, so that these do not grow on and on."""
        if size(value) <= _LONGEST:
            return value
        short = self.bindings.fresh(name)
        end.transition.lets.append(tree.Let(short, value, value.span, value.span))
        return tree.Name(short, value.span)

    def _draw(self, step: tree.Step, cursor: Cursor) -> Cursor:
        ends = self._ends(cursor, step, self._apart(step, cursor))
        for draw in step.draws:
            self._new(draw.name, draw.name_span)
            kind = self.bindings.type_of(draw.distribution, self.scope)
            for end in ends:
                self._drawn(end, replace(draw, distribution=put_in(draw.distribution, end.values)))
            self._know({draw.name: Variable(kind, draw.name_span)})
        return Cursor(ends=ends)

    def _drawn(self, end: End, draw: tree.Draw) -> None:
        """Adds a draw, once: a transition may have several ends at which the same steps follow."""
        draws = end.transition.draws
        end.values.pop(draw.name, None)
        known = next((one for one in draws if one.name_span == draw.name_span), None)
        if known is None:
            taken = any(one.name == draw.name for one in draws)  # in another block, which has ended
            known = replace(draw, name=self.bindings.fresh(draw.name)) if taken else draw
            draws.append(known)
        if known.name != draw.name:
            end.values[draw.name] = tree.Name(known.name, draw.name_span)

    # ------------------------------------------------------------ blocks

    def _if(self, step: tree.Step, cursor: Cursor) -> Cursor:
        assert step.value is not None
        then, otherwise, fork = self._parted(cursor, step, step.value)
        first, second = self._block(step.body, then), self._otherwise(step, otherwise)
        return self._joined(fork, first, second, step)

    def _otherwise(self, step: tree.Step, cursor: Cursor) -> Cursor:
        if step.others and step.others[0].verb == "elif":
            return self._if(replace(step.others[0], others=step.others[1:]), cursor)
        return self._block(step.others[0].body, cursor) if step.others else cursor

    def _parted(self, cursor: Cursor, step: tree.Step, condition: tree.Expr) -> tuple[Cursor, Cursor, Fork]:
        """Where the activation is if a condition holds, and if not; the ends at which it parts, with the condition."""
        state, ends = None, []
        late = asks(condition, "tokens") or "now" in names_in(condition)
        if cursor.state is None or cursor.clauses is not None or cursor.state.reply is not None or late:
            ends = self._ends(cursor, step, self._apart(step, cursor))
        else:
            state, ends = cursor.state, cursor.ends
        asked = [self._put(condition, end) for end in ends]
        then, otherwise = _divided(ends, asked)
        if state is not None:
            made = self._transition(Cursor(state=state), step)
            then.state, otherwise.state = self._state(step.name_span), self._state(step.name_span)
            targets = [Target(condition, then.state, {}), Target(None, otherwise.state, {})]
            made.outputs.append(Output(None, None, step.span, targets))
        return then, otherwise, list(zip(ends, asked, strict=True))

    def _joined(self, fork: Fork, first: Cursor, second: Cursor, step: tree.Step) -> Cursor:
        """Where the two branches meet: at the ends where they parted, if neither waits."""
        parted = [end.transition for end, _ in fork]
        waits = first.state is not None or second.state is not None
        if waits or not all([end.transition for end in cursor.ends] == parted for cursor in (first, second)):
            return self._met([first, second], step)
        merged = []
        for (end, condition), then, otherwise in zip(fork, first.ends, second.ends, strict=True):
            chosen = _chosen(condition, then.values, otherwise.values)
            values = {name: self._short(value, name, end) for name, value in chosen.items()}
            merged.append(End(end.transition, end.condition, values))
        return Cursor(ends=merged)

    def _met(self, cursors: Sequence[Cursor], step: tree.Step) -> Cursor:
        """Where branches meet: the places where they wait become one."""
        ends = [end for cursor in cursors for end in cursor.ends]
        waiting = [cursor for cursor in cursors if cursor.state is not None]
        if not waiting:
            return Cursor(ends=ends)
        state = self._state(step.name_span)
        for cursor in waiting:
            inside = Cursor(state=cursor.state, clauses=cursor.clauses)
            for end in self._ends(inside, replace(step, verb="end", label="")):
                self._go(end, state, None, step.span)
        return Cursor(state=state, ends=ends)

    def _while(self, step: tree.Step, cursor: Cursor) -> Cursor:
        assert step.value is not None
        loop = self._state(step.span)
        entered = self._tested(cursor, step, step.value, loop, {})
        left = self._tested(self._block(step.body, Cursor(state=loop)), step, step.value, loop, {})
        return self._met([entered, left], step)

    def _tested(
        self, cursor: Cursor, step: tree.Step, condition: tree.Expr | None, loop: State, values: dict[str, tree.Expr]
    ) -> Cursor:
        """Sends the activation into a loop if the condition holds (None: always), with values for the loop; the cursor
        is where it goes on otherwise.
        """
        if condition is None or (isinstance(condition, tree.Name) and condition.name == "true"):
            for end in self._ends(cursor, step):
                inside = {name: self._put(value, end) for name, value in values.items()}
                self._go(End(end.transition, end.condition, {**end.values, **inside}), loop, None, step.span)
            return Cursor()
        going, leaving, _ = self._parted(cursor, step, condition)
        self._tested(going, step, None, loop, values)
        return leaving

    def _repeat(self, step: tree.Step, cursor: Cursor) -> Cursor:
        count, span = step.value, step.span
        assert count is not None
        kind = self.bindings.type_of(count, self.scope)
        if isinstance(kind, Scalar) and kind.kind != "int":
            raise CheckError("repeat-not-whole", count.span, text=self.problems.text(count.span), kind=plainly(kind))
        left = self.bindings.fresh("left")
        number = tree.Name(left, span)
        one, zero = tree.Number(Fraction(1), "1", None, span), tree.Number(Fraction(0), "0", None, span)
        outside = dict(self.scope)
        self._know({left: Variable(INT, span)})
        loop = self._state(span)
        sure = isinstance(count, tree.Number) and count.value >= 1
        some = None if sure else tree.Binary(">", closed(count), zero, count.span)
        entered = self._tested(cursor, step, some, loop, {left: count})
        more, fewer = tree.Binary(">", number, one, span), tree.Binary("-", number, one, span)
        after = self._tested(self._block(step.body, Cursor(state=loop)), step, more, loop, {left: fewer})
        self.scope = outside
        return self._met([entered, after], step)

    def _choose(self, step: tree.Step, cursor: Cursor) -> Cursor:
        start = cursor.start
        state = self._rest(cursor, step)
        found: list[Cursor] = []
        for branch in (step, *step.others):
            clauses = (
                branch if branch.clock or branch.guard or branch.priority or branch.weight or branch.prefer else None
            )
            inside = Cursor(state=state, start=start, clauses=clauses)
            if start and (not branch.body or branch.body[0].verb not in _ACTIVATING):
                raise CheckError("thread-begins", branch.name_span, name=self.thread.name)
            if branch.clock:
                inside = self._late(branch, inside)
            if clauses is None:
                self._waits_for_tokens(branch)
            after = self._block(branch.body, inside)
            found.append(Cursor(ends=self._ends(after, branch)) if not branch.body else after)
        here = [made for made in self.transitions if made.source is state]
        untimed = next((made for made in here if made.clock is None), None)
        for late in (made for made in here if made.suffix == "_late"):
            late.beside = untimed
        return self._met(found, step)

    def _late(self, branch: tree.Step, cursor: Cursor) -> Cursor:
        """Where a branch begins whose clock has run down, `or after T` (T7): behind a transition of its own."""
        if cursor.start:
            raise CheckError("clock-at-start", branch.clock.span, name=self.thread.name)  # type: ignore[union-attr]
        self._bound(branch.clock)
        (end,) = self._ends(cursor, branch)
        end.transition.at_once, end.transition.suffix = True, "_late"
        return Cursor(ends=[end])

    def _for(self, step: tree.Step, cursor: Cursor) -> Cursor:
        """`for each`: takes tokens as long as there are some, and ends at an instant at which there are none (T8)."""
        loop, around = self._state(step.name_span), tree.Step("repeat", step.span, step.name_span)
        self._ends_somewhen(step)
        self._tested(cursor, around, None, loop, {})
        number = len(self.transitions)
        body = self._block((replace(step, verb="take", body=()), *step.body), Cursor(state=loop))
        made = self.transitions[number]
        one = tree.Number(Fraction(1), "1", None, step.span)
        over = Transition("", made.word, loop, step.span, step.name_span, "", beside=made, suffix="_over")
        less = tree.Unary("-", one, step.span)
        over.priority = less if made.priority is None else tree.Binary("-", closed(made.priority), one, step.span)
        self.transitions.append(over)
        if body.reachable:
            self._tested(body, around, None, loop, {})
        return Cursor(ends=[End(over, None, {})])

    def _ends_somewhen(self, step: tree.Step) -> None:
        """Reports a loop that gives back at once, and without a condition, what it takes."""
        places = [self.bindings.place(arc.term) for arc in step.arcs if arc.mode == "take" and not step.guard]
        plain = all(isinstance(e, tree.Name) for arc in step.arcs for e in split_term(arc.term)[2])
        if plain and all(one.verb in ("give", "let", "set", "draw") for one in step.body):
            for output in (output for one in step.body for output in one.outputs):
                place = None if isinstance(output, (tree.If, tree.Delayed)) else self.bindings.place(output)
                if len(places) == 1 and place is not None and place is places[0]:
                    raise CheckError("each-never-ends", output.span, place=place.name)

    def _do(self, step: tree.Step, cursor: Cursor) -> Cursor:
        if not step.others:
            raise CheckError("do-without-unless", step.name_span)
        if cursor.clauses is not None:
            cursor = Cursor(ends=self._ends(cursor, step))
        number, held = len(self.states), list(self.held)
        entered = [] if cursor.state is None else [cursor.state]
        self._open += 1
        done = self._block(step.body, cursor)
        self._open -= 1
        inside = [state for state in (*entered, *self.states[number:]) if state is not done.state]
        found = [done]
        for branch in step.others:
            number, state = len(self.transitions), self._state(branch.span)
            first = replace(branch, body=(), others=())
            found.append(self._block((first, *branch.body), Cursor(state=state)))
            self._interrupts.append(Interrupt(step, self.transitions[number], inside, held))
        return self._met(found, step)

    def _unless(self, step: tree.Step, cursor: Cursor) -> Cursor:
        """The tokens that interrupt the steps of a `do`; they go first, unless a priority says otherwise."""
        cursor = self._take(step, cursor)
        made = cursor.ends[0].transition
        made.at_once, made.priority = True, made.priority or tree.Number(Fraction(1), "1", None, step.span)
        return cursor

    def _waits_for_tokens(self, branch: tree.Step) -> None:
        """Without a clause, a branch that can always begin is not meant: a `wait` does not wait for the others."""
        first = branch.body[0] if branch.body else replace(branch, verb="end")
        if first.verb not in _ACTIVATING and not (first.guard or first.priority or first.weight):
            time = first.time.span if first.verb == "wait" and first.time else None
            text = self.problems.text(time) if time else None
            raise CheckError("branch-begins-at-once", first.name_span, time=text)


# The names of transitions of steps whose verbs are reserved.
_WORDS = {
    "if": "decide",
    "elif": "decide",
    "while": "decide",
    "repeat": "decide",
    "or": "choose",
    "end": "done",
    "unless": "take",
}


def _divided(ends: Sequence[End], conditions: Sequence[tree.Expr]) -> tuple[Cursor, Cursor]:
    """The ends where the condition is true, and those where it is not."""
    pairs = list(zip(ends, conditions, strict=True))
    then = [End(end.transition, both(end.condition, asked), dict(end.values)) for end, asked in pairs]
    otherwise = [End(end.transition, both(end.condition, negated(asked)), dict(end.values)) for end, asked in pairs]
    return Cursor(ends=then), Cursor(ends=otherwise)


def _chosen(condition: tree.Expr, then: dict[str, tree.Expr], otherwise: dict[str, tree.Expr]) -> dict[str, tree.Expr]:
    """The values after an `if`, of those that both branches know."""
    merged = {}
    for name in {**then, **otherwise}:
        own = tree.Name(name, condition.span)
        left, right = then.get(name, own), otherwise.get(name, own)
        merged[name] = (
            left if left == right else tree.Paren(tree.If(condition, left, right, condition.span), condition.span)
        )
    return merged
