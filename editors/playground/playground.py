"""What the page asks of pnsim. Answers are plain data; texts have the colours of a terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from petri import language, library
from petri.analysis import sampling
from petri.analysis.cautions import coarse
from petri.analysis.speed import notes
from petri.diagnostics import Diagnostic, LanguageError, has_errors, render, summary
from petri.editor.fixes import Change, changes
from petri.net import Net

OWN = "/net"  # the folder of nets that are not the library's
Settings = Mapping[str, str]
"""The fields `set` ("load=0.9, buffer=8"), `until`, `replications`, `seed`, `max_firings`; empty for the net's own."""


# ---------------------------------------------------------------- texts


def names() -> list[str]:
    """Return the first net, and those of the library."""
    return ["first", *sorted(name for name, _ in library.named(library.nets()))]


def _place(name: str) -> tuple[str, str]:
    """Return the folder of a net, and its file there."""
    path = library.net(name) or os.path.join(OWN, name.rpartition("/")[2] + library.SUFFIX)
    return os.path.split(path)


@cache
def original(name: str) -> str:
    """Return the text of a net as it was, whatever has been tried with it; empty if it is not one of `names`."""
    path = os.path.join(*_place(name))
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as source:
        return source.read()


def written(name: str, source: str) -> str:
    """Put the text where the net was, so that it finds its recordings. Returns the file, in the current folder."""
    original(name)
    folder, file = _place(name)
    os.chdir(folder)
    with open(file, "w", encoding="utf-8") as target:
        target.write(source)
    return file


def parameters(settings: Settings) -> dict[str, str]:
    """Raise ValueError for what is not `name=value`."""
    found = {}
    for word in filter(None, map(str.strip, settings.get("set", "").split(","))):
        name, equals, value = map(str.strip, word.partition("="))
        if not (name and equals and value):
            raise ValueError(f"Parameters are written `name=value, name=value`, but there is `{word}`.")
        found[name] = value
    return found


def options(settings: Settings) -> dict[str, Any]:
    """Raise ValueError for a number that is none."""
    found: dict[str, Any] = {"until": settings["until"]} if settings.get("until") else {}
    for name, least in (("replications", 1), ("seed", 0), ("max_firings", 1)):
        if word := settings.get(name, ""):
            if not word.isdecimal() or int(word) < least:
                raise ValueError(f"The field `{name}` takes a whole number from {least}, not `{word}`.")
            found[name] = int(word)
    return found


# ---------------------------------------------------------------- answers


def _problem(text: str, one: Diagnostic | None = None, fixes: Sequence[Change] = ()) -> dict[str, Any]:
    """Return what the page shows of a diagnostic; a fix is its title, where it begins and ends, and the new text."""
    line, severity = (one.span.line if one and one.span else 0), one.severity if one else "error"
    listed = [
        [fix.title, [fix.span.line, fix.span.column], [fix.span.end_line, fix.span.end_column], fix.text]
        for fix in fixes
    ]
    return {"text": text, "line": line, "severity": severity, "fixes": listed}


def check(name: str, source: str, settings: Settings) -> dict[str, Any]:
    """Return what `pnsim check` says of the text: its diagnostics, and how many there are."""

    def more(net: Net) -> list[Diagnostic]:
        return [*coarse(net), *sampling.notes(net), *notes(net)]

    file = written(name, source)
    try:
        found, sources = language.check_with_sources(file, parameters(settings), more=more)
    except ValueError as error:
        return {"wrong": True, "summary": "", "problems": [_problem(str(error))]}
    lines = source.splitlines()
    told = [
        _problem(render(one, sources, colour=True), one, [fix for fix in changes(one, lines) if fix.span.file == file])
        for one in found
    ]
    return {"wrong": has_errors(found), "summary": summary(found) or "no problems found", "problems": told}


def told(error: BaseException) -> str:
    """Return what to say of an error."""
    if isinstance(error, LanguageError):
        return "\n\n".join(render(one, error.sources, colour=True) for one in error.diagnostics)
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
