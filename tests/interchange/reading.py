"""What the tests of all readers do: import a text, or see it refused."""

from __future__ import annotations

import pytest

from petri import interchange, language
from petri.diagnostics import LanguageError


def imported(text: str, name: str, wanted: str = "") -> str:
    """Return the net as text, which must be a net."""
    written = interchange.text_of(interchange.read_bytes(text.encode(), name, wanted))
    language.loads(written)
    return written


def findings(text: str, name: str, wanted: str = "") -> list[str]:
    return [one.id for one in interchange.read_bytes(text.encode(), name, wanted).findings]


def refused(text: str | bytes, name: str, wanted: str = "") -> str:
    """Return the id of the one error."""
    with pytest.raises(LanguageError) as error:
        interchange.text_of(interchange.read_bytes(text if isinstance(text, bytes) else text.encode(), name, wanted))
    (only,) = error.value.diagnostics
    assert only.message
    return only.id
