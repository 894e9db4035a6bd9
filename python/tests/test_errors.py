"""What goes wrong is said: what, and where."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import pytest

import onca


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(onca.TraceError, match=r"nope.paje: No such file") as error:
        onca.open(tmp_path / "nope.paje")
    assert error.value.status == 2


def test_a_folder_that_is_no_trace(tmp_path: Path) -> None:
    with pytest.raises(onca.TraceError, match="is not a store: looked for"):
        onca.open(tmp_path)


def test_standard_input_cannot_be_asked_twice() -> None:
    with pytest.raises(onca.TraceError, match="only once"):
        onca.open("-")


def test_a_damaged_store(traces: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "run.paje"
    path.write_bytes(traces["ring"].read_bytes())
    store = Path(onca.open(path).store)
    path.unlink()
    files = sorted(it for it in store.rglob("*") if it.is_file())
    for file in files:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(onca.TraceError, match=r"run.paje.onca.*damaged"):
        trace = onca.open(store)
        trace.slice()
        list(trace.states)


def test_a_strict_reading_tells_the_code(traces: dict[str, Path]) -> None:
    with pytest.raises(onca.TraceError, match=r"damaged.paje:1001:\d+: fatal\[bad-number\]") as error:
        onca.open(traces["damaged"], strict=True)
    assert error.value.code == "bad-number"


def test_lost_records_are_told_and_answers_come(traces: dict[str, Path]) -> None:
    with onca.open(traces["damaged"]) as trace:
        assert trace.lost == 2
        assert "bad-number" in [problem.code for problem in trace.problems]
        assert "2 of " in repr(trace)
        assert len(trace.slice(depth=1)) > 0


def test_a_limit(traces: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "run.paje"
    path.write_bytes(traces["demo"].read_bytes())
    with pytest.raises(onca.LimitError) as error:
        onca.open(path, memory="1K")
    assert error.value.status == 3


def test_a_closed_trace(traces: dict[str, Path]) -> None:
    trace = onca.open(traces["demo"])
    part = trace["10%":].hide("MPI_Init")
    states = part.states
    scan = states.scan(columns=["value"])
    picture = part.render("timeline")
    trace.close()
    trace.close()
    questions = [
        part.slice,
        part.info,
        part.findings,
        part.cube,
        part.view,
        lambda: list(states),
        lambda: list(scan),
        lambda: scan.__arrow_c_stream__(),
        lambda: picture.svg,
        lambda: onca.compare(trace, trace),
        lambda: trace.counts,
    ]
    for question in questions:
        with pytest.raises(onca.ClosedError, match=r"demo.paje: the trace is closed"):
            question()


def test_options(demo: onca.Trace) -> None:
    with pytest.raises(onca.OptionError, match=r"'slicess'.*'slices'") as error:
        demo.slice(slicess=3)
    assert isinstance(error.value, TypeError)
    with pytest.raises(onca.OptionError, match=r"by.*ratio"):
        demo.slice(by="links", ratio="time / count")
    with pytest.raises(onca.OptionValueError, match="invalid value 'x' for 'slices") as wrong:
        demo.slice(slices="x")
    assert isinstance(wrong.value, ValueError)
    with pytest.raises(onca.OptionValueError, match="there is no table 'vales'"):
        demo.stats("vales")
    with pytest.raises(onca.TraceError, match=r'demo.paje: there is no level "Clustr"; the levels are'):
        demo.slice(level="Clustr")
    with pytest.raises(onca.OptionValueError, match="no format"):
        demo.render("timeline").save("timeline.bmp")
    for view in ("timelin", "page", "compare-timeline", ""):
        with pytest.raises(onca.OptionValueError, match=rf"no view '{view}'; there are timeline, treemap, .*topology"):
            demo.render(view)
    with pytest.raises(onca.TraceError, match="no level"):
        demo.cube(level="Clustr")
    with pytest.raises(onca.OncaError, match="0 slices"):
        demo.cube(slices=0)


def test_windows(demo: onca.Trace) -> None:
    for window in (demo[90:], demo[:-1], demo[3:2], demo["x":]):
        with pytest.raises(onca.OncaError):
            assert window.window
        with pytest.raises(onca.OncaError):
            list(window.states)
    with pytest.raises(onca.OptionError, match=r"trace\[2.0:3.5\]"):
        demo[1:2:3]
    with pytest.raises(TypeError):
        demo[3]  # type: ignore[index]
    with pytest.raises(onca.OptionError, match="True is no time"):
        demo[True:]
    with pytest.raises(onca.OptionValueError, match="nan is no time"):
        demo[float("nan") :]


def test_lenses(demo: onca.Trace, tmp_path: Path) -> None:
    with pytest.raises(onca.TraceError, match=r'there is no value "MPI_Wat"'):
        demo.hide("MPI_Wat").slice()
    with pytest.raises(onca.TraceError, match=r"demo.paje: the lens: .*unknown field `selec`"):
        demo.with_lens({"selec": {}}).slice()
    with pytest.raises(onca.TraceError, match="unknown field `selec`"):
        list(demo.with_lens({"selec": {}}).states)
    (tmp_path / "lens.json").write_text("{")
    with pytest.raises(onca.TraceError, match=r"lens\.json"):
        demo.with_lens(tmp_path / "lens.json")
    with pytest.raises(TypeError):
        demo.group()
    with pytest.raises(TypeError):
        demo.hide()
    with pytest.raises(TypeError):
        demo.hierarchy(names="x", fields=["y"])


def test_sql(demo: onca.Trace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(onca.OptionValueError, match="whole trace"):
        demo["10%":].sql("select 1")
    with pytest.raises(onca.OptionValueError, match="write a query"):
        demo.sql("-")
    if "ONCA_SQL" in os.environ:
        with pytest.raises(onca.TraceError, match="nope"):
            demo.sql("select nope from states")
    monkeypatch.setenv("ONCA_SQL", str(tmp_path / "missing"))
    with pytest.raises(onca.TraceError, match=r"onca-sql|missing"):
        demo.sql("select 1 as one")


def test_comparisons_of_what_cannot_be_compared(demo: onca.Trace) -> None:
    with pytest.raises(onca.OptionValueError, match="as a whole"):
        onca.compare(demo, demo["10%":])
    with pytest.raises(onca.OptionValueError, match="one lens"):
        onca.compare(demo, demo.hide("MPI_Init"))
    with pytest.raises(onca.OptionError, match="align and by"):
        onca.compare(demo, demo, align="phases", by="phase")
    with pytest.raises(onca.OptionValueError, match="nowhere"):
        onca.compare(demo, demo, by="nowhere")
    with pytest.raises(onca.OptionValueError, match="no view 'pie'; there are timeline, overview, .*table"):
        onca.compare(demo, demo).render("pie")


def test_questions_of_several_threads(demo: onca.Trace) -> None:
    part = demo["10%":"70%"]

    def ask(at: int) -> object:
        match at % 4:
            case 0:
                return part.slice(slices=3, depth=2).json
            case 1:
                return sum(ticks for (ticks,) in part.states.scan(columns=["duration_ticks"]).tuples())
            case 2:
                return part.hide("MPI_Wait").stats().json
        return int(part.cube(slices=9).ticks.sum())

    alone = [ask(at) for at in range(4)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(ask, range(32)))
    assert together == alone * 8


def test_other_threads_run_during_a_question(demo: onca.Trace) -> None:
    done, counted = Event(), 0

    def count() -> None:
        nonlocal counted
        while not done.wait(0.001):
            counted += 1

    thread = Thread(target=count)
    thread.start()
    started = time.monotonic()
    demo.overview(curve=True, solves=300)
    passed = time.monotonic() - started
    done.set()
    thread.join()
    # Without the interpreter it could not count at all; on a busy machine it counts less than each 1 ms.
    assert counted > passed * 20


LONG = [
    "onca.open(path)",
    "[trace.stats() for _ in range(100_000)]",
    "onca.generate('iterative', path + '.more', events=50_000_000)",
]


@pytest.mark.parametrize("what", LONG, ids=["open", "ask", "generate"])
def test_an_interrupt_ends_a_question(what: str, traces: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "long.paje"
    onca.generate("iterative", path, procs=64, events=1_500_000)
    code = f"""
import onca
path, trace = {str(path)!r}, onca.open({str(traces["demo"])!r})
print("begins", flush=True)
try:
    {what}
    print("answered")
except KeyboardInterrupt:
    print("interrupted", trace.stats()["value"][0])
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        said = process.stdout.read()
    assert said == "interrupted computing\n"
    assert time.monotonic() - started < 20
    # Nothing is left of what was being written.
    assert [it.name for it in tmp_path.iterdir()] == ["long.paje"]
