"""Why a run ended early, in words."""

from __future__ import annotations


def why_partial(ended: str | None, in_model: bool) -> str:
    """The end of a sentence that starts with "it was".

    ended: how the first incomplete replication ended; None if it never started. in_model: the error was in the model,
    not in a recording.
    """
    if ended == "error":
        return f"stopped by an error in {'the model' if in_model else 'a recording'}"
    return "interrupted" if ended in (None, "interrupted") else "stopped by a limit"
