"""How much machine code each kind of transition needs, as `code.txt` has it.

Instructions are counted as they are emitted, before Cranelift optimizes them, so their numbers are the same on every
machine. When the generator is changed on purpose, renew the table with

    python -m tests.engine.test_code

and read the difference before committing it: it shows what the change costs each kind of transition.
`docs/contributing.md` says how to print the code itself.
"""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from petri.engine.native import available
from tests.engine.kinds import KINDS, Kind

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from petri import _native

TABLE = Path(__file__).parent / "code.txt"
COLUMNS = ("loads", "stores", "branches", "calls", "bytes")
HEAD = f"{'kind':20}" + "".join(f"{column:>9}" for column in COLUMNS)
TOLERANCE = 0.05  # of the bytes: processors of one kind differ in the instructions that they have


def listings(kind: Kind) -> list[tuple[str, list[int], str, str]]:
    """Return the functions of the transition: name, counts, intermediate representation, and assembly."""
    net = kind.net()
    running = _native.Session(_native.Program(net), (1, 2, 3), (1000, 1 << 40, 1 << 62), False, False)
    return running.listings([transition.name for transition in net.transitions].index(kind.transition))


def counts(kind: Kind) -> list[int]:
    """Return the numbers of all functions of the transition together."""
    return [sum(numbers) for numbers in zip(*(counts for _, counts, _, _ in listings(kind)), strict=True)]


def written() -> dict[str, list[int]]:
    """Read the table."""
    head, *rows = TABLE.read_text(encoding="utf-8").splitlines()
    assert head == HEAD
    return {name: [int(number) for number in numbers] for name, *numbers in map(str.split, rows)}


@pytest.mark.parametrize("kind", KINDS)
def test_code_has_as_many_instructions_as_written_down(kind: str) -> None:
    *numbers, size = counts(KINDS[kind])
    *wanted, bytes_wanted = written()[kind]
    renew = "if this is intended, renew with: python -m tests.engine.test_code"
    assert dict(zip(COLUMNS, numbers, strict=False)) == dict(zip(COLUMNS, wanted, strict=False)), renew
    if platform.machine() in ("x86_64", "AMD64"):
        assert size == pytest.approx(bytes_wanted, rel=TOLERANCE), renew


def test_the_table_has_a_row_for_each_kind_and_no_other() -> None:
    assert list(written()) == list(KINDS)


def test_code_and_assembly_can_be_had() -> None:
    (code,) = (code for name, _, code, _ in listings(KINDS["keyed_place"]) if name == "start")
    assembly = listings(KINDS["immediate"])[1][3]
    assert "iconst.i64 runtime.shown" in code
    assert "ret" in assembly


if __name__ == "__main__":
    rows = [f"{name:20}" + "".join(f"{number:9}" for number in counts(kind)) for name, kind in KINDS.items()]
    TABLE.write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
