"""Time limits of steps (T7): `take p(x) within D else LABEL` is a second transition, which races with the first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from petri.diagnostics import Label
from petri.language.checking.threads.graph import Held, Output, State, Target, Transition
from petri.language.problems import CheckError, Problems
from petri.language.syntax import tree
from petri.structs import Struct


class Noted(Struct):
    """A step that has a limit or a label, its transition, and what the thread held when it came to the step."""

    step: tree.Step
    made: Transition
    held: list[Held]


class Limits:
    """The steps of a thread that limits are about."""

    def __init__(self, problems: Problems, thread: tree.Thread) -> None:
        self.problems = problems
        self.thread = thread
        self.labels = frozenset(_labels(thread.steps))
        self._limited: list[Noted] = []
        self._labelled: dict[str, Noted] = {}
        self._late_ones: list[Transition] = []

    def note(self, step: tree.Step, made: Transition, held: Iterable[Held]) -> None:
        """Note a step's transition. held: by the thread before the step."""
        noted = Noted(step, made, list(held))
        if step.within is not None:
            self._limited.append(noted)
        if step.label:
            self._labelled[step.label] = noted

    def late(self, transitions: Sequence[Transition]) -> list[Transition]:
        """Return the transitions that fire when limits are over. Raises CheckError."""
        return [self._late(noted, noted.step.within, transitions) for noted in self._limited if noted.step.within]

    def _late(self, noted: Noted, limit: tree.Limit, transitions: Sequence[Transition]) -> Transition:
        if noted.made.source is None:
            raise CheckError("limit-at-start", limit.span)
        state = self._entered(noted, limit, transitions)
        made = noted.made
        late = Transition("", made.word, made.source, noted.step.span, limit.span, "", clock=limit.time)
        late.beside, late.suffix = made, "_late"
        self._late_ones.append(late)
        late.outputs.append(Output(None, None, limit.span, [Target(None, state, {})]))
        return late

    def _entered(self, noted: Noted, limit: tree.Limit, transitions: Sequence[Transition]) -> State:
        """Return the place from which the step with the label begins."""
        name = limit.label
        found = self._labelled.get(name)
        if found is None:
            near = self.problems.meant(name, self._labelled)
            thread = self.thread.name
            raise CheckError("limit-unknown-label", limit.label_span, name=name, thread=thread, suggestion=near)
        state = found.made.source
        here = Label(found.step.name_span, "first-declared")
        if state is None:
            raise CheckError("limit-to-start", limit.label_span, here, name=name)
        if any(found.made not in (other, other.beside) and other.source is state for other in transitions):
            raise CheckError("limit-into-choice", limit.label_span, here, name=name)
        for one, other in ((noted, found), (found, noted)):
            for lost in (held for held in one.held if held not in other.held):
                raise CheckError(
                    "limit-held", limit.label_span, Label(lost.span, "held-here"), place=lost.place, name=name
                )
        state.late = True
        return state

    def check(self, transitions: Sequence[Transition]) -> None:
        """Check that steps with a limit know all values that are needed where they go on, now that these are known.

        Raises CheckError.
        """
        for late in self._late_ones:
            source, (output,) = late.source, late.outputs
            assert source is not None
            known = source.scope.keys() | source.reply_names
            state = output.targets[0].state
            missing = [name for name in state.kept if name not in known]
            if missing:
                name = next(other.label for other in transitions if other.source is state and other.label)
                raise CheckError("limit-without-value", late.name_span, name=name, values=missing)


def _labels(steps: Iterable[tree.Step]) -> Iterator[str]:
    """Yield those at which a step goes on when its time is over."""
    for step in steps:
        if step.within is not None:
            yield step.within.label
        yield from _labels((*step.body, *step.others))
