"""Signature help: what a call or a clause at the cursor asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from petri.editor.signatures import signature_help
from petri.editor.workspace import check
from tests.editor.client import Client

NET = """net n
time us
## Blocks of a packet.
fn blocks(size: real, part: real): real = size / part
place a = token
module Link(rate: real = 2)
  port in from
end
"""


def shown(more: str) -> tuple[list[str], int, int] | None:
    path = Path("n.net").resolve()
    found = signature_help(check(path, {path: NET + more}, {}, 1), NET + more)
    if found is None:
        return None
    return [one.label for one in found.signatures], found.active_signature or 0, found.active_parameter or 0


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ("transition t: a -> a takes exp(", (["exp(mean)"], 0, 0)),
        ("transition t: a -> a takes gamma(2, ", (["gamma(shape, mean)"], 0, 1)),
        ("transition t: a -> a takes normal(2, 1, ", (["normal(mean, sd)", "normal(mean, sd, low..high)"], 1, 2)),
        ("const c = max(blocks(3, 2), ", (["max(a, b)"], 0, 1)),
        ("const c = max(blocks(3, ", (["blocks(size, part)"], 0, 1)),
        ("instance l = Link(", (["Link(rate)"], 0, 0)),
        ("measure m = count(", (["count(transition)", "count(transition, quantity)"], 0, 0)),
        ("place b cap ", (["cap 8"], 0, 0)),
        ("import ", (["import ixp2400.dram", 'import "part.net"'], 0, 0)),
        ("const c = max(1, 2) ", None),
        ("# exp(", None),
        ("const c = unknown(", None),
        ("const c = ", None),
        ("\n", None),
    ],
)
def test_it_tells_what_is_asked_for(more: str, wanted: object) -> None:
    assert shown(more) == wanted


@pytest.mark.slow
def test_an_editor_gets_the_domain_of_a_parameter(tmp_path: Path) -> None:
    text = NET + "transition t: a -> a takes pareto("
    with Client(tmp_path.resolve()) as client:
        assert client.capabilities["signatureHelpProvider"]["triggerCharacters"] == ["(", ",", " "]
        client.open("n.net", text)
        found: dict[str, Any] = client.at("signatureHelp", "n.net", (text.count("\n"), len(text.split("\n")[-1])))
    assert "shape greater than 1" in found["signatures"][0]["documentation"]
