"""Why a transition is enabled at an instant of a run, or not, in words and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from io import StringIO
from itertools import islice
from typing import Final

from rich.console import Console
from rich.text import Text

from petri.analysis.dead import Lack
from petri.analysis.enabling import Helper, why_each
from petri.engine.binding import Binding
from petri.engine.candidates import Candidate, Unmet, guard_parts
from petri.engine.errors import ModelError
from petri.engine.expression import Context
from petri.engine.lets import Known
from petri.engine.state import InProgress, seated
from petri.net import WEIGHT_PARTS, Net, Place, Scalar, Transition, is_shared
from petri.report.telling.clock_text import ClockText
from petri.report.telling.columns import Column
from petri.report.telling.expressions import ExpressionText, seen
from petri.report.telling.lacks import reasons
from petri.report.telling.quantities import counted
from petri.report.telling.token_text import Values
from petri.report.terminal.tables import print_prose, print_table
from petri.run.instant import Moment
from petri.views import Why

MOST_ROWS: Final = 8  # candidates that are shown
MOST_TOKENS: Final = 4  # values of a place that are shown


def why_text(why: Why) -> str:
    """Return what `print_why` prints, in 80 columns."""
    stream = StringIO()
    print_why(why, Console(file=stream, width=80))
    return stream.getvalue().rstrip("\n")


def print_why(why: Why, console: Console) -> None:
    """Print the state of the transition, its conditions, its candidates, and what would help."""
    teller = _Teller(why)
    print_prose(console, teller.headline())
    print_prose(console, Text(teller.history(), style="dim"))
    teller.conditions(console)
    teller.candidates(console)
    teller.help(console)
    for line in teller.choice():
        print_prose(console, Text(f"\n{line}"))


def print_each(net: Net, moment: Moment, console: Console, run: str, only: Sequence[int]) -> None:
    """Print one line for each of some transitions: what it does at this instant, or lacks; equal ones of an array
    once.
    """
    values, state = Values(net), moment.state
    print_prose(console, Text(f"{net.name} {_when(values, moment)}{run}", style="bold"))
    told = why_each(net, state)
    lacks = [lack for number, lack in enumerate(told) if lack is not None and number in only]
    rows = {reason.transition: (reason.transition, reason.copies, reason.text) for reason in reasons(net, lacks)}
    ready = [n for n in only if told[n] is None]
    clocks = ClockText(net, state)
    enabled = [
        (net.transitions[n].name, 1, f"enabled, {clocks.all(n)}" if n in clocks.of else "enabled") for n in ready
    ]
    names = [f"{name} ×{copies}" if copies > 1 else name for name, copies, _ in [*enabled, *rows.values()]]
    busy = [_running(values, state.in_progress, net, name) for name, _, _ in [*enabled, *rows.values()]]
    console.print()
    texts = [f"{text}{more}" for (_, _, text), more in zip([*enabled, *rows.values()], busy, strict=True)]
    print_table(console, [Column("Transition", names, "name"), Column("can it fire?", texts, "prose")])


def _running(values: Values, firings: Sequence[InProgress], net: Net, name: str) -> str:
    ends = [firing.end for firing in firings if firing.part == 0 and net.transitions[firing.transition].name == name]
    if not ends:
        return ""
    return f"; {counted(len(ends), 'firing')} in progress, the next to end at {values.time(min(ends))}"


def _when(values: Values, moment: Moment) -> str:
    now = values.time(moment.state.now)
    if moment.ended == "budget":
        return f"at {now}, just before firing {moment.state.firings + 1:,}"
    if moment.ended == "dead":
        return f"at {now}, where the net is dead"
    return f"at {now}, when all that happens then has happened" if moment.ended == "until" else f"at {now}"


class _Teller:
    """Words one explanation."""

    def __init__(self, why: Why) -> None:
        self.why = why
        self.explanation = why.explanation
        self.net = why.explanation.net
        self.state = why.explanation.state
        self.transition: Transition = self.net.transitions[why.explanation.transition]
        self.engine = seated(self.net, self.state)
        self.values = Values(self.net)
        self.clocks = ClockText(self.net, self.state)
        self.words = ExpressionText(self.net, why.sources).element(self.transition)

    def headline(self) -> Text:
        text = Text(f"{self.transition.name} is ", style="bold")
        text.append("enabled" if self.explanation.enabled else "not enabled", "green" if self.why.enabled else "red")
        text.append(f" {_when(self.values, self.why.moment)}")
        return text

    def history(self) -> str:
        number, moment = self.explanation.transition, self.why.moment
        parts = [f"{self.net.name}{self.why.run}: {counted(self.state.firings, 'firing')} so far"]
        if any(moment.counts[number : number + 1]):
            parts.append(f"{moment.counts[number]:,} of this one, the last at {self.values.time(moment.last[number])}")
        elif moment.counts:
            parts.append("none of this one")
        running = sum(one.transition == number and one.part == 0 for one in self.state.in_progress)
        if running:
            parts.append(f"{running} in progress")
        if self.why.following is not None:
            parts.append(f"the next starts at {self.values.time(self.why.following.start)}")
        return "; ".join(parts + self._disabled())

    def _disabled(self) -> list[str]:
        """Return what became of its clocks, if it is not enabled: `it was disabled at 7 ms by serve`."""
        dropped, number = self.why.dropped, self.explanation.transition
        if self.explanation.enabled:
            return []
        parts = []
        if dropped is not None and not dropped.at < self.why.moment.last[number]:
            by = self.net.transitions[dropped.by.transition]
            bound = self.values.variables(by, dropped.by.variables, Known(dropped.by.start, dropped.by.end))
            at, name = self.values.time(dropped.at), f"{by.name} ({bound})" if bound else by.name
            parts.append(f"it was disabled at {at} by {name}")
        return [*parts, *filter(None, [self.clocks.all(number)])]

    # ------------------------------------------------------------ the conditions, one after the other

    def conditions(self, console: Console) -> None:
        """Print a row for each input arc, inhibitor, part of the guard and capacity; for each set, which needs
        nothing.
        """
        rows = [self._arc(number) for number in range(len(self.transition.inputs))]
        rows += [self._inhibitor(number) for number in range(len(self.transition.inhibitors))]
        rows += [self._guard(number, text) for number, text in enumerate(self._guards())]
        rows += [self._room(place) for place in self._limited()]
        rows += [self._set(number) for number in range(len(self.transition.sets))]
        if not rows:
            print_prose(console, Text("\nIt has no conditions: nothing is taken, and nothing stands against it."))
            return
        console.print()
        needs, there, verdicts = zip(*rows, strict=True)
        columns = [Column("It needs", needs, "prose"), Column("there", there, "prose")]
        print_table(console, [*columns, Column("", verdicts, "prose")])

    def _arc(self, number: int) -> tuple[str, str, str]:
        arc = self.transition.inputs[number]
        place = self.net.places[arc.place]
        pattern = self.words.pattern(arc, self.transition)
        inscription = f"({pattern})" if pattern and place.colour.slots else f" × {pattern}" if pattern else ""
        text = f"{seen(arc)}{place.name}{inscription}" + (" (only read)" if arc.keep else "")
        there = self._there(arc.place, sees_all=arc.any)
        reached = [candidate for candidate in self.explanation.candidates if len(candidate.found) >= number]
        found = sum(len(one.found) > number for one in reached)
        if not reached:
            return text, there, "· not looked at"
        if found:
            return text, there, "✓" if found == len(reached) else f"✓ for {found} of {len(reached)}"
        if len(reached) > 1:
            return text, there, f"✗ for all {len(reached)}"
        return text, there, f"✗ {self._lack(reached[0].unmet[0])}"

    def _lack(self, unmet: Unmet) -> str:
        if unmet.kind == "tokens":
            return f"needs {counted(unmet.needed, 'token')}"
        slots = self.net.places[unmet.place].colour.slots
        if unmet.wanted:
            named = "with" if any(slots[slot].name for slot in unmet.wanted) else "of value"
            return f"needs a token {named} {self.values.slots(unmet.wanted, slots)}"
        return "needs one more token" if unmet.here else "needs a token"

    def _there(self, number: int, *, sees_all: bool = False) -> str:
        """Return what a place holds, or shows, unless an arc sees all of it (E9): `2 tokens: 1, 3`."""
        place, tokens = self.net.places[number], self.state.marking[number]
        if not tokens:
            return "empty"
        if not place.colour.slots:
            return counted(len(tokens), "token")
        return f"{counted(len(tokens), 'token')}{self._seen(number, sees_all)}"

    def _seen(self, number: int, sees_all: bool) -> str:
        """Return the values of the tokens that an arc may see (S3)."""
        place, marking = self.net.places[number], self.engine.marking[number]
        visible = marking if sees_all else self.engine.visible(number, marking)
        most = MOST_TOKENS if len(place.colour.slots) <= 2 else 1
        shown = [self.values.token(token.value, place.colour.slots) for token in visible[:most]]
        more = ["…"] if len(visible) > len(shown) else []
        text = ("; " if len(place.colour.slots) > 1 else ", ").join([*shown, *more])
        return f": {text}" if sees_all or place.discipline == "bag" or len(marking) == 1 else f", shows {text}"

    def _complete(self) -> list[Candidate]:
        """Return the candidates that have found tokens for all arcs."""
        return [
            candidate
            for candidate in self.explanation.candidates
            if len(candidate.found) == len(self.transition.inputs)
        ]

    def _tally(self, unmet: Sequence[Sequence[Unmet]], alone: str) -> str:
        """Over the complete candidates: ✓, ✗ with the text, or how many."""
        wrong = sum(map(bool, unmet))
        if not unmet:
            return "· not looked at"
        if not wrong:
            return "✓"
        return f"✗ {alone}" if len(unmet) == 1 else f"✗ for {'all ' if wrong == len(unmet) else ''}{wrong}"

    def _inhibitor(self, number: int) -> tuple[str, str, str]:
        arc = self.transition.inhibitors[number]
        place = self.net.places[arc.place]
        least = "1" if arc.threshold is None else self.words.of(arc.threshold, self.transition.variables)
        slots = [
            f"{slot.name} {self.words.of(match.equal, self.transition.variables)}".lstrip()
            for match, slot in zip(arc.pattern, place.colour.slots, strict=True)
            if match.equal is not None
        ]
        text = f"fewer than {least} in {place.name}" + (f" with {', '.join(slots)}" if slots else "")
        found = [[u for u in c.unmet if u.kind == "inhibited" and u.number == number] for c in self._complete()]
        alone = next((f"holds {one[0].here}" for one in found if one), "")
        return text, self._there(arc.place), self._tally(found, alone)

    def _set(self, number: int) -> tuple[str, str, str]:
        arc = self.transition.sets[number]
        place = self.net.places[arc.place]
        number_of, pattern, condition = self.words.set(arc, self.transition)
        what = f"{place.name}({pattern})" if pattern else place.name
        text = f"{number_of} {what}" + (f" when {condition}" if condition else "")
        return text, self._there(arc.place, sees_all=True), self._taken(number)

    def _taken(self, number: int) -> str:
        """Return how many tokens a set has for the first bindings (E11)."""
        variables: list[Scalar] = [0] * len(self.transition.variables)
        try:
            first = islice(self.engine.extend(self.transition, variables, []), MOST_ROWS)
            copies = (Binding(list(one.variables), one.found) for one in first)
            sizes = {len(self.engine.sets(self.transition, copy)[number]) for copy in copies}
        except ModelError:
            return "· cannot be found"
        if not sizes:
            return "· may be none"
        least, most = min(sizes), max(sizes)
        return f"· takes {least} to {most}" if least < most else f"· takes {most or 'none'}"

    def _guards(self) -> list[str]:
        return [self.words.of(part, self.transition.variables) for part in guard_parts(self.transition)]

    def _guard(self, number: int, text: str) -> tuple[str, str, str]:
        complete = self._complete()
        reached = [c for c in complete if not any(u.kind == "guard" and u.number < number for u in c.unmet)]
        found = [[u for u in c.unmet if u.kind == "guard" and u.number == number] for c in reached]
        there = self._guard_value(number, reached[0]) if len(reached) == 1 else ""
        return f"guard {text}", there, self._tally(found, "is false")

    def _guard_value(self, number: int, candidate: Candidate) -> str:
        """Return a part of the guard with the values of one candidate: `64 B > 100 B`."""
        part = guard_parts(self.transition)[number]
        variables = [0 if value is None else value for value in candidate.variables]
        marking = self.state.marking
        context = Context(variables, lambda p: len(marking[p]), self.state.now, self.state.now, None, self.net.tables)
        return self.values.condition(part, self.transition.variables, context)

    def _limited(self) -> list[int]:
        places = dict.fromkeys(place for arc in self.transition.outputs for place in arc.places)
        return [place for place in places if self.net.places[place].capacity is not None]

    def _room(self, number: int) -> tuple[str, str, str]:
        place = self.net.places[number]
        here = counted(len(self.state.marking[number]), "token")
        coming = sum(len(tokens) for one in self.state.in_progress for to, tokens in one.gives if to == number)
        if coming:
            here += f", {coming} on the way"
        found = [[u for u in c.unmet if u.kind == "room" and u.place == number] for c in self._complete()]
        return f"room in {place.name}", f"{here}, {self.words.capacity(place)}", self._tally(found, "full")

    # ------------------------------------------------------------ the candidates

    def candidates(self, console: Console) -> None:
        """Print a row for each of the first candidates, unless there is only one without values to tell."""
        listed = self.explanation.candidates
        known = Known(self.state.now, tokens=lambda place: len(self.state.marking[place]))
        shown = [(self.values.variables(self.transition, one.variables, known), one) for one in listed]
        if not any(text for text, _ in shown) or (len(shown) == 1 and not self.why.enabled and not shown[0][0]):
            return
        fit = len(self.explanation.bindings)
        total = f"{len(listed):,}{' or more' if self.explanation.more else ''}"
        if len(listed) == 1:
            title = "The only candidate"
        else:
            able = "can fire" if self.transition.clock is None else "is enabled" if fit == 1 else "are enabled"
            title = f"{total} candidates, of which {f'{fit:,}' if fit else 'none'} {able}"
        console.print()
        shown.sort(key=lambda pair: bool(pair[1].unmet))
        rows = [(text or "–", self._verdict(one)) for text, one in shown[:MOST_ROWS]]
        print_table(console, [Column(title, [a for a, _ in rows], "prose"), Column("", [b for _, b in rows], "prose")])
        if len(shown) > MOST_ROWS:
            print_prose(console, Text(f"and {len(shown) - MOST_ROWS:,} more", style="dim"))

    def _verdict(self, candidate: Candidate) -> str:
        if not candidate.unmet:
            return f"✓ {self.clocks.binding(self.explanation.transition, candidate.found)}"
        return "✗ " + "; ".join(self._shortcoming(candidate, unmet) for unmet in candidate.unmet)

    def _shortcoming(self, candidate: Candidate, unmet: Unmet) -> str:
        if unmet.kind == "guard":
            return f"guard: {self._guard_value(unmet.number, candidate)} is false"
        if unmet.kind == "error":
            return f"its conditions cannot be computed ({unmet.error})"
        place = self.net.places[unmet.place]
        if unmet.kind == "room":
            return f"{place.name} has no room: {self._amount(place, unmet.here)}, {self.words.capacity(place)}"
        if unmet.kind == "inhibited":
            return f"{place.name} holds {unmet.here}, must hold fewer than {unmet.needed}"
        there = "which is empty" if not unmet.here else f"which has {counted(unmet.here, 'token')}"
        return f"{self._lack(unmet)} in {place.name}, {there}"

    def _amount(self, place: Place, weight: int) -> str:
        if place.weight is None:
            return f"holds {weight}"
        amount = weight / WEIGHT_PARTS if isinstance(place.capacity, float) else weight
        return f"holds {self.values.scalar(amount, place.measured_in)}"

    # ------------------------------------------------------------ what would help, and what was chosen

    def help(self, console: Console) -> None:
        helpers = self.explanation.helpers[:MOST_ROWS]
        rows = [(self._wish(helper.unmet), text) for helper in helpers for text in self._ways(helper)]
        if not rows:
            return
        names = [wish if number == 0 or rows[number - 1][0] != wish else "" for number, (wish, _) in enumerate(rows)]
        console.print()
        print_table(console, [Column("What would help", names, "prose"), Column("", [b for _, b in rows], "prose")])

    def _wish(self, unmet: Unmet) -> str:
        place = self.net.places[unmet.place]
        if unmet.kind == "room":
            return f"room in {place.name}"
        if unmet.kind == "inhibited":
            return f"fewer tokens in {place.name}"
        wanted = self.values.slots(unmet.wanted, place.colour.slots) if unmet.wanted else ""
        return f"a token in {place.name}" + (f": {wanted}" if wanted else "")

    def _ways(self, helper: Helper) -> list[str]:
        if helper.firings:
            firing = self.state.in_progress[helper.firings[0]]
            transition = self.net.transitions[firing.transition]
            bound = self.values.variables(transition, firing.variables, Known(firing.start, firing.end))
            place = helper.unmet.place
            verb = "holds it and gives it back" if any(p == place for p, _ in firing.took) else "gives one"
            since = "on the way" if firing.part else "in progress"
            since = f"{since} since {self.values.time(firing.start)}"
            text = (
                f"{transition.name}{f' ({bound})' if bound else ''} {verb} at {self.values.time(firing.end)}, {since}"
            )
            more = len(helper.firings) - 1
            return [text + (f"; {counted(more, 'other firing')} later" if more else "")]
        if not helper.lacks:
            verb = "takes from it" if helper.unmet.kind in ("room", "inhibited") else "gives to it"
            return [f"nothing: no transition {verb}"]
        return [self._way(number, lack) for number, lack in helper.lacks]

    def _way(self, number: int, lack: Lack | None) -> str:
        """`free needs a token in sent, which is empty: send gives one at 3 ms`"""
        name = self.net.transitions[number].name
        if lack is None:
            return f"{name} is enabled"
        text = f"{name} {reasons(self.net, [lack])[0].text}"
        if lack.kind not in ("tokens", "token"):
            return text
        place = lack.places[0]
        givers = [one for one in self.state.in_progress if any(to == place and tokens for to, tokens in one.gives)]
        if givers:
            verb = "holds it until" if any(p == place for p, _ in givers[0].took) else "gives one at"
            text += f": {self.net.transitions[givers[0].transition].name} {verb} {self.values.time(givers[0].end)}"
        return text

    def choice(self) -> list[str]:
        """Return which transition fires next, and by which rule, where several could."""
        number, rivals = self.explanation.transition, self.explanation.rivals
        if not rivals and not self.state.in_progress:
            return ["No firing is in progress and no transition is enabled: nothing will change any more."]
        if not rivals or not self.explanation.enabled:
            return []
        following = self._following()
        if self.transition.clock is not None:
            return [*self._clocks(), "It fires when its clock has run down, if nothing disables it before.", *following]
        rivals = tuple(rival for rival in rivals if self.net.transitions[rival[0]].clock is None)
        own = self.transition.priority
        highest = max(self.net.transitions[other].priority for other, _ in rivals)
        names = [self.net.transitions[other].name for other, _ in rivals if other != number]
        lines = []
        if highest > own:
            above = [self.net.transitions[o] for o, _ in rivals if self.net.transitions[o].priority == highest]
            lines.append(f"It waits: {_listed([t.name for t in above])} with priority {highest} goes before its {own}.")
        elif names:
            equal = [other for other, _ in rivals if self.net.transitions[other].priority == highest]
            others = [self.net.transitions[other].name for other in equal if other != number]
            if others:
                lines.append(f"Chance decides between it and {_listed(others)}: {self._share(equal)}.")
        return [*lines, *following]

    def _share(self, equal: list[int]) -> str:
        """Return how likely chance takes the transition among these (I3)."""
        try:
            weights = dict(zip(equal, self.engine.weights(equal), strict=True))
        except ModelError as error:
            return f"their weights cannot be computed ({error})"
        return f"{100 * weights[self.explanation.transition] / math.fsum(weights.values()):.3g} % by their weights"

    def _clocks(self) -> list[str]:
        """Tell of all its clocks, unless the table of candidates says it."""
        text = self.clocks.all(self.explanation.transition)
        coloured = any(self.net.places[arc.place].colour.slots for arc in self.transition.inputs)
        if not text or (coloured and not is_shared(self.transition) and len(self.explanation.candidates) <= MOST_ROWS):
            return []
        return [f"{text[0].upper()}{text[1:]}."]

    def _following(self) -> list[str]:
        following = self.why.moment.following
        if following is None:
            return []
        chosen = self.net.transitions[following.transition]
        bound = self.values.variables(chosen, following.variables, Known(following.start, following.end))
        return [f"Next, {chosen.name}{f' ({bound})' if bound else ''} starts."]


def _listed(names: Sequence[str]) -> str:
    shown = [*names[:3], *([f"{len(names) - 3} others"] if len(names) > 3 else [])]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
