"""Pieces of a net's source text, if that is available."""

from __future__ import annotations

import re
from collections.abc import Mapping

from petri.net import Span


def written(span: Span | None, sources: Mapping[str, str]) -> str | None:
    """Return the text of a span, on one line; None if the text is not known."""
    if span is None or span.file not in sources:
        return None
    lines = sources[span.file].split("\n")[span.line - 1 : span.end_line]
    if len(lines) != span.end_line - span.line + 1:
        return None
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(" ".join(line.split("#")[0] for line in lines).split())


def first_sentence(doc: str) -> str:
    """Return the first sentence of a documentation comment, on one line."""
    text = " ".join(doc.split())
    return re.split(r"(?<=[^\s.])\.\s", text, maxsplit=1)[0].removesuffix(".")
