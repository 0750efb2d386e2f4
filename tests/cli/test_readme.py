"""README.md shows what the commands really print."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from petri.engine.native import available
from tests.documents import script

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def readme() -> ModuleType:
    return script("readme")


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="README.md shows runs of the native engine")
def test_the_output_in_the_readme_is_up_to_date(readme: ModuleType, tmp_path: Path) -> None:
    assert readme.stale(tmp_path) == [], "renew it with `make readme`"


def test_links_of_the_readme_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target
