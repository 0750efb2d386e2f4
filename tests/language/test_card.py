"""docs/card.md: its net loads, it names every word, and each cell of its table is what the checker says."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from petri import language
from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS, OF_EACH
from petri.catalogue.words import RESERVED
from petri.language.checking.measures.figures import MEASURE_FUNCTIONS
from petri.measure.catalogue import PLACES

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "card.md").read_text(encoding="utf-8")

NET = """net tried
param c = 1
place b = 4 * token
place s : int{place} = 1, 2{initial}
place full : int cap 9
place heavy : int cap 9 of value
place v : int
transition t: s(x), b{input} -> s(x), b{output}
  draw d ~ uniform(1..3){draw}  takes {takes}1  {clause}
measure m = max(b)
{more}
"""
THREAD = "thread work\n  take b, v(x)\n  draw d ~ uniform(1..3)\n  let z = 1\n  {}\n  give v(z), b\nend"
WHERE: dict[str, list[dict[str, str]]] = {
    "pattern or number of an input": [
        {"input": ", s(E)"},
        {"input": ", E * b"},
        {"input": ", no s(E)"},
        {"input": ", no b >= E + 8"},
    ],
    "`when`, `prefer`": [{"clause": "when E >= 0"}, {"clause": "prefer least E"}],
    "`draw`": [{"draw": ", later ~ E + uniform(1..3)"}],
    "`takes`": [{"takes": "E + "}],
    "`after`": [{"more": "transition u: s(x) -> s(x)  draw d ~ uniform(1..3)  after 1 + E"}],
    "`speed`": [{"more": "transition u: s(x) -> s(x)  draw d ~ uniform(1..3)  after 1  speed E"}],
    "`weight`": [{"clause": "weight E"}],
    "output": [{"output": ", v(E)"}, {"output": ", E * v(1)"}, {"output": ", if E >= 0 then v(1)"}],
    "`in` of an output": [{"output": ", b in E + 1.0"}],
    "number, condition or weight": [
        {"output": ", E * full(1)"},
        {"output": ", if E >= 0 then full(1)"},
        {"output": ", heavy(E)"},
    ],
    "`priority`": [
        {"clause": "priority E"},
        {"more": "transition u: b -> b  draw d ~ uniform(1..3)  after 1  servers E"},
    ],
    "`by KEY`": [
        {"place": " by E"},
        {"place": " cap 9 of E"},
        {"more": "measure k = mean(s, E)"},
        {"more": "measure k = max(s, E)"},
    ],
    "`x at t when c`": [
        {"more": "measure k = E at t"},
        {"more": "measure k = 1 at t when E >= 0"},
        {"more": "measure k = rate(t, E)"},
        {"more": "measure k = count(t, E)"},
        {"more": "measure k = time(t -> t, by E)"},
    ],
    "`x at p(v) when c`": [{"more": "measure k = E at s(x)"}, {"more": "measure k = x at s(x) when E >= 0"}],
    "key of an event `place(x)`": [{"more": "measure k = time(s(x) -> t, by E -> x)"}],
    "`share(c)`": [
        {"more": "measure k = share(E > 0)"},
        {"more": "measure k = time_until(E > 0)"},
        {"more": "measure k = probability(E > 0 before tokens(b) > 4)"},
        {"more": "measure k = mean(tokens(b) + E)"},
    ],
    "`fn`": [{"more": "fn f(x: int): int = E\nmeasure k = rate(t, f(x))"}],
    "initial marking": [
        {"initial": ", (E)"},
        {"place": " cap E + 1"},
        {"more": "place row[1..E]"},
        {"more": "measure k = count(t) if E >= 0"},
        {"more": "const k = E"},
        {"more": "run until E"},
        {"more": "expect m > E"},
    ],
    "thread: `when`": [{"more": THREAD.format("take s(y) when E >= 0")}],
    "thread: `wait`": [
        {"more": THREAD.format("wait E")},
        {"more": THREAD.format("take s(y) for E")},
        {"more": THREAD.format("use s(y) for E")},
    ],
    "thread: `if`": [
        {"more": THREAD.format("if E >= 2 then\n    wait 3\n  end")},
        {"more": THREAD.format("while E >= 2\n    wait 3\n  end")},
        {"more": THREAD.format("repeat E\n    wait 3\n  end")},
        {"more": THREAD.format("give v(E)")},
    ],
}
WHAT = {"variables of arcs": "x", "drawn values": "d", "tokens(p)": "tokens(s)", "now": "now", "end": "end"}
WHAT["distributions"] = "exp(1)"
REFUSED = {
    *("capacity-uncertain", "draw-not-allowed", "drawn-in-pattern", "drawn-later", "instant-not-known"),
    *("tokens-not-allowed", "unknown-name", "variable-not-allowed"),
}


def rows() -> list[list[str]]:
    table = TEXT[TEXT.index("## What may be used where") : TEXT.index("## Expressions")]
    return [[cell.strip(" |") for cell in re.split(r" \| ", line)] for line in re.findall(r"(?m)^\|.*\|$", table)]


def faults(parts: dict[str, str], used: str) -> set[str]:
    """Return the errors of a net with an expression that uses something, at the places where `parts` has E."""
    expression = f"(if {used} >= 0 then 1 else 2)"
    filled = {name: re.sub(r"\bE\b", expression, text) for name, text in parts.items()}
    found = language.checks(NET.format_map(defaultdict(str, filled)), name="tried.net")
    return {diagnostic.id for diagnostic in found if diagnostic.severity == "error"}


@pytest.mark.parametrize("number", range(len(WHERE)))
def test_what_may_be_used_where(number: int) -> None:
    head, _, *body = rows()
    where, *cells = body[number]
    (name,) = [name for name in WHERE if where.startswith(name)]
    for parts in WHERE[name]:
        assert faults(parts, "c") == set(), parts
        for title, cell in zip(head[1:], cells, strict=True):
            used = WHAT[title.strip("`")]
            if used == "x" and "fields of the token" in cell:
                used = "value"
            found = faults(parts, used)
            assert found <= REFUSED, (parts, used, found)
            assert cell.startswith("–" if found else "✓"), (parts, used, found)


def test_every_row_is_tried() -> None:
    assert len(rows()) == len(WHERE) + 2


def test_the_net_on_the_card_loads_without_a_warning() -> None:
    (text,) = re.findall(r"(?ms)^```net\n(.*?)^```$", TEXT)
    assert [found for found in language.checks(text, name="card.net") if found.severity != "note"] == []


def test_the_card_names_every_word() -> None:
    words = set(re.findall(r"\w+", " ".join(re.findall(r"(?ms)^```net.*?^```|`[^`\n]+`", TEXT))))
    known = {
        *RESERVED,
        *FUNCTIONS,
        *OF_EACH,
        *DISTRIBUTIONS,
        *MEASURE_FUNCTIONS,
        *(kind.word for kind in PLACES if kind.word),
    }
    assert sorted(known - words - {"false", "true"}) == []
