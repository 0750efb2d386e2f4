"""Pictures: what is drawn, where it stands, and that the files are well formed."""

from __future__ import annotations

import subprocess
from xml.etree import ElementTree

import pytest

import petri
from petri.net import Expr, InhibitorArc, InputArc, Net, OutputArc, Place, Transition
from petri.report.picture import Diagram, diagram, dot, layout, svg
from petri.report.picture.modules import closed
from petri.report.picture.sizes import node_room
from petri.structs import replace
from tests.installed import needs_graphviz

from .samples import packet_path

TWO = Expr("const", "int", value=2)
SVG = "{http://www.w3.org/2000/svg}"


OVER = """net over
time us
type Packet = {seq: int, size: int, port: int}
const k = 3
place here : Packet = {seq: 0, size: 1, port: 2}
place there : Packet
place room = 4 * token
transition move: here(p) -> there(p with {seq: p.seq + 1})  takes 1 us
transition back: there(p), room
  -> here(if p.size < 1000 and p.port > 2 and p.seq > 9 and p.seq < 1000 then p
  else p with {size: 0, port: p.port + 1, seq: 2}), room
transition over[n in 0..k]: here(p), room -> there(p with {port: n}), (n + 1) * room
  takes (n + 1) * 1 us when p.seq >= n * 10
"""


def over(k: int) -> tuple[Diagram, str]:
    model = petri.loads(OVER.replace("k = 3", f"k = {k}"))
    drawn = diagram(model.net, sources=model.sources)
    return drawn, svg(drawn, layout(drawn))


def test_texts_stand_as_they_were_written_and_whole_in_a_tooltip() -> None:
    drawn, text = over(3)
    assert "p with {seq: p.seq + 1}" in {edge.label for edge in drawn.edges}
    tree = ElementTree.fromstring(text)
    long = next(title.text or "" for title in tree.iter(f"{SVG}title") if "else p with" in (title.text or ""))
    assert long.endswith("else p with {size: 0, port: p.port + 1, seq: 2}")
    assert "if p.size < 1000 and p.port > 2" in " ".join(one.text or "" for one in tree.iter(f"{SVG}text"))


def test_an_element_shows_its_index_and_an_array_of_many_its_range() -> None:
    drawn, _ = over(3)
    notes = {node.label: node.notes for node in drawn.nodes if node.label.startswith("over")}
    assert notes == {f"over[{n}]": (f"{n + 1} us", f"[p.seq >= {n} * 10]") for n in range(4)}
    assert {"p with {port: 2}", "3"} <= {edge.label for edge in drawn.edges}
    drawn, _ = over(30)
    (node,) = (node for node in drawn.nodes if node.label.startswith("over"))
    assert (node.label, node.copies, node.notes[1]) == ("over[n in 0..k]", 31, "[p.seq >= n * 10]")


def test_what_a_place_is_for_is_its_tooltip() -> None:
    net = petri.loads("place queue[1..9]  ## of each port\ntransition t[i in 1..9]: queue[i] -> queue[i]  takes 1").net
    drawn = diagram(net)
    (node,) = (node for node in drawn.nodes if node.kind == "place")
    assert (node.label, node.copies, node.doc) == ("queue", 9, "of each port")
    titles = {title.text for title in ElementTree.fromstring(svg(drawn, layout(drawn))).iter(f"{SVG}title")}
    assert any(title and title.startswith("of each port") for title in titles)


def test_an_output_with_a_delay_says_so() -> None:
    model = petri.loads("time ns\nplace p : int = 1\ntransition t: p(n) -> p(n + 1) in 5 ns  takes 1 ns")
    assert "n + 1 in 5 ns" in {edge.label for edge in diagram(model.net, sources=model.sources).edges}


def test_a_set_shows_its_pattern_and_its_condition() -> None:
    model = petri.loads(
        "type T = { n: int, k: 0..3 }  place go = token  place q : T  place d : int  place b\n"
        "transition t: go, all q({n, k: 2}) when n > 3, all b -> go, each d(n + 1)"
    )
    drawn = {edge.label for edge in diagram(model.net, sources=model.sources).edges}
    assert {"all {n, k: 2} when n > 3", "all", "each n + 1"} <= drawn
    assert "all when k == 2 and n > 3" in {edge.label for edge in diagram(model.net).edges}


def test_what_belongs_to_a_place_that_follows_a_schedule_is_beside_it() -> None:
    text = "net shifts time h schedule staff = 2 from 0 h, 1 from 8 h every 24 h place nurse = staff * token"
    drawn = diagram(petri.loads(text).net)
    boxes = {node.name: node.box for node in drawn.nodes}
    assert (boxes["nurse"], boxes["nurse.leaving"], boxes["staff.phase"]) == ((), (), ("staff",))
    assert set(layout(drawn).nodes) == set(boxes)
    notes = {node.name: node.notes for node in drawn.nodes}
    assert notes["staff.turn (transition)"] == ("highest priority",)
    assert notes["nurse.leave (transition)"] == ("second highest priority",)


