"""A study of RFC 2544 from its YAML file, which is that of an experiment with the key `rfc2544`.

net: npf
set: {chips: 2}
rfc2544: {load: load, size: size, loss: lost, delay: latency, sizes: [64, 512, 1518]}
until: 40 ms
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from petri.experiment.design.definition import Definition
from petri.experiment.design.sampling import Value
from petri.experiment.forwarding.definition import SIZES, Forwarding
from petri.experiment.threshold.condition import condition_names
from petri.experiment.threshold.ladder import make_ladder
from petri.experiment.threshold.yaml_search import SEARCH_KEYS, attempt, search_settings
from petri.experiment.yaml.file import KEYS, Reading
from petri.experiment.yaml.tree import YamlTable
from petri.net import Span

RFC_KEYS: Final = {
    "load": "load: load",
    "size": "size: size",
    "loss": "loss: loss",
    "delay": "delay: delay",
    "throughput": "throughput: throughput",
    "sizes": "sizes: [64, 512, 1518]",
    "replications": "replications: 10",
    **{name: example for name, example in SEARCH_KEYS.items() if name != "find"},
}
NO_MEANING: Final = {
    "measures": "loss, delay and throughput are kept",
    "replications": "it stands under `rfc2544`",
    "precision": "it replicates until a load is decided",
    "expected": "no point of an experiment is run",
}


def load_forwarding(path: Path) -> Forwarding:
    """The study of a file. Raises LanguageError with all its errors."""
    reading = Reading(path)
    runs = reading.experiment()
    if runs is not None and "rfc2544" not in reading.entries:
        reading.error("rfc-missing", Span(str(path), 1, 1, 1, 2), path=str(path))
    for name, reason in NO_MEANING.items():
        if name in reading.entries:
            reading.error("search-key", reading.keys[name], name=name, reason=reason)
    study = _study(reading, runs or Definition("")) if "rfc2544" in reading.entries else None
    definition = reading.checked(runs)
    assert study is not None
    return replace(study, runs=definition)


def _study(reading: Reading, runs: Definition) -> Forwarding | None:
    """The entries under `rfc2544`."""
    table = reading.expect(reading.entries["rfc2544"], YamlTable, "rfc2544", "a mapping", KEYS["rfc2544"])
    if table is None:
        return None
    reading.known_keys(table, RFC_KEYS)
    entries = table.entries
    roles = {name: reading.text(entries.get(name), name, RFC_KEYS[name])
             for name in ("load", "size", "loss", "delay", "throughput")}  # fmt: skip
    given: dict[str, Any] = {**roles, **search_settings(reading, entries)}
    if "sizes" in entries:
        given["sizes"] = _sizes(reading, entries)
    if "in" in entries:
        given["between"] = reading.text(entries["in"], "in", RFC_KEYS["in"])
        attempt(reading, entries["in"], lambda: make_ladder(given["between"], given["resolution"], whole=False))
    if "while" in entries:
        given["condition"] = reading.text(entries["while"], "while", RFC_KEYS["while"])
        attempt(reading, entries["while"], lambda: condition_names(given["condition"]))
    replications = reading.whole(entries.get("replications"), "replications", 1)
    if replications is not None:
        given["replications"] = replications
    return Forwarding(runs, **given)


def _sizes(reading: Reading, entries: Any) -> list[Value]:
    return reading.values(entries["sizes"], "sizes") or list(SIZES)
