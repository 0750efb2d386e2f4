"""What makes a figure doubtful that was computed without an error, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from petri.diagnostics import Diagnostic
from petri.measure.observation import Snapshot
from petri.measure.reorder import FLOWS, WINDOW
from petri.measure.windows import Windows
from petri.net import Measure, Net, Order, Term


def remarks(net: Net, measure: Measure, windows: Windows) -> tuple[str, ...]:
    """Return the remarks on a measure, over all replications together."""
    probes = {} if measure.probe is None else {measure.probe: None}
    probes |= dict.fromkeys(_probes(measure.formula))
    found = (one for probe in probes for one in _of_probe(net, probe, windows))
    return tuple(dict.fromkeys(one.message for one in found))


def _probes(term: Term) -> Iterator[int]:
    if term.op == "order" and isinstance(term.value, tuple):
        yield term.value[0]
    for argument in term.args:
        yield from _probes(argument)


def _of_probe(net: Net, probe: int, windows: Windows) -> Iterable[Diagnostic]:
    order = net.probes[probe]
    return _of_order(order, windows.snapshots(probe)) if isinstance(order, Order) else ()


def _of_order(order: Order, snapshots: Sequence[Snapshot]) -> Iterator[Diagnostic]:
    """Packets that are in few of its figures, flows that are forgotten, and numbers that seem to wrap around."""

    def count(name: str) -> int:
        return sum(int(snapshot[name]) for snapshot in snapshots)

    packets = count("packets")
    if forgotten := count("forgotten"):
        yield _remark("order-forgotten", count=forgotten, limit=FLOWS)
    if late := count("beyond_window"):
        yield _remark("order-beyond-window", count=late, packets=packets, limit=WINDOW)
    if order.modulo is not None:
        if count("wraps"):
            yield _remark("order-wraps-earlier", modulo=order.modulo)
    elif count("wraps"):
        yield _remark("order-wraps")
    elif 2 * count("duplicates") > packets:
        yield _remark("order-copies", count=count("duplicates"), packets=packets)


def _remark(identifier: str, **values: int) -> Diagnostic:
    return Diagnostic(identifier, values=values, severity="warning")
