"""Traces to ask, and the command line to compare with."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import onca

ONCA = os.environ.get("ONCA_BIN", "onca")

# How each trace is made. Kinds and formats differ, and each has other random numbers.
MADE = {
    "demo": "demo",
    "ring": "pattern ring --procs 6 --rounds 4 --seed 2",
    "tasks": "pattern master-worker --procs 5 --rounds 6 --seed 3",
    "swap": "pattern 2-3-swap --procs 7 --rounds 2 --seed 4",
    "iterative": "iterative --procs 16 --events 4000 --slow-node 2:1.6 --seed 5",
    "burst": "iterative --procs 16 --events 5000 --burst 0.8:1.2:0.5 --ring --seed 6",
    "hierarchy": "hierarchy --levels Site:2,Cluster:2,Machine:3 --seed 7",
    "program": "program --procs 6 --steps 40 --seed 8",
    "archive": "program --procs 5 --steps 30 --otf2 --seed 9",
    "threads": "threads --processes 2 --threads 12 --seed 10",
    "many": "many --containers 40 --pairs 3 --seed 11",
}
# Made of others: another format, and one that is damaged.
DERIVED = ("chrome", "damaged")


@dataclass(frozen=True)
class Asked:
    """What the program itself answers."""

    status: int
    out: bytes
    said: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def command(*words: str) -> Asked:
    """Runs the program."""
    ended = subprocess.run([ONCA, *words], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return Asked(ended.returncode, ended.stdout, ended.stderr.decode())


def answer(*words: str) -> Any:
    """What the program answers as JSON, also if records were lost."""
    asked = command(*words)
    assert asked.status in (0, 1), asked.said
    return asked.json


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """All traces, by name."""
    folder = tmp_path_factory.mktemp("traces")
    made = {}
    for name, kind in MADE.items():
        path = folder / (name if name == "archive" else f"{name}.paje")
        assert command("generate", *kind.split(), "-o", str(path)).status == 0
        made[name] = path
    made["chrome"] = folder / "chrome.json"
    assert command("export", str(made["ring"]), "-o", str(made["chrome"])).status == 0
    made["damaged"] = folder / "damaged.paje"
    lines = made["iterative"].read_text().splitlines(keepends=True)
    lines[1000] = lines[1000].replace(".", ",", 1)
    del lines[1500]
    made["damaged"].write_text("".join(lines))
    return made


@pytest.fixture(params=[*MADE, *DERIVED])
def path(request: pytest.FixtureRequest, traces: dict[str, Path]) -> Path:
    """Each of the traces in turn."""
    return traces[request.param]


@pytest.fixture
def trace(path: Path) -> Iterator[onca.Trace]:
    """Each of the traces in turn, open."""
    with onca.open(path) as opened:
        yield opened


@pytest.fixture
def demo(traces: dict[str, Path]) -> Iterator[onca.Trace]:
    """The demo trace, open."""
    with onca.open(traces["demo"]) as opened:
        yield opened
