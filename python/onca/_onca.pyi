"""The native part: the readers, the stores and all commands of Onca."""

from collections.abc import Iterator
from typing import Any, final

version: str

def ask(words: list[str]) -> tuple[int, bytes, str]:
    """Runs one command in this process: its exit status, what it prints, what it says beside."""

def main(words: list[str]) -> int:
    """The command line itself, with the real standard streams."""

def views(of_two: bool) -> list[str]:
    """The names of the views: of one trace, or of two runs that are compared."""

class Failure(Exception):
    """Why something could not be done."""

class Closed(Failure):
    """The store was closed before."""

@final
class Store:
    """An open store."""

    def __new__(cls, folder: str) -> Store: ...
    def tables(self) -> list[tuple[str, list[tuple[str, str]]]]: ...
    def scan(
        self,
        table: str,
        lens: str | None = None,
        from_ticks: int | None = None,
        to_ticks: int | None = None,
        columns: list[str] | None = None,
    ) -> Stream: ...
    def cube(
        self,
        lens: str | None,
        from_ticks: int | None,
        to_ticks: int | None,
        slices: int,
        level: str | None = None,
        depth: int | None = None,
    ) -> Cube: ...
    def close(self) -> None: ...

@final
class Stream:
    """Rows that are read when they are asked for, as often as they are asked for."""

    columns: list[str]
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def batches(self) -> Iterator[Stream]: ...
    def rows(self) -> Iterator[tuple[Any, ...]]: ...

def stream_of(columns: list[tuple[str, str, list[Any]]]) -> Stream:
    """A table of Python lists: name, kind ("int", "float", "text", "bool"), values."""

@final
class Cube:
    """Times of nodes in values and slices."""

    __array_interface__: dict[str, Any]
    nodes: list[str]
    values: list[tuple[str, str]]
    edges: list[int]

@final
class Page:
    """The web page of one trace, without a server."""

    def __new__(cls, folder: str) -> Page: ...
    def answer(self, method: str, path: str, body: bytes) -> tuple[int, str, bytes]: ...
    def html(self) -> str: ...
