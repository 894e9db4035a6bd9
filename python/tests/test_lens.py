"""Lenses are the files of docs/lens.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import answer

import onca

# Methods, and the flags that write the same lens.
LENSES: list[tuple[Any, list[str]]] = [
    (lambda it: it.values("MPI_*").hide("MPI_Init"), ["--values=MPI_*", "--hide-values=MPI_Init"]),
    (lambda it: it.types("MPI_STATE"), ["--types=MPI_STATE"]),
    (lambda it: it.hide_types("Power", "Marker"), ["--hide-types=Power", "--hide-types=Marker"]),
    (
        lambda it: it.containers("cluster-[1-2]/**").hide_containers("rank-3"),
        ["--containers=cluster-[1-2]/**", "--hide-containers=rank-3"],
    ),
    (lambda it: it.types_in("MPI_LINK", "rank-1"), ["--types-in=MPI_LINK=rank-1"]),
    (lambda it: it.hide_types_in("MPI_LINK", "rank-1"), ["--hide-types-in=MPI_LINK=rank-1"]),
    (lambda it: it.min_duration("2us"), ["--min-duration=2us"]),
    (lambda it: it.group(level="Machine"), ["--group=level:Machine"]),
    (lambda it: it.group(depth=2), ["--group=depth:2"]),
    (lambda it: it.group(pattern=r"^(rank)-\d+"), [r"--group=re:^(rank)-\d+"]),
    (lambda it: it.group(name="some", of=["rank-1*"]), ["--group=some=rank-1*"]),
    (lambda it: it.order("name", descending=True), ["--order=name", "--descending"]),
    (lambda it: it.order({"time": ["MPI_Wait"]}), ["--order=time:MPI_Wait"]),
    (
        lambda it: it.hierarchy(names=r"(?<kind>[a-z]+)-(?<number>\d+)", levels=["kind"]),
        [r"--hierarchy-names=(?<kind>[a-z]+)-(?<number>\d+)", "--hierarchy-levels=kind"],
    ),
    (lambda it: it.trace_colors("never"), ["--trace-colors=never"]),
]


@pytest.mark.parametrize("at", range(len(LENSES)))
def test_lenses_are_those_of_the_flags(at: int, demo: onca.Trace, tmp_path: Path) -> None:
    made, flags = LENSES[at]
    saved = tmp_path / "theirs.json"
    theirs = answer("lens", "--json", demo.path, *flags, f"--save-lens={saved}")
    ours = made(onca.Lens())
    assert ours.json == json.loads(saved.read_text())
    assert onca.Lens.load(saved) == ours
    assert made(demo).lens == ours
    ours.save(tmp_path / "ours.json")
    again = answer("lens", "--json", demo.path, f"--lens={tmp_path / 'ours.json'}")
    assert again == theirs
    assert demo.with_lens(saved).stats().json == made(demo).stats().json


def test_lenses_say_all_that_a_file_can(demo: onca.Trace) -> None:
    lens = (
        onca.Lens()
        .reduce("active", "Machine", "count", values=["computing"], as_="states")
        .reduce("power", "Cluster", "sum", variable="Power")
        .locks("MPI_Send", "MPI_Wait", "value")
        .reuse_rows("Process")
        .look("MPI_*", color="#d55e00", height=0.8)
        .look("MPI_LINK", of="types", shape="arrow")
        .role("computing", "task")
    )
    told = answer("lens", "--json", demo.path)["lens"]
    assert told["version"] == 1
    part = demo.with_lens(lens)
    assert "active" in part.stats()["type"]
    assert part.stats()["role"][part.stats()["value"].index("computing")] == "task"
    assert part.lens.json["appearance"]["values"]["MPI_*"] == {"color": "#d55e00", "height": 0.8}


def test_lenses_do_not_change(demo: onca.Trace) -> None:
    lens = onca.Lens()
    other = lens.hide("MPI_Init")
    assert lens.is_clear and not other.is_clear and lens != other
    assert hash(other) == hash(onca.Lens().hide("MPI_Init"))
    other.json["select"] = {}
    assert other == onca.Lens().hide("MPI_Init")
    assert demo.hide("MPI_Init").lens == other and demo.lens.is_clear


def test_windows_are_those_of_the_flags(demo: onca.Trace) -> None:
    for part, flags in [
        (demo[2.0:3.5], ["--from=2", "--to=3.5"]),
        (demo[2:3], ["--from=2", "--to=3"]),
        (demo["20ms":"10%"], ["--from=20ms", "--to=10%"]),
        (demo["10%":][:"20%"], ["--from=10%", "--to=20%"]),
        (demo[:1.0]["0.5":], ["--from=0.5", "--to=1"]),
    ]:
        theirs = answer("stats", "--json", "--what=values", demo.path, *flags)["window"]
        window = part.window
        assert (window.start_ticks, window.end_ticks) == (theirs["from_ticks"], theirs["to_ticks"])
        assert (window.start, window.end) == (theirs["from"], theirs["to"])
        assert demo[window].window == window
        assert part.duration_ticks == window.end_ticks - window.start_ticks
    exact = onca.Window(0.0, 0.0, 1_234_567_891, 1_234_567_893)
    assert (demo[exact].window.start_ticks, demo[exact].window.end_ticks) == (1_234_567_891, 1_234_567_893)


def test_findings_lead_to_their_place(demo: onca.Trace) -> None:
    finding = demo.findings()[0]
    assert finding.kind == "slow" and 0.11 < finding.cost_share < 0.12 and finding.sure > 0.9
    part = demo[finding.window].containers(*finding.where)
    assert part.window == finding.window
    assert {row["path"] for row in part.slice(level="Process")} == set(finding.where)
    findings = demo.findings(top=1)
    assert len(findings) == 1 and findings.table()["text"] == [findings[0].text]
    assert "slow (11.5% of the run)" in repr(demo.findings()) and "<li>" in demo.findings()._repr_html_()


def test_waits_and_the_critical_path(demo: onca.Trace) -> None:
    waits = demo.waits(level="Cluster")
    assert waits.ticks == waits.json["ticks"] == sum(waits.kinds["ticks"])
    assert waits.top(3)["ticks"] == sorted(waits.causes["ticks"], reverse=True)[:3]
    assert set(waits.rows["path"]) == {f"/site-1/cluster-{n}" for n in (1, 2, 3)}
    assert waits.longest["kind"] == waits.kinds["kind"]
    path = demo.critical_path()
    assert path.ticks == demo.duration_ticks == sum(path.by("container")["ticks"]) == sum(path.by("value")["ticks"])
    spans = zip(path.segments["from_ticks"], path.segments["to_ticks"], strict=True)
    assert sum(end - start for start, end in spans) == path.ticks
    with pytest.raises(onca.OptionValueError, match="not by 'colour'"):
        path.by("colour")
