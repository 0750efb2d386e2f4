"""Threads become what a careful author writes: each pair of nets has the same trajectory, and as many transitions."""

from __future__ import annotations

import pytest

import petri
from petri.diagnostics import LanguageError
from tests.engines import FASTEST

HEAD = """net pair
time ns
type Packet = { size: Bytes, kind: 0..3, born: Time }
place source = token
place received : Packet fifo
place idle : 0..3 = all
place engine = 2 * token
place out : Packet
place other : Packet
transition arrive: source -> source, received(Packet(s, k, end))
  draw s ~ choice(64 B: 3, 594 B: 1), k ~ uniform(0..3)
  takes exp(100 ns)
transition leave: out(p) -> nothing
transition depart: other(p) -> nothing
run until 20 us
"""

PAIRS = {
    "take, use, give": (
        """
        thread t
          take received(p), idle(c)
          work: use engine for 30 ns
          give out(p), idle(c)
        end
        """,
        """
        place s : { p: Packet, c: 0..3 } fifo
        transition a: received(p), idle(c) -> s({p, c})
        transition b: s({p, c}), engine -> engine, out(p), idle(c) takes 30 ns
        """,
    ),
    "a wait lengthens the transition before it": (
        """
        thread t
          take received(p), idle(c), engine
          wait p.size / 10 Gbps
          give engine, out(p), idle(c)
        end
        """,
        """
        transition a: received(p), idle(c), engine -> engine, out(p), idle(c) takes p.size / 10 Gbps
        """,
    ),
    "a step prefers a binding": (
        """
        thread t
          take received(p), idle(c)  prefer most (c - p.kind) mod 4
          wait 30 ns
          give out(p), idle(c)
        end
        """,
        """
        transition a: received(p), idle(c) -> out(p), idle(c)  takes 30 ns  prefer most (c - p.kind) mod 4
        """,
    ),
    "a second wait is a transition": (
        """
        thread t
          take received(p), idle(c)
          wait 10 ns
          wait exp(20 ns)
          give out(p), idle(c)
        end
        """,
        """
        place s : { p: Packet, c: 0..3 } fifo
        transition a: received(p), idle(c) -> s({p, c}) takes 10 ns
        transition b: s({p, c}) -> out(p), idle(c) takes exp(20 ns)
        """,
    ),
    "what is held is given back": (
        """
        thread t
          take received(p)
          hold idle(_), engine
          wait 10 ns
          wait 5 ns
          release engine
          wait 7 ns
          release idle
          give out(p)
        end
        """,
        """
        place s1 : { p: Packet } fifo
        place s2 : { p: Packet, c: 0..3 } fifo
        place s3 : { p: Packet, c: 0..3 } fifo
        transition a: received(p) -> s1({p})
        transition b: s1({p}), idle(c), engine -> s2({p, c}) takes 10 ns
        transition d: s2({p, c}) -> engine, s3({p, c}) takes 5 ns
        transition e: s3({p, c}) -> idle(c), out(p) takes 7 ns
        """,
    ),
    "a branch without a wait": (
        """
        thread t
          take received(p), idle(c)
          use engine for 30 ns
          if p.kind == 0 then
            give out(p)
          elif p.kind == 1 then
            give other(p), 2 * engine
          else
            give other(p)
          end
          give idle(c)
        end
        """,
        """
        place s : { p: Packet, c: 0..3 } fifo
        transition a: received(p), idle(c) -> s({p, c})
        transition b: s({p, c}), engine
          -> engine, if p.kind == 0 then out(p), if p.kind == 1 then other(p), if p.kind == 1 then 2 * engine,
             if p.kind > 1 then other(p), idle(c)
          takes 30 ns
        """,
    ),
    "a wait after a branch that ends at a place": (
        """
        thread t
          take received(p), idle(c)
          while c < 2
            if p.kind == 0 then
              set c = c + 1
            end
            wait 5 ns
            set c = c + 1
          end
          give idle(c mod 4), out(p)
        end
        """,
        """
        place at : { p: Packet, c: 0..4 } fifo
        transition a: received(p), idle(c)
          -> if c < 2 then at({p, c}) else idle(c), if c >= 2 then out(p)
        transition b: at({p, c}) -> if n < 2 then at({p, c: n}) else idle(n mod 4), if n >= 2 then out(p)
          takes 5 ns
          let n = if p.kind == 0 then c + 2 else c + 1
        """,
    ),
    "a branch that waits": (
        """
        thread t
          take received(p), idle(c)
          if p.kind == 0 then
            use engine for 30 ns
          end
          use engine for 5 ns
          give out(p), idle(c)
        end
        """,
        """
        place s1 : { p: Packet, c: 0..3 } fifo
        place s2 : { p: Packet, c: 0..3 } fifo
        transition a: received(p), idle(c) -> if p.kind == 0 then s1({p, c}) else s2({p, c})
        transition b: s1({p, c}), engine -> engine, s2({p, c}) takes 30 ns
        transition d: s2({p, c}), engine -> engine, out(p), idle(c) takes 5 ns
        """,
    ),
    "repeat": (
        """
        thread t
          take received(p), idle(c)
          repeat p.kind
            use engine for 9 ns
          end
          give out(p), idle(c)
        end
        """,
        """
        place s : { p: Packet, c: 0..3, left: int } fifo
        transition a: received(p), idle(c)
          -> if p.kind > 0 then s({p, c, left: p.kind}), if p.kind == 0 then out(p), if p.kind == 0 then idle(c)
        transition b: s({p, c, left}), engine
          -> engine, if left > 1 then s({p, c, left: left - 1}), if left == 1 then out(p), if left == 1 then idle(c)
          takes 9 ns
        """,
    ),
    "while, let and set": (
        """
        thread t
          take received(p), idle(c)
          let left = p.size
          while left > 0 B
            use engine for 9 ns
            set left = left - 64 B
          end
          give out(p with {born: now}), idle(c)
        end
        """,
        """
        place s : { p: Packet, c: 0..3, left: Bytes } fifo
        transition a: received(p), idle(c)
          -> if p.size > 0 B then s({p, c, left: p.size}), if p.size <= 0 B then out(p with {born: now}),
             if p.size <= 0 B then idle(c)
        transition b: s({p, c, left}), engine
          -> engine, if left - 64 B > 0 B then s({p, c, left: left - 64 B}),
             if left - 64 B <= 0 B then out(p with {born: end}), if left - 64 B <= 0 B then idle(c)
          takes 9 ns
        """,
    ),
    "choose by weight": (
        """
        thread t
          take received(p), idle(c)
          choose weight 3
            use engine for 9 ns
          or weight 1
            give other(p)
          end
          give idle(c)
        end
        """,
        """
        place s : { p: Packet, c: 0..3 } fifo
        transition a: received(p), idle(c) -> s({p, c})
        transition b: s({p, c}), engine -> engine, idle(c) takes 9 ns weight 3
        transition d: s({p, c}) -> other(p), idle(c) weight 1
        """,
    ),
    "a preference": (
        """
        thread t
          take received(p), idle(c)  prefer most (c + 1) mod 4
          wait 300 ns
          give out(p), idle(c)
        end
        """,
        """
        transition a: received(p), idle(c) -> out(p), idle(c)  takes 300 ns  prefer most (c + 1) mod 4
        """,
    ),
    "choose what comes first": (
        """
        place signal = token
        place back
        transition tick: signal -> signal, back takes exp(50 ns)
        thread t
          take received(p), idle(c)
          choose
            take back
            give other(p)
          or
            take engine  priority -1
            wait 20 ns
            give engine, out(p)
          end
          give idle(c)
        end
        """,
        """
        place signal = token
        place back
        place s : { p: Packet, c: 0..3 } fifo
        transition tick: signal -> signal, back takes exp(50 ns)
        transition a: received(p), idle(c) -> s({p, c})
        transition b: s({p, c}), back -> other(p), idle(c)
        transition d: s({p, c}), engine -> engine, out(p), idle(c) takes 20 ns priority -1
        """,
    ),
    "a draw": (
        """
        thread t
          take received(p), idle(c)
          draw w ~ exp(20 ns)
          use engine for w
          give out(p), idle(c)
        end
        """,
        """
        place s : { p: Packet, c: 0..3, w: Time } fifo
        transition a: received(p), idle(c) -> s({p, c, w}) draw w ~ exp(20 ns)
        transition b: s({p, c, w}), engine -> engine, out(p), idle(c) takes w
        """,
    ),
    "handing over, and a join by value": (
        """
        place asked : { key: 0..3 }
        place answered : { key: 0..3, value: int }
        thread client
          take received(p), idle(c)
          give asked({key: c})
          take answered({key: c, value: n})  when n > 0
          give out(p), idle(c)
        end
        thread server
          take asked(a), engine
          wait exp(30 ns)
          give answered({key: a.key, value: 1}), engine
        end
        """,
        """
        place asked : { key: 0..3 }
        place answered : { key: 0..3, value: int }
        place s : { p: Packet, c: 0..3 } fifo
        transition a: received(p), idle(c) -> asked({key: c}), s({p, c})
        transition b: any s({p, c}), answered({key: c, value: n}) -> out(p), idle(c)  when n > 0
        transition d: asked(a), engine -> answered({key: a.key, value: 1}), engine  takes exp(30 ns)
        """,
    ),
    "a service": (
        """
        place channel = token
        service dram : { bytes: Bytes } fifo
        transition access: dram(r), channel -> channel, reply(r)  takes 5 ns + r.bytes / 10 Gbps
        thread t
          take received(p), idle(c)
          call dram({bytes: p.size})
          use engine for 9 ns
          call dram({bytes: 20 B})
          give out(p), idle(c)
        end
        """,
        """
        type Request = { bytes: Bytes, caller: { site: int, p: Packet, c: 0..3 } }
        place channel = token
        place dram : Request fifo
        place wait[0..1] : Request fifo
        transition access: dram(r), channel -> channel, wait[r.caller.site](r)  takes 5 ns + r.bytes / 10 Gbps
        transition a: received(p), idle(c) -> dram({bytes: p.size, caller: {site: 0, p, c}})
        transition b: wait[0]({caller: {p, c}}), engine -> engine, dram({bytes: 20 B, caller: {site: 1, p, c}})
          takes 9 ns
        transition d: wait[1]({caller: {p, c}}) -> out(p), idle(c)
        """,
    ),
    "an array over a range and a type": (
        """
        type Kind = red | blue
        place channel = token
        service dram : { bytes: Bytes } fifo
        transition access: dram(r), channel -> channel, reply(r)  takes 5 ns + r.bytes / 10 Gbps
        thread t[i in 1..2, kind in Kind]
          take received(p), idle(c)  when kind == red or p.size > 100 B
          call dram({bytes: i * 20 B})
          give out(p), idle(c)
        end
        """,
        """
        type Kind = red | blue
        type Request = { bytes: Bytes, caller: { site: int, p: Packet, c: 0..3 } }
        place channel = token
        place dram : Request fifo
        place wait[0..3] : Request fifo
        transition access: dram(r), channel -> channel, wait[r.caller.site](r)  takes 5 ns + r.bytes / 10 Gbps
        transition a[i in 0..3]: received(p), idle(c) -> dram({bytes: (i div 2 + 1) * 20 B, caller: {site: i, p, c}})
          when i mod 2 == 0 or p.size > 100 B
        transition d[i in 0..3]: wait[i]({caller: {p, c}}) -> out(p), idle(c)
        """,
    ),
    "a service that replies with a value, in a loop": (
        """
        place channel = token
        service search : { key: int } -> { found: bool }
        transition access: search(r), channel -> channel, reply(r with {found: f})
          draw f ~ choice(true: 1, false: 2)  takes 5 ns
        thread t
          take received(p), idle(c)
          let key = 0
          let more = true
          while more
            call search({key: key}) -> {found}
            set key = key + 1
            set more = not found
          end
          give if key > 2 then out(p) else other(p), idle(c)
        end
        """,
        """
        type Request = { key: int, found: bool, caller: { site: int, p: Packet, c: 0..3, key: int } }
        place channel = token
        place search : Request
        place wait : Request fifo
        transition access: search(r), channel -> channel, wait(r with {found: f})
          draw f ~ choice(true: 1, false: 2)  takes 5 ns
        transition a: received(p), idle(c) -> search({key: 0, found: false, caller: {site: 0, p, c, key: 0}})
        transition d: wait({found, caller: {p, c, key}})
          -> if not found then search({key: key + 1, found: false, caller: {site: 0, p, c, key: key + 1}}),
             if found then (if key + 1 > 2 then out(p) else other(p)), if found then idle(c)
        """,
    ),
    "a choice with a time limit": (
        """
        thread t
          take received(p), idle(c)
          choose
            work: use engine for 90 ns
            give out(p)
          or after 25 ns
            give other(p)
          end
          give idle(c)
        end
        """,
        """
        place s : { p: Packet, c: 0..3 } fifo
        transition a: received(p), idle(c) -> s({p, c})
        transition b: s({p, c}), engine -> engine, out(p), idle(c)  takes 90 ns
        transition l: any s({p, c}) -> other(p), idle(c)  after 25 ns
        """,
    ),
    "a loop over tokens": (
        """
        thread t
          take idle(c)
          for each received(p)
            wait 60 ns
            give out(p)
          end
          wait 10 ns
          give idle(c)
        end
        """,
        """
        place s : { c: 0..3 } fifo
        transition a: idle(c) -> s({c})
        transition b: s({c}), received(p) -> out(p), s({c})  takes 60 ns
        transition o: s({c}) -> idle(c)  takes 10 ns  priority -1
        """,
    ),
    "steps that are interrupted": (
        """
        place weather = token
        place fault
        transition strike: weather -> weather, fault  takes exp(200 ns)
        thread t
          take received(p), idle(c)
          do
            wait 40 ns
            give out(p)
          unless fault
            give other(p)
          end
          give idle(c)
        end
        """,
        """
        place weather = token
        place fault
        transition strike: weather -> weather, fault  takes exp(200 ns)
        place s : { p: Packet, c: 0..3 } fifo
        transition a: received(p), idle(c) -> s({p, c})
        transition b: any s({p, c}) -> out(p), idle(c)  after 40 ns
        transition i: any s({p, c}), fault -> other(p), idle(c)  priority 1
        """,
    ),
}


