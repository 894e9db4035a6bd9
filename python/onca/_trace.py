"""A trace: open it, choose a window, look through a lens, ask."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from . import _onca
from ._ask import Json, words_of
from ._compare import Comparison, compare
from ._cube import Cube
from ._entities import Entities, Narrowing
from ._errors import OncaError, OptionError
from ._findings import CriticalPath, Findings, Waits
from ._info import Info, Problem, Window
from ._lens import Chain, Lens
from ._opened import Look, Opened, exactly, failing, time_word
from ._picture import Picture, Report, bundle, check_view
from ._questions import Questions
from ._table import Table
from ._view import view

__all__ = ["Trace", "open"]


def open(
    path: str | os.PathLike[str],
    *,
    strict: bool = False,
    memory: str | None = None,
    threads: int | None = None,
    unit: str | None = None,
    repair: str | None = None,
) -> Trace:
    """Opens a trace in any format that Onca reads, or a store. The first time it is indexed.

    `strict` stops at the first problem, `memory` is what a question may take (`"2G"`), `unit` is the unit of
    times where the trace does not tell it, and `repair="links"` mends what it does not tell.

    >>> trace = onca.open("run.paje")
    >>> trace.lost, trace.problems
    """
    reading: Json = {"strict": strict, "memory": memory, "threads": threads, "unit": unit}
    words = words_of(reading | {"repair": repair})
    return Trace(Opened(os.fsdecode(path), words), Look())


class Trace(Chain["Trace"], Questions):
    """A trace, or what is seen of it in a window and through a lens.

    Every question is about the window and the lens, and is answered from the whole trace, never from a sample.
    A trace does not change: a window or a lens makes another one, which shares everything with it.

    >>> trace = onca.open("run.paje")
    >>> part = trace["20%":"30%"].containers("cluster-2/**").hide("MPI_Init")
    >>> part.slice(level="Machine").to_pandas()
    >>> part.render("timeline").save("part.svg")
    """

    __slots__ = ("_look", "_opened", "_window")

    def __init__(self, opened: Opened, look: Look) -> None:
        self._opened = opened
        self._look = look
        # Known when it was asked for.
        self._window: Window | None = None

    # What it is

    @property
    def path(self) -> str:
        """The trace as it was named."""
        return self._opened.path

    @property
    def store(self) -> str:
        """The folder of its store, which every command takes instead of the trace."""
        return self._opened.store

    def info(self) -> Info:
        """What is in the whole trace."""
        self._opened.check()
        return self._opened.info

    @property
    def counts(self) -> dict[str, int]:
        """How many containers, states, links, events and variables the whole trace has."""
        return self.info().counts

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the trace, each kind once."""
        return self.info().problems

    @property
    def lost(self) -> int:
        """How many records of the trace were lost."""
        return self.info().lost

    @property
    def unit(self) -> str:
        """The unit of its times."""
        return self.info().unit

    @property
    def lens(self) -> Lens:
        """The lens that it is seen through."""
        return self._look.lens

    @property
    def is_whole(self) -> bool:
        """Is all of the trace seen, without a window and without a lens?"""
        return self._look.is_whole and self.lens.is_clear

    @property
    def window(self) -> Window:
        """The window, in units and in ticks."""
        info = self.info()
        if self._look.is_whole:
            return info.window
        if self._window is None:
            # The smallest question about it: the window does not depend on the lens.
            words = words_of({"from": self._look.start, "to": self._look.end})
            asked = words_of({"depth": 0, "by": "events"})
            self._window = Window.of(self._opened.ask("slice", ["--json", *asked, *words]).json())
        return self._window

    @property
    def duration(self) -> float:
        """How long the window is, in units."""
        return self.window.duration

    @property
    def duration_ticks(self) -> int:
        """How long the window is, in ticks."""
        return self.window.duration_ticks

    # Windows and lenses

    def __getitem__(self, key: slice | Window) -> Trace:
        """The trace in a window. Its ends are numbers in the unit of the trace, or texts such as `"20ms"` or
        `"10%"`; an end that is left out stays as it is. Times are always those of the whole trace.

        >>> trace[2.0:3.5], trace["20ms":], trace[:"10%"], trace[finding.window]
        """
        if isinstance(key, Window):
            per_unit = self.info().ticks_per_unit
            first, last = exactly(key.start_ticks, per_unit), exactly(key.end_ticks, per_unit)
            return self._seen(Look(first, last, self.lens))
        if not isinstance(key, slice) or key.step is not None:
            raise OptionError('a window is written as trace[2.0:3.5] or trace["20ms":"10%"]')
        start = self._look.start if key.start is None else time_word(key.start)
        end = self._look.end if key.stop is None else time_word(key.stop)
        return self._seen(Look(start, end, self.lens))

    def with_lens(self, lens: Lens | Mapping[str, Any] | str | os.PathLike[str]) -> Trace:
        """The trace through a lens: one that was made, the JSON of one, or a file."""
        if isinstance(lens, (str, os.PathLike)):
            lens = Lens.load(lens)
        made = lens if isinstance(lens, Lens) else Lens(lens)
        return self._lensed(lambda _: made)

    def _lensed(self, change: Callable[[Lens], Lens]) -> Trace:
        return self._seen(Look(self._look.start, self._look.end, change(self.lens)))

    def _seen(self, look: Look) -> Trace:
        return Trace(self._opened, look)

    # Questions

    def _each(self, question: Callable[[Trace], Table]) -> Table:
        return question(self)

    def _json(self, command: str, options: Mapping[str, object], positional: Sequence[str] = ()) -> Json:
        return self._bytes(command, ["--json", *words_of(options)], positional)[1]

    def _bytes(self, command: str, words: Sequence[str], positional: Sequence[str] = ()) -> tuple[bytes, Json]:
        with self._look.words() as seen:
            answer = self._opened.ask(command, [*words, *seen], positional)
        return answer.out, answer.json() if "--json" in words else {}

    def findings(self, top: int | None = None, **options: object) -> Findings:
        """What costs time: where, when, why and how much, the most costly first: `onca findings`.

        >>> for finding in trace.findings(top=3): print(finding.text)
        """
        return Findings(self._json("findings", {"top": top} | options))

    def waits(self, **options: object) -> Waits:
        """Who waits for whom, and why: `onca waits`. `level="Machine"`, `slices=20`.

        >>> trace.waits().top(10)
        """
        return Waits(self._json("waits", options))

    def critical_path(self, **options: object) -> CriticalPath:
        """The chain of activities that makes the run as long as it is.

        >>> trace.critical_path().by("value")
        """
        return self.waits(**options).critical_path

    def compare(self, other: Trace, **options: Any) -> Comparison:
        """Why another run is longer than this one, or shorter: `onca.compare(self, other)`."""
        return compare(self, other, **options)

    def cube(self, slices: int = 1, *, level: str | None = None, depth: int | None = None) -> Cube:
        """The exclusive time of each node in each value and slice, as an array that is not copied.

        >>> trace.cube(slices=500, level="Process").ticks.sum(axis=0)
        """
        native, (start, end) = self._native(), self._ticks()
        with failing(self.path):
            return Cube(native.cube(self._lens_text(), start, end, slices, level, depth))

    def export(self, output: str | os.PathLike[str], **options: object) -> Json:
        """Writes what is seen of the trace in another format, and tells what was written: `onca export`.

        >>> trace["10%":"20%"].export("part.paje")["states"]
        >>> trace.export("tables", format="parquet")
        """
        return self._json("export", {"output": os.fsdecode(output)} | options)

    # Tables of entities

    @property
    def states(self) -> Entities:
        """The states, as a table that is read when somebody asks for it."""
        return Entities(self, "states")

    @property
    def links(self) -> Entities:
        """The links."""
        return Entities(self, "links")

    @property
    def events(self) -> Entities:
        """The events."""
        return Entities(self, "events")

    @property
    def variables(self) -> Entities:
        """The intervals of variables."""
        return Entities(self, "variables")

    @property
    def containers(self) -> Narrowing:
        """The containers. Called, it makes a lens: `trace.containers("cluster-2/**")` sees only these."""
        return Narrowing(self, "containers")

    @property
    def types(self) -> Narrowing:
        """The types. Called, it makes a lens: `trace.types("STATE")` sees only these."""
        return Narrowing(self, "types")

    @property
    def type_values(self) -> Entities:
        """What states, links and events of each type can be."""
        return Entities(self, "type_values")

    @property
    def diagnostics(self) -> Entities:
        """The problems that reading found."""
        return Entities(self, "diagnostics")

    def _native(self) -> _onca.Store:
        with failing(self.path):
            return self._opened.native()

    def _scan(self, table: str, columns: list[str] | None) -> _onca.Stream:
        native, (start, end) = self._native(), self._ticks()
        with failing(self.path):
            return native.scan(table, self._lens_text(), start, end, columns)

    def _ticks(self) -> tuple[int | None, int | None]:
        if self._look.is_whole:
            return None, None
        window = self.window
        return window.start_ticks, window.end_ticks

    def _lens_text(self) -> str | None:
        return None if self.lens.is_clear else self.lens.text

    # Pictures

    def render(self, view: str = "timeline", **options: object) -> Picture:
        """A picture of what is seen: the bytes of `onca render`. A notebook shows it.

        The views are those of docs/figures.md: `timeline`, `treemap`, `overview`, `commgram`, `matrix`, `pie`,
        `bars`, `histogram`, `durations`, `concurrency`, `traffic`, `efficiency`, `flame`, `graph`, `topology`, ...

        >>> trace.render("timeline", level="Machine", width="180mm").save("timeline.pdf")
        """
        check_view(view)
        words = words_of(options)

        def draw(format: str) -> bytes:
            return self._bytes(f"render {view}", [*words, "--output=-", f"--format={format}"])[0]

        return Picture(view, self.path, draw)

    def report(self, what: str = "page") -> Report:
        """Everything about the trace as one page of HTML, or with `"findings"` what costs time."""
        return Report(self.path, self._bytes(f"render {what}", ["--output=-"])[0])

    def view(self, height: int = 600) -> Any:
        """The page of the trace: in the cell of a notebook, or else in the browser.

        In a notebook the answer is a widget, whose `window` and `selection` follow the page and lead it.
        Elsewhere it is the process that serves the page until it is terminated: `trace.view().wait()` waits for
        that, and Ctrl-C ends both.
        """
        self._opened.check()
        return view(self, height)

    def __repr__(self) -> str:
        window = ""
        if not self._look.is_whole:
            window = f"\n  from {self._look.start or 'the start'} to {self._look.end or 'the end'}"
        lens = "" if self.lens.is_clear else f"\n  through {self.lens!r}"
        return f"{self._opened.info!r}{window}{lens}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            return bundle(self.render("timeline"), repr(self))
        except OncaError as error:
            return {"text/plain": f"{self!r}\n{error}"}

    # Its end

    def close(self) -> None:
        """Ends all questions about the trace, in all its windows and lenses."""
        self._opened.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
