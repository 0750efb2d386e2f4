"""A study that is not a sweep, from the table under its key: its options are those of its fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from petri.experiment.design.definition import Definition
from petri.experiment.design.options import options_of
from petri.experiment.design.study import Study as AnyStudy
from petri.experiment.yaml.file import Reading, first_line
from petri.experiment.yaml.tree import YamlTable

Study = TypeVar("Study", bound=AnyStudy)


def load_study(study: type[Study], path: Path, root: Path | None = None) -> Study:
    """Read the study of a file; root: see `Reading`. Raises LanguageError with all its errors."""
    reading = Reading(path, root)
    runs, table = reading.study(study.key, study.missing, study.no_meaning)
    values = {} if table is None else _values(reading, table, study)
    return study(runs=reading.checked(runs), **values)


def _values(reading: Reading, table: YamlTable, study: type[AnyStudy]) -> dict[str, Any]:
    """Return the entries of the table as fields of the study; errors are collected."""
    options, entries = options_of(study), table.entries
    reading.known_keys(table, {option.key: option.line for option in options.values()})
    for option in options.values():
        if option.required and option.key not in entries:
            reading.error("experiment-missing", first_line(table.span), name=option.key, example=option.line)
    values = reading.options(table, study)
    required = {name: "" for name, one in options.items() if one.required}
    made = study(runs=Definition(""), **{**required, **values})
    for option in options.values():
        if option.refuses is not None:
            refuses = option.refuses
            reading.attempt(entries.get(option.key), lambda refuses=refuses: refuses(made))  # type: ignore[misc]
    return values
