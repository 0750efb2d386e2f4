"""How diagnostics are worded and drawn."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from petri import diagnostics, language, wording
from petri.diagnostics import MOST_DIAGNOSTICS, Diagnostic, Label, LanguageError, RunError, RunFailure, render
from petri.diagnostics.errors import limited
from petri.language.problems import MOST_NAMES, Problems
from petri.net import Span
from petri.wording.entry import Wording, fill, is_complete, read_area

ROOT = Path(__file__).parents[2]
SOURCE = "place a : int\n\tplace 日本 = tok(en\nfoo(\n bar\n baz)\n" + "x" * 150 + " culprit " + "y" * 100 + "\n"


@pytest.fixture(autouse=True)
def _test_wording(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {
        **wording.wording_table(),
        "test": Wording("`{name}` has {count:token}", ("did you mean {names:or}?", "write `{other}`")),
        "test-run": Wording("it overflows", notes=("at time {time}, as `{transition}` fires", "with {binding}")),
    }
    labels = {**wording.label_table(), "test-label": "first `{name}`"}
    monkeypatch.setattr(wording, "wording_table", lambda: table)
    monkeypatch.setattr(wording, "label_table", lambda: labels)


def _drawn(span: Span | None, *labels: Label, colour: bool = False) -> str:
    diagnostic = Diagnostic("test", span, {"name": "ab", "count": 2, "names": ("x", "y", "z")}, labels)
    return render(diagnostic, {"f.net": SOURCE}, colour=colour)


def test_the_whole_culprit_is_underlined() -> None:
    assert _drawn(Span("f.net", 1, 7, 1, 8)) == (
        "error[test]: `ab` has 2 tokens\n"
        " --> f.net:1:7\n"
        "  |\n"
        "1 | place a : int\n"
        "  |       ^\n"
        "  hint: did you mean `x`, `y` or `z`?"
    )


def test_tabs_and_wide_characters_keep_the_carets_in_place() -> None:
    lines = _drawn(Span("f.net", 2, 8, 2, 10)).splitlines()
    assert lines[3:5] == ["2 |     place 日本 = tok(en", "  |           ^^^^"]


def test_a_culprit_of_several_lines_is_underlined_on_each() -> None:
    lines = _drawn(Span("f.net", 3, 1, 5, 5)).splitlines()
    assert lines[3:9] == ["3 | foo(", "  | ^^^^", "4 |  bar", "  |  ^^^", "5 |  baz)", "  |  ^^^"]


def test_long_lines_are_clipped_around_the_culprit() -> None:
    lines = _drawn(Span("f.net", 6, 152, 6, 159)).splitlines()
    assert len(lines[3]) <= 105
    assert lines[3].startswith("6 | …")
    assert lines[3].endswith("…")
    column = lines[4].index("^")
    assert lines[3][column : column + 7] == "culprit"


def test_a_file_of_one_long_line_is_drawn_at_once() -> None:
    """Only what is near the culprit is looked at: a file may have 4 MiB in one line, and 100 problems."""
    line = "tok(en, " * 100_000
    sources = {"f.net": line}
    begun = time.process_time()
    for column in range(5, len(line), len(line) // 100):
        start = column - (column - 5) % 8
        second = Label(Span("f.net", 1, 1, 1, 4), "test-label")
        drawn = render(
            Diagnostic("test", Span("f.net", 1, start, 1, start + 2), {"name": "ab", "count": 1}, (second,)), sources
        )
        shown, marked = (next(one for one in drawn.splitlines() if key in one) for key in ("1 |", "^^"))
        assert shown[marked.index("^^") :][:2] == "en"
        assert len(shown) <= 104
    assert time.process_time() - begun < 2


def test_only_the_most_severe_of_too_many_are_told() -> None:
    """A mistake behind a hundred warnings is; and warnings alone are no error."""
    found = [Diagnostic("test", Span("f.net", n, 1, n, 2), {}, severity="warning") for n in range(1, 151)]
    assert limited(found[:MOST_DIAGNOSTICS], "f.net") == found[:MOST_DIAGNOSTICS]
    *told, more = limited(found, "f.net")
    assert told == found[:MOST_DIAGNOSTICS]
    assert (more.severity, more.values["count"]) == ("warning", 50)
    wrong = Diagnostic("test", Span("f.net", 200, 1, 200, 2))
    *told, more = limited([*found, wrong], "f.net")
    assert told == [*found[: MOST_DIAGNOSTICS - 1], wrong]
    assert (more.severity, more.values["count"]) == ("warning", 51)


def test_second_places_have_their_labels_in_this_and_in_other_files() -> None:
    same = Label(Span("f.net", 1, 1, 1, 6), "test-label")
    other = Label(Span("g.net", 9, 1, 9, 6), "test-label")
    drawn = _drawn(Span("f.net", 5, 2, 5, 5), same, other)
    assert "1 | place a : int\n  | ----- first `ab`\n...\n5 |  baz)\n  |  ^^^\n ::: g.net:9:1" in drawn


def test_colour_only_adds_to_the_plain_text() -> None:
    span = Span("f.net", 1, 7, 1, 8)
    coloured = _drawn(span, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == _drawn(span)


def test_control_characters_of_the_source_and_of_values_do_not_reach_the_terminal() -> None:
    diagnostic = Diagnostic("test", Span("f.net", 1, 1, 1, 2), {"name": "a\x1b[31m", "count": 1})
    assert "\x1b" not in render(diagnostic, {"f.net": "\x1b[2J\x07"})


def test_a_span_beyond_the_source_is_told_all_the_same() -> None:
    assert "--> f.net:99:40" in _drawn(Span("f.net", 99, 40, 99, 41))
    assert "f.net:1:300" in _drawn(Span("f.net", 1, 300, 1, 310))


def test_hints_that_lack_a_value_are_left_out() -> None:
    diagnostic = Diagnostic("test", values={"name": "a", "count": 1, "names": (), "other": "b"})
    assert diagnostic.message == "`a` has 1 token"
    assert diagnostic.hints == ("write `b`",)


def test_a_run_error_tells_its_story() -> None:
    failure = RunFailure("test-run", "send", (("p", "Packet(1, 64)"), ("n", "3")), "12.5 ns", Span("f.net", 1, 1, 1, 6))
    text = str(RunError(failure, {"f.net": SOURCE}))
    assert text.startswith("error[test-run]: it overflows\n --> f.net:1:1")
    assert "note: at time 12.5 ns, as `send` fires\n  note: with p = Packet(1, 64), n = 3" in text
    assert failure.to_dict()["binding"] == {"p": "Packet(1, 64)", "n": "3"}


def test_to_dict_is_json() -> None:
    label = Label(Span("g.net", 9, 1, 9, 6), "test-label")
    diagnostic = Diagnostic("test", Span("f.net", 1, 7, 1, 8), {"name": "ab", "count": 2, "names": ("x",)}, (label,))
    told = json.loads(json.dumps(diagnostic.to_dict()))
    assert told["span"] == {"file": "f.net", "line": 1, "column": 7, "end_line": 1, "end_column": 8}
    assert told["labels"][0]["text"] == "first `ab`"
    assert (told["message"], told["hints"]) == ("`ab` has 2 tokens", ["did you mean `x`?"])


def test_a_language_error_draws_all_its_diagnostics() -> None:
    error = LanguageError([Diagnostic("test", values={"name": "a", "count": 0})] * 2)
    assert str(error).count("error[test]: `a` has 0 tokens") == 2


@pytest.mark.parametrize(
    ("word", "candidates", "meant"),
    [
        ("tbfu", ["tbuf", "rbuf"], "tbuf"),
        ("PLACE", ["place"], "place"),
        ("qwerty", ["place", "time"], None),
        ("x" * 10_000, ["x" * 9_999], None),
    ],
)
def test_did_you_mean(word: str, candidates: list[str], meant: str | None) -> None:
    assert diagnostics.did_you_mean(word, candidates) == meant


def test_what_was_meant_is_looked_for_as_long_as_anyone_reads_on() -> None:
    problems = Problems()
    for number in range(MOST_DIAGNOSTICS):
        assert problems.meant("quene", ["queue"]) == "queue"
        problems.error("unknown-place", Span("x.net", number + 1, 1, number + 1, 2), name="quene")
    assert problems.meant("quene", ["queue"]) is None


def test_what_was_meant_is_not_looked_for_among_names_without_end() -> None:
    names = count()
    assert Problems().meant("quene", (f"queue{number}" for number in names)) is None
    assert next(names) <= 2 * MOST_NAMES


# ---------------------------------------------------------------- the tables


def _sources() -> Iterator[tuple[Path, str]]:
    for folder in ("petri", "cli"):
        for path in (ROOT / folder).rglob("*.py"):
            if "native" not in path.parts:
                yield path, path.read_text(encoding="utf-8")


def test_every_wording_is_used_somewhere() -> None:
    text = "".join(text for path, text in _sources() if path.parent.name != "wording")
    text += "".join(path.read_text(encoding="utf-8") for path in (ROOT / "petri" / "native").rglob("src/**/*.rs"))
    quoted = set(re.findall(r'"([\w-]+)"', text))
    unused = [name for name in wording.wording_table() if name not in quoted and not name.startswith("test")]
    assert unused == []


def test_every_diagnostic_has_a_wording() -> None:
    used = re.compile(r"""(?:Diagnostic|RunFailure|\.tell|_tell)\(\s*"([a-z0-9-]+)""")
    unworded = {
        f"{path.name}: {name}"
        for path, text in _sources()
        for name in used.findall(text)
        if name not in wording.wording_table()
    }
    assert unworded == set()


