"""The accelerators of the library against programs of their own, written here from the same designs, and against
figures that were published or measured on the RTL.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import petri
from petri import library

NETS = Path(library.nets()) / "accelerators"
# Cycles from the end of the header to the last pixel, in simulations of the RTL with fixed Huffman tables: the order is
# that of images.csv.
RTL = [
    105428, 165470, 106112, 149696, 225368, 105486, 105662, 105437, 120436, 163517,
    193580, 210359, 105485, 105434, 105428, 105452, 105452, 105452, 105455, 105458,
]  # fmt: skip


def rows(name: str) -> list[dict[str, str]]:
    with (NETS / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def images() -> list[list[int]]:
    found: list[list[int]] = [[]]
    for row in rows("images.csv"):
        if row["value"] == "0":
            found.append([])
        else:
            found[-1].append(int(row["value"]))
    return found[:-1]


def cycles(name: str, measure: str = "cycles", **parameters: Any) -> float:
    return petri.load(f"accelerators/{name}", **parameters).run(until="dead").measure(measure).value


def decoding(blocks: list[int], of_macroblock: int = 6, fixed: int = 8, depth: int = 22) -> int:
    """Decode one image, as the states of the RTL do it; times of blocks in their order, with no net."""
    first, free, decoder, unit, writer, shut = 68 + depth, [0] * 4, 4, 0, 0, (0, 0)
    for number, n in enumerate(blocks):
        decoder = max(decoder, free[number % 4]) + 3 * n + fixed
        start = max(decoder, unit)
        if shut[0] <= start < shut[1]:  # more than half of Cr waits
            start = shut[1]
        unit = free[number % 4] = start + 66
        if number % of_macroblock == of_macroblock - 1:
            begin = max(start + first + 65, writer)
            writer = begin + (260 if of_macroblock == 6 else 65)
            shut = (start + first + 33, begin + 129) if of_macroblock == 6 else (0, 0)
    return writer


def test_images_take_the_cycles_of_the_rtl() -> None:
    result = petri.load("accelerators/jpeg").run(until="dead")
    assert [result.measure(f"cycles[{number}]").value for number in range(20)] == RTL


def test_the_decoder_is_what_its_states_say() -> None:
    assert [decoding(blocks) for blocks in images()] == RTL


@pytest.mark.parametrize(("sampling", "blocks", "squares", "stated"), [
    ("mono", 1, 1, 66), ("full", 3, 1, 198), ("half", 6, 4, 137),
])  # fmt: skip
def test_peak_of_the_decoder(tmp_path: Path, sampling: str, blocks: int, squares: int, stated: int) -> None:
    """The README of the design states cycles for 8 by 8 pixels."""
    rows = [1 + number % 3 for number in range(blocks * 600)]
    (tmp_path / "blocks.csv").write_text("value\n" + "\n".join(map(str, rows)) + "\n", "utf-8")
    model = petri.load("accelerators/jpeg", sampling=sampling).with_streams({"blocks": tmp_path / "blocks.csv"})
    found = model.run(until="dead").measure("decoding").value
    assert found == decoding(rows, blocks)
    assert found / (600 * squares) == pytest.approx(stated, rel=0.01)


@pytest.mark.parametrize(("steps", "model", "rtl"), [
    (322, 27052, 27065), (331, 27079, 27089), (328, 27070, 27080), (330, 27076, 27086), (337, 27097, 27107),
    (321, 27049, 27059), (335, 27091, 27101), (329, 27073, 27083),
])  # fmt: skip
def test_tiles_of_gact(steps: int, model: int, rtl: int) -> None:
    """Steps and cycles of the tiles in the test of the design, of 320 bases each: its array alone, and its RTL."""
    assert cycles("gact", steps=steps, handshake="0 cycle", tiles=1) == model
    assert cycles("gact", steps=steps, tiles=1) == pytest.approx(rtl, rel=0.0005)


def test_a_query_that_does_not_fill_its_last_stripe() -> None:
    assert cycles("gact", reference=100, query=9, steps=0, tiles=3) == 10 + 6 + 3 * 106


def test_instructions_of_vta() -> None:
    """Each unit does its instructions in order, and waits for the tokens that they name."""
    units: dict[str, list[tuple[int, dict[str, int]]]] = defaultdict(list)
    fetched, program = 0, rows("program.csv")
    kinds = [(row["opcode"], row["subopcode"], row["tstype"]) for row in program]
    for number, row in enumerate(program):
        if number % 8 == 0:
            fetched += 21 + 2 * len(program[number : number + 8])
        numbers = {name: int(value) for name, value in row.items() if value.isdigit()}
        units[row["opcode"]].append((fetched, {**numbers, "number": number}))
    queues = {
        "load": {"pop_next": "consumed", "push_next": "loaded"},
        "compute": {"pop_prev": "loaded", "pop_next": "stored", "push_prev": "consumed", "push_next": "computed"},
        "store": {"pop_prev": "computed", "push_prev": "stored"},
    }
    tokens: dict[str, list[float]] = defaultdict(list)
    free = dict.fromkeys(units, 0.0)
    while any(units.values()):
        for unit, waiting in units.items():
            if not waiting:
                continue
            came, i = waiting[0]
            takes = [queue for flag, queue in queues[unit].items() if flag.startswith("pop") and i[flag]]
            if all(tokens[queue] for queue in takes):
                waiting.pop(0)
                start = max(came, free[unit], *(tokens[queue].pop(0) for queue in takes), 0)
                free[unit] = start + length(kinds[i["number"]], i)
                for flag, queue in queues[unit].items():
                    if flag.startswith("push") and i[flag]:
                        tokens[queue].append(free[unit])
    assert cycles("vta") == max(free.values())


def length(kind: tuple[str, str, str], i: dict[str, int]) -> float:
    opcode, work, data = kind
    size, runs = i["xsize"] * i["ysize"], (i["uop_end"] - i["uop_begin"]) * i["lp_0"] * i["lp_1"]
    lengths = {
        ("load", "tile"): 22 + size * (2 if data == "inp" else 32),
        ("store", "tile"): size * 27 / 8,
        ("compute", "gemm"): 6 + runs,
        ("compute", "alu"): 6 + runs * (2 - i["use_alu_imm"]),
        ("compute", "loadAcc"): 22 + 8 * size,
        ("compute", "loadUop"): 22 + i["xsize"] * (i["ysize"] + 2 - i["ysize"] % 2) / 2,
    }
    return lengths.get((opcode, work), 2)


Passing = list[tuple[int, int]]


def passed(packets: Passing, latency: int, more: int = 0) -> Passing:
    found, free = [], 0
    for came, words in packets:
        start = max(came, free)
        free = start + words + more
        found.append((start + latency, words))
    return found


def one_by_one(packets: Passing, takes: int) -> Passing:
    found, free = [], 0
    for came, words in packets:
        free = max(came, free) + takes
        found.append((free, words))
    return found


def test_packets_of_rmt() -> None:
    """Stage after stage, with no net: each packet in its order."""
    come = rows("packets.csv")
    filtered = passed(passed([(0, int(row["n_words"])) for row in come], 1), 1, 2)
    last = max(time for time, _ in filtered)
    data = [packet for packet, row in zip(filtered, come, strict=True) if row["is_data"] == "1"]
    parsers, parsed = [0, 0], []
    for number, (came, words) in enumerate(passed(passed(data, 1), 1)):
        start = max(came, parsers[number % 2])
        parsers[number % 2] = start + words - 1
        parsed.append((start + 7, words))
    for _ in range(5):
        parsed = passed(one_by_one(parsed, 15), 1)
    deparsers, arbiter = [0] * 4, 0
    for number, (came, words) in enumerate(parsed):
        deparsers[number % 4] = max(came, deparsers[number % 4]) + 6
        arbiter = max(arbiter, deparsers[number % 4]) + words + 2
    assert cycles("rmt") == max(arbiter, last)


def test_messages_of_the_serializer() -> None:
    """Fields in turn: a task is read, its fields are picked, fetched, handled by one of six, and written in order."""
    fields, units = rows("fields.csv"), [int(row["value"]) for row in rows("units.csv")]
    loader, walk, handlers, writer, number, unit = 16, 0, [0] * 6, 0, 0, 0
    for task in rows("tasks.csv"):
        loader += 10
        walk = max(walk, loader) if task["kind"] == "nonsubmessage" else walk
        for _ in range(int(task["control_range"])):
            many = int(fields[number]["num"])
            handled = max(walk + 10, handlers[number % 6]) + 10 + many
            walk += 1
            writer = max(writer, handled) + sum((size + 15) // 16 + 1 for size in units[unit : unit + many])
            handlers[number % 6], number, unit = writer, number + 1, unit + many
    assert (number, unit) == (len(fields), len(units))
    assert cycles("serializer") == max(writer, loader)


def test_the_rate_of_pcie_is_what_its_links_carry() -> None:
    """Four packets with data and two requests, for each of which a device has room when the one before is done with."""
    few, more = (cycles("pcie", transactions=count) for count in (10, 20))
    with_data, request = 43 + 405, 9 + 405
    assert (more - few) / 10 == 2 * (with_data + 90) + 2 * with_data + 2 * (request + 90)


@pytest.mark.slow
def test_the_published_cycles_of_pcie() -> None:
    assert cycles("pcie", transactions=300) == pytest.approx(897955, rel=0.005)
