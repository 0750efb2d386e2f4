"""Flat nets, each changed somewhere, given to the native engine: `python -m tests.engine.mutated SEED NUMBER`.

A net must be refused with a ValueError, or run. Whatever else happens ends the process, and the test that started it
sees it. The last line says how many there were of each. Memory is limited, so that what allocates without end does end.
"""

from __future__ import annotations

import copy
import random
import resource
import sys
from collections import Counter
from typing import Any

from petri import _native, language
from petri.catalogue.operations import OPERATIONS
from petri.codec import net_from_dict, net_to_dict
from tests.engine.nets import Chooser, chosen_net

MEMORY = 6 << 30  # address space in bytes: the engine asks for stacks and tables that it does not fill
FIRINGS = 300

NUMBERS: list[Any] = [
    -1, 0, 1, 2, 3, 7, 1000, 2**31 - 2, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64,
    10**30, -(2**31), -(2**63), -(2**63) - 1, 0.0, -0.0, 0.5, -1.5, 1e-320, 1e300, 1.7e308, -1e308, "nan", "inf",
    "-inf", float("nan"), float("inf"),
]  # fmt: skip
OTHERS: list[Any] = [None, True, False, "", "x", "\ud800", [], {}, [0], [[]], [None], {"op": "now", "kind": "real"}]
KINDS, DISCIPLINES = ["int", "real", "bool"], ["bag", "fifo", "lifo", "key"]
MEMORIES = ["restart", "resume", "repeat"]
CLASSES = ["Counter", "Sample", "Passage", "Order", "Content", "Watched", "Net"]
WORDS = {"kind": KINDS, "discipline": DISCIPLINES, "op": list(OPERATIONS), "is": CLASSES, "memory": MEMORIES}
ENGINES_READ = ("places", "transitions", "probes", "tables")


class Random(Chooser):
    """Choices of a seeded generator."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)
        self._lines = 0

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


def nets() -> list[dict[str, Any]]:
    """Small nets of all features."""
    library = [language.load(name) for name in ("mm1", "ixp2400")]
    drawn = [chosen_net(Random(seed)) for seed in range(60)]
    return [net_to_dict(net, spans=seed % 5 == 0) for seed, net in enumerate([*library, *drawn])]


def positions(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all parts of a tree but the root."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    found = []
    for key, value in items:
        found.append((*path, key))
        found += positions(value, (*path, key))
    return found


def part(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def change(net: dict[str, Any], rng: random.Random) -> None:
    """Change one part of what an engine reads."""
    paths = [path for path in positions({name: net[name] for name in ENGINES_READ if name in net}) if len(path) > 1]
    path = rng.choice(paths)
    parent, key = part(net, path[:-1]), path[-1]
    old, kind = parent[key], rng.randrange(10)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[rng.randrange(len(parent))]))
    elif kind == 2:  # what stands elsewhere
        parent[key] = copy.deepcopy(part(net, rng.choice(paths)))
    elif kind == 3:  # what stands elsewhere under this name
        parent[key] = copy.deepcopy(part(net, rng.choice([other for other in paths if other[-1] == key])))
    elif key == "per" and isinstance(old, list):  # a slot of most tokens, or of none
        parent[key] = [rng.randrange(3)]
    elif kind == 4:
        parent[key] = rng.choice(OTHERS)
    elif isinstance(old, bool):
        parent[key] = not old
    elif isinstance(old, (dict, list)):  # what is of the same kind elsewhere
        alike = [other for other in paths if type(part(net, other)) is type(old) and other[-2:-1] == path[-2:-1]]
        parent[key] = copy.deepcopy(part(net, rng.choice(alike)))
    elif isinstance(old, str):
        parent[key] = rng.choice(WORDS.get(key, ["", "x"]))
    else:
        parent[key] = rng.choice(NUMBERS)


def outcome(net: dict[str, Any], rng: random.Random) -> str:
    """Run a net, interpreted or compiled."""
    try:
        flat = net_from_dict(net)
    except ValueError:
        return "not decoded"
    try:
        program = _native.Program(flat)
    except ValueError:
        return "refused"
    compile_after = rng.choice([0, FIRINGS // 2, 10**9])
    trace, levels = rng.random() < 0.2, rng.random() < 0.2
    run = _native.Session(program, (1, 2, 3), (10_000, 100_000, compile_after), trace, levels)
    if run.initial_fault is not None:
        return "fault"
    while run.firings < FIRINGS and (reason := run.advance(float("inf"), FIRINGS)) == "input":
        assert run.wanted is not None
        run.feed(run.wanted, b"")
    run.observe(), run.levels(), run.marking(), run.trace()
    return "fault" if reason == "error" else "ran"


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    seed, number = map(int, sys.argv[1:])
    originals, outcomes = nets(), Counter[str]()
    for case in range(number):
        rng = random.Random(f"{seed} {case}")
        net = copy.deepcopy(rng.choice(originals))
        for _ in range(rng.choice([1, 1, 2, 4])):
            change(net, rng)
        print(seed, case, file=sys.stderr, flush=True)  # the last line tells which it was
        outcomes[outcome(net, rng)] += 1
    print(*(f"{name}={outcomes[name]}" for name in sorted(outcomes)))


if __name__ == "__main__":
    main()
