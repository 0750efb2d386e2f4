"""Writes the recordings that the accelerators of the library run by default, all of them made up here.

    python validation/write_accelerator_inputs.py

A program of VTA multiplies matrices in tiles, with two buffers for loads. Packets of RMT and messages of the serialiser
are random, of a fixed seed. The images of the JPEG decoder are not made here: `images.csv` has the numbers of
coefficients that are not 0 in 20 images that were drawn for this, coded with the usual tables, and decoded by the RTL.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Final

FOLDER: Final = Path(__file__).resolve().parents[1] / "nets" / "accelerators"
FIELDS: Final = "opcode subopcode tstype xsize ysize uop_begin uop_end lp_0 lp_1 use_alu_imm".split()
QUEUES: Final = ("pop_prev", "pop_next", "push_prev", "push_next")


def instruction(opcode: str, subopcode: str, *queues: str, **fields: int | str) -> str:
    values = {"tstype": "empty", **fields}
    return ",".join([opcode, subopcode, *(str(values.get(one, 0)) for one in FIELDS[2:]),
                     *(str(int(one in queues)) for one in QUEUES)])  # fmt: skip


def program(outputs: int = 6, depth: int = 4) -> list[str]:
    """Return a multiplication: each output is the sum of `depth` products of tiles, which are loaded in turn."""
    rows = [instruction("compute", "loadUop", xsize=1, ysize=3)]
    step = 0
    for output in range(outputs):
        wait = ["pop_next"] if output > 1 else []
        rows.append(instruction("compute", "loadAcc", *wait, xsize=16, ysize=1 + output % 2))
        for _ in range(depth):
            room = ["pop_next"] if step > 1 else []
            rows.append(instruction("load", "tile", *room, tstype="inp", xsize=16, ysize=2))
            rows.append(instruction("load", "tile", "push_next", tstype="wgt", xsize=4, ysize=1 + step % 3))
            rows.append(instruction("compute", "gemm", "pop_prev", "push_prev", uop_end=2, lp_0=16, lp_1=4))
            step += 1
        rows.append(instruction("compute", "alu", "push_next", uop_end=1, lp_0=16, lp_1=8, use_alu_imm=output % 2))
        rows.append(instruction("store", "tile", "pop_prev", "push_prev", xsize=16, ysize=4))
    return [",".join([*FIELDS, *QUEUES]), *rows, instruction("store", "sync")]


def packets(random: Random) -> list[str]:
    rows = ["n_words,is_control,is_data,is_drop"]
    for _ in range(200):
        kind = random.choices((0, 1, 2), (1, 8, 1))[0]
        rows.append(f"{random.choice((1, 2, 3, 9, 24))},{int(kind == 0)},{int(kind == 1)},{int(kind == 2)}")
    return rows


def messages(random: Random, count: int = 12) -> tuple[list[str], list[str], list[str]]:
    tasks, fields, units = ["kind,control_range"], ["kind,num"], ["value"]
    for _ in range(count):
        for inner in range(random.randint(1, 4)):
            here = random.randint(1, 9)
            tasks.append(f"nonsubmessage,{here + 1}")
            for _ in range(here):
                kind, most = random.choice((("scalar", 10), ("nonscalar", 900)))
                number = random.choice((1, 1, 1, 3)) if kind == "scalar" else 1
                fields.append(f"{kind},{number}")
                units.extend(str(random.randint(1, most)) for _ in range(number))
            fields.append("end_of_message,1" if inner else "end_of_top,1")
            units.append("1")
            if inner:
                tasks.append("submessage,0")
    return tasks, fields, units


def main() -> None:
    tasks, fields, units = messages(Random(2021))
    files = {"program": program(), "packets": packets(Random(2022)), "tasks": tasks, "fields": fields, "units": units}
    for name, rows in files.items():
        (FOLDER / f"{name}.csv").write_text("\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    main()
