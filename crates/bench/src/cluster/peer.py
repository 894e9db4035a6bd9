import json
import sys
import time

folder, runs, *queries = sys.argv[1:]
began = time.perf_counter()

import duckdb

connection = duckdb.connect()
for table in ("states", "links", "containers"):
    files = f"{folder}/{table}/*.parquet".replace("'", "''")
    connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{files}')")
connection.execute("CREATE MACRO overlap(s, e, a, b) AS greatest(0, least(e, b) - greatest(s, a))")
said = {"seconds": time.perf_counter() - began, "queries": []}
for query in queries:
    times = []
    for _ in range(int(runs)):
        began = time.perf_counter()
        rows = connection.execute(query).fetchall()
        times.append(time.perf_counter() - began)
    said["queries"].append({"seconds": sorted(times)[len(times) // 2], "rows": rows})
json.dump(said, sys.stdout)
