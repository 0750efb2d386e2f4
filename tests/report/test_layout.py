"""The rules of a drawing hold for every net of the library: nothing lies upon anything else, at any depth."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

import petri
from petri import library
from petri.net import InputArc, Net, OutputArc, Place, Transition
from petri.report.picture import Diagram, closed, diagram, layout, views
from petri.report.picture.diagram import PictureNode
from petri.report.picture.layout import Layout, Route
from petri.report.picture.rows import fit
from petri.report.picture.sizes import core_size, label_size, node_room
from tests.sampling import one_in

Rectangle = tuple[float, float, float, float]
Points = npt.NDArray[np.float64]
SLACK = 0.6


def around(centre: tuple[float, float], size: tuple[float, float]) -> Rectangle:
    return centre[0] - size[0] / 2, centre[1] - size[1] / 2, centre[0] + size[0] / 2, centre[1] + size[1] / 2


def room_of(node: PictureNode, placed: Layout) -> Rectangle:
    (x, y), (width, above, below) = placed.nodes[node.name], node_room(node)
    return x - width / 2, y - above, x + width / 2, y + below


def apart(one: Rectangle, other: Rectangle) -> bool:
    return (
        one[2] <= other[0] + SLACK
        or other[2] <= one[0] + SLACK
        or one[3] <= other[1] + SLACK
        or other[3] <= one[1] + SLACK
    )


def samples(route: Route) -> Points:
    """Points along a route: [number, x and y]."""
    a, b, c, d = (np.array(route.points[at::3][: len(route.points) // 3])[:, None] for at in range(4))
    t = np.linspace(0.0, 1.0, 9)[None, :, None]
    u = 1 - t
    return np.asarray(u**3 * a + 3 * u * u * t * b + 3 * u * t * t * c + t**3 * d).reshape(-1, 2)


def any_within(points: Points, rectangles: list[Rectangle]) -> bool:
    if not rectangles:
        return False
    left, top, right, bottom = np.array(rectangles).T[:, :, None]
    x, y = points.T
    return bool(((left + SLACK < x) & (x < right - SLACK) & (top + SLACK < y) & (y < bottom - SLACK)).any())


def in_shape(points: Points, node: PictureNode, placed: Layout) -> bool:
    centre, size = placed.nodes[node.name], core_size(node)
    if node.kind == "place":
        return bool((np.hypot(*(points - np.array(centre)).T) < size[0] / 2).any())
    return any_within(points, [around(centre, size)])


def check(drawn: Diagram, placed: Layout) -> None:
    rooms = {node.name: room_of(node, placed) for node in drawn.nodes}
    names = list(rooms)
    for number, name in enumerate(names):
        assert all(apart(rooms[name], rooms[other]) for other in names[number + 1 :]), f"{name} is under another node"
    check_frames(drawn, placed, rooms)
    labels = {
        number: around(route.label, (label_size(edge.label)[0], label_size(edge.label)[1] - 2.5))
        for number, (edge, route) in enumerate(zip(drawn.edges, placed.routes, strict=True))
        if route.label
    }
    for number, rectangle in labels.items():
        assert all(apart(rectangle, room) for room in rooms.values()), f"the text of arc {number} is on a node"
        assert all(apart(rectangle, other) for key, other in labels.items() if key > number), "two texts collide"
    nodes = {node.name: node for node in drawn.nodes}
    for edge, route in zip(drawn.edges, placed.routes, strict=True):
        assert route.points, f"the arc from {edge.start} to {edge.end} is missing"
        points = samples(route)
        ends = (edge.start, edge.end)
        assert not any_within(points, [room for name, room in rooms.items() if name not in ends]), edge
        assert not any(in_shape(points, nodes[name], placed) for name in ends), edge
        assert not any_within(points, list(labels.values())), edge


def check_frames(drawn: Diagram, placed: Layout, rooms: dict[str, Rectangle]) -> None:
    frames = {path: (x, y, x + width, y + height) for path, (x, y, width, height) in placed.boxes.items()}
    assert set(frames) == {box.path for box in drawn.boxes}
    for path, frame in frames.items():
        for other, second in frames.items():
            if path[: len(other)] != other and other[: len(path)] != path:
                assert apart(frame, second)
        for node in drawn.nodes:
            left, top, right, bottom = rooms[node.name]
            if node.box[: len(path)] == path:
                assert min(left - frame[0], frame[2] - right, top - frame[1], frame[3] - bottom) >= 0, node.name
            else:
                assert apart(frame, rooms[node.name]), node.name


@pytest.mark.parametrize("name", one_in(24, library.net_names()))
def test_nothing_lies_upon_anything_else(name: str) -> None:
    drawn = diagram(petri.load(name).net)
    for _, view in views(drawn):
        check(view, layout(view))


@pytest.mark.parametrize("name", one_in(3, ["timeout", "ixp2400", "microengine"]))
def test_with_all_boxes_open_too(name: str) -> None:
    drawn = diagram(petri.load(name).net)
    check(drawn, layout(drawn))


def test_the_ixp2400_reads_from_the_line_to_the_line() -> None:
    drawn = closed(diagram(petri.load("ixp2400").net))
    placed = layout(drawn)
    path = ["router.receive (module)", "router.chip (module)", "router.transmit (module)", "router.output (module)"]
    xs = [placed.nodes[name][0] for name in path]
    assert xs == sorted(xs)
    assert placed.nodes["line_in"][1] < placed.boxes["router",][1], "what is before the router is in the row above it"
    assert fit(placed.width + 24, placed.height + 24) > 0.8, "letters of 10 points on a page are to have more than 8"


def chain(length: int) -> Net:
    """p0 -> t0 -> p1 -> …, and back from the last to the first."""
    places = tuple(Place(f"p{i}", initial=((1, ()),) if not i else ()) for i in range(length))
    steps = [Transition(f"t{i}", (), (InputArc(i),), outputs=(OutputArc(((i + 1) % length,)),)) for i in range(length)]
    return Net("chain", places, tuple(steps))


def test_what_is_too_wide_for_a_page_is_in_rows() -> None:
    for length, rows in ((4, 1), (14, 2), (30, 4)):
        drawn = diagram(chain(length))
        placed = layout(drawn)
        check(drawn, placed)
        heights = [placed.nodes[f"t{i} (transition)"][1] for i in range(length)]
        assert 1 + sum(b > a + 80 for a, b in pairwise(heights)) == rows
        assert fit(placed.width, placed.height) > 0.6
        back = max(placed.routes, key=lambda route: len(route.points))
        assert len(back.points) > 9 * (rows - 1)


def test_a_module_takes_and_gives_by_one_arc_with_two_heads() -> None:
    places = (Place("line", initial=((1, ()),)), Place("port.queue"))
    send = Transition("port.send", inputs=(InputArc(1), InputArc(0)), outputs=(OutputArc((0,)),))
    drawn = closed(diagram(Net("n", places, (send,))), opened=())
    assert [(edge.start, edge.end, edge.kind) for edge in drawn.edges] == [("line", "port (module)", "both")]
    (module,) = (node for node in drawn.nodes if node.kind == "module")
    assert module.notes == ("1 place", "1 transition")


def test_the_inside_of_a_module_shows_what_is_beside_it() -> None:
    drawn = diagram(petri.load("ixp2400").net)
    inside = closed(drawn, within=("router", "receive"))
    outside = {node.name for node in inside.nodes if node.outside}
    assert {"router.element", "router.assigned", "router.thread", "line_in"} <= outside
    assert all(not node.box for node in inside.nodes if node.outside)


def test_the_same_net_is_always_drawn_the_same() -> None:
    drawn = closed(diagram(petri.load("ixp2400").net))
    assert layout(drawn) == layout(drawn)
