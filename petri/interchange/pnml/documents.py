"""PNML (ISO/IEC 15909-2) and what tools write in its form: place/transition nets, symmetric nets, PIPE, TAPAAL."""

from __future__ import annotations

from typing import Final

from petri.interchange.pnml import tapaal
from petri.interchange.pnml.graph import Graph
from petri.interchange.pnml.pipe import Pipe
from petri.interchange.pnml.symmetric import SymmetricNet
from petri.interchange.reading.coloured import times
from petri.interchange.reading.foreign import Foreign
from petri.interchange.reading.xml_tree import Element, chosen, report_unread, tree_of

_SKIPPED = ("graphics", "tokengraphics", "arcpath", "placeHolder")
_EYE: Final = (
    "id|tool|version|activity|localNodeID|active|position[XY]|nameOffset[XY]|displayName|angle|[xy]|width|height|border"
)
_QUIET_TOOLS: Final = ("nupn", "ProM")  # which say nothing of what happens
_COLOURED = ("symmetricnet", "hlcoreStructure", "highlevelnet", "pt-hlpng")


def read(foreign: Foreign, data: bytes) -> None:
    root = tree_of(data, foreign.file, foreign.source, _SKIPPED)
    aged = tapaal.is_net(root)
    net = tapaal.joined(foreign, root) if aged else chosen(foreign, root, "net", "id")
    graph = _kind(net)(foreign, net)
    if aged:
        graph.times = tapaal.Ages(foreign, net, root, graph.intervals)
    graph.read()
    _final_markings(graph, root)
    _pass_over_tools(root)
    foreign.comments += root.comments().splitlines()
    report_unread(foreign, root, _EYE)


def _kind(net: Element) -> type[Graph]:
    tags, pending = set[str](), [net]
    while pending:
        element = pending.pop()
        tags.add(element.tag)
        pending += element.nested
    if net.get("type").rpartition("/")[2] in _COLOURED or tags & {"hlinscription", "hlinitialMarking"}:
        return SymmetricNet
    return Pipe if tags & {"timed", "rate"} else Graph


def _final_markings(graph: Graph, root: Element) -> None:
    """Say as a comment in which markings the file wants the net to end. This changes nothing of what it does."""
    for final in root.everywhere("finalmarkings"):
        for marking in final.all("marking"):
            said = []
            for one in marking.all("place"):
                count, key = graph.number(one, "text", missing=1), one.get("idref")
                if not (name := graph.foreign.names.known("node", key)):
                    graph.foreign.warn("foreign-unknown-name", one.span(graph.foreign.file), name=key)
                elif count:
                    said.append(times(count, name))
            graph.foreign.comments.append(f"final marking: {', '.join(said) or 'nothing'}")


def _pass_over_tools(root: Element) -> None:
    """Tools of which it is known that they say nothing of what happens, and those that only give a node a mark."""
    for one in root.everywhere("toolspecific", "module"):
        if one.attributes.get("tool") in _QUIET_TOOLS:
            one.pass_over()
        elif one.tag == "toolspecific":
            one.seen = any(part.seen for part in one.nested) or not (one.nested or one.written.strip())
