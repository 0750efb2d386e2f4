"""`pnsim lsp` as an editor sees it: a client speaks with it over its pipes."""

from __future__ import annotations

import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest

from petri.editor.frames import Frames
from tests.cli.calling import caller
from tests.editor.client import Client, Refused

PART = """type Packet = { seq: int, size: Bytes }

const header = 18 B  ## given: IEEE 802.3, clause 3.1.1

module Link(rate: Rate = 1 Gbps)
  port in from : Packet
  port out to : Packet
  transition send: from(p) -> to(p)  takes p.size / rate
end
"""
MAIN = """## Two hops.
net hops
time ns

import "part.net"

param load = 0.5 in 0..1  ## share of the line; calibrated
const whole = header + 46 B

place source : Packet = {seq: 0, size: 64 B}
place middle : Packet fifo cap 8
place sink : Packet

transition start: source(p) -> middle(p with {size: p.size + header})  takes p.size / 1 Gbps
instance last = Link(rate = 2 Gbps, from = middle, to = sink)

measure sent = rate(last.send, p.size)
measure waiting = mean(middle)
measure share = load * (whole / 64 B)

run until 1 ms
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("nets").resolve()
    (folder / "part.net").write_text(PART, encoding="utf-8")
    (folder / "main.net").write_text(MAIN, encoding="utf-8")
    with Client(folder) as client:
        client.open("main.net", MAIN)
        yield client


def drawn(preview: dict[str, str]) -> str:
    """Return the drawing of a preview, an image in its HTML."""
    return b64decode(preview["html"].partition("base64,")[2].partition('"')[0]).decode()


def test_a_preview_follows_the_text_that_is_not_saved(client: Client) -> None:
    found = client.ask("pnsim/preview", {"uri": client.uri("main.net")})
    assert found["name"] == "hops"
    assert "<svg" in drawn(found)
    assert "sent" in found["html"]
    client.change("main.net", MAIN.replace("net hops", "net hips").replace("middle", "between"))
    found = client.ask("pnsim/preview", {"uri": client.uri("main.net")})
    assert found["name"] == "hips"
    assert "between" in drawn(found)
    client.change("main.net", MAIN.replace("place middle", "place"))
    assert client.ask("pnsim/preview", {"uri": client.uri("main.net")}) is None
    client.change("main.net", MAIN.replace("measure waiting", "## <img src=x>\nmeasure waiting"))
    assert "<img src=x>" not in client.ask("pnsim/preview", {"uri": client.uri("main.net")})["html"]
    client.change("main.net", MAIN)


def place(text: str, before: str, after: str = "") -> tuple[int, int]:
    """Return the position between two texts that occur together once; in the first word if only one is given."""
    assert text.count(before + after) == 1, before + after
    offset = text.index(before + after) + (len(before) if after else 1)
    return text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1)


def shown(client: Client, text: str) -> list[dict[str, Any]]:
    """Return the diagnostics of the main net with another text; the net is as before afterwards."""
    found = client.change("main.net", text)
    client.change("main.net", MAIN)
    return found


def written(text: str, where: dict[str, Any]) -> str:
    """Return the text of a range within a line."""
    line = text.split("\n")[int(where["start"]["line"])]
    return line[where["start"]["character"] : where["end"]["character"]]


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text with edits, each within a line."""
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda edit: edit["range"]["start"]["character"], reverse=True):
        start, end = edit["range"]["start"], edit["range"]["end"]
        line = lines[start["line"]]
        lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[end["character"] :]
    return "\n".join(lines)


def labels(client: Client, text: str, before: str, after: str = "\n") -> set[str]:
    """Return what is offered at a position of a text, which may be broken."""
    client.change("main.net", text)
    found = client.at("completion", "main.net", place(text, before, after))
    client.change("main.net", MAIN)
    return {item["label"] for item in found["items"]}


# ---------------------------------------------------------------- diagnostics


def test_a_right_net_has_no_diagnostics(client: Client) -> None:
    assert shown(client, MAIN + "# end\n") == []


