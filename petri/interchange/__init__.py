"""Nets of other tools: read into one model, `foreign.Foreign`, and written as text of the language.

    text = interchange.text_of(interchange.read("model.pnml"))

Each format has a reader of its own, which is imported when a file of that format is read. A file that cannot be said in
the language raises LanguageError, at its place in the file; what is said otherwise than in the file is a warning of
`Foreign.findings`. `docs/interchange.md` says what is read.
"""

from petri.interchange.formats import FORMATS, Format, is_foreign, is_unreadable, read, read_bytes, recognised
from petri.interchange.writing import text_of

__all__ = ["FORMATS", "Format", "is_foreign", "is_unreadable", "read", "read_bytes", "recognised", "text_of"]
