"""CPN Tools (.cpn): timed coloured nets with pages, ports and fusion sets."""

from __future__ import annotations

import re
from typing import Final

from petri.interchange.cpn_tools.declared import Declared
from petri.interchange.cpn_tools.terms import Colour, Scope, items
from petri.interchange.cpn_tools.transition import Socket, Step, label
from petri.interchange.reading.foreign import Foreign, Place
from petri.interchange.reading.infix import value_of
from petri.interchange.reading.tokens import InfixError
from petri.interchange.reading.xml_tree import Element, report_unread, tree_of

_SKIPPED = (
    "posattr", "fillattr", "lineattr", "textattr", "ellipse", "box", "bendpoint", "arrowattr", "token", "marking",
    "snap", "hguideline", "vguideline", "layout", "binders", "IndexNode", "style", "options", "label", "flags",
    "layering", "regattr", "connattr", "winattr", "modeattr", "mult", "line", "group", "constraints", "aux-conn",
    "aux-std", "generator", "instances", "binding", "structure", "port", "subpageinfo", "fusion", "declare",
)  # fmt: skip
_EYE: Final = "id|tool|version|explicit|order|format"
_MOST_NODES: Final = 20_000  # of all instances of pages


def read(foreign: Foreign, data: bytes) -> None:
    root = tree_of(data, foreign.file, foreign.source, _SKIPPED)
    net = root if root.tag == "cpnet" else root.first("cpnet")
    if net is None:
        foreign.refuse("foreign-no-net")
    _Net(foreign, net).read()
    foreign.comments += root.comments().splitlines()
    report_unread(foreign, root, _EYE)


