"""The machine code of each kind of transition, as it is written down in `code/`.

The files hold Cranelift's intermediate representation as `petri/native/engine/src/jit/listing.rs` tells it, before
Cranelift optimizes it, so they are the same on every machine. When the generator is changed on purpose, renew them with

    python -m tests.engine.test_code

and read the difference before committing it: it shows what the change does to each kind of transition.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from petri.engine.native import available
from tests.engine.kinds import KINDS, Kind

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from petri import _native

FOLDER = Path(__file__).parent / "code"


def listings(kind: Kind) -> dict[str, tuple[str, str]]:
    """Of each function of the transition: its intermediate representation, and its assembly."""
    net = kind.net()
    running = _native.Session(_native.Program(net), (1, 2, 3), (1000, 1 << 40, 1 << 62), False, False)
    number = [transition.name for transition in net.transitions].index(kind.transition)
    return {name: (code, assembly) for name, code, assembly in running.listings(number)}


def page(kind: Kind) -> str:
    """The net as comments, and the functions that are shown."""
    head = "".join(f"; {line}\n" for line in kind.text.splitlines())
    of = listings(kind)
    return head + "".join(f"\n; {name}\n{of[name][0]}" for name in kind.shown)


@pytest.mark.parametrize("kind", KINDS)
def test_code_is_as_written_down(kind: str) -> None:
    written = (FOLDER / f"{kind}.txt").read_text(encoding="utf-8")
    assert page(KINDS[kind]) == written, "renew with: python -m tests.engine.test_code"


def test_there_is_a_page_for_each_kind_and_no_other() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(KINDS)


def test_assembly_can_be_had() -> None:
    code, assembly = listings(KINDS["immediate"])["start"]
    assert "place(a).tokens" in code
    assert "ret" in assembly


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, kind in KINDS.items():
        (FOLDER / f"{name}.txt").write_text(page(kind), encoding="utf-8")
