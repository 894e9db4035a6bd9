"""The page of a trace: in a notebook, or in the browser."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ._errors import need

if TYPE_CHECKING:
    from ._trace import Trace

__all__ = ["is_notebook", "view"]


def is_notebook() -> bool:
    """Does this run in a notebook, which can show a widget?"""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and hasattr(shell, "kernel"):
        return True
    marimo = sys.modules.get("marimo")
    return marimo is not None and bool(marimo.running_in_notebook())


def view(trace: Trace, height: int) -> Any:
    """The widget in a notebook; elsewhere the process that serves the page to the browser."""
    if not is_notebook():
        import subprocess

        words = [sys.executable, "-m", "onca", "view", "--", trace._opened.full_path]
        return subprocess.Popen(words, stdin=subprocess.DEVNULL)
    need("anywidget", "view() in a notebook")
    from ._widget import widget

    return widget(trace, height)
