"""What a study is that is not a sweep: it decides as it goes which points it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from petri.experiment.design.definition import Definition


@dataclass(frozen=True, kw_only=True)
class Study:
    """runs: the net, what is fixed, and how long a run is.

    key: in a file, of the table with the options. missing: the error of a file without it. no_meaning: why other keys
    mean nothing in such a file.
    """

    key: ClassVar[str]
    missing: ClassVar[str]
    no_meaning: ClassVar[Mapping[str, str]]
    runs: Definition
