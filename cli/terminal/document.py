"""A text for other programs, printed or written to a file."""

from __future__ import annotations

from collections.abc import Iterable

from petri.atomic_file import write_text

from .console import printing, remark, write_document
from .exits import check_output, writing

PRINTED = "-"  # the name that stands for standard output


def check(path: str | None, read: Iterable[str]) -> None:
    """Refuse, before anything is done, a file that cannot be made, or that would replace one that is `read`."""
    if path is not None and path != PRINTED:
        check_output(path, read)


def deliver(text: str, path: str | None, hint: str = "") -> None:
    """Write the text to a file, and say so, or print it. Raises Refusal, ClosedPipe."""
    if path is None or path == PRINTED:
        with printing():
            write_document(text)
        return
    with writing(path):
        write_text(path, text)
    remark(f"wrote {path}{hint}")
