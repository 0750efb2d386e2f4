"""Text with separated columns: CSV, also with semicolons or tabs, read by the crate `petri/native/recording`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from petri.diagnostics import LanguageError
from petri.net import Net, Place
from petri.traffic.fields import Field, Recording, by_position, column_of, misfit, native
from petri.traffic.problems import problem, unreadable

Wrong = tuple[str, int, int | None, tuple[Any, ...]]
"""What is wrong, as the reader has it: its kind, its line, the number of the field, and more."""


def open_delimited(net: Net, place: Place, path: Path) -> tuple[DelimitedFile, tuple[Field, ...]]:
    """Return a file, and the columns that fill the slots of a place.

    Its first record names them, unless all of them are given by their numbers.
    """
    assert place.stream is not None
    file = DelimitedFile(path, place.stream.name)
    file.unnamed = by_position(place)
    if not file.is_named and file.unnamed and file.headers:
        file.headers = [str(number) for number, _ in enumerate(file.headers, 1)]
    elif not file.is_named:
        names = [column_of(slot.name) for slot in place.colour.slots]
        first = ",".join(file.headers)[:60] or None
        raise problem("stream-no-columns", path=file.name, names=",".join(names), name=names[0], first=first)
    return file, file.fields(net, place)


class DelimitedFile(Recording):
    """An open file, positioned after its first record.

    otherwise: of a file that is read for one column, the words of a row whose cell is not a number, by what is wrong
    and the cell; None if that is an error. unnamed: the first record is a row as well if its cells are values.
    """

    otherwise: Callable[[str, str], bytes | None] | None = None
    unnamed = False

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        try:
            self._text = native(name).Text(path)
        except ValueError as error:
            raise self._told(error.args, ()) from None
        self.headers = self._text.headers
        self.is_named = self._text.is_named

    def close(self) -> None:
        del self._text

    def words(self, fields: Sequence[Field], most: int) -> Iterator[bytes]:
        first_is_row = self._text.fill([
            (
                field.index, field.conversion, field.slot.labels, field.relative, field.slot.dimension == "Time",
                field.unit == "s",
            )
            for field in fields
        ], self.unnamed)  # fmt: skip
        if first_is_row:
            fields = [replace(field, header=str(field.index + 1)) for field in fields]
        ended = False
        while not ended:
            words, ended, wrong = self._text.read(most)
            if words:
                yield words
            if wrong is not None:
                other = self._other(*wrong)
                if other is None:
                    raise self._told(wrong, fields)
                yield other

    def _other(self, kind: str, line: int, number: int | None, details: tuple[Any, ...]) -> bytes | None:
        if self.otherwise is None or number is None or not details or not isinstance(details[0], str):
            return None
        return self.otherwise(kind, details[0])

    def _told(self, wrong: Wrong, fields: Sequence[Field]) -> Exception:
        """Return what the reader says is wrong as a diagnostic."""
        kind, line, number, details = wrong
        if kind == "unreadable":
            return self._unreadable(*details)
        if kind == "not-text":
            return problem("stream-not-text", path=self.name, line=line)
        if kind == "long":
            return problem("stream-long-line", path=self.name, line=line, limit=details[0])
        where = f"line {line}"
        if number is None:
            reason = self._row(kind, *details)
            return problem("stream-row", path=self.name, where=where, reason=reason, **_EXAMPLES.get(kind, {}))
        field = fields[number]
        if kind in ("outside", "back"):
            return misfit(self.name, where, field, kind, *details)
        if kind == "few-cells":
            reason = f"it has {details[0]} columns, but `{field.header}` is column {field.index + 1}"
            return problem("stream-row", path=self.name, where=where, reason=reason)
        where += f", column `{field.header}`"
        return problem("stream-row", path=self.name, where=where, reason=_reason(field, kind, *details))

    def _unreadable(self, code: int | None, reason: str) -> LanguageError:
        if code is None:  # the system has read it
            return packed(self.name, "gzip", "gunzip -k", reason)
        return unreadable(self.name, OSError(code, os.strerror(code)))

    def _row(self, kind: str, detail: object = None) -> str:
        """Return what is wrong with a row as a whole."""
        if kind == "open-quote":
            return "a quoted cell does not end"
        if kind == "behind-quote":
            return f"'{detail}' expected after '\"'"
        return f"it has {detail} columns, but the first line names {len(self.headers)}"


_EXAMPLES: Final = {"many-cells": {"example": "0.5"}}

_NUMBERS: Final = {
    "nearly-time": "not a time; a calendar time is written `2023-11-16 18:17:03.98`",
    "grouped": "not a number; "
    "write 1234.5 without marks between thousands, or use `;` between cells and decimal commas",
    "calendar-no-time": "a calendar time, but the field is not a Time",
    "calendar-unit": "a calendar time, but its column is in {unit}",
    "no-date": "a time of day, and `{more}` is not its date",
    "unlike-first": "not written as the first time is: with the date, and with the offset from UTC",
}


def _reason(field: Field, kind: str, cell: str, more: str = "") -> str:
    """Return what is wrong with a cell."""
    if kind != "is-not":
        return f"`{cell[:40]}` is {_NUMBERS[kind].format(unit=field.unit, more=more[:40])}"
    wanted = "value of the field: " + ", ".join(field.slot.labels[:10]) if more == "label" else more
    return f"`{cell[:40]}` is not a {wanted}" if cell else f"the {wanted} is missing"


def packed(path: str, kind: str, command: str, reason: str | None = None) -> LanguageError:
    """Return that a file is compressed, and for what `reason` it cannot be unpacked while it is read."""
    return problem("stream-compressed", path=path, kind=kind, command=f"{command} {path}", reason=reason)