def test_every_label_has_a_wording() -> None:
    used = re.compile(r"""Label\([^"]*"([a-z0-9-]+)"\)""")
    unworded = {name for _, text in _sources() for name in used.findall(text)} - set(wording.label_table())
    assert unworded == set()


def test_every_template_can_be_read() -> None:
    for entry in wording.wording_table().values():
        for template in (entry.message, *entry.hints, *entry.notes):
            assert not template.endswith(".") or template.endswith("…")
            is_complete(template, {})


def test_a_file_of_wordings() -> None:
    text = (
        "# area\n$all\n  hint: for all\n\none: a message\n    of two lines\n"
        "  fix name: did you mean `{a}`?\n  $all\n  note: n\n"
    )
    (entry,) = read_area(text).values()
    assert (entry.message, entry.hints, entry.notes) == (
        "a message of two lines", ("did you mean `{a}`?", "for all"), ("n",)
    )  # fmt: skip
    assert entry.fixes == {"did you mean `{a}`?": "name"}
    with pytest.raises(ValueError, match="one has two wordings"):
        read_area(text + "one: another\n")


def test_limits_have_their_thousands_marked() -> None:
    """But not in what is to be written: `--states 10000000`."""
    unmarked = re.compile(r"(?<!`)\{(limit|most)\}")
    entries = wording.wording_table().values()
    assert [entry.message for entry in entries if unmarked.search(entry.message)] == []


def test_lists_and_plurals() -> None:
    assert fill("{count:entry|entries}", {"count": 2}) == "2 entries"
    assert fill("{count:token}, {limit:,}", {"count": 10_000_000, "limit": 4096}) == "10,000,000 tokens, 4,096"
    assert fill("{limit:,} and {limit}", {"limit": "4 MiB"}) == "4 MiB and 4 MiB"
    assert fill("{names:and}", {"names": ["a"]}) == "`a`"
    assert fill("{names:and:}", {"names": ["a", "b", "c"]}) == "a, b and c"
    assert fill("{names:or:}", {"names": [f"a{n}" for n in range(1000)]}).endswith("a28, a29 or 970 more")


def test_a_value_that_an_enumeration_has_twice_is_told_once() -> None:
    with pytest.raises(LanguageError) as raised:
        language.loads("type Colour = red | green | red\nplace p : Colour = red\ntransition t: p(c) -> nothing")
    assert [one.id for one in raised.value.diagnostics] == ["value-twice"]
