"""Streams of entities: the rows of the commands, read when they are asked for."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow
import pytest
from conftest import answer, command
from looks import PARTS, Part

import onca

# By kind of `onca dump`: the table, and its columns beside those of the dump.
ROWS = {
    "state": (
        ("container", "type", "tick_start", "tick_end", "depth", "value"),
        ("container", "type", "start_ticks", "end_ticks", "depth", "value"),
    ),
    "event": (("container", "type", "tick", "value"), ("container", "type", "time_ticks", "value")),
    "variable": (
        ("container", "type", "tick_start", "tick_end", "value"),
        ("container", "type", "start_ticks", "end_ticks", "value"),
    ),
    "link": (
        ("container", "type", "tick_start", "tick_end", "value", "source", "destination", "key"),
        ("owner", "type", "start_ticks", "end_ticks", "value", "source", "destination", "key"),
    ),
}


def dumped(path: Path, flags: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The rows of `onca dump`."""
    asked = command("dump", "--json", *flags, "--", str(path))
    assert asked.status in (0, 1), asked.said
    return map(json.loads, asked.out.decode().splitlines())


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_rows_are_those_of_the_dump(trace: onca.Trace, path: Path, part: Part) -> None:
    try:
        rows = list(dumped(path, part.flags))
    except AssertionError as error:
        with pytest.raises(onca.OncaError):
            list(part.of(trace).states)
        assert "error:" in str(error)
        return
    for kind, (columns, fields) in ROWS.items():
        theirs = Counter(tuple(row[name] for name in fields) for row in rows if row["kind"] == kind)
        scan = getattr(part.of(trace), kind + "s").scan(columns=columns)
        assert scan.columns == list(columns)
        ours = Counter(map(half, scan.tuples()) if kind == "link" else scan.tuples())
        assert ours == theirs, kind


def half(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A link as the dump writes it: half a link has one time and one end."""
    *front, start, end, value, source, destination, key = row
    start, end = (None if source is None else start), (None if destination is None else end)
    return (*front, start, end, value, source or "?", destination or "?", key)


def plain(value: Any) -> Any:
    """A cell as JSON says it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


@pytest.mark.skipif("ONCA_SQL" not in os.environ, reason="ONCA_SQL names no program that answers SQL")
def test_tables_are_those_of_sql(trace: onca.Trace, path: Path) -> None:
    names = ("containers", "types", "states", "links", "events", "variables", "type_values", "diagnostics")
    for name in names:
        query = f"select * from {name}"
        theirs = answer("query", str(path), query, "--format=json")
        entities = getattr(trace, name)
        assert entities.columns == [column["name"] for column in theirs["columns"]]
        ours = Counter(tuple(map(plain, row)) for row in entities.tuples())
        assert ours == Counter(tuple(row) for row in theirs["rows"]), name
        table = trace.sql(query)
        assert Counter(tuple(row.values()) for row in table) == ours
        assert table.columns == entities.columns


def test_streams_can_be_read_again_and_again(demo: onca.Trace) -> None:
    states = demo["10%":"40%"].states
    scan = states.scan(columns=["value", "duration_ticks"])
    first = polars.DataFrame(scan)
    assert polars.DataFrame(scan).equals(first)
    assert pyarrow.table(scan).num_rows == first.height
    assert [tuple(row.values()) for row in scan] == list(scan.tuples()) == first.rows()
    query = "select value, sum(duration_ticks) as ticks from scan group by value order by value"
    ours = first.group_by("value").agg(polars.col("duration_ticks").sum())
    for _ in range(3):
        assert {value: int(ticks) for value, ticks in duckdb.sql(query).fetchall()} == dict(ours.rows())


def test_nothing_is_read_before_it_is_asked_for(demo: onca.Trace) -> None:
    rows = demo.states.rows()
    first = next(rows)
    assert first["value"] == "MPI_Init"
    streams = demo.states.scan(columns=["value"]).batches()
    assert polars.DataFrame(next(streams)).width == 1


def test_lazy_frames_read_what_a_query_needs(demo: onca.Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    scan = onca.Entities.scan

    def watched(self: onca.Entities, columns: Any = None) -> onca.Scan:
        asked.append(columns)
        return scan(self, columns)

    part = demo["10%":"90%"].hide("MPI_Init")
    whole = polars.DataFrame(part.states)
    lazy = part.states.lazy()
    monkeypatch.setattr(onca.Entities, "scan", watched)
    query = (
        lazy.filter(polars.col("value") == "MPI_Wait")
        .group_by("container")
        .agg(polars.col("duration_ticks").sum())
        .sort("container")
    )
    found = query.collect()
    assert [sorted(columns) for columns in asked] == [["container", "duration_ticks", "value"]]
    expected = (
        whole.filter(polars.col("value") == "MPI_Wait").group_by("container").agg(polars.col("duration_ticks").sum())
    )
    assert dict(found.rows()) == dict(expected.rows())
    assert lazy.collect_schema() == whole.schema
    assert lazy.collect().equals(whole)
    assert lazy.head(5).collect().equals(whole.head(5))
    assert lazy.slice(3, 4).collect().equals(whole.slice(3, 4))
    long = polars.col("duration_ticks") > 10_000_000
    assert lazy.filter(long).head(7).collect().equals(whole.filter(long).head(7))
    assert lazy.select(polars.len()).collect().item() == whole.height
    assert query.collect().equals(found)
    nothing = demo["1%":"1.1%"].events
    assert nothing.lazy().collect().shape == polars.DataFrame(nothing).shape == (0, len(nothing.columns))
    assert nothing.lazy().select(polars.len()).collect().item() == 0


def test_numbers_are_not_copied(demo: onca.Trace) -> None:
    scan = demo.states.scan(columns=["duration_ticks", "t_start"])
    reader = pyarrow.RecordBatchReader.from_stream(scan)
    batch = reader.read_next_batch()
    ticks = batch.column(0)
    address = ticks.buffers()[1].address + 8 * ticks.offset
    assert ticks.to_numpy(zero_copy_only=True).__array_interface__["data"][0] == address
    frame = polars.DataFrame(batch)
    assert frame["duration_ticks"].to_numpy(allow_copy=False).__array_interface__["data"][0] == address


def test_batches_are_tables_of_their_own(demo: onca.Trace) -> None:
    # Each may be read more than once, or not at all.
    batches = list(demo.links.scan(columns=["size"]).batches())
    rows = [row for batch in batches for row in batch.rows()]
    assert rows == demo.links.scan(columns=["size"]).to_polars().rows()
    assert sum(polars.DataFrame(it).height for it in batches) == len(rows) == demo.counts["links"]


def test_columns_are_told(demo: onca.Trace) -> None:
    assert demo.states.types["duration_ticks"] == "Int64"
    assert "x_size" in demo.links.columns
    assert demo.types.scan(columns=["name", "nature"]).to_polars().rows()[0] == ("0", "container")
    paths = [path for (path,) in demo.containers.scan(columns=["path"]).tuples()]
    assert paths[0] == "/" and len(paths) == demo.counts["containers"]
    # Ids are looked up in these: a lens takes none away.
    part = demo["10%":"20%"].containers("cluster-2/**")
    assert [path for (path,) in part.containers.scan(columns=["path"]).tuples()] == paths
    assert "duration_ticks" in repr(demo.states)
    with pytest.raises(onca.ColumnError, match=r"demo.paje: states has no column 'valu'; is it 'value'"):
        demo.states.scan(columns=["valu"])
