"""What other tools read of exported nets: pm4py the nets, Storm the chains, with the same states and figures; and what
cpncheck finds in a file of CPN Tools. Each test needs its tool: `pip install -e '.[tools]'`."""

from __future__ import annotations

from pathlib import Path

import pytest

import petri
from petri import interchange
from petri.exact.chain import bounds
from petri.exact.explore import explore
from petri.interchange.out.exporting import exported
from petri.interchange.out.plain import plain
from petri.interchange.reading.names import identifier
from tests.interchange.cpn_tools import arc, document, place, transition

CHAIN = """net chain
place idle = 3 * token
place queue cap 4
place spare cap 3 = token
transition come: idle -> queue after exp(0.7) servers all
transition work: queue, no spare >= 3 -> idle, spare after exp(1 / (2 * tokens(queue))) when tokens(idle) < 3
transition mend: 2 * spare -> nothing after exp(0.4) servers 2
transition arrive: -> spare after exp(3)
measure waiting = mean(queue)
"""
LIBRARY = ("mm1", "mm1k", "mmc", "mva", "closed_ring", "gspn_parallel", "marked_graph", "repairman")


@pytest.mark.parametrize("name", LIBRARY)
def test_pm4py_reads_nets_of_the_library(name: str, tmp_path: Path) -> None:
    pm4py = pytest.importorskip("pm4py")
    net = petri.load(name).net
    (tmp_path / "net.pnml").write_text(exported(net, "pnml")[0])
    found, initial, _ = pm4py.read_pnml(str(tmp_path / "net.pnml"))
    assert sorted(one.label for one in found.transitions) == sorted(one.name for one in net.transitions)
    held = {f"p{number}": place.held for number, place in enumerate(net.places)}
    assert {one.name for one in found.places} == set(held)
    assert {one.name: count for one, count in initial.items()} == {key: count for key, count in held.items() if count}
    weights = sorted(one.weight for one in found.arcs)
    ours = [int(one.count.value or 0) if one.count else 1 for each in net.transitions for one in each.inputs]
    ours += [int(one.count.value or 0) if one.count else 1 for each in net.transitions for one in each.outputs]
    assert weights == sorted(ours)


# Storm's nets have no constant times, so a net with these is not among them.
@pytest.mark.parametrize("name", [name for name in LIBRARY if name != "marked_graph"])
def test_storm_reads_nets_of_the_library(name: str, tmp_path: Path) -> None:
    """Each transition has the arcs, the mean time and the servers that the file of GreatSPN gives it."""
    nets = pytest.importorskip("stormpy.gspn")
    made = plain(petri.load(name).net, {}, "GreatSPN")
    path = tmp_path / "net.pnpro"
    path.write_text(exported(petri.load(name).net, "pnpro")[0])
    found = nets.load_gspn_file(str(path))
    places = list(found.get_places())
    assert [one.get_number_of_initial_tokens() for one in places] == [one.held for one in made.net.places]
    theirs = {one.get_name(): one for one in (*found.get_timed_transitions(), *found.get_immediate_transitions())}
    assert len(theirs) == len(made.transitions)
    for one in made.transitions:
        their = theirs[identifier(one.name)]
        for at, node in enumerate(places):
            taken = their.get_input_arc_multiplicity(node) if their.exists_input_arc(node) else 0
            given = their.get_output_arc_multiplicity(node) if their.exists_output_arc(node) else 0
            assert (taken, given) == (one.inputs.get(at, 0), one.outputs.get(at, 0))
        if one.kind == "exponential":
            assert their.get_rate() == pytest.approx(1 / float(one.time.value or 0))
            assert their.has_infinite_server_semantics() == (one.servers is None)


@pytest.mark.parametrize("format", ["prism", "jani"])
def test_storm_solves_a_chain(format: str, tmp_path: Path) -> None:
    """The states are as many, and the mean is the sum of the probabilities of at least 1, 2, 3 and 4 tokens."""
    stormpy = pytest.importorskip("stormpy")
    model = petri.loads(CHAIN)
    path = tmp_path / f"chain.{format}"
    path.write_text(exported(model.net, format)[0])
    read = stormpy.parse_prism_program if format == "prism" else stormpy.parse_jani_model
    read_in = read(str(path), **({"prism_compatibility": True} if format == "prism" else {}))
    program = read_in[0] if isinstance(read_in, tuple) else read_in
    asked = [stormpy.parse_property(f"LRA=? [queue>={count}]", program) for count in range(1, 5)]
    chain = stormpy.build_model(program, asked)
    assert chain.nr_states == len(explore(model.net, bounds(None)))
    first = chain.initial_states[0]
    waiting = sum(stormpy.model_checking(chain, one).get_value(first) for one in asked)
    assert waiting == pytest.approx(model.solve().exact("waiting").value, abs=1e-5)


COLOURS = """<color id="c1"><id>NO</id><int/></color><color id="c2"><id>UNIT</id><unit/></color>
<color id="c3"><id>PAIR</id><product><id>NO</id><id>NO</id></product></color>
<var id="v1"><type><id>NO</id></type><id>n</id><id>m</id></var>"""
PAIRS = document(
    (
        place("p1", "a", "NO", "1`1 ++ 1`2 ++ 2`3"),
        place("p2", "b", "PAIR"),
        place("p3", "c", "UNIT", "2`()"),
        transition("t1", "go", "[n < m]"),
        arc("p1", "t1", "1`n ++ 1`m"),
        arc("p3", "t1", "()"),
        arc("t1", "p2", "(n, m)"),
        transition("t2", "back"),
        arc("p2", "t2", "(n,m)"),
        arc("t2", "p1", "1`n ++ (if m > 2 then 1`2 else 1`m)"),
        arc("t2", "p3", "()"),
    ),
    colours=COLOURS,
)


def test_cpncheck_counts_the_same_markings(tmp_path: Path) -> None:
    cpncheck = pytest.importorskip("cpncheck")
    path = tmp_path / "pairs.cpn"
    path.write_text(PAIRS)
    theirs = cpncheck.build_state_space(cpncheck.ColouredNet(cpncheck.CPNNet(str(path))))
    ours = petri.loads(interchange.text_of(interchange.read(path)))
    assert len(explore(ours.net, bounds(None))) == theirs.n_nodes > 10
