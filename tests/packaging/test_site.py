"""The site of the documentation: every page is listed, and links lead to its pages. `make docs` checks the rest."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site_pages() -> Any:
    """Return the module docs/site_pages.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "docs" / "site_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_in_the_contents(site_pages: Any) -> None:
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    listed = re.findall(r"^ +- .*: (\S+\.md)$", text, re.MULTILINE)
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(listed) == sorted([*pages, *site_pages.ELSEWHERE.values()])


@pytest.mark.parametrize(
    ("source", "written", "on_site"),
    [
        ("README.md", "[x](docs/language.md#types)", "[x](language.md#types)"),
        ("README.md", '<img src="docs/images/page.png">', '<img src="images/page.png">'),
        ("README.md", "[x](nets/patterns)", "[x](patterns.md)"),
        ("docs/README.md", "[x](../README.md)", "[x](overview.md)"),
        ("docs/models/traffic.md", "[x](../language.md#streams)", "[x](../language.md#streams)"),
        ("docs/performance.md", "[x](../petri/native/INTERNALS.md)", "[x](internals.md)"),
        ("petri/native/INTERNALS.md", "[x](../../docs/contributing.md)", "[x](contributing.md)"),
        ("docs/report.md", "[x](https://plotly.com) [y](#here)", "[x](https://plotly.com) [y](#here)"),
        ("docs/report.md", "[x](../nets/mm1.net)", "[x](../nets/mm1.net)"),
    ],
)
def test_links_lead_to_pages_of_the_site(site_pages: Any, source: str, written: str, on_site: str) -> None:
    assert site_pages.with_links(written, source) == on_site


def test_assistants_find_every_page_of_the_first_one(site_pages: Any) -> None:
    first_page = (ROOT / "docs/README.md").read_text("utf-8")
    listed = site_pages.for_assistants(first_page)
    assert listed.startswith("# pnsim\n\n> Nets of places and transitions")
    for page in ("skill/SKILL", "overview", "tutorial", "bounds", "assistants", "models/ixp2400"):
        assert f"- [{page}]({page}.html): " in listed


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_docs_builds_a_site_with_a_search() -> None:
    done = subprocess.run(["make", "docs"], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (ROOT / "build/site/search/search_index.json").stat().st_size > 100_000
    found = json.loads((ROOT / "build/site/search/search_index.json").read_text("utf-8"))
    texts = " ".join(page["text"] for page in found["docs"])
    assert all(word in texts for word in ("reneging", "warm-up", "±?"))
    assert not list((ROOT / "build/site").rglob("__pycache__"))
    assert (ROOT / "build/site/llms.txt").read_text("utf-8").startswith("# pnsim")
    assert "fonts.googleapis" not in (ROOT / "build/site/language.html").read_text("utf-8")
