"""The walk of docs/live.md through the second net of the tutorial, by keyboard in a browser: at which load is 1 % lost?

`python -m tests.live.walk` repeats it, prints what was found, and renews the pictures in docs/images/.
"""

from __future__ import annotations

import re
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from petri.atomic_file import replacing
from petri.live.server import LiveServer
from petri.live.site import serve
from tests.report.browser import Browser

from .tables import desk

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
FILE = re.compile(r"<!-- file: counter.net -->\n```net\n(.*?)^```$", re.DOTALL | re.MULTILINE)
READY = "document.documentElement?.dataset.ready === '1' && Boolean(document.querySelector('#drawing .sheet'))"
LOST = """parseFloat([...document.querySelectorAll("#measured tr")].find((row) => row.innerText.startsWith("lost"))
  .querySelector("td.figure").innerText)"""
ENOUGH = 200  # replications, after which one reads a figure
WINDOW = (1280, 1000)  # pixels
NOTEBOOK = (1280, 1180)


def tutorial() -> str:
    """Return the second net of the tutorial."""
    found = FILE.search((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


@contextmanager
def opened(folder: Path) -> Iterator[tuple[Browser, LiveServer]]:
    """Yield a browser on the page of the net."""
    with desk(folder / "counter.net", tutorial()) as one, Browser() as browser:
        server = serve(one)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            browser.resize(*WINDOW)
            browser.call("Emulation.setScrollbarsHidden", hidden=True)
            browser.open(server.url, READY)
            yield browser, server
        finally:
            server.shutdown()
            server.server_close()


def tab_to(browser: Browser, there: str) -> None:
    """Press Tab until the expression is true of what has the focus."""
    for _ in range(80):
        browser.type("Tab", 9)
        if browser.value(f"(one => {there})(document.activeElement)"):
            return
    raise AssertionError(f"no Tab leads to what is {there}")


def settled(browser: Browser, replications: int) -> float:
    """Return the share that is lost, once so many replications have run with what the sliders say."""
    ready = f"!document.body.classList.contains('stale') && document.documentElement.dataset.count >= {replications}"
    browser.until(ready)
    return float(browser.value(LOST))


def walk(browser: Browser) -> tuple[str, str]:
    """Shorten the gap step by step until more than 1 % is lost: the last gap with less, and the first with more."""
    tab_to(browser, "one.type === 'range' && one.ariaLabel === 'gap'")
    below = ""
    while settled(browser, ENOUGH) <= 0.01:
        below = browser.value("document.activeElement.ariaValueText")
        browser.type("ArrowLeft", 37)
    return below, browser.value("document.activeElement.ariaValueText")


def chosen(browser: Browser) -> None:
    """`lost` over `gap`, on the chart."""
    browser.value(
        "(() => { const one = document.getElementById('measure'); one.value = 'lost';"
        " one.dispatchEvent(new Event('change')); })()"
    )
    browser.until("document.querySelector('#curve .plot')?.data?.[0]?.x?.length >= 13")
    browser.until("document.querySelector('#curve .plot').layout.yaxis.title.text === 'lost'")


def picture(browser: Browser, name: str) -> None:
    with replacing(IMAGES / f"{name}.png") as file:
        file.write(browser.picture())


def in_a_notebook(folder: Path) -> None:
    """Try the same net in JupyterLab."""
    from .jupyter import lab, run_cell

    (folder / "counter.net").write_text(tutorial(), encoding="utf-8")
    with lab(folder, 'import petri\n\npetri.load("counter.net").live()') as address, Browser() as browser:
        browser.resize(*NOTEBOOK)
        light(browser)
        run_cell(browser, address)
        browser.until("/lost/.test(document.querySelector('.pnsim table')?.innerText)")
        browser.value("document.querySelector('.noUi-handle').focus()")
        for _ in range(10):  # from 4 min to 3.5 min
            browser.type("ArrowLeft", 37)
        browser.until("/lost over gap|busy over gap/.test(document.querySelector('.pnsim figcaption')?.textContent)")
        browser.until("/[1-9]\\d\\d replications/.test(document.querySelector('.pnsim .note')?.textContent)")
        picture(browser, "live-notebook")


def light(browser: Browser) -> None:
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as (browser, _):
        light(browser)
        started = time.monotonic()
        below, above = walk(browser)
        seconds = time.monotonic() - started
        print(f"1 % of the customers leave between gap = {below} and gap = {above}, found in {seconds:.0f} s")
        chosen(browser)
        picture(browser, "live")
    if find_spec("jupyterlab") is None:
        print("the picture of the notebook needs jupyterlab: pip install jupyterlab")
    else:
        with tempfile.TemporaryDirectory() as folder:
            in_a_notebook(Path(folder))


if __name__ == "__main__":
    main()
