"""References and renaming, in all nets that read the file of a declaration."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from petri import library
from petri.catalogue.words import RESERVED
from petri.diagnostics import Diagnostic, LanguageError, Value
from petri.editor.meant import Meant
from petri.editor.names import Occurrence
from petri.editor.positions import Text
from petri.editor.workspace import Checked, Workspace
from petri.language.syntax import tree
from petri.language.syntax.lexer import lex
from petri.net import Span
from petri.structs import replace

_IMPORT = re.compile(r"\bimport[ \t]+(?:\"([^\"\n]*)\"|([\w.]+))")
MOST_ROOTS = 200  # nets that are checked for one question

Where = tuple[Path, Span]
Changes = dict[Path, list[tuple[Span, str]]]


def declared(checked: Checked, meant: Meant) -> Path | None:
    """Return the file that declares a name."""
    return checked.by_name.get(meant.span.file)


def references(workspace: Workspace, checked: Checked, meant: Meant) -> dict[Where, Occurrence]:
    """Return all occurrences of a name, in this net and in all others that read its file, by path and position."""
    found: dict[Where, Occurrence] = {}
    for root in roots(workspace, checked, meant):
        for occurrence in occurrences(root, checked, meant):
            path = root.by_name.get(occurrence.span.file)
            if path is not None:
                found.setdefault((path, replace(occurrence.span, file=str(path))), occurrence)
    return found


def occurrences(root: Checked, checked: Checked, meant: Meant) -> list[Occurrence]:
    """Return the occurrences in one net of a name that another net knows."""
    home = declared(checked, meant)
    name = next((name for name, path in root.by_name.items() if path == home), None)
    return [] if name is None else root.names.of(replace(meant, span=replace(meant.span, file=name)))


def roots(workspace: Workspace, checked: Checked, meant: Meant) -> Iterator[Checked]:
    """Yield the nets that read the file in which a name is declared, this one first."""
    yield checked
    home = declared(checked, meant)
    if home is None:
        return
    count = 1
    reading: dict[Path, set[Path]] = {}
    for path in workspace.nets():
        if path != checked.path and home in _closure(workspace, path, reading) and count < MOST_ROOTS:
            count += 1
            yield workspace.check(path)


def _closure(workspace: Workspace, path: Path, known: dict[Path, set[Path]]) -> set[Path]:
    """Return a file and all that it imports."""
    found = {path}
    waiting = [path]
    while waiting:
        inner = waiting.pop()
        if inner not in known:
            known[inner] = set(_imports(workspace, inner))
        new = known[inner] - found
        found |= new
        waiting += new
    return found


def _imports(workspace: Workspace, path: Path) -> Iterator[Path]:
    for written, module in _IMPORT.findall(workspace.text(path)):
        if (found := _target(path, written, module)) is not None:
            yield found


def imported(path: Path, d: tree.Import) -> Path | None:
    """Return the file of an import in a file, None if there is none."""
    found = _target(path, d.path, d.name)
    return found if found is not None and found.is_file() else None


def _target(path: Path, written: str | None, module: str) -> Path | None:
    """Return where an import leads: to a written path, or else to a module of the library; None if to neither."""
    try:
        found = path.parent / written if written else library.module(module)
        return None if found is None else Path(found).resolve()
    except (OSError, ValueError, RuntimeError):
        return None


# ---------------------------------------------------------------- renaming


def renamed(workspace: Workspace, checked: Checked, chosen: Occurrence, name: str) -> Changes:
    """Return the changes that give a declaration another name. Raises LanguageError where that cannot be done."""
    meant = chosen.meant
    _check_name(name)
    check_renamable(workspace, checked, meant)
    changes: Changes = {}
    for (path, span), occurrence in references(workspace, checked, meant).items():
        written = {"field": f"{name}: {meant.name}", "value": f"{meant.name}: {name}"}.get(occurrence.beside, name)
        changes.setdefault(path, []).append((span, written))
    for listed in changes.values():
        listed.sort(key=lambda change: (change[0].line, change[0].column))
    _check_result(workspace, checked, meant, changes, name)
    return changes


def refuse(identifier: str, **values: Value) -> LanguageError:
    return LanguageError([Diagnostic(identifier, None, values)])


def _check_name(name: str) -> None:
    tokens = lex(name, "").tokens
    if len(tokens) != 1 or tokens[0].text != name or lex(name, "").wrong or name == "_":
        raise refuse("rename-not-a-name", name=name)
    if name in RESERVED:
        raise refuse("reserved-name", name=name)
    if tokens[0].kind != "NAME":
        raise refuse("rename-not-a-name", name=name)


def check_renamable(workspace: Workspace, checked: Checked, meant: Meant) -> None:
    home = declared(checked, meant)
    if home is None:
        raise refuse("rename-nothing")
    own = any(home.is_relative_to(folder) for folder in workspace.folders)
    tops = [library.models(), library.nets()]
    if not own and any(home.is_relative_to(top) for top in tops):
        raise refuse("rename-library", name=meant.name, path=meant.span.file)


def _check_result(workspace: Workspace, checked: Checked, meant: Meant, changes: Changes, name: str) -> None:
    """Check that every net is as right as before, and the name means the same wherever it is written."""
    texts = {path: changed(workspace.text(path), listed) for path, listed in changes.items()}
    home = declared(checked, meant)
    start = moved(meant.span, changes.get(home, []) if home else [], name)
    for root in roots(workspace, checked, meant):
        after = workspace.check_with(root.path, texts)
        new = _new_errors(root, after)
        if new:
            where = new[0].span
            values: dict[str, Value] = {"path": where.file, "line": where.line} if where is not None else {}
            raise refuse("rename-breaks", name=name, message=new[0].message, **values)
        before = len(occurrences(root, checked, meant))
        if len(occurrences(after, checked, replace(meant, span=start))) != before:
            raise refuse("rename-changes-meaning", name=name, path=root.name)


def _new_errors(before: Checked, after: Checked) -> list[Diagnostic]:
    known = Counter(diagnostic.id for diagnostic in before.diagnostics if diagnostic.severity == "error")
    found = []
    for diagnostic in after.diagnostics:
        if diagnostic.severity == "error":
            known[diagnostic.id] -= 1
            if known[diagnostic.id] < 0:
                found.append(diagnostic)
    return found


def changed(text: str, changes: list[tuple[Span, str]]) -> str:
    """Return a text with changes, in order, each within a line."""
    lines = Text(text).lines.copy()
    for span, new in reversed(changes):
        line = lines[span.line - 1]
        lines[span.line - 1] = line[: span.column - 1] + new + line[span.end_column - 1 :]
    return "\n".join(lines)


def moved(span: Span, changes: list[tuple[Span, str]], name: str) -> Span:
    """Return where a name begins after the changes on its line; its own may have put a field before it, `{size:
    length}`.
    """
    shift = 0
    for other, new in changes:
        if other.line == span.line and other.column < span.column:
            shift += len(new) - (other.end_column - other.column)
        elif (other.line, other.column) == (span.line, span.column):
            shift += len(new) - len(name)
    return replace(span, column=span.column + shift)
