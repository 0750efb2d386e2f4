"""Finds and loads the net that a command names."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import click

from petri import interchange, language, library, model
from petri.diagnostics import Diagnostic, LanguageError, has_errors
from petri.language.syntax.foreign import decode
from petri.model import LoadedFrom, Model
from petri.regular import is_pipe
from petri.traffic.pipes import from_pipes

from ..terminal.console import is_quiet, tell
from ..terminal.exits import refusal
from .given import Given

STDIN = "-"
SHOWN_STDIN = "<stdin>"  # in messages


def read_stdin() -> str:
    """Return the text of a net on stdin. Raises LanguageError if it is not text."""
    text, found = decode(sys.stdin.buffer.read(), SHOWN_STDIN)
    if has_errors(found):
        raise LanguageError(found)
    return text


def find(name: str, *, missing_is_file: bool = False, quiet: bool | None = None) -> str:
    """Do as `library.find`, with a note where a file of that name is not the one that is meant, unless it is to be
    quiet.

    Raises Refusal if there is none; with `missing_is_file`, returns the path, and its reader reports the error.
    """
    found = library.find(name)
    if found is None and missing_is_file:
        return name
    if found is None:
        raise refusal("unknown-net", name=name, suggestion=library.nearest(name))
    if (other := library.shadowed(name)) is not None and not (is_quiet(outside=True) if quiet is None else quiet):
        tell(Diagnostic("library-net-meant", severity="note", values={"name": name, "path": other}))
    return found


def in_folder(name: str) -> list[str]:
    """Return the .net files of a folder and of those in it, in order, except hidden ones; the name itself if it is a
    file.

    Raises Refusal if a folder has none.
    """
    folder = Path(name)
    try:
        if not folder.is_dir():
            return [name]
    except (OSError, ValueError):  # a name that a file cannot have
        return [name]
    found = [
        path
        for path in sorted(folder.rglob("*" + library.SUFFIX))
        if not any(part.startswith(".") for part in path.relative_to(folder).parts) and path.is_file()
    ]
    if not found:
        raise refusal("no-net-in-folder", path=name)
    return [str(path) for path in found]


def load(name: str, given: Given | None = None, *, quiet: bool | None = None) -> Model:
    """Return the model of a file or of a net of the library. Raises LanguageError, Refusal.

    quiet: whether notes are left out, if that is not to be asked of the command.
    """
    given = given or Given()
    loaded = _from_stdin(given) if name == STDIN else _from_file(find(name, quiet=quiet), given, quiet)
    if not given.streams and not given.columns:
        return loaded
    return _with_pipes(loaded.with_streams(given.streams, given.columns), given.streams)


def _from_file(path: str, given: Given, quiet: bool | None) -> Model:
    if os.path.splitext(path)[1] != library.SUFFIX:
        return _from_any_file(path, given, quiet)
    try:
        return model.load(path, given.tables, **given.settings)
    except LanguageError as error:
        if any(diagnostic.id == "file-foreign" for diagnostic in error.diagnostics) and (
            imported := _imported(path, given, quiet)
        ):
            return imported
        raise


def _from_any_file(path: str, given: Given, quiet: bool | None) -> Model:
    """Return the model of a file that is perhaps not of this language: its content decides."""

    if interchange.is_unreadable(Path(path)):
        interchange.read(Path(path))  # which says what the file is
    return _imported(path, given, quiet) or model.load(path, given.tables, **given.settings)


def _imported(path: str, given: Given, quiet: bool | None) -> Model | None:
    """Return the model of a file of another tool; None if it is in no format that is known."""

    file = Path(path)
    if not interchange.is_foreign(file):
        return None
    found = interchange.read(file)
    if not (is_quiet(outside=True) if quiet is None else quiet):
        for finding in found.findings:
            tell(finding, {found.file: found.source})
    shown = f"{path} (imported)"
    return _from_text(interchange.text_of(found), given, shown)


def _from_stdin(given: Given) -> Model:
    return _from_text(read_stdin(), given, SHOWN_STDIN)


def _from_text(text: str, given: Given, name: str) -> Model:
    """Return the model of a text, which can be made again with other values. name: of the text, in messages."""
    read = language.loads_with_sources(text, given.settings, name=name, tables=given.tables)
    return Model(*read, LoadedFrom(None, text, given.settings, given.tables))


def _with_pipes(loaded: Model, named: Mapping[str, str]) -> Model:
    """Return the model with copies of the named files that are pipes, for as long as the command runs."""
    if not any(is_pipe(file) for file in named.values()):
        return loaded

    copies = click.get_current_context().with_resource(ExitStack())
    return Model(from_pipes(loaded.net, named, copies), loaded.sources)
