"""Pictures of nets: SVG of our own drawing, and Graphviz DOT.

picture = diagram(net)           # what is to be drawn: nodes, edges, boxes; equal instances folded
svg(picture, layout(picture))    # placed by Graphviz where it is there, else by networkx
dot(picture)
"""

from petri.report.picture.diagram import Diagram, diagram
from petri.report.picture.dot import dot
from petri.report.picture.layout import has_graphviz, layout
from petri.report.picture.svg import svg

__all__ = ["Diagram", "diagram", "dot", "has_graphviz", "layout", "svg"]
