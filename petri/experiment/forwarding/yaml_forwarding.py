"""A study of RFC 2544 from its YAML file, which is that of an experiment with the key `rfc2544`.

net: npf
set: {chips: 2}
rfc2544: {load: load, size: size, loss: lost, delay: latency, sizes: [64, 512, 1518]}
until: 40 ms
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from petri.experiment.forwarding.definition import Forwarding
from petri.experiment.yaml.study import load_study

NO_MEANING: Final = {
    "measures": "loss, delay and throughput are kept",
    "replications": "it stands under `rfc2544`",
    "precision": "it replicates until a load is decided",
    "expected": "no point of an experiment is run",
    "best": "no point of an experiment is run",
}


def load_forwarding(path: Path, root: Path | None = None) -> Forwarding:
    """Return the study of a file; root: see `Reading`. Raises LanguageError with all its errors."""
    return load_study(Forwarding, path, root, key="rfc2544", missing="rfc-missing", no_meaning=NO_MEANING)
