"""The loop of the machine code against the reference engine: instants, sets of transitions, places that waver."""

from __future__ import annotations

import math

import pytest

import petri
from petri.engine.errors import Fault
from petri.engine.interface import Limits
from petri.engine.native import available
from petri.run.session import begin
from tests.engine.test_engines_agree import assert_same_state, with_code
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")

LIMITS = Limits(firings_at_an_instant=1200, tokens=20_000)

WAVERING = {
    "queues, and a server that rests while its queue is empty": """
        place queue[0..3]  = 2 * token
        place server[0..3] = token
        transition serve[i in 0..3]: queue[i], server[i] -> queue[(i + 1) mod 4], server[i]  takes exp(1.0)
        place lamp = token
        transition rest: no queue[0], lamp -> lamp  takes exp(0.5)
        transition rush: read queue[1], no queue[2] >= 3, lamp -> lamp  takes 0.25
        """,
    "coloured tokens, several at a time": """
        type Job = { size: 1..3, id: int }
        place source : int = 0
        place queue  : Job fifo
        place free   : 0..2 = all
        place scrap
        transition arrive: source(k) -> source(k + 1), queue({size: s, id: k})  draw s ~ uniform(1..3)  takes exp(1.0)
        transition work:   queue(j), free(c) -> free(c), j.size * scrap  takes exp(2.5)
        transition clear:  2 * scrap -> nothing  takes 0.5
        """,
    "a place whose tokens are in the way": """
        place source = token
        place gate   = token
        place hand   = token
        place jam
        transition fill:  source -> source, jam  takes exp(1.0)
        transition pass:  gate, no jam -> gate  takes 0.2
        transition drain: hand, 2 * jam -> hand  takes exp(1.0)
        """,
}

PASSED = {
    "a bus that two share, and a third that takes as long": """
        place ask[0..2] : int fifo = 1, 2, 3
        place bus  = token
        place link = 2 * token
        transition ride[i in 0..1]: ask[i](k), bus -> bus, ask[i](k + 1)  takes 0.5
        transition walk: ask[2](k), link -> link, ask[2](k + 1)  takes 0.5
        """,
    "one token of each discipline": """
        place any   : int      = 5
        place queue : int fifo = 5
        place stack : int lifo = 5
        place ranks : { id: int } by id = {id: 5}
        transition a: any(k)   -> any(k + 1)    takes exp(1.0)
        transition b: queue(k) -> queue(k + 1)  takes 0.75
        transition c: stack(k) -> stack(k + 1)  takes exp(0.5)
        transition d: ranks(o) -> ranks({id: o.id + 1})  takes 0.75
        """,
    "a token that goes around, and is lost in the end": """
        place here = token
        place there
        place lap
        place worn
        transition go:   here -> there       takes 0.5
        transition back: there -> here, lap  takes 0.5
        transition wear: 100 * lap, here -> worn
        """,
    "tokens that nobody has twice, joined and counted": """
        place left  : { id: 0..9, n: 0..3 } = {id: i, n: 0} for i in 0..9
        place right : 0..9 = all
        place key   = token
        place done
        transition meet: left({id: i, n: n}), right(i) -> left({id: i, n: (n + 1) mod 4}), right(9 - i)  takes exp(1.0)
        transition turn: key, 3 * done -> key  takes 0.25
        transition mark: read key, left({id: i, n: n}) -> left({id: i, n: n}), done  takes 0.25
        """,
    "two tokens, and none": """
        place pair = 2 * token
        place one  = token
        place none
        transition both:  2 * pair -> 2 * pair  takes 1.0
        transition other: one -> one            takes 1.0
        transition never: none -> none          takes 1.0
        """,
}

TIED = {
    "beats of three lengths, and one at random": """
        place beat[0..6] = (1 + i mod 2) * token for i in 0..6
        place noise      = token
        place heard
        transition ring[i in 0..6]: beat[i] -> beat[i]  takes 0.25 * (1 + i mod 3)
        transition hiss: noise -> noise, heard  takes exp(0.5)
        transition note: heard -> nothing  takes 0.75
        """,
    "tokens on the way, some of them late": """
        type Job = { id: int, late: 0..2 }
        place ready : Job = {id: 1, late: 0}, {id: 2, late: 0}, {id: 3, late: 1}
        place door  = 2 * token
        transition send: ready(j), door -> door in 1.0, ready({id: j.id, late: l}) in 0.5 + 0.5 * j.late
          draw l ~ uniform(0..2)
        """,
    "whole times, and more and more firings": """
        place cell : int = 1
        place born
        transition divide: cell(k) -> cell(2 * k mod 1009), cell(k), born  draw d ~ uniform(1..3)  takes d
        transition die:    cell(k), 2 * born -> nothing  takes 1.0
        """,
}

