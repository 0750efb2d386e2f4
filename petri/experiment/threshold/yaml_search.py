"""A search from its YAML file, which is that of an experiment with the key `search`.

net: mm1k
search: {find: load, in: 0.5..1, while: refused <= 1%, resolution: 1%}
grid: {seats: [5, 10, 20]}        # a search for each
until: 20_000
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from petri.experiment.threshold.definition import Search
from petri.experiment.yaml.study import load_study

NO_MEANING: Final = {
    "replications": "it replicates until a value is decided",
    "precision": "it replicates until a value is decided",
    "expected": "no point of an experiment is run",
    "best": "no point of an experiment is run",
}


def load_search(path: Path, root: Path | None = None) -> Search:
    """Return the search of a file; root: see `Reading`. Raises LanguageError with all its errors."""
    return load_study(Search, path, root, key="search", missing="search-of-sweep", no_meaning=NO_MEANING)
