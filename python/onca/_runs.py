"""Many traces as one: each question is asked of all of them."""

from __future__ import annotations

import glob
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, overload

from ._compare import scaling
from ._errors import LostWarning, OncaError, OptionError, TraceError
from ._lens import Chain, Lens
from ._questions import Questions
from ._table import Column, Table, kind_of
from ._trace import Trace, open

__all__ = ["Broken", "Run", "Runs", "open_all"]

Labels = str | Callable[[str], Mapping[str, Any]]


class Run(NamedTuple):
    """One of several traces, with what tells it from the others."""

    name: str
    labels: dict[str, Any]
    trace: Trace


class Broken(NamedTuple):
    """A trace that could not be opened, and why."""

    name: str
    error: OncaError


def open_all(
    paths: str | Iterable[str | os.PathLike[str]],
    labels: Labels | None = None,
    **reading: Any,
) -> Runs:
    """Opens many traces: those that a pattern such as `"runs/**/*.paje"` finds, or these.

    `labels` tells them apart: an expression whose groups are found in the path, or a function that makes a
    dictionary of the path. A group has the name that it is given, or that of the word before it: `"size=(\\d+)"`
    and `"size=(?P<size>\\d+)"` mean the same. Labels that all are numbers become numbers.

    A trace that cannot be opened is warned of, and told by `broken`.

    >>> runs = onca.open_all("runs/*.paje", labels="size=(\\\\d+)")
    >>> polars.DataFrame(runs.efficiency()).group_by("size").agg(polars.col("parallel").mean())
    """
    pattern = paths if isinstance(paths, str) else None
    found = _found(paths)
    told = _numbers([_labels(labels, path) for path in found])
    runs: list[Run] = []
    broken: list[Broken] = []
    for path, its in zip(found, told, strict=True):
        try:
            runs.append(Run(path, its, open(path, **reading)))
        except OncaError as error:
            broken.append(Broken(path, error))
            warnings.warn(f"{path} is left out: {error}", LostWarning, stacklevel=2)
    if not found:
        raise TraceError(f"{pattern}: no trace has such a name" if pattern else "name a trace")
    return Runs(runs, broken)


