"""Answers SQL that is asked line by line, as JSON; the working folder holds the database and what it is filled from."""
import json
import os
import sys
import time

import duckdb

os.chdir(sys.argv[1])
store = duckdb.connect("peer.duckdb", config={"memory_limit": "8GB", "temp_directory": "duckdb.tmp"})
# Its bar would stand among the answers.
store.execute("set enable_progress_bar = false")
for line in sys.stdin:
    began = time.perf_counter()
    try:
        rows = store.execute(json.loads(line)["sql"]).fetchall()
        answer = {"seconds": time.perf_counter() - began, "row": "\t".join("" if value is None else str(value) for value in rows[0][:3]) if rows else ""}
    except duckdb.Error as error:
        answer = {"seconds": 0, "row": "", "error": str(error)}
    print(json.dumps(answer), flush=True)
