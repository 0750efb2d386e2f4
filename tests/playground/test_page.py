"""The playground in a browser: the figures and messages of the command line, links, hostile nets, and no request."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import zlib
from pathlib import Path

import pytest
from rich.console import Console

import petri
from petri import library
from petri.diagnostics import LanguageError, render
from petri.report.terminal.summary import print_summary
from tests.installed import needs_browser
from tests.report.browser import Browser

from .built import ROOT, Served
from .conftest import READY, SETTLED, first, link, put

pytestmark = [needs_browser, pytest.mark.slow]

FIRINGS = 5_000
ALL_NETS = """
window.found = null;
window.allNets = async (names, settings) => {
  const kept = { ...hear }, found = {};
  const answer = (work, more) => new Promise((done) => {
    Object.assign(hear, { text: done, ran: done, failed: done });
    ask(work, more);
  });
  Object.assign(hear, { running: () => {}, checked: () => {} });
  for (const name of names) {
    const { text } = await answer("text", { name });
    const ran = await answer("run", { name, text, settings, width: 100 });
    found[name] = ran.hashes ?? ran.text;
  }
  Object.assign(hear, kept);
  window.found = found;
}"""
HEARD = """window.heard = 0, window.checked_ ??= hear.checked,
hear.checked = (found) => { checked_(found); window.heard += 1; }"""
LONG = """net long
time s
place p = token
transition t: p -> p  takes exp(1 s)
measure m = count(t)
run until 1e9 s
"""
RUIN = """net ruin
place own   = 3 * token
place other = 7 * token
transition win:  own, other -> 2 * own    after exp(1)
transition lose: own, other -> 2 * other  after exp(2)
"""
GROWS = """net grows
place queue
transition arrive: -> queue          after exp(1)
transition serve:  queue -> nothing  after exp(0.5)
"""
HOSTILE = """net hostile
time s
place p = 3 * token  ## </script><script>document.title = "pwned"</script><img src=x onerror="document.title = 'pwned'">
transition t: p -> nothing  takes 1 s
measure m = count(t)  ## <b onmouseover="document.title = 'pwned'">&lt;</b> \x1b[31mred
run until 5 s
"""


def figures(browser: Browser, work: str = "run") -> str:
    browser.value(f"document.getElementById('{work}').click()")
    browser.until("document.getElementById('stop').hidden")
    found: str = browser.value("document.getElementById('figures').textContent")
    return found


def without_speed(text: str) -> str:
    return re.sub(r"firings in .*", "firings", text)


def test_the_figures_of_the_first_net_are_those_of_the_command_line(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    put(browser, first())
    model = petri.loads(first())
    shown = figures(browser)
    width = browser.value("Math.min(Math.floor(document.getElementById('figures').clientWidth / 7.83) - 1, 140)")
    texts = []
    for columns in range(width - 3, width + 4):  # the letters of the browser's font are not known to a pixel
        console = Console(file=io.StringIO(), width=columns, highlight=False, markup=False, emoji=False)
        print_summary(model.run(), console, seconds=1.0)
        texts.append(without_speed(console.file.getvalue()))  # type: ignore[attr-defined]
    assert without_speed(shown) in texts


def test_exact_figures_are_those_of_the_command_line(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    source = Path(library.net("mm1k") or "").read_text(encoding="utf-8")
    put(browser, source)
    shown = figures(browser, "exact")
    for name in ("refused", "served", "customers", "stay"):
        found = re.search(rf"^{name} +([\d.]+)", shown, re.MULTILINE)
        assert found is not None
        assert float(found[1]) == pytest.approx(petri.loads(source).solve().exact(name).value, rel=1e-9)


@pytest.mark.parametrize(
    ("net", "said"),
    [
        (RUIN, "need scipy, which a browser page does not have: at home, type `pip install 'pnsim[exact]'` and then"),
        (GROWS, "more states than the 30,000 that a browser page explores: at home, type"),
        (LONG.replace("exp(1 s)", "uniform(1 s..2 s)"), "error[exact-"),
        (LONG.replace("t: p", "t: q"), "there is no place `q`"),
    ],
)
def test_a_net_without_exact_figures_says_why(page: tuple[Browser, Served], net: str, said: str) -> None:
    browser, _ = page
    put(browser, net)
    assert said in " ".join(figures(browser, "exact").split())


def test_each_net_of_the_library_has_the_hash_of_the_native_engine(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    names = browser.value("[...document.getElementById('names').options].map((one) => one.value)")
    assert names == ["first", *sorted(name for name, _ in library.named(library.nets()))]
    settings = {"max_firings": str(FIRINGS), "replications": "1"}
    browser.value(f"{ALL_NETS}; allNets({json.dumps(names[1:])}, {json.dumps(settings)}) && 0")
    expected = {}
    for name, path in library.named(library.nets()):
        ran = petri.load(path).run(max_firings=FIRINGS, replications=1)
        expected[name] = [f"{one.hash:016x}" for one in ran.replications]
    browser.until("window.found !== null")
    assert browser.value("window.found") == expected


def test_a_mistake_is_shown_as_in_a_terminal(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    wrong = first().replace("-> buffer(s)", "-> bufer(s)")
    put(browser, wrong)
    with pytest.raises(LanguageError) as caught:
        petri.loads(wrong)
    (one,) = caught.value.diagnostics
    expected = render(one, caught.value.sources).replace(next(iter(caught.value.sources)), "first.net")
    assert browser.value("[...document.querySelectorAll('#problems pre')].map((one) => one.textContent)") == [expected]
    assert browser.value("document.querySelector('#lines b').textContent") == "14"
    assert "there is no place `bufer`" in figures(browser)
    put(browser, first())
    assert browser.value("document.querySelectorAll('#problems pre').length") == 0


def test_a_link_brings_its_net_and_runs_it_only_when_asked(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    given = {"name": "first", "text": first().replace("0.9 in", "0.8 in"), "set": "load=0.7", "seed": "5"}
    browser.value("document.getElementById('figures').textContent = 'nothing ran'")
    browser.value(f"location.hash = {json.dumps(link(**given))}")
    browser.until("text.value.includes('0.8 in')")
    browser.until(SETTLED)
    assert browser.value("document.getElementById('figures').textContent") == "nothing ran"
    assert "seed 5" in figures(browser)
    hashes = browser.value("document.getElementById('figures').dataset.hashes").split()
    again = petri.loads(given["text"], load="0.7").run(seed=5)
    assert hashes == [f"{one.hash:016x}" for one in again.replications]
    browser.value("at('seed').value = '6'; share()")
    browser.until("location.hash.length > 1")
    letters = browser.value("location.href").partition("#")[2]
    packed = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
    assert json.loads(zlib.decompress(packed, wbits=-15)) == {**given, "seed": "6"}
    browser.value("for (const field of FIELDS) at(field).value = ''")
    for damaged in ("#nonsense", link(name="first") + "AAAA"):
        browser.value(f"location.hash = {json.dumps(damaged)}")
        browser.until("document.getElementById('state').textContent.startsWith('The link does not hold a net')")
        browser.value(f"{HEARD}; ask('check')")
        browser.until("window.heard > 0")
        assert browser.value("document.getElementById('state').textContent").startswith("The link does not hold a net")
    put(browser, first())
    assert browser.value("document.getElementById('state').textContent") == "no problems found"


def test_a_hostile_net_shows_text_only(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    before = browser.value("document.scripts.length")
    put(browser, HOSTILE)
    figures(browser)
    browser.value("select('drawing')")
    browser.until("Boolean(document.querySelector('#drawing img')?.complete)")
    browser.value("select('figures')")
    assert browser.value("document.title") == "pnsim in the browser"
    assert browser.value("document.scripts.length") == before
    assert browser.value("document.querySelectorAll('#figures img, #problems img, #figures b').length") == 0


def test_stop_is_heard(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    put(browser, LONG)
    browser.value("run()")
    browser.until("document.getElementById('share-done').value > 0")
    browser.value("stop()")
    browser.until("document.getElementById('stop').hidden")
    assert "PARTIAL RESULTS" in browser.value("document.getElementById('figures').textContent")
    assert browser.value("ready")  # the worker was not ended


def test_a_run_that_hears_no_stop_is_ended_with_the_simulator(page: tuple[Browser, Served]) -> None:
    browser, _ = page
    put(browser, LONG)
    browser.value("worker.onmessage = null; run(); stop()")  # the page hears nothing of the worker any more
    browser.until("!ready")
    assert "it has no figures" in browser.value("document.getElementById('figures').textContent")
    browser.until("ready")
    assert browser.value("text.value") == LONG
    put(browser, first())
    assert "goodput" in figures(browser)


@pytest.mark.parametrize("field", ["replications", "seed", "max_firings", "set"])
def test_a_setting_that_is_none_is_refused(page: tuple[Browser, Served], field: str) -> None:
    browser, _ = page
    put(browser, first())
    browser.value(f"at('{field}').value = 'x'")
    shown = figures(browser)
    browser.value(f"at('{field}').value = ''")
    assert shown.rstrip().endswith("`x`.")


def test_a_later_visit_takes_the_modules_that_an_earlier_one_has_compiled(page: tuple[Browser, Served]) -> None:
    browser, server = page
    kept = "caches.open('pnsim').then(async (cache) => { const [key] = await cache.keys(); {} })"
    size = kept.replace("{}", "return key && (await (await cache.match(key)).blob()).size")
    for damage in ("", "await cache.put(key, new Response('damaged'))", "await cache.delete(key)"):
        browser.until(f"{size}.then((size) => size > 1e6)")
        browser.value(kept.replace("{}", damage))
        browser.open("about:blank", "true")
        browser.open(server.url, READY)
        put(browser, first())
        assert browser.value("document.getElementById('state').textContent") == "no problems found"


@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_the_screen(page: tuple[Browser, Served], width: int) -> None:
    browser, _ = page
    browser.resize(width, 800)
    put(browser, first())
    figures(browser)
    assert browser.value("document.documentElement.scrollWidth") <= width
    browser.resize(1280, 900)


def test_nothing_is_loaded_after_the_start(page: tuple[Browser, Served]) -> None:
    browser, server = page
    server.asked.clear()
    put(browser, first())
    figures(browser)
    browser.value("select('drawing')")
    browser.value("share()")
    browser.until("Boolean(document.querySelector('#drawing img')?.complete)")
    assert server.asked == []
    assert browser.told == []
    refused = browser.value("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')")
    assert refused == "refused"
    browser.told.clear()


def test_the_pack_has_what_the_page_needs_and_little_else(page: tuple[Browser, Served]) -> None:
    site = ROOT / "build" / "playground"
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in site.rglob("*") if path.is_file()}
    assert sum(sizes.values()) <= 9.5e6, sizes
