"""The token game: its record is the run, its page contains no more than that, and in a browser it shows it."""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.engine.reference import Engine
from petri.net import Net
from petri.report.html.play import token_game
from petri.run.recording import Recording, record
from tests.cli.calling import Call, caller
from tests.installed import BROWSER, REQUIRED
from tests.report.test_why import loaded

from .browser import Browser
from .test_lets import NET as LETS

READY = "document.documentElement?.dataset.ready === '1'"
NETS = ["dining_philosophers", "mm1k", "byte_limited_port", "ixp_thread"]
HOSTILE = "</script><img src=x onerror=\"document.title='run'\">"


def page(model: petri.Model, firings: int = 300, until: float = math.inf) -> str:
    return token_game(model.net, model.sources, record(model.net, 3, 0, model.net.tick.ticks(until), firings), "seed 3")


def trace(html: str) -> dict[str, Any]:
    packed = re.search(r'id="trace">"([^"]*)"', html)
    assert packed is not None
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return found


@pytest.mark.parametrize("name", [*NETS, "preemptive_priority", "delays"])
def test_the_recorded_firings_are_those_of_the_run(name: str) -> None:
    net = loaded(name).net
    recording = record(net, 3, 0, math.inf, 200)
    engine = Engine(net, 3, 0)
    engine.advance(math.inf, 200)
    assert sum(one.transition >= 0 for one in recording.happenings) == engine.firings
    assert after(recording) == values_of(engine)


def values_of(engine: Engine) -> list[Any]:
    places = zip(engine.net.places, engine.marking, strict=True)
    return [[one.value for one in row] if place.colour.slots else len(row) for place, row in places]


def after(recording: Recording) -> list[Any]:
    """Return what is in the places at the end, as a viewer finds it that does not know the rules."""
    marking: list[Any] = [row if isinstance(row, int) else list(row) for row in recording.rows.initial]
    for event, changes in zip(recording.rows.events, recording.rows.changes, strict=True):
        number = max(event, ~event)
        one, *others = recording.happenings[number:]
        sent = [] if event < 0 else takewhile(lambda other: other.transition < -1, others)
        instant = one.end if event < 0 else one.start
        givers = [giver for giver in (one, *sent) if giver.end == instant]
        for place, row in changes:
            given = [token for giver in givers for to, tokens in giver.given for token in tokens if to == place]
            if isinstance(row, int):
                marking[place] = row
                continue
            found: list[Any] = []
            for seat, count in row:
                found += given[-1 - seat :][:count] if seat < 0 else marking[place][seat : seat + count]
            marking[place] = found
    return marking


ROWS = """net rows
type Job = { kind: 0..2, size: int }
place street = token
place arriving : int = 0
place bag   : int = 4, 1, 3
place stack : int lifo
place least : Job by size
place lines : Job fifo per kind
place lift  : Job by size per kind
place spare = 3 * token
place copies : int fifo
transition come: arriving(n) -> arriving(n + 1), stack(n), stack(n + 9), bag(n), copies(n), least(Job(n mod 3, n)),
                 lines(Job(n mod 3, n)), lift(Job(n mod 3, 97 * n mod 11))  takes exp(1)
transition thin: bag(n) -> nothing  when tokens(bag) > 4  takes 0.5
transition pop:  stack(n), lines(j), least(k) -> lines(j), copies(n) in 1.5  takes exp(2)
transition swap: lift(j), lines(k) -> lines(j), lift(k)  when j.kind == k.kind  takes exp(1)
transition wipe: spare, reset copies -> nothing  takes 9
"""


def test_rows_are_recorded_whatever_the_order_of_their_places() -> None:
    net = petri.loads(ROWS).net
    for firings in (0, 1, 7, 40, 200):
        recording = record(net, 3, 0, math.inf, firings)
        engine = Engine(net, 3, 0)
        engine.advance(math.inf, firings)
        assert after(recording) == values_of(engine)


def test_the_page_is_repeatable_and_loads_nothing() -> None:
    model = petri.load("dining_philosophers")
    html = page(model)
    assert html == page(model)
    assert "http://" not in html.replace("http://www.w3.org/", "")
    assert 'content="default-src &#x27;none&#x27;' in html


