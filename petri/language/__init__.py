"""The `.net` language: text in, flat net out.

    net = language.load("ixp2400", {"line": "5 Gbps", "engines": 8})

`docs/language.md` is the reference of the language. A text passes through the packages `syntax`, `checking` (which
fills in the data types of `meaning`) and `flattening`; `layout` turns the tree back into text. Modules are imported
when they are needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from os import PathLike

from petri import library
from petri.diagnostics import Diagnostic, LanguageError, in_order, limited
from petri.language.checking import conditions, durations
from petri.language.checking.checker import Checker
from petri.language.checking.lint import lint
from petri.language.collector import at_rest
from petri.language.flattening.flatten import Flattener, TooLarge
from petri.language.flattening.ripening import ripened
from petri.language.loader import Loader, OpenTexts
from petri.language.meaning.nodes import limited as limited_nodes
from petri.language.meaning.traced import Recording
from petri.language.problems import Problems, Stopped
from petri.language.settings import Reading, Recorded, read_again, recorded
from petri.net import Net, Watched
from petri.structs import Struct

Tables = Mapping[str, str | PathLike[str]]
Lint = Callable[[Net], list[Diagnostic]]
TEXT = "<text>"


class Study(Struct):
    """The results of a check. `net` is None if there is an error, `checker` if there is no text to read.

    part: the file is only a part for others to import.
    """

    problems: Problems
    loader: Loader
    checker: Checker | None = None
    net: Net | None = None
    part: bool = False


def load(path: str | PathLike[str], parameters: Mapping[str, object] | None = None) -> Net:
    """Return the flat net of a file, or of a net of the library by its name ("ixp2400", "patterns/mm1").

    parameters: values for the net's parameters. A number is in the net's own units, as `Parameter.value` of the flat
    net is; a text is an expression of the language, with its unit ("10 us"). Raises LanguageError with all
    errors.
    """
    return load_with_sources(path, parameters)[0]


def loads(text: str, parameters: Mapping[str, object] | None = None, *, name: str = TEXT) -> Net:
    """Return the flat net of a text, which can import modules of the library and no files. Raises LanguageError."""
    return loads_with_sources(text, parameters, name=name)[0]


def load_with_sources(
    path: str | PathLike[str], parameters: Mapping[str, object] | None = None, tables: Tables | None = None
) -> tuple[Net, dict[str, str]]:
    """Do as `load`, and return the texts of all files read, by their names in spans.

    tables: other files for the tables that the net draws from, by their names in the net ({"lengths.csv": "mine.csv"}).
    """
    found = _find(path)
    if not os.path.splitext(found)[1]:
        _require_net(found)
    return _read(found, None, parameters, TEXT, tables)


def loads_with_sources(
    text: str, parameters: Mapping[str, object] | None = None, *, name: str = TEXT, tables: Tables | None = None
) -> tuple[Net, dict[str, str]]:
    """Do as `loads`, and return the texts of all files read."""
    return _read(None, text, parameters, name, tables)


def check(path: str | PathLike[str], parameters: Mapping[str, object] | None = None) -> list[Diagnostic]:
    """Return all problems of a file, in the order of the text. parameters: as for `petri.load`."""
    if not isinstance(path, str | PathLike):
        raise TypeError(f"a net is checked by its path or by its name in the library, not by {path!r:.60}")
    if not isinstance(parameters, Mapping | None):
        raise TypeError(f"`parameters` is a mapping, such as {{'load': 0.5}}, not {parameters!r:.60}")
    return check_with_sources(path, parameters)[0]


def check_with_sources(
    path: str | PathLike[str], parameters: Mapping[str, object] | None = None, *, more: Lint | None = None
) -> tuple[list[Diagnostic], dict[str, str]]:
    """Do as `check`, and return the texts of all files read.

    `more` finds what else there is to say of a net without errors.
    """
    return _found(_linted(_work(_find(path), None, parameters, TEXT, lints=True), more))


def checks(text: str, parameters: Mapping[str, object] | None = None, *, name: str = TEXT) -> list[Diagnostic]:
    """Do as `check`, of a text."""
    return checks_with_sources(text, parameters, name=name)[0]


def checks_with_sources(
    text: str, parameters: Mapping[str, object] | None = None, *, name: str = TEXT, more: Lint | None = None
) -> tuple[list[Diagnostic], dict[str, str]]:
    """Do as `checks`, and return the texts of all files read; `more` as of `check_with_sources`."""
    return _found(_linted(_work(None, text, parameters, name, lints=True), more))


def duration(text: str, net: Net) -> float:
    """Return a time such as "20 ms", in the net's own units or others, as a number of the net. Raises LanguageError."""
    return durations.duration(text, net)


def condition(text: str, net: Net) -> Watched:
    """Return a condition on the marking of a net, such as "tokens(buffer) == 8 and not dead". Raises LanguageError.

    Variable 0 of its value is whether the net is dead, the next ones are the firings in progress.
    """
    return conditions.condition(text, net)


