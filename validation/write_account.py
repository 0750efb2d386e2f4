"""Writes the account of the studies into docs/validation.md, as `pnsim validate all` prints it.

    python validation/write_account.py                          # the five papers, results of validation-results
    python validation/write_account.py --stores FOLDER shaping  # these studies

Replications that the stores lack are run.
"""

from __future__ import annotations

import argparse
import io
import re
from pathlib import Path
from typing import Final

from rich.console import Console

from petri.atomic_file import write_text
from petri.validation import folders, run_folder
from petri.validation.study import read_study
from pnsim.commands.validate import print_account

HERE: Final = Path(__file__).resolve().parent
PAGE: Final = HERE.parent / "docs" / "validation.md"
BLOCK: Final = re.compile(r"(<!-- account -->\n).*?(<!-- end of the account -->)", re.DOTALL)
WIDTH: Final = 120


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="STUDY", help="default: those with a fitting set")
    parser.add_argument("--stores", default="validation-results", type=Path, help="the folder of the results")
    chosen = parser.parse_args()
    known = folders(HERE)
    validations = []
    papers = [name for name, folder in known.items() if read_study(folder).fitting]
    for name in chosen.names or papers:
        (chosen.stores / name).mkdir(parents=True, exist_ok=True)
        validations.append(run_folder(known[name], chosen.stores / name, name=name))
    written = io.StringIO()
    print_account(validations, Console(file=written, width=WIDTH))
    lines = "\n".join(line.rstrip() for line in written.getvalue().strip("\n").split("\n"))
    text = PAGE.read_text("utf-8")
    write_text(PAGE, BLOCK.sub(lambda found: f"{found[1]}```\n{lines}\n```\n{found[2]}", text))


if __name__ == "__main__":
    main()
