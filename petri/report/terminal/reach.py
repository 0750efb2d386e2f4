"""What the states of a net show, on a terminal, and the graph of them as GraphML or as a drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from petri.analysis.dead import why_dead
from petri.analysis.structure import cycles, invariants, siphons, traps
from petri.exact.chain import StateSpace, StateView
from petri.exact.reach import Growth, Reachability, Step
from petri.net import Net
from petri.report.telling.columns import Column
from petri.report.telling.lacks import reasons
from petri.report.telling.quantities import Units, counted
from petri.report.telling.state_text import StateText
from petri.report.terminal.tables import print_prose, print_table
from petri.visible import visible

MOST_STEPS: Final = 40  # of a way that are shown
MOST_SETS: Final = 12  # invariants, siphons or traps that are shown
MOST_DRAWN: Final = 200  # states


def print_reach(found: Reachability, console: Console, *, seconds: float) -> None:
    """Print what the states of a net show."""
    net, space, states = found.net, found.space, StateText(found.net)
    print_prose(console, Text(net.name, style="bold"))
    at_least = "" if space.complete else "at least "
    vanishing = int((~space.tangible[: space.expanded]).sum())
    text = f"{at_least}{counted(len(space), 'state')}, in {vanishing:,} of which something fires at once, and "
    text += f"{counted(len(space.sources), 'arc')}, in {Units(1.0).show(seconds, 'Time', 3)}"
    print_prose(console, Text(text, style="dim"))
    if found.idle:
        names = ", ".join(net.places[place].name for place in found.idle)
        line = f"states that differ only in values which decide nothing count as one: of tokens in {names}; "
        print_prose(console, Text(f"{line}--all-values tells them apart", style="dim"))
    for line in _remarks(found):
        print_prose(console, Text(line))
    if found.growth is not None:
        _print_growth(found.growth, states, console)
    if (dead := found.nearest(found.is_dead)) is not None:
        number = int(found.is_dead.sum())
        print_prose(console, Text(f"\n{counted(number, 'dead state')}; the nearest:", style="bold"))
        print_way(found, dead, console)
        _print_lacks(net, found.space.state(dead), console)
    _print_bounds(found, console)
    print_structure(net, console)


def _end(net: Net, space: StateSpace) -> Iterator[str]:
    """Yield what ended the exploration before all states were found."""
    if space.crowded is not None:
        name = net.transitions[space.crowded].name
        yield f"the exploration ended in a state where {name} has more than 10 million ways to choose its tokens"
    elif space.ended == "memory":
        yield "the exploration ended when states and arcs took 4 GiB: make the net smaller with --set"
    else:
        yield "interrupted" if space.ended == "stopped" else "a limit ended the exploration: raise it with --states"


def _remarks(found: Reachability) -> Iterator[str]:
    space, net = found.space, found.net
    if not space.complete:
        yield from _end(net, space)
        return
    if not found.is_dead.any():
        yield "no state is dead"
    if found.home == len(space):
        yield "from every state, the initial one can be reached again"
    elif found.home:
        yield f"{counted(found.home, 'state')} can be reached from every state"
    else:
        yield "no state can be reached from every state: there are several ends"
    if found.never:
        names = [net.transitions[index].name for index in found.never]
        yield f"never fires: {', '.join(names)}"


def _print_growth(growth: Growth, states: StateText, console: Console) -> None:
    """Print what adds tokens again and again."""
    names = [f"{states.net.places[place].name} by {count}" for place, count in growth.places.items()]
    begin = "the net has no bound" if growth.certain else "the net may have no bound"
    print_prose(
        console, Text(f"\n{begin}: these steps add to {', '.join(names)} and change nothing else", style="bold")
    )
    _print_steps(growth.again, states, console)


def print_way(found: Reachability, state: int, console: Console) -> None:
    """Print a shortest way to a state, step by step, and the state."""
    states = StateText(found.net)
    _print_steps(found.way(state), states, console)
    print_prose(console, Text(f"  there: {states.state(found.space.state(state))}"))


def _print_steps(steps: Sequence[Step], states: StateText, console: Console) -> None:
    if not steps:
        print_prose(console, Text("  at the start"))
    for number, step in enumerate(steps[:MOST_STEPS], 1):
        print_prose(console, Text(f"  {number:3}  {states.step(step)}"))
    if len(steps) > MOST_STEPS:
        print_prose(console, Text(f"  … {len(steps) - MOST_STEPS} more", style="dim"))


def _print_lacks(net: Net, view: StateView, console: Console) -> None:
    """Print why each transition cannot fire in a dead state."""
    told = reasons(net, why_dead(net, view.marking))
    names = [f"  {one.transition} ×{one.copies}" if one.copies > 1 else f"  {one.transition}" for one in told]
    print_table(console, [Column("", names, "name"), Column("", [one.text for one in told], "prose")])


def _print_bounds(found: Reachability, console: Console) -> None:
    names = [place.name for place in found.net.places]
    if not names:
        return
    console.print()
    sign = "" if found.space.complete else "≥ "
    bounds = [f"{sign}{bound:,}" for bound in found.bounds]
    print_table(console, [Column("Places", names, "name"), Column("most tokens", bounds)])


def print_structure(net: Net, console: Console) -> None:
    """Print what follows from the arcs alone: invariants, and of small nets siphons and traps."""
    for title, lines in structure_lines(net):
        console.print()
        print_prose(console, Text(title, style="bold"))
        for line in lines[:MOST_SETS]:
            print_prose(console, Text(f"  {line}"))
        if len(lines) > MOST_SETS:
            print_prose(console, Text(f"  … {len(lines) - MOST_SETS} more", style="dim"))


def structure_lines(net: Net) -> Iterator[tuple[str, list[str]]]:
    """Headings, and what stands below each."""
    places = [place.name for place in net.places]
    transitions = [transition.name for transition in net.transitions]
    always = invariants(net)
    title = "Tokens that are never lost, those held by firings included"
    if always is None:
        yield title, ["too many to list"]
    elif always:
        yield title, [f"{_sum(one.weights, places)} = {one.total}" for one in always]
    again = cycles(net)
    title = "Firings after which all numbers of tokens are as before"
    if again is None:
        yield title, ["too many to list"]
    elif again:
        yield title, [_sum(one, transitions) for one in again]
    for title, sets in (
        ("Places that stay empty once all of them are, with no firing in progress (siphons)", siphons(net)),
        ("Places that never lose their last token (traps)", traps(net)),
    ):
        if sets:
            yield title, [", ".join(places[place] for place in sorted(one)) for one in sets]


def _sum(weights: Mapping[int, int], names: Sequence[str]) -> str:
    """`buffer + 2 · line`."""
    parts = [(f"{weight} · " if weight != 1 else "") + names[index] for index, weight in sorted(weights.items())]
    return " + ".join(parts)


def structure(net: Net) -> dict[str, Any]:
    """Return the same for JSON; None where there are too many."""
    places = [place.name for place in net.places]
    transitions = [transition.name for transition in net.transitions]
    always, again = invariants(net), cycles(net)
    named = {"siphons": siphons(net), "traps": traps(net)}
    return {
        "place_invariants": None
        if always is None
        else [{"weights": {places[p]: w for p, w in one.weights.items()}, "total": one.total} for one in always],
        "transition_invariants": None
        if again is None
        else [{transitions[t]: w for t, w in one.items()} for one in again],
        **{
            name: None if sets is None else [[places[place] for place in sorted(one)] for one in sets]
            for name, sets in named.items()
        },
    }


def reach_dict(found: Reachability) -> dict[str, Any]:
    """Return what `print_reach` shows, as JSON types."""
    net, space = found.net, found.space
    dead = found.nearest(found.is_dead)
    growth = found.growth
    return {
        "net": net.name,
        "complete": space.complete,
        "states": len(space),
        "tangible": int(space.tangible[: space.expanded].sum()),
        "arcs": len(space.sources),
        "idle": [net.places[place].name for place in found.idle],
        "bounds": {place.name: bound for place, bound in zip(net.places, found.bounds, strict=True)},
        "dead": {"states": int(found.is_dead.sum()), "way": None if dead is None else way_list(found, dead)},
        "home": found.home,
        "never": [net.transitions[index].name for index in found.never] if space.complete else None,
        "grows": None
        if growth is None
        else {
            "certain": growth.certain,
            "places": {net.places[place].name: count for place, count in growth.places.items()},
            "steps": [StateText(net).step(step) for step in growth.again],
        },
        "structure": structure(net),
    }


def way_list(found: Reachability, state: int) -> list[str]:
    """Return the steps of a shortest way, in words."""
    states = StateText(found.net)
    return [states.step(step) for step in found.way(state)]


# ---------------------------------------------------------------- the graph


def graphml(found: Reachability) -> str:
    """Return the graph of the states as GraphML, with the tokens of each state and what happens at each arc."""
    import networkx  # takes longer than most explorations

    space, states = found.space, StateText(found.net)
    graph = networkx.MultiDiGraph(name=visible(found.net.name))
    for number in range(len(space)):
        text = visible(states.state(space.state(number)))
        graph.add_node(number, state=text, initial=number == space.initial, vanishing=not bool(space.tangible[number]))
    rows = zip(space.sources.tolist(), space.targets.tolist(), space.transitions.tolist(), strict=True)
    for arc, (source, target, transition) in enumerate(rows):
        starts = bool(space.starts[arc])
        name = visible(found.net.transitions[transition].name) if transition >= 0 else "time passes"
        graph.add_edge(source, target, transition=name, starts=starts, weight=float(space.weights[arc]))
    return "\n".join(networkx.generate_graphml(graph)) + "\n"


def svg(found: Reachability) -> str:
    """Return a drawing of the states, in columns by their distance from the initial one. At most `MOST_DRAWN`."""
    space, states = found.space, StateText(found.net)
    columns: dict[int, list[int]] = {}
    for number in range(len(space)):
        columns.setdefault(found.depth(number), []).append(number)
    tallest = max(map(len, columns.values()))
    across, down, size = 110, 44, 13
    at = {}
    for depth, numbers in sorted(columns.items()):
        for row, number in enumerate(numbers):
            at[number] = (40 + depth * across, 30 + (row + (tallest - len(numbers)) / 2) * down)
    width, height = 80 + max(columns) * across, 60 + (tallest - 1) * down
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" '
        'font-size="9"><defs><marker id="a" markerWidth="6" markerHeight="6" refX="5" refY="3" orient="auto">'
        '<path d="M0,0 L6,3 L0,6 z" fill="#666"/></marker></defs>'
    ]
    named: dict[tuple[int, int], list[str]] = {}
    for arc in range(len(space.sources)):
        transition, starts = int(space.transitions[arc]), bool(space.starts[arc])
        text = states.step(Step(arc, transition, starts, (), int(space.targets[arc])))
        named.setdefault((int(space.sources[arc]), int(space.targets[arc])), []).append(text)
    for (source, target), texts in named.items():
        parts.append(_drawn_arc(at[source], at[target], size, escape(visible("; ".join(dict.fromkeys(texts))))))
    for number, (x, y) in at.items():
        fill = "#fbb" if found.is_dead[number] else "#fff" if space.tangible[number] else "#ddd"
        stroke = 2.5 if number == space.initial else 1
        shown = escape(visible(states.state(space.state(number))))
        parts.append(
            f'<g><title>{shown}</title><circle cx="{x:g}" cy="{y:g}" r="{size}" fill="{fill}" stroke="#333" '
            f'stroke-width="{stroke}"/><text x="{x:g}" y="{y + 3:g}" text-anchor="middle">{number}</text></g>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _drawn_arc(start: tuple[float, float], end: tuple[float, float], size: float, text: str) -> str:
    """Return a curve from circle to circle, that bends so that the way back is another."""
    (x, y), (u, v) = start, end
    if start == end:
        path = f"M{x - 5:g},{y - size:g} C{x - 18:g},{y - 34:g} {x + 18:g},{y - 34:g} {x + 5:g},{y - size:g}"
    else:
        length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
        dx, dy = (u - x) / length, (v - y) / length
        x, y, u, v = x + dx * size, y + dy * size, u - dx * (size + 3), v - dy * (size + 3)
        path = f"M{x:g},{y:g} Q{(x + u) / 2 - dy * 14:g},{(y + v) / 2 + dx * 14:g} {u:g},{v:g}"
    return f'<path d="{path}" fill="none" stroke="#666" marker-end="url(#a)"><title>{text}</title></path>'
