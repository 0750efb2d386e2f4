"""PNML (ISO/IEC 15909-2): place/transition nets and symmetric nets."""

from __future__ import annotations

from petri.interchange.foreign import Foreign
from petri.interchange.pipe import Pipe
from petri.interchange.pnml_graph import Graph
from petri.interchange.pnml_symmetric import SymmetricNet
from petri.interchange.xml_tree import chosen, tree_of

_SKIPPED = ("graphics", "toolspecific")
_COLOURED = ("symmetricnet", "hlcoreStructure", "highlevelnet", "pt-hlpng")


def read(foreign: Foreign, data: bytes) -> None:
    root = tree_of(data, foreign.file, foreign.source, _SKIPPED)
    net = chosen(foreign, root, "net", "id")
    kind = net.get("type").rpartition("/")[2]
    coloured = kind in _COLOURED or next(net.everywhere("hlinscription", "hlinitialMarking"), None) is not None
    kind_of_net = SymmetricNet if coloured else Pipe if next(net.everywhere("timed"), None) is not None else Graph
    kind_of_net(foreign, net).read()
    foreign.comments += root.comments().splitlines()
