"""Vectors in tokens: their elements, changes, sums, and patterns, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

import petri
from petri import language
from petri.language.checking.threads.terms import put_in
from petri.language.layout.writing import expression
from petri.language.syntax import tree
from petri.language.syntax.parser import parse
from petri.net import Net
from tests.engines import ENGINES, NATIVE_FIRST
from tests.language.test_flatten import shown
from tests.semantics.harness import simulate

HEAD = """
type Proc  = 0..2
type Class = gold | silver
type State = modified | shared | invalid
type Line  = { owner: Proc, s: State[Proc], due: int[Class] }
place p : Line = {owner: 1, s: [shared, invalid, modified], due: [7, 8]}
place n : int
place b : bool
place q : int[2, 3] = [[1, 2, 3], [4, 5, 6]]
"""


def load(text: str, **parameters: object) -> Net:
    return language.loads(HEAD + text, parameters)


def given(expression: str, engine: str = "reference", kind: str = "n") -> list[object]:
    """Return the values of an expression of `l`, a line, and of `m`, two vectors of three ints."""
    text = f"{HEAD} transition t: p(l), q(m) -> {kind}({expression})  takes 1"
    return [value for (value,) in simulate(text, engine).marking[kind]]


# ---------------------------------------------------------------- what a vector is


def test_the_elements_are_slots_of_the_token() -> None:
    net = load("transition t: p(l), q(m) -> p(l), q(m)  takes 1")
    assert [slot.name for slot in net.places[0].colour.slots] == [
        *("owner", "s[0]", "s[1]", "s[2]", "due[gold]", "due[silver]")
    ]
    assert [slot.high for slot in net.places[0].colour.slots] == [2, 2, 2, 2, None, None]
    assert net.places[0].initial == ((1, (1, 1, 2, 0, 7, 8)),)
    assert [slot.name for slot in net.places[3].colour.slots] == [f"[{i}][{j}]" for i in range(2) for j in range(3)]


@pytest.mark.parametrize("length", ["procs", "0..procs - 1", "Proc"])
def test_the_length_follows_a_parameter(length: str) -> None:
    text = f"param procs = 3\ntype Proc = 0..procs-1\nplace p : {{ s: int[{length}] }} = {{s: [i for i in Proc]}}"
    for procs in (1, 5):
        net = language.loads(text, {"procs": procs})
        assert net.places[0].initial == ((1, tuple(range(procs))),)


def test_types_are_the_same_when_their_structure_is() -> None:
    load("type Other = State[0..2]\nplace o : { v: Other }\ntransition t: p({s}) -> o({v: s})")
    with pytest.raises(petri.LanguageError, match="State"):
        load("type Kind = a | c | d\nplace o : { v: State[Kind] }\ntransition t: p({s}) -> o({v: s})")


def test_a_vector_has_a_record_as_its_element() -> None:
    text = """
        type Way = { tag: int, dirty: bool }
        place set : { ways: Way[2] } = {ways: [{tag: 7, dirty: false}, {tag: 9, dirty: true}]}
        place hit : int
        transition t: set(x) -> hit(x.ways[i].tag), set(x with {ways[i]: {tag: 1, dirty: false}})
          draw i ~ uniform(1..1)  takes 1  when any(w in x.ways: w.dirty)
    """
    assert simulate(text, "reference").marking == {"set": [(7, 0, 1, 0)], "hit": [(9,)]}


# ---------------------------------------------------------------- expressions


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("l.due[gold] + l.due[silver]", 15),
        ("m[1][l.owner]", 5),
        ("m[1, 2]", 6),
        ("(l with {due[gold]: 1}).due[gold]", 1),
        ("(l with {due[gold]: 1, due[silver]: l.due[gold]}).due[silver]", 7),
        ("(l with {due: [3, 4]}).due[silver]", 4),
        ("(l with {due: [if c == gold then 0 else l.due[c] for c in Class]}).due[silver]", 8),
        ("count(x in l.s: x == modified)", 1),
        ("count(x in l.s: x != modified)", 2),
        ("count(i in Proc: i < l.owner)", 1),
        ("sum(x in l.due: x)", 15),
        ("sum(row in m: sum(x in row: x))", 21),
        ("sum(i in 0..1: m[i][l.owner])", 7),
        ("sum(c in Class: if c == gold then 10 else l.due[c])", 18),
        ("sum(x in [2, 3]: x * x)", 13),
        ("[3 * i for i in 0..4][l.owner]", 3),
        ("len(l.s) + len(m)", 5),
        ("if any(x in l.s: x == modified) and all(x in l.due: x > 6) then 1 else 0", 1),
        ("if any(x in l.due: x > 8) or all(x in l.s: x == shared) then 1 else 0", 0),
        ("if any(i in 0..-1: true) then 1 else if all(i in 0..-1: false) then 2 else 3", 2),
        ("count(i in 0..-1: true)", 0),
        ("if l.s == [shared, invalid, modified] and l.s != [shared, shared, modified] then 1 else 0", 1),
        ("sum(x in [1.5, 2]: 2 * floor(x))", 6),
    ],
)
def test_values(expression: str, value: int, engine: str) -> None:
    assert given(expression, engine) == [value]


def test_elements_may_be_bools_and_quantities() -> None:
    text = """
        time ns
        type Flags = { up: bool[3], wait: Time[2] }
        place f : Flags = {up: [true, false, true], wait: [1 us, 5 ns]}
        place i : 0..2 = 2
        place b : bool
        transition t: f(x), i(k) -> b(x.up[k]), f(x with {up[k]: not x.up[k]})  takes sum(w in x.wait: w)
    """
    ran = simulate(text, "reference", firings=1)
    assert [fired.end for fired in ran.fired] == [1005.0]
    assert (ran.marking["b"], ran.marking["f"][0][:3]) == ([(1,)], (1, 0, 0))


def test_a_function_may_have_vectors() -> None:
    text = "fn others(s: State[Proc], me: Proc): int = count(p in Proc: p != me and s[p] == shared)\n"
    ran = simulate(f"{HEAD}{text} transition t: p(l) -> n(others(l.s, 0)), n(others(l.s, 1))", "reference")
    assert ran.marking["n"] == [(0,), (1,)]
    assert given("sum(x in l.due: x)") == [15]


def test_a_net_may_have_functions_of_these_names() -> None:
    ran = simulate("fn sum(a: int, b: int): int = a + b\nplace n : int = sum(2, sum(x in [1, 2]: x))", "reference")
    assert ran.marking["n"] == [(5,)]


def test_an_index_that_is_always_inside_is_not_checked() -> None:
    net = load("transition t: p(l) -> n(if l.s[l.owner] == shared then 1 else 0)  when l.s[l.owner] != invalid")
    assert "within" not in str(shown(net.transitions[0].outputs[0].values[0]))
    assert "within" not in str(shown(net.transitions[0].guard))


def test_what_is_constant_costs_nothing() -> None:
    net = load("transition t[k in 0..2]: p(l) -> p(l)  takes 1  when any(q in Proc: q != k and l.s[q] == shared)")
    guards = [shown(transition.guard) for transition in net.transitions]
    assert guards[0] == ["or", ["eq", "var2", 1], ["eq", "var3", 1]]
    assert guards[2] == ["or", ["eq", "var1", 1], ["eq", "var2", 1]]


# ---------------------------------------------------------------- patterns


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("{s: [shared, _, _]}", True),
        ("{s: [shared, x, x]}", False),
        ("{s: [_, invalid, x]}", True),
        ("{s[2]: modified}", True),
        ("{s[2]: shared}", False),
        ("{s[0]: shared, s[1]: invalid}", True),
        ("{s[0]: shared, s[1]: modified}", False),
        ("{due[silver]: 8}", True),
        ("{due[silver]: 7}", False),
        ("{s, due: [7, d]}", True),
        ("Line(1, s, _)", True),
        ("{s: [shared for i in Proc]}", False),
    ],
)
def test_patterns(pattern: str, matches: bool, engine: str) -> None:
    ran = simulate(f"{HEAD}transition t: p({pattern}) -> nothing  takes 1", engine, firings=1)
    assert len(ran.fired) == matches


def test_a_vector_that_is_bound_is_looked_for_elsewhere() -> None:
    text = f"{HEAD}place known : State[Proc] = [shared, invalid, modified], [shared, shared, shared]\n"
    net = language.loads(text + "transition t: p({{s}}), known(s) -> known(s)  takes 1".replace("{{s}}", "{s}"))
    ran = simulate(net, "reference", firings=1)
    assert ran.fired[0].values == (1, 2, 0)
    assert ran.marking["known"] == [(1, 1, 1), (1, 2, 0)]


def test_no_arc_has_a_pattern_of_an_element() -> None:
    for state, fires in (("modified", 0), ("shared", 1)):
        ran = simulate(f"{HEAD}place go = token\ntransition t: go, no p({{s[2]: {state}}}) -> nothing", "reference")
        assert len(ran.fired) == fires


# ---------------------------------------------------------------- a run


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("output", ["r(x with {v[k]: 1})", "n(x.v[k])", "n(sum(y in (x with {v[k]: 1}).v: y))"])
def test_an_index_that_is_outside_stops_the_run(output: str, engine: str) -> None:
    text = "place at : int = 3\nplace r : { v: int[3] } = {v: [1, 2, 3]}\n"
    error = simulate(f"{HEAD}{text}transition t: r(x), at(k) -> {output}  takes 1", engine).error
    assert error is not None
    assert (error.id, error.values) == ("list-range", {"index": 3, "size": 3})


@pytest.mark.parametrize("engine", ENGINES)
def test_measures_of_tokens_firings_and_the_marking(engine: str) -> None:
    text = f"""net measured {HEAD}
        place go = 2 * token
        transition t: go, p(l) -> go, p(l with {{s[l.owner]: modified}})  after 1
        measure dirty = mean(p, count(x in s: x == modified))
        measure missed = count(t, count(i in Proc: l.s[i] == invalid))
        measure both  = share(count(i in 0..3: tokens(go) >= i) == 3)
        run until 10
    """
    result = petri.loads(text).run(engine=engine)
    # The element of the owner, which was invalid, is modified from 1 on.
    assert result.measure("dirty").value == pytest.approx(1.9)
    assert result.measure("missed").value == 1
    assert result.measure("both").value == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_thread_has_vectors_among_its_values(engine: str) -> None:
    """The job k looks at its element, moves on to the next, and sets that to b."""
    text = """
        type S = a | b
        place jobs : { k: 0..2, s: S[3] } = {k: i, s: [a, b, a]} for i in 0..2
        place done : { n: int, m: int, s: S[3] }
        thread go
          take jobs({k, s})
          let x = s[k]
          set k = (k + 1) mod 3
          wait 1
          let n = count(z in s: z == x)
          set s = [if i == k then b else s[i] for i in 0..2]
          wait 1
          give done({n, m: count(i in 0..2: s[i] == s[k]), s})
        end
    """
    assert sorted(simulate(text, engine, until=10).marking["done"]) == [
        (1, 2, 0, 1, 1),
        (2, 1, 0, 1, 0),
        (2, 2, 1, 1, 0),
    ]


def test_a_value_of_a_thread_is_not_taken_for_an_element_of_its_name() -> None:
    """`y` stands for an expression with `z`, and is put into one whose elements are called `z`."""
    e, other = tree_of("count(z in v: z == y)"), tree_of("z + 1")
    assert expression(put_in(e, {"y": other})) == "count(z' in v: z' == z + 1)"
    assert expression(put_in(e, {"z": other, "v": tree_of("w")})) == "count(z in w: z == y)"


def tree_of(text: str) -> tree.Expr:
    file, _ = parse(f"const e = {text}", "")
    found = file.declarations[0]
    assert isinstance(found, tree.Const)
    return found.value


Pair = tuple[str, Callable[[int, list[int]], int]]
"""An expression of the language, and its value in Python, of the fields `i` and `s` of the token `v`."""


def an_index(chance: Random, n: int) -> Pair:
    c = chance.randrange(n)
    return chance.choice(
        [
            (f"{c}", lambda i, s: c),
            (f"(v.i + {c}) mod {n}", lambda i, s: (i + c) % n),
            (f"v.s[{c}] mod {n}", lambda i, s: s[c] % n),
        ]
    )


def a_value(chance: Random, n: int) -> Pair:
    c, (at, where) = chance.randrange(1, 50), an_index(chance, n)
    return chance.choice(
        [
            (f"v.s[{at}] + {c}", lambda i, s: s[where(i, s)] + c),
            (f"count(x in v.s: x > {c}) + v.s[{at}]", lambda i, s: sum(x > c for x in s) + s[where(i, s)]),
            (f"sum(x in v.s: x * {c})", lambda i, s: sum(x * c for x in s)),
            (
                f"sum(k in 0..{n - 1}: if k == {at} then v.s[k] else {c})",
                lambda i, s: sum(x if k == where(i, s) else c for k, x in enumerate(s)),
            ),
            (f"if any(x in v.s: x mod 3 == 0) then v.i else {c}", lambda i, s: i if any(x % 3 == 0 for x in s) else c),
            (f"if all(x in v.s: x < 60) then {c} else v.i", lambda i, s: c if all(x < 60 for x in s) else i),
        ]
    )


Step = tuple[str, Callable[[int, list[int]], list[int]]]


def a_change(chance: Random, n: int) -> Step:
    """Return a change of the vector: of all elements, or of one after another."""
    value, computed = a_value(chance, n)
    if chance.random() < 0.3:
        text = f"s: [(v.s[h] + h + ({value})) mod 97 for h in 0..{n - 1}]"
        return text, lambda i, s: [(s[k] + k + computed(i, s)) % 97 for k in range(n)]
    pairs = [(an_index(chance, n), a_value(chance, n)) for _ in range(chance.randint(1, 2))]

    def changed(i: int, s: list[int]) -> list[int]:
        found = list(s)
        for (_, where), (_, what) in pairs:
            found[where(i, s)] = what(i, s) % 97
        return found

    return ", ".join(f"s[{at}]: ({what}) mod 97" for (at, _), (what, _) in pairs), changed


@pytest.mark.parametrize("engine", NATIVE_FIRST)
@pytest.mark.parametrize("seed", range(12))
def test_random_changes_are_those_of_lists(seed: int, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many firings, so that the native engine compiles the net."""
    monkeypatch.setattr("petri.engine.native.PATIENCE", 10)
    chance = Random(seed)
    n, firings = chance.randint(1, 9), 60
    steps = [a_change(chance, n) for _ in range(4)]
    start = [chance.randrange(97) for _ in range(n)]
    text = f"place p : {{ i: 0..{n - 1}, s: int[{n}] }} = {{i: 0, s: {start}}}\nplace turn : 0..3 = 0\n"
    for number, (change, _) in enumerate(steps):
        arcs = f"p(v), turn({number}) -> p(v with {{{change}, i: (v.i + 1) mod {n}}}), turn({(number + 1) % 4})"
        text += f"transition t{number}: {arcs}  takes 1\n"
    i, s = 0, start
    for number in range(firings):
        s, i = steps[number % 4][1](i, s), (i + 1) % n
    assert simulate(text, engine, firings=firings, until=firings).marking["p"] == [(i, *s)]
