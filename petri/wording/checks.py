"""Names, types, units and structure: what is wrong with a net that parses."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {}

LABELS: dict[str, str] = {}
