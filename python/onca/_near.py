"""Names that are close to one that does not exist."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["near"]


def near(name: str, known: Sequence[str]) -> str:
    """The end of a message about a name: the nearest ones, or all."""
    # Only who errs waits for the import.
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=3)
    if close:
        return "; is it " + " or ".join(map(repr, close)) + "?"
    return "; there are " + ", ".join(known) if known else ""