def _find(path: str | PathLike[str]) -> str:
    """Do as `library.find`; a path that leads nowhere, for its reader to report."""
    return library.find(path) or os.fspath(path)


def _require_net(path: str) -> None:
    """Raise LanguageError if what has the name of a net, not that of a file, is neither."""
    if not os.path.exists(path):
        values = {"name": path, "suggestion": library.nearest(path)}
        raise LanguageError([Diagnostic("unknown-net", values=values)])


@at_rest()
def study(path: str | PathLike[str], opened: OpenTexts) -> Study:
    """Do as `check`, and return what it knows of each name and expression, for editors. opened: unsaved texts."""
    path = os.fspath(path)
    found = _attempt(path, None, {}, TEXT, lints=True, opened=opened)
    return _attempt(path, None, {}, TEXT, True, "ns", opened=opened) if found.part and found.problems.failed else found


def _read(
    path: str | None, text: str | None, parameters: Mapping[str, object] | None, name: str, tables: Tables | None
) -> tuple[Net, dict[str, str]]:
    """Return the flat net and the texts of all files; what was read before is not read again for other numbers."""

    @at_rest()
    def read(recording: Recording | None) -> tuple[Reading, Recorded | None]:
        kept = None
        if recording is not None:
            found = _attempt(path, text, parameters, name, tables=tables, recording=recording)
            if found.net is not None and found.checker is not None:
                kept = recorded(found.net, recording, found.checker.overrides, found.problems, found.loader.read)
                return (kept.now, found.problems.sources), kept
        return _net_or_error(*_work(path, text, parameters, name, tables=tables)), None

    return read_again((path, text, name, os.getcwd(), repr(tables)), parameters or {}, read)


@at_rest()
def _work(
    path: str | None,
    text: str | None,
    parameters: Mapping[str, object] | None,
    name: str,
    lints: bool = False,
    tables: Tables | None = None,
) -> tuple[Net | None, Problems]:
    """Do all steps from text to flat net; None if there is an error."""
    found = _attempt(path, text, parameters, name, lints, "", tables)
    if found.part and found.problems.failed:
        # Nets that import this part set the unit of time, so any unit works for the check.
        found = _attempt(path, text, parameters, name, lints, "ns", tables)
    return found.net, found.problems


def _attempt(
    path: str | None,
    text: str | None,
    parameters: Mapping[str, object] | None,
    name: str,
    lints: bool = False,
    clock: str = "",
    tables: Tables | None = None,
    opened: OpenTexts | None = None,
    recording: Recording | None = None,
) -> Study:
    """Read, check and flatten; with `opened` the types of all expressions are kept."""
    problems = Problems()
    loader = Loader(problems, tables, opened)
    found = Study(problems, loader)
    try:
        with limited_nodes():
            _fill(found, path, text, parameters or {}, name, lints, clock, opened is not None, recording)
    except Stopped as stopped:
        problems.add(stopped.error)
        found.part = False
    return found


def _fill(
    found: Study,
    path: str | None,
    text: str | None,
    parameters: Mapping[str, object],
    name: str,
    lints: bool,
    clock: str,
    editing: bool,
    recording: Recording | None,
) -> None:
    """Raise Stopped where going on makes no sense."""
    problems, loader = found.problems, found.loader
    if path is not None:
        if not loader.load(path):
            return
    else:
        loader.load_text(text or "", name)
    found.checker = checker = Checker(loader, parameters, clock, recording)
    checker.seen = {} if editing else None
    checker.keeps_read = lints
    checker.run()
    loader.check_given()
    found.part = checker.gatherer.part
    if found.part and not lints and not problems.failed:
        problems.error("only-modules", None, path=loader.files[0].path)
        found.part = False
        return
    if problems.failed:
        return
    try:
        flattener = Flattener(checker, loader.tables)
        flat = flattener.run(os.path.splitext(os.path.basename(path))[0] if path is not None else "net")
    except TooLarge:
        found.part = False
        return
    if lints and not problems.failed:
        lint(flat, checker, flattener.deprived)
    if not problems.failed:
        flat = ripened(flat, problems)
    found.net = None if problems.failed else flat


def _net_or_error(net: Net | None, problems: Problems) -> tuple[Net, dict[str, str]]:
    if net is None:
        found, sources = _found(problems)
        raise LanguageError([diagnostic for diagnostic in found if diagnostic.severity == "error"], sources)
    return net, problems.sources


def _linted(checked: tuple[Net | None, Problems], more: Lint | None) -> Problems:
    net, problems = checked
    if net is not None and more is not None:
        problems.found.extend(more(net))
    return problems


def _found(problems: Problems) -> tuple[list[Diagnostic], dict[str, str]]:
    """Return the problems in order, limited in number."""
    return limited(in_order(problems.found), next(iter(problems.sources), "the net")), problems.sources
