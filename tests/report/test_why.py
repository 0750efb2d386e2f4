"""`Model.why`: the state that it finds is that of the run, and what it says of a transition is so."""

from __future__ import annotations

import math

import pytest

import petri
from petri.analysis.enabling import explain
from petri.diagnostics import LanguageError
from petri.engine.reference import Engine
from petri.engine.state import State, seated
from petri.net import Net, Token
from petri.run.dropped import dropped
from petri.run.instant import ReplayedRun
from petri.run.plan import Plan
from tests.engines import ENGINES, NATIVE_FIRST

NETS = ["dining_philosophers", "mm1k", "byte_limited_port", "timeout", "memory_banks", "ixp_thread", "mva", "ddr"]
PORT = """
net small_port
time us
place wire : Bytes fifo
place buffer : Bytes fifo cap 2
place line = token
place source = token
transition arrive: source -> source, wire(s)  draw s ~ choice(64 B: 1)  takes 1 us
transition accept: wire(s) -> buffer(s)  priority 1
transition lose: wire(s) -> nothing
transition send: buffer(s), line -> line  takes 10 us
run until 20 us
"""


SETS = """
net sets
type Proc = 0..3
place copy : { p: Proc, line: 0..2, n: int } = {p: q, line: l, n: q} for q in Proc for l in 0..2
place request : Proc = all
place seen : int
transition write: request(p), copy({p, line: l, n}), all copy({p: q, line: l, n: m}) when q != p and m mod 3 != 2
  -> request(p) in 2.0, copy({p, line: l, n: n + 1}), each copy({p: q, line: l, n: m + p}), each seen(m) in 1.0 + p
  takes exp(1.0)
"""

DELAYS = """
net banks
time ns
place closed : { bank: 0..3 } = {bank: i} for i in 0..3
place open : { bank: 0..3, left: int }
place bus cap 3 = 2 * token
place aged : int fifo
transition activate: closed(c), bus
  -> open({bank: c.bank, left: 2}) in 22.5 ns, bus in w, aged(7) in 0 ns, aged(c.bank) in 3 ns
  draw w ~ exp(4 ns)  takes 2 ns
transition fetch: open(o), bus
  -> if o.left > 0 then open(o with {left: o.left - 1}) in 9 ns else closed({bank: o.bank}) in 9 ns, bus
  takes exp(5 ns)
transition age: aged(n) -> nothing
run until 3 us
"""


def loaded(name: str) -> petri.Model:
    texts = {"delays": DELAYS, "sets": SETS}
    return petri.loads(texts[name]) if name in texts else petri.load(name)


def plan_of(model: petri.Model, engine: str) -> Plan:
    return model.plan(until=math.inf, engine=engine, seed=3)[0]


def deposits(engine: Engine) -> list[tuple[float, list[tuple[int, list[Token]]]]]:
    """Return what firings in progress will give, and when."""
    given = ((one.end, one.deposits) for one in engine.in_progress)
    return [(end, [(place, [held.value for held in tokens]) for place, tokens in to]) for end, to in given]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", [*NETS, "delays", "sets"])
@pytest.mark.parametrize("most", [37, pytest.param(150, marks=pytest.mark.slow)])
def test_the_state_is_that_of_the_run(name: str, engine: str, most: int) -> None:
    model = loaded(name)
    net = model.net
    true = Engine(net, seed=3, replication=0)
    for firings in (0, 1, most):
        true.advance(math.inf, firings - true.firings)
        course = ReplayedRun(net, plan_of(model, engine), 0)
        moment = course.moment(course.advance(math.inf, firings))
        found = seated(net, moment.state)
        assert moment.state.now == true.now
        assert [[held.value for held in row] for row in found.marking] == [
            [held.value for held in row] for row in true.marking
        ]
        assert found.reserved == true.reserved
        assert deposits(found) == deposits(true)
        assert sum(moment.counts) == firings
        check_verdicts(net, true, moment.state)


def check_verdicts(net: Net, true: Engine, state: State) -> None:
    """Check that each transition has as many bindings as the engine finds."""
    for number in range(len(net.transitions)):
        explanation = explain(net, state, number)
        assert len(explanation.bindings) == len(true.bindings(number))
        assert dict(explanation.rivals).get(number, 0) == len(true.bindings(number))


