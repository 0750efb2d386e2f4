"""The kinds of cases: how to make one from chance, and how to run it. A case is bytes, so that it can be kept."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import random
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from petri import _native
from petri.codec import net_from_dict, net_to_dict
from petri.diagnostics import LanguageError
from tests.engine import mutated
from tests.engine.copies import several
from tests.engine.joins import joining_net
from tests.engine.nets import chosen_net
from tests.engine.without import OPTIMISATIONS
from tests.fuzz import readers, retold
from tests.fuzz.finding import Finding
from tests.fuzz.modes import AT_ONCE, LATER, Run, compare
from tests.fuzz.texts import Text, written

Outcome = Counter[str]


@dataclass(frozen=True)
class Kind:
    name: str
    is_json: bool
    make: Callable[[random.Random], bytes]
    run: Callable[[bytes], Outcome]


def patience(chance: random.Random) -> tuple[int, ...]:
    return (chance.choice((AT_ONCE, LATER)),)


def make_net(chance: random.Random) -> bytes:
    """Return a net, perhaps several times side by side, where transitions share their code; and how it is to run."""
    choose = mutated.Random(f"{chance.random()}")
    net = joining_net(choose) if chance.random() < 0.25 else chosen_net(choose)
    copies = chance.choice((1, 1, 1, 2, 5))
    run = Run(chance.randrange(4), chance.randint(1, 60), chance.random() < 0.3, patience=patience(chance))
    if chance.random() < 0.4:
        run = dataclasses.replace(run, without=chance.choice(OPTIMISATIONS))
    net = net if copies == 1 else several(net, copies)
    return json.dumps({"run": asdict(run), "net": net_to_dict(net)}).encode()


def run_net(data: bytes) -> Outcome:
    case = json.loads(data)
    try:
        net, run = net_from_dict(case["net"]), Run(**case["run"])
        _native.Program(net)
    except (KeyError, TypeError, ValueError):
        return Counter(refused=1)
    return compare(net, run)


# Two in six, as whole runs and layouts cost more than they have found.
TELLINGS = ("with_other_names", "in_another_order") * 2 + ("formatted", "as_a_result")


def make_text(chance: random.Random) -> bytes:
    text = written(mutated.Random(f"{chance.random()}"))
    warmup = chance.choice((2.0**20, 2.0**23, 2.0**25))
    block = chance.choice((1, 2, None))
    run = Run(chance.randrange(4), chance.randint(5, 100), chance.random() < 0.3, "", warmup, block, patience(chance))
    return json.dumps({"run": asdict(run), "telling": chance.choice(TELLINGS), **asdict(text)}).encode()


def run_text(data: bytes) -> Outcome:
    """Run a text in every mode of the engines, and once told in other words."""
    case = json.loads(data)
    try:
        run, telling = Run(**case.pop("run")), case.pop("telling")
        text = Text(**case)
        net = retold.loaded(retold.plain(text), text.streams)
    except (KeyError, TypeError, ValueError, LanguageError):
        return Counter(refused=1)
    expected = retold.told(net, run, "reference")
    return compare(net, run, expected) + retold.check(text, net, run, telling, expected)


@cache
def originals() -> list[dict[str, Any]]:
    return mutated.nets()


def make_flat(chance: random.Random) -> bytes:
    net = copy.deepcopy(chance.choice(originals()))
    for _ in range(chance.choice((1, 1, 2, 4))):
        mutated.change(net, chance)
    return json.dumps({"seed": chance.randrange(1000), "net": net}).encode()


def run_flat(data: bytes) -> Outcome:
    case = json.loads(data)
    return Counter([mutated.outcome(case["net"], random.Random(case["seed"]))])


def damaged(originals: Callable[[], list[bytes]], text: bool = False) -> Callable[[random.Random], bytes]:
    return lambda chance: damage(chance.choice(originals()), chance, text)


BYTES = (0, 1, 0x7F, 0x80, 0xFE, 0xFF)
WORDS = [n.to_bytes(4, order) for n in (0, 1, 2**31 - 1, 2**31, 2**32 - 1) for order in ("little", "big")]
TEXTS = [b"", b"-", b'"', b"\n", b"\r", b",", b";", b"\0", b"9" * 400, b"1e999", b"nan", b"\xff", "٣".encode(), b"#"]


def damage(data: bytes, chance: random.Random, text: bool) -> bytes:
    """Change a few bytes; perhaps cuts, doubles or inserts."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        end = chance.choice((min(512, len(changed)), len(changed)))
        at, kind = chance.randrange(end), chance.randrange(6)
        if kind == 0 and text:
            changed[at:at] = chance.choice(TEXTS)
        elif kind == 0:
            changed[at : at + 4] = chance.choice(WORDS)
        elif kind == 1:
            length = chance.randrange(1, 200)
            changed[at:at] = changed[at : at + length]
        else:
            changed[at] = chance.choice((*BYTES, chance.randrange(256), chance.choice(data)))
    if chance.random() < 0.2:
        del changed[chance.randrange(1, len(changed)) :]
    return bytes(changed)


def reader(read: Callable[[bytes], str]) -> Callable[[bytes], Outcome]:
    return lambda data: Counter([read(data)])


KINDS = {
    kind.name: kind
    for kind in (
        Kind("net", True, make_net, run_net),
        Kind("text", True, make_text, run_text),
        Kind("flat", True, make_flat, run_flat),
        Kind("capture", False, damaged(readers.captures), reader(readers.capture)),
        Kind("delimited", False, damaged(readers.texts, text=True), reader(readers.delimited)),
        Kind("store", False, damaged(readers.stores), reader(readers.store)),
    )
}
# Nets first: they show the most.
TURNS = (
    "net", "text", "net", "net", "flat", "net", "text", "net", "capture", "net", "text", "net", "delimited", "net",
    "store",
)  # fmt: skip


def kind_of(number: int) -> Kind:
    return KINDS[TURNS[number % len(TURNS)]]


def numbers(first: int, only: str) -> Iterator[int]:
    """Yield the numbers of cases from one on, of one kind alone if it is named."""
    return (number for number in itertools.count(first) if only in ("", kind_of(number).name))


def case(seed: int, number: int) -> bytes:
    return kind_of(number).make(random.Random(f"{seed} {number}"))


def row(kind: Kind, data: bytes) -> str:
    """Return the line of a corpus that keeps a case."""
    kept = {"case": json.loads(data)} if kind.is_json else {"base64": b64encode(data).decode()}
    return json.dumps({"kind": kind.name, **kept}) + "\n"


def kept_cases(corpus: Path) -> Iterator[tuple[Kind, bytes]]:
    for line in corpus.read_text().splitlines():
        kept = json.loads(line)
        yield KINDS[kept["kind"]], json.dumps(kept["case"]).encode() if "case" in kept else b64decode(kept["base64"])


def fault(kind: Kind, data: bytes) -> str | None:
    """Return what is wrong with how pnsim takes the case: a `Finding`, or an exception of any other kind."""
    try:
        kind.run(data)
    except Finding as finding:
        return str(finding)
    except Exception as error:
        return describe(error)
    return None


def describe(error: Exception) -> str:
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = "" if at is None else f" in {at.tb_frame.f_code.co_qualname}"
    return f"{type(error).__name__}{where}"
