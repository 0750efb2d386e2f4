"""The command line: arguments, overrides, output files."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {}

LABELS: dict[str, str] = {}
