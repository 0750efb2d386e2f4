"""Traces as event logs in XES (IEEE 1849), which tools of process mining read.

A replication is a case (`trace` in XES), a firing an event. One unit of the net's time is a second of the log, from
1970 on, whatever the unit is, so that no digit is lost to the format's microseconds; the net's own times are beside.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import BinaryIO, Final
from xml.sax.saxutils import quoteattr

from petri.engine.firings import Firings, TracedFiring
from petri.net import Let, Net, Scalar, Variable
from petri.trace.rows import TextWriter, shown, told
from petri.visible import visible

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST: Final = 250_000_000_000.0  # seconds, at which the years have four digits
_HEAD: Final = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1849-2016" xes.features="" xmlns="http://www.xes-standard.org/">
 <extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
 <extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
 <classifier name="Transition" keys="concept:name"/>
"""


class EventLogWriter(TextWriter):
    """Events have `concept:name` (the transition), `start_timestamp` and `time:timestamp` (its end), `start` and `end`
    in the net's unit, and what the firing has bound. After the year 9999 they have no timestamps."""

    def __init__(self, net: Net, file: BinaryIO) -> None:
        super().__init__(file)
        self._net = net
        self._case: int | None = None
        self._text.write(f"{_HEAD}{_string(' ', 'concept:name', net.name)}")

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        found = Firings.of(self._net, firings)
        if replication != self._case:
            self._end_case()
            self._case = replication
            self._text.write(f" <trace>\n{_string('  ', 'concept:name', str(replication))}")
        bindings: list[list[str]] = [[] for _ in range(len(found))]
        for transition, rows in found.by_transition():
            named = told(self._net.transitions[transition])
            if not named:
                continue
            columns = [*found.variables(transition, rows), *found.lets(transition, rows)]
            for row, values in zip(rows.tolist(), zip(*columns, strict=True), strict=True):
                pairs = zip(named, values, strict=True)
                bindings[row] = [_value(one, value) for one, value in pairs if value is not None]
        names = [_string("   ", "concept:name", one.name) for one in self._net.transitions]
        columns_ = zip(found.starts.tolist(), found.ends.tolist(), found.transitions.tolist(), bindings, strict=True)
        for start, end, transition, binding in columns_:
            times = [*_date("start_timestamp", start), *_date("time:timestamp", end)]
            exact = (_attribute("float", "start", repr(start)), _attribute("float", "end", repr(end)))
            self._text.write("".join(["  <event>\n", names[transition], *times, *exact, *binding, "  </event>\n"]))

    def close(self) -> None:
        self._end_case()
        self._text.write("</log>\n")
        super().close()

    def _end_case(self) -> None:
        if self._case is not None:
            self._text.write(" </trace>\n")
            self._case = None


def _value(named: Variable | Let, value: Scalar) -> str:
    if named.labels:
        return _string("   ", named.name, shown(named, value))
    return _attribute("int" if named.kind == "int" else "float", named.name, repr(value))


def _date(key: str, time: float) -> list[str]:
    if not 0 <= time <= _LATEST:
        return []
    return [_attribute("date", key, (_EPOCH + timedelta(seconds=time)).isoformat(timespec="microseconds"))]


def _attribute(kind: str, key: str, value: str) -> str:
    return f"   <{kind} key={quoteattr(key)} value={quoteattr(value)}/>\n"


def _string(indent: str, key: str, value: str) -> str:
    return f"{indent}<string key={quoteattr(key)} value={quoteattr(visible(value))}/>\n"