def test_a_slip_is_shown_where_it_is_with_its_id_and_hint(client: Client) -> None:
    text = MAIN.replace("mean(middle)", "mean(midle)")
    (one,) = shown(client, text)
    assert (one["code"], one["severity"], one["source"]) == ("unknown-target", 1, "pnsim")
    assert written(text, one["range"]) == "midle"
    assert one["message"].endswith("hint: did you mean `middle`?")


def test_a_second_place_is_related(client: Client) -> None:
    (one,) = [one for one in shown(client, MAIN + "place middle\n") if one["code"] == "name-twice"]
    (related,) = one["relatedInformation"]
    assert related["message"] == "first declared here"
    assert written(MAIN, related["location"]["range"]) == "middle"


def test_a_syntax_error_leaves_the_rest_checked(client: Client) -> None:
    text = MAIN.replace("fifo cap 8", "fifo cap").replace("mean(middle)", "mean(midle)")
    assert {one["code"] for one in shown(client, text)} >= {"missing-value"}


def test_positions_count_utf_16_units(client: Client) -> None:
    text = MAIN.replace("import", "# 𝄞𝄞\nimport").replace("measure waiting", "/* 𝄞 */ measure waiting")
    found = [one for one in shown(client, text) if one["code"] == "foreign-comment"]
    assert written(text, found[0]["range"]).startswith("/*")
    assert found[0]["range"]["end"]["character"] == len("/* 𝄞 */") + 1


def test_an_unsaved_import_is_read_instead_of_its_file(client: Client) -> None:
    client.open("part.net", PART.replace("const header", "const heading"))
    assert [one["code"] for one in client.shown["main.net"]] == ["unknown-name", "unknown-name"]
    client.change("part.net", PART.replace("takes p.size / rate", "takes p.size / rat"))
    assert [one["code"] for one in client.shown["part.net"]] == ["unknown-name"]
    client.close("part.net")
    assert client.diagnostics("main.net") == []
    assert client.shown["part.net"] == []


def test_a_file_that_changes_on_disk_is_read_again(client: Client) -> None:
    assert "client/registerCapability" in client.requested
    file = client.folder / "part.net"
    for text, expected in ((PART.replace("const header", "const heading"), ["unknown-name"] * 2), (PART, [])):
        file.write_text(text, encoding="utf-8")
        client.tell("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})
        assert [one["code"] for one in client.diagnostics("main.net")] == expected


def test_a_part_is_checked_as_the_open_net_sees_it(client: Client) -> None:
    part = PART.replace("p.size / rate", "p.size / rate * load")
    assert client.open("part.net", part) == []
    client.close("part.net")
    assert client.diagnostics("main.net") == []


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("rate(l", "ast.send", "instance last = Link"),
        ("const wh", "ole", "= `64 B`"),
        ("param lo", "ad", "share of the line; calibrated"),
        ("= he", "ader", "given: IEEE 802.3, clause 3.1.1"),
        ("place mid", "dle", "place middle : Packet fifo cap 8"),
        ("takes p", ".size", "*variable* `p` : `Packet { seq: int, size: Bytes }`"),
        ("p.si", "ze / 1 Gbps", "*field* `size` of `Packet` : `Bytes`"),
        ("last.se", "nd", "takes p.size / rate"),
    ],
)
def test_hover(client: Client, before: str, after: str, expected: str) -> None:
    found = client.at("hover", "main.net", place(MAIN, before, after))
    assert expected in found["contents"]["value"]


def test_hover_shows_comments_as_text(client: Client) -> None:
    text = MAIN.replace("## Two hops.", "## Two hops.").replace("calibrated", "[x](command:pnsim.run) <b>")
    client.change("main.net", text)
    found = client.at("hover", "main.net", place(text, "param lo", "ad"))["contents"]["value"]
    client.change("main.net", MAIN)
    assert "\\[x\\]\\(command:pnsim.run\\) \\<b\\>" in found.partition("*parameter*")[2]


