"""Random texts draw everything that the language has, and what they say depends on no name and no order."""

from __future__ import annotations

import json
import math
import random
from collections import Counter

import pytest

from petri.engine.native import available

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from tests.fuzz import retold
from tests.fuzz.__main__ import coverage
from tests.fuzz.finding import Finding
from tests.fuzz.kinds import KINDS
from tests.fuzz.modes import Run, differences
from tests.fuzz.texts import FREE, KEPT, Text

CASES = 320
COMPARED = 30  # `make fuzz` compares hundreds
KIND = KINDS["text"]


def cases(number: int) -> list[bytes]:
    return [KIND.make(random.Random(f"texts {case}")) for case in range(number)]


@pytest.mark.slow
def test_every_construct_is_drawn_and_acts() -> None:
    """The modes of the engines are compared by `make fuzz`; here nets run once, and in other words."""
    counts: Counter[str] = Counter()
    for data in cases(CASES):
        case = json.loads(data)
        run, _, text = Run(**case.pop("run")), case.pop("telling"), Text(**case)
        net = retold.loaded(retold.plain(text), text.streams)
        counts += retold.acted(text, net, retold.told(net, run))
    table = coverage(counts)
    acted = {line[:60].strip(): int(line[60:].split()[1]) for line in table[1:] if line[60:].strip()[:1].isdigit()}
    assert len(acted) > 80
    assert [name for name, nets in acted.items() if nets == 0] == []


def test_a_few_texts_agree_in_all_modes_and_words() -> None:
    ran = sum((KIND.run(data) for data in cases(2)), Counter[str]())
    assert ran["refused"] == 0
    assert ran["reference"] == 2


@pytest.mark.slow
def test_many_texts_agree_in_all_modes_and_words() -> None:
    assert sum((KIND.run(data) for data in cases(COMPARED)), Counter[str]())["refused"] == 0


def test_a_name_that_one_state_lacks_is_a_difference() -> None:
    assert differences({"now": 1.0, "probe 0 count": 2}, {"now": 1.0, "levels": None}) == ["probe 0 count", "levels"]
    assert differences({"now": math.nan}, {"now": math.nan}) == []


COUPLED = """place N1a = 3 * token
place N2b
transition N3t: N1a -> N2b   takes exp(1)
transition N4u: N2b -> N1a   takes exp(2)
measure N5m = mean(N1a)
measure N6n = mean(N2b)
run until 20"""


def test_an_order_that_shows_is_a_finding() -> None:
    """Transitions may not change their order: then draws go to others."""
    told = [(FREE if line.startswith("transition") else KEPT, line) for line in COUPLED.split("\n")]
    text = Text([*told, (FREE, "net a")])
    net = retold.loaded(retold.plain(text), {})
    orders = [retold.reordered(text, random.Random(seed)) for seed in range(20)]
    seed = next(seed for seed, source in enumerate(orders) if source.index("N4u:") < source.index("N3t:"))
    with pytest.raises(Finding, match="that of transitions"):
        retold.check(text, net, run := Run(seed, 20, False), "in_another_order", retold.told(net, run))


def test_names_and_the_order_of_places_and_measures_show_nowhere() -> None:
    text = Text([(KEPT if line.startswith("transition") else FREE, line) for line in COUPLED.split("\n")])
    orders = set()
    for seed in range(4):
        source = retold.reordered(text, random.Random(seed))
        orders.add(source.index("N1a =") < source.index("N2b\n") if "N2b\n" in source else None)
        net, run = retold.loaded(retold.plain(text), {}), Run(seed, 20, False)
        for telling in retold.TELLINGS:
            retold.check(text, net, run, telling, retold.told(net, run))
    assert len(orders) > 1
    assert retold.renamed("N1a take_N12b") == "y1ö take_n12ö"
