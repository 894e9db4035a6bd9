"""The package in any interpreter, with nothing but its standard library: `python smoke.py FOLDER TRACE`."""

from __future__ import annotations

import json
import os
import subprocess
import sys


def main(package: str, path: str) -> None:
    """Asks a few questions, and compares one with the command."""
    sys.path.insert(0, package)
    import onca

    with onca.open(path) as trace:
        part = trace["10%":"60%"].hide("MPI_Init")
        table = part.slice(level="Machine")
        words = [os.environ["ONCA_BIN"], "slice", "--json", path, "--level=Machine"]
        asked = subprocess.run(
            [*words, "--from=10%", "--to=60%", "--hide-values=MPI_Init"], capture_output=True, check=True
        )
        assert table.json == json.loads(asked.stdout)
        assert sum(1 for _ in part.states.rows()) > 0
        assert trace.findings()[0].kind == "slow"
        assert trace.render("bars").svg.startswith(b"<svg")
        assert part.cube(slices=4).shape[2] == 4
        assert trace.stats().__arrow_c_stream__() is not None
        try:
            trace.slice(level="nowhere")
        except onca.TraceError as error:
            assert "no level" in str(error)
        else:
            raise AssertionError("a level that does not exist")
    print(f"Python {sys.version.split()[0]}: onca {onca.__version__} answers")


if __name__ == "__main__":
    main(*sys.argv[1:])
