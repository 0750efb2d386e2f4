"""Pages of pnsim within the playground, completion, fixes, and the links of the documentation."""

from __future__ import annotations

import json

import pytest

import petri
from tests.installed import needs_browser
from tests.live.tables import COUNTER
from tests.packaging.test_site import of_library, opened_nets, site_pages
from tests.report.browser import Browser

from .built import Served
from .conftest import first, put

pytestmark = [needs_browser, pytest.mark.slow]

__all__ = ["site_pages"]

FIRINGS = 2_000
BRANCHING = """net branching
time s
place p : int = 1, 2, 3
place q : int
transition go: p(n) -> q(n)  takes 1 s
"""
NEXT_ANSWER = "new Promise((done) => { const kept = slide; slide = (now) => { kept(now); done(now); }; })"
RUN_ALL = """
window.found = null;
window.runAll = async (nets) => {
  const kept = { ...hear }, found = [];
  Object.assign(hear, { running: () => {}, checked: () => {} });
  for (const { name, text, settings } of nets) {
    const ran = await new Promise((done) => {
      Object.assign(hear, { ran: done, failed: done });
      ask("run", { name, text, settings, width: 100 });
    });
    found.push(ran.hashes ?? ran.text);
  }
  Object.assign(hear, kept);
  window.found = found;
}"""


def inside(panel: str, expression: str) -> str:
    """Return an expression in the frame of a panel; `view` is its window, `$` finds an element by its id."""
    within = f"((view, $) => {expression})(frame.contentWindow, (id) => frame.contentDocument.getElementById(id))"
    ready = "frame?.contentDocument?.documentElement?.dataset.ready === '1'"
    return f"((frame) => {ready} && {within})(document.querySelector('#{panel} iframe'))"


def test_a_slider_changes_the_figures_to_those_of_a_run(page: tuple[Browser, Served]) -> None:
    browser, server = page
    server.asked.clear()
    put(browser, COUNTER)
    browser.value("select('sliders')")
    browser.until(inside("sliders", "/7[45]\\.\\d/.test($('measured').innerText)"))
    turned = "(one => { one.value = 2; one.dispatchEvent(new view.Event('input')); return true; })"
    browser.value(inside("sliders", f"{turned}(frame.contentDocument.querySelector('[aria-label=clerks]'))"))
    browser.until(inside("sliders", "/^3\\d\\.\\d/m.test($('measured').innerText.replace(/^.*?busy\\s+/s, ''))"))
    figures = browser.value(NEXT_ANSWER)
    whole = petri.loads(COUNTER, clerks="2").run(replications=figures["count"])
    assert {one["name"]: one["value"] for one in figures["figures"]} == {one.name: one.value for one in whole.measures}
    browser.value(inside("sliders", "($('surface').open = true) && ($('drawn').open = true)"))
    browser.until(inside("sliders", "$('surface-table').querySelectorAll('[data-at]').length === 49"))
    browser.until(
        inside("sliders", "/^[\\d,]+ draws/.test($('drawn-note').innerText) && $('drawn-table').innerText !== ''")
    )
    browser.value("select('figures')")
    assert server.asked == []
    assert browser.told == []


def test_sliders_tell_what_is_wrong_and_follow_the_text(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    put(browser, COUNTER.replace("busy(clerk)", "busy(clrk)"))
    browser.value("select('sliders')")
    problem = "document.querySelector('#sliders iframe')?.contentDocument?.getElementById('problem')"
    browser.until(f"/did you mean `clerk`/.test({problem}?.textContent)")
    put(browser, COUNTER)
    browser.until(inside("sliders", "$('problem').hidden && /busy/.test($('measured').innerText)"))
    browser.value("text.value = text.value.replace('net counter', 'net other'); text.oninput()")
    browser.until(inside("sliders", "frame.contentDocument.querySelector('h1').textContent === 'other'"))
    browser.value("select('figures')")
    assert browser.told == []


def test_the_reader_plays_goes_back_and_returns(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    put(browser, BRANCHING)
    browser.value("select('game')")
    browser.until(inside("game", "$('fire').querySelectorAll('table button').length === 3"))
    press = "[...$('fire').querySelectorAll('table button')][{}].click() || true"
    browser.value(inside("game", press.format(1)))
    browser.until(inside("game", "/n = 2/.test($('event').textContent)"))
    browser.value(inside("game", press.format(0)))
    browser.until(inside("game", "$('fire').querySelectorAll('table tr').length === 1"))
    browser.value(inside("game", "view.tokenGame.go(0) || true"))
    browser.value(inside("game", press.format(2)))
    browser.until(inside("game", "/What you left/.test($('fire').innerText) && /n = 3/.test($('event').textContent)"))
    browser.value(inside("game", "$('fire').querySelector('table:last-child button').click() || true"))
    browser.until(inside("game", "/n = 1/.test($('event').textContent) && view.tokenGame.state().held === 2"))
    browser.value("select('figures')")
    assert browser.told == []


def test_the_report_is_of_the_last_run(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    put(browser, first())
    browser.value("run()")
    browser.until("document.getElementById('stop').hidden")
    browser.value("select('report')")
    browser.until("document.querySelector('#report iframe')?.contentDocument?.querySelector('.plot svg') != null")
    assert "goodput" in browser.value("document.querySelector('#report iframe').contentDocument.body.innerText")
    browser.value("select('figures')")
    assert browser.told == []


def test_a_fix_is_made_by_a_click(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    put(browser, first().replace("-> buffer(s)", "-> bufer(s)"))
    browser.value("document.querySelector('#problems button').click()")
    assert browser.value("text.value") == first()


def test_words_are_completed(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    put(browser, first() + "\nmeasure extra = mean(buf")
    browser.value("text.focus(); text.setSelectionRange(text.value.length, text.value.length); complete()")
    browser.until("!document.getElementById('offers').hidden")
    assert browser.value("document.querySelector('#offers [aria-selected]').dataset.label") == "buffer"
    browser.type("Enter", 13)
    assert browser.value("text.value").endswith("measure extra = mean(buffer")
    put(browser, first())


def test_the_nets_of_the_documentation_run(page: tuple[Browser, Served], site_pages: object) -> None:
    browser, _ = page
    nets = {net["text"]: net for *_, net, _ in opened_nets(site_pages) if net["name"] != "broken"}
    expected, asked = [], []
    for net in nets.values():
        model = petri.load(net["name"]) if of_library(net) else petri.loads(net["text"])
        until = {"until": "dead"} if model.net.run_defaults.until is None else {}
        ran = model.run(max_firings=FIRINGS, replications=1, **until)  # type: ignore[arg-type]
        expected.append([f"{one.hash:016x}" for one in ran.replications])
        asked.append({**net, "settings": {"max_firings": str(FIRINGS), "replications": "1", **until}})
    browser.value(f"{RUN_ALL}; runAll({json.dumps(asked)}) && 0")
    browser.until("window.found !== null")
    assert browser.value("window.found") == expected
