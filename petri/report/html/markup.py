"""HTML that is safe by construction: every text is escaped, unless it was made here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import escape
from typing import Any, Final

from petri.visible import visible

_VOID: Final = frozenset({"meta", "br", "col", "hr", "img", "wbr"})


class Markup(str):
    """Finished HTML. Only this module makes it from texts."""

    __slots__ = ()


Content = str | int | None | Iterable["Content"]
"""The content of an element: texts (escaped), markup (unchanged), nothing, or a sequence of these."""


def content(*parts: Content) -> Markup:
    """Return the parts, concatenated."""
    return Markup("".join(_written(part) for part in parts))


def tag(name: str, /, *children: Content, **attributes: str | int | float | bool | None) -> Markup:
    """Return an element.

    `class_` is the attribute `class`, `aria_label` is `aria-label`; None and False leave one out.
    """
    written = "".join(
        f" {_attribute(key)}" if value is True else f' {_attribute(key)}="{_text(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{content(*children)}</{name}>")


def aside(*said: Content) -> Markup:
    """Return a paragraph that explains something; nothing where nothing is said."""
    return tag("p", *said, class_="note") if any(said) else Markup("")


def data(identifier: str, value: Any) -> Markup:
    """Plain data for the page's script. No text in it can end the element: `<` is written as an escape."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for sign, written in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u2028", "\\u2028")):
        text = text.replace(sign, written)
    return Markup(f'<script type="application/json" id="{_text(identifier)}">{text}</script>')


def paragraphs(text: str, name: str = "p", **attributes: str) -> Markup:
    """Paragraphs from text in which empty lines separate them."""
    pieces = [" ".join(piece.split()) for piece in text.replace("\r", "").split("\n\n")]
    return content([tag(name, spoken(piece), **attributes) for piece in pieces if piece])


def spoken(text: str) -> Markup:
    """Documentation text: backquoted parts become code, and an option such as `--replications 10` stays on one line."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return content(_unbroken(text))
    return content([tag("code", piece) if number % 2 else _unbroken(piece) for number, piece in enumerate(pieces)])


def _unbroken(text: str) -> Content:
    """Browsers break a line after the hyphens of an option."""
    parts = re.split(r"(?<!\S)(--[a-z][a-z-]*(?: \d+)?)", text)
    return [tag("span", part, class_="option") if number % 2 else part for number, part in enumerate(parts)]


def breakable(name: str) -> Markup:
    """Return the name of a place or a transition, which a narrow column breaks after a dot or an underscore."""
    pieces = re.split(r"(?<=[._])", name)
    return content([(piece, tag("wbr")) for piece in pieces[:-1]], pieces[-1])


def plotted(text: str) -> str:
    """Return a text for plotly, which interprets some HTML in its labels."""
    return _text(text).replace("&quot;", '"').replace("&#x27;", "'")


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


def _written(part: Content) -> str:
    if part is None:
        return ""
    if isinstance(part, Markup):
        return part
    if isinstance(part, str):
        return _text(part)
    return str(part) if isinstance(part, int) else "".join(_written(one) for one in part)
