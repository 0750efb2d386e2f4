"""The playground in a browser, for the tests of this folder."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator

import pytest

from tests.report.browser import Browser

from .built import ROOT, Served, built, served

FIRST = re.compile(r"<!-- file: first.net -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
READY = "document.getElementById('text')?.value && typeof ready !== 'undefined' && ready"
SETTLED = "!/…|running/.test(document.getElementById('state').textContent)"


def first() -> str:
    found = FIRST.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def link(**given: str) -> str:
    """Return the fragment with a net."""
    packed = zlib.compress(json.dumps(given).encode(), wbits=-15)
    return "#" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Browser, Served]]:
    with served(built(tmp_path_factory.mktemp("playground"))) as server, Browser() as browser:
        browser.resize(1280, 900)
        browser.open(server.url, READY)
        yield browser, server
        assert browser.told == []


def put(browser: Browser, text: str) -> None:
    """Write the text, as a reader does, and wait until it has been checked."""
    browser.value(f"text.value = {json.dumps(text)}; text.oninput(); state('checking …')")
    browser.until(SETTLED)
