"""Nets in the forms in which tools write them: what they do is counted, or solved in closed form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from petri import interchange, language
from petri.diagnostics import LanguageError
from petri.exact.chain import bounds
from petri.exact.explore import explore
from petri.interchange.out.exporting import exported
from petri.model import Model
from tests.documents import sections
from tests.interchange.reading import findings, imported, refused
from tests.interchange.samples import PIPE, PNML, TAPAAL, TIMES

PAGE = Path(__file__).with_name("forms.md")
COUNTED = re.compile(r"^## (\S+)\n\n(\d+) states, (\d+) arcs\.$", re.MULTILINE)
FORMS = {section.name: section.blocks["file"] for section in sections(PAGE)}
STATES = {name: (int(states), int(arcs)) for name, states, arcs in COUNTED.findall(PAGE.read_text(encoding="utf-8"))}


def read(name: str) -> Model:
    text = FORMS[name]
    data = text.encode("utf-16" if 'encoding="UTF-16"' in text else "utf-8")
    return Model(*language.loads_with_sources(interchange.text_of(interchange.read_bytes(data, name)), {}))


@pytest.mark.parametrize("name", STATES)
def test_states(name: str) -> None:
    space = explore(read(name).net, bounds(None))
    assert (len(space), len(space.sources)) == STATES[name]


@pytest.mark.parametrize(
    ("name", "figure", "value"),
    [
        ("capacity.xml", "Q.mean", 26 / 31),
        ("reward_of_value.prism", "busy", 5 / 7),
        ("reward_of_value.prism", "two", 1 / 7),
        ("reward_of_value.prism", "level", 4 / 7),
    ],
)
def test_figures(name: str, figure: str, value: float) -> None:
    assert read(name).solve().exact(figure).value == pytest.approx(value, rel=1e-9)


def lines(text: str, name: str) -> list[str]:
    return [" ".join(line.split()) for line in imported(text, name).splitlines() if line.startswith("transition ")]


def arcs(inside: str, ends: str = 'source="p1" target="t1"') -> list[str]:
    """Return the one transition of a net whose first arc is written so."""
    start, end = '<arc id="a1" source="r1" target="t1">', "</arc>"
    before, _, rest = PNML.partition(start)
    return lines(f"{before}<arc id='a1' {ends}{inside}{rest.partition(end)[1]}{rest.partition(end)[2]}", "net.pnml")


@pytest.mark.parametrize(
    ("inside", "arc"),
    [
        (' type="inhibitor">', "no dishes_to_do"),
        (' type="inhibitor" weight="3">', "no dishes_to_do >= 3"),
        (' type="tapnInhibitor">', "no dishes_to_do"),
        ('><type value="inhibitorArc"/><inscription><value>2</value></inscription>', "no dishes_to_do >= 2"),
        ("><type><text>Inhibitor</text></type>", "no dishes_to_do"),
        ("><arctype><text>inhibitor</text></arctype>", "no dishes_to_do"),
        ('><type value="test"/><inscription><text>2</text></inscription>', "read 2 * dishes_to_do"),
        (' type="read">', "read dishes_to_do"),
        ("><arctype><text>reset</text></arctype>", "reset dishes_to_do"),
        (' inscription="3">', "3 * dishes_to_do"),
        ("><arctype><text>normal</text></arctype><inscription>4</inscription>", "4 * dishes_to_do"),
    ],
)
def test_kinds_and_numbers_of_arcs(inside: str, arc: str) -> None:
    found = "transition take: "
    assert arcs(inside) == [f"{found}{arc}, cook -> cook, 2 * done after exp(1)"]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (' type="stopwatch">', "foreign-arc-kind"),
        (' type="inhibitor"><type value="read"/>', "foreign-arc-kind"),
        (' type="inhibitor" inscription="0">', "foreign-construct"),
    ],
)
def test_arcs_that_are_refused(inside: str, expected: str) -> None:
    assert refused(PNML.replace('source="r1" target="t1">', f'source="r1" target="t1"{inside}'), "a.pnml") == expected


def test_an_inhibitor_arc_that_leaves_a_transition() -> None:
    text = PNML.replace('source="t1" target="p2"', 'source="t1" target="p2" type="inhibitor"')
    assert refused(text, "a.pnml") == "foreign-construct"


@pytest.mark.parametrize(
    ("marking", "place"),
    [
        ('initialMarking="3"/>', "place done = 3 * token"),
        ("><initialMarking>3</initialMarking></place>", "place done = 3 * token"),
        ("><initialMarking><value>3</value></initialMarking></place>", "place done = 3 * token"),
        ('capacity="3"/>', "place done cap 3"),
        ("><capacity><text>3</text></capacity></place>", "place done cap 3"),
        ("><capacity><value>0</value></capacity></place>", "place done"),
    ],
)
def test_markings_and_capacities(marking: str, place: str) -> None:
    name = "" if marking.endswith("/>") else "<name><text>done</text></name>"
    text = PNML.replace('<place id="p3"><name><text>done</text></name></place>', f'<place id="p3" {marking}')
    text = text.replace('<place id="p3" >', f'<place id="p3">{name}').replace('id="p3" ', 'id="p3" name="done" ', 1)
    assert place in [" ".join(line.split()) for line in imported(text, "net.pnml").splitlines()]


def test_arcs_of_one_pair_are_one_condition() -> None:
    """A test arc asks for a number whatever others take; of tests the greatest counts, of inhibitors the least."""
    text = "tr t a a?1 -> b\ntr u a*2 a?5 a?3 -> b b\ntr v a?-4 a?-2 a*1 a*1 -> b\n"
    assert lines(text, "a.net") == [
        "transition t: a -> b after exp(1)",
        "transition u: 2 * a, read 3 * a -> 2 * b after exp(1)",
        "transition v: 2 * a, no a >= 2 -> b after exp(1)",
    ]


def test_times_of_tools() -> None:
    assert lines(TIMES, "times.pnml") == [
        "transition come: wait -> chosen after exp(0.25)",
        "transition now_: chosen -> done priority 1 weight 4.0 ## now",
        "transition back: done -> wait after uniform(2.0..4.0) resume",
        "transition soon: done -> nothing after uniform(1.0..3.0)",
    ]
    assert findings(TIMES, "times.pnml") == ["foreign-mean", "foreign-intervals"]
    assert "## times in hours\n## final marking: done\n" in imported(TIMES, "times.pnml")
    of_pm4py = TIMES.replace("<toolspecific", "<!--", 1).replace("</toolspecific>", "-->", 1)
    assert lines(of_pm4py, "times.pnml")[0] == "transition come: wait -> chosen after exp(4)"
    assert "resume" not in imported(of_pm4py, "times.pnml")


def test_final_marking_of_no_place() -> None:
    text = TIMES.replace('<place idref="done">', '<place idref="gone">')
    assert "foreign-unknown-name" in findings(text, "times.pnml")
    assert "## final marking: nothing\n" in imported(text, "times.pnml")


@pytest.mark.parametrize(
    ("kind", "parameters", "time"),
    [
        ("DETERMINISTIC", "7.50", "7.5"),
        ("NORMAL", "10;2", "normal(10, 2, 0.0..30.0)"),
        ("GAMMA", "2;3", "gamma(2, 6)"),
        ("GAMMA", "2;1.5;3", "1.5 + gamma(2, 6)"),
        ("LOGNORMAL", "0;1", "lognormal(1.6487212707, 1.31083249443)"),
    ],
)
def test_distributions_of_tools(kind: str, parameters: str, time: str) -> None:
    text = TIMES.replace(">UNIFORM<", f">{kind}<").replace("2.0;4.0", parameters)
    assert f"transition back: done -> wait after {time} resume" in lines(text, "times.pnml")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (">UNIFORM<", ">HISTOGRAM<", "foreign-distribution"),
        ("2.0;4.0", "2.0", "foreign-distribution"),
        ("2.0;4.0", "2.0;many", "foreign-distribution"),
        ("race (age memory)", "race (resampling)", "foreign-construct"),
        ("<cn>3</cn>", "", "foreign-line"),
        ("<cn>3</cn>", "<cn>1e999</cn>", "foreign-line"),
    ],
)
def test_times_that_are_refused(before: str, after: str, expected: str) -> None:
    assert refused(TIMES.replace(before, after), "times.pnml") == expected


def test_a_net_of_tapaal() -> None:
    """Its parts share a place; ages are times where a transition takes one token, and nothing else takes it."""
    assert imported(TAPAAL, "shop.tapn").partition("net shop")[2] == (
        "\n\nplace tool = token\nplace idle = 3 * token\nplace busy\nplace full = token\n\n"
        "transition begin:  2 * idle, tool -> busy  after exp(1)\n"
        "transition finish: busy -> 2 * idle        after uniform(4.0..5.0)  servers all\n"
        "transition mend:   no full >= 2 -> tool    after exp(1)\n"
    )
    assert findings(TAPAAL, "shop.tapn") == ["foreign-measures", "foreign-intervals"]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('inscription="[0,inf)" source="tool"', 'inscription="[1,inf)" source="tool"', "foreign-construct"),
        ('target="finish" type="timed" weight="1"', 'target="finish" type="timed" weight="2"', "foreign-construct"),
        ('target="finish" type="timed"', 'target="finish" type="transport"', "foreign-construct"),
        ('player="0"', 'player="1"', "foreign-construct"),
        ("[4,inf)", "[x,inf)", "foreign-line"),
        ("&lt;= most", "near 5", "foreign-line"),
        ('name="full" invariant="&lt; inf"', 'name="full" invariant="&lt;= 5"', "foreign-construct"),
    ],
)
def test_ages_that_are_refused(before: str, after: str, expected: str) -> None:
    assert before in TAPAAL
    assert refused(TAPAAL.replace(before, after), "shop.tapn") == expected


PRIORITIES = """tr low [0,w[ a b -> c
tr high [0,w[ a*2 d?-3 -> c
tr first [0,0] b -> d
pl a (3)
pl b (1)
pr high > low
pr first > high low
"""


def test_priorities_are_guards() -> None:
    """A transition waits while one of higher priority is enabled, unless it cannot be where this one is."""
    assert lines(PRIORITIES, "a.net") == [
        "transition low: a, b -> c after exp(1) when false",
        "transition high: 2 * a, no d >= 3 -> c after exp(1) when tokens(b) < 1",
        "transition first: b -> d",
    ]
    assert refused(PRIORITIES.replace("tr first [0,0]", "tr first [2,3]"), "a.net") == "foreign-construct"


def test_priorities_of_transitions_without_times() -> None:
    text = PRIORITIES.replace("[0,w[", "[0,0]").replace("pr high > low\n", "")
    assert "when" in imported(text, "a.net")
    levels = TIMES.replace('<transition id="soon">', '<transition id="soon"><priority><text>3</text></priority>')
    assert refused(levels, "times.pnml") == "foreign-construct"
    assert "when tokens(done) < 1" in imported(levels.replace("<cn>1</cn>", "<cn>0</cn>"), "times.pnml")


@pytest.mark.parametrize("format", ["pnml", "pnpro", "prism"])
@pytest.mark.parametrize("name", STATES)
def test_what_was_read_comes_back(name: str, format: str) -> None:
    """Exported and read again, a net has as many states and arcs; or the export says what it cannot write."""
    refusal, text = "", ""
    try:
        text, _ = exported(read(name).net, format)
    except LanguageError as error:
        refusal = error.diagnostics[0].id
    if refusal:
        assert refusal == "export-construct"
        return
    again = language.loads(interchange.text_of(interchange.read_bytes(text.encode(), f"again.{format}")))
    space = explore(again, bounds(None))
    assert (len(space), len(space.sources)) == STATES[name]


COLOURS = """<pnml><net id="n" type="P/T net"><token id="Default" enabled="true"/><token id="red" enabled="true"/>
<place id="P"><name><value>P</value></name><initialMarking><value>Default,2,red,1</value></initialMarking></place>
<place id="Q"><name><value>Q</value></name><capacity><value>2</value></capacity></place>
<place id="R"><name><value>R</value></name><capacity><value>1</value></capacity></place>
<transition id="T"><name><value>T</value></name>
<rate><value>2.0</value></rate><timed><value>true</value></timed></transition>
<transition id="U"><name><value>U</value></name>
<rate><value>4.0</value></rate><timed><value>true</value></timed></transition>
<arc id="a" source="P" target="T"><inscription><value>Default,1,red,1</value></inscription><type value="normal"/></arc>
<arc id="b" source="T" target="Q"><inscription><value>Default,0,red,1</value></inscription></arc>
<arc id="c" source="P" target="U"><inscription><value>Default,1</value></inscription></arc>
<arc id="d" source="U" target="Q"><inscription><value>Default,1</value></inscription></arc>
<arc id="e" source="P" target="U"><inscription><value>red,1</value></inscription><type value="inhibitor"/></arc>
<arc id="f" source="U" target="R"><inscription><value>1</value></inscription></arc>
</net></pnml>"""


def test_colours_of_pipe() -> None:
    """A place for each colour of a place; a capacity is for all colours together."""
    assert [" ".join(line.split()) for line in imported(COLOURS, "a.xml").splitlines()[3:] if line] == [
        "place P = 2 * token",
        "place P_red = token",
        "place Q_red",
        "place Q",
        "place R cap 1",
        "transition T: P, P_red -> Q_red after exp(0.5) when tokens(Q_red) + tokens(Q) <= 1",
        "transition U: P, no P_red -> Q, R after exp(0.25) when tokens(Q_red) + tokens(Q) <= 1",
    ]
    assert refused(COLOURS.replace("Default,1,red,1", "Default,1,red"), "a.xml") == "foreign-line"


def test_names_of_tina() -> None:
    """They may begin with a digit, and stand in braces; an item may begin within a line."""
    text = "net 7\ntr 1t' [0,w[ 2p*3\n {a b}?-2 -> pl\n# a note\ntr u pl -> 2p pl 2p : label (2K)\nlb u {a label}\n"
    assert lines(text, "a.net") == [
        "transition n1t_prime: 3 * n2p, no a_b >= 2 -> pl after exp(1) ## 1t'",
        "transition u: pl -> n2p after exp(1)",
    ]
    assert "place n2p = 2000 * token  ## 2p" in imported(text, "a.net")
    assert refused(text.replace("2K", "2T"), "a.net") == "foreign-number"
    assert refused("tr t a b\npl a (1)\n", "a.net") == "foreign-line"
    assert refused("tr t a -> b\npl a (1)\npl a (2)\n", "a.net") == "foreign-twice"
    assert refused("tr t a -> b\npl a (1) u -> t\n", "a.net") == "foreign-unknown-name"


def test_a_rate_of_which_nothing_says_whether_it_is_that_of_a_time() -> None:
    untimed = PIPE.replace("<timed><value>true</value></timed>", "")
    assert findings(PIPE, "pipe.xml") == []
    assert findings(untimed, "pipe.xml") == ["foreign-rate-as-weight"]
