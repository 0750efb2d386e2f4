"""Nets as PNML and as GreatSPN projects."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from petri.diagnostics import Diagnostic
from petri.interchange.out.plain import Plain, PlainTransition, limit, rate_text
from petri.interchange.reading.names import Names
from petri.net import constant_weight

_INHIBITOR = '<type value="inhibitor"/><arctype><text>inhibitor</text></arctype>'  # as TINA and as pm4py write it
_PNML = "http://www.pnml.org/version-2009/grammar/"


def pnml(net: Plain) -> tuple[str, list[Diagnostic]]:
    """Return a place/transition net; times, priorities and weights are left out, which is a warning."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<pnml xmlns="{_PNML}pnml">']
    lines += [f' <net id={_key("n", net.net.name)} type="{_PNML}ptnet">', '  <page id="page">']
    for number, place in enumerate(net.net.places):
        lines.append(f'   <place id="p{number}">{_named(place.name)}{_text("initialMarking", place.held, 0)}</place>')
    arcs: list[str] = []
    for number, transition in enumerate(net.transitions):
        lines.append(f'   <transition id="t{number}">{_named(transition.name)}</transition>')
        limit(net, transition)
        if transition.guard is not None:
            net.refuse("a guard", transition.of.span)
        into, out = dict(transition.inputs), dict(transition.outputs)
        _read_as_taken(transition, into, out)
        arcs += [_arc(len(arcs) + at, f"p{p}", f"t{number}", c) for at, (p, c) in enumerate(into.items())]
        arcs += [_arc(len(arcs) + at, f"t{number}", f"p{p}", c) for at, (p, c) in enumerate(out.items())]
        lacking = transition.inhibitors.items()
        arcs += [_arc(len(arcs) + at, f"p{p}", f"t{number}", c, _INHIBITOR) for at, (p, c) in enumerate(lacking)]
    lost = [one.name for one in net.transitions if _is_timed(one)]
    found = [Diagnostic("export-times", values={"names": lost}, severity="warning")] if lost else []
    return "\n".join([*lines, *arcs, "  </page>", " </net>", "</pnml>"]) + "\n", found + _reads(net, "PNML")


def _read_as_taken(transition: PlainTransition, into: dict[int, int], out: dict[int, int]) -> None:
    """Read a place by taking from it and giving back."""
    for place, count in transition.reads.items():
        into[place] = into.get(place, 0) + count
        out[place] = out.get(place, 0) + count


def _reads(net: Plain, format: str) -> list[Diagnostic]:
    """Return a note on places that transitions read, if there are any."""
    read = sorted({place for transition in net.transitions for place in transition.reads})
    names = [net.net.places[place].name for place in read]
    return [Diagnostic("export-reads", values={"format": format, "names": names}, severity="note")] if names else []


def _is_timed(transition: PlainTransition) -> bool:
    return (transition.kind, transition.time.value, transition.servers) != ("exponential", 1.0, 1)


def _key(kind: str, name: str) -> str:
    return quoteattr(name or kind)


def _named(name: str) -> str:
    return f"<name><text>{_escaped(name)}</text></name>"


def _escaped(text: str) -> str:
    return quoteattr(text)[1:-1]


def _text(tag: str, count: int, missing: int) -> str:
    return "" if count == missing else f"<{tag}><text>{count}</text></{tag}>"


def _arc(number: int, source: str, target: str, count: int, kind: str = "") -> str:
    return f'   <arc id="a{number}" source="{source}" target="{target}">{kind}{_text("inscription", count, 1)}</arc>'


def pnpro(net: Plain) -> tuple[str, list[Diagnostic]]:
    """Return a GSPN or a DSPN, in a grid: the first column has the places."""
    name, names = quoteattr(net.net.name), Names()
    lines = ['<?xml version="1.0" encoding="UTF-8" standalone="no"?>', f'<project name={name} version="121">']
    lines += [f" <gspn name={name}>", "  <nodes>"]
    for number, place in enumerate(net.net.places):
        marking = f' marking="{place.held}"' if place.held else ""
        title = quoteattr(names.give("place", number, place.name))
        lines.append(f'   <place name={title}{marking} x="2.0" y="{3 * number + 2}.0"/>')
    edges: list[str] = []
    immediate = [one.of.priority for one in net.transitions if one.kind == "immediate"]
    raised = max(0, 1 - min(immediate, default=1))  # GreatSPN's priorities begin at 1
    for number, transition in enumerate(net.transitions):
        title = quoteattr(names.give("transition", number, transition.name))
        lines.append(
            f'   <transition name={title} {_timing(net, transition, raised)} x="20.0" y="{3 * number + 2}.0"/>'
        )
        edges += _edges(net, transition, title, names)
    return "\n".join(
        [*lines, "  </nodes>", "  <edges>", *edges, "  </edges>", " </gspn>", "</project>"]
    ) + "\n", _reads(net, "GreatSPN")


def _timing(net: Plain, transition: PlainTransition, raised: int) -> str:
    if transition.guard is not None:
        net.refuse("a guard that depends on the marking", transition.guard.span or transition.of.span)
    if transition.kind == "immediate":
        if (share := constant_weight(transition.of)) is None:
            net.refuse("a weight that depends on the marking", transition.of.weight.span or transition.of.span)
        weight = "" if share == 1.0 else f' weight="{share!r}"'
        return f'type="IMM" priority="{transition.of.priority + raised}"{weight}'
    if transition.of.priority or constant_weight(transition.of) != 1.0:
        net.refuse("a priority or a weight of a transition with a time", transition.of.span)
    if transition.time.op != "const":
        net.refuse("a time that depends on the marking", transition.time.span or transition.of.span)
    value = float(transition.time.value or 0)
    servers = "Infinite" if transition.servers is None else str(transition.servers)
    if transition.kind == "constant":
        return f'type="GEN" delay="I[{_number(value)}]" nservers="{servers}"'
    return f'type="EXP" delay="{rate_text(value)}" nservers="{servers}"'


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _edges(net: Plain, transition: PlainTransition, title: str, names: Names) -> Iterator[str]:
    into, out = dict(transition.inputs), dict(transition.outputs)
    limit(net, transition)
    _read_as_taken(transition, into, out)
    for kind, arcs in (("INPUT", into), ("INHIBITOR", transition.inhibitors), ("OUTPUT", out)):
        for place, count in arcs.items():
            ends = quoteattr(names.give("place", place)), title
            tail, head = ends if kind != "OUTPUT" else ends[::-1]
            mult = "" if count == 1 else f' mult="{count}"'
            yield f'   <arc kind="{kind}" tail={tail} head={head}{mult}/>'