@pytest.mark.slow
def test_many_firings_make_a_small_page() -> None:
    model = petri.load("mm1")
    assert len(page(model, 5_000)) < 250_000  # of which 10^5 would be less than 5 MB


def test_texts_of_the_net_are_data() -> None:
    text = f"## {HOSTILE}\nnet hostile\n\n## {HOSTILE}\nplace a = token\ntransition t: a -> a  takes 1\nrun until 9\n"
    html = page(petri.loads(text), 5)
    assert "<img" not in html
    assert HOSTILE in trace(html)["places"][0]["doc"]


def test_the_command_writes_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call: Call = caller(capsys)
    path = tmp_path / "game.html"
    found = call("play", "mm1", "-o", str(path), "--firings", "50")
    assert (found.status, found.out) == (0, "")
    assert "50 firings; --firings records more" in found.err
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert call("play", "mm1", "-o", str(tmp_path / "game.svg")).status == 2


def test_the_command_tells_the_error_that_ended_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = tmp_path / "wrong.net"
    net.write_text("place a : int = 2\ntransition t: a(n) -> a(6 div n - 3)  takes 1 s\ntime s\n", encoding="utf-8")
    found = caller(capsys)("play", str(net), "-o", str(tmp_path / "game.html"))
    assert "firings; an error of the net ended it:\nerror[division-by-zero]" in found.err
    assert "transition t: a(n) -> a(6 div n - 3)" in found.err
    assert (tmp_path / "game.html").exists()


# ---------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if BROWSER is None and not REQUIRED:
        pytest.skip("needs Chromium")
    with Browser() as one:
        yield one


def opened(
    browser: Browser,
    tmp_path: Path,
    model: petri.Model,
    firings: int = 300,
    hash_: str = "",
    until: float = math.inf,
) -> None:
    path = tmp_path / "game.html"
    path.write_text(page(model, firings, until), encoding="utf-8")
    browser.open("about:blank", "true")
    browser.open(f"{path.as_uri()}{hash_}", READY)


def state_of(net: Net, firings: int) -> Engine:
    engine = Engine(net, 3, 0)
    engine.advance(math.inf, firings)
    return engine


@pytest.mark.parametrize("name", NETS)
def test_the_page_shows_the_marking_and_the_verdicts_of_the_run(browser: Browser, tmp_path: Path, name: str) -> None:
    check_verdicts(browser, tmp_path, petri.load(name))


def test_the_page_shows_rows_in_their_order(browser: Browser, tmp_path: Path) -> None:
    check_verdicts(browser, tmp_path, petri.loads(ROWS.replace(" in 1.5", "")))  # whose happenings are firings


CLOCKED = """net clocked
place queue : int fifo
place door : int = 0
place wish : int = 1, 3, 4
place clerk = 2 * token
transition arrive: door(n) -> door((n + 1) mod 5), queue(n)  takes exp(1)
transition pick:   any queue(n), wish(n), clerk -> wish(n), clerk  after 2.5  resume
transition leave:  any queue(n) -> nothing  after exp(4)  when n != 1
transition serve:  queue(n), clerk -> clerk  takes 1.5
"""


def test_the_page_knows_arcs_that_see_all_tokens_and_firings_of_clocks(browser: Browser, tmp_path: Path) -> None:
    model = petri.loads(f"{CLOCKED}measure waiting = mean(leave)\nmeasure gone = count(leave)\n")
    check_verdicts(browser, tmp_path, model)
    assert browser.value("tokenGame.measure('gone')") > 0


RACES = {
    "patience": """net patience
place queue : int fifo
place door : int = 0
place clerk = token
transition arrive: door(n) -> door(n + 1), queue(n)  takes exp(1)
transition serve:  queue(n), clerk -> clerk  takes exp(1.2)
transition leave:  any queue(n) -> nothing  after 2.5
transition forget: any queue(n) -> nothing  after exp(9)
""",
    "speeds and shared clocks": """net speeds
place source = token
place job : int fifo
place ill = 3 * token
place well = 5 * token
transition arrive: source -> source, job(n)  draw n ~ uniform(1..4)  takes exp(2.5)
transition finish: any job(n) -> nothing  after 1.0 * n  speed 1 / tokens(job)
transition infect: well, read ill -> ill  after exp(9)  servers all  speed tokens(ill)
transition recover: ill -> well  after exp(5)  servers all  when tokens(ill) > 1
""",
    "memories": """net memories
place up = token
place down
place job = 9 * token
place done
place again : int = 1, 2
transition fail: up -> down  after exp(3)
transition mend: down -> up  takes exp(1)
transition resumed: job, read up -> done  after 2  servers 2  resume
transition repeated: again(n), read up -> again(n)  after uniform(1.0..3.0)  repeat
transition back: done -> job  after 6  servers all
""",
}
SHOWN = """tokenGame.go({event}), tokenGame.clocks({transition}).map((one) =>
  [one.count, one.time, Number.isFinite(one.left) ? one.left : null, one.tokens.map((v) => v.map(Number))])"""


