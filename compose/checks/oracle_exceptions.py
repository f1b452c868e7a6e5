"""Compares the failed cases of a report with the exceptions: oracle_exceptions.py REPORT EXCEPTIONS

An exception is a line `name reason`; lines that start with # say nothing. Names that the report does not know are fine: other corpora
have other cases. An exception that passes is told, so that it can be taken out.
"""

import json
import sys


def main(report_path, exceptions_path):
    with open(report_path, encoding="utf-8") as file:
        cases = json.load(file)
    with open(exceptions_path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    exceptions = {line.split(None, 1)[0] for line in lines if line and not line.startswith("#")}
    failed = {case["name"] for case in cases if case["diffs"]}
    passed = {case["name"] for case in cases} - failed
    for name in sorted(exceptions & passed):
        print(f"oracle: {name} is an exception but passes")
    unexpected = sorted(failed - exceptions)
    for name in unexpected:
        print(f"oracle: {name} fails and is no exception", file=sys.stderr)
    print(f"oracle: {len(failed & exceptions)} exceptions, {len(unexpected)} other failures")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
