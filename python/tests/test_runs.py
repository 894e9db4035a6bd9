"""Comparisons and ensembles."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest
from conftest import answer

import onca


@pytest.fixture
def pair(traces: dict[str, Path]) -> tuple[onca.Trace, onca.Trace]:
    return onca.open(traces["iterative"]), onca.open(traces["burst"])


def test_comparisons_are_those_of_the_command(pair: tuple[onca.Trace, onca.Trace]) -> None:
    before, after = pair
    for options, flags in [
        ({}, []),
        ({"by": "phase", "top": 3}, ["--align=phases", "--top=3"]),
        ({"align": "begin", "level": "Machine"}, ["--align=begin", "--level=Machine"]),
    ]:
        comparison = onca.compare(before, after, **options)
        json = answer("compare", "--json", *flags, before.path, after.path)
        assert comparison.json == json
        change = comparison.after.duration_ticks - comparison.before.duration_ticks
        assert comparison.change_ticks == json["change_ticks"] == change
        assert comparison.table()["change_ticks"] == [row["change_ticks"] for row in json["values"]]
        assert [finding.text for finding in comparison.findings] == [row["text"] for row in json["findings"]]
        assert len(comparison.table("pairs")) == len(json["pairs"])
        if comparison.related:
            assert sum(comparison.account.values()) == pytest.approx(comparison.change_ticks)
    assert before.compare(after).json == onca.compare(before, after).json
    with pytest.raises(onca.OptionValueError, match="no 'lines'"):
        onca.compare(before, after).table("lines")


def test_comparisons_through_a_lens(pair: tuple[onca.Trace, onca.Trace]) -> None:
    before, after = (trace.hide("MPI_Init") for trace in pair)
    json = answer("compare", "--json", "--hide-values=MPI_Init", before.path, after.path)
    assert onca.compare(before, after).json == json


def test_several_runs_a_side(pair: tuple[onca.Trace, onca.Trace]) -> None:
    before, after = pair
    paths = ["--before", before.path, after.path, before.path, "--after", after.path, after.path]
    json = answer("compare", "--json", *paths)
    comparison = onca.compare([before, after, before], [after, after])
    assert comparison.json == json
    assert "p" in comparison.table("findings").columns
    with pytest.raises(onca.OptionValueError, match="two runs"):
        comparison.render("timeline")


def test_scaling(pair: tuple[onca.Trace, onca.Trace]) -> None:
    json = answer("compare", "--scaling", "--json", *(trace.path for trace in pair))
    assert onca.scaling(pair).json == json
    assert onca.scaling(pair)["processes"] == [run["processes"] for run in json["runs"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs of several sizes, and one that is none."""
    for size in (16, 4, 8):
        onca.generate("pattern ring", tmp_path / f"size={size}.paje", procs=size, rounds=3)
    return tmp_path


def test_ensembles(folder: Path) -> None:
    runs = onca.open_all(f"{folder}/*.paje", labels=r"size=(\d+)")
    assert [run.labels["size"] for run in runs] == [4, 8, 16]
    assert len(runs) == 3 and runs[0].trace.counts["containers"] < runs[2].trace.counts["containers"]
    table = runs.efficiency(slices=2)
    assert table.columns[:2] == ["run", "size"]
    assert table["size"] == [4, 4, 8, 8, 16, 16]
    assert table.kinds["size"] == "int"
    for run in runs:
        own = run.trace.efficiency(slices=2)
        rows = [row for row in table if row["run"] == run.name]
        assert [{name: row[name] for name in own.columns} for row in rows] == own.rows
    means = polars.DataFrame(table).group_by("size").agg(polars.col("parallel").mean())
    assert means.height == 3
    part = runs["10%":"50%"].hide("*end*").containers("rank-*")
    expected = runs[1].trace["10%":"50%"].hide("*end*").containers("rank-*").slice()
    assert [row["amount_ticks"] for row in part.slice() if row["size"] == 8] == expected["amount_ticks"]
    assert part.info()["states"] == [run.trace.counts["states"] for run in runs]
    for question in (runs.findings, runs.waits, runs.critical_path, runs.profile, runs.phases, runs.clocks):
        assert question().columns[:2] == ["run", "size"]
    assert set(runs.waits(slices=2).columns) >= {"run", "size", "wait", "path"}
    assert runs.scaling()["processes"] == [4, 8, 16]
    assert len(runs[:2]) == 2
    runs.close()
    with pytest.raises(onca.ClosedError, match=r"size=4.paje: the trace is closed"):
        runs.slice()


def test_broken_traces_are_told(folder: Path) -> None:
    (folder / "size=2.paje").mkdir()
    with pytest.warns(onca.LostWarning, match=r"size=2.paje is left out"):
        runs = onca.open_all(f"{folder}/*.paje", labels=r"size=(?P<n>\d+)")
    assert len(runs) == 3 and [Path(it.name).name for it in runs.broken] == ["size=2.paje"]
    assert "left out" in repr(runs)
    assert "is not a store" in str(runs.broken[0].error)
    assert runs[0].labels == {"n": 4}
    with pytest.raises(onca.TraceError, match=r"size=4.paje: there is no level"):
        runs.slice(level="nowhere")


def test_labels(folder: Path) -> None:
    paths = sorted(folder.glob("*.paje"))
    named = onca.open_all(paths, labels=lambda path: {"short": Path(path).stem, "even": True})
    assert [run.labels["short"] for run in named] == ["size=16", "size=4", "size=8"]
    assert named.info().kinds["even"] == "bool"
    unnamed = onca.open_all(paths, labels=r"/(\w)ize.(\d+)\.")
    assert unnamed[0].labels == {"label_1": "s", "label_2": 16}
    partly = onca.open_all(paths, labels=r"size=(1\d)")
    assert [run.labels["size"] for run in partly] == [16, None, None]
    assert partly.info()["size"] == [16, None, None]
    with pytest.raises(onca.TraceError, match="no trace has such a name"):
        onca.open_all(f"{folder}/*.otf2")
