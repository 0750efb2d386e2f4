"""Tokens that come from outside: random nets with random arrivals on both engines, in any steps of time (I12)."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petri.engine.interface import Session
from petri.engine.native import available
from petri.net import Expr, Net, OutputArc, Place, Scalar, Token, Watched
from petri.run.session import begin
from petri.structs import replace
from tests.engine.nets import nets
from tests.engine.test_engines_agree import LIMITS, assert_same_state

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")

FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=60)
END = 30.0

Arrivals = list[tuple[float, int, Token]]


def opened(net: Net, chance: st.DataObject) -> Net:
    """Return the net with ports in where a place may be one, and a port out to which some transition gives."""
    places = [
        replace(place, port="in") if place.capacity is None and chance.draw(st.booleans()) else place
        for place in net.places
    ]
    out = len(places)
    transitions = list(net.transitions)
    giving = chance.draw(st.sets(st.sampled_from(range(len(transitions))))) if transitions else set()
    for number in giving:
        given_out = OutputArc((out,), count=Expr("const", "int", value=chance.draw(st.integers(1, 2))))
        transitions[number] = replace(transitions[number], outputs=(*transitions[number].outputs, given_out))
    outlet = Watched(Expr("tokens", "int", value=out))
    places.append(Place("out", discipline="fifo", port="out"))
    return replace(net, places=tuple(places), transitions=tuple(transitions), probes=(*net.probes, outlet))


def arrivals(net: Net, chance: st.DataObject) -> Arrivals:
    ports = [index for index, place in enumerate(net.places) if place.port == "in"]
    if not ports:
        return []
    found: Arrivals = []
    for _ in range(chance.draw(st.integers(0, 12))):
        port = chance.draw(st.sampled_from(ports))
        values: list[Scalar] = []
        for slot in net.places[port].colour.slots:
            low, high = slot.low or 0, 3 if slot.high is None else slot.high
            real = slot.kind == "real"
            values.append(chance.draw(st.floats(low, high) if real else st.integers(int(low), int(high))))
        time = float(chance.draw(st.integers(0, int(END))))
        found.append((time, port, tuple(values)))
    return found


def put_all(session: Session, coming: Arrivals) -> None:
    for time, port, token in coming:
        session.put(port, time, token)


@FEW
@given(net=nets(), chance=st.data(), seed=st.integers(1, 1000))
def test_random_nets_with_random_arrivals(net: Net, chance: st.DataObject, seed: int) -> None:
    net = opened(net, chance)
    coming = arrivals(net, chance)
    out = len(net.places) - 1
    sessions = [
        begin(net, engine, seed, 0, limits=LIMITS, trace=engine == "reference") for engine in ("reference", "native")
    ]
    for session in sessions:
        session.keep_outputs()
        put_all(session, coming)
    for until in (END / 2, END):
        assert len({session.advance(until, 300) for session in sessions}) == 1
        assert_same_state(*sessions)
        assert sessions[0].outputs(out) == sessions[1].outputs(out)


@pytest.fixture
def machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.engine.native.PATIENCE", 0)


@FEW
@given(net=nets(), chance=st.data(), step=st.sampled_from([1.0, 2.0, 7.0, 1e9]))
@pytest.mark.usefixtures("machine_code")
def test_steps_of_time_do_not_matter(net: Net, chance: st.DataObject, step: float) -> None:
    """What comes at t is put once the time before t has passed; in code, and stopping at each output."""
    net = opened(net, chance)
    coming = sorted(arrivals(net, chance), key=lambda one: one[0])
    at_once, stepping = (begin(net, "native", 1, 0, limits=LIMITS) for _ in range(2))
    at_once.keep_outputs()
    stepping.keep_outputs(stops=True)
    put_all(at_once, coming)
    left, time, outputs = list(coming), 0.0, []
    while time < END + 1 and stepping.error is None:
        while left and left[0][0] < time + step:
            stepping.put(left[0][1], *(left[0][0], left[0][2]))
            left.pop(0)
        time = min(time + step, END + 1)
        while stepping.advance(time - 1, 300) == "output":
            outputs += stepping.outputs(len(net.places) - 1)
    while at_once.advance(END, 300) == "budget":
        pass
    if at_once.error is None and stepping.error is None:
        assert (stepping.hash, stepping.firings) == (at_once.hash, at_once.firings)
        assert outputs == at_once.outputs(len(net.places) - 1)