class Runs(Chain["Runs"], Questions, Sequence[Run]):
    """Several traces. Each question gives one table, in which `run` and the labels say whose a row is.

    >>> runs["10%":"90%"].hide("MPI_Init").stats("balance")
    >>> for run in runs: print(run.name, run.labels, run.trace.duration)
    >>> runs.broken
    """

    def __init__(self, runs: Sequence[Run], broken: Sequence[Broken]) -> None:
        self._runs = list(runs)
        self.broken = list(broken)

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    @overload
    def __getitem__(self, key: int) -> Run: ...
    @overload
    def __getitem__(self, key: slice) -> Runs: ...

    def __getitem__(self, key: int | slice) -> Run | Runs:
        """A run by its number, some of them, or all in a window: `runs["10%":"20%"]`."""
        if isinstance(key, int):
            return self._runs[key]
        if not isinstance(key, slice):
            raise OptionError('take runs[0], runs[:3], or a window such as runs["10%":"20%"]')
        if all(end is None or isinstance(end, int) for end in (key.start, key.stop, key.step)):
            return Runs(self._runs[key], self.broken)
        return self._through(lambda trace: trace[key])

    def containers(self, *references: str) -> Runs:
        """All runs with only these containers."""
        return self.only_containers(*references)

    def types(self, *patterns: str) -> Runs:
        """All runs with only these types."""
        return self.only_types(*patterns)

    def with_lens(self, lens: Lens | Mapping[str, Any] | str | os.PathLike[str]) -> Runs:
        """All runs through a lens."""
        return self._through(lambda trace: trace.with_lens(lens))

    def _lensed(self, change: Callable[[Lens], Lens]) -> Runs:
        return self._through(lambda trace: trace._lensed(change))

    def _through(self, change: Callable[[Trace], Trace]) -> Runs:
        changed = [Run(run.name, run.labels, change(run.trace)) for run in self._runs]
        return Runs(changed, self.broken)

    # Questions

    def _each(self, question: Callable[[Trace], Table]) -> Table:
        return Table.joined([(self._front(run), _asked(run, question)) for run in self._runs])

    @staticmethod
    def _front(run: Run) -> dict[str, Any]:
        return {"run": run.name} | run.labels

    def findings(self, top: int | None = None, **options: object) -> Table:
        """What costs time in each run: a row for each finding."""
        return self._each(lambda it: it.findings(top, **options).table())

    def waits(self, **options: object) -> Table:
        """How long processes wait in each run, by kind of wait; with `level` or `slices` where and when."""
        is_divided = any(options.get(name) is not None for name in ("level", "depth", "slices"))

        def ask(trace: Trace) -> Table:
            waits = trace.waits(**options)
            return waits.rows if is_divided else waits.kinds

        return self._each(ask)

    def critical_path(self, by: str = "container", **options: object) -> Table:
        """How long the critical path of each run is, by `"container"` or by `"value"`."""
        return self._each(lambda it: it.critical_path(**options).by(by))

    def info(self) -> Table:
        """A row for each run: how long it is, what it has, what was lost."""

        def ask(trace: Trace) -> Table:
            info = trace.info()
            times = {"duration": info.duration, "duration_ticks": info.duration_ticks}
            cells = times | info.counts | {"lost": info.lost}
            columns = {name: Column(kind_of([cell]), [cell]) for name, cell in cells.items()}
            return Table(columns, info.json)

        return self._each(ask)

    def scaling(self, **options: object) -> Table:
        """How efficient the runs are with more and more processes: `onca.scaling`."""
        return scaling([run.trace for run in self._runs], **options)

    def close(self) -> None:
        """Closes all of them."""
        for run in self._runs:
            run.trace.close()

    def __repr__(self) -> str:
        names = ", ".join(run.name for run in self._runs[:5])
        more = ", …" if len(self) > 5 else ""
        broken = "".join(f"\n  left out: {one.name}: {one.error}" for one in self.broken)
        count = "1 run" if len(self) == 1 else f"{len(self)} runs"
        return f"<{count}: {names}{more}>{broken}"


def _asked(run: Run, question: Callable[[Trace], Table]) -> Table:
    try:
        return question(run.trace)
    except OncaError as error:
        if run.name not in error.message:
            error.message = f"{run.name}: {error.message}"
        raise


def _found(paths: str | Iterable[str | os.PathLike[str]]) -> list[str]:
    if not isinstance(paths, str):
        return [os.fsdecode(path) for path in paths]
    # Stores lie beside their traces.
    all_of_it = glob.glob(paths, recursive=True)
    wanted = paths.endswith(".onca")
    return sorted((it for it in all_of_it if wanted or not it.endswith(".onca")), key=_natural)


def _natural(path: str) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", path)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def _labels(labels: Labels | None, path: str) -> dict[str, Any]:
    if labels is None:
        return {}
    if not isinstance(labels, str):
        return dict(labels(path))
    named = re.compile(re.sub(r"(\w+)=\((?!\?)", r"\1=(?P<\1>", labels))
    numbers = {number: name for name, number in named.groupindex.items()}
    names = [numbers.get(at, f"label_{at}") for at in range(1, named.groups + 1)]
    found = named.search(path)
    return dict.fromkeys(names) if found is None else dict(zip(names, found.groups(), strict=True))


def _numbers(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Labels that are all written as numbers become numbers."""
    for name in {name for its in told for name in its}:
        texts = [its[name] for its in told if isinstance(its.get(name), str)]
        for kind in (int, float):
            try:
                made = {text: kind(text) for text in texts}
            except ValueError:
                continue
            for its in told:
                its.update({name: made[its[name]]} if its.get(name) in made else {})
            break
    return told
