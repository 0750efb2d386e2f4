"""The answers to an editor's questions, as the protocol has them.

Each gets the net that is asked about (`Asked`) and the parameters of the question. It raises LanguageError where what
was asked cannot be done.
"""

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
from petri.editor.signatures import signature_help
from petri.editor.workspace import Checked, Workspace
from petri.language.checking.checker import Checker
from petri.language.layout.formatter import format_source
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Struct
from petri.wording import label

Texts = Callable[[Path], Text]
Uris = Callable[[Path], str]

_LENSES = (("run this net", "pnsim.run"), ("check", "pnsim.check"), ("draw", "pnsim.draw"), ("play", "pnsim.play"))
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


class Asked(Struct):
    """The net that a question is about, its check, and how paths become texts and URIs."""

    workspace: Workspace
    checked: Checked
    texts: Texts
    uris: Uris

    @property
    def text(self) -> Text:
        return self.texts(self.checked.path)

    @property
    def checker(self) -> Checker | None:
        return self.checked.study.checker if self.checked.study is not None else None

    @property
    def declarations(self) -> tuple[tree.Declaration, ...]:
        files = self.checked.study.loader.files if self.checked.study is not None else []
        return files[0].declarations if files else ()

    def occurrence(self, position: types.Position) -> Occurrence | None:
        """Return the name under the cursor."""
        return self.checked.names.at(self.checked.name, *self.text.place(position))

    def to_rename(self, position: types.Position) -> Occurrence:
        found = self.occurrence(position)
        if found is None:
            raise names_elsewhere.refuse("rename-nothing")
        return found

    def location(self, path: Path, span: Span) -> types.Location:
        return types.Location(self.uris(path), self.texts(path).range(span))


# ---------------------------------------------------------------- names


def hover(asked: Asked, params: types.HoverParams) -> types.Hover | None:
    """Return what the name under the cursor is."""
    found = asked.occurrence(params.position)
    if found is None or asked.checker is None:
        return None
    path = asked.checked.by_name.get(found.meant.span.file)
    shown = hover_text(found.meant, asked.checker, asked.texts(path) if path is not None else None)
    content = types.MarkupContent(types.MarkupKind.Markdown, shown)
    return types.Hover(content, asked.text.range(found.span))


def definition(asked: Asked, params: types.DefinitionParams) -> types.Location | None:
    """Return where the name under the cursor is declared; on an import, the file."""
    found = asked.occurrence(params.position)
    if found is not None:
        path = asked.checked.by_name.get(found.meant.span.file)
        return None if path is None else asked.location(path, found.meant.span)
    line, column = asked.text.place(params.position)
    for d in asked.declarations:
        if isinstance(d, tree.Import) and (d.span.line, d.span.column) <= (line, column) and line <= d.span.end_line:
            path = names_elsewhere.imported(asked.checked.path, d)
            start = types.Position(0, 0)
            return None if path is None else types.Location(asked.uris(path), types.Range(start, start))
    return None


def references(asked: Asked, params: types.ReferenceParams) -> list[types.Location]:
    """Return where the name under the cursor occurs, in all nets that read its file."""
    found = asked.occurrence(params.position)
    if found is None:
        return []
    places = names_elsewhere.references(asked.workspace, asked.checked, found.meant)
    declaration = params.context.include_declaration
    return [asked.location(*place) for place, one in places.items() if declaration or not one.declares]


def highlights(asked: Asked, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    """Return where the name under the cursor occurs in this file."""
    found = asked.occurrence(params.position)
    own = asked.checked.names.of(found.meant) if found is not None else []
    kind = types.DocumentHighlightKind.Text
    text = asked.text
    return [types.DocumentHighlight(text.range(one.span), kind) for one in own if one.span.file == asked.checked.name]


def renamable(asked: Asked, params: types.PrepareRenameParams) -> types.Range:
    """Return the name that a rename at a position would change."""
    found = asked.to_rename(params.position)
    names_elsewhere.check_renamable(asked.workspace, asked.checked, found.meant)
    return asked.text.range(found.span)


def rename(asked: Asked, params: types.RenameParams) -> types.WorkspaceEdit:
    """Return the changes in all files."""
    found = asked.to_rename(params.position)
    changed = names_elsewhere.renamed(asked.workspace, asked.checked, found, params.new_name)
    edits = {
        asked.uris(path): [types.TextEdit(asked.texts(path).range(span), new) for span, new in listed]
        for path, listed in changed.items()
    }
    return types.WorkspaceEdit(changes=edits)


def completion(asked: Asked, params: types.CompletionParams) -> types.CompletionList:
    """After a space only what follows a number is offered unasked."""
    text = asked.text
    line, column = text.place(params.position)
    typed = params.context.trigger_character if params.context is not None else None
    unasked = typed == " " and not _AFTER_NUMBER.search(text.lines[line - 1][: column - 1])
    return types.CompletionList(False, [] if unasked else complete(asked.checked, text, line, column))


def signature(asked: Asked, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    """Return what the call or the clause at the cursor asks for."""
    text = asked.text
    return signature_help(asked.checked, text.before(*text.place(params.position)))


# ---------------------------------------------------------------- files


def symbols(asked: Asked, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    return outline(asked.declarations, asked.text)


def hints(asked: Asked, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Return the inlay hints of some lines."""
    if asked.checker is None:
        return []
    found = inlay_hints(asked.declarations, asked.checked.names, asked.checker, asked.text)
    return [hint for hint in found if params.range.start.line <= hint.position.line <= params.range.end.line]


def formatted(text: Text) -> list[types.TextEdit]:
    """Return the edit that formats a text; none if it has syntax errors, which are shown already."""
    try:
        result = format_source(text.text, "")
    except (LanguageError, RecursionError):
        return []
    return [types.TextEdit(text.whole, result)] if result != text.text else []


def quick_fixes(asked: Asked, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the fixes of the diagnostics that touch a range of the text."""
    checked, text = asked.checked, asked.text
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


def lenses(asked: Asked, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Above a net: run, check, draw and play it. The client has a command `pnsim.…` for each, of the file's URI."""
    start: Span | None = next((d.span for d in asked.declarations if isinstance(d, tree.Net)), None)
    if start is None:
        return []
    where, uri = asked.text.range(start), params.text_document.uri
    return [types.CodeLens(where, types.Command(title, name, arguments=[uri])) for title, name in _LENSES]
