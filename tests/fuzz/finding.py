"""What a case has shown."""

from __future__ import annotations


class Finding(Exception):
    """A fault of pnsim. Equal texts are one fault: cases are made smaller while the text stays the same."""
