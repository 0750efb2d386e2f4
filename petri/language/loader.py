"""Files: the net, what it imports, and the tables it draws from.

`import name` reads a module of the library. `import "part.net"` and `table("sizes.csv")` are relative to the file that
contains them, and cannot leave the folder of the net (of the library, for its own files). So a net from a stranger
cannot read anything else. Each file is read once.
"""

from __future__ import annotations

import csv
import math
import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from os import PathLike

from petri import library, net
from petri.diagnostics import Diagnostic, did_you_mean
from petri.language.checking.state import KnownTable, Sources, Space
from petri.language.problems import Problems
from petri.language.syntax import tree
from petri.language.syntax.foreign import read_source
from petri.language.syntax.parser import parse_text
from petri.language.syntax.reuse import KnownStatements
from petri.net import Span
from petri.regular import State, encoding_of, irregular, state_of
from petri.structs import Struct, field

MOST_FILES = 1000
MOST_ROWS = 1_000_000
MOST_ELEMENTS = 4096  # of a list
FILES_KEPT = 64
LARGEST_KEPT = 2**15  # characters; the tree of a text needs about a hundred times its memory
LARGEST_TABLE = 32 * 2**20  # bytes


def _parsed(text: str, name: str) -> tuple[tree.File, tuple[Diagnostic, ...], frozenset[str]]:
    """Return the tree of a file, its errors, and the names whose declarations are broken."""
    parsed = parse_text(text, name)
    return parsed.file, tuple(parsed.diagnostics), parsed.broken


# The points of a sweep are nets from the same files, so the last ones read are cached.
_parsed_before = lru_cache(FILES_KEPT)(_parsed)


def shown_path(path: str) -> str:
    """Return the name of a file in messages: short, and for the library the same on every machine."""
    real = os.path.realpath(path)
    for folder, name in ((library.nets(), "nets"), (library.models(), "models")):
        if library.is_inside(real, folder):
            return posixpath.join(name, *os.path.relpath(real, folder).split(os.sep))
    below = os.path.isabs(path) and library.is_inside(real, os.getcwd())
    path = os.path.relpath(real) if below else os.path.normpath(path)
    # It becomes part of the flat net, whose texts are Unicode.
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class OpenTexts(Struct):
    """Texts that an editor holds: they are read instead of the files, and parsed again only where they have changed.

    texts: by path, where links have been followed.
    """

    texts: dict[str, str] = field(default_factory=dict)
    known: dict[str, KnownStatements] = field(default_factory=dict)


