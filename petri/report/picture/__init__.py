"""Pictures of nets: SVG, and Graphviz DOT.

picture = diagram(net)           # the parts to draw: nodes, edges, boxes; equal instances folded
picture = closed(picture)        # modules as single nodes, where there are many parts
svg(picture, layout(picture))    # laid out in columns from left to right
dot(picture)
"""

from petri.report.picture.diagram import Diagram, diagram
from petri.report.picture.dot import dot
from petri.report.picture.layout import layout
from petri.report.picture.modules import closed, views
from petri.report.picture.svg import svg

__all__ = ["Diagram", "closed", "diagram", "dot", "layout", "svg", "views"]
