"""Files: those that cannot be read, and those that are not nets of this language."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "file-missing": Wording("there is no file `{path}`", "did you mean `{suggestion}`?"),
    "file-is-folder": Wording("`{path}` is a folder, not a net", "give one of the `.net` files in it: {names:or}"),
    "file-unreadable": Wording("`{path}` cannot be read: {reason}"),
    "file-empty": Wording(
        "`{path}` is empty",
        "the smallest net is: net tiny   place p = token   transition t: p -> p takes 1   run until 10",
    ),
    "file-too-large": Wording(
        "`{path}` has {size}; a net may have at most {limit}",
        "write repetition as arrays (`place p[0..99]`) or instances (`instance m[i in 0..99] = M(i)`)",
    ),
    "file-binary": Wording("`{path}` is not text: it has zero bytes", "is it {kind}?"),
    "file-not-utf8": Wording(
        "`{path}` is not UTF-8 text: byte {offset} ({byte}) does not fit",
        "save it as UTF-8{encoding}",
    ),
    "file-foreign": Wording(
        "`{path}` looks like a net of {tool}, not of pnsim",
        "the suffix `.net` is shared by several programs; {tool} begins its files with {sign}",
    ),
}
