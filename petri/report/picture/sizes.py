"""The sizes of the parts, in points. Text is measured by an average letter width, which is accurate enough."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from petri.report.picture.diagram import PictureNode

PLACE = 30.0  # diameter
TIMED = (18.0, 36.0)
IMMEDIATE = (6.0, 36.0)
NAME, NOTE, EDGE, BOX_NAME = 12.0, 10.0, 10.0, 12.0  # font sizes
LINE = 1.25  # height of a line of text in units of its font size
GAP = 4.0  # between a shape and its text
BEHIND = 5.0  # by how much the last of several copies stands out


_LONGEST_LINE = 28  # letters
_MOST_LINES = 4
_NO_BREAK = "\N{NO-BREAK SPACE}"


def lines(text: str) -> list[str]:
    """Return a text as it is shown; what has no room is cut, and then the whole stands in a tooltip."""
    held = re.sub(r"(?<=\d) (?=[A-Za-z])", _NO_BREAK, text)  # a number and its unit stay together
    found = [line.replace(_NO_BREAK, " ") for line in textwrap.wrap(held, _LONGEST_LINE, break_on_hyphens=False)]
    if len(found) > _MOST_LINES:
        found = found[:_MOST_LINES]
        found[-1] = found[-1][: _LONGEST_LINE - 1].rstrip() + "…"
    return found


def shown(texts: Iterable[str]) -> list[str]:
    """Return the lines of several texts."""
    return [line for text in texts for line in lines(text)]


def cut(text: str) -> bool:
    """Return whether not all of a text is shown."""
    return any(line.endswith("…") for line in lines(text))


def label_size(text: str) -> tuple[float, float]:
    """Width and height of the text at an edge."""
    shown_lines = lines(text)
    return max(text_width(line, EDGE) for line in shown_lines), EDGE * LINE * len(shown_lines)


def text_width(text: str, size: float) -> float:
    """Width of a line of text in a sans-serif font of a size."""
    narrow = sum(text.count(letter) for letter in "iljtfr.,:;()[]|' ")
    return (0.6 * (len(text) - narrow) + 0.34 * narrow) * size


def title(node: PictureNode) -> str:
    """Return the name of a node, with the number of its copies."""
    return f"{node.label} ×{node.copies}" if node.copies > 1 else node.label


def core_size(node: PictureNode) -> tuple[float, float]:
    """Width and height of the shape itself. That of a module contains its texts."""
    if node.kind == "module":
        texts = [text_width(title(node), NAME), *(text_width(note, NOTE) for note in shown(node.notes))]
        return max([*texts, 50.0]) + 20, 34.0 + NOTE * LINE * len(shown(node.notes))
    if node.kind == "place":
        return PLACE, PLACE
    return IMMEDIATE if node.kind == "immediate" else TIMED


def node_room(node: PictureNode) -> tuple[float, float, float]:
    """Width, and height above and below the middle of the shape, with its name above and its notes below."""
    width, height = core_size(node)
    if node.kind == "module":
        return width + 4, height / 2 + 2, height / 2 + 2
    above = GAP + NAME * LINE + (BEHIND if node.copies > 1 else 0)
    below = GAP + NOTE * LINE * len(shown(node.notes))
    widths = [width + (2 * BEHIND if node.copies > 1 else 0), text_width(title(node), NAME)]
    widths += [text_width(note, NOTE) for note in shown(node.notes)]
    return max(widths) + 4, height / 2 + above, height / 2 + below