class _Net:
    def __init__(self, foreign: Foreign, net: Element) -> None:
        self.foreign, self.net = foreign, net
        self.declared = Declared(foreign, net)
        self.pages = {page.get("id"): page for page in net.all("page")}
        self.fusions: dict[str, Socket] = {}
        self.steps: list[Step] = []
        self.repeated: set[str] = set()  # pages with several instances
        self.seen: set[str] = set()  # pages with an instance
        self.count = 0

    def read(self) -> None:
        self.declared.read()
        subs = [one.get("subpage") for one in self.net.everywhere("subst")]
        self.repeated = {sub for sub in subs if subs.count(sub) > 1}
        tops = [page for key, page in self.pages.items() if key not in subs]
        if not tops:
            self.foreign.refuse("foreign-no-net", self.declared.span(self.net))
        titles = {key: "".join(one.get("name") for one in page.all("pageattr")) for key, page in self.pages.items()}
        self.foreign.call(titles[tops[0].get("id")] if len(tops) == 1 else "")
        for page in tops:
            self._page(page, {}, (), "")
        for key, page in self.pages.items():
            if key not in self.seen:
                self.declared.refuse("foreign-circle", page, name=key)
        for step in self.steps:
            step.add_early()
        self._order()
        if not any(colour.timed for colour in self.declared.colours.values()):
            for transition in self.foreign.transitions:
                transition.clauses.setdefault("after", "exp(1)")
            self.foreign.note("foreign-untimed", self.declared.span(self.net), origin=self.foreign.origin)
        monitors = list(self.net.everywhere("monitor"))
        if monitors:
            names = [monitor.get("name") for monitor in monitors]
            self.foreign.warn("foreign-monitors", self.declared.span(monitors[0]), names=names)
        for one in self.net.all("monitorblock", "monitor"):
            one.pass_over()
        self.foreign.comments += filter(None, (one.said("text") for one in self.net.everywhere("Aux", "aux")))

    def _order(self) -> None:
        """Give transitions the ranks of their priorities, of which CPN Tools takes the least number first."""
        normal = self.declared.priority("P_NORMAL", self.net)
        numbers = {step.made.name: step.priority(normal) for step in self.steps}
        below = sorted({number for number in numbers.values() if number > normal})
        above = sorted({number for number in numbers.values() if number < normal}, reverse=True)
        for made in self.foreign.transitions:
            number = numbers.get(made.name, normal)
            if number != normal:
                rank = above.index(number) + 1 if number < normal else -below.index(number) - 1
                made.clauses["priority"] = str(rank)

    def _page(self, page: Element, ports: dict[str, Socket], above: tuple[str, ...], prefix: str) -> None:
        """Read an instance of a page; ports: the places that it shares with the page above."""
        if page.get("id") in above:
            self.declared.refuse("foreign-circle", page, name=page.get("id"))
        self.seen.add(page.get("id"))
        nodes: dict[str, Socket] = {}
        for element in page.all("place"):
            self._count(element)
            nodes[element.get("id")] = ports.get(element.get("id")) or self._place(element, prefix)
            for name in ("text", "type", "initmark", "fusioninfo"):  # also if a socket or another place says it
                element.said(name, "text")
                element.label(name)
        arcs: dict[str, list[Element]] = {}
        for arc in page.all("arc"):
            end = arc.first("transend")
            arcs.setdefault(end.get("idref") if end is not None else "", []).append(arc)
        for element in page.all("trans"):
            self._count(element)
            subst = element.first("subst")
            if subst is None:
                step = Step(self.declared, element, f"{prefix}{label(element)}")
                step.read(arcs.get(element.get("id"), []), nodes)
                self.steps.append(step)
                continue
            for arc in arcs.get(element.get("id"), ()):
                arc.pass_over()  # it joins what ports join
            for name in ("cond", "time", "code", "priority", "channel"):
                element.said(name, "text")
            title = label(element)
            below = self.pages.get(subst.get("subpage"))
            if below is None:
                self.declared.refuse("foreign-unknown-name", subst, name=subst.get("subpage"))
            pairs = re.findall(r"\(\s*(\w+)\s*,\s*(\w+)\s*\)", subst.get("portsock"))
            shared = {port: nodes[socket] for port, socket in pairs if socket in nodes}
            again = subst.get("subpage") in self.repeated
            inside = f"{prefix}{title}." if again else prefix
            self._page(below, shared, (*above, page.get("id")), inside)

    def _count(self, element: Element) -> None:
        self.count += 1
        if self.count > _MOST_NODES:
            self.declared.refuse(
                "foreign-too-large", element, what="nodes, in all instances of its pages,", most=_MOST_NODES
            )

    def _place(self, element: Element, prefix: str) -> Socket:
        fused = element.first("fusioninfo")
        if fused is not None and fused.get("name") in self.fusions:
            return self.fusions[fused.get("name")]
        colour = self.declared.colour(element, element.said("type", "text"))
        name = self.foreign.names.give("place", (prefix, element.get("id")), prefix + label(element))
        made = Socket(Place(name, colour.name, self._marking(element, colour), doc=element.comments()), colour)
        self.foreign.places.append(made.place)
        if fused is not None:
            self.fusions[fused.get("name")] = made
        return made

    def _marking(self, element: Element, colour: Colour) -> str:
        text = element.said("initmark", "text")
        if not text:
            return ""
        if text == f"{element.said('type', 'text')}.all()" and colour.kind in ("range", "values", "bool", "single"):
            return "all" if colour.name else "token"
        scope, found = Scope(self.declared.constant), list[str]()
        black = 0
        try:
            for item in items(self.declared.node(text), colour):
                count = value_of(item.count, {})
                if count is None or count.denominator != 1 or not 0 <= count <= 10**9 or item.conditions:
                    self.declared.refuse("foreign-number", element, text=text[:40], most=10**9)
                if item.delay is not None:
                    raise InfixError(0, "initial tokens with a time stamp cannot be imported")
                black += int(count)
                value = scope.value(item.value, colour)
                found += [value if count == 1 else f"{count} * ({value})"] if count else []
        except InfixError as error:
            self.declared.refuse("foreign-expression", element, text=text[:80], reason=error.reason)
        if colour.name:
            return f"({found[0]})" if len(found) == 1 and found[0].startswith("-") else ", ".join(found)
        return "" if not black else "token" if black == 1 else f"{black} * token"
