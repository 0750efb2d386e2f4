"""Pictures of nets: SVG, and Graphviz DOT.

picture = diagram(net)           # the parts to draw: nodes, edges, boxes; equal instances folded
svg(picture, layout(picture))    # laid out by Graphviz if installed, otherwise by networkx
dot(picture)
"""

from petri.report.picture.diagram import Diagram, diagram
from petri.report.picture.dot import dot
from petri.report.picture.layout import has_graphviz, layout
from petri.report.picture.svg import svg

__all__ = ["Diagram", "diagram", "dot", "has_graphviz", "layout", "svg"]
