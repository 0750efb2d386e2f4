"""TINA's textual nets (.net): place/transition nets and time Petri nets, with read, inhibitor and counted arcs.

Intervals have no probabilities. A time between two bounds is uniform here, an open one exponential from its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NoReturn

from petri.interchange.coloured import black, lacks, times
from petri.interchange.foreign import Foreign, Place, Transition
from petri.interchange.infix import as_real, number_text
from petri.interchange.pnml_graph import LARGEST_NUMBER, UNTIMED

_NAME: Final = r"(?:\{(?:[^{}\\]|\\.)*\}|[A-Za-z_][\w']*)"
_HEAD: Final = re.compile(rf"(tr|pl)\s+({_NAME})\s*(?::\s*({_NAME}|\S+)\s*)?")
_INTERVAL: Final = re.compile(r"([\[\]])\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?|w)\s*([\[\]])\s*")
_MARKING: Final = re.compile(r"\(\s*(\d+)\s*([KM]?)\s*\)\s*")
_ARC: Final = re.compile(rf"({_NAME})(?:(\*|\?-|\?)(\d+))?(?=\s|$)\s*")
_FACTORS: Final = {"": 1, "K": 1_000, "M": 1_000_000}


def read(foreign: Foreign, data: bytes) -> None:
    _Lines(foreign).read()


class _Lines:
    def __init__(self, foreign: Foreign) -> None:
        self.foreign = foreign
        self.places: dict[str, Place] = {}
        self.transitions: dict[str, Transition] = {}
        self.untimed = 0
        self.guessed = 0  # the first line with an interval
        self.line = 0

    def read(self) -> None:
        for number, text in enumerate(self.foreign.source.splitlines(), 1):
            self.line, plain = number, text.strip()
            if not plain or plain.startswith("#"):
                self.foreign.comments += [plain[1:].strip()] if plain[1:].strip() else []
                continue
            word, _, rest = plain.partition(" ")
            if word == "net":
                self.foreign.call(_plain(rest.strip()))
            elif word in ("tr", "pl"):
                self._node(plain)
            elif word in ("nt", "an"):
                self.foreign.comments.append(rest.strip())
            elif word != "lb":
                self._refuse(
                    "foreign-construct", what="a line that begins with `pr`" if word == "pr" else f"`{word[:40]}`"
                )
        self._finish()

    def _finish(self) -> None:
        foreign = self.foreign
        foreign.places += self.places.values()
        foreign.transitions += self.transitions.values()
        if self.untimed:
            foreign.note("foreign-untimed", foreign.span(self.untimed), origin=foreign.origin)
        if self.guessed:
            foreign.warn("foreign-intervals", foreign.span(self.guessed))

    def _node(self, text: str) -> None:
        found = _HEAD.match(text)
        if found is None:
            self._refuse("foreign-line", text=text)
        key, rest = _plain(found[2]), text[found.end() :]
        if found[1] == "pl":
            self._place(key, rest)
        else:
            self._transition(key, rest)

    def _place(self, key: str, rest: str) -> None:
        place = self._named(key)
        marking = _MARKING.match(rest)
        if marking is not None:
            count = self._number(marking[1]) * _FACTORS[marking[2]]
            place.initial = black(count)
            rest = rest[marking.end() :]
        if rest.strip():
            self._refuse("foreign-construct", what="an arc of a place, on its line,")

    def _transition(self, key: str, rest: str) -> None:
        if key in self.transitions:
            self._refuse("foreign-twice", name=key)
        made = Transition(self.foreign.names.give("transition", key))
        self.transitions[key] = made
        interval = _INTERVAL.match(rest)
        made.clauses = self._time(*interval.groups()) if interval is not None else dict(UNTIMED)
        if interval is None:
            self.untimed = self.untimed or self.line
        before, arrow, after = rest[interval.end() if interval is not None else 0 :].partition("->")
        if not arrow and before.strip():
            self._refuse("foreign-line", text=rest)
        for place, sign, count in self._arcs(before):
            made.inputs.append(_input(place, sign, count))
        for place, sign, count in self._arcs(after):
            if sign.startswith("?"):
                self._refuse("foreign-arc-kind", kind=sign)
            made.outputs.append(times(count, place))

    def _time(self, opening: str, low: str, high: str, closing: str) -> dict[str, str]:
        low, high = number_text(low), number_text(high) if high != "w" else high
        if low == high and (opening, closing) == ("[", "]"):
            return {} if float(low) == 0 else {"after": low}
        self.guessed = self.guessed or self.line
        if high == "w":
            return {"after": "exp(1)" if float(low) == 0 else f"{low} + exp(1)"}
        if float(high) <= float(low):
            self._refuse("foreign-line", text=f"{opening}{low},{high}{closing}")
        return {"after": f"uniform({as_real(low)}..{as_real(high)})"}

    def _arcs(self, text: str) -> Iterator[tuple[str, str, int]]:
        end, text = 0, text.strip()
        while end < len(text):
            found = _ARC.match(text, end)
            if found is None:
                self._refuse("foreign-line", text=text[end:])
            yield self._named(_plain(found[1])).name, found[2] or "", self._number(found[3] or "1")
            end = found.end()

    def _named(self, key: str) -> Place:
        if key not in self.places:
            self.places[key] = Place(self.foreign.names.give("place", key))
        return self.places[key]

    def _number(self, text: str) -> int:
        if len(text) > 10 or int(text) > LARGEST_NUMBER:
            self._refuse("foreign-number", text=text[:40], most=LARGEST_NUMBER)
        return int(text)

    def _refuse(self, identifier: str, **values: str | int) -> NoReturn:
        shown = {name: value[:80] if isinstance(value, str) else value for name, value in values.items()}
        self.foreign.refuse(identifier, self.foreign.span(self.line), **shown)


def _plain(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith("{") else name


def _input(place: str, sign: str, count: int) -> str:
    if sign == "?-":
        return lacks(place, count)
    return f"read {times(count, place)}" if sign == "?" else times(count, place)
