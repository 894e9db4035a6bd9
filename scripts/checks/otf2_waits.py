"""Checks `onca waits` on archives that the public OTF2 package writes.

    python3 -m venv /tmp/otf2 && /tmp/otf2/bin/pip install otf2
    /tmp/otf2/bin/python scripts/checks/otf2_waits.py target/release/onca 20

For each seed `onca generate program` writes a Pajé trace and tells every wait in it. The same program is written as an
archive by the package `otf2`, and the waits that Onca finds in the archive are compared with those that were planted.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import otf2
from otf2.enums import CollectiveOp, CollectiveRoot, GroupFlag, GroupType, LocationGroupType, LocationType, Paradigm, RegionRole

OPERATIONS = {
    "MPI_Barrier": CollectiveOp.BARRIER,
    "MPI_Allreduce": CollectiveOp.ALLREDUCE,
    "MPI_Alltoall": CollectiveOp.ALLTOALL,
    "MPI_Bcast": CollectiveOp.BCAST,
    "MPI_Reduce": CollectiveOp.REDUCE,
    "MPI_Scan": CollectiveOp.SCAN,
}


def ticks(text):
    """A time of the trace in nanoseconds."""
    whole, decimals = text.split(".")
    return int(whole) * 10**9 + int(decimals)


def events_of(path):
    """The events of each rank in order: (time, what, details), and who sends and receives each message."""
    events, ends, last = defaultdict(list), defaultdict(dict), {}
    for line in path.read_text().splitlines():
        words = line.split()
        if line[0] in "#%" or len(words) < 4 or "." not in words[1]:
            continue
        kind, time = words[0], ticks(words[1])
        if kind in ("12", "19"):
            rank = int(words[3][1:])
            last[rank] = (words[4], words[5:])
            events[rank].append((time, "enter", last[rank]))
        elif kind == "13":
            rank = int(words[3][1:])
            events[rank].append((time, "leave", last[rank]))
        elif kind in ("15", "16"):
            rank, key = int(words[5][1:]), words[6]
            side = "send" if kind == "15" else "receive"
            ends[key][side] = rank
            events[rank].append((time, side, key))
    return events, ends


def write_archive(folder, events, ends):
    """Writes the archive with the package."""
    n = len(events)
    with otf2.writer.open(str(folder), timer_resolution=10**9) as archive:
        defs = archive.definitions
        node = defs.system_tree_node("node")
        groups = [
            defs.location_group(f"MPI Rank {rank}", location_group_type=LocationGroupType.PROCESS, system_tree_parent=node)
            for rank in range(n)
        ]
        locations = [
            defs.location("Master thread", type=LocationType.CPU_THREAD, group=group) for group in groups
        ]
        names = sorted({details[0] for own in events.values() for _, what, details in own if what == "enter"})
        regions = {name: defs.region(name, region_role=RegionRole.FUNCTION, paradigm=Paradigm.MPI) for name in names}
        defs.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, group_flags=GroupFlag.NONE, members=locations)
        members = [list(range(n)), list(range(0, n, 2)), list(range(1, n, 2))]
        comms = []
        for number, ranks in enumerate(members):
            group = defs.group("", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, group_flags=GroupFlag.NONE, members=ranks)
            comms.append(defs.comm(f"communicator {number}", group=group))
        for rank in range(n):
            writer = archive.event_writer_from_location(locations[rank])
            for time, what, details in events[rank]:
                if what == "enter":
                    name, told = details
                    writer.enter(time, regions[name])
                    if told:
                        writer.mpi_collective_begin(time)
                elif what == "leave":
                    name, told = details
                    if told:
                        root = CollectiveRoot.NONE if told[2] == "none" else int(told[2])
                        comm = comms[int(told[0][1:])]
                        writer.mpi_collective_end(time, OPERATIONS[name], comm, root, 8, 8)
                    writer.leave(time, regions[name])
                elif what == "send":
                    writer.mpi_send(time, ends[details]["receive"], comms[0], int(details), 64)
                else:
                    writer.mpi_recv(time, ends[details]["send"], comms[0], int(details), 64)


def check(onca, seed, folder):
    """Compares one program. The number of its waits."""
    trace, truth = folder / "run.paje", folder / "truth.json"
    program = [onca, "generate", "program", "--seed", str(seed), "--procs", str(2 + seed % 9), "--steps", "60"]
    subprocess.run([*program, "-o", trace, "--truth", truth], check=True, capture_output=True)
    write_archive(folder / "archive", *events_of(trace))
    answer = subprocess.run([onca, "waits", folder / "archive", "--json"], check=True, capture_output=True)
    answer = json.loads(answer.stdout)
    planted = Counter()
    waits = json.loads(truth.read_text())["waits"]
    for wait in waits:
        planted[wait["kind"]] += wait["to_ticks"] - wait["from_ticks"]
    found = {kind["kind"]: kind["ticks"] for kind in answer["kinds"]}
    assert found == dict(planted), f"seed {seed}: found {found}, planted {dict(planted)}"
    return len(waits)


def main():
    onca, n = sys.argv[1], int(sys.argv[2])
    n_waits = 0
    for seed in range(1, n + 1):
        with tempfile.TemporaryDirectory() as folder:
            n_waits += check(onca, seed, Path(folder))
    print(f"{n} programs, {n_waits} waits: all are found, to the tick")


main()
