"""What is in a trace, as plain values."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._ask import Json

__all__ = ["Info", "Problem", "Window"]


class Window(NamedTuple):
    """A stretch of time: `start` and `end` in units of the trace, and exactly, in ticks."""

    start: float
    end: float
    start_ticks: int
    end_ticks: int

    @classmethod
    def of(cls, json: Json) -> Window:
        """The span of a JSON object."""
        return cls(json["from"], json["to"], json["from_ticks"], json["to_ticks"])

    @property
    def duration(self) -> float:
        """How long it is, in units."""
        return self.end - self.start

    @property
    def duration_ticks(self) -> int:
        """How long it is, in ticks."""
        return self.end_ticks - self.start_ticks


class Problem:
    """A kind of problem of a trace: its first occurrence, and how many there are.

    The codes are those of docs/paje.md. `line` and `column` are 0 where there are none; `offset` is the place in
    bytes in files that have no lines.
    """

    __slots__ = ("code", "column", "count", "file", "hint", "line", "message", "offset", "severity")

    def __init__(self, json: Json) -> None:
        self.code: str = json["code"]
        self.severity: str = json["severity"]
        self.count: int = json["count"]
        self.file: str | None = json["file"]
        self.line: int = json["line"]
        self.column: int = json["column"]
        self.offset: int | None = json.get("offset")
        self.message: str = json["message"]
        self.hint: str | None = json["hint"]

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        place = self.file or "-"
        if self.offset is not None:
            place += f":offset {self.offset}"
        else:
            place += "".join(f":{number}" for number in (self.line, self.column) if number)
        more = f" ({self.count - 1} more)" if self.count > 1 else ""
        return f"{place}: {self.severity}[{self.code}]: {self.message}{more}"


class Info:
    """What is in a trace: the answer of `onca info`.

    >>> info = trace.info()
    >>> info.duration, info.duration_ticks, info.counts["states"]
    >>> [it["name"] for it in info.types if it["nature"] == "state"]
    >>> for problem in info.problems: print(problem)

    `json` has everything, as docs/json.md describes it.
    """

    def __init__(self, json: Json) -> None:
        self.json = json

    @property
    def trace(self) -> str:
        """The trace as it was named."""
        return str(self.json["trace"])

    @property
    def store(self) -> str:
        """The folder of its store."""
        return str(self.json["store"]["path"])

    @property
    def producer(self) -> str | None:
        """The program that wrote the trace, if it can be told."""
        found: str | None = self.json["producer"]
        return found

    @property
    def unit(self) -> str:
        """The unit of its times, such as `s`."""
        return str(self.json["unit"]["name"])

    @property
    def ticks_per_unit(self) -> int:
        """How many ticks a unit has."""
        return int(self.json["unit"]["ticks_per_unit"])

    @property
    def window(self) -> Window:
        """From the first to the last time in the trace."""
        start, end = self.json["start"], self.json["end"]
        return Window(start, end, self.json["start_ticks"], self.json["end_ticks"])

    @property
    def duration(self) -> float:
        """How long the trace is, in units."""
        return self.window.duration

    @property
    def duration_ticks(self) -> int:
        """How long the trace is, in ticks."""
        return self.window.duration_ticks

    @property
    def counts(self) -> dict[str, int]:
        """How many `containers`, `states`, `links`, `events` and `variables` there are."""
        return dict(self.json["counts"])

    @property
    def types(self) -> list[dict[str, Any]]:
        """All types, the root type first, each with its values."""
        return list(self.json["types"])

    @property
    def records(self) -> int:
        """How many records the trace has."""
        return int(self.json["records"])

    @property
    def lost(self) -> int:
        """How many of them have no effect at all."""
        return int(self.json["lost"])

    @property
    def truncated(self) -> bool:
        """Does the trace end in the middle of something?"""
        return bool(self.json["truncated"])

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the trace, each kind once."""
        return [Problem(problem) for problem in self.json["diagnostics"]]

    def __repr__(self) -> str:
        counts = ", ".join(f"{count:,} {name}" for name, count in self.counts.items())
        lost = f", {self.lost:,} of {self.records:,} records lost" if self.lost else ""
        return f"<{self.trace}: {self.duration:g} {self.unit}, {counts}{lost}>"
