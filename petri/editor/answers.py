"""The answers to an editor's questions, as the protocol has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types

from petri.diagnostics import Diagnostic, LanguageError
from petri.editor import references as names_elsewhere
from petri.editor.completion import complete
from petri.editor.fixes import changes
from petri.editor.hints import inlay_hints
from petri.editor.names import Occurrence
from petri.editor.outline import outline
from petri.editor.positions import Text
from petri.editor.showing import hover_text
from petri.editor.workspace import Checked, Workspace
from petri.language.syntax import tree
from petri.net import Span
from petri.wording import label

Texts = Callable[[Path], Text]
Uris = Callable[[Path], str]

_LENSES = (
    ("run this net", "pnsim.run"),
    ("check", "pnsim.check"),
    ("draw", "pnsim.draw"),
    ("play", "pnsim.play"),
)
_AFTER_NUMBER = re.compile(r"(?<![\w.])\d[\d_.]*(?:[eE][+-]?\d+)? $")
_SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}


def diagnostic(one: Diagnostic, text: Text, files: dict[str, Path], texts: Texts, uris: Uris) -> types.Diagnostic:
    """files: the paths of the file names in its labels."""
    assert one.span is not None
    related = []
    for mark in one.labels:
        path = files.get(mark.span.file)
        if path is not None:
            location = types.Location(uris(path), texts(path).range(mark.span))
            related.append(types.DiagnosticRelatedInformation(location, label(mark.role, one.values)))
    lines = [one.message, *(f"note: {note}" for note in one.notes), *(f"hint: {hint}" for hint in one.hints)]
    return types.Diagnostic(
        text.range(one.span),
        "\n".join(lines),
        _SEVERITY[one.severity],
        code=one.id,
        source="pnsim",
        related_information=related or None,
    )


# ---------------------------------------------------------------- names


def _occurrence(checked: Checked, position: types.Position, texts: Texts) -> Occurrence | None:
    return checked.names.at(checked.name, *texts(checked.path).place(position))


def hover(checked: Checked, position: types.Position, texts: Texts) -> types.Hover | None:
    """What the name under the cursor is."""
    found = _occurrence(checked, position, texts)
    if found is None or checked.study is None or checked.study.checker is None:
        return None
    path = checked.by_name.get(found.meant.span.file)
    shown = hover_text(found.meant, checked.study.checker, texts(path) if path is not None else None)
    content = types.MarkupContent(types.MarkupKind.Markdown, shown)
    return types.Hover(content, texts(checked.path).range(found.span))


def definition(checked: Checked, position: types.Position, texts: Texts, uris: Uris) -> types.Location | None:
    """Where the name under the cursor is declared; on an import, the file."""
    found = _occurrence(checked, position, texts)
    if found is not None:
        path = checked.by_name.get(found.meant.span.file)
        return None if path is None else types.Location(uris(path), texts(path).range(found.meant.span))
    line, column = texts(checked.path).place(position)
    for d in _declarations(checked):
        if isinstance(d, tree.Import) and (d.span.line, d.span.column) <= (line, column) and line <= d.span.end_line:
            path = names_elsewhere.imported(checked.path, d)
            start = types.Position(0, 0)
            return None if path is None else types.Location(uris(path), types.Range(start, start))
    return None


def references(
    workspace: Workspace, checked: Checked, position: types.Position, texts: Texts, uris: Uris, declaration: bool
) -> list[types.Location]:
    """Where the name under the cursor occurs, in all nets that read its file."""
    found = _occurrence(checked, position, texts)
    if found is None:
        return []
    places = names_elsewhere.references(workspace, checked, found.meant)
    return [
        types.Location(uris(path), texts(path).range(span))
        for (path, span), one in places.items()
        if declaration or not one.declares
    ]


def highlights(checked: Checked, position: types.Position, texts: Texts) -> list[types.DocumentHighlight]:
    """Where the name under the cursor occurs in this file."""
    found = _occurrence(checked, position, texts)
    own = checked.names.of(found.meant) if found is not None else []
    text = texts(checked.path)
    return [
        types.DocumentHighlight(text.range(one.span), types.DocumentHighlightKind.Text)
        for one in own
        if one.span.file == checked.name
    ]


def renamable(workspace: Workspace, checked: Checked, position: types.Position, texts: Texts) -> types.Range:
    """The name that a rename at a position would change. Raises LanguageError if it cannot be renamed."""
    found = _occurrence(checked, position, texts)
    if found is None:
        raise names_elsewhere.refuse("rename-nothing")
    names_elsewhere.check_renamable(workspace, checked, found.meant)
    return texts(checked.path).range(found.span)


def rename(
    workspace: Workspace, checked: Checked, position: types.Position, name: str, texts: Texts, uris: Uris
) -> types.WorkspaceEdit:
    """The changes in all files. Raises LanguageError where the result would not be the same net."""
    found = _occurrence(checked, position, texts)
    if found is None:
        raise names_elsewhere.refuse("rename-nothing")
    changed = names_elsewhere.renamed(workspace, checked, found, name)
    edits = {
        uris(path): [types.TextEdit(texts(path).range(span), new) for span, new in listed]
        for path, listed in changed.items()
    }
    return types.WorkspaceEdit(changes=edits)


def completion(
    checked: Checked, position: types.Position, texts: Texts, typed: str | None
) -> list[types.CompletionItem]:
    """typed: the character that asked; after a space only what follows a number is offered unasked."""
    text = texts(checked.path)
    line, column = text.place(position)
    if typed == " " and not _AFTER_NUMBER.search(text.lines[line - 1][: column - 1]):
        return []
    return complete(checked, text, line, column)


# ---------------------------------------------------------------- files


def _declarations(checked: Checked) -> tuple[tree.Declaration, ...]:
    files = checked.study.loader.files if checked.study is not None else []
    return files[0].declarations if files else ()


def symbols(checked: Checked, texts: Texts) -> list[types.DocumentSymbol]:
    return outline(_declarations(checked), texts(checked.path))


def hints(checked: Checked, within: types.Range, texts: Texts) -> list[types.InlayHint]:
    """The inlay hints of some lines."""
    if checked.study is None or checked.study.checker is None:
        return []
    found = inlay_hints(_declarations(checked), checked.names, checked.study.checker, texts(checked.path))
    return [hint for hint in found if within.start.line <= hint.position.line <= within.end.line]


def formatted(text: Text) -> list[types.TextEdit]:
    """The edit that formats a text; none if it has syntax errors, which are shown already."""
    from petri.language.layout.formatter import format_source

    try:
        result = format_source(text.text, "")
    except (LanguageError, RecursionError):
        return []
    return [types.TextEdit(text.whole, result)] if result != text.text else []


def quick_fixes(checked: Checked, params: types.CodeActionParams, texts: Texts) -> list[types.CodeAction]:
    """The fixes of the diagnostics that touch a range of the text."""
    text = texts(checked.path)
    uri = params.text_document.uri
    found = []
    for one in checked.diagnostics:
        if one.span is None or one.span.file != checked.name or not _touch(text.range(one.span), params.range):
            continue
        for change in changes(one, text.lines):
            edit = types.WorkspaceEdit(changes={uri: [types.TextEdit(text.range(change.span), change.text)]})
            about = [known for known in params.context.diagnostics if known.code == one.id]
            found.append(types.CodeAction(change.title, types.CodeActionKind.QuickFix, about, edit=edit))
    if found:
        found[0].is_preferred = True
    return found


def _touch(one: types.Range, other: types.Range) -> bool:
    first = (one.start.line, one.start.character) <= (other.end.line, other.end.character)
    return first and (other.start.line, other.start.character) <= (one.end.line, one.end.character)


def lenses(checked: Checked, uri: str, texts: Texts) -> list[types.CodeLens]:
    """Above a net: run, check, draw and play it. The client has a command `pnsim.…` for each, of the file's URI."""
    start: Span | None = next((d.span for d in _declarations(checked) if isinstance(d, tree.Net)), None)
    if start is None:
        return []
    where = texts(checked.path).range(start)
    return [types.CodeLens(where, types.Command(title, name, arguments=[uri])) for title, name in _LENSES]
