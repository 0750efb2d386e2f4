"""The server for assistants, called as they call it: by the protocol's own client, over standard input."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

import petri
from petri import language
from pnsim.assistant.calls import MOST_LINES, shortened
from pnsim.assistant.pages import found

ROOT = Path(__file__).resolve().parents[2]
SKILL = (ROOT / "docs" / "skill" / "SKILL.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```net\n(.*?)^```$", SKILL, re.MULTILINE | re.DOTALL)

QUEUE = """
param load = 0.5
place source = token
place line
place server = token
transition arrive: source -> source, line takes exp(1 / load)
transition serve: line, server -> server takes exp(1)
measure waiting = mean(line)
run until 1000 warmup 10
"""
ENDLESS = "place a = token\ntransition t: a -> a takes 1\nrun until 1e15"
MULTIPLIES = "place a : int = 1\ntransition t: a(n) -> a(n + 1), a(n + 1) takes 1\nrun until 1e9"

Said = tuple[bool, str]
"""Whether a tool failed, and what it said: text, or the kind of an image."""
Call = Callable[..., Awaitable[Said]]


def served(folder: Path, work: Callable[[Call], Awaitable[None]], *options: str) -> None:
    """Start the server in a folder, and call its tools."""

    async def main() -> None:
        server = StdioServerParameters(command=sys.executable, args=["-m", "pnsim", "mcp", str(folder), *options])
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()

            async def call(tool: str, **arguments: object) -> Said:
                answer = await session.call_tool(tool, arguments)
                parts = [
                    one.text if one.type == "text" else str(getattr(one, "mime_type", one)) for one in answer.content
                ]
                return bool(answer.is_error), "\n".join(parts)

            await work(call)

    anyio.run(main)


def test_a_net_is_checked_run_solved_explained_and_drawn(tmp_path: Path) -> None:
    (tmp_path / "mine.net").write_text(QUEUE, encoding="utf-8")

    async def work(call: Call) -> None:
        failed, text = await call("check", net=QUEUE.replace("line, server", "lnie, server"))
        assert not failed
        assert "did you mean `line`?" in text
        assert await call("check", net=QUEUE) == (False, "<stdin>: no problems found")
        failed, text = await call("run", net="mine.net", parameters={"load": 0.8}, replications=3, seed=7)
        assert not failed
        assert "3 replications, seed 7" in text
        assert re.search(r"waiting .* ± ", text)
        assert "exact, in the long run" in (await call("solve", net="mm1k"))[1]
        assert "serve is" in (await call("why", net=QUEUE, transition="serve", at="10"))[1]
        assert await call("draw", net=QUEUE) == (False, "image/svg+xml")
        failed, text = await call("sweep", net=QUEUE, grid={"load": "0.2,0.4"}, replications=2)
        assert not failed
        assert "2 points, 4 replications" in text
        assert str(tmp_path) not in text
        failed, text = await call("sensitivity", net=QUEUE, measures=["waiting"], replications=4)
        assert not failed
        assert re.search(r"serve +10% faster", text)
        assert [file.name for file in tmp_path.iterdir()] == ["mine.net"]

    served(tmp_path, work)


def test_files_outside_of_the_folder_are_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.net").write_text(QUEUE, encoding="utf-8")
    (folder / "link.net").symlink_to(tmp_path / "secret.net")

    async def work(call: Call) -> None:
        for net in ("../secret.net", str(tmp_path / "secret.net"), "link.net", "a/../../secret.net"):
            failed, text = await call("run", net=net)
            assert failed
            assert "lies outside of the folder" in text
        for text in ('import "../secret.net" as s', 'place p : { n: int } = stream("../secret.net")'):
            failed, said = await call("check", net=f"{text}\nplace q = token\ntransition t: q -> nothing")
            assert "error[" in said
        os.mkfifo(folder / "pipe.net")
        assert await call("check", net="pipe.net") == (True, "Error executing tool check: `pipe.net` is no plain file")
        failed, said = await call("run", net="mm1", replication=50)
        assert failed
        assert "`run` has no argument `replication`; did you mean `replications`?" in said
        assert (await call("read_page", name="../README"))[0]
        assert (await call("read_net", name="../../README"))[0]

    served(folder, work)


@pytest.mark.slow
def test_a_call_ends_at_its_limit_of_time_and_shows_what_it_has(tmp_path: Path) -> None:
    async def work(call: Call) -> None:
        failed, text = await call("run", net=ENDLESS)
        assert not failed
        assert "PARTIAL RESULTS: interrupted" in text
        assert "limit of time" in text

    served(tmp_path, work, "--seconds", "15")


def test_a_call_that_is_given_up_ends(tmp_path: Path) -> None:
    async def work(call: Call) -> None:
        with anyio.move_on_after(1.0):
            await call("run", net=ENDLESS)
        with anyio.fail_after(20.0):
            while any(b"pnsim\0run\0" in line for line in _commands()):
                await anyio.sleep(0.1)
        assert (await call("check", net=QUEUE))[1] == "<stdin>: no problems found"

    served(tmp_path, work, "--seconds", "600")


def _commands() -> list[bytes]:
    """Return the command lines of all processes that run in a folder of this test."""
    return [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if file.exists()]


@pytest.mark.slow
def test_a_net_that_takes_all_memory_is_stopped(tmp_path: Path) -> None:
    async def work(call: Call) -> None:
        text = (await call("run", net=MULTIPLIES))[1]
        assert "memory" in text or "tokens" in text
        assert (await call("check", net=QUEUE))[1] == "<stdin>: no problems found"

    served(tmp_path, work, "--megabytes", "1024", "--seconds", "60")


WRONG: tuple[dict[str, object], ...] = (
    {},
    {"net": 5},
    {"net": ""},
    {"net": "\x00"},
    {"net": "--help"},
    {"net": "-"},
    {"net": "mm1", "parameters": {"--out": "/tmp/x"}},
    {"net": "mm1", "parameters": {"load": "$(id)"}},
    {"net": "mm1", "parameters": {"load": {"a": 1}}},
    {"net": "mm1", "parameters": {"load": 1e400}},
    {"net": "mm1", "parameters": {"": ""}},
    {"net": "mm1", "first_line": -4},
    {"net": "mm1", "first_line": 10**9},
    {"net": "mm1", "until": "--json"},
    {"net": "mm1", "until": "\n"},
    {"net": "mm1", "seed": 10**30},
    {"net": "mm1", "replications": 0},
    {"net": "place " + "a" * 100_000},
    {"net": "(" * 5_000 + " "},
    {"net": "a" * 5_000},
    {"net": "x" * 300_000},
    {"net": "mm1", "until": "9" * 200_000},
    {"net": "mm1", "parameters": {"load": "0\x00"}},
    {"net": "mm1", "parameters": {f"p{number}": 1 for number in range(20_000)}},
    {"net": "mm1", "replication": 50},
)


CALLED = ("check", "run", "why", "sweep", "draw")
OTHERS = ("format", "solve", "reach", "bound", "search", "info", "read_net", "read_page", "search_docs", "nothing")


@pytest.mark.slow
def test_wrong_calls_are_answered_in_words(tmp_path: Path) -> None:
    async def work(call: Call) -> None:
        for tool in (*CALLED, *OTHERS):
            for arguments in WRONG if tool in CALLED else WRONG[:4]:
                text = (await call(tool, **arguments))[1]
                assert "Traceback" not in text
                assert len(text) < 30_000
                assert text
        assert (await call("check", net=QUEUE))[1] == "<stdin>: no problems found"

    served(tmp_path, work, "--seconds", "20")


def test_long_answers_say_how_to_ask_for_the_rest() -> None:
    lines = [str(number) for number in range(1, 501)]
    text = "\n".join(lines)
    first = shortened(text).split("\n")
    assert first[:-1] == lines[:MOST_LINES]
    assert first[-1] == f"… {500 - MOST_LINES} more lines: ask again with first_line={MOST_LINES + 1}"
    assert shortened(text, 451).split("\n") == lines[450:]
    assert shortened(text, 501) == "There are 500 lines."


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("reneging", "patterns/reneging"),
        ("warm-up", "measures"),
        ("±?", "tutorial"),
        ("seed replications sweep", "experiments"),
    ],
)
def test_the_documentation_is_searched(words: str, page: str) -> None:
    assert page in {section.page for section in found(words)}


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_nets_of_the_text_for_assistants_run(number: int) -> None:
    text = EXAMPLES[number]
    assert [one for one in language.checks(text, name="example.net") if one.severity != "note"] == []
    assert petri.loads(text).run(until=1_000.0, warmup=0.0, replications=1, seed=1).transitions


def test_the_text_for_assistants_is_short() -> None:
    assert len(SKILL.splitlines()) <= 500