@pytest.mark.parametrize(
    ("before", "after", "file", "text", "line"),
    [
        ("= he", "ader", "part.net", PART, "const header"),
        ("= Li", "nk", "part.net", PART, "module Link"),
        ("last.se", "nd", "part.net", PART, "  transition send"),
        ("Link(ra", "te", "part.net", PART, "module Link(rate"),
        ("takes p.s", "ize", "part.net", PART, "type Packet"),
        ("mean(mi", "ddle)", "main.net", MAIN, "place middle"),
        ('import "pa', 'rt.net"', "part.net", PART, "type Packet"),
    ],
)
def test_definition(client: Client, before: str, after: str, file: str, text: str, line: str) -> None:
    found = client.at("definition", "main.net", place(MAIN, before, after))
    assert found["uri"] == client.uri(file)
    assert text.split("\n")[found["range"]["start"]["line"]].startswith(line)


def test_references_go_through_imports(client: Client) -> None:
    (client.folder / "other.net").write_text(MAIN.replace("net hops", "net other"), encoding="utf-8")
    found = client.at("references", "main.net", place(MAIN, "= he", "ader"), context={"includeDeclaration": True})
    (client.folder / "other.net").unlink()
    files = [one["uri"].rpartition("/")[2] for one in found]
    assert sorted(files) == ["main.net", "main.net", "other.net", "other.net", "part.net"]


def test_rename_through_imports(client: Client) -> None:
    found = client.at("rename", "main.net", place(MAIN, "= he", "ader"), newName="framing")["changes"]
    assert edited(PART, found[client.uri("part.net")]) == PART.replace("header", "framing")
    assert edited(MAIN, found[client.uri("main.net")]) == MAIN.replace("header", "framing")


def test_rename_a_field_and_its_variable(client: Client) -> None:
    text = MAIN.replace("source(p) -> middle(p with", "source({seq, size}) -> middle(Packet(seq, size) with")
    text = text.replace("{size: p.size + header})  takes p.size", "{size: size + header})  takes size")
    client.change("main.net", text)
    where = place(text, "source({seq, si", "ze}")
    variable = client.at("rename", "main.net", where, newName="length")["changes"][client.uri("main.net")]
    field = client.at("rename", "main.net", place(text, "{si", "ze: size +"), newName="length")["changes"]
    client.change("main.net", MAIN)
    assert "source({seq, size: length}) -> middle(Packet(seq, length) with {size: length + header})" in edited(
        text, variable
    )
    renamed = edited(text, field[client.uri("main.net")])
    assert "source({seq, length: size}) -> middle(Packet(seq, size) with {length: size + header})" in renamed
    assert "{ seq: int, length: Bytes }" in edited(PART, field[client.uri("part.net")])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("place", "`place` is a keyword and cannot be a name; choose another name"),
        ("2nd", "`2nd` is not a name; a name is one word"),
        ("sink", "the net would be wrong: the name `sink` is taken: it is a place"),
        ("min dle", "`min dle` is not a name"),
    ],
)
def test_a_rename_that_cannot_be_is_refused(client: Client, name: str, expected: str) -> None:
    with pytest.raises(Refused) as raised:
        client.at("rename", "main.net", place(MAIN, "place mid", "dle"), newName=name)
    assert expected in str(raised.value)


def test_a_rename_that_captures_is_refused(client: Client) -> None:
    text = MAIN.replace("param load", "const q = 1\nparam load").replace(
        "takes p.size / 1 Gbps", "takes p.size * q / 1 Gbps"
    )
    client.change("main.net", text)
    with pytest.raises(Refused) as raised:
        client.at("rename", "main.net", place(text, "const ", "q = 1"), newName="p")
    client.change("main.net", MAIN)
    assert "with the name `p`" in str(raised.value)


def test_names_of_the_library_stay(client: Client) -> None:
    text = MAIN.replace(
        'import "part.net"', 'import "part.net"\nimport traffic.packet as traffic with packet_fixed = 64 B'
    )
    client.change("main.net", text)
    with pytest.raises(Refused) as raised:
        client.at("prepareRename", "main.net", place(text, "with packet_", "fixed"))
    client.change("main.net", MAIN)
    assert "declared in the library, in `models/traffic/packet.net`" in str(raised.value)


