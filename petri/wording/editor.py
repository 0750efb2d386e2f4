"""What an editor cannot do for a net, and why."""

from __future__ import annotations

from petri.wording.entry import Wording

WORDING: dict[str, Wording] = {
    "lsp-missing": Wording(
        "the language server needs the package `pygls`, which is not installed",
        "install it: `pip install 'pnsim[lsp]'`",
    ),
    "rename-nothing": Wording("there is no name here that can be renamed", "put the cursor on a name of the net"),
    "rename-not-a-name": Wording(
        "`{name}` is not a name", "a name is one word of letters, digits and `_`, and starts with a letter"
    ),
    "rename-library": Wording(
        "`{name}` is declared in the library, in `{path}`",
        "to change it, copy the file into the folder of your net and import it from there",
    ),
    "rename-breaks": Wording(
        "with the name `{name}` the net would be wrong: {message}",
        "choose another name",
        notes=("it would be in `{path}`, line {line}",),
    ),
    "rename-changes-meaning": Wording(
        "with the name `{name}` another declaration would be meant in `{path}`", "choose another name"
    ),
}
