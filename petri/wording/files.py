"""Files that cannot be read, or that are not nets of this language."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "file-missing": Wording("there is no file `{path}`", "did you mean `{suggestion}`?"),
    "file-is-folder": Wording("`{path}` is a folder, not a net", "name one of the nets in it, such as {names:or}"),
    "file-unreadable": Wording("`{path}` cannot be read: {reason}"),
    "file-empty": Wording(
        "`{path}` declares nothing",
        "a net starts with `net name`, followed by places and transitions",
    ),
    "file-too-large": Wording(
        "`{path}` has {size}; a net may have at most {limit}",
        "write repetition as arrays (`place p[0..99]`) or instances (`instance m[i in 0..99] = M(i)`)",
    ),
    "file-binary": Wording("`{path}` is binary data, not text", notes=("it looks like {kind}",)),
    "file-not-utf8": Wording(
        "`{path}` is not UTF-8 text",
        "save it as UTF-8",
        notes=("byte {byte} is not valid UTF-8", "it looks like {encoding}"),
    ),
    "file-foreign": Wording(
        "`{path}` looks like a file of {tool}, not a net of this language",
        "pnsim reads only nets in its own language; docs/tutorial.md writes one step by step",
        notes=("`{sign}` is typical of {tool}",),
    ),
}
