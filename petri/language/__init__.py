"""The `.net` language: text in, flat net out.

    net = language.load("ixp2400", {"line": "5 Gbps", "engines": 8})

`docs/language.md` is the reference of the language. A text passes through the packages `syntax`, `checking` (which
fills in the data types of `meaning`) and `flattening`; `layout` turns the tree back into text. Modules are imported
when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from petri.diagnostics import Diagnostic, LanguageError
from petri.net import Net

if TYPE_CHECKING:
    from petri.language.problems import Problems

Tables = Mapping[str, str | PathLike[str]]
Lint = Callable[[Net], list[Diagnostic]]
TEXT = "<text>"


def load(path: str | Path, parameters: Mapping[str, object] | None = None) -> Net:
    """The flat net of a file, or of a net of the library by its name ("ixp2400", "patterns/mm1").

    parameters: values for the net's parameters. A number is in the net's own units, as `Parameter.value` of the flat
    net is; a text is an expression of the language, with its unit ("10 us"). Raises LanguageError with all
    errors.
    """
    return load_with_sources(path, parameters)[0]


def loads(text: str, parameters: Mapping[str, object] | None = None, *, name: str = TEXT) -> Net:
    """The flat net of a text, which can import modules of the library and no files. Raises LanguageError."""
    return loads_with_sources(text, parameters, name=name)[0]


def load_with_sources(
    path: str | Path, parameters: Mapping[str, object] | None = None, tables: Tables | None = None
) -> tuple[Net, dict[str, str]]:
    """As `load`, plus the texts of all files read, by their names in spans.

    tables: other files for the tables that the net draws from, by their names in the net ({"lengths.csv": "mine.csv"}).
    """
    return _net_or_error(*_work(_find(path), None, parameters, TEXT, tables=tables))


def loads_with_sources(
    text: str, parameters: Mapping[str, object] | None = None, *, name: str = TEXT, tables: Tables | None = None
) -> tuple[Net, dict[str, str]]:
    """As `loads`, plus the texts of all files read."""
    return _net_or_error(*_work(None, text, parameters, name, tables=tables))


def check(path: str | Path, parameters: Mapping[str, object] | None = None) -> list[Diagnostic]:
    """All problems of a file: errors, warnings and notes, in the order of the text."""
    return check_with_sources(path, parameters)[0]


def check_with_sources(
    path: str | Path, parameters: Mapping[str, object] | None = None, *, more: Lint | None = None
) -> tuple[list[Diagnostic], dict[str, str]]:
    """As `check`, plus the texts of all files read. `more` tells what else there is to say of a net without errors."""
    return _found(_linted(_work(_find(path), None, parameters, TEXT, lints=True), more))


def checks(text: str, parameters: Mapping[str, object] | None = None, *, name: str = TEXT) -> list[Diagnostic]:
    """As `check`, of a text."""
    return checks_with_sources(text, parameters, name=name)[0]


def checks_with_sources(
    text: str, parameters: Mapping[str, object] | None = None, *, name: str = TEXT, more: Lint | None = None
) -> tuple[list[Diagnostic], dict[str, str]]:
    """As `checks`, plus the texts of all files read; `more` as of `check_with_sources`."""
    return _found(_linted(_work(None, text, parameters, name, lints=True), more))


def duration(text: str, net: Net) -> float:
    """A time such as "20 ms" in the units of a net. Raises LanguageError."""
    from petri.language.checking.durations import duration as read

    return read(text, net.time_unit, net.seconds)


def _find(path: str | Path) -> Path:
    """The file, or the library's net of that name."""
    from petri import library

    given = Path(path)
    if given.exists():
        return given
    return library.net(str(path).removesuffix(library.SUFFIX)) or given


def _work(
    path: Path | None,
    text: str | None,
    parameters: Mapping[str, object] | None,
    name: str,
    lints: bool = False,
    tables: Tables | None = None,
) -> tuple[Net | None, Problems]:
    """All steps from text to flat net; None if there is an error."""
    flat, problems, part = _attempt(path, text, parameters, name, lints, "", tables)
    if not part or not problems.failed:
        return flat, problems
    # Nets that import this part set the unit of time, so any unit works for the check.
    return _attempt(path, text, parameters, name, lints, "ns", tables)[:2]


def _attempt(
    path: Path | None,
    text: str | None,
    parameters: Mapping[str, object] | None,
    name: str,
    lints: bool,
    clock: str,
    tables: Tables | None,
) -> tuple[Net | None, Problems, bool]:
    """The net, the problems, and whether the file is only a part for others to import."""
    from petri.language.checking.checker import Checker
    from petri.language.flattening.flatten import Flattener, TooLarge
    from petri.language.loader import Loader
    from petri.language.problems import Problems

    problems = Problems()
    loader = Loader(problems, tables)
    if path is not None:
        if not loader.load(path):
            return None, problems, False
    else:
        loader.load_text(text or "", name)
    library, broken = frozenset(loader.library_files), frozenset(loader.broken)
    readers = (loader.table, loader.stream, loader.column)
    checker = Checker(problems, loader.space, parameters or {}, *readers, library, broken, clock)
    checker.run()
    loader.check_given()
    part = checker.gatherer.part
    if part and not lints and not problems.failed:
        problems.error("only-modules", None, path=loader.files[0].path)
        return None, problems, False
    if problems.failed:
        return None, problems, part
    try:
        flattener = Flattener(checker, loader.tables)
        flat = flattener.run(path.stem if path is not None else "net")
    except TooLarge:
        return None, problems, False
    if lints and not problems.failed:
        from petri.language.checking.lint import lint

        lint(flat, checker, flattener.deprived)
    return (None if problems.failed else flat), problems, part


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
    """The problems in order, limited in number."""
    from petri.diagnostics import in_order, limited

    return limited(in_order(problems.found), next(iter(problems.sources), "the net")), problems.sources
