"""A picture as Graphviz DOT."""

from __future__ import annotations

from petri.report.picture.diagram import Diagram, Edge, PictureNode
from petri.report.picture.sizes import lines, shown
from petri.visible import visible

_ARROWS = {
    "take": "",
    "give": "",
    "both": "dir=both",
    "read": 'style=dashed arrowhead="none"',
    "inhibit": 'arrowhead="odot"',
    "reset": 'style=dotted arrowhead="normalnormal"',
}


def dot(picture: Diagram) -> str:
    """Return the picture as a complete Graphviz drawing."""
    head = [
        f"digraph {_quoted(picture.name)} {{",
        "  rankdir=LR; nodesep=0.4; ranksep=0.55; compound=true;",
        '  fontname="Helvetica"; fontsize=12;',
        '  node [fontname="Helvetica" fontsize=11]; edge [fontname="Helvetica" fontsize=10 arrowsize=0.7];',
    ]
    seats = {node.name: seat for seat, node in enumerate(picture.nodes)}
    edges = [f"  node_{seats[edge.start]} -> node_{seats[edge.end]} [{_looks(edge)}];" for edge in picture.edges]
    return "\n".join([*head, *_tree(picture, (), "  "), *edges, "}"]) + "\n"


def _tree(picture: Diagram, path: tuple[str, ...], indent: str) -> list[str]:
    """Return the nodes in a box and, within subgraphs, those of the boxes in it."""
    lines = [
        f"{indent}node_{number} [{_full_node(node)}];" for number, node in enumerate(picture.nodes) if node.box == path
    ]
    for number, box in enumerate(picture.boxes):
        if box.path[:-1] == path:
            label = box.label + (f" ×{box.copies}" if box.copies > 1 else "")
            lines.append(f"{indent}subgraph cluster_{number} {{")
            lines.append(f"{indent}  label={_quoted(label)}; labeljust=l; style=rounded; margin=12;")
            lines += [*_tree(picture, box.path, indent + "  "), f"{indent}}}"]
    return lines


def _full_node(node: PictureNode) -> str:
    name = node.label + (f" ×{node.copies}" if node.copies > 1 else "")
    text = "\n".join((name, *shown(node.notes)))
    if node.kind == "place":
        tokens = "" if not node.tokens else "●" * node.tokens if node.tokens <= 3 else str(node.tokens)
        return f"shape=circle width=0.42 fixedsize=true fontsize=9 label={_quoted(tokens)} xlabel={_quoted(text)}"
    if node.kind in ("timed", "racing", "module"):
        return f"shape=box label={_quoted(text)}"
    return f'shape=box style=filled fillcolor=black width=0.08 height=0.5 label="" xlabel={_quoted(text)}'


def _looks(edge: Edge) -> str:
    text = "\n".join(lines(edge.label))
    label = f"label={_quoted(text)}" if text else ""
    return " ".join(part for part in (_ARROWS[edge.kind], label) if part)


def _quoted(text: str) -> str:
    escaped = visible(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
