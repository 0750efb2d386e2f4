"""The site of the documentation: every page is listed, and links lead to its pages. `make docs` checks the rest."""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import petri
from petri import library

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


PLAYGROUND_LINK = re.compile(r'<a href="((?:\.\./)*)playground/index\.html#([\w-]+)">([^<]+)</a>')


def opened_nets(site_pages: Any) -> Iterator[tuple[str, str, dict[str, str], str]]:
    """Yield for each link of the site that opens a net: its page, the way to the site's top, the net, its label."""
    files = {path.relative_to(ROOT / "docs").as_posix(): path for path in (ROOT / "docs").rglob("*.md")}
    files |= {page: ROOT / source for source, page in site_pages.ELSEWHERE.items()}
    for page, path in files.items():
        markdown = site_pages.with_nets_to_open(path.read_text("utf-8"), page)
        for up, letters, label in PLAYGROUND_LINK.findall(markdown):
            packed = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
            yield page, up, json.loads(zlib.decompress(packed, wbits=-15)), label


def of_library(net: dict[str, str]) -> bool:
    """Whether the net of a link is one of the library, which finds its recordings."""
    path = library.net(net["name"])
    return path is not None and Path(path).read_text("utf-8") == net["text"]


def test_each_complete_net_of_the_pages_opens_in_the_browser(site_pages: Any) -> None:
    found = list(opened_nets(site_pages))
    for page, up, net, _ in found:
        assert up == "../" * page.count("/"), page
        if net["name"] != "broken" and not of_library(net):
            petri.loads(net["text"])
    of_page = {page: [net["name"] for at, _, net, _ in found if at == page] for page, *_ in found}
    files = ("desk", "counter", "kinds", "any_order", "express", "express_bag", "phone", "bank", "broken", "hurry")
    assert of_page["tutorial.md"] == list(files)
    assert of_page["overview.md"] == ["first", "calls"]
    assert of_page["patterns/raid.md"] == ["raid", "replaced"]
    patterns = {path.stem for path in (ROOT / "nets" / "patterns").glob("*.net")}
    assert {net["name"] for *_, net, _ in found} >= patterns
    in_library = {label for page, _, _, label in found if page.startswith("models/")}
    assert in_library >= {path.stem for path in (ROOT / "nets").glob("*.net")}


def test_a_link_opens_the_net_that_the_page_shows(site_pages: Any) -> None:
    net = "net a\nplace p\n"
    shown = f"# A\n\n<!-- file: a.net -->\n```\n{net}```\n\nmore\n"
    markdown = site_pages.with_nets_to_open(shown, "deep/er/a.md")
    (link,) = PLAYGROUND_LINK.findall(markdown)
    packed = base64.urlsafe_b64decode(link[1] + "==")
    assert json.loads(zlib.decompress(packed, wbits=-15)) == {"name": "a", "text": net}
    assert markdown.index("```\n\n<a href=") < markdown.index("more")
    for other in (shown.replace("a.net", "a.txt"), shown.replace("place p", 'place p = table("x.csv")')):
        assert site_pages.with_nets_to_open(other, "a.md") == other
    assert "playground/index.html" in site_pages.with_nets_to_open(
        (ROOT / "docs/README.md").read_text("utf-8"), "README.md"
    )


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
