"""PIPE's nets (.xml): PNML of its own, with rates. The rate of an immediate transition is a weight."""

from __future__ import annotations

from petri.interchange.foreign import Foreign, Transition
from petri.interchange.infix import mean_of_rate, number_text, read
from petri.interchange.pnml_graph import Graph
from petri.interchange.tokens import InfixError
from petri.interchange.xml_tree import Element


class Pipe(Graph):
    timed = True

    def __init__(self, foreign: Foreign, net: Element) -> None:
        super().__init__(foreign, net)
        foreign.origin = "PIPE"
        colours = [one for one in net.all("token") if one.get("id", "Default") != "Default"]
        if colours:
            foreign.refuse("foreign-construct", colours[0].span(foreign.file), what="tokens of several colours")
        foreign.comments += [" ".join(said.split()) for one in net.all("labels") if (said := one.said("text"))]

    def _transition(self, made: Transition, element: Element) -> None:
        rate = self._rate(element)
        made.clauses = {}
        if element.said("timed", "value") == "true":
            made.clauses["after"] = f"exp({mean_of_rate(rate)})"
            if element.said("infiniteServer", "value") == "true":
                made.clauses["servers"] = "all"
            return
        made.clauses["priority"] = element.said("priority", "value") or "1"
        made.weigh(rate)

    def _rate(self, element: Element) -> str:
        """The rate, which must be a positive number."""
        said = element.said("rate", "value") or "1.0"
        try:
            node = read(said)
        except InfixError:
            node = None
        if node is None or node.op != "number" or float(node.text) <= 0:
            self.foreign.refuse(
                "foreign-expression", element.span(self.foreign.file), text=said, reason="it is not a rate"
            )
        return number_text(node.text)
