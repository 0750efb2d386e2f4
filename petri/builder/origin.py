"""The lines of Python that wrote the declarations of a net, and errors that point at them."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from petri import structs
from petri.diagnostics import Diagnostic, Label, LanguageError
from petri.net import Span

_HERE: Final = str(Path(__file__).parent)


@dataclass(frozen=True, slots=True)
class Origin:
    """From this line of the net's text on, the text was written by this line of Python."""

    first: int
    where: Span | None


def caller() -> Span | None:
    """Return the line that called the builder; None where there is no such line."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None:
        return None
    path, line = frame.f_code.co_filename, frame.f_lineno
    written = linecache.getline(path, line)
    indent = len(written) - len(written.lstrip())
    return Span(path, line, indent + 1, line, max(len(written.rstrip()), indent + 1) + 1)


def traced(error: LanguageError, file: str, origins: Sequence[Origin]) -> LanguageError:
    """Return the same errors, with the line of Python that wrote the text to blame."""
    found = [with_origin(diagnostic, file, origins) for diagnostic in error.diagnostics]
    files = {label.span.file for one in found for label in one.labels if label.span.file != file}
    files |= {one.span.file for one in found if one.span is not None and one.span.file != file}
    python = {path: "".join(linecache.getlines(path)) for path in files if path not in error.sources}
    return LanguageError(found, {**error.sources, **{path: text for path, text in python.items() if text}})


def with_origin(diagnostic: Diagnostic, file: str, origins: Sequence[Origin]) -> Diagnostic:
    if diagnostic.span is None and len(origins) == 1:
        return structs.replace(diagnostic, span=origins[0].where)
    if diagnostic.span is None or diagnostic.span.file != file:
        return diagnostic
    line = diagnostic.span.line
    where = next((origin.where for origin in reversed(origins) if origin.first <= line), None)
    if where is None:
        return diagnostic
    return structs.replace(diagnostic, labels=(*diagnostic.labels, Label(where, "written-by")))
