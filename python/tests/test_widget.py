"""The widget without a notebook: traits, and questions as a page asks them."""

from __future__ import annotations

import base64
import json
import threading
import zlib
from typing import Any

import pytest

pytest.importorskip("anywidget")
traitlets = pytest.importorskip("traitlets")

from onca._widget import View, _packed  # noqa: E402

BEGIN = 1_700_000_000_000_000_000
"""Ticks of a clock that counts from 1970: more than a page can tell exactly."""

PATIENCE = 30


class Page:
    """Answers as the native page does, when it is allowed to."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.asked: list[tuple[str, str, bytes]] = []

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
        self.asked.append((method, path, body))
        self.go.wait(PATIENCE)
        if path == "/bad":
            raise RuntimeError("the disk is gone")
        return 404 if path == "/none" else 200, "application/json", b"{}" + body

    def html(self) -> str:
        return "<p>"


class Shown(View):
    """A view that keeps what it sends."""

    def __init__(self, **traits: Any) -> None:
        self.sent: list[tuple[dict[str, Any], bytes]] = []
        self.came = threading.Semaphore(0)
        self.page = Page()
        super().__init__(self.page, BEGIN, **traits)

    def send(self, content: Any, buffers: Any = None) -> None:
        self.sent.append((content, bytes(buffers[0])))
        self.came.release()

    def ask(self, **content: Any) -> None:
        body = content.pop("body", None)
        self._received(self, {"kind": "ask", **content}, [memoryview(body)] if body else [])

    def answers(self, count: int) -> dict[str, tuple[dict[str, Any], bytes]]:
        for _ in range(count):
            assert self.came.acquire(timeout=PATIENCE)
        return {head["id"]: (head, body) for head, body in self.sent}


def test_windows_are_absolute_and_stay_exact() -> None:
    view = Shown()
    seen: list[Any] = []
    view.observe(lambda change: seen.append(change.new), "window")
    assert view.window is None
    view.window = [BEGIN + 1, BEGIN + 7]
    assert view._window == [1, 7]
    view._window = [2, 5]
    assert view.window == (BEGIN + 2, BEGIN + 5)
    view._window = None
    assert seen == [(BEGIN + 1, BEGIN + 7), (BEGIN + 2, BEGIN + 5), None]
    # What begins before the trace begins with it.
    view.window = (5, BEGIN + 9)
    assert view.window == (BEGIN, BEGIN + 9)


@pytest.mark.parametrize("wrong", [7, "ab", (1,), (5, 5), (7, 3), (1.5, 2), (1, 2, 3)])
def test_windows_that_are_none_are_refused(wrong: object) -> None:
    view = Shown(window=(BEGIN, BEGIN + 1))
    with pytest.raises(traitlets.TraitError, match=r"window|whole"):
        view.window = wrong
    assert view.window == (BEGIN, BEGIN + 1)


def test_a_selection_comes_as_it_was_set() -> None:
    view = Shown()
    whole = {
        "pick": "1152921504606846977",
        "at": BEGIN + 3,
        "span": 4,
        "nodes": [2, 3],
        "range": (BEGIN + 1, BEGIN + 2),
        "value": 0,
        "lasting": (5, 6),
    }
    view.selection = {**whole, "pick": 1152921504606846977}
    assert view.selection == whole
    told = view._selection
    assert told["at"] == 3
    assert told["range"] == {"from": 1, "to": 2}
    assert told["lasting"] == {"from": 5, "to": 6}
    view._selection = {**told, "value": None, "nodes": [], "range": None}
    assert view.selection == {name: whole[name] for name in ("pick", "at", "span", "lasting")}
    view._selection = None
    assert view.selection is None
    view.selection = {"pick": None}
    assert view.selection is None
    for wrong in ({"picks": "1"}, [], {"nodes": ["a"]}, {"range": (2, 1)}):
        with pytest.raises(traitlets.TraitError):
            view.selection = wrong


def test_questions_are_answered_beside_each_other() -> None:
    view = Shown()
    for number in range(3):
        view.ask(id=f"x.{number}", method="POST", path="/api", body=b"%d" % number)
    view.ask(id="x.3", kind="page")
    # The page itself waits for none of the others.
    assert view.answers(1)["x.3"][1] == b"<p>"
    view.page.go.set()
    answers = view.answers(3)
    for number in range(3):
        head, body = answers[f"x.{number}"]
        assert head == {
            "kind": "answer",
            "id": f"x.{number}",
            "status": 200,
            "type": "application/json",
        }
        assert body == b"{}%d" % number


def test_what_is_given_up_is_not_answered() -> None:
    view = Shown()
    for number in range(10):
        view.ask(id=f"x.{number}", method="GET", path="/api")
    for number in range(9):
        view._received(view, {"kind": "cancel", "id": f"x.{number}"}, [])
    view.page.go.set()
    assert list(view.answers(1)) == ["x.9"]
    # What had not begun was not asked at all.
    assert len(view.page.asked) <= 5


def test_failures_are_told_as_the_server_tells_them() -> None:
    view = Shown()
    view.page.go.set()
    view.ask(id="x.1", method="GET", path="/bad")
    view.ask(id="x.2", method="GET", path="/none")
    answers = view.answers(2)
    head, body = answers["x.1"]
    assert head["status"] == 500
    assert json.loads(body) == {
        "schema": "onca-error/1",
        "code": "fault",
        "message": "the disk is gone",
        "id": None,
    }
    assert answers["x.2"][0]["status"] == 404


def test_a_closed_view_answers_nothing_more() -> None:
    view = Shown()
    view.close()
    view.ask(id="x.1", method="GET", path="/api")
    assert view.page.asked == []


def test_a_lens_is_packed_as_addresses_have_it() -> None:
    text = '{"version": 1, "select": {"values": {"hide": ["é"]}}}'
    packed = _packed(text)
    assert packed.startswith("z.")
    assert not set(packed) & set("+/=")
    padded = packed[2:] + "=" * (-len(packed[2:]) % 4)
    assert zlib.decompress(base64.urlsafe_b64decode(padded), -15).decode() == text