@pytest.mark.parametrize("name", RACES)
def test_the_page_shows_the_clocks_of_the_run(browser: Browser, tmp_path: Path, name: str) -> None:
    """At the end of instants: how many run, to what they were set, and what is left."""
    model = petri.loads(RACES[name])
    net = model.net
    opened(browser, tmp_path, model, 200)
    seen = set()
    for firings in range(5, 190, 9):
        engine = state_of(net, firings)
        engine.advance(engine.now, 1_000)  # to the end of the instant
        event = browser.value(f"tokenGame.after({engine.now!r})")
        for number in engine.clocks:
            shown = browser.value(SHOWN.format(event=event, transition=number))
            states = [one for one in engine.clocks[number].states() if one.time is not None or math.isfinite(one.ends)]
            assert [[one[0], one[1], one[3]] for one in shown] == [
                [0 if one.left is not None else one.clocks, one.time, [list(token) for token in one.tokens]]
                for one in states
            ]
            for one, state in zip(shown, states, strict=True):
                left = state.ends - engine.now if state.left is None else state.left
                assert one[2] == (pytest.approx(left, abs=1.0) if math.isfinite(left) else None)
                seen.add((state.time is None, state.left is None))
    assert len(seen) >= 2
    assert browser.told == []


def test_a_clock_is_shown_beside_its_binding_and_below(browser: Browser, tmp_path: Path) -> None:
    text = "net n\ntime s\nplace p : int = 3, 8\ntransition t: p(n) -> nothing  after 1 s * n  resume\n"
    text += "place go = token\ntransition come: go -> nothing  takes 2 s"
    opened(browser, tmp_path, petri.loads(text), 9, "#t=2&pick=t%3At")
    assert "n = 8✓ 6 s of 8 s left" in browser.value("document.getElementById('pick').textContent")
    assert "2 clocks running" in browser.value("document.getElementById('held').textContent")
    assert browser.value("document.querySelector('#pick td progress').value") == pytest.approx(2 / 3)


def check_verdicts(browser: Browser, tmp_path: Path, model: petri.Model) -> None:
    net = model.net
    opened(browser, tmp_path, model)
    for firings in (250, 40, 120):
        engine = state_of(net, firings)
        state = browser.value(f"tokenGame.go(tokenGame.before({firings})), tokenGame.state()")
        assert state["now"] == engine.now
        assert state["sizes"] == [len(row) for row in engine.marking]
        assert state["held"] == len(engine.in_progress)
        for place, row in enumerate(engine.marking):
            if net.places[place].colour.slots:
                assert browser.value(f"tokenGame.tokens({place})") == [list(one.value) for one in row]
        enabled = [browser.value(f"tokenGame.enabled({number})") for number in range(len(net.transitions))]
        assert enabled == [len(engine.bindings(number)) for number in range(len(net.transitions))]


def test_keys_links_and_clicks(browser: Browser, tmp_path: Path) -> None:
    model = petri.load("dining_philosophers")
    opened(browser, tmp_path, model, hash_="#t=40&pick=t%3Aeat")
    text = "document.getElementById('pick').textContent"
    assert browser.value("tokenGame.state().done") == 40
    assert "eat" in browser.value(text)
    assert "candidate" in browser.value(text)
    browser.press("ArrowRight")
    assert browser.value("tokenGame.state().done") == 41
    browser.press("ArrowLeft")
    browser.press("Home")
    assert browser.value("tokenGame.state().done") == 0
    browser.value(
        "document.querySelector('#view-0').shadowRoot.getElementById('n-fork').dispatchEvent(new MouseEvent('click'))"
    )
    assert "5 tokens" in browser.value(text)
    assert "place fork" in browser.value("document.querySelector('#source .now').textContent")
    browser.value("new Promise((done) => setTimeout(done, 200))")
    assert "pick=p%3Afork" in browser.value("location.hash")
    assert browser.told == []