class Loader(Sources):
    """The files of one net. `files` starts with the net itself; `broken` are names whose declarations did not parse."""

    def __init__(
        self,
        problems: Problems,
        tables: Mapping[str, str | PathLike[str]] | None = None,
        opened: OpenTexts | None = None,
    ) -> None:
        """tables: other files for tables, by their names in the net; these may be anywhere."""
        super().__init__(problems)
        self._given = dict(tables or {})
        self._opened = opened or OpenTexts()
        self._named: dict[str, None] = {}
        self.tables: list[net.Table] = []
        self.paths: dict[str, str] = {}
        self._count = 1
        self._table_numbers: dict[str, KnownTable | None] = {}
        self._root: str | None = None
        self.read: dict[str, State | None] = {}  # the files that were read, by their paths

    def load(self, path: str) -> bool:
        """Read the net and all its imports; reports an error and returns False if there is no net to read."""
        real, name = os.path.realpath(path), shown_path(path)
        self._root = os.path.dirname(real)
        text, found = self._source(path, name)
        if found:
            for diagnostic in found:
                self.problems.add(diagnostic)
            return False
        self.space.read.add(real)
        self.space.targets = (real,)
        self.paths[name] = real
        self._parse(text, name, self.space)
        return True

    def load_text(self, text: str, name: str) -> None:
        """Read the net from a text, which can import only library modules."""
        self._parse(text, name, self.space)

    def _source(self, path: str, name: str) -> tuple[str, list[Diagnostic]]:
        """Return the text of a file, from the editor if it is open there; see `read_source`."""
        text = self._opened.texts.get(os.path.realpath(path))
        if text is not None:
            return text, []
        self.read[path] = state_of(path)
        return read_source(path, name)

    def _parse(self, text: str, name: str, space: Space) -> None:
        self.problems.sources[name] = text
        path = self.paths.get(name)
        if path in self._opened.texts:
            known = self._opened.known.setdefault(name, KnownStatements())
            parsed = parse_text(text, name, known)
            file, diagnostics, broken = parsed.file, tuple(parsed.diagnostics), parsed.broken
        else:
            parse = _parsed if len(text) > LARGEST_KEPT else _parsed_before
            file, diagnostics, broken = parse(text, name)
        for diagnostic in diagnostics:
            self.problems.add(diagnostic)
        self.broken |= broken
        space.files.append(file)
        for declaration in file.declarations:
            if isinstance(declaration, tree.Import):
                self._import(declaration, space)

    # ------------------------------------------------------------ imports

    def _import(self, d: tree.Import, space: Space) -> None:
        path = self._library_module(d) if d.path is None else self._relative(d.path, d.span)
        if path is None:
            self.broken.add("*")
            return
        if d.alias is not None:
            if path in space.targets:
                self.problems.error("import-circular", d.span, path=d.path or d.name)
                return
            inner = Space(targets=(*space.targets, path))
            space.inner.append((d, inner))
            space = inner
        if path in space.read:
            return
        if self._count >= MOST_FILES:
            self.problems.error("too-many-files", d.span, limit=MOST_FILES)
            return
        self._count += 1
        space.read.add(path)
        name = shown_path(self._as_written(d, path))
        kind = None if path in self._opened.texts else self._irregular(path)
        if kind is not None:
            self.problems.error("import-not-regular", d.span, path=d.path or d.name, kind=kind)
            self.broken.add("*")
            return
        text, found = self._source(path, name)
        for diagnostic in found:
            if diagnostic.id == "file-missing":
                self._missing(d, path)
            else:
                self.problems.report(diagnostic.id, diagnostic.span or d.span, diagnostic.values)
            self.broken.add("*")
        if found:
            return
        self.paths[name] = path
        if library.is_inside(path, library.models()):
            self.library_files.add(name)
        self._parse(text, name, space)

    @staticmethod
    def _irregular(path: str) -> str | None:
        """See `irregular`; whoever opens the file reports what else is wrong with it."""
        try:
            return irregular(path)
        except (OSError, ValueError):
            return None

    def _as_written(self, d: tree.Import, path: str) -> str:
        """Return the path relative to the importing file, so that messages show it as the user named the net."""
        if d.path is None:
            return path
        return os.path.normpath(os.path.join(os.path.dirname(d.span.file), d.path))

    def _library_module(self, d: tree.Import) -> str | None:
        path = library.module(d.name)
        if path is None:
            names = sorted(name.replace("/", ".") for name, _ in library.named(library.models()))
            self.problems.error("import-unknown", d.span, name=d.name, suggestion=did_you_mean(d.name, names))
            return None
        return path

    def _relative(self, written: str, span: Span) -> str | None:
        """Return the file of a path in a source; reports an error and returns None if it may not be read."""
        origin = self.paths.get(span.file)
        if origin is None:
            self.problems.error("path-without-file", span, path=written)
            return None
        models = library.models()
        root = models if library.is_inside(origin, models) else self._root
        assert root is not None
        try:
            real = os.path.realpath(os.path.join(os.path.dirname(origin), written))
        except (OSError, ValueError):
            self.problems.error("path-outside", span, path=written)
            return None
        if os.path.isabs(written) or "\\" in written or not library.is_inside(real, root):
            self.problems.error("path-outside", span, path=written)
            return None
        return real

    def _missing(self, d: tree.Import, path: str) -> None:
        suggestion = _beside(d.path or "", path)
        self.problems.error("import-missing", d.span, path=d.path or d.name, suggestion=suggestion)

    # ------------------------------------------------------------ streams and tables

    def stream(self, e: tree.Text) -> str | None:
        """Return the file of a stream, which is not opened; reports an error and returns None if it may not be read."""
        return self._relative(e.value, e.span)

    def _table_path(self, e: tree.Text) -> str | None:
        """Return the file of a table: that which is given for its name, or that of its name."""
        self._named[e.value] = None
        given = self._given.get(e.value)
        return self._relative(e.value, e.span) if given is None else os.path.abspath(given)

    def table(self, e: tree.Text) -> KnownTable | None:
        """Return the properties of a table; reports an error and returns None if it cannot be used."""
        path = self._table_path(e)
        if path is None:
            return None
        if path not in self._table_numbers:
            rows = self._rows(e, path)
            self._table_numbers[path] = None if rows is None else self._add_table(e, rows)
        return self._table_numbers[path]

    def column(self, e: tree.Text, title: tree.Text | None) -> list[int | float] | None:
        """Return the numbers of a column, by title or the first one; reports an error and returns None without one."""
        path = self._table_path(e)
        text = None if path is None else self._text(e, path)
        return None if text is None else self._read_column(e, text, title)

    def check_given(self) -> None:
        """Report tables that were given but are not in the net."""
        for name in self._given:
            if name not in self._named:
                near = did_you_mean(name, self._named)
                self.problems.error("table-not-there", None, name=name, names=list(self._named), suggestion=near)

    def _add_table(self, e: tree.Text, rows: list[tuple[str, float]]) -> KnownTable:
        whole = all(_is_whole(value) for value, _ in rows)
        values = tuple(int(value) if whole else float(value) for value, _ in rows)
        self.tables.append(net.Table(e.value, values, tuple(weight for _, weight in rows)))
        weighted = math.fsum(value * weight for value, (_, weight) in zip(values, rows, strict=True))
        mean = weighted / math.fsum(weight for _, weight in rows)
        ascends = all(low < high for low, high in pairwise(values))
        return KnownTable(len(self.tables) - 1, whole, ascends, Fraction(mean))

    def _rows(self, e: tree.Text, path: str) -> list[tuple[str, float]] | None:
        text = self._text(e, path)
        return None if text is None else self._read_rows(e, text)

    def _text(self, e: tree.Text, path: str) -> str | None:
        kind = None if path in self._opened.texts else self._irregular(path)
        if kind is not None:
            self.problems.error("table-not-regular", e.span, path=e.value, kind=kind)
            return None
        try:
            self.read[path] = state_of(path)
            size = os.stat(path).st_size
            if size > LARGEST_TABLE:
                limit = f"{LARGEST_TABLE // 2**20} MiB"
                self.problems.error(
                    "table-too-large", e.span, path=e.value, size=f"{size / 2**20:.0f} MiB", limit=limit
                )
                return None
            with open(path, encoding=encoding_of(path)) as file:
                return file.read()
        except FileNotFoundError:
            suggestion = _beside(e.value, path)
            self.problems.error("table-missing", e.span, path=e.value, suggestion=suggestion)
            return None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not UTF-8 text"
            self.problems.error("table-unreadable", e.span, path=e.value, reason=reason)
            return None

    def _read_column(self, e: tree.Text, text: str, title: tree.Text | None) -> list[int | float] | None:
        rows = [(number, cells) for number, cells in _separated(text) if any(cells) and not cells[0].startswith("#")]
        first = rows[0][1] if rows else []
        named = not _are_numbers(first) if title is not None else not any(map(_is_number, first[:1]))
        titles = rows.pop(0)[1] if rows and named else []
        if title is not None and title.value not in titles:
            near = did_you_mean(title.value, titles)
            self.problems.error(
                "no-column", title.span, path=e.value, title=title.value, known=titles[:12], suggestion=near
            )
            return None
        position = titles.index(title.value) if title is not None else 0
        for number, cells in rows:
            if position >= len(cells) or not _are_numbers(cells[position : position + 1]):
                shown = ", ".join(cells)
                self.problems.error("column-row", e.span, path=e.value, line=number, number=position + 1, text=shown)
                return None
        if not 0 < len(rows) <= MOST_ELEMENTS:
            self.problems.error("column-length", e.span, path=e.value, rows=len(rows), limit=MOST_ELEMENTS)
            return None
        found = [cells[position] for _, cells in rows]
        whole = all(map(_is_whole, found))
        return [int(cell) if whole else float(cell) for cell in found]

    def _read_rows(self, e: tree.Text, text: str) -> list[tuple[str, float]] | None:
        rows: list[tuple[str, float]] = []
        titles = True  # the first line that is not a comment may name the columns
        for number, cells in _separated(text):
            if not any(cells) or cells[0].startswith("#"):
                continue
            first, titles = titles, False
            if first and not any(map(_is_number, cells)):
                continue
            reason = _what_is_wrong(cells)
            if reason is not None:
                self.problems.error(
                    "table-row", e.span, path=e.value, line=number, reason=reason, text=", ".join(cells)
                )
                return None
            if len(rows) == MOST_ROWS:
                self.problems.error(
                    "table-too-large", e.span, path=e.value, size="more rows", limit=f"{MOST_ROWS} rows"
                )
                return None
            rows.append((cells[0], float(cells[1])))
        if not any(weight > 0 for _, weight in rows):
            self.problems.error("table-empty", e.span, path=e.value)
            return None
        return rows


