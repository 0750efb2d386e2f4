"""A saved state: a run that is divided by one is that of the reference engine, which is not divided, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from msgspec import ValidationError, msgpack

import petri
from petri.engine.checkpoint import SavedEngine, Wide
from petri.engine.errors import ModelError
from petri.engine.interface import Limits, Session
from petri.engine.native import NativeSession, available
from petri.engine.saved_check import COUNTED, check
from petri.measure.reorder import ANSWERS
from petri.net import Net
from petri.run.session import begin
from tests.engine.nets import nets
from tests.engine.races import race
from tests.engine.test_engines_agree import FAR, FEW, MANY_NETS, assert_same_state
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")

ROOT = Path(__file__).parents[2]
LIBRARY = sorted((ROOT / "nets").rglob("*.net"))
WINDOW, ENDS = 2.0, (4.0, 11.0)  # ticks; the statistics begin at the end of the first that is over
HOW = ("interpreted", "machine code")


def session(
    net: Net, how: str, seed: int, levels: bool, start: SavedEngine | None = None, limits: Limits = FAR
) -> NativeSession:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("petri.engine.native.PATIENCE", 0 if how == "machine code" else 10**9)
        begun = begin(net, "native", seed, 0, limits=limits, levels=levels, start=start)
    assert isinstance(begun, NativeSession)
    return begun


def narrow(words: Wide) -> int:
    """Return the number that these words are."""
    number = sum(word << 64 * position for position, word in enumerate(words))
    return number - (1 << 192) if words[-1] >> 63 else number


def through_a_file(saved: SavedEngine) -> SavedEngine:
    return msgpack.decode(msgpack.encode(saved), type=SavedEngine)


def assert_goes_on(net: Net, seed: int, at: float, levels: bool, unit: float = 1.0) -> tuple[SavedEngine, str] | None:
    """Check that a run that was saved at an instant goes on as those of both engines that were not divided.

    The state, and why the run ended; None if it ended before. unit: of `at` and the instants above, in ticks.
    """
    undivided = begin(net, "reference", seed, 0, limits=FAR, levels=levels)
    natives = [session(net, how, seed, levels) for how in HOW]
    whole: Sequence[Session] = (undivided, *natives)
    for until in sorted((WINDOW, at)):
        reasons = [one.advance(until * unit, 400) for one in whole]
        if reasons[0] not in ("until", "dead"):
            return None
        if until == WINDOW:
            for one in whole:
                one.begin_window()
    saved, *others = (one.save() for one in natives)
    assert others == [saved] * len(others)
    rest = [session(net, how, seed, levels, through_a_file(saved)) for how in HOW]
    for one in rest:
        assert one.save() == saved
    for until in ENDS:
        if until == ENDS[0] and at < WINDOW:
            continue
        for part in (*whole, *rest):
            reason = part.advance((at + until) * unit, 400)
        for one in rest:
            assert_same_state(undivided, one)
        if reason in ("until", "dead"):
            assert all(one.save() == natives[0].save() for one in rest)
    return saved, reason if undivided.error is None else undivided.error.id


def assert_any_goes_on(net: Net, seed: int, at: float, levels: bool) -> None:
    if (found := assert_goes_on(net, seed, at, levels)) is not None:
        saved, reason = found
        event(reason)
        event(f"{min(sum(one.part == 0 for one in saved.in_progress), 5)} firings in progress or more")
        event(f"{min(sum(one.part > 0 for one in saved.in_progress), 5)} outputs on the way or more")
        event(f"{min(sum(len(own.clocks) for own in saved.own) + len(saved.shared), 5)} clocks or more")


def assert_races_go_on(first: int, number: int) -> None:
    for seed in range(first, first + number):
        net = petri.loads(race(Random(seed))).net
        assert_goes_on(net, seed, float(seed % 5), levels=False, unit=net.tick.ticks(1.0))


def test_clocks_over_black_tokens_go_on() -> None:
    assert_races_go_on(0, 3)


@pytest.mark.slow
def test_clocks_over_black_tokens_of_many_nets_go_on() -> None:
    assert_races_go_on(100, 300)


RUNS = given(nets(), st.integers(0, 3), st.sampled_from([0.0, 1.0, 2.0, 3.0, 7.0, 20.0]), st.booleans())
test_a_run_goes_on = FEW(RUNS(assert_any_goes_on))
test_a_run_of_many_nets_goes_on = pytest.mark.slow(MANY_NETS(RUNS(assert_any_goes_on)))


# Outputs of one firing are on the way at once, some of them to places with a capacity, by number or weight. A common
# clock has parts of many transitions, whose firings send tokens, too.
ON_THE_WAY = """net on_the_way
type Block = { size: Bytes }
place a : int = 1  place b : Block fifo cap 9 B of size  place c cap 6  place d : int by value
place up[i in 0..6] = 3 * token  place down[i in 0..6]
measure giving = mean(firings(give))
transition give: a(n) -> a(n mod 5 + 1) in 2, b({size: n * 1 B}) in n, if n > 2 then c in 4, n * c in 4, d(n),
    d(-n) in 3  takes 3
