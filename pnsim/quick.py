"""`pnsim run NET` with its most common options, read without click, which takes longer to load than a small net to run.

Whatever else is on the command line, a mistake too, is for click: `pnsim.run` has all options and what they mean.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from petri.net import MOST_REPLICATIONS  # which each run loads anyway

FLAGS: Final = {"--quiet": "quiet", "-q": "quiet", "--all": "every", "--json": "as_json"}
VALUES: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    "--until": ("until", str),
    "--warmup": ("warmup", str),
    "--replications": ("replications", int),
    "-n": ("replications", int),
    "--seed": ("seed", int),
    "--report": ("report", str),
    "--set": ("settings", str),
}
LEAST: Final = {"replications": 1, "seed": 0}


def read(arguments: Sequence[str]) -> dict[str, Any] | None:
    """The net and the options of a command line without its first word; None for click."""
    found: dict[str, Any] = {"settings": ()}
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=") if argument.startswith("--") else (argument, "", "")
        if argument in FLAGS:
            found[FLAGS[argument]] = True
        elif name in VALUES:
            option, convert = VALUES[name]
            given = value if equals else next(rest, None)
            if given is None or (convert is int and not _is_count(given, LEAST[option])):
                return None
            found[option] = (*found["settings"], given) if option == "settings" else convert(given)
        elif argument.startswith("-") or "net" in found:
            return None
        else:
            found["net"] = argument
    return found if "net" in found else None


def _is_count(text: str, least: int) -> bool:
    return text.isascii() and text.isdigit() and least <= int(text) <= MOST_REPLICATIONS  # beyond, it may be too large


def run(options: dict[str, Any]) -> int:
    """Run the net. Returns the exit status, and raises what `failing.told` tells."""
    from . import failing as failing  # which is to be there before a run leaves no memory for it
    from . import running
    from .given import Given, read_pairs

    given = Given(read_pairs(options.pop("settings"), "set"))
    try:
        return running.run(given=given, **options)
    except (EOFError, KeyboardInterrupt) as error:
        print(file=sys.stderr)  # what is said of it begins below `^C`
        raise KeyboardInterrupt from error
