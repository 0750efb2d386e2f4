"""Files: those that cannot be read, and those that are not nets of this language."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "file-missing": Wording("there is no file `{path}`", "did you mean `{suggestion}`?"),
    "file-is-folder": Wording("`{path}` is a folder, not a net", "give one of the nets in it, such as {names:or}"),
    "file-unreadable": Wording("`{path}` cannot be read: {reason}"),
    "file-empty": Wording(
        "`{path}` declares nothing",
        "a net begins like this: `net name`, then places and transitions",
    ),
    "file-too-large": Wording(
        "`{path}` has {size}; a net may have at most {limit}",
        "write repetition as arrays (`place p[0..99]`) or instances (`instance m[i in 0..99] = M(i)`)",
    ),
    "file-binary": Wording("`{path}` is not text, but binary data", notes=("it looks like {kind}",)),
    "file-not-utf8": Wording(
        "`{path}` is not UTF-8 text",
        "save it as UTF-8",
        notes=("byte {byte} does not fit", "it looks like {encoding}"),
    ),
    "file-foreign": Wording(
        "`{path}` looks like a file of {tool}, not like a net of this language",
        notes=("several programs use the suffix `.net`; `{sign}` is how {tool} writes",),
    ),
}
