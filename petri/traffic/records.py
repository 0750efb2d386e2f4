"""The records of a text with separated columns (RFC 4180). A quoted cell may have line breaks."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Final, TextIO

from petri.diagnostics import LanguageError
from petri.regular import encoding_of
from petri.traffic.problems import problem, unreadable

LONGEST_RECORD: Final = 1 << 16  # characters

Record = tuple[int, str]
"""The number of its first line, and its text."""

_DELIMITERS: Final = ",;\t"
_TOLD_DELIMITER: Final = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # as spreadsheets write it into the first line


class Records:
    """An open text, positioned after its first record, which names the columns."""

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        self._line = 0
        self._wrong: LanguageError | None = None  # what is wrong with the record after those that were read
        self.delimiter = ","
        try:
            self._file: TextIO = path.open(encoding=encoding_of(path), errors="surrogateescape", newline="")
        except OSError as error:
            raise unreadable(name, error) from error
        try:
            self.headers = self._headers()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._file.close()

    def _headers(self) -> list[str]:
        """Return the cells of the first record, which also decides what separates them."""
        line = next(self._content(), None)
        if line is not None and (told := _TOLD_DELIMITER.fullmatch(line)):
            self.delimiter = told[1]
            line = next(self._content(), None)
        elif line is not None:
            line = self._whole(line)
            self.delimiter = max(_DELIMITERS, key=lambda one: len(_split(line, one)))
        return [] if line is None else [cell.strip() for cell in self.cells((self._line, self._whole(line)))]

    def take(self, most: int) -> list[Record]:
        """Return the next records. Those before an unreadable one are returned first."""
        if self._wrong is not None:
            raise self._wrong
        found: list[Record] = []
        try:
            for line in islice(self._content(), most):
                number = self._line
                found.append((number, self._whole(line) if '"' in line else line))
        except LanguageError as error:
            if not found:
                raise
            self._wrong = error
        return found

    def cells(self, record: Record) -> list[str]:
        number, text = record
        try:
            return next(csv.reader([text], delimiter=self.delimiter, strict=True), [])
        except csv.Error as error:
            reason = "a quoted cell does not end" if "unexpected end" in str(error) else str(error)
            raise problem("stream-row", path=self._name, where=f"line {number}", reason=reason) from None

    def _content(self) -> Iterator[str]:
        """Yield the lines but those that are empty, or comments."""
        while line := self._next():
            if line[0] != "#" and not line.isspace():
                yield line

    def _whole(self, line: str) -> str:
        """Return the record that begins with a line: as many more lines as a quoted cell goes on."""
        number, read, length = self._line, [line], len(line)

        def further() -> Iterator[str]:
            nonlocal length
            while more := self._next():
                length += len(more)
                if length > LONGEST_RECORD:
                    raise problem("stream-long-line", path=self._name, line=number, limit=LONGEST_RECORD)
                read.append(more)
                yield more

        next(csv.reader(chain(read[:1], further()), delimiter=self.delimiter), None)
        return "".join(read)

    def _next(self) -> str:
        """Return the next line, "" at the end."""
        try:
            line = self._file.readline(LONGEST_RECORD + 1)
        except UnicodeError:  # of UTF-16, where nothing is escaped
            raise problem("stream-not-text", path=self._name, line=self._line + 1) from None
        except OSError as error:
            raise unreadable(self._name, error) from error
        if line:
            self._line += 1
            if "\0" in line or (not line.isascii() and any("\udc80" <= one <= "\udcff" for one in line)):
                raise problem("stream-not-text", path=self._name, line=self._line)
            if len(line) > LONGEST_RECORD:
                raise problem("stream-long-line", path=self._name, line=self._line, limit=LONGEST_RECORD)
        return line


def _split(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line, as far as it goes."""
    return next(csv.reader([line], delimiter=delimiter), [])