def test_the_bar_of_a_module_that_is_hardly_used_is_still_one() -> None:
    """Its width was negative, which browsers report."""
    drawn = closed(diagram(petri.load("ixp2400").net))
    module = next(node.name for node in drawn.nodes if node.kind == "module")
    bars = [
        one
        for one in ElementTree.fromstring(svg(drawn, layout(drawn), {module: (1e-6, "")})).iter(f"{SVG}rect")
        if one.get("class") == "heat"
    ]
    assert [float(one.get("width", "")) for one in bars] == [1.0]


def test_arcs_to_and_fro_end_well_apart() -> None:
    net = Net(
        "n",
        (Place("p", initial=((1, ()),)),),
        (Transition("t", (), (InputArc(0),), outputs=(OutputArc((0,), count=TWO),)),),
    )
    drawn = diagram(net)
    heights = [
        route.points[0 if edge.kind == "take" else -1][1]
        for edge, route in zip(drawn.edges, layout(drawn).routes, strict=True)
    ]
    assert abs(heights[0] - heights[1]) >= 14


def test_alike_instances_are_drawn_once() -> None:
    drawn = diagram(packet_path(engines=8))
    assert [(box.path, box.label, box.copies) for box in drawn.boxes] == [(("engine[*]",), "engine", 8)]
    inside = [node for node in drawn.nodes if node.box]
    assert sorted(node.label for node in inside) == ["alu", "begin", "finish", "job"]
    assert {node.copies for node in inside} == {1}


def test_unfolded_every_instance_is_drawn() -> None:
    drawn = diagram(packet_path(engines=3), fold=False)
    assert len(drawn.boxes) == 3
    assert sum(node.label == "alu" for node in drawn.nodes) == 3


def test_instances_that_differ_are_not_folded() -> None:
    net = packet_path(engines=3)
    places = list(net.places)
    odd = next(index for index, place in enumerate(places) if place.name == "engine[1].alu")
    places[odd] = replace(places[odd], initial=((2, ()),))
    assert len(diagram(replace(net, places=tuple(places))).boxes) == 3


def test_a_chain_is_not_folded_where_its_ends_differ() -> None:
    places = [Place(f"link[{i}]", initial=((1, ()),) if i == 0 else ()) for i in range(4)]
    hops = [Transition(f"hop[{i}]", inputs=(InputArc(i),), outputs=(OutputArc((i + 1,)),)) for i in range(3)]
    drawn = diagram(Net("chain", tuple(places), tuple(hops)))
    assert len(drawn.nodes) == 7


def test_nested_arrays_count_within_their_box() -> None:
    places = [Place(f"me[{i}].thread[{j}].busy") for i in range(4) for j in range(8)]
    drawn = diagram(Net("nested", tuple(places)))
    assert [(box.label, box.copies) for box in drawn.boxes] == [("me", 4), ("thread", 8)]
    assert [node.copies for node in drawn.nodes] == [1]


def test_kinds_of_edges() -> None:
    edges = {(edge.start, edge.end, edge.kind) for edge in diagram(packet_path()).edges}
    assert ("mac", "send (transition)", "both") in edges
    assert ("halt", "send (transition)", "inhibit") in edges
    assert ("credit", "engine[*].finish (transition)", "read") in edges
    assert ("credit", "accept (transition)", "take") in edges
    assert ("send (transition)", "credit", "give") in edges


def test_a_transition_that_races_is_an_open_box() -> None:
    model = petri.loads(
        "net race\ntime us\nplace queue : int fifo = 1\nplace pool = token\n"
        "transition leave: any queue(x) -> nothing  after x * 2 us  resume  speed 1 / tokens(queue)\n"
        "transition look: pool, read any queue(x) -> pool  after exp(3 us)  when x > 0\n"
        "transition fail: pool -> nothing  after exp(3 us)  servers all\n"
        "transition work: pool -> pool  takes 3 us\n"
    )
    drawn = diagram(model.net, sources=model.sources)
    nodes = {node.label: node for node in drawn.nodes}
    assert nodes["leave"].notes == ("after x * 2 us", "resume", "speed 1 / tokens(queue)")
    assert nodes["look"].notes == ("after exp(3 us)", "[x > 0]")
    assert nodes["fail"].notes == ("after exp(3 us)", "servers all")
    assert [nodes[name].kind for name in ("leave", "work")] == ["racing", "timed"]
    assert {"any x"} == {edge.label for edge in drawn.edges if "any" in edge.label}
    text = svg(drawn, layout(drawn))
    assert text.count('fill-opacity="0"') == 3
    assert 'label="leave' in dot(drawn)


