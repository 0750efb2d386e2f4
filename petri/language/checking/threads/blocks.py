"""The steps of a thread that have steps in them: branches, loops, and those that are given up (T4, T7, T8, T9)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from petri.language.checking.expressions.names import names_in
from petri.language.checking.nets.terms import split_term
from petri.language.checking.threads.graph import Cursor, End, Output, State, Target, Transition, Variable
from petri.language.checking.threads.interrupts import Interrupt
from petri.language.checking.threads.terms import both, closed, negated
from petri.language.checking.threads.walk import Walk
from petri.language.meaning.types import INT, Scalar, plainly
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.structs import replace

ACTIVATING = ("take", "hold", "use", "choose")
"""Steps with which a thread, and a branch that waits, may begin."""
Fork = list[tuple[End, tree.Expr]]


class Blocks(Walk):
    """The blocks of a thread."""

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
        """Return where the activation is if a condition holds, and if not; and the ends at which it parts."""
        state, ends = None, []
        late = bool(self.bindings.asked(condition)) or "now" in names_in(condition)
        if cursor.state is None or cursor.clauses is not None or cursor.state.reply is not None or late:
            ends = self._ends(cursor, step, self._apart(step, cursor, condition))
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
        """Return where the two branches meet: at the ends where they parted, if neither waits."""
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
        """Return where branches meet: the places where they wait become one."""
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
        """Send the activation into a loop if the condition holds (None: always), with values for the loop; the cursor
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
        self._ordered(step, state)
        found: list[Cursor] = []
        for branch in (step, *step.others):
            first = branch.body[0].discipline if branch.body and not branch.clock else None
            if first is not None:
                raise CheckError("order-in-branch", first.span, order=self.problems.text(first.span))
            clauses = (
                branch if branch.clock or branch.guard or branch.priority or branch.weight or branch.prefer else None
            )
            inside = Cursor(state=state, start=start, clauses=clauses)
            if start and (not branch.body or branch.body[0].verb not in ACTIVATING):
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
        """Return where a branch begins whose clock has run down, `or after T` (T7): behind a transition of its own."""
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
        """Report a loop that gives back at once, and without a condition, what it takes."""
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

    def _waits_for_tokens(self, branch: tree.Step) -> None:
        """Without a clause, a branch that can always begin is not meant: a `wait` does not wait for the others."""
        first = branch.body[0] if branch.body else replace(branch, verb="end")
        if first.verb not in ACTIVATING and not (first.guard or first.priority or first.weight):
            time = first.time.span if first.verb == "wait" and first.time else None
            text = self.problems.text(time) if time else None
            raise CheckError("branch-begins-at-once", first.name_span, time=text)


def _divided(ends: Sequence[End], conditions: Sequence[tree.Expr]) -> tuple[Cursor, Cursor]:
    """Return the ends where the condition is true, and those where it is not."""
    pairs = list(zip(ends, conditions, strict=True))
    then = [End(end.transition, both(end.condition, asked), dict(end.values)) for end, asked in pairs]
    otherwise = [End(end.transition, both(end.condition, negated(asked)), dict(end.values)) for end, asked in pairs]
    return Cursor(ends=then), Cursor(ends=otherwise)


def _chosen(condition: tree.Expr, then: dict[str, tree.Expr], otherwise: dict[str, tree.Expr]) -> dict[str, tree.Expr]:
    """Return the values after an `if`, of those that both branches know."""
    merged = {}
    for name in {**then, **otherwise}:
        own = tree.Name(name, condition.span)
        left, right = then.get(name, own), otherwise.get(name, own)
        merged[name] = (
            left if left == right else tree.Paren(tree.If(condition, left, right, condition.span), condition.span)
        )
    return merged
