"""What every text goes through that people are shown: on a terminal, in a page, in a picture."""

from __future__ import annotations

import codecs
import unicodedata
from typing import Final

PLAIN: Final = "pnsim-plain-signs"
"""How text is encoded for a stream (`errors=`): what its encoding lacks becomes ASCII signs."""

PLAIN_SIGNS: Final = {
    "✓": "ok", "✗": "x", "±": "+-", "×": "x", "·": "*", "−": "-", "–": "-", "—": "-", "…": "...", "→": "->",
    "∞": "inf", "µ": "u", "μ": "u", "²": "^2", "½": "1/2", "≈": "~", "≠": "!=", "≤": "<=", "≥": ">=", "●": "o",
    "‘": "'", "’": "'", "“": '"', "”": '"', "─": "-", "━": "=",
    "▁": "_", "▂": ".", "▃": ":", "▄": "-", "▅": "=", "▆": "+", "▇": "*", "█": "#",
}  # fmt: skip


def visible(text: str, keep: str = "\n\t") -> str:
    """Return the text with each character that would not be seen, or would act on a terminal, replaced by a visible
    sign.

    ESC becomes `␛`, as do the other ASCII control characters except those in `keep`; C1 controls, bidirectional
    controls, other format characters, lone surrogates and code points without a character become `<U+202E>`. A byte of
    a file name that is not UTF-8 becomes `\\xff`. Spaces of any width stay. Visible text is returned unchanged.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in keep else _sign(character) for character in text
    )


def _sign(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xDC80 <= code <= 0xDCFF:  # as `os.fsdecode` represents the byte
        return f"\\x{code - 0xDC00:02x}"
    return character if unicodedata.category(character) == "Zs" else f"<U+{code:04X}>"


def plain_signs(error: UnicodeError) -> tuple[str, int]:
    """Return a handler for `codecs.register_error`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(PLAIN_SIGNS.get(sign, f"<U+{ord(sign):04X}>") for sign in missing), error.end


codecs.register_error(PLAIN, plain_signs)
