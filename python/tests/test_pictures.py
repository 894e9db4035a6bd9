"""Pictures are the bytes of `onca render`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import command
from looks import PARTS, Part

import onca
from onca._view import is_notebook

VIEWS: list[tuple[str, dict[str, Any], str]] = [
    ("timeline", {"level": "Machine"}, "--level Machine"),
    ("treemap", {"depth": 2}, "--depth 2"),
    ("overview", {"slices": 12}, "--slices 12"),
    ("pie", {}, ""),
    ("bars", {"theme": "dark"}, "--theme dark"),
    ("matrix", {"level": "Cluster"}, "--level Cluster"),
    ("commgram", {"phases": 3}, "--phases 3"),
    ("histogram", {}, ""),
    ("concurrency", {"slices": 20}, "--slices 20"),
    ("traffic", {"width": "120mm"}, "--width 120mm"),
    ("efficiency", {"slices": 10, "no_caption": True}, "--slices 10 --no-caption"),
    ("flame", {"title": "a & b"}, "--title=a_&_b"),
    ("graph", {"level": "Cluster"}, "--level Cluster"),
]


def drawn(view: str, path: str, flags: str, *more: str, format: str = "svg") -> bytes:
    """What the command draws."""
    words = [word.replace("_", " ") for word in flags.split()]
    asked = command("render", view, path, "-o", "-", "--format", format, *words, *more)
    assert asked.status in (0, 1), asked.said
    return asked.out


@pytest.mark.parametrize(("view", "options", "flags"), VIEWS, ids=[view for view, _, _ in VIEWS])
def test_pictures_are_those_of_the_command(demo: onca.Trace, view: str, options: dict[str, Any], flags: str) -> None:
    assert demo.render(view, **options).svg == drawn(view, demo.path, flags)


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_parts_are_drawn_as_the_command_draws_them(demo: onca.Trace, part: Part) -> None:
    assert part.of(demo).render("timeline").svg == drawn("timeline", demo.path, "", *part.flags)


def test_formats_and_files(demo: onca.Trace, tmp_path: Path) -> None:
    picture = demo.render("bars", width="80mm")
    for format in ("svg", "png", "pdf"):
        file = tmp_path / f"bars.{format}"
        picture.save(file)
        expected = drawn("bars", demo.path, "--width 80mm", format=format)
        assert file.read_bytes() == picture.data(format) == expected
    demo.report("findings").save(tmp_path / "findings.html")
    command("render", "findings", demo.path, "-o", str(tmp_path / "theirs.html"))
    assert (tmp_path / "findings.html").read_bytes() == (tmp_path / "theirs.html").read_bytes()


def test_notebooks_get_a_picture_and_a_text(demo: onca.Trace) -> None:
    for shown in (demo, demo["10%":"20%"].render("overview")):
        bundle = shown._repr_mimebundle_()
        assert set(bundle) == {"image/svg+xml", "text/plain"}
        assert bundle["image/svg+xml"].startswith("<svg")
    assert demo._repr_mimebundle_()["image/svg+xml"].encode() == drawn("timeline", demo.path, "")
    assert "40,398 states" in demo._repr_mimebundle_()["text/plain"]
    outside = demo[90:]
    assert "outside the trace" in outside._repr_mimebundle_()["text/plain"]


def test_two_runs_are_drawn(traces: dict[str, Path]) -> None:
    with onca.open(traces["iterative"]) as before, onca.open(traces["damaged"]) as after:
        comparison = onca.compare(before, after)
        for view in ("timeline", "table"):
            asked = command("render", f"compare-{view}", before.path, after.path, "-o", "-", "--format", "svg")
            assert comparison.render(view).svg == asked.out


def test_notebooks_are_known(demo: onca.Trace, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    import nbformat

    assert not is_notebook()
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell("from onca._view import is_notebook\nis_notebook()")]
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert notebook.cells[0].outputs[0]["data"]["text/plain"] == "True"


def test_the_page_is_served_outside_of_notebooks(traces: dict[str, Path], tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "xdg-open"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new\nmv {opened}.new {opened}\n')
    browser.chmod(0o755)
    code = f"""
import onca, pathlib, time, urllib.request
process = onca.open({str(traces["ring"])!r}).view()
opened = pathlib.Path({str(opened)!r})
for _ in range(600):
    if opened.exists() or process.poll() is not None:
        break
    time.sleep(0.05)
assert process.poll() is None
print(opened.read_text())
process.terminate()
process.wait()
"""
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "BROWSER": str(browser), "DISPLAY": ":0"}
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip()
