"""Waves: a Value Change Dump (IEEE 1364-2005, 18) of tokens in places and firings in progress."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, Final

from petri.engine.firings import TracedFiring
from petri.net import Net, lasts
from petri.trace.replay import Moved, Replay
from petri.trace.rows import TextWriter
from petri.version import VERSION

FINER: Final = 3  # decimal places of model time in the net's unit
_UNITS: Final = {0: "s", -3: "ms", -6: "us", -9: "ns", -12: "ps", -15: "fs"}
_FIRST, _LAST = 33, 126  # printable ASCII, used for identifiers
PLAIN_UNIT: Final = 1e-6  # seconds shown for a unit of a net without time unit


class WaveWriter(TextWriter):
    """Writes replication 0. A place is an integer; a transition is the number of its firings in progress, or an event
    if it takes no time. If a value changes more than once at an instant, the last value is shown."""

    def __init__(self, net: Net, file: BinaryIO, until: float = math.inf) -> None:
        super().__init__(file)
        self._net = net
        self._until = until
        exponent, self._steps = timescale(net)
        self._replay = Replay(net, self)
        self._progress = [0] * len(net.transitions)
        self._events = [not lasts(transition) for transition in net.transitions]
        identifiers = identifier_codes()
        self._place_codes = [next(identifiers) for _ in net.places]
        self._transition_codes = [next(identifiers) for _ in net.transitions]
        self._now = 0
        self._places: set[int] = set()
        self._transitions: set[int] = set()
        self._header(exponent)

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        if replication == 0:
            for firing in firings:
                self._replay.start(firing)

    def close(self) -> None:
        if math.isfinite(self._until):
            until = self._net.tick.ticks(self._until)
            self._replay.advance(until)
            self.reached(until)
        else:
            self._replay.advance(math.inf)
        self._flush()
        super().close()

    # ------------------------------------------------------------ what happens

    def started(self, firing: TracedFiring, taken: Sequence[Moved], given: Sequence[Moved]) -> None:
        for moved in taken:
            self._places.add(moved.place)
        self._transitions.add(firing.transition)
        self._progress[firing.transition] += 1

    def ended(self, firing: TracedFiring, given: Sequence[Moved], now: float) -> None:
        for moved in given:
            self._places.add(moved.place)
        self._progress[firing.transition] -= 1
        self._transitions.add(firing.transition)

    def arrived(self, moved: Moved) -> None:
        self._places.add(moved.place)

    def reached(self, now: float) -> None:
        step = round(self._net.tick.time(now) * self._steps)
        if step != self._now:
            self._flush()
            self._now = step
            self._text.write(f"#{step}\n")

    def _flush(self) -> None:
        tokens, codes = self._replay.tokens, self._place_codes
        lines = [f"b{max(tokens[place], 0):b} {codes[place]}\n" for place in sorted(self._places)]
        for transition in sorted(self._transitions):
            code = self._transition_codes[transition]
            lines.append(f"1{code}\n" if self._events[transition] else f"b{self._progress[transition]:b} {code}\n")
        self._text.write("".join(lines))
        self._places.clear()
        self._transitions.clear()

    # ------------------------------------------------------------ the header

    def _header(self, exponent: int) -> None:
        net, write = self._net, self._text.write
        unit = f"times in {net.time_unit}" if net.seconds is not None else "1 time unit is shown as 1 us"
        write(f"$version pnsim {VERSION} $end\n$comment net {word(net.name)}, replication 0, {unit} $end\n")
        step = 3 * math.floor(exponent / 3)
        write(f"$timescale {10 ** (exponent - step)} {_UNITS[step]} $end\n$scope module {word(net.name)} $end\n")
        kinds = ["event" if event else "integer" for event in self._events]
        for title, names, codes, types in (
            ("places", [place.name for place in net.places], self._place_codes, ["integer"] * len(net.places)),
            ("transitions", [one.name for one in net.transitions], self._transition_codes, kinds),
        ):
            write(f"$scope module {title} $end\n")
            self._variables(names, codes, types)
            write("$upscope $end\n")
        write("$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n")
        for place, code in enumerate(self._place_codes):
            write(f"b{self._replay.tokens[place]:b} {code}\n")
        for transition, code in enumerate(self._transition_codes):
            if not self._events[transition]:
                write(f"b0 {code}\n")
        write("$end\n")

    def _variables(self, names: Sequence[str], codes: Sequence[str], types: Sequence[str]) -> None:
        """Open a scope for each part of a dotted name except the last; names with the same parts are together."""
        write = self._text.write
        open_scopes: list[str] = []
        for name, code, kind in sorted(zip(names, codes, types, strict=True), key=lambda one: one[0].split(".")):
            *scopes, last = [word(part) for part in name.split(".")]
            common = 0
            while common < min(len(scopes), len(open_scopes)) and scopes[common] == open_scopes[common]:
                common += 1
            write("$upscope $end\n" * (len(open_scopes) - common))
            write("".join(f"$scope module {scope} $end\n" for scope in scopes[common:]))
            open_scopes = scopes
            size = 1 if kind == "event" else 32
            # Without a range after it, a reader would interpret the index of an array as a bit of the variable.
            bits = " [31:0]" if last.endswith("]") and kind != "event" else ""
            write(f"$var {kind} {size} {code} {last}{bits} $end\n")
        write("$upscope $end\n" * len(open_scopes))


def timescale(net: Net) -> tuple[int, float]:
    """Return the decimal exponent of a step of the file in seconds, and steps per unit of model time."""
    seconds = PLAIN_UNIT if net.seconds is None else net.seconds
    exponent = min(max(math.floor(math.log10(seconds) + 1e-9) - FINER, -15), 0)
    return exponent, seconds / 10.0**exponent


def identifier_codes() -> Iterator[str]:
    """Short codes of printable characters: !, ", … ~, !!, "!, …"""
    base = _LAST - _FIRST + 1
    number = 0
    while True:
        code, rest = "", number
        while True:
            code += chr(_FIRST + rest % base)
            rest = rest // base - 1
            if rest < 0:
                break
        yield code
        number += 1


def word(name: str) -> str:
    """Return a name without blanks, which would end it, and different from every keyword."""
    text = "".join(c if c.isprintable() and not c.isspace() else "_" for c in name) or "_"
    return f"_{text}" if text.startswith("$") else text
