"""Texts as a console can show them, converted before they are laid out, so that columns are as wide as what is seen."""

from __future__ import annotations

from itertools import accumulate
from typing import TypeVar, cast

from rich.text import Text

from petri.visible import PLAIN, visible

AnyText = TypeVar("AnyText", bound=str | Text)


def shown(text: AnyText, encoding: str) -> AnyText:
    """Return the text as `petri.visible` shows it, in signs that the encoding has; styles stay on the same
    characters.
    """
    return cast("AnyText", _plain(text, encoding) if isinstance(text, str) else _styled(text, encoding))


def _plain(text: str, encoding: str) -> str:
    return visible(text).encode(encoding, PLAIN).decode(encoding)


def _styled(text: Text, encoding: str) -> Text:
    if _plain(text.plain, encoding) == text.plain:
        return text
    signs = [_plain(character, encoding) for character in text.plain]  # one character may become several
    at = list(accumulate(map(len, signs), initial=0))
    found = text.copy()
    found.plain = "".join(signs)
    found.spans = [span._replace(start=at[span.start], end=at[min(span.end, len(signs))]) for span in text.spans]
    return found
