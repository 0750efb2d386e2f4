"""The tutorial and the catalogue of patterns show what the program prints; the index of docs/ names every page."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from petri.engine.native import available
from petri.language.layout.formatter import format_source
from tests.documents import script
from tests.sampling import one_in

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
OF_PATTERNS = [f"patterns/{page.name}" for page in sorted((DOCS / "patterns").glob("*.md"))]
LONG = [
    "tutorial.md", "patterns.md", "seeing.md", "exact.md", "bounds.md", "fitting.md", "sensitivity.md", "tuning.md",
    "deciding.md", "rare.md", "models/queue-management.md", "coming/fixed-steps.md",
]  # fmt: skip
RENEWED = [*LONG, *OF_PATTERNS]


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    return script("pages")


@pytest.mark.skipif(not available(), reason="the pages show runs of the native engine")
@pytest.mark.parametrize("page", one_in(6, OF_PATTERNS) + [pytest.param(page, marks=pytest.mark.slow) for page in LONG])
def test_the_output_on_the_page_is_up_to_date(pages: ModuleType, page: str, tmp_path: Path) -> None:
    assert pages.stale(page, tmp_path) == [], "renew it with `python docs/pages.py`"


def test_the_pages_that_are_renewed(pages: ModuleType) -> None:
    assert set(pages.PAGES) == set(RENEWED)


def test_every_block_of_the_tutorial_is_tested(pages: ModuleType) -> None:
    """Nets are files that commands see, and every other block is the output of a command."""
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^```", text, re.MULTILINE)) == 2 * len(pages.BLOCK.findall(text))
    files = {match["rest"]: match["body"] for match in pages.BLOCK.finditer(text) if match["what"] == "file:"}
    commands = " ".join(match["rest"] for match in pages.BLOCK.finditer(text) if match["what"] != "file:").split()
    assert len(files) >= 8
    assert [name for name in files if name not in commands] == []


@pytest.mark.parametrize("page", ["tutorial.md", "seeing.md"])
def test_figures_with_a_unit_are_those_that_the_page_shows(pages: ModuleType, page: str) -> None:
    """A figure of the text, such as 3.972 h, is in a net or an output of the page, so that it is renewed with them."""
    text = (DOCS / page).read_text(encoding="utf-8")
    shown = " ".join(match["body"] for match in pages.BLOCK.finditer(text))
    prose = re.sub(r"(?ms)^```.*?^```$|`[^`\n]+`|<!--.*?-->", "", text)
    stated = re.findall(r"(?<![\w.])\d[\d,.]* (?:h|min|s|ms|us|ns|ps|k?B|[kMG]bps|[kM]/s)\b", prose)
    assert [figure for figure in stated if not re.search(rf"(?<![\d.,]){re.escape(figure)}\b", shown)] == []


@pytest.mark.parametrize("page", ["tutorial.md", "models/queue-management.md", *OF_PATTERNS])
def test_the_nets_of_a_page_are_in_the_standard_layout(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    nets = re.findall(r"^```net\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert nets
    assert [net for net in nets if format_source(net, "tutorial.net") != net] == []


def test_every_pattern_is_in_the_catalogue() -> None:
    headings = re.findall(r"^### (\w+)$", (DOCS / "patterns.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(headings) == sorted(path.stem for path in (ROOT / "nets" / "patterns").glob("*.net"))


@pytest.mark.parametrize("page", OF_PATTERNS)
def test_the_page_of_a_pattern_shows_it_and_says_when_to_race(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    name = Path(page).stem
    assert f"<!-- net: {name} -->" in text
    assert f"<!-- result: {name} -->" in text
    assert "\n## `takes` or `after`?\n" in text
    prose = re.sub(r"(?ms)^```.*?^```$|`[^`\n]+`|<!--.*?-->", "", text)
    assert re.findall(r"\d\.\d|\d ?%", prose) == [], "figures are in the outputs"


def test_the_index_names_every_page() -> None:
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    named = {(DOCS / target).resolve() for target in re.findall(r"\]\(([^)#]+)\)", text)}
    assert [str(page) for page in PAGES if page.name != "README.md" and page not in named] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"(?s)`[^`\n]+`|^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), target
    anchors = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)
    }
    for anchor in re.findall(r"\]\(#([^)]+)\)", text):
        assert anchor in anchors
