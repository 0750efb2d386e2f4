"""`model.graph()`: the net as a graph of networkx."""

from __future__ import annotations

import petri

NET = """
net shop
type Kind = small | large
place queue : Kind
place idle = 3 * token
place done cap 9
transition come: -> queue(small)  after exp(1)
transition work: queue(k), 2 * idle, read idle, no done >= 4 -> 2 * idle, done  takes 2
transition clear: reset done, idle -> tokens(done) * idle  when tokens(done) > 3  priority 2
"""


def test_nodes_and_edges() -> None:
    graph = petri.loads(NET).graph()
    assert graph.name == "shop"
    assert graph.nodes["idle"] == {"kind": "place", "tokens": 3, "capacity": None, "type": "token"}
    assert graph.nodes["done"]["capacity"] == 9
    assert graph.nodes["queue"]["type"] == "Kind"
    assert graph.nodes["clear"] == {"kind": "transition", "priority": 2}
    edges = {(a, b, about["kind"], about["count"]) for a, b, about in graph.edges(data=True)}
    assert edges == {
        ("come", "queue", "output", 1), ("queue", "work", "input", 1), ("idle", "work", "input", 2),
        ("idle", "work", "read", 1), ("done", "work", "inhibitor", 4), ("work", "idle", "output", 2),
        ("work", "done", "output", 1), ("done", "clear", "reset", None), ("idle", "clear", "input", 1),
        ("clear", "idle", "output", None),
    }  # fmt: skip


def test_each_place_of_an_array_that_an_output_may_go_to() -> None:
    graph = petri.loads(
        "place p : 0..2 = 1\nplace q[0..2]\ntransition t: p(i) -> q[i], p((i + 1) mod 3)  takes 1\n"
    ).graph()
    assert sorted(b for _, b, about in graph.out_edges("t", data=True)) == ["p", "q[0]", "q[1]", "q[2]"]