def _separated(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each line of a table, with its number.

    Semicolons or tabs separate them if the first line has any.

    Then a comma within a number is the decimal comma.
    """
    lines = text.splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    delimiter = next((one for one in ";\t" if one in first), ",")
    for number, row in enumerate(csv.reader(lines, delimiter=delimiter), start=1):
        cells = [cell.strip() for cell in row]
        yield number, cells if delimiter == "," else [_with_point(cell) for cell in cells]


def _with_point(cell: str) -> str:
    changed = cell.replace(",", ".", 1)
    return changed if "." not in cell and _is_number(changed) else cell


def _beside(written: str, path: str) -> str | None:
    """Return what may be meant by the written path of a file that is missing: one in its folder with a similar name."""
    folder, name = os.path.split(path)
    try:
        near = did_you_mean(name, os.listdir(folder))
    except OSError:
        return None
    return posixpath.join(posixpath.dirname(written), near) if near else None


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-").removeprefix("+")
    return digits.isascii() and digits.isdigit() and len(digits) <= 18


def _are_numbers(cells: Sequence[str]) -> bool:
    try:
        return all(math.isfinite(float(cell)) for cell in cells)
    except ValueError:
        return False


def _is_number(cell: str) -> bool:
    """Also infinity, and what is not a number by name: no title of a column."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _what_is_wrong(cells: Sequence[str]) -> str | None:
    """Return why a row is not a value and its weight; None if it is."""
    if len(cells) != 2:
        return f"it has {len(cells)} column{'s' if len(cells) > 1 else ''}; a row is `value,weight`"
    if not _are_numbers(cells):
        return "value and weight must be numbers"
    return "the weight is negative" if float(cells[1]) < 0 else None
