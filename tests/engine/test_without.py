"""Each optimisation of the native engine left out in turn: no result depends on any of them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

import petri
from petri.engine.errors import ModelError
from petri.engine.interface import Limits
from petri.engine.native import NativeSession, available
from petri.net import Net
from petri.run.session import begin
from petri.structs import replace
from tests.engine.without import OPTIMISATIONS, without

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from petri import _native
from tests.engine.joins import joining_net
from tests.engine.mutated import Random
from tests.engine.nets import chosen_net
from tests.fuzz.modes import Run, compare

NETS = Path(__file__).parents[2] / "benchmarks" / "nets"
LIMITS = Limits(firings_at_an_instant=1 << 20, tokens=1 << 40)
PATIENT = 100  # firings before machine code is made, so that a profile shows something
# A net that uses each, and which of its transitions does.
USING = {
    "joins": """net joined
        place want : int = i for i in 0..29
        place have : int = i for i in 0..29
        transition t: want(k), have(k) -> want(k), have(k)  takes exp(1.0)
        """,
    "preferences": """net preferred
        place line : int = i for i in 0..9
        transition t: line(n) -> line(x)  prefer most n  draw x ~ uniform(0..9)  takes exp(1.0)
        """,
    "lanes": """net delayed
        place pool = 500 * token
        transition t: pool -> pool  takes 3.0
        """,
    "clock": """net decaying
        place pool = 500 * token
        transition t: pool -> pool  after exp(3.0)  servers all
        """,
    "profile": """net busy
        place pool = 500 * token
        transition t: pool -> pool  takes exp(3.0)
        """,
}


def start_code(net: Net) -> str:
    """Return the code of the first transition, after some firings."""
    session = _native.Session(_native.Program(net), (1, 2, 3), (1000, 1 << 40, 1 << 62), False, False)
    session.advance(100.0, 5_000)
    return "".join(code for _, _, code, _ in session.listings(0))


@pytest.mark.parametrize("name", USING)
def test_the_code_is_another(name: str) -> None:
    """Otherwise the switch would switch nothing."""
    net = petri.loads(USING[name]).net
    with_all = start_code(net)
    for other in {*USING} - {"profile"} | {name}:
        with without(other):
            assert (start_code(net) != with_all) == (other == name)


def random_nets(number: int, seed: str) -> list[tuple[Net, Run]]:
    chance = random.Random(seed)
    found = []
    for _ in range(number):
        choose = Random(f"{chance.random()}")
        net = joining_net(choose) if chance.random() < 0.5 else chosen_net(choose)
        found.append((net, Run(chance.randrange(4), chance.randint(1, 20), chance.random() < 0.3)))
    return found


def assert_nothing_changes(name: str, nets: int) -> None:
    """Check each mode against the reference engine."""
    ran: Counter[str] = Counter()
    for net, run in random_nets(nets, f"{nets} {name}"):
        ran += compare(net, replace_without(run, name))
    assert ran["machine code"] >= nets // 2
    assert ran["reference"] == nets


def replace_without(run: Run, name: str) -> Run:
    return Run(run.seed, run.firings, run.levels, name)


@pytest.mark.parametrize("name", OPTIMISATIONS)
def test_no_result_depends_on_it(name: str) -> None:
    assert_nothing_changes(name, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OPTIMISATIONS, ",".join(OPTIMISATIONS)])
def test_no_result_of_many_nets_depends_on_it(name: str) -> None:
    assert_nothing_changes(name, 15)  # four of ten nets of `make fuzz` run without one


RARELY = [pytest.param(name, marks=pytest.mark.slow) for name in sorted({*OPTIMISATIONS} - {"shapes", "footprints"})]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["footprints", *RARELY])  # without `shapes`, the code of each station takes seconds
def test_a_net_that_does_not_fit_the_cache(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Footprints are known only of such nets."""
    monkeypatch.setattr("petri.engine.native.PATIENCE", PATIENT)
    net = petri.load(NETS / "ring.net", stations=6_000).net
    hashes = set()
    for names in ("", name):
        with without(names):
            session = begin(replace(net, doc=net.doc), "native", 1, 0, limits=LIMITS)
            session.advance(1e9, 30_000)
            assert isinstance(session, NativeSession)
            assert session.ran_code
            hashes.add(session.hash)
    assert len(hashes) == 1


def test_a_name_that_there_is_not_is_refused() -> None:
    net = petri.loads("net n place p = token transition t: p -> p takes 1.0").net
    with without("joins, speed"), pytest.raises(ModelError) as refused:
        begin(net, "native", 1, 0, limits=LIMITS)
    assert "there is no optimisation `speed` to do without" in str(refused.value.values)
