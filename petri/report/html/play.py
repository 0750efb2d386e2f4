"""The token game: one HTML file that shows a recorded run token by token, offline.

The page contains the trace, compressed, and a script that repeats it. Texts of the net are data: the script puts them
into the page as text only, and the page's policy lets nothing else run.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any, Final

from petri.engine.candidates import guard_parts
from petri.engine.lets import in_traces
from petri.measure.figures import field_dimension
from petri.net import InputArc, Let, Measure, Net, Place, Scalar, Term, Transition, split_unit
from petri.report.html.markup import Content, Markup, content, data, tag
from petri.report.html.page import asset, policy
from petri.report.html.palette import style_variables
from petri.report.picture import Diagram, diagram, layout, svg, views
from petri.report.picture.diagram import TRANSITION
from petri.report.picture.folding import starred
from petri.report.picture.modules import MODULE, path_of
from petri.report.picture.sizes import core_size
from petri.report.picture.svg import quoted
from petri.report.telling.expressions import ExpressionText, seen
from petri.report.telling.quantities import Units
from petri.run.clock_recording import OPEN, ClockSpan
from petri.run.game import Game
from petri.run.recording import Recording
from petri.run.walk import Enabled
from petri.structs import Frozen, as_dict
from petri.ticks import time_power
from petri.version import VERSION

LARGEST: Final = 3_000  # places and transitions
SCRIPTS: Final = ("play_values.js", "elements.js", "play_measures.js", "play.js")
LARGEST_SOURCE: Final = 200_000  # characters of one file that the page shows
_EXACT: Final = 2**53
_DIMENSIONS: Final = ("Time", "Bytes", "Rate", "Freq")
_LIVE: Final = (
    "<style>:host{display:block}svg{width:100%;height:auto;display:block}.paper{fill:none}"
    ".clock{fill:var(--sheet);stroke:var(--accent);stroke-width:1.2}.hand{fill:var(--accent)}"
    ".lit .timed,.lit .immediate,.lit .place,.lit .module{stroke:var(--s1);stroke-width:3}"
    ".picked .timed,.picked .immediate,.picked .place,.picked .module{stroke:var(--accent);stroke-width:3}"
    ".can .timed,.can .immediate{stroke:var(--pass);stroke-width:3}g.node:focus-visible{outline:none}</style>"
)
_KEYS: Final = (
    ("→ ←", "step"),
    ("space", "play"),
    ("Page ↓ ↑", "100 events"),
    ("n p", "pick the next part"),
    ("Esc", "let go"),
)


def token_game(net: Net, sources: Mapping[str, str], recording: Recording, run: str) -> str:
    """Return the page. `run` says which run it is."""
    whole = diagram(net, sources=sources)
    whole = replace(whole, nodes=tuple(replace(node, tokens=0) for node in whole.nodes))
    drawn = views(whole)
    described = _net(net, sources, recording)
    described["views"] = [_view(net, whole, path, one) for path, one in drawn]
    packed = base64.b64encode(gzip.compress(_json(described).encode(), 9, mtime=0)).decode()
    script = "".join(map(asset, SCRIPTS))
    doc = " ".join(net.doc.split()).partition(". ")[0]
    body = content(
        tag("header", tag("h1", net.name), tag("p", doc), tag("p", run)),
        _controls(recording),
        tag("main", _drawings(drawn), _panels()),
        tag(
            "footer",
            [(tag("kbd", key), f" {what}  ") for key, what in _KEYS],
            tag("p", f"Made by pnsim {VERSION}; loads nothing."),
        ),
        tag("noscript", tag("p", "The token game needs JavaScript.")),
        data("trace", packed),
        tag("script", Markup(script)),
    )
    head = content(
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy([script])),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{net.name} – token game"),
        tag("style", Markup(style_variables() + asset("play.css"))),
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def played(game: Game, ended: str) -> str:
    """Return for the page what has been played: a trace, what could have fired, and the branches that were left.

    ended: why nothing can fire any more; "" if something can.
    """
    could = [[(one.transition, _bound(game.net, one), one.waits) for one in each] for each in game.could]
    branches = [(one.parted(game.branch), len(one.firings)) for one in game.branches]
    return _json(_trace(game.recording()) | {"could": could, "branches": branches, "ended": ended})


def _bound(net: Net, enabled: Enabled) -> list[Scalar | None]:
    """Return the variables of a binding; None for those that are drawn or computed when it fires."""
    arcs = net.transitions[enabled.transition].inputs
    bound = {match.bind for arc in arcs for match in arc.pattern}
    return [value if number in bound else None for number, value in enumerate(enabled.variables)]


# ---------------------------------------------------------------- the parts of the page


def _controls(recording: Recording) -> Markup:
    buttons = (("first", "|◀", "To the start"), ("back", "◀", "One event back"), ("play", "Play", "Play or pause"),
               ("step", "▶", "One event on"), ("last", "▶|", "To the end"))  # fmt: skip
    rates = [("event 2", "2 events/s"), ("event 10", "10 events/s"), ("event 100", "100 events/s")]
    spans = ((10, "whole run in 10 s"), (60, "whole run in a minute"), (600, "whole run in 10 min"))
    rates += [(f"time {recording.until / seconds!r}", text) for seconds, text in spans if recording.until]
    options = [tag("option", text, value=value) for value, text in rates]
    return tag(
        "section",
        tag(
            "div",
            [tag("button", sign, id=name, type="button", title=text, aria_label=text) for name, sign, text in buttons],
            tag("select", options, id="speed", aria_label="Speed"),
            tag(
                "input",
                type="text",
                id="break",
                list="conditions",
                placeholder="stop at: PLACE >= 8, TRANSITION, …",
                title="A condition such as queue >= 8, serve, enabled serve, count(serve) >= 9, t >= 3 us, or one on a "
                "measure. Enter goes to where it holds next; Play stops there.",
                aria_label="Stop at a condition",
            ),
            tag("datalist", id="conditions"),
            class_="row",
        ),
        tag(
            "div",
            tag("span", id="clock"),
            tag("span", id="count", class_="soft"),
            tag("span", id="event"),
            class_="row",
        ),
        tag("div", tag("span", id="spark-name", class_="spark"), tag("canvas", id="spark", aria_hidden="true")),
        tag("input", type="range", id="slider", min=0, max=1, value=0, aria_label="Position in the run"),
        id="time",
    )


def _drawings(drawn: Sequence[tuple[tuple[str, ...], Diagram]]) -> Markup:
    sheets = []
    for number, (_, one) in enumerate(drawn):
        text = svg(one, layout(one))
        width = re.search(r'width="(\d+)"', text)
        inside = Markup('<template shadowrootmode="open">' + text + _LIVE + "</template>")
        style = f"--width:{width[1] if width else 800}"
        sheets.append(tag("div", inside, id=f"view-{number}", class_="sheet", style=style, hidden=number > 0))
    return tag("section", tag("div", id="crumbs", class_="row"), sheets, id="net", aria_label="The net")


def _panels() -> Markup:
    parts: list[Content] = [tag("section", id=name) for name in ("fire", "pick", "held", "source")]
    return tag("aside", parts)


# ---------------------------------------------------------------- data for the script


def _net(net: Net, sources: Mapping[str, str], recording: Recording) -> dict[str, Any]:
    words = ExpressionText(net, sources)
    spans = [place.span for place in net.places] + [transition.span for transition in net.transitions]
    files = {span.file for span in spans if span is not None and len(sources.get(span.file, "")) <= LARGEST_SOURCE}
    return {
        "name": net.name,
        "units": _units(net),
        "places": [_place(place, words) for place in net.places],
        "transitions": [_transition(net, transition, words) for transition in net.transitions],
        "tick": float(net.tick.length),
        "probes": net.probes,
        "measures": [one for measure in net.measures for one in _measures(net, measure)],
        "sources": {file: sources[file] for file in sorted(files) if file in sources},
    } | _trace(recording)


def _trace(recording: Recording) -> dict[str, Any]:
    return {
        "until": recording.until,
        "rows": _rows(recording),
        "initial": recording.rows.initial,
        "events": recording.rows.events,
        "changes": _changes(recording),
        "clocks": [_clock(span) for span in recording.clocks.spans],
        "paces": {f"{number}": paces for number, paces in recording.clocks.paces.items()},
        "verdicts": recording.verdicts,
    }


def _units(net: Net) -> dict[str, Any]:
    """Return for each dimension the factor from what the engine keeps to the basic unit, and the units to choose
    from.
    """
    units = Units.of(net)
    found = {}
    for dimension in _DIMENSIONS:
        factor, known = units.units_of(dimension)
        power = time_power(dimension)
        found[dimension] = {"factor": factor * float(net.tick.length**power), "units": known}
    return found


def _measures(net: Net, measure: Measure) -> Iterator[dict[str, Any]]:
    """Yield a measure by its formula, and the other fields that it records."""
    terms = {measure.name: (measure.dimension, measure.formula)}
    for field in measure.record if measure.probe is not None else ():
        dimension = field_dimension(measure.dimension, field)
        terms[f"{measure.name}.{field}"] = (dimension, Term(measure.formula.op, (), (measure.probe or 0, field)))
    units = Units.of(net)
    for name, (dimension, term) in terms.items():
        factor, known = units.units_of(split_unit(dimension)[0])
        yield {"name": name, "term": term, "factor": factor, "units": known}


def _place(place: Place, words: ExpressionText) -> dict[str, Any]:
    parts = _parts(place, "name", "doc", "discipline", "capacity", "span")
    return parts | {"slots": place.colour.slots, "room": words.capacity(place)}


def _transition(net: Net, one: Transition, words: ExpressionText) -> dict[str, Any]:
    words = words.element(one)
    parts = _parts(one, "name", "doc", "variables", "inputs", "inhibitors", "outputs", "priority", "span")
    fewer = [words.of(arc.threshold, one.variables) if arc.threshold else 1 for arc in one.inhibitors]
    return parts | {
        "races": one.clock is not None,
        "input_texts": [_input_text(net, arc, one, words) for arc in one.inputs],
        "inhibitor_texts": [
            f"fewer than {count} in {net.places[arc.place].name}"
            for count, arc in zip(fewer, one.inhibitors, strict=True)
        ],
        "lets": [_let(let) for let in in_traces(one)],
        "guards": [{"e": part, "text": words.of(part, one.variables)} for part in guard_parts(one)],
    }


def _let(let: Let) -> dict[str, Any]:
    return _parts(let, "name", "labels", "dimension") | {"e": let.expression}


def _input_text(net: Net, arc: InputArc, one: Transition, words: ExpressionText) -> str:
    pattern = words.token(arc, one).removeprefix(seen(arc))
    place = net.places[arc.place]
    return (
        seen(arc)
        + place.name
        + (f"({pattern})" if pattern and place.colour.slots else f" × {pattern}" if pattern else "")
    )


def _parts(of: Frozen, *names: str) -> dict[str, Any]:
    return {name: getattr(of, name) for name in names}


def _rows(recording: Recording) -> list[Scalar]:
    """Return one number after the other: transition, time since the start before, duration, variables, takes, gives."""
    rows: list[Scalar] = []
    before = 0.0
    for happening in recording.happenings:
        rows += [happening.transition, happening.start - before, happening.end - happening.start]
        rows += happening.variables if happening.transition >= 0 else []
        before = happening.start
        rows.append(len(happening.taken))
        for place, seat in happening.taken:
            rows += [place, seat]
        merged: list[tuple[int, int, Sequence[Scalar]]] = []
        for place, tokens in happening.given:
            merged += [(place, 1, token) for token in tokens] if tokens[0] else [(place, len(tokens), ())]
        rows.append(len(merged))
        for place, count, token in merged:
            rows += [place, count, *token]
    return rows


def _changes(recording: Recording) -> list[int]:
    """Return one number after the other: for each event how many places change, each with its tokens or its runs."""
    found: list[int] = []
    for changes in recording.rows.changes:
        found.append(len(changes))
        for place, after in changes:
            found += [place, after] if isinstance(after, int) else [place, len(after), *chain(*after)]
    return found


def _clock(span: ClockSpan) -> dict[str, Any]:
    return {
        "t": span.transition,
        "tokens": span.tokens,
        "time": span.time,
        "changes": span.changes,
        "over": None if span.over == OPEN else span.over,
        "fired": span.fired,
    }


def _json(value: Any) -> str:
    return json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """Parts of a net as dicts and lists. JavaScript would round an int beyond 2^53, which therefore is a text."""
    if isinstance(value, Frozen):
        value = as_dict(value)
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    return str(value) if isinstance(value, int) and abs(value) >= _EXACT else value


def _view(net: Net, whole: Diagram, path: tuple[str, ...], drawn: Diagram) -> dict[str, Any]:
    """Return where the nodes of one drawing are, and which node stands for each place and each transition."""
    placed = layout(drawn)
    shown = {node.name for node in drawn.nodes}
    boxes = {node.name: node.box for node in whole.nodes}
    find = _finder(tuple(boxes))

    def node_of(name: str) -> str | None:
        node = find(name)
        if node in shown:
            return quoted(node)
        modules = (".".join(boxes[node][:depth]) + MODULE for depth in range(1, len(boxes[node]) + 1))
        return next((quoted(module) for module in modules if module in shown), None)

    return {
        "path": path,
        "nodes": {quoted(one.name): [*placed.nodes[one.name], one.kind, *core_size(one)] for one in drawn.nodes},
        "place": [node_of(place.name) for place in net.places],
        "transition": [node_of(transition.name + TRANSITION) for transition in net.transitions],
        "modules": {quoted(one.name): ".".join(path_of(one)) for one in drawn.nodes if one.kind == "module"},
    }


def _finder(nodes: tuple[str, ...]) -> Any:
    """Return which node stands for a name, where elements of an array are drawn as one."""
    known = set(nodes)
    patterns = [
        (name, re.compile(re.escape(name).replace(r"\[\*\]", r"\[\d+\]") + "$")) for name in nodes if "[*]" in name
    ]
    by_star: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for name, pattern in patterns:
        by_star.setdefault(starred(name), []).append((name, pattern))

    @cache
    def find(name: str) -> str:
        if name in known:
            return name
        return next(node for node, pattern in by_star[starred(name)] if pattern.match(name))

    return find
