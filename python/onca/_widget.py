"""The page of `onca view` in a cell of a notebook.

The page asks by messages of the notebook, and the native module answers in this process: no port is
opened and no token is needed, so it works wherever the notebook does.
"""

from __future__ import annotations

import base64
import json
import operator
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import MissingPackage
from ._opened import failing

try:
    import anywidget
    import traitlets
except ModuleNotFoundError as error:
    raise MissingPackage("anywidget", "a trace in a notebook cell") from error

if TYPE_CHECKING:
    from ._onca import Page
    from ._trace import Trace

__all__ = ["View", "widget"]

HEIGHT = 600
"""Pixels: enough for rows, the inspector and the panels at the foot."""

_THREADS = 4
"""Questions that are answered at the same time; the kernel stays free meanwhile."""

_PARTS = ("pick", "at", "span", "nodes", "range", "value", "lasting")


class View(anywidget.AnyWidget):
    """A trace in a notebook cell. What is seen and what is picked can be read, watched and set.

    `window` is the time that is seen: the first tick and the one after the last, both absolute as in
    all tables, or None for the whole trace. A window that reaches beyond the trace is moved into it.

    `selection` is what is selected: None, or a dictionary with some of

    * `pick`: the number of what was clicked, as text
    * `at`, `span`: the absolute tick at which it was clicked, and how many ticks a pixel had
    * `nodes`: the numbers of the selected rows
    * `range`: the window that was selected by dragging with Shift
    * `value`: the number of a value, as of the legend
    * `lasting`: durations of states of that value, from and to, in ticks

    `height` is that of the cell in pixels.

    The wheel zooms once the picture was clicked, and with Ctrl at any time; before that it scrolls the
    notebook. Escape selects nothing, and once more gives the keys back to the notebook.

    >>> view = trace.view()
    >>> view.window = (1_000_000, 2_000_000)
    >>> view.observe(print, "selection")
    """

    _esm = Path(__file__).parent / "_widget.js"

    height = traitlets.Int(HEIGHT, min=1).tag(sync=True)
    window = traitlets.Any(None, allow_none=True)
    selection = traitlets.Any(None, allow_none=True)
    # How the page begins, besides: a part of an address.
    _fragment = traitlets.Unicode("").tag(sync=True)
    # As the page has them: times count from the begin of the trace, so that they stay exact there.
    _window: Any = traitlets.List(traitlets.Int(), default_value=None, allow_none=True).tag(sync=True)
    _selection: Any = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)

    def __init__(self, page: Page, begin_ticks: int, **traits: Any) -> None:
        self._page = page
        self._begin = begin_ticks
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="onca-view")
        self._asked: set[str] = set()
        super().__init__(**traits)
        self.on_msg(self._received)

    def close(self) -> None:
        """Takes the page out of the notebook."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        super().close()

    @traitlets.validate("window")
    def _check_window(self, proposal: Any) -> tuple[int, int] | None:
        return None if proposal.value is None else self._window_of("window", proposal.value)

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Any) -> dict[str, Any] | None:
        value = proposal.value
        if value is None:
            return None
        if not isinstance(value, Mapping) or any(name not in _PARTS for name in value):
            raise traitlets.TraitError(f"selection is a dictionary of {', '.join(_PARTS)}, or None")
        parts = {name: self._part(name, part) for name, part in value.items() if part is not None}
        return parts or None

    def _part(self, name: str, part: Any) -> Any:
        """A part of a selection in the form in which it is always told."""
        if name == "pick":
            return str(part)
        if name == "nodes":
            return [_whole(name, node) for node in part]
        if name == "range":
            return self._window_of(name, part)
        if name == "lasting":
            return _two(name, part)
        return max(_whole(name, part), self._begin) if name == "at" else _whole(name, part)

    def _window_of(self, name: str, value: Any) -> tuple[int, int]:
        first, last = _two(name, value)
        first = max(first, self._begin)
        return first, max(last, first + 1)

    @traitlets.observe("window")
    def _window_was_set(self, change: Any) -> None:
        self._window = None if change.new is None else [tick - self._begin for tick in change.new]

    @traitlets.observe("_window")
    def _window_was_told(self, change: Any) -> None:
        told = change.new
        self.window = None if told is None else tuple(tick + self._begin for tick in told)

    @traitlets.observe("selection")
    def _selection_was_set(self, change: Any) -> None:
        if change.new is None:
            self._selection = None
            return
        told = {**dict.fromkeys(_PARTS), "nodes": [], **change.new}
        if told["at"] is not None:
            told["at"] -= self._begin
        for name, begin in (("range", self._begin), ("lasting", 0)):
            if told[name] is not None:
                first, last = told[name]
                told[name] = {"from": first - begin, "to": last - begin}
        self._selection = told

    @traitlets.observe("_selection")
    def _selection_was_told(self, change: Any) -> None:
        if change.new is None:
            self.selection = None
            return
        told = {name: part for name, part in change.new.items() if part not in (None, [])}
        if "at" in told:
            told["at"] += self._begin
        for name, begin in (("range", self._begin), ("lasting", 0)):
            if name in told:
                told[name] = (told[name]["from"] + begin, told[name]["to"] + begin)
        self.selection = told

    def _received(self, _: Any, content: Mapping[str, Any], buffers: Sequence[Any]) -> None:
        """A message of the page has come."""
        number = content.get("id")
        if not isinstance(number, str) or self.comm is None:
            return
        if content.get("kind") == "cancel":
            self._asked.discard(number)
            return
        body = bytes(buffers[0]) if buffers else b""
        self._asked.add(number)
        self._pool.submit(self._answer, number, content, body)

    def _answer(self, number: str, content: Mapping[str, Any], body: bytes) -> None:
        """Answers a question, on a thread of the pool, unless it was given up."""
        if number not in self._asked:
            return
        try:
            if content.get("kind") == "page":
                status, kind, answer = 200, "text/html", self._page.html().encode()
            else:
                method, path = str(content.get("method")), str(content.get("path"))
                status, kind, answer = self._page.answer(method, path, body)
        except Exception as error:
            status, kind, answer = 500, "application/json", _fault(error)
        if number in self._asked:
            self._asked.discard(number)
            head = {"kind": "answer", "id": number, "status": status, "type": kind}
            self.send(head, [answer])


def widget(trace: Trace, height: int = HEIGHT) -> View:
    """What is seen of a trace, for a notebook cell of so many pixels: it begins with its window and lens."""
    from ._onca import Page

    begin = trace.info().window.start_ticks
    with failing(trace.path):
        page = Page(trace.store)
    fragment = "" if trace.lens.is_clear else f"lens={_packed(trace.lens.text)}"
    view = View(page, begin, height=height, _fragment=fragment)
    if trace.window != trace.info().window:
        view.window = (trace.window.start_ticks, trace.window.end_ticks)
    return view


def _packed(lens: str) -> str:
    """A lens as it stands in addresses of the page."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = packer.compress(lens.encode()) + packer.flush()
    return "z." + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _fault(error: Exception) -> bytes:
    """What the page is told of a failure, as `onca view` tells it: docs/http-api.md."""
    message = str(error) or type(error).__name__
    told = {"schema": "onca-error/1", "code": "fault", "message": message, "id": None}
    return json.dumps(told).encode()


def _whole(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise traitlets.TraitError(f"{name} is a whole number, not {value!r}") from None


def _two(name: str, value: Any) -> tuple[int, int]:
    """Two ticks, the first before the second."""
    try:
        first, last = value
    except (TypeError, ValueError):
        raise traitlets.TraitError(f"{name} is two numbers of ticks, not {value!r}") from None
    first, last = _whole(name, first), _whole(name, last)
    if first >= last:
        raise traitlets.TraitError(f"{name} ends at {last}, which is not after its begin {first}")
    return first, last
