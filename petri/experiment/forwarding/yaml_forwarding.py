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
from petri.experiment.forwarding.definition import SIZES, USUAL, Forwarding
from petri.experiment.threshold.condition import condition_names
from petri.experiment.threshold.ladder import make_ladder
from petri.experiment.threshold.yaml_search import SEARCH_KEYS, search_settings
from petri.experiment.yaml.file import Reading
from petri.experiment.yaml.tree import YamlTable

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
    "best": "no point of an experiment is run",
}


def load_forwarding(path: Path, root: Path | None = None) -> Forwarding:
    """The study of a file; root: see `Reading`. Raises LanguageError with all its errors."""
    reading = Reading(path, root)
    runs, table = reading.study("rfc2544", "rfc-missing", NO_MEANING)
    study = None if table is None else _study(reading, table)
    definition = reading.checked(runs)
    assert study is not None
    return replace(study, runs=definition)


def _study(reading: Reading, table: YamlTable) -> Forwarding:
    """The entries under `rfc2544`."""
    reading.known_keys(table, RFC_KEYS)
    entries = table.entries
    roles = {name: reading.text(entries.get(name), name, RFC_KEYS[name])
             for name in USUAL}  # fmt: skip
    given: dict[str, Any] = {**roles, **search_settings(reading, entries)}
    if "sizes" in entries:
        given["sizes"] = reading.values(entries["sizes"], "sizes") or list(SIZES)
    if "in" in entries:
        given["between"] = reading.text(entries["in"], "in", RFC_KEYS["in"])
        reading.attempt(entries["in"], lambda: make_ladder(given["between"], given["resolution"], whole=False))
    if "while" in entries:
        given["condition"] = reading.text(entries["while"], "while", RFC_KEYS["while"])
        reading.attempt(entries["while"], lambda: condition_names(given["condition"]))
    replications = reading.whole(entries.get("replications"), "replications", 1)
    if replications is not None:
        given["replications"] = replications
    return Forwarding(Definition(""), **given)
