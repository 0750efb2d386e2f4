"""The sentences of every diagnostic, by id.

To add one, write its entry in the file of its area. An id belongs to one area only. `entry.py` describes the files and
the template language.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from petri.wording.entry import Fix, Wording, fill, fixes_of, is_complete, read_area

AREAS = (
    "files", "syntax", "checks", "values", "arcs", "measures", "lints", "run", "command", "output", "experiment",
    "search", "streams", "threads", "exact", "editor", "interchange", "component",
    "fit", "tune",
)  # fmt: skip
_LABEL = "label "
# Limits that no single instance is to blame for.
_OF_ALL = frozenset((
    "all-too-many", "instance-too-deep", "loops-too-long", "measures-too-large", "measures-too-many", "too-many-tokens",
    "too-many-valued",
))  # fmt: skip


@cache
def _entries() -> dict[str, Wording]:
    """Return every entry of every area by its heading; raises ValueError where two areas use one."""
    areas = [area_table(area) for area in AREAS]
    table = {heading: entry for area in areas for heading, entry in area.items()}
    if len(table) < sum(map(len, areas)):
        raise ValueError("two areas have wordings for the same")
    return table


def area_table(area: str) -> dict[str, Wording]:
    return read_area(Path(__file__).with_name(f"{area}.txt").read_text(encoding="utf-8"))


@cache
def wording_table() -> dict[str, Wording]:
    """Return the entries of all diagnostics, by id."""
    return {heading: entry for heading, entry in _entries().items() if not heading.startswith(_LABEL)}


@cache
def label_table() -> dict[str, str]:
    """Return the texts of labels at secondary positions, by role."""
    entries = _entries().items()
    return {heading.removeprefix(_LABEL): entry.message for heading, entry in entries if heading.startswith(_LABEL)}


def message(identifier: str, values: Mapping[str, Any]) -> str:
    return fill(wording_table()[identifier].message, values)


def hints(identifier: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    return _complete(wording_table()[identifier].hints, values)


def notes(identifier: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the notes of a message, and last the instance of a module in which it is wrong."""
    where = () if identifier in _OF_ALL else ("in the instance `{instance}`",)
    return _complete((*wording_table()[identifier].notes, *where), values)


def fixes(identifier: str, values: Mapping[str, Any]) -> tuple[Fix, ...]:
    """Return the hints that say exactly what to write, as changes."""
    return tuple(fixes_of(wording_table()[identifier], values))


def label(role: str, values: Mapping[str, Any]) -> str:
    return fill(label_table()[role], values)


def _complete(templates: tuple[str, ...], values: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(fill(template, values) for template in templates if is_complete(template, values))
