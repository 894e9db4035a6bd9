"""Questions to the command line that is in the native module."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from . import _onca
from ._errors import failure

__all__ = ["Answer", "Json", "ask", "generate", "words_of"]

Json = dict[str, Any]

_LOST = 1


class Answer(NamedTuple):
    """What a command has answered."""

    status: int
    out: bytes
    said: str

    def json(self) -> Json:
        """The answer as the JSON object that it is."""
        found: Json = json.loads(self.out)
        return found


def ask(words: Sequence[str]) -> Answer:
    """Asks a question in the words of the command line.

    Lost records (status 1) are part of an answer; what could not be answered is an exception.
    """
    answer = Answer(*_onca.ask(list(words)))
    if answer.status > _LOST:
        raise failure(answer.status, answer.said)
    return answer


def words_of(options: Mapping[str, object]) -> list[str]:
    """The words of keyword arguments.

    >>> words_of({"min_share": 0.1, "each": True, "values": ["MPI_*", "Idle"], "level": None})
    ['--min-share=0.1', '--each', '--values=MPI_*', '--values=Idle']
    """
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        several = isinstance(value, (list, tuple, set, frozenset))
        for one in value if several else [value]:  # type: ignore[attr-defined]
            if one is True:
                words.append(flag)
            elif one is not None and one is not False:
                words.append(f"{flag}={word(one)}")
    return words


def word(value: object) -> str:
    """A value as a word of the command line."""
    if isinstance(value, (str, os.PathLike)):
        return os.fsdecode(value)
    if isinstance(value, float):
        return repr(value)
    return str(value)


def generate(kind: str, output: str | os.PathLike[str], **options: object) -> str:
    """Writes a synthetic trace with known content, as `onca generate` does, and returns its path.

    `kind` is what stands after the command: `"demo"`, `"iterative"`, `"pattern ring"`, `"program"`,
    `"threads"`, `"hierarchy"`, `"many"`.

    >>> generate("iterative", "run.paje", procs=32, events=40_000, slow_node="3:1.3")
    'run.paje'
    """
    path = os.fsdecode(output)
    ask(["generate", *kind.split(), *words_of(options), f"--output={path}"])
    return path