transition leave_b: b(x) -> nothing  takes exp(2.0)
transition leave_c: c -> nothing  takes exp(1.5)
transition fail[i in 0..6]: up[i] -> down[i] in i  after exp(i + 2.0) servers all
transition repair[i in 0..6]: down[i] -> up[i]  after exp(3.0) speed 1.0 / (1 + tokens(down[i]))
transition lose: d(k) -> nothing  after exp(9.0)
"""


@pytest.mark.parametrize("at", [0.0, 1.0, 3.0, 8.0, 25.0, 40.0])
def test_tokens_on_the_way_and_a_common_clock_go_on(at: float) -> None:
    net = petri.loads(ON_THE_WAY).net
    found = assert_goes_on(net, 2, at, levels=False, unit=net.tick.ticks(1.0))
    assert found is not None
    assert {one.part for one in found[0].in_progress} >= {0, 1}
    assert found[0].common is not None


# Delays reorder the packets of two flows. Some are copies of earlier ones or beyond the window, and many are missing.
# At last the numbers of one flow restart.
REORDERING = """net reordering
type Packet = { flow: int, n: int }
place source : int = 1  place way : Packet
measure order = reorder(receive, by p.flow, order p.n)
transition send: source(n) -> source(n + 1) in 1,
    way({flow: n mod 2,
         n: if n > 1500 and n mod 2 == 0 then n - 1500
            else if n mod 60 == 0 then n div 2 - 4 else if n mod 401 == 0 then 1 else n div 2 + n div 600 * 9000}) in d
    draw d ~ uniform(0..(if n > 1500 then 1 else 9))
transition receive: way(p) -> nothing
"""


def test_saved_counts_of_a_measure_of_order_are_in_the_order_of_their_names() -> None:
    """Positions have no names in a file: both engines and later versions must agree on them."""
    net = petri.loads(REORDERING).net
    for how in HOW:
        one = session(net, how, 1, levels=False, limits=Limits())
        one.advance(net.tick.ticks(1550.0), 10**6)
        (order,) = one.save().orders
        assert all(flow.young is None for flow in order.flows)
        saved = dict(zip((*COUNTED, *ANSWERS), (*map(narrow, order.counts), *order.answers.counts), strict=True))
        (figures,) = one.observe().probes
        assert saved == {name: figures[name] for name in saved}
        assert len(set(saved.values())) == len(saved) - 1  # each reordered packet ends a run


def saved_on_the_way(net: Net, how: str, firings: int) -> tuple[SavedEngine, float]:
    """Return the state when so many firings have started, and twice its instant."""
    one = session(net, how, 1, True, limits=Limits())
    one.advance(math.inf, firings)
    now = one.now
    one = session(net, how, 1, True, limits=Limits())
    one.advance(now // 2, 10**6)
    one.begin_window()
    one.advance(now, 10**6)
    return one.save(), now + now


@pytest.mark.parametrize("path", one_in(48, LIBRARY), ids=lambda path: path.stem)
def test_nets_of_the_library_go_on(path: Path) -> None:
    net = petri.load(path).net
    saved, until = saved_on_the_way(net, "interpreted", 200)
    assert saved_on_the_way(net, "machine code", 200)[0] == saved
    whole = begin(net, "reference", 1, 0, limits=Limits(), levels=True)
    whole.advance(saved.window, 10**6)
    whole.begin_window()
    rest = [session(net, how, 1, True, through_a_file(saved), Limits()) for how in HOW]
    for one in (whole, *rest):
        one.advance(min(until, 2.0**52), 10**6)
    for one in rest:
        assert_same_state(whole, one)


WRONG = [0, 1, 2, 3, 60, 1 << 31, 1 << 47, (1 << 64) - 1, -1, -(1 << 63), 1e300, math.nan]


def leaves(data: Any, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Return where the numbers of nested lists are."""
    if not isinstance(data, list):
        return [path]
    return [leaf for n, part in enumerate(data) for leaf in leaves(part, (*path, n))]


def changed(data: Any, leaf: tuple[int, ...], value: Any) -> Any:
    if not leaf:
        return value
    return [changed(part, leaf[1:], value) if n == leaf[0] else part for n, part in enumerate(data)]


@FEW
@given(nets(), st.integers(0, 3), st.integers(0, 10), st.data())
def test_a_state_that_is_none_harms_nothing(net: Net, seed: int, at: int, data: st.DataObject) -> None:
    """A number of a state becomes another one: it is refused, or the engines run, though perhaps not alike."""
    whole = session(net, "interpreted", seed, levels=False)
    if whole.advance(float(at), 400) not in ("until", "dead"):
        return
    state = msgpack.decode(msgpack.encode(whole.save()))
    leaf = data.draw(st.sampled_from(leaves(state)))
    value = data.draw(st.sampled_from(WRONG))
    try:
        start = msgpack.decode(msgpack.encode(changed(state, leaf, value)), type=SavedEngine)
        for how in ("interpreted", "machine code"):
            session(net, how, seed, levels=False, start=start).advance(at + 11.0, 400)
        check(net, start)
    except (ValidationError, ModelError, ValueError) as error:
        event(type(error).__name__)