def test_everything_has_a_place_of_its_own() -> None:
    drawn = diagram(packet_path())
    placed = layout(drawn)
    rectangles = []
    for node in drawn.nodes:
        (x, y), (width, above, below) = placed.nodes[node.name], node_room(node)
        rectangles.append((x - width / 2, y - above, x + width / 2, y + below))
    for index, (left, top, right, bottom) in enumerate(rectangles):
        for other in rectangles[index + 1 :]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart, "two nodes overlap"
    (path, (x, y, width, height)) = next(iter(placed.boxes.items()))
    for node in drawn.nodes:
        cx, cy = placed.nodes[node.name]
        assert (x <= cx <= x + width and y <= cy <= y + height) == (node.box == path)


def test_edges_end_at_the_rims_of_their_nodes() -> None:
    drawn = diagram(Net("two", (Place("p"),), (Transition("t", inputs=(InputArc(0),)),)))
    placed = layout(drawn)
    tree = ElementTree.fromstring(svg(drawn, placed))
    path = next(element for element in tree.iter(f"{SVG}path") if element.get("class") == "arc")
    x, y = map(float, path.attrib["d"].split()[0][1:].split(","))
    cx, cy = placed.nodes["p"]
    assert ((x - cx) ** 2 + (y - cy) ** 2) ** 0.5 == pytest.approx(16.5, abs=0.3)


def test_svg_is_well_formed_and_escaped() -> None:
    nasty = '<script>alert("&")</script>'
    net = Net(nasty, (Place(nasty, doc=nasty),), (Transition("t", inputs=(InputArc(0),), doc=nasty),), doc=nasty)
    drawn = diagram(net)
    text = svg(drawn, layout(drawn))
    tree = ElementTree.fromstring(text)
    assert not list(tree.iter(f"{SVG}script"))
    assert "prefers-color-scheme: dark" in text
    dot(drawn)


def test_the_initial_marking_is_shown() -> None:
    def tokens(count: int) -> tuple[int, list[str]]:
        drawn = diagram(Net("n", (Place("p", initial=((count, ()),)),)))
        tree = ElementTree.fromstring(svg(drawn, layout(drawn)))
        dots = [element for element in tree.iter(f"{SVG}circle") if element.get("class") == "token"]
        numbers = [element.text or "" for element in tree.iter(f"{SVG}text") if element.get("class") == "token"]
        return len(dots), numbers

    assert tokens(0) == (0, [])
    assert tokens(3) == (3, [])
    assert tokens(12) == (0, ["12"])
    assert tokens(100_000) == (0, ["1e5"])


@needs_graphviz
def test_graphviz_accepts_the_dot_file() -> None:
    text = dot(diagram(packet_path()))
    subprocess.run(["dot", "-Tplain"], input=text, text=True, check=True, capture_output=True, timeout=20)


def test_a_net_without_parts_is_drawn() -> None:
    drawn = diagram(Net("empty"))
    ElementTree.fromstring(svg(drawn, layout(drawn)))


def test_thresholds_stand_at_inhibitor_arcs() -> None:
    arc = InhibitorArc(0, threshold=Expr("const", "int", value=3))
    drawn = diagram(Net("n", (Place("full"), Place("q")), (Transition("t", inputs=(InputArc(1),), inhibitors=(arc,)),)))
    assert [edge.label for edge in drawn.edges if edge.kind == "inhibit"] == ["≥ 3"]


def test_colours_are_plain_and_heat_fills_what_is_used() -> None:
    drawn = diagram(Net("n", (Place("line", initial=((1, ()),)),)))
    text = svg(drawn, layout(drawn), {"line": (0.5, "50% used")})
    assert "var(" not in text
    tree = ElementTree.fromstring(text)
    (fill,) = (element for element in tree.iter(f"{SVG}circle") if element.get("class") == "heat")
    assert fill.get("fill-opacity") == "0.48"
    assert [element.text for element in tree.iter(f"{SVG}title")][1] == "50% used"


def test_what_each_gives_has_the_names_of_its_pattern() -> None:
    """The pattern calls the field `p` of a token `q`, as another variable is called `p`."""
    model = petri.loads(
        "type C = { p: int, s: int }\nplace go : int = 1\nplace c : C = C(i, 0) for i in 1..3\n"
        "transition t: go(p), all c({p: q, s}) when q != p -> go(p), each c({p: q, s: s + 1})  takes 1"
    )
    drawn = {edge.label for edge in diagram(model.net, sources=model.sources).edges}
    assert "each {p: q, s: s + 1}" in drawn
    assert "each c.p, s + 1" in {edge.label for edge in diagram(model.net).edges}


def test_arcs_are_drawn_above_the_copies_of_an_array_and_below_its_first_element() -> None:
    text = "place queue[1..9] = token\ntransition t[i in 1..9]: queue[i] -> queue[i]  takes 1"
    drawn = diagram(petri.loads(text).net)
    shown = svg(drawn, layout(drawn))
    assert shown.rindex('behind"') < shown.index('class="arc') < shown.index('class="node"')