def firings(result: petri.Result) -> int:
    return sum(replication.firings for replication in result.replications)


def net(text: str) -> petri.Model:
    return petri.loads(HEAD + text)


@pytest.mark.parametrize("name", PAIRS)
def test_a_thread_is_the_net_that_one_writes_by_hand(name: str) -> None:
    thread, written = (net(text) for text in PAIRS[name])
    assert len(thread.net.transitions) == len(written.net.transitions)
    assert len(thread.net.places) == len(written.net.places)
    one, other = (model.run(replications=2) for model in (thread, written))
    assert firings(one) == firings(other) > 500
    assert one.hash == other.hash


@pytest.mark.skipif(FASTEST == "reference", reason="the native engine is not built")
@pytest.mark.parametrize("firings", [150, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PAIRS)
def test_both_engines_agree_on_threads(name: str, firings: int) -> None:
    model = net(PAIRS[name][0])
    runs = [model.run(engine=engine, max_firings=firings) for engine in ("native", "reference")]
    assert runs[0].hash == runs[1].hash


def test_steps_of_a_large_program_are_not_written_out_again_and_again() -> None:
    """Each `set` doubles the expression; each branch could double the steps that follow."""
    with pytest.raises(LanguageError, match="too large"):
        net("thread t take received(p) let n = 1 " + "set n = n + n " * 100 + "give n * engine end")
    branches = "if p.kind > 1 then wait 1 ns end if p.kind > 2 then give engine else wait 2 ns end " * 12
    assert len(net(f"thread t take received(p) {branches} end").net.transitions) < 50


def test_a_label_may_be_a_word_of_the_language() -> None:
    steps = "thread t\n  take received(p), idle(c)\n  read: wait 3 ns\n  token: give out(p)\n  seed: give idle(c)\nend"
    names = [one.name for one in net(steps).net.transitions if one.name.startswith("t.")]
    assert names == ["t.take_received", "t.read", "t.token", "t.seed"]