PLAYED = """new Promise((done) => {{
  tokenGame.go(0);
  document.getElementById("break").value = "{condition}"; document.getElementById("speed").value = "event 100";
  document.getElementById("break").dispatchEvent(new Event("input"));
  if (document.getElementById("break").classList.contains("wrong")) {{ done(-1); return; }}
  document.getElementById("play").click();
  const wait = setInterval(() => {{
    if (document.getElementById("play").textContent === "Play") {{ clearInterval(wait); done(tokenGame.state().done); }}
  }}, 10); }})"""


def test_what_a_transition_calls_by_a_name_is_shown(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, petri.loads(LETS), hash_="#t=1&pick=t%3Aback")
    text = "document.getElementById('event').textContent"
    send = "send (p.size = 64 B, p.born = 0 s, total = 78 B, wire = 624 ns, big = false, late = 624 ns)"
    assert browser.value(text) == f"{send} starts"
    assert send in browser.value("document.getElementById('held').textContent")
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    assert "twice = " in browser.value(text)
    browser.press("ArrowLeft")
    candidate = browser.value("document.getElementById('pick').textContent")
    assert "p.size = 78 B, p.born = 0 s, age = 624 ns, unused = 4.57143" in candidate
    assert "twice" not in candidate  # of what is drawn when it fires
    assert browser.told == []


def test_it_plays_to_a_condition(browser: Browser, tmp_path: Path) -> None:
    """A job arrives at 2, 4, 6 …; service takes 3 from then on: firings start at 0 and 2, 2 and 4, 5 and 6, 8 …"""
    text = """net plain
    place source = token
    place queue
    place server = token
    transition arrive: source -> source, queue  takes 2
    transition serve: queue, server -> server   takes 3
    run until 40
    """
    model = petri.loads(text)
    opened(browser, tmp_path, model, 12)
    stops = {
        "serve": 2.0,
        "queue >= 2": 8.0,  # the fourth job comes when the third begins
        "max(queue) >= 2": 8.0,
        "count(serve) >= 2": 5.0,
        "mean(queue) >= 0.25": 8.0,  # a job from 4 to 5 and one from 6 to 8, of 8; the mean at 6 is a sixth
        "enabled serve": 2.0,
        "not enabled arrive": 0.0,
        "t >= 7": 8.0,
    }
    for condition, instant in stops.items():
        browser.value(PLAYED.format(condition=condition))
        now = browser.value("tokenGame.state().now")
        assert (condition, now) == (condition, model.net.tick.ticks(instant))
    browser.value("tokenGame.go(0)")
    browser.value("document.getElementById('break').focus(), document.getElementById('break').value = 'queue >= 2'")
    browser.press("Enter")
    assert browser.value("tokenGame.state().now") == model.net.tick.ticks(8.0)
    browser.value("document.getElementById('break').value = 'queue >= 99'")
    browser.press("Enter")
    assert "does not hold" in browser.value("document.getElementById('event').textContent")
    for wrong in ("nothing", "count(queue) >= 1", "mean(serve) > 1", "enabled queue", "queue >= x"):
        assert browser.value(PLAYED.format(condition=wrong)) == -1
        assert "not a condition" in browser.value("document.getElementById('break').validationMessage")


MEASURED = """net measured
time us
type Job = {size: Bytes, born: Time}
place source = token
place queue : Job
place server = token
transition arrive: source -> source, queue({size: 64 B, born: end})  takes 2 us
transition serve: queue(j), server -> server   takes 3 us
measure load       = busy(server)
measure waiting    = mean(queue)
measure wait       = sojourn(queue)
measure carried    = rate(serve, j.size)
measure delay      = now - j.born at serve record mean, max
measure running    = mean(serve) + occupied(queue) * max(queue)
measure per_job    = count(serve) / count(arrive)
run until 40 us
"""


