"""The parser: what the words mean, what documents what, where spans are, and that no text makes it fail."""

from __future__ import annotations

import json
import random
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from petri.catalogue.words import DECLARING, LINKING, VALUES
from petri.diagnostics import render_all
from petri.language.syntax import tables, tree
from petri.language.syntax.parser import parse, parse_text
from petri.net import Span
from tests.sampling import one_in

EXAMPLE = """\
## A queue with one server.
net queue
time ms

param load: real = 0.8 in 0..1  ## offered load
type Job = { size: Bytes, class: gold | silver }

place waiting : Job by size cap 8
place server = token

## Work arrives.
transition arrive[i in 0..3]: no full >= 3, read rate(r), 2 * credit -> waiting(Job(s, gold)), credit
  takes exp(5 ms)  draw s ~ choice(64 B: 7, 1518 B: 1)  when time(a) > 3 or p99.9 == end
module Engine(me: int, threads: int = 8)  ## an engine
  port in work: Job, out[0..3]
  place free : 0..threads-1 = all, 2 * token, Job(i) for i in 0..3
end
instance e[i in 0..3] = Engine(i, work = waiting)
measure m = now - p.born at serve record mean, p99.9  expect < 3
run until 20 s  seed 7
"""


def one(text: str) -> Any:
    file, diagnostics = parse(text, "test.net")
    assert not diagnostics, render_all(diagnostics, {"test.net": text})
    assert len(file.declarations) == 1
    return file.declarations[0]


def ids(text: str) -> list[str]:
    return [diagnostic.id for diagnostic in parse(text, "test.net")[1]]


def cut(text: str, span: Span) -> str:
    """Return the text of a span of one line."""
    assert span.line == span.end_line
    return text.splitlines()[span.line - 1][span.column - 1 : span.end_column - 1]


# ---------------------------------------------------------------- what is read


def test_every_kind_of_declaration_is_read() -> None:
    file, diagnostics = parse(EXAMPLE.replace("class", "kind"), "test.net")
    assert diagnostics == []
    kinds = [type(node).__name__ for node in file.declarations]
    assert kinds == ("Net Time Param Type Place Place Transition Module Instance Measure Expect Run".split())


def test_arcs_keep_their_modes() -> None:
    node = one("transition t: p(x), read q, no r >= 3, reset s -> nothing")
    assert [arc.mode for arc in node.inputs] == ["take", "read", "no", "reset"]
    assert node.outputs == (tree.Name("nothing", node.outputs[0].span),)


def test_clauses_come_in_any_order() -> None:
    node = one("transition t: p -> p weight 2 priority 1 when true takes 3 draw x ~ exp(1)")
    assert (node.weight.text, node.priority.text, node.time.text, node.draws[0].name) == ("2", "1", "3", "x")


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("1 + 2 * 3", "(1 + (2 * 3))"),
        ("1 - 2 - 3", "((1 - 2) - 3)"),
        ("-a.b * c", "((-a.b) * c)"),
        ("not a == b and c or d", "(((not (a == b)) and c) or d)"),
        ("a + 1 .. b - 1", "((a + 1) .. (b - 1))"),
        ("if a then b else c + 1", "if(a, b, (c + 1))"),
        ("a mod b div c", "((a mod b) div c)"),
    ],
)
def test_precedence(text: str, shape: str) -> None:
    def shown(node: Any) -> str:
        match node:
            case tree.Number():
                return str(node.text)
            case tree.Name():
                return str(node.name)
            case tree.Field():
                return f"{shown(node.base)}.{node.name}"
            case tree.Unary():
                return f"({node.operator}{' ' if node.operator == 'not' else ''}{shown(node.operand)})"
            case tree.Range():
                return f"({shown(node.low)} .. {shown(node.high)})"
            case tree.If():
                return f"if({shown(node.condition)}, {shown(node.then)}, {shown(node.otherwise)})"
        return f"({shown(node.left)} {node.operator} {shown(node.right)})"

    assert shown(one(f"const x = {text}").value) == shape


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("64B", "64", "B"),
        ("5%", "1/20", None),
        ("1_000", "1000", None),
        ("1e-3 s", "1/1000", "s"),
        ("2.5", "5/2", None),
    ],
)
def test_numbers(text: str, value: str, unit: str | None) -> None:
    number = one(f"const x = {text}").value
    assert (str(number.value), number.unit) == (value, unit)