def told(transition: str, **where: object) -> str:
    return str(petri.loads(PORT).why(transition, **where))  # type: ignore[arg-type]


def test_a_full_place_is_named_and_what_would_empty_it() -> None:
    text = told("accept", firing="lose")
    assert "not enabled" in text
    assert "2 tokens, cap 2  ✗ full" in text
    assert "send needs a token in line, which is empty: send holds it until" in text


@pytest.mark.parametrize(("firing", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError)])
def test_firings_are_numbered_from_1(firing: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="`firing` is"):
        told("accept", firing=firing)


def test_what_is_no_name_names_no_transition() -> None:
    with pytest.raises(petri.LanguageError, match="no transition `3`"):
        petri.loads(PORT).why(3)  # type: ignore[arg-type]


def test_priority_is_told() -> None:
    assert "It waits: accept with priority 1 goes before its 0." in told("lose", firing="accept")


def test_a_resource_that_is_held_is_told_with_the_time_when_it_comes_back() -> None:
    assert "send (s = 64 B) holds it and gives it back at 11 us" in told("send", at="3 us")


def test_a_firing_that_gives_what_is_missing_is_told() -> None:
    text = told("accept", at="0.5 us")
    assert "arrive (s = 64 B) gives one at 1 us" in text
    assert "the next starts at 1 us" in text


def test_a_delay_that_fails_belongs_to_an_output_that_gave_nothing() -> None:
    text = """net c time ms  place a : int = 0  place b  place q
    transition u: a(x) -> b, if x == 1 then q in 1 ms / x  takes 1 ms
    """
    assert "1 in progress" in str(petri.loads(text).why("u", at="0.5 ms"))


def test_a_guard_is_shown_with_its_values() -> None:
    model = petri.loads(
        "net g\ntime us\nplace a : Time = 3 us, 5 us\nplace n = 2 * token\n"
        "transition t: a(x) -> nothing  when x > 4 us and tokens(n) > 7\nrun until 1 us"
    )
    text = str(model.why("t"))
    assert "guard: 3 us > 4 us is false" in text
    assert "guard: 2 > 7 is false" in text


def test_values_that_match_nothing_and_inhibitors_are_told() -> None:
    model = petri.loads(
        "net m\nplace a : 0..9 = 1, 2\nplace b : 0..9 = 2, 2\nplace stop = 3 * token\n"
        "transition t: a(x), b(x + 3), no stop >= 2 -> nothing\nrun until 1"
    )
    text = str(model.why("t"))
    assert "needs a token of value 4 in b, which has" in text
    assert "nothing: no transition gives to it" in text
    assert "No firing is in progress" in text
    model = petri.loads(
        "net i\nplace a = token\nplace stop = 3 * token\ntransition t: a, no stop >= 2 -> nothing\nrun until 1"
    )
    assert "fewer than 2 in stop  3 tokens  ✗ holds 3" in str(model.why("t"))


RACE = """
net race
time us
place queue : int fifo = 1, 2
place want : int = 2
place bell = token
transition hear: bell -> nothing             takes 5 us
transition pick: want(n), any queue(n) -> nothing  after 30 us
transition miss: any queue(7) -> nothing
run until 20 us
"""


def test_clocks_and_arcs_that_see_all_tokens_are_told() -> None:
    model = petri.loads(RACE)
    text = str(model.why("pick", at="1 us"))
    assert "any queue(n)" in text
    assert "us of 30 us left" in text
    assert "It fires when its clock has run down, if nothing disables it before." in text
    assert "Chance decides" not in text
    assert "needs a token of value 7" in str(model.why("miss", at="1 us"))


STOPPED = """
net stopped
time ms resolution 1 us
place job = token
place sick
place nurse = token
place well = token
place call : int = 4
transition work:  job, no sick -> nothing  after 5 ms  {}
transition ill:   well -> sick             takes 2 ms
transition heal:  sick, nurse -> well      takes 3 ms
transition other: call(n) -> nothing       takes 7 ms
run until 20 ms
"""


