"""Syntax: what does not read as a declaration."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "unexpected": Wording("{found} cannot stand here; expected {expected}"),
}

LABELS: dict[str, str] = {
    "opened-here": "opened here",
    "first-here": "first here",
}
