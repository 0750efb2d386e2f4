"""The nets that docs/interchange.md shows on both sides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from petri import interchange

PAGE = (Path(__file__).parents[2] / "docs" / "interchange.md").read_text(encoding="utf-8")
PAIRS = re.findall(r"```(?:xml )?(greatspn|prism|tina)\n(.*?)```\n\n```net\n(.*?)```", PAGE, re.DOTALL)


def test_there_are_pairs() -> None:
    assert [kind for kind, _, _ in PAIRS] == ["greatspn", "prism", "tina"]


@pytest.mark.parametrize(("kind", "foreign", "own"), PAIRS)
def test_both_sides(kind: str, foreign: str, own: str) -> None:
    read = interchange.read_bytes(foreign.encode(), "queue.net" if kind == "tina" else "queue")
    assert interchange.text_of(read).partition("\n")[2] == own