JOINED = {
    "one token of the pivot has as many partners at once as there are tokens of the pivot": """
        place item : { key: int, id: int } = {key: 0, id: i} for i in 0..15
        place want : { key: int, id: int } = {key: i, id: i} for i in 0..15
        transition pair: want(w), item({key: w.key, id: n}) -> want(w), item({key: w.key, id: n})  takes 1.0
        """,
    "more tokens of the pivot than fit one block, of which few have partners at a time": """
        place item : 0..269 = 3, 5, 5, 130, 131, 267
        place want : 0..269 = all
        place tick = token
        transition pair: want(k), item(k) -> want((7 * k + 1) mod 270), item((11 * k + 5) mod 270)  takes exp(1.0)
        transition rise: tick -> tick, item(k)  draw k ~ uniform(0..269)  takes 0.4
        transition fall: 9 * tick, item(k) -> 9 * tick
        """,
    "many of one key, and many with partners": """
        place item : 0..49 = 4 * (i) for i in 0..49
        place want : 0..49 = 7 * (i) for i in 0..49
        transition pair: want(k), item(k) -> want((7 * k + 1) mod 50), item((11 * k + 5) mod 50)  takes exp(1.0)
        """,
}


def compare(text: str, pieces: list[int], *patiences: int, levels: bool = False) -> Fault | None:
    """Run both engines piece by piece; machine code is made after each of `patiences`. Returns what stopped them."""
    net = petri.loads(f"net loop\n{text}").net
    reference = begin(net, "reference", 1, 0, limits=LIMITS, levels=levels)
    natives = with_code(net, 1, patiences, LIMITS, levels)
    for piece in pieces:
        reason = reference.advance(math.inf, piece)
        for native in natives:
            assert native.advance(math.inf, piece) == reason
            assert_same_state(reference, native)
    return reference.error


@pytest.mark.parametrize("burst", one_in(4, [199, 196, 200, 201, 1200, 1190, 1198, 1210]))
def test_x3_many_firings_at_an_instant(burst: int) -> None:
    """Close to the limit firings are interpreted, and those of the next instant are not: nobody can tell."""
    text = f"""
        place go = token
        place burst
        transition begin: go -> go, {burst} * burst  takes 1.0
        transition use: burst -> nothing
        """
    compare(text, [1, 100, 150, 1500, 300], 0, 40)


@pytest.mark.parametrize("transitions", one_in(5, [65, 60, 64, 150, 700]))
def test_sets_of_enabled_transitions(transitions: int) -> None:
    """One word, or several with a summary above; transitions that watches decide about, and others."""
    last = transitions - 1
    text = f"""
        place at[0..{last}]
        place kick : 0..{last} = 3, {last // 2}, {last // 2 + 1}, {last}
        transition scatter: kick(k) -> at[k], kick((7 * k + 5) mod {transitions})  takes 1.0
        transition move[i in 0..{last}]: at[i] -> at[(3 * i + 1) mod {transitions}]  takes exp(1.0)
        transition leave[i in 0..{last}]: at[i], read kick(k) -> nothing  when k == i  takes exp(4.0)
        """
    compare(text, [5, 60, 200], 0)


@pytest.mark.parametrize("levels", one_in(2, [True, False]))
@pytest.mark.parametrize("text", list(WAVERING.values()), ids=list(WAVERING))
def test_places_that_are_empty_as_chance_has_it(text: str, levels: bool) -> None:
    compare(text, [800, 1, 1500], 200, levels=levels)


@pytest.mark.parametrize("text", list(TIED.values()), ids=list(TIED))
def test_s5_firings_that_often_end_at_once(text: str) -> None:
    """Code made before the first tie, and after many."""
    compare(text, [800, 1, 600], 0, 400)


