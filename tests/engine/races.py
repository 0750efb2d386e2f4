"""Random nets of a few black tokens for which several transitions race, many of them over the same places."""

from __future__ import annotations

from random import Random


def race(chance: Random) -> str:
    """Return the text of such a net. Its times are so few that clocks often end together."""
    places = [f"p{number}" for number in range(chance.randint(1, 3))]
    lines = ["net race", *(f"place {name} = {chance.randint(1, 4)} * token" for name in places)]
    return "\n".join([*lines, *(_transition(number, places, chance) for number in range(chance.randint(2, 5)))]) + "\n"


def _transition(number: int, places: list[str], chance: Random) -> str:
    some = chance.choice(places)
    arcs = [f"{chance.choice(('1', '1', '1', '2', f'(1 + tokens({some}) mod 2)'))} * {name}" for name in places]
    found = chance.sample(arcs, chance.randint(1, len(arcs)))
    inputs = [found[0], *("read " * chance.choice((0, 0, 1)) + arc for arc in found[1:])]
    others = [f"no {some} >= {chance.randint(1, 4)}", f"reset {some}"]
    inputs += [arc for arc in others if chance.randrange(8) == 0]
    outputs = [chance.choice(("", "", "2 * ")) + name for name in chance.choices(places, k=chance.randint(0, 2))]
    clauses = [_time(some, chance)]
    clauses += [f"priority {chance.randint(-1, 2)}"] * chance.choice((0, 0, 1))
    clauses += [f"when tokens({some}) {chance.choice('<>')} {chance.randint(0, 4)}"] * chance.choice((0, 0, 0, 1))
    return f"transition t{number}: {', '.join(inputs)} -> {', '.join(outputs) or 'nothing'}  {'  '.join(clauses)}"


def _time(place: str, chance: Random) -> str:
    own = chance.choice(("1", "2", "3", "uniform(1..4)", "uniform(0.5..3.0)", f"0.5 * tokens({place}) + 1"))
    shared = chance.choice(("exp(1)", "exp(3)", f"exp(1 + tokens({place}))"))
    if chance.randrange(5) == 0:
        return f"takes {own}"
    servers = chance.choice(("servers 1", "servers 2", "servers all", "servers all"))
    speed = chance.choice(("", "", "", "", f"speed 1 / (1 + tokens({place}))", f"speed tokens({place}) mod 2"))
    memory = chance.choice(("restart", "restart", "resume", "repeat"))
    return f"after {own if chance.randrange(3) else shared}  {memory}  {servers}  {speed}".rstrip()


def coloured_race(chance: Random) -> str:
    """Return the text of a net whose tokens have values. Queues, stacks and ordered places show one of them; other
    transitions take it, or put another in front, before its clock has run down.
    """
    kinds = ("fifo", "fifo", "lifo", "by b", "")
    places = {f"p{number}": chance.choice(kinds) for number in range(chance.randint(2, 3))}
    lines = ["net coloured", "type T = { a: 0..3, b: 0..9 }", f"place key = {chance.randint(1, 2)} * token"]
    for name, kind in places.items():
        lines.append(
            f"place {name} : T {kind} = T({chance.randint(1, 3)} * i mod 4, i) for i in 0..{chance.randint(0, 3)}"
        )
    return "\n".join([*lines, *(_coloured(at, list(places), chance) for at in range(chance.randint(3, 6)))]) + "\n"


def _coloured(number: int, places: list[str], chance: Random) -> str:
    some, where = chance.choice(places), chance.choice(places)
    own = chance.choice(("1", "2", "3", "1 + t.a", "0.5 * t.b", f"1 + tokens({where})", "uniform(1..4)"))
    shared = chance.choice(("exp(1)", "exp(1 + t.a)", f"exp(1 + tokens({where}))"))
    memory = chance.choice(("", "", "resume", "repeat"))
    common = f"tokens({where}) mod 2"
    speeds = (f"1 / (1 + tokens({where}))", common, "t.b", f"t.b / (1 + tokens({where}))", f"(1 + t.a) * ({common})")
    speed = f"speed {chance.choice(speeds)}" * (chance.randrange(3) == 0)
    races = chance.randrange(6) > 0
    inputs = [f"{chance.choice(('', '', '', 'read ')) if races else ''}{some}(t)"]
    if chance.randrange(3) == 0:
        inputs.append(f"{chance.choice(('', 'read '))}{where}(u)")
    inputs += [arc for arc in ("key", "read key", f"no {where} >= 4") if chance.randrange(6) == 0]
    values = chance.choice(("t", "T((t.a + 1) mod 4, t.b)", "T(t.a, 9 - t.b)"))
    outputs = [f"{chance.choice(places)}({values})"] if chance.randrange(6) else []
    outputs += ["key"] if "key" in inputs else []
    clauses = [chance.choice(("", "", "when t.a < 3", "when t.b > 2", f"when tokens({where}) < 3"))]
    clauses += [f"after {own if chance.randrange(4) else shared}", memory, speed] if races else [f"takes {own}"]
    clauses += [f"priority {chance.randint(-1, 2)}"] * chance.choice((0, 0, 1))
    return f"transition t{number}: {', '.join(inputs)} -> {', '.join(outputs) or 'nothing'}  {'  '.join(clauses)}"
