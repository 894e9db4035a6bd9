"""An open trace, and how questions reach it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal, localcontext
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from . import _onca
from ._ask import Answer, ask, words_of
from ._errors import ClosedError, LimitError, OptionError, OptionValueError, TraceError
from ._info import Info
from ._lens import Lens

__all__ = ["Look", "Opened", "exactly", "failing", "lens_words", "time_word"]


class Look(NamedTuple):
    """What is looked at: a window, whose ends are words of the command line, through a lens."""

    start: str | None = None
    end: str | None = None
    lens: Lens = Lens()

    @property
    def is_whole(self) -> bool:
        """Is it all of the trace?"""
        return self.start is None and self.end is None

    @contextmanager
    def words(self) -> Iterator[list[str]]:
        """The words of a command for it, which hold while this lasts."""
        words = words_of({"from": self.start, "to": self.end})
        with lens_words(self.lens) as more:
            yield words + more


@contextmanager
def lens_words(lens: Lens) -> Iterator[list[str]]:
    """The words of a command for a lens. Commands read it from a file."""
    if lens.is_clear:
        yield []
        return
    # It takes a while to import, and often is not needed.
    import tempfile

    with tempfile.TemporaryDirectory(prefix="onca-") as folder:
        path = Path(folder, "lens")
        lens.save(path)
        try:
            yield [f"--lens={path}"]
        except TraceError as error:
            raise TraceError(error.message.replace(str(path), "the lens"), error.status, error.code) from None


class Opened:
    """A trace whose store is known. All windows and lenses of a trace share it."""

    def __init__(self, path: str, reading: Sequence[str]) -> None:
        if path == "-":
            raise TraceError(
                "standard input can be read only once: write it to a file, or index it with "
                '"onca index - -o FOLDER" and open the folder'
            )
        json = _asked(path, ["info", "--json", *reading, "--", path]).json()
        # The working folder may change later.
        self.store = str(Path(json["store"]["path"]).resolve())
        json["store"]["path"] = self.store
        self.path = path
        self.full_path = str(Path(path).resolve())
        self.info = Info(json)
        # A store stays as it was built; only what holds for each question is said again.
        kept = ("--memory=", "--threads=", "--unit=")
        self.reading = [word for word in reading if word.startswith(kept)]
        self._native: _onca.Store | None = None
        self._closed = False
        self._lock = Lock()

    def ask(self, command: str, words: Sequence[str], positional: Sequence[str] = ()) -> Answer:
        """Asks one question about the trace."""
        self.check()
        return _asked(self.path, [*command.split(), *self.reading, *words, "--", self.store, *positional])

    def native(self) -> _onca.Store:
        """Its store, opened when it is first needed."""
        with self._lock:
            self.check()
            if self._native is None:
                self._native = _onca.Store(self.store)
            return self._native

    def check(self) -> None:
        """Refuses questions about a closed trace."""
        if self._closed:
            raise ClosedError(f"{self.path}: the trace is closed")

    def close(self) -> None:
        """Ends all questions."""
        with self._lock:
            self._closed = True
            if self._native is not None:
                self._native.close()
                self._native = None


def _asked(path: str, words: Sequence[str]) -> Answer:
    """Asks, and names the trace where a message does not."""
    try:
        return ask(words)
    except (TraceError, LimitError) as error:
        if path in error.message:
            raise
        raise type(error)(f"{path}: {error.message}", error.status, error.code) from None


@contextmanager
def failing(path: str) -> Iterator[None]:
    """Failures of the native module as exceptions that say what and where."""
    try:
        yield
    except _onca.Failure as error:
        message = str(error)
        kind = ClosedError if isinstance(error, _onca.Closed) else TraceError
        raise kind(message if path in message else f"{path}: {message}") from None


def time_word(value: object) -> str:
    """An end of a window as a word of the command line."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise OptionError(f"{value!r} is no time; write a number, or a text such as '20ms' or '10%'")
    if value != value:
        raise OptionValueError(f"{value!r} is no time")
    return repr(value) if isinstance(value, float) else str(value)


def exactly(ticks: int, per_unit: int) -> str:
    """Ticks as a number in the unit of the trace, with more digits than a float has."""
    with localcontext() as context:
        context.prec = 40
        return format(Decimal(ticks) / Decimal(per_unit), "f")
