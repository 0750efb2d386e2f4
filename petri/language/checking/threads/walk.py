"""Where an activation of a thread is between two steps, and the transitions that steps make there (T2)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from petri.diagnostics import Label
from petri.language.checking.expressions.names import mentions
from petri.language.checking.state import CheckState
from petri.language.checking.threads.bindings import Bindings, may_be_one
from petri.language.checking.threads.graph import Cursor, End, Held, Output, Scope, State, Target, Transition
from petri.language.checking.threads.interrupts import Interrupt
from petri.language.checking.threads.limits import Limits
from petri.language.checking.threads.terms import both, put_in, size
from petri.language.meaning.scope import PlaceSymbol
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import replace

_TAKING = ("take", "hold", "use", "for")
_LONGEST = 20  # names, numbers and operations of a value that is written where it is used

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


class Walk(ABC):
    """The graph of a thread as far as it has been made, in `transitions` and `states`."""

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

    def _steps(self, steps: Sequence[tree.Step], cursor: Cursor) -> Cursor:
        for step in steps:
            if not cursor.reachable:
                raise CheckError("step-unreachable", step.span)
            cursor = self._step(step, cursor)
        return cursor

    def _block(self, steps: Sequence[tree.Step], cursor: Cursor) -> Cursor:
        """Step whose values end with them, and which must release what they hold, and only that."""
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
        """Return the place where the activation waits before a step; None at the start of the thread."""
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
        """Return the ends of the transitions before a step that neither waits nor lasts;

        `own`: it needs one of its own.
        """
        if own and cursor.ends:
            cursor = Cursor(state=self._rest(cursor, step))
        if cursor.state is None and not cursor.start:
            return cursor.ends
        alone = Cursor(state=cursor.state, clauses=cursor.clauses, start=cursor.start)
        made = self._transition(alone, step)
        made.own = own
        return [*cursor.ends, End(made, None, {})]

    def _transition(self, cursor: Cursor, step: tree.Step) -> Transition:
        """Return a new transition for a step, from the place where the cursor is."""
        state = self._rest(cursor, step) if cursor.ends else cursor.state
        self._ordered(step, state)
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

    def _ordered(self, step: tree.Step, state: State | None) -> None:
        """Activations wait at the place in the order that the step says, if it says one."""
        if step.discipline is None:
            return
        if state is None:
            raise CheckError("order-at-start", step.discipline.span, word=step.discipline.word)
        state.order = step.discipline

    def _word(self, step: tree.Step) -> str:
        """Return the verb and its first place."""
        terms = [*(arc.term for arc in step.arcs), *step.outputs]
        symbol = self.bindings.place(terms[0]) if terms else None
        word = _WORDS.get(step.verb, step.verb)
        return word if symbol is None else f"{word}_{symbol.name}"

    def _apart(self, step: tree.Step, cursor: Cursor, condition: tree.Expr | None = None) -> bool:
        """Return whether a step needs a transition of its own, so that it takes effect when the one before it has
        ended.

        condition: what it asks, if that is not what is written.
        """
        given = (place for output in step.outputs for place in self.bindings.given(output))
        capped = step.verb != "release" and any(map(_is_capped, given))
        asked = (step.outputs, step.value if condition is None else condition, step.draws)
        return bool(step.label) or capped or any(self.misses(asked, end.transition) for end in cursor.ends)

    def misses(self, e: object, t: Transition) -> bool:
        """Return whether an expression read at the start of a transition misses what it does to the places read."""
        asked = self.bindings.asked(e)
        if not asked or t.time is not None or t.interrupts:
            return bool(asked)
        taken = [self.bindings.place(arc.term) for arc in t.arcs if arc.mode not in ("read", "no")]
        given = [place for output in t.outputs if output.term for place in self.bindings.given(output.term)]
        return any(may_be_one(one, other) for one in asked for other in (*taken, *given) if other is not None)

    def _know(self, found: Scope) -> None:
        self.scope |= found

    def _put(self, e: tree.Expr, end: End) -> tree.Expr:
        """Return an expression of a step at the end of a transition, in terms of the values at its start (T3)."""
        values = end.values
        if end.transition.time is not None:
            values = {**values, "now": tree.Name("end", e.span)}
        return put_in(e, values)  # type: ignore[no-any-return]

    def _short(self, value: tree.Expr, name: str, end: End) -> tree.Expr:
        """Return a value for the expressions of later steps: a long one as a name, so that these do not grow."""
        if size(value) <= _LONGEST:
            return value
        short = self.bindings.fresh(name)
        end.transition.lets.append(tree.Let(short, value, value.span, value.span))
        return tree.Name(short, value.span)

    def _binds(self, step: tree.Step) -> Scope:
        """Return the values that the tokens of a step bind, perhaps by names of a block that has ended."""
        arcs = step.arcs if step.verb in _TAKING else ()
        return {name: known for arc in arcs for name, known in self.bindings.of_arc(arc, self.scope).items()}

    def _bound(self, *parts: object, anew: Scope | None = None) -> None:
        """Report a value that was bound in a block which has ended, and is not bound anew."""
        for part in parts:
            for name, span in mentions(part):
                if name in self._gone and name not in self.scope and name not in (anew or {}):
                    raise CheckError("value-of-block", span, Label(self._gone[name], "bound-here"), name=name)

    @abstractmethod
    def _step(self, step: tree.Step, cursor: Cursor) -> Cursor:
        """Make what a step needs; the result is where the activation is behind it. Raises CheckError."""


def _is_capped(place: PlaceSymbol) -> bool:
    return isinstance(place.declaration, tree.Place) and place.declaration.capacity is not None