def flowing(why: object) -> str:
    """Return the output, without its line breaks."""
    return " ".join(str(why).split())


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_left_of_a_clock_is_told(engine: str) -> None:
    text = STOPPED.replace("heal:  sick, nurse -> well      takes 3 ms", "heal:  sick, nurse -> well      after 3 ms")
    model = petri.loads(text.format("resume"))
    assert "Its clock has 3.8 ms of 5 ms left." in flowing(model.why("work", at="1.2 ms", engine=engine))
    told = flowing(model.why("work", at="3 ms", engine=engine))
    assert "it was disabled at 2 ms by ill; its clock has stopped with 3 ms of 5 ms left" in told
    told = flowing(petri.loads(text.format("repeat")).why("work", at="3 ms", engine=engine))
    assert "it was disabled at 2 ms by ill; its clock has stopped with 5 ms of 5 ms left" in told
    told = flowing(petri.loads(text.format("")).why("work", at="3 ms", engine=engine))
    assert "it was disabled at 2 ms by ill" in told
    assert "its clock" not in told


@pytest.mark.parametrize("engine", ENGINES)
def test_each_binding_is_told_with_its_clock_and_who_took_its_token(engine: str) -> None:
    assert "✓ its clock has 20 us of 30 us left" in flowing(petri.loads(RACE).why("pick", at="10 us", engine=engine))
    thief = (
        RACE.replace("bell -> nothing ", "bell -> rung") + "place rung\ntransition steal: rung, want(n) -> nothing\n"
    )
    told = flowing(petri.loads(thief).why("pick", at="10 us", engine=engine))
    assert "it was disabled at 5 us by steal (n = 2)" in told


@pytest.mark.parametrize("engine", NATIVE_FIRST)
def test_the_firing_that_disables_is_found_in_a_long_run(engine: str) -> None:
    model = petri.load("timeout")
    net, names = model.net, [one.name for one in model.net.transitions]
    for firings in (101, 900, 2_010):
        course = ReplayedRun(net, plan_of(model, engine), 0)
        moment = course.moment(course.advance(math.inf, firings))
        found = dropped(course, moment, names.index("sender.done_late"))
        trace = course.again(firings).trace()
        answered = [one.start for one in trace if one.transition == names.index("sender.done")]
        assert found is not None
        assert found.at == max(start for start in answered if start < moment.state.now)
        assert names[found.by.transition] == "sender.done"


def test_a_shared_clock_and_one_with_a_speed_are_told() -> None:
    def told(clause: str) -> str:
        net = f"net s\ntime ms resolution 1 us\nplace p = 3 * token\ntransition t: p -> nothing  after {clause}\n"
        return flowing(petri.loads(net).why("t", at="1 us"))

    assert "Its 3 clocks run as one, which has " in told("exp(9 ms)  servers all")
    assert "left at this speed; it was set to 6 ms" in told("6 ms  speed tokens(p)")
    assert "Its clock stands still" in told("6 ms  speed 3 - tokens(p)")
    assert "3 clocks run; the first has 5.999 ms of 6 ms left" in told("6 ms  servers all")


def test_a_transition_that_is_not_there_is_refused() -> None:
    with pytest.raises(LanguageError) as refused:
        petri.loads(PORT).why("acept")
    assert "did you mean `accept`?" in str(refused.value)
    with pytest.raises(LanguageError, match="does not fire"):
        petri.loads(PORT).why("accept", firing="send", at="19.9 us")


def test_no_line_is_wider_than_a_terminal() -> None:
    text = str(petri.load("ixp2400").why("router.chip.forward.hash", at="10 us"))
    assert max(map(len, text.splitlines())) <= 80


def test_a_set_needs_nothing_and_says_how_many_tokens_it_has() -> None:
    model = petri.loads(
        "type T = { n: int, k: 0..3 }  place go = token  place q : T = T(i, i mod 2) for i in 1..6\n"
        "transition t: go, q({k: a}), all q({n, k: a}) when n > 1 -> go  takes 2  run until 3"
    )
    lines = str(model.why("t", firing=1)).splitlines()
    (told,) = (line for line in lines if line.startswith("all q"))
    assert told.startswith("all q({n, k: a}) when n > 1")
    assert told.endswith("· takes 1 to 2")