def test_words_with_two_meanings() -> None:
    assert one("measure x = time(a -> b, by k) + p.time").formula.left.function.name == "time"
    assert one("transition t: p(at) -> q({at, order: end}, at) takes seed").time.name == "seed"
    assert one("type T = { port: int, time: Time }").type.fields[0][0] == "port"
    assert one("measure x = end - p.born at send").formula.value.left.name == "end"
    greater, order = one("measure x = max(order[gold], reorder(leave, order [1][0]))").formula.arguments
    assert (type(greater), type(order.arguments[1])) == (tree.Index, tree.Ordered)
    module = one("module M\n  transition t: p -> q when x == y\nend")
    assert len(module.body) == 1


def test_modules_nest() -> None:
    outer = one("module A\n module B(n: int)\n  place p\n end\n place q\nend")
    assert [type(node).__name__ for node in outer.body] == ["Module", "Place"]
    assert outer.body[0].body[0].name == "p"


def test_an_if_without_else_is_an_output() -> None:
    node = one("transition t: p -> if a then if b then x else y, z")
    inner = node.outputs[0].then
    assert (node.outputs[0].otherwise, inner.otherwise.name) == (None, "y")


def test_run_until_dead() -> None:
    assert (one("run until dead").dead, one("run until dead").until) == (True, None)


# ---------------------------------------------------------------- spans and documentation


def test_spans_cover_what_was_written() -> None:
    text = "param load: real = 0.8 ms in 0..1"
    node = one(text)
    assert cut(text, node.span) == text
    assert cut(text, node.name_span) == "load"
    assert cut(text, node.default.span) == "0.8 ms"
    assert cut(text, node.bounds.span) == "0..1"


def test_spans_count_lines_like_the_pictures_do() -> None:
    file, _ = parse("place p\r\n\tplace q\rplace größe", "test.net")
    assert [(node.span.line, node.span.column) for node in file.declarations] == [(1, 1), (2, 2), (3, 1)]


def docs(text: str) -> list[str]:
    return [node.doc for node in parse(text, "test.net")[0].declarations if hasattr(node, "doc")]


def test_comments_before_and_behind_document() -> None:
    assert docs("## one\n## two\n# no\nplace p  ## three\nplace q") == ["one\ntwo\nthree", ""]


def test_an_empty_line_keeps_a_comment_apart_but_for_the_net() -> None:
    assert docs("## about\n\nnet n\n\n## apart\n\nplace p") == ["about", ""]


def test_a_comment_goes_on_below_itself() -> None:
    assert docs("place p  ## one\n         ## two\n## three\nplace q") == ["one\ntwo", "three"]


def test_a_measure_and_its_expectation_share_a_comment() -> None:
    assert docs("measure m = rate(t) expect < 3  ## share") == ["share"]


def test_parameters_of_modules_are_documented() -> None:
    node = one("module M(  ## first\n  n: int,  ## second\n  ## third\n  m: int  ## fourth\n)  ## module\nend")
    assert node.doc == "module"
    assert [parameter.doc for parameter in node.parameters] == ["first\nsecond", "third\nfourth"]


# ---------------------------------------------------------------- errors


def test_every_broken_declaration_is_told_once() -> None:
    text = "place a :\ntransition t a -> b\nparam x = (3\nmeasure m = rate(\nplace fine = token\nrun until"
    found = parse(text, "test.net")[1]
    assert [diagnostic.span.line for diagnostic in found if diagnostic.span] == [1, 2, 3, 4, 6]


def test_names_of_broken_declarations_are_known() -> None:
    parsed = parse_text("place a : int fif\nplace b = token\nport in c: , d", "test.net")
    assert [node.name for node in parsed.file.declarations if isinstance(node, tree.Place)] == ["b"]
    assert {"a", "c", "d"} <= parsed.broken
    assert "b" not in parsed.broken


def test_a_declaration_before_a_line_that_is_none_is_kept() -> None:
    file, found = parse("place a = token\nvar x = 3\nplace b", "test.net")
    assert [diagnostic.id for diagnostic in found] == ["not-a-declaration"]
    assert len(file.declarations) == 2


def test_the_number_of_diagnostics_is_limited() -> None:
    found = parse("place\n" * 1000, "test.net")[1]
    assert len(found) == 101
    assert found[-1].values["count"] == 900