def test_a_measure_of_a_module_is_known_by_its_full_name(client: Client) -> None:
    text = MAIN.replace(
        "run until",
        """module Twin()
  place own = token
  transition step: own -> own  takes 1 ns
  measure load = busy(own)
  measure times = now at step
  measure double = load + load
end
instance twin[i in 0..1] = Twin()
measure both = twin[0].load * twin[1].times.mean
run until""",
    )
    assert shown(client, text) == []
    client.change("main.net", text)
    hover = client.at("hover", "main.net", place(text, "twin[0].lo", "ad"))["contents"]["value"]
    found = client.at("definition", "main.net", place(text, "twin[1].ti", "mes"))
    renamed = client.at("rename", "main.net", place(text, "twin[0].lo", "ad"), newName="use")["changes"]
    client.change("main.net", MAIN)
    assert "measure load = busy(own)" in hover
    assert text.split("\n")[found["range"]["start"]["line"]] == "  measure times = now at step"
    (changed,) = renamed.values()
    assert sorted(written(text, one["range"]) for one in changed) == ["load"] * 4
    after = text.replace("twin[0].load * twin[1].times.mean", "twin[0].")
    assert labels(client, after, "twin[0].") >= {"load", "times", "double", "step"}
    assert {"mean", "count"} <= labels(client, text.replace("times.mean", "times."), "twin[1].times.")


# ---------------------------------------------------------------- completion


def test_fields_after_a_point_in_a_broken_text(client: Client) -> None:
    assert labels(client, MAIN.replace("takes p.size / 1 Gbps", "takes p."), "takes p.") == {"seq", "size"}
    assert labels(
        client, MAIN.replace("{size: p.size + header})  takes p.size / 1 Gbps", "{size: p."), "{size: p."
    ) == {
        "seq",
        "size",
    }


def test_the_members_of_an_instance(client: Client) -> None:
    assert {"send", "from", "to"} <= labels(client, MAIN.replace("rate(last.send, p.size)", "rate(last."), "rate(last.")


def test_units_after_a_number(client: Client) -> None:
    found = labels(client, MAIN.replace("until 1 ms", "until 1 "), "until 1 ")
    assert {"ms", "ns", "Gbps", "B"} <= found
    assert "until" not in found


def test_a_space_asks_only_for_units(client: Client) -> None:
    text = MAIN.replace("until 1 ms", "until 1 ")
    client.change("main.net", text)
    asked = {"triggerKind": 2, "triggerCharacter": " "}
    unit = client.at("completion", "main.net", place(text, "until 1 ", "\n"), context=asked)["items"]
    clause = client.at("completion", "main.net", place(text, "until ", "1 "), context=asked)["items"]
    client.change("main.net", MAIN)
    assert "ms" in {item["label"] for item in unit}
    assert clause == []


def test_clauses_by_position(client: Client) -> None:
    text = MAIN.replace("  takes p.size / 1 Gbps", " ")
    assert {"takes", "when", "priority", "weight", "draw"} <= labels(client, text, "p.size + header}) ")
    assert {"until", "warmup", "replications", "seed"} <= labels(client, MAIN.replace("run until 1 ms", "run "), "run ")
    assert {"fifo", "lifo", "cap", "by"} <= labels(client, MAIN.replace("fifo cap 8", ""), "middle : Packet ")


def test_types_places_modules_and_functions(client: Client) -> None:
    assert {"Packet", "int", "Time", "token"} <= labels(client, MAIN.replace("sink : Packet", "sink : "), "sink : ")
    assert "Packet" not in labels(client, MAIN.replace("start: source(p)", "start: "), "start: ", " ->")
    assert {"source", "middle", "sink", "read", "no"} <= labels(
        client, MAIN.replace("start: source(p)", "start: "), "start: ", " ->"
    )
    assert labels(client, MAIN.replace("= Link(", "= \n#"), "last = ") == {"Link"}
    assert {"rate", "mean", "sojourn", "middle"} <= labels(client, MAIN.replace("= mean(middle)", "= "), "waiting = ")


THREAD = """net n
service dram : { bytes: Bytes } fifo
place work
thread go
  take work
  call dram({bytes: 3 B})
  give work
end
transition serve: dram(r) -> reply(r)
"""


