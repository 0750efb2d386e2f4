"""A text for other programs, printed or written to a file."""

from __future__ import annotations

from petri.atomic_file import write_text

from .console import printing, remark, write_document
from .exits import writing


def deliver(text: str, path: str | None, hint: str = "") -> None:
    """Write the text to a file, and say so, or print it without a path. Raises Refusal, ClosedPipe."""
    if path is None:
        with printing():
            write_document(text)
        return
    with writing(path):
        write_text(path, text)
    remark(f"wrote {path}{hint}")
