"""TINA's textual nets (.net): place/transition nets and time Petri nets, with test, inhibitor and counted arcs.

Line breaks have no meaning, except that an item begins on a line of its own, and that comments are lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NoReturn

from petri.interchange.reading.arcs import Arcs
from petri.interchange.reading.coloured import black
from petri.interchange.reading.foreign import LARGEST_NUMBER, Foreign, Place, Transition
from petri.interchange.reading.intervals import Intervals
from petri.interchange.reading.priorities import Priorities
from petri.net import Span

MOST_PAIRS: Final = 500_000  # of transitions of which one comes before the other
_NAME: Final = r"(?:\{(?:[^{}\\]|\\.)*\}|[\w']+)"
_COMMENT: Final = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_WORD: Final = re.compile(r"(net|tr|pl|lb|pr|nt|an)(?=\s)")
# An item that begins within a line: only a word that is followed as in an item is not the name of a place.
_ITEM: Final = re.compile(rf"(?:tr|pl)\s+{_NAME}\s*[:(\[\]]")
_ARROW: Final = re.compile("->")
_SPACE: Final = re.compile(r"\s*")
_NAMED: Final = re.compile(_NAME)
_LABEL: Final = re.compile(rf":\s*({_NAME}|\S+)")
_INTERVAL: Final = re.compile(r"([\[\]])\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?|w)\s*([\[\]])")
_MARKING: Final = re.compile(r"\(\s*(\d+)\s*([KMGTPE]?)\s*\)")
_ARC: Final = re.compile(rf"({_NAME})(?:(\*|\?-|\?|!-|!)(\d+)([KMGTPE]?))?(?=\s|$|->)")
_FACTORS: Final[dict[str, int]] = {"": 1, **{letter: 1000 ** (at + 1) for at, letter in enumerate("KMGTPE")}}
Arc = tuple[str, str, int]  # the node, the sign (`*` or none, `?`, `?-`), and the number


def read(foreign: Foreign, data: bytes) -> None:
    _Items(foreign).read()


class _Items:
    def __init__(self, foreign: Foreign) -> None:
        self.foreign = foreign
        self.text = _COMMENT.sub(lambda one: " " * len(one[0]), foreign.source)
        self.places: dict[str, Place] = {}
        self.transitions: dict[str, Transition] = {}
        self.arcs: dict[str, Arcs] = {}
        self.spans: dict[str, Span] = {}
        self.intervals = Intervals(foreign)
        self.pending: list[tuple[str, str, Arc, bool, int]] = []  # arcs of places, whose transitions may come later
        self.above: dict[str, set[str]] = {}
        self.pairs = 0
        self.at = 0
        self.is_first = True  # whether nothing of the line comes before
        self.line, self.line_at = 1, 0  # of the last position that was asked for

    def read(self) -> None:
        comments = (found[0].strip().lstrip("#").strip() for found in _COMMENT.finditer(self.foreign.source))
        self.foreign.comments += filter(None, comments)
        items = {"tr": self._transition, "pl": self._place, "pr": self._priority}
        while self._skip() < len(self.text):
            word = self._next(_WORD)
            if word is None:
                self._refuse("foreign-line", text=self._rest())
            if word[1] in items:
                items[word[1]]()
            elif word[1] == "net":
                self.foreign.call(self._name())
            else:
                said = [self._name() for _ in range(3 if word[1] == "nt" else 2)]
                self.foreign.comments += said[-1:] if word[1] in ("nt", "an") else []
        self._finish()

    def _finish(self) -> None:
        foreign = self.foreign
        for place, transition, arc, into, at in self.pending:
            self.at = at
            if transition not in self.transitions:
                self._refuse("foreign-unknown-name", name=transition)
            self._join(self.places[place], self.transitions[transition], arc, into)
        foreign.places += self.places.values()
        foreign.transitions += self.transitions.values()
        for made in foreign.transitions:
            self.arcs[made.name].write(made)
        self._order()
        self.intervals.tell()

    # ------------------------------------------------------------ items

    def _place(self) -> None:
        key = self._name()
        place, _ = self._named(key), self._next(_LABEL)
        marking = self._next(_MARKING)
        if marking is not None:
            if place.initial:
                self._refuse("foreign-twice", name=key)
            place.initial = black(self._number(*marking.groups()))
        for into, arcs in enumerate(self._both_sides()):
            self.pending += [(key, arc[0], arc, bool(into), self.at) for arc in arcs]

    def _transition(self) -> None:
        key, span = self._name(), self._span()
        if key in self.transitions:
            self._refuse("foreign-twice", name=key)
        made = Transition(self.foreign.names.give("transition", key))
        self.transitions[key], self.arcs[made.name], self.spans[made.name] = made, Arcs(), span
        self._next(_LABEL)
        interval = self._next(_INTERVAL)
        if interval is None:
            made.clauses = self.intervals.without(span)
        else:
            opening, low, high, closing = interval.groups()
            closed = (opening, closing) == ("[", "]")
            made.clauses = self.intervals.within(low, "" if high == "w" else high, closed, span)
        for out, arcs in enumerate(self._both_sides()):
            for arc in arcs:
                self._join(self._named(arc[0]), made, arc, not out)

    def _join(self, place: Place, transition: Transition, arc: Arc, into: bool) -> None:
        arcs, (_, sign, count) = self.arcs[transition.name], arc
        if sign.startswith("!") or (sign.startswith("?") and not into):
            self._refuse("foreign-arc-kind", kind=sign)
        if sign == "?-" and not count:
            self._refuse("foreign-number", text="0", most=LARGEST_NUMBER)
        if count:
            add = {"?-": arcs.inhibit, "?": arcs.test}.get(sign, arcs.take if into else arcs.give)
            add(place.name, count)

    def _priority(self) -> None:
        """`pr a b > c d`: a and b come before c and d."""
        start = self.at
        left, sign = [key for key, _, _ in self._arcs()], self._next(re.compile("[<>]"))
        right = [key for key, _, _ in self._arcs()]
        if sign is None or not left or not right:
            self._refuse("foreign-line", text=self.text[start : start + 40])
        self._heed_pairs(len(left) * len(right))
        for low in left if sign[0] == "<" else right:
            self.above.setdefault(low, set()).update(right if sign[0] == "<" else left)

    def _heed_pairs(self, more: int) -> None:
        self.pairs += more
        if self.pairs > MOST_PAIRS:
            self._refuse("foreign-too-large", what="pairs of transitions with a priority", most=MOST_PAIRS)

    def _order(self) -> None:
        """Give transitions their priorities: of all that come before one, also by way of others."""
        before: dict[str, set[str]] = {}
        for key in self.above:
            before[key], pending = set(), list(self.above[key])
            while pending:
                other = pending.pop()
                if other not in before[key]:
                    self._heed_pairs(1)
                    before[key].add(other)
                    pending += self.above.get(other, ())
        for key in (*before, *(other for others in before.values() for other in others)):
            if key not in self.transitions or key in before.get(key, ()):
                self._refuse("foreign-circle" if key in self.transitions else "foreign-unknown-name", name=key)
        names = {key: made.name for key, made in self.transitions.items()}
        above = {names[key]: {names[other] for other in others} for key, others in before.items()}
        Priorities(self.foreign, self.arcs, self.spans.__getitem__).of_pairs(above)

    # ------------------------------------------------------------ texts

    def _skip(self) -> int:
        found = _SPACE.match(self.text, self.at)
        end: int = found.end() if found is not None else self.at
        self.is_first = self.is_first or "\n" in self.text[self.at : end]
        self.at = end
        return end

    def _next(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return what the text has next, if it is this."""
        found = pattern.match(self.text, self._skip())
        if found is not None:
            self.at, self.is_first = found.end(), False
        return found

    def _name(self) -> str:
        found = self._next(_NAMED)
        if found is None:
            self._refuse("foreign-line", text=self._rest())
        return _plain(found[0])

    def _arcs(self) -> Iterator[Arc]:
        """Yield the arcs up to the arrow or the next item."""
        while self._skip() < len(self.text) and not self._ends():
            found = self._next(_ARC)
            if found is None:
                self._refuse("foreign-line", text=self._rest())
            yield _plain(found[1]), found[2] or "", self._number(found[3] or "1", found[4] or "")

    def _ends(self) -> bool:
        if self.text.startswith(("->", "<", ">"), self.at):
            return True
        return (_WORD if self.is_first else _ITEM).match(self.text, self.at) is not None

    def _both_sides(self) -> tuple[list[Arc], list[Arc]]:
        """Return the arcs before the arrow and those after it."""
        before, arrow = list(self._arcs()), self._next(_ARROW)
        if before and arrow is None:
            self._refuse("foreign-line", text=self._rest() or before[0][0])
        return before, list(self._arcs()) if arrow is not None else []

    def _named(self, key: str) -> Place:
        if key not in self.places:
            self.places[key] = Place(self.foreign.names.give("place", key))
        return self.places[key]

    def _number(self, text: str, letter: str = "") -> int:
        if len(text) > 10 or int(text) * _FACTORS[letter] > LARGEST_NUMBER:
            self._refuse("foreign-number", text=f"{text[:40]}{letter}", most=LARGEST_NUMBER)
        return int(text) * _FACTORS[letter]

    def _rest(self) -> str:
        return self.text[self.at : self.at + 80].partition("\n")[0]

    def _span(self) -> Span:
        if self.at < self.line_at:
            self.line, self.line_at = 1, 0
        self.line += self.text.count("\n", self.line_at, self.at)
        self.line_at = self.at
        return self.foreign.span(self.line)

    def _refuse(self, identifier: str, **values: str | int) -> NoReturn:
        shown = {name: value[:80] if isinstance(value, str) else value for name, value in values.items()}
        self.foreign.refuse(identifier, self._span(), **shown)


def _plain(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith("{") else name