VECTORS = """net n
type Way = { tag: int, dirty: bool }
type Set = { ways: Way[2], used: int[2, 3] }
place sets : Set = {ways: [{tag: i, dirty: false} for i in 0..1], used: [[0, 1, 2], [3, 4, 5]]}
transition t: sets(x) -> sets(x)  takes 1  when any(w in x.ways: w.tag == 1) and x.ways[0].dirty
"""


def test_elements_of_vectors(client: Client) -> None:
    assert labels(client, VECTORS.replace("x.ways[0].dirty", "x.ways[0]."), "x.ways[0].") == {"tag", "dirty"}
    assert labels(client, VECTORS.replace("x.ways[0].dirty", "x.ways."), "and x.ways.") == set()
    assert {"any", "all", "count", "sum"} <= labels(client, VECTORS.replace("any(w in", "a(w in"), "when a", "(w in")


def test_the_name_of_an_element_is_one(client: Client) -> None:
    client.change("main.net", VECTORS)
    shown = client.at("hover", "main.net", place(VECTORS, "w in", " x.ways"))
    there = client.at("references", "main.net", place(VECTORS, "w.tag"), context={"includeDeclaration": True})
    client.change("main.net", MAIN)
    assert "Way" in str(shown) or shown is None
    assert len(there) == 2


def test_steps_and_what_they_name(client: Client) -> None:
    assert {"take", "wait", "give"} <= labels(client, THREAD.replace("  give work", "  \n  give work"), "B})\n  ")
    assert {"dram", "work"} <= labels(client, THREAD.replace("call dram({bytes: 3 B})", "call "), "call ")
    assert {"work"} <= labels(client, THREAD.replace("take work", "take wo"), "take wo")


def test_a_new_name_is_left_to_the_user(client: Client) -> None:
    assert labels(client, MAIN.replace("place sink : Packet", "place "), "place ") == set()


def test_declarations_at_the_start_of_a_line(client: Client) -> None:
    assert {"place", "transition", "thread", "service", "measure", "end"} <= labels(client, f"{MAIN}\n#", "ms\n", "\n#")


def test_imports(client: Client) -> None:
    assert "part.net" in labels(client, MAIN.replace('import "part.net"', 'import "'), 'import "')
    assert "traffic.packet" in labels(client, MAIN.replace('import "part.net"', "import tra"), "import tra")
    assert "packet" in labels(client, MAIN.replace('import "part.net"', "import traffic.p"), "import traffic.p")
    assert labels(client, MAIN.replace('import "part.net"', 'import "../'), 'import "../') == set()


def test_nothing_in_comments(client: Client) -> None:
    assert labels(client, MAIN.replace("## Two hops.", "## Two hops. p"), "hops. p") == set()


# ---------------------------------------------------------------- the file


def test_formatting(client: Client) -> None:
    client.change("main.net", MAIN.replace("place sink : Packet", "place sink:Packet"))
    (edit,) = client.about("formatting", "main.net", options={"tabSize": 2, "insertSpaces": True})
    client.change("main.net", MAIN)
    assert "place sink   : Packet" in edit["newText"]
    assert edit["range"]["start"] == {"line": 0, "character": 0}


def test_a_broken_text_is_not_formatted(client: Client) -> None:
    client.change("main.net", MAIN + "place\n")
    assert client.about("formatting", "main.net", options={"tabSize": 2, "insertSpaces": True}) == []
    client.change("main.net", MAIN)


def test_a_quick_fix(client: Client) -> None:
    text = MAIN.replace("takes p.size", "takes p.sise")
    found = client.change("main.net", text)
    (action,) = client.about("codeAction", "main.net", range=found[0]["range"], context={"diagnostics": found})
    client.change("main.net", MAIN)
    assert action["title"] == "Write `size`"
    assert edited(text, action["edit"]["changes"][client.uri("main.net")]) == MAIN


def test_the_outline_has_what_modules_and_types_contain(client: Client) -> None:
    client.open("part.net", PART)
    found = client.about("documentSymbol", "part.net")
    client.close("part.net")
    client.diagnostics("main.net")
    assert {one["name"]: [inner["name"] for inner in one["children"]] for one in found} == {
        "Packet": ["seq", "size"],
        "header": [],
        "Link": ["rate", "from", "to", "send"],
    }