HOSTILE = [
    "const x = " + "(" * 100_000,
    "const x = " + "-" * 100_000 + "1",
    "const x = 1" + "+1" * 100_000,
    "const x = " + "not " * 50_000 + "true",
    "const x = " + "if a then 1 else " * 20_000 + "2",
    "const x = a" + ".b" * 50_000,
    "const x = a" + "[1]" * 50_000,
    "const x = " + "9" * 1_000_000,
    "const x = 1e999999999999",
    "module M\n" * 50_000,
    "type T = " + "{ a: " * 50_000,
    "const x = a" + " with {b: c}" * 20_000,
]


@pytest.mark.parametrize("text", one_in(4, HOSTILE, lambda text: text[10:22]))
def test_hostile_texts_end_in_a_diagnostic_soon(text: str) -> None:
    begun = time.process_time()
    found = parse(text, "test.net")[1]
    assert found
    assert render_all(found, {"test.net": text})
    assert time.process_time() - begun < 20


@pytest.mark.parametrize(
    ("number", "told"), [("9" * 401, "number-too-long"), ("1e401", "exponent-range"), ("1e-999999", "exponent-range")]
)
def test_a_number_has_limits(number: str, told: str) -> None:
    assert ids(f"const x = {number}") == [told]


def test_a_text_beyond_the_limit_is_refused() -> None:
    assert ids("# " + "x" * (4 * 2**20)) == ["file-too-large"]


WORDS = [*DECLARING, *LINKING, *VALUES]
SIGNS = [*"()[]{},:.;=<>+-*/~|#\"'%&!\n\t\r\0é", "->", "..", "==", "!=", "//", "##", "&&", "1.5", "5%", "64 B", '"s"']
soup = st.lists(st.sampled_from([*WORDS, *SIGNS, "a", "b", "Packet", "p99.9", "_"]), max_size=40).map(" ".join)


def survives(text: str) -> None:
    file, found = parse(text, "test.net")
    only_comments = all(not line.strip() or line.lstrip().startswith("#") for line in re.split(r"\r\n?|\n", text))
    assert file.declarations or found or only_comments
    assert render_all(found, {"test.net": text}) is not None
    for diagnostic in found:
        diagnostic.to_dict()


def test_a_doc_comment_behind_nothing_is_no_documentation() -> None:
    survives("\0 ## what")


@given(soup)
@settings(max_examples=100, deadline=None)
def test_no_soup_of_tokens_is_too_much(text: str) -> None:
    survives(text)


@given(st.text(max_size=200))
@example("after")
@settings(max_examples=30, deadline=None)
def test_no_text_is_too_much(text: str) -> None:
    survives(text)


@pytest.mark.slow
@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_text_of_many_is_too_much(text: str) -> None:
    survives(text)


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 600), marks=pytest.mark.slow)], ids=str)
def test_no_change_of_a_program_is_too_much(seeds: range) -> None:
    """Tokens of the example taken out, doubled, exchanged or replaced."""
    pieces = EXAMPLE.split(" ")
    for seed in seeds:
        chance = random.Random(seed)
        changed = list(pieces)
        for _ in range(chance.randint(1, 4)):
            position = chance.randrange(len(changed))
            match chance.randrange(4):
                case 0:
                    del changed[position]
                case 1:
                    changed.insert(position, changed[position])
                case 2:
                    changed[position] = chance.choice([*WORDS, *SIGNS])
                case _:
                    changed[position] = changed[position][: chance.randrange(len(changed[position]) + 1)]
        survives(" ".join(changed))


# ---------------------------------------------------------------- the tables


def test_the_stored_tables_are_of_this_grammar() -> None:
    folder = Path(tables.__file__).parent
    grammar = (folder / tables.GRAMMAR).read_text(encoding="utf-8")
    stored = json.loads((folder / tables.COMPILED).read_text(encoding="utf-8"))
    assert stored["digest"] == tables.digest(grammar), "run `python -m petri.language.syntax.tables`"


@pytest.mark.slow
def test_damaged_tables_are_compiled_anew_and_are_the_stored_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = tables.load_tables()
    monkeypatch.setattr(tables, "COMPILED", "tree.py")
    compiled = tables.load_tables.__wrapped__()
    assert compiled == stored, "run `python -m petri.language.syntax.tables`"


def test_a_long_list_takes_time_in_proportion_to_its_length() -> None:
    values = ", ".join(map(str, range(6_000)))
    begun = time.process_time()
    found, problems = parse(f"place p : int = {values}", "test.net")
    assert not problems
    (place,) = found.declarations
    assert isinstance(place, tree.Place)
    assert len(place.initial) == 6_000
    assert time.process_time() - begun < 0.6