def test_it_finds_where_a_declared_measure_holds(browser: Browser, tmp_path: Path) -> None:
    model = petri.loads(MEASURED)
    opened(browser, tmp_path, model, until=40.0)
    result = model.run(until="40 us", seed=3, warmup=0, replications=1)
    browser.value("tokenGame.go(1e9)")
    for name in ("load", "waiting", "wait", "carried", "delay", "running", "per_job"):
        assert browser.value(f"tokenGame.measure('{name}')") == pytest.approx(result.measure(name).value), name
    assert browser.value("tokenGame.measure('delay.max')") == result.measure("delay").recorded["max"].mean
    browser.value(PLAYED.format(condition="delay.max >= 2 us"))
    assert browser.value("tokenGame.state().now") == model.net.tick.ticks(8.0)
    browser.value(PLAYED.format(condition="load > 50 %"))
    assert browser.value("tokenGame.measure('load')") > 0.5
    assert browser.value(PLAYED.format(condition="load > 5 us")) == -1


def test_ints_beyond_those_of_javascript_keep_their_digits(browser: Browser, tmp_path: Path) -> None:
    text = """net big
    place a : int = 9007199254740992
    transition next: a(n) -> a(n + 1)   takes 1   when n * 3 - 1 > 0 and n mod 10 != 5
    transition last: a(n) -> a(-(-n div 3) * 3 - 9)  takes 1   when n mod 10 == 5
    run until 9
    """
    model = petri.loads(text)
    opened(browser, tmp_path, model, 9, "#t=4&pick=p%3Aa")
    assert browser.value("tokenGame.tokens(0)") == [["9007199254740994"]]
    assert "9,007,199,254,740,994" in browser.value("document.getElementById('pick').textContent")
    for firings in range(9):
        engine = state_of(model.net, firings)
        browser.value(f"tokenGame.go(tokenGame.before({firings}))")
        found = [[int(x) for x in values] for values in browser.value("tokenGame.tokens(0)")]
        assert found == [list(one.value) for one in engine.marking[0]]
        enabled = [browser.value(f"tokenGame.enabled({number})") for number in range(2)]
        assert enabled == [len(engine.bindings(number)) for number in range(2)]


def test_it_opens_at_the_first_firing_and_keys_press_what_has_the_focus(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, petri.load("ixp2400"))
    assert browser.value("tokenGame.state().done") == 1
    assert "source.emit" in browser.value("document.getElementById('pick').textContent")
    assert "fires until" in browser.value("document.getElementById('pick').textContent")
    assert browser.value("document.querySelector('#source .now').textContent.includes('transition emit')")
    assert browser.value("(one => one.scrollWidth <= one.clientWidth)(document.getElementById('break'))")
    browser.press("Tab")
    browser.press("Tab")
    assert browser.value("document.activeElement.id") == "back"
    assert browser.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press(" ")
    assert browser.value("tokenGame.state().done") == 0
    browser.press("n")
    assert browser.value("document.getElementById('pick').querySelector('h2').textContent") == "router.receive.pass"
    assert "receive" in browser.value("document.getElementById('crumbs').textContent")  # the drawing in which it is


@pytest.mark.slow
def test_a_jump_is_fast_and_a_phone_needs_no_scrolling_sideways(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, petri.load("mm1"), 5_000)
    script = """(() => { let best = Infinity;
      for (let n = 0; n < 5; n++) { tokenGame.go(12); const t = performance.now(); tokenGame.go(7777);
        best = Math.min(best, performance.now() - t); }
      return best; })()"""
    assert browser.value(script) < 50
    opened(browser, tmp_path, petri.load("ixp2400"), 300, "#t=400")
    browser.resize(390, 800)
    assert browser.value("document.documentElement.scrollWidth") <= 390


@pytest.mark.slow
def test_a_hostile_name_is_shown_and_not_run(browser: Browser, tmp_path: Path) -> None:
    text = f"## {HOSTILE}\nnet hostile\n\n## {HOSTILE}\nplace a = token\ntransition t: a -> a  takes 1\nrun until 9\n"
    opened(browser, tmp_path, petri.loads(text), 5, "#t=1&pick=p%3Aa")
    assert HOSTILE in browser.value("document.getElementById('pick').textContent")
    assert browser.value("document.title") == "hostile – token game"
