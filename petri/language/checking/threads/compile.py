"""The steps of a thread to its graph (T2).

A step that waits for tokens or for a reply, or that lasts, makes a transition. All other steps belong to the transition
before them. They make one of their own where there is none before, where they have a label, where they put tokens into
a place with a capacity, and where they ask for `tokens(…)` of places that the transition before them changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from petri.diagnostics import Label
from petri.language.checking.expressions.names import names_in
from petri.language.checking.nets.terms import split_term
from petri.language.checking.threads.blocks import ACTIVATING, Blocks
from petri.language.checking.threads.graph import Cursor, End, Held, Output, Variable
from petri.language.checking.threads.interrupts import interrupted
from petri.language.checking.threads.simplify import name_all, simplified
from petri.language.checking.threads.terms import put_in
from petri.language.meaning.types import Request, Unknown, plainly
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import replace

_SIMPLE = (tree.Name, tree.Number, tree.Field)


class Compiler(Blocks):
    """Compiles one thread; afterwards `transitions` and `states` are its graph."""

    def run(self) -> None:
        """Raise CheckError if the thread has an error."""
        self._collect_labels(self.thread.steps)
        if not self.thread.steps or self.thread.steps[0].verb not in ACTIVATING:
            first = self.thread.steps[0].name_span if self.thread.steps else self.thread.name_span
            raise CheckError("thread-begins", first, name=self.thread.name)
        cursor = self._steps(self.thread.steps, Cursor(start=True))
        if cursor.state is not None:
            self._ends(cursor, replace(self.thread.steps[-1], verb="end", label=""))
        self.transitions += self.limits.late(self.transitions)
        for held in self.held:
            raise CheckError("held-at-end", held.span, place=held.place, name=self.thread.name)
        self.transitions, self.states = simplified(self.transitions, self.states, self.misses)
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

    def _step(self, step: tree.Step, cursor: Cursor) -> Cursor:
        parts = (step.arcs, step.outputs, step.draws, step.discipline, step.time, step.guard, step.prefer, step.within)
        self._bound(*parts, anew=self._binds(step))
        replied = cursor.state is not None and cursor.state.request is not None
        # A request has the values of its caller elsewhere than a key finds them.
        keyed = step.discipline is not None and step.discipline.key is not None
        if replied and (step.label in self.limits.labels or keyed):
            pause = replace(step, verb="end", label="", within=None, discipline=None)
            cursor = Cursor(ends=self._ends(cursor, pause))
        if step.verb != "call":
            self._bound(step.value)
        handlers: dict[str, Callable[[tree.Step, Cursor], Cursor]] = {
            "take": self._take, "hold": self._hold, "use": self._use, "wait": self._wait, "give": self._give,
            "release": self._release, "call": self._call, "let": self._let, "set": self._set, "draw": self._draw,
            "if": self._if, "elif": self._if, "while": self._while, "repeat": self._repeat, "choose": self._choose,
            "for": self._for, "do": self._do, "unless": self._unless,
        }  # fmt: skip
        return handlers[step.verb](step, cursor)

    # ------------------------------------------------------------ tokens and time

    def _take(self, step: tree.Step, cursor: Cursor, held: Sequence[Held] = ()) -> Cursor:
        made = self._transition(cursor, step)
        known = dict(self.scope)
        for arc in step.arcs:
            self._know(self.bindings.of_arc(arc, known))
        self.held += held
        made.arcs = list(step.arcs)
        taken = Cursor(ends=[End(made, None, {})])
        if step.time is None or not (self._open or self.misses(step.time, made)):
            made.time = step.time
            return taken
        cursor = self._wait(tree.Step("wait", step.span, step.name_span, time=step.time), taken)
        cursor.ends[0].transition.beside, cursor.ends[0].transition.suffix = made, "_done"
        return cursor

    def _unless(self, step: tree.Step, cursor: Cursor) -> Cursor:
        """Compile the tokens that interrupt the steps of a `do`; they go first, unless a priority says otherwise."""
        cursor = self._take(step, cursor)
        made = cursor.ends[0].transition
        made.at_once = made.interrupts = True
        made.priority = made.priority or tree.Number(Fraction(1), "1", None, step.span)
        return cursor

    def _lasting(self, step: tree.Step, cursor: Cursor) -> Cursor:
        """Compile a step that lasts and may be interrupted: a clock, which leaves the activation where it is (T9)."""
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
        late = end is not None and self.misses(step.time, end.transition)
        if end is None or not alone or late or step.label or step.guard or step.priority or step.weight or step.prefer:
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
        """Check that a value has one type, as the places that keep it for later steps have."""
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
        """Add a draw, once: a transition may have several ends at which the same steps follow."""
        draws = end.transition.draws
        end.values.pop(draw.name, None)
        known = next((one for one in draws if one.name_span == draw.name_span), None)
        if known is None:
            taken = any(one.name == draw.name for one in draws)  # in another block, which has ended
            known = replace(draw, name=self.bindings.fresh(draw.name)) if taken else draw
            draws.append(known)
        if known.name != draw.name:
            end.values[draw.name] = tree.Name(known.name, draw.name_span)
