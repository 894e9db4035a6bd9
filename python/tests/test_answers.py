"""Every answer is that of the command, on every trace, in windows and through lenses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import DERIVED, MADE, answer, command
from looks import PARTS, Part

import onca

# The name of a method, its options, and the words of the command.
QUESTIONS: list[tuple[str, dict[str, Any], str]] = [
    ("slice", {"depth": 1}, "slice --depth 1"),
    ("slice", {"slices": 7, "depth": 0, "inclusive": True}, "slice --slices 7 --depth 0 --inclusive"),
    ("slice", {"by": "links", "mode": "size", "depth": 1}, "slice --by links --mode size --depth 1"),
    ("slice", {"by": "variables"}, "slice --by variables"),
    ("slice", {"depth": 1, "agg": "max - min", "normalise": True}, "slice --depth 1 --agg=max-min --normalise"),
    ("slice", {"vectors": True, "depth": 1}, "slice --vectors --depth 1"),
    ("profile", {"min_share": 0.01}, "profile --min-share 0.01"),
    ("profile", {"each": True, "depth_limit": 2}, "profile --each --depth-limit 2"),
    ("stats", {}, "stats --what values"),
    ("stats", {"what": "longest", "top": 3}, "stats --what longest --top 3"),
    ("stats", {"what": "containers", "measure": "inclusive"}, "stats --what containers --measure inclusive"),
    ("stats", {"what": "balance"}, "stats --what balance"),
    ("stats", {"what": "histograms"}, "stats --what histograms"),
    ("stats", {"what": "concurrency", "slices": 3}, "stats --what concurrency --slices 3"),
    ("matrix", {"depth": 1}, "stats --what matrix --depth 1"),
    ("matrix", {}, "stats --what matrix"),
    ("efficiency", {"slices": 5}, "stats --what efficiency --slices 5"),
    ("find", {"pattern": "*a*", "count": True}, "find --count -- *a*"),
    ("overview", {"slices": 12}, "overview --slices 12"),
    ("overview", {"p": [0.1, 0.5], "slices": 8}, "overview --p 0.1 --p 0.5 --slices 8"),
    ("overview", {"change": True}, "overview --change"),
    ("overview", {"disruptions": 3, "slices": 30}, "overview --disruptions 3 --slices 30"),
    ("overview", {"list_p": True, "slices": 6}, "overview --list-p --slices 6"),
    ("phases", {"phases": 3}, "phases --phases 3"),
    ("clocks", {}, "clocks"),
    ("findings", {"top": 5}, "findings --top 5"),
    ("waits", {"slices": 4}, "waits --slices 4"),
    ("critical_path", {}, "waits"),
]


def told(words: str, path: Path, flags: tuple[str, ...]) -> tuple[int, Any, str]:
    """What the command says of a trace."""
    name, *more = words.split()
    at = more.index("--") if "--" in more else len(more)
    positional = more[at + 1 :]
    asked = command(name, "--json", *more[:at], *flags, "--", str(path), *positional)
    return asked.status, asked.json if asked.status < 2 else None, asked.said


# Each trace as a whole, and two parts of each, so that every part has its turns.
NAMES = [*MADE, *DERIVED]
PAIRS = [(name, PARTS[0]) for name in NAMES] + [
    (name, PARTS[1 + (at + step) % (len(PARTS) - 1)]) for at, name in enumerate(NAMES) for step in (0, 3)
]


@pytest.mark.parametrize(("name", "part"), PAIRS, ids=str)
def test_answers_are_those_of_the_command(traces: dict[str, Path], name: str, part: Part) -> None:
    path = traces[name]
    with onca.open(path) as trace:
        check(part.of(trace), path, part)


def check(seen: onca.Trace, path: Path, part: Part) -> None:
    """Asks all questions twice."""
    asked = 0
    for method, options, words in QUESTIONS:
        status, json, said = told(words, path, part.flags)
        if status > 1:
            with pytest.raises(onca.OncaError) as error:
                getattr(seen, method)(**options)
            assert error.value.status == status
            assert said.strip().endswith(error.value.message.removeprefix(f"{path}: ")), words
            continue
        found = getattr(seen, method)(**options)
        assert found.json == json, words
        asked += 1
    # A lens may leave nothing that some questions can be asked about.
    assert asked > len(QUESTIONS) // 2


def test_what_is_found_comes_whole(trace: onca.Trace, path: Path) -> None:
    json = answer("find", "--json", "--limit=1000000", "--", str(path), "*")
    found = trace.find("*")
    assert found.json["found"] == json["found"]
    assert len(found) == len(json["found"])
    first = trace.find("*", limit=7, kinds=["state", "link"])
    words = ("find", "--json", "--limit=7", "--kinds=state,link", "--", str(path), "*")
    assert first.json == answer(*words)


def test_the_load_of_a_network_is_that_of_the_command(tmp_path: Path) -> None:
    path, network = tmp_path / "ring.paje", tmp_path / "ring.dot"
    place = {"sites": 1, "clusters": 1, "machines": 4}
    onca.generate("pattern ring", path, rounds=2, write_topology=network, **place)
    words = ("topology", "--json", f"--topology={network}", "--routing=latency")
    with onca.open(path) as trace:
        for part, flags in ((trace, ()), (trace[:"50%"], ("--to=50%",))):
            found = part.topology(topology=network, routing="latency")
            assert found.json == answer(*words, *flags, "--", str(path))
            assert found["link"] == [link["name"] for link in found.json["links"]]
        # Of 16 messages a round, 4 leave their machine, over two links each.
        assert sum(trace.topology(topology=network)["messages"]) == 16
        with pytest.raises(onca.TraceError, match="tells of no network"):
            trace.topology()


def test_info_is_that_of_the_command(trace: onca.Trace, path: Path) -> None:
    asked = command("info", "--json", str(path))
    json = asked.json
    info = trace.info()
    assert info.store == str(Path(json["store"]["path"]).resolve())
    assert info.json | {"store": None} == json | {"store": None}
    assert info.counts == json["counts"] == trace.counts
    assert (info.lost, info.records, info.truncated) == (json["lost"], json["records"], json["truncated"])
    assert (trace.lost > 0) == (asked.status == 1)
    assert [problem.code for problem in trace.problems] == [it["code"] for it in json["diagnostics"]]
    window = info.window
    assert (window.start_ticks, window.end_ticks) == (json["start_ticks"], json["end_ticks"])
    assert trace.window == window
    assert info.duration_ticks == window.duration_ticks == trace.duration_ticks


def test_problems_are_told_as_validate_tells_them(traces: dict[str, Path]) -> None:
    with onca.open(traces["damaged"]) as trace:
        lines = (
            command("validate", str(traces["damaged"])).said + command("validate", str(traces["damaged"])).out.decode()
        )
        assert trace.problems
        for problem in trace.problems:
            assert str(problem).split(" (")[0] in lines


def test_export_writes_what_the_command_writes(demo: onca.Trace, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.paje", tmp_path / "theirs.paje"
    part = demo["10%":"20%"].hide("MPI_Init")
    json = part.export(ours)
    flags = ["--from=10%", "--to=20%", "--hide-values=MPI_Init"]
    command("export", demo.path, "-o", str(theirs), *flags)
    assert ours.read_bytes() == theirs.read_bytes()
    assert json["states"] > 0
