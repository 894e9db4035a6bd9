"""Pictures: the bytes of `onca render`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import _onca
from ._errors import OptionValueError

__all__ = ["Picture", "Report", "bundle", "check_view"]

_FORMATS = ("svg", "png", "pdf")

Draw = Callable[[str], bytes]


class Picture:
    """A view of a trace as a picture, drawn when it is first needed. A notebook shows it.

    >>> picture = trace.render("timeline", level="Machine", width="180mm")
    >>> picture.save("timeline.pdf")
    >>> picture.svg[:4]
    b'<svg'
    """

    def __init__(self, view: str, of: str, draw: Draw) -> None:
        self.view = view
        self._of = of
        self._draw = draw
        self._drawn: dict[str, bytes] = {}

    def data(self, format: str) -> bytes:
        """The picture as `svg`, `png` or `pdf`."""
        if format not in _FORMATS:
            raise OptionValueError(f"{format!r} is no format; there are {', '.join(_FORMATS)}")
        if format not in self._drawn:
            self._drawn[format] = self._draw(format)
        return self._drawn[format]

    @property
    def svg(self) -> bytes:
        """The picture as SVG."""
        return self.data("svg")

    @property
    def png(self) -> bytes:
        """The picture as PNG."""
        return self.data("png")

    @property
    def pdf(self) -> bytes:
        """The picture as PDF."""
        return self.data("pdf")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file whose name ends in .svg, .png or .pdf."""
        file = Path(path)
        file.write_bytes(self.data(file.suffix.lower().removeprefix(".")))

    def __repr__(self) -> str:
        return f"<{self.view} of {self._of}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return bundle(self, repr(self))


class Report:
    """A page of HTML that needs nothing else.

    >>> trace.report().save("report.html")
    """

    def __init__(self, of: str, html: bytes) -> None:
        self._of = of
        self.html = html

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        Path(path).write_bytes(self.html)

    def __repr__(self) -> str:
        return f"<report of {self._of}>"


def bundle(picture: Picture, text: str) -> dict[str, str]:
    """What a notebook shows and keeps: a picture, and text for who shows none."""
    return {"image/svg+xml": picture.svg.decode(), "text/plain": text}


def check_view(view: str, *, of_two: bool = False) -> None:
    """Refuses a view that there is not when it is named, not when somebody looks at its picture."""
    known = [name.removeprefix("compare-") if of_two else name for name in _onca.views(of_two)]
    if view not in known:
        raise OptionValueError(f"there is no view {view!r}; there are {', '.join(known)}")
