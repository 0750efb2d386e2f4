"""Why a run ended before its time, in words."""

from __future__ import annotations


def why_partial(ended: str | None, in_model: bool) -> str:
    """What comes after "it was".

    ended: how the first replication that is not whole did; None where it never began. in_model: an error was one of the
    model, not of a recording.
    """
    if ended == "error":
        return f"stopped by an error in {'the model' if in_model else 'a recording'}"
    return "interrupted" if ended in (None, "interrupted") else "stopped by a limit"
