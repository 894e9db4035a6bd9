import json
import sys
import time

said = {}


def timed(name, work, rounds=3):
    """The shortest of some rounds."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        done = work()
        times.append(time.perf_counter() - began)
    said[name + "_s"] = min(times)
    return done


store, *parquet = sys.argv[1:]


def load():
    import onca

    return onca


onca = timed("import", load, rounds=1)
trace = timed("open", lambda: onca.open(store), rounds=1)
timed("again", lambda: onca.open(store))

import polars

FEW = ["container", "value", "tick_start", "tick_end"]
states = timed("all", lambda: polars.DataFrame(trace.states), rounds=2)
said["rows"] = len(states)
del states
timed("few", lambda: polars.DataFrame(trace.states.scan(columns=FEW)))
part = timed("window", lambda: polars.DataFrame(trace["40%":"50%"].states.scan(columns=FEW)))
said["window_rows"] = len(part)
if parquet:
    timed("parquet", lambda: polars.read_parquet(parquet[0] + "/*.parquet", columns=FEW))
json.dump(said, sys.stdout)
