"""Words of the language that may also be names."""

from __future__ import annotations

import pytest

from petri import language
from petri.catalogue.words import NAMES_TOO, SOFT
from petri.language.layout.formatter import format_source
from tests.sampling import one_in

WORDS = sorted(NAMES_TOO | SOFT)

NET = """net words
time ns
type Op  = {0} | other
type Cmd = {{ op: Op, {0}: int, next: 0..3 }}

place queue : Cmd = Cmd({0}, 1, 2), Cmd(other, 3, 0)
place all_ops : Op = all
place done : Op

transition take:  queue({{op: {0}, {0}: n}}) -> done({0})  takes n * 1 ns
transition other_op: queue(c), all_ops(x) -> if c.op == {0} then done(x) else done({0})  when c.op != {0} and c.{0} > 2
run until 10 ns
"""
PLACE = """net words
param first : int = 3
place {0} : int = 3
place b : int

transition t:   {0}(x) -> b(x)  takes x
transition u:   read {0}(x), b(x) -> {0}(x)  priority 2
transition v[i in 0..1]: b(i) -> nothing  weight 3
measure m = mean({0})
run until 10
"""


@pytest.mark.parametrize("word", one_in(3, WORDS))
def test_a_word_may_be_an_enumeration_value_and_a_field(word: str) -> None:
    text = NET.format(word)
    net = language.loads(text)
    assert net.places[0].colour.slots[0].labels == (word, "other")
    assert format_source(format_source(text, "words.net"), "words.net") == format_source(text, "words.net")


@pytest.mark.parametrize("word", sorted(set(WORDS) - {"token"}))
def test_a_word_may_be_a_place(word: str) -> None:
    net = language.loads(PLACE.format(word))
    assert [place.name for place in net.places] == [word, "b"]
    assert [t.name for t in net.transitions] == ["t", "u", "v[0]", "v[1]"]


def test_the_words_that_divide_a_net_stay_reserved() -> None:
    for word in ("place", "transition", "if", "then", "true", "now", "end", "when", "takes"):
        found = language.checks(f"net n\nplace {word} = token\nplace b\ntransition t: b -> b  takes 1")
        assert [one.id for one in found if one.severity == "error"] == ["reserved-name"], word


@pytest.mark.parametrize("memory", ["restart", "resume", "repeat"])
def test_a_clause_behind_a_number_is_not_its_unit(memory: str) -> None:
    net = language.loads(f"place a = token\ntransition t: a -> a  after 5 {memory} when tokens(a) > 0")
    (clock,) = [t.clock for t in net.transitions]
    assert clock is not None
    assert clock.memory == memory
