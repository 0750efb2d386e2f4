"""Which diagnostics are shown in which file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from petri.diagnostics import Diagnostic
from petri.editor.workspace import Checked, Workspace
from petri.net import Span
from petri.structs import replace

Where = dict[str, Path]
"""The files of a check, by their names in spans."""


def diagnostics_by_path(workspace: Workspace, opened: Iterable[Path]) -> dict[Path, list[tuple[Diagnostic, Where]]]:
    """Return the diagnostics of the open nets, by file. Every open net has an entry.

    A file that an open net imports is shown as that net sees it: on its own, a part of a net lacks what others declare.
    """
    checks = [found for path in opened if (found := workspace.checked.get(path)) is not None]
    imported = {path for found in checks for path in found.by_name.values() if path != found.path}
    shown: dict[Path, list[tuple[Diagnostic, Where]]] = {found.path: [] for found in checks}
    seen: set[tuple[Path, str, Span]] = set()
    for found in checks:
        for diagnostic in found.diagnostics:
            path, span = _where(found, diagnostic)
            if found.path in imported and path == found.path:
                continue
            key = (path, diagnostic.id, replace(span, file=""))
            if key not in seen:
                seen.add(key)
                shown.setdefault(path, []).append((replace(diagnostic, span=span), found.by_name))
    return shown


def _where(found: Checked, diagnostic: Diagnostic) -> tuple[Path, Span]:
    """Return the file and position of a diagnostic; of one about the whole net, the net's first line."""
    if diagnostic.span is None:
        return found.path, Span(found.name, 1, 1, 1, 1)
    return found.by_name.get(diagnostic.span.file, found.path), diagnostic.span