def test_inlay_hints_and_lenses(client: Client) -> None:
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    (hint,) = client.about("inlayHint", "main.net", range=everything)
    assert hint["label"] == "= 64 B"
    titles = [lens["command"]["title"] for lens in client.about("codeLens", "main.net")]
    assert titles == ["run this net", "check", "draw", "play"]


# ---------------------------------------------------------------- without the package


def test_without_pygls_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pnsim.commands.lsp.find_spec", lambda name: None)
    result = caller(capsys)("lsp")
    assert result.status == 2
    assert "pip install 'pnsim[lsp]'" in result.err


# ---------------------------------------------------------------- whatever comes

HOSTILE = {
    "nothing": "",
    "zeros": "\0" * 1000,
    "another program's": "<?xml version='1.0'?><pnml/>",
    "deep": "net n\nconst a = " + "(" * 5000 + "1" + ")" * 5000,
    "deep blocks": "net n\n" + "module M()\n" * 2000,
    "too large": "net n\n" + "# x\n" * 1_100_000,
    "many places": "net n\nplace p[0..10_000_000]\ntransition t[i in 0..10_000_000]: p[i] -> p[i]\n",
    "surrogates": "net n\nplace \ud83d\nplace p\u2028q\x0c\n",
    "cut": MAIN[: len(MAIN) // 2],
    "recursive": "net n\nconst a = b\nconst b = a\ntype T = { t: T }\nfn f(x: int) = f(x)\n"
    "module M()\n instance m = M()\nend\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_brings_the_server_down(client: Client, name: str) -> None:
    assert client.open("wrong.net", HOSTILE[name])
    for method in ("documentSymbol", "codeLens"):
        client.about(method, "wrong.net")
    client.at("hover", "wrong.net", (1, 7))
    client.at("completion", "wrong.net", (10**6, 10**6))
    client.close("wrong.net")
    client.diagnostics("main.net")
    assert shown(client, MAIN + "# still here\n") == []


def test_a_message_that_is_not_json_is_survived(client: Client) -> None:
    client.send_bytes(b"Content-Length: 5\r\n\r\n{...}")
    assert shown(client, MAIN + "# still here\n") == []


def frame(text: str, *, length: str | None = None) -> bytes:
    return f"Content-Length: {len(text) if length is None else length}\r\n\r\n{text}".encode()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (frame("{}", length="999999999999"), "a message of 999999999999 bytes; one may have at most 64 MiB"),
        (frame("{}", length="-5"), "whose length is `-5`, which is not a number of bytes"),
        (frame("{}", length="two"), "whose length is `two`"),
        (frame("{}", length="9" * 5000), "whose length is `" + "9" * 40 + "`"),
        (frame("{}", length="0"), "whose length is `0`"),
        (b"Content-Type: x\r\n\r\n{}", "without the header `Content-Length`"),
        (b'{"jsonrpc": "2.0"}\n', "without the header `Content-Length`"),
        (b"a" * 100_000, "without the header `Content-Length`"),
        (b"a: b\r\n" * 100, "without the header `Content-Length`"),
    ],
)
def test_a_message_without_a_length_that_can_be_ends_the_stream(sent: bytes, said: str) -> None:
    """Also while the client goes on writing: nothing is waited for."""
    frames = Frames(BytesIO(sent + frame("{}")))
    assert frames.readline() == b""
    assert frames.wrong is not None
    assert said in frames.wrong.message
    assert (frames.readline(), frames.read(5)) == (b"", b"")


def test_messages_come_as_the_library_reads_them() -> None:
    frames = Frames(BytesIO(b"content-length:2\nContent-Type: x\n\n{}" + frame("[1]")))
    assert [frames.readline(), frames.readline(), frames.read(2)] == [b"Content-Length: 2\r\n", b"\r\n", b"{}"]
    assert [frames.readline(), frames.readline(), frames.read(3)] == [b"Content-Length: 3\r\n", b"\r\n", b"[1]"]
    assert (frames.readline(), frames.wrong) == (b"", None)


def test_the_server_ends_with_a_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pnsim", "lsp"], input=frame("{}", length="x"), capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error[lsp-length]: ")
    assert done.stdout == b""
