"""Draws the figures of each study on which its models may be fitted, and write their roles into the experiments.

    python validation/draw_fitting_sets.py          # shows how many are drawn, and what differs from the files
    python validation/draw_fitting_sets.py --write  # writes the roles

`petri/validation/draw.py` has the rule, and the seed is in each study's study.yaml. The draw was made before any
constant was fitted on it.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from petri.atomic_file import write_text
from petri.experiment import Experiment
from petri.validation.draw import drawn_roles
from petri.validation.study import read_study
from petri.validation.suite import experiments, folders

HERE: Final = Path(__file__).resolve().parent
ROLE: Final = re.compile(r", role: \w+")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the roles into the experiments")
    chosen = parser.parse_args()
    for name, folder in folders(HERE).items():
        fitting = read_study(folder).fitting
        if fitting is None:
            continue
        files = experiments(folder)
        roles = drawn_roles(files, fitting)
        counts = Counter(role or "predicted" for role in roles.values())
        print(f"{name}: " + ", ".join(f"{count} {role}" for role, count in sorted(counts.items())))
        for one, path in files.items():
            own = {place: role for (experiment, place), role in roles.items() if experiment == one}
            stated = [expected.role for expected in Experiment.load(path).expected]
            differing = [place for place, role in own.items() if role != stated[place]]
            print(f"  {one}: {len(differing)} of {len(own)} differ" if differing else f"  {one}: as drawn")
            if chosen.write and differing:
                write_roles(path, own)


def write_roles(path: Path, roles: Mapping[int, str]) -> None:
    """Set each expected value on a line of its own, `- {…}`."""
    lines = path.read_text("utf-8").splitlines()
    first = lines.index("expected:") + 1
    for place, role in roles.items():
        bare = ROLE.sub("", lines[first + place])
        if not bare.endswith("}"):
            raise SystemExit(f"{path}: the role has no place in `{bare.strip()}`, which does not end with a brace")
        before, comma, predicted = bare.removesuffix("}").partition(", predicted: ")
        lines[first + place] = before + (f", role: {role}" if role else "") + comma + predicted + "}"
    write_text(path, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
