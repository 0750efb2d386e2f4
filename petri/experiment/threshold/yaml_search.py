"""A search from its YAML file, which is that of an experiment with the key `search`.

net: mm1k
search: {find: load, in: 0.5..1, while: refused <= 1%, resolution: 1%}
grid: {seats: [5, 10, 20]}        # a search for each
until: 20_000
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

from petri.experiment.design.definition import Definition
from petri.experiment.design.settings import parse_confidence
from petri.experiment.threshold.condition import condition_names
from petri.experiment.threshold.definition import CONFIDENCE, MOST_REPLICATIONS, Search
from petri.experiment.threshold.ladder import make_ladder
from petri.experiment.yaml.file import Reading, first_line
from petri.experiment.yaml.tree import YamlNode, YamlTable

T = TypeVar("T")
REQUIRED: Final = ("find", "in", "while")
SEARCH_KEYS: Final = {
    "find": "find: load",
    "in": "in: 0.5..1",
    "while": "while: loss == 0",
    "resolution": "resolution: 1%",
    "confidence": "confidence: 95%",
    "max-replications": "max-replications: 100",
    "growth-check": "growth-check: false",
}
NO_MEANING: Final = {
    "replications": "it replicates until a value is decided",
    "precision": "it replicates until a value is decided",
    "expected": "no point of an experiment is run",
    "best": "no point of an experiment is run",
}


def load_search(path: Path, root: Path | None = None) -> Search:
    """The search of a file; root: see `Reading`. Raises LanguageError with all its errors."""
    reading = Reading(path, root)
    runs, table = reading.study("search", "search-of-sweep", NO_MEANING)
    found = None if table is None else _search(reading, table)
    definition = reading.checked(runs)
    assert found is not None
    return replace(found, runs=definition)


def _search(reading: Reading, table: YamlTable) -> Search:
    """The entries under `search`."""
    reading.known_keys(table, SEARCH_KEYS)
    entries = table.entries
    for name in REQUIRED:
        if name not in entries:
            reading.error("experiment-missing", first_line(table.span), name=name, example=SEARCH_KEYS[name])
    find, between, condition = (reading.text(entries.get(name), name, SEARCH_KEYS[name]) for name in REQUIRED)
    settings = search_settings(reading, entries)
    reading.attempt(entries.get("in"), lambda: make_ladder(between, settings["resolution"], whole=False))
    reading.attempt(entries.get("while"), lambda: condition_names(condition))
    return Search(Definition(""), find, between, condition, **settings)


def search_settings(reading: Reading, entries: Mapping[str, YamlNode]) -> dict[str, Any]:
    """How fine and how sure: what other studies that search say in the same words."""
    confidence = CONFIDENCE
    if "confidence" in entries:
        text = reading.text(entries["confidence"], "confidence", SEARCH_KEYS["confidence"])
        confidence = reading.attempt(entries["confidence"], lambda: parse_confidence(text)) or CONFIDENCE
    return {
        "resolution": reading.text(entries.get("resolution"), "resolution", SEARCH_KEYS["resolution"]) or None,
        "confidence": confidence,
        "most": reading.whole(entries.get("max-replications"), "max-replications", 1) or MOST_REPLICATIONS,
        "growth": reading.one_of(entries.get("growth-check"), "growth-check", ("true", "false")) != "false",
    }