@pytest.mark.parametrize("levels", one_in(2, [True, False]))
@pytest.mark.parametrize("text", list(PASSED.values()), ids=list(PASSED))
def test_tokens_that_are_passed_on(text: str, levels: bool) -> None:
    """Places whose tokens come from nowhere: where there is one, less is asked of it, and firings need no lane."""
    compare(text, [1, 90, 40, 500], 0, 100, 10_000, levels=levels)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("1", "6"),
        ("3", "3"),
        ("k - 3", "k + 4"),
        ("k", "2 * k"),
        ("k", "3 - k"),
        ("0", "9007199254740991"),
        ("0", "9007199254740992"),
        ("9223372036854775807 - k", "9223372036854775807"),
        ("-9223372036854775807", "9223372036854775807 - k"),
    ],
)
def test_r3_integers_between_any_bounds(low: str, high: str) -> None:
    """Bounds that are constant or not, one number, none, as many as u can tell apart, and more."""
    text = f"""
        place a : int = 1
        place b : int
        transition come: a(k) -> a((k + 1) mod 1000), b(s)  draw s ~ uniform({low}..{high})  takes exp(1.0)
        transition go:   b(s) -> nothing  takes 0.1
        """
    compare(text, [1, 200, 300], 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("most", "time"),
    [
        (2500, "exp(1.0)"),
        (2500, "0.5 + k / 64  draw k ~ uniform(0..1000)"),
        (300, "k  draw k ~ uniform(1..4)"),
        (300, "1.0"),
    ],
)
def test_a_tournament_that_grows(most: int, time: str) -> None:
    """The code is made for as many slots as there are then; the firings in progress become many more, and few again."""
    text = f"""
        place cell : {{ id: int }} = {{id: 1}}
        place born
        place full
        transition divide: cell(c), no full -> cell({{id: 2 * c.id mod 1009}}), cell({{id: c.id}}), born  takes {time}
        transition tell:   {most} * born -> full  priority 1
        transition die:    cell(c), read full -> nothing  takes {time}
        """
    compare(text, [25, 40, most // 2, most, most], 30, 3000)


def test_x1_every_equality_of_a_pattern_is_looked_at() -> None:
    """Of two that a token must meet, the second raises a fault although the first is not met."""
    text = """
        type Pair = { a: int, b: int }
        place queue : Pair fifo = Pair(1, 1)
        place clock = 3 * token
        place count : int = 0
        transition tick: clock -> nothing  takes 1.0
        transition take: queue(Pair(0, 6 div tokens(clock))) -> queue(Pair(1, 1))
        transition add: count(k) -> count(k + 1)  takes 0.25
        """
    compare(text, [2, 50], 0)


@pytest.mark.parametrize("scale", ["0.0", "0.75", "1.0", "1e299", "2e300"])
def test_r3_scaled_exponentials(scale: str) -> None:
    """A number times a standard exponential, on either side, is an exponential of that mean."""
    text = f"""
        place at : int = 0
        place wide : real = 1.0
        transition left:  at(k) -> at(k + 1)  takes min(1.0, {scale} * exp(1.0))
        transition right: wide(_) -> wide(x)  draw x ~ exp(1.0) * {scale}  takes 0.5
        transition other: wide(_) -> wide(x)  draw x ~ exp(2.0) * 0.3  takes 0.7
        """
    compare(text, [1, 100, 200], 0, 10**9)


@pytest.mark.parametrize("first", one_in(5, ["6.7e15", "2e15", "8e15", "1e16", "1e290"]))
@pytest.mark.parametrize(
    "time", ["2e13", "2.5e15", "exp(3e13)", "1e13 * exp(2.0)", "exp(1.0) + 4e13", "uniform(0..3e15)"]
)
def test_s1_firings_that_end_beyond_the_horizon(time: str, first: str) -> None:
    """Firings go on beyond the time up to which there is machine code, and one would end beyond the horizon."""
    text = f"""
        time s resolution 1 s
        place start = token
        place at
        transition wait:  start -> at  takes {first} * 1 s
        transition stay:  at -> at     takes ({time}) * 1 s
        """
    last = compare(text, [1, 1, 40, 1000], 0, 40)
    assert last is not None
    assert (last.id, last.values["horizon"]) == ("beyond-horizon", 2.0**53)


@pytest.mark.parametrize(
    "time", one_in(3, ["x - 0.25", "0.5 * x", "1.5 * x", "0.2 - 0.9 * x", "0.0 * x", "0.9 * x - 0.9", "1 - 2 * x"])
)
def test_s1_times_of_less_than_a_tick(time: str) -> None:
    """Halves go to the even number, what is positive takes a tick, and what is less than a tick below 0 takes none."""
    text = f"""
        time s resolution 1 s
        place at : real = 0.0, 0.3, 0.5, 0.6, 1.0
        transition step: at(x) -> at(x)  takes ({time}) * 1 s  weight 2
        transition wait: at(x) -> at(x)  takes x * 1 s + 1 s
        """
    compare(text, [1, 1, 40, 1000], 0, 40)


@pytest.mark.parametrize("mean", ["1e-310", "1e-285", "1e-279", "1e-3"])
def test_r3_exponential_times_of_any_mean(mean: str) -> None:
    """Times far below the others, and below the numbers in which a float has all its digits."""
    text = f"""
        place at    = token
        place other = token
        transition small: at -> at        takes exp({mean})
        transition large: other -> other  takes exp(1.0)
        """
    compare(text, [1, 100, 500], 0)


LOSSES = {
    "an only token, and others that come and go": """
        place queue[0..3]  = 2 * token
        place server[0..3] = token
        transition serve[i in 0..3]: queue[i], server[i] -> queue[(i + 1) mod 4], server[i]  takes exp(1.0)
        """,
    "two of one place": """
        place queue  = 5 * token
        place server = 2 * token
        transition two: queue, queue, server -> 2 * queue, server  takes exp(1.0)
        transition one: queue, server -> queue, server             takes exp(0.5)
        """,
    "what another takes, too": """
        place queue : int = 1, 2, 3
        place lamp  = token
        transition both: queue(a), queue(b), lamp -> queue(a + b), lamp, queue(1)  when a > b  takes exp(1.0)
        transition look: lamp, no queue >= 3 -> lamp  takes exp(0.5)
        transition take: queue(a), lamp -> lamp       takes exp(2.0)
        transition give: lamp, no queue >= 6 -> lamp, queue(2)  takes exp(1.0)
        """,
    "an only token, and a pair of one key": """
        type Job = { key: 0..2, size: int }
        place ready  : Job = Job(0, 1), Job(1, 2), Job(2, 3), Job(0, 4)
        place engine : 0..2 = 0, 1
        place rest   : Job
        place bus    = token
        place turned : 0..2
        transition work: ready(Job(k, n)), engine(k), bus -> bus, turned(k), rest(Job((k + n) mod 3, n + 1))
          takes exp(0.25)
        transition back: rest(j) -> ready(j)                    takes exp(1.5)
        transition turn: turned(k) -> engine((k + 1) mod 3)     takes exp(0.5)
        """,
}


@pytest.mark.parametrize("text", LOSSES.values(), ids=LOSSES.keys())
def test_conditions_that_a_firing_ends_for_its_own_transition(text: str) -> None:
    compare(text, [3, 60, 500], 0, 100)


SEEN = {
    "each of four transitions takes tokens of one number": """
        place pool   : 0..3 = 0, 1, 2, 3, 0
        place done[0..3]
        transition take[e in 0..3]: pool(e) -> done[e]
        transition back[e in 0..3]: done[e] -> pool((3 * e + 1) mod 4)  takes exp(1.0 + e)
        """,
    "two of a number, with others in the way": """
        type Job = { kind: 0..2, id: int }
        place pool : Job = Job(0, 1), Job(1, 2), Job(2, 3), Job(0, 4), Job(1, 5), Job(1, 6)
        place gate = 2 * token
        place held : Job
        place lamp = token
        transition pair[k in 0..2]: pool(Job(k, a)), pool(Job(k, b)), gate -> held(Job(k, a)), held(Job(k, b))
          when a < b
        transition free: held(Job(k, a)) -> pool(Job((k + a) mod 3, a))  takes exp(0.5)
        transition open: lamp -> lamp, gate  takes exp(2.0)
        transition shut: lamp, gate, no pool(Job(1, _)) -> lamp  takes 0.75
        """,
    "any token beside one of a number": """
        place source = 9 * token
        place pool   : 0..3 = 2
        place out    : 0..3
        transition feed: source -> pool(1)  takes exp(1.0)
        transition pair: pool(2), pool(x) -> out(2)  when x != 2
        transition back: out(2) -> pool(2)  takes exp(0.25)
        """,
    "one that looks at all tokens, too": """
        place pool : 0..3 = 0, 1, 2
        place out  : 0..3
        transition even: pool(2), pool(x) -> out(2), out(x)  when x != 2
        transition many: pool(1), read pool(0) -> out(3)     when tokens(pool) > 2
        transition turn: out(x) -> pool((x + 1) mod 4)       takes exp(1.0)
        """,
}


@pytest.mark.parametrize("text", SEEN.values(), ids=SEEN.keys())
def test_tokens_that_a_transition_sees(text: str) -> None:
    """Transitions that ask for tokens of one value are not looked at when others arrive."""
    compare(text, [3, 50, 300], 0, 40)


@pytest.mark.slow
@pytest.mark.parametrize("text", JOINED.values(), ids=JOINED.keys())
def test_joins_of_few_and_of_many(text: str) -> None:
    """Weights as bytes of one block, of several, and as sums."""
    compare(text, [3, 50, 120], 0, 40)
